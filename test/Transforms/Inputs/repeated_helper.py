"""An evaluation that calls one helper of N operations M times."""

import sys

n, m = int(sys.argv[1]), int(sys.argv[2])
print('''func.func @evaluate(%w: tensor<8x8xf32> {amp.role = "param", amp.name = "w"}, %x0: tensor<8x8xf32> {amp.role = "batch", amp.name = "x0"})
  -> (tensor<8x8xf32> {amp.role = "output", amp.name = "y0"}) {''')
for i in range(m):
    print(f"  %x{i + 1} = call @h(%w, %x{i}) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>")
print(f'''  return %x{m} : tensor<8x8xf32>
}}
func.func private @h(%w: tensor<8x8xf32>, %v0: tensor<8x8xf32>) -> tensor<8x8xf32> {{''')
for i in range(n):
    print(f"  %v{i + 1} = arith.mulf %v{i}, %w : tensor<8x8xf32>")
print(f'''  return %v{n} : tensor<8x8xf32>
}}''')
