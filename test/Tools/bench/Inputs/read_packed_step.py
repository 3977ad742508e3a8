"""Prints what device_program.py reads of a program: read_packed_step.py BENCHMARKS RUNTIME PROGRAM."""

import ctypes
import sys

sys.path.insert(0, sys.argv[1])
from device_program import ARRAY, SCALER, Train  # noqa: E402

ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
train = Train(sys.argv[3])
print(f"chip {train.program.chip.decode()}, {train.program.scalerCount} scalers")
for what, values in (("argument", train.arguments), ("result", train.results)):
    for value in values:
        if value.kind == ARRAY:
            print(f"{what} {value.role}/{value.name} {value.dtype} {value.shape}")
        elif value.kind == SCALER:
            print(f"{what} scaler/{value.name}")
print(f"{len(train.moving)} tensors move")
