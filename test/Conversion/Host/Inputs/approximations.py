"""Numbers of exp, tanh, erf, expm1 and log1p in f32, and how far they are off.

    approximations.py write          a module whose @main prints them
    approximations.py check < TEXT   the worst error of each, in units in the last
                                     place of the f64 result rounded to f32

Arguments are 5,200 floats of both signs from 1e-45 to 90, some close to 1, the same
for all, and 0, -0, infinities and NaN.
"""

import math
import random
import struct
import sys


def log1p(x):
    return math.log1p(x) if x > -1 else -math.inf if x == -1 else math.nan


FUNCTIONS = {"exp": math.exp, "tanh": math.tanh, "erf": math.erf,
             "expm1": math.expm1, "log1p": log1p}
# Ours are the roundings of two sums and half as much for the rest; upstream's are
# measured. What is subnormal may be 0 in upstream's.
BOUNDS = {"expm1": 2, "log1p": 2}


def to_f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def bits(value):
    return struct.unpack("I", struct.pack("f", value))[0]


def arguments():
    rng = random.Random(1)
    values = [10 ** rng.uniform(-37, 1.95) for _ in range(1000)]
    values += [rng.uniform(0, 5) for _ in range(1000)]
    values += [10 ** rng.uniform(-45, -37) for _ in range(300)]
    values += [1 - 10 ** rng.uniform(-8, -1) for _ in range(300)]
    return [to_f32(sign * value) for value in values for sign in (1, -1)]


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan]


def write():
    values = arguments() + SPECIAL
    count = len(values)
    data = "".join(struct.pack("<f", value).hex().upper() for value in values)
    print(f'memref.global "private" constant @x : memref<{count}xf32> = dense<"0x{data}">')
    for name in FUNCTIONS:
        print(f"""func.func @{name}(%x: f32) -> f32 {{
  %y = math.{name} %x : f32
  return %y : f32
}}""")
    print(f"""func.func @main() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {count} : index
  %x = memref.get_global @x : memref<{count}xf32>""")
    for name in FUNCTIONS:
        print(f"""  scf.for %i = %c0 to %n step %c1 {{
    %a = memref.load %x[%i] : memref<{count}xf32>
    %y = func.call @{name}(%a) : (f32) -> f32
    %b = arith.bitcast %y : f32 to i32
    vector.print %b : i32
  }}""")
    print("  return\n}")


def check():
    printed = [int(line) & 0xFFFFFFFF for line in sys.stdin.read().split()]
    values = arguments()
    count = len(values) + len(SPECIAL)
    assert len(printed) == count * len(FUNCTIONS), len(printed)
    for position, (name, function) in enumerate(FUNCTIONS.items()):
        got = [struct.unpack("f", struct.pack("I", b))[0]
               for b in printed[position * count:(position + 1) * count]]
        worst = 0.0
        for x, y in zip(values, got):
            right = to_f32_or_inf(function, x)
            if name not in BOUNDS and abs(right) < 1.2e-38:  # a subnormal result may be 0
                assert abs(y) <= 1.2e-38, (name, x, y)
                continue
            if not math.isfinite(right) or not math.isfinite(y):
                assert right == y or math.isnan(right) and math.isnan(y), (name, x, y)
                continue
            unit = math.ldexp(1.0, max(math.frexp(right)[1], -125) - 24)
            worst = max(worst, abs(y - function(x)) / unit)
        special = [repr(y) for y in got[len(values):]]
        bound = BOUNDS.get(name, 6)
        print(f"{name}: {'within' if worst < bound else 'beyond'} {bound} units in the last place,"
              f" {', '.join(special)}")


def to_f32_or_inf(function, x):
    try:
        return to_f32(function(x))
    except OverflowError:
        return math.inf


{"write": write, "check": check}[sys.argv[1]]()
