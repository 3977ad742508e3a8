# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A chain of elementwise operations, each with a body of four and its yield, and with --round one that
rounds to f16 behind: chain.py LINKS [--round]"""

import sys

LINK = """  %v{next} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
      ins(%v{link} : tensor<64xf32>) outs(%empty : tensor<64xf32>) {{
  ^bb0(%a: f32, %out: f32):
    %1 = math.tanh %a : f32
    %2 = arith.mulf %1, %a : f32
    %3 = arith.addf %2, %1 : f32
    %4 = math.sin %3 : f32
    linalg.yield %4 : f32
  }} -> tensor<64xf32>"""

ROUND = """  %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
      ins(%v{link} : tensor<64xf32>) outs(%half : tensor<64xf16>) {{
  ^bb0(%a: f32, %out: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  }} -> tensor<64xf16>
  return %r : tensor<64xf16>"""

links = int(sys.argv[1])
print("#id = affine_map<(i) -> (i)>")
result = "f16" if "--round" in sys.argv else "f32"
print(f"func.func @chain(%v0: tensor<64xf32>) -> tensor<64x{result}> {{")
print("  %empty = tensor.empty() : tensor<64xf32>")
for link in range(links):
    print(LINK.format(link=link, next=link + 1))
if "--round" in sys.argv:
    print("  %half = tensor.empty() : tensor<64xf16>")
    print(ROUND.format(link=links))
else:
    print(f"  return %v{links} : tensor<64xf32>")
print("}")
