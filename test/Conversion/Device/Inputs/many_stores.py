"""Prints a function that stores as many running sums as the first argument says, of loads that are all in front of
the stores: each sum is computed from one load more. With a second argument, each load has a buffer of its own.
"""

import sys

COUNT = int(sys.argv[1])
APART = len(sys.argv) > 2

loaded = [f"%x{i}: memref<f32>" for i in range(COUNT)] if APART else [f"%x: memref<{COUNT}xf32>"]
print(f"func.func @many(%z: memref<{COUNT}xf32>, {', '.join(loaded)}) {{")
for i in range(COUNT):
    print(f"  %c{i} = arith.constant {i} : index")
    place = f"%x{i}[] : memref<f32>" if APART else f"%x[%c{i}] : memref<{COUNT}xf32>"
    print(f"  %l{i} = memref.load {place}")
print("  %s0 = arith.negf %l0 : f32")
for i in range(1, COUNT):
    print(f"  %s{i} = arith.addf %s{i - 1}, %l{i} : f32")
    print(f"  memref.store %s{i}, %z[%c{i}] : memref<{COUNT}xf32>")
print("  return")
print("}")
