"""A function that stores COUNT running sums, less one, of loads that are all in front of the stores; with `apart`, each
load is of a buffer of its own.

    many_stores.py COUNT [apart]
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
