"""A loop on elements with COUNT branches in a row, each of which either inserts into what the one before gave or gives that.

    chain_of_branches.py COUNT
"""

import sys

count = int(sys.argv[1])
print("""func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%r0 = %x) -> tensor<8xf32> {
    %v = tensor.extract %r0[%i] : tensor<8xf32>
    %above = arith.cmpf ogt, %v, %one : f32""")
for number in range(count):
    print(f"""    %r{number + 1} = scf.if %above -> tensor<8xf32> {{
      %t = tensor.insert %one into %r{number}[%i] : tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    }} else {{
      scf.yield %r{number} : tensor<8xf32>
    }}""")
print(f"""    scf.yield %r{count} : tensor<8xf32>
  }}
  return %r : tensor<8xf32>
}}""")
