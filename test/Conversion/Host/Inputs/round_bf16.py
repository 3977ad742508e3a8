"""Roundings of f64 to bf16, against fractions.

    round_bf16.py write          a module whose @main prints the bits of each
    round_bf16.py check < TEXT   how many differ from the nearest, ties to even

Doubles halfway between two numbers of bf16, next to that on both sides by less than
f32 sees, and others: of both signs, subnormal, at the largest number, infinite, NaN.
"""

import math
import random
import struct
import sys
from fractions import Fraction


def widen(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def arguments():
    rng = random.Random(1)
    values = []
    for _ in range(600):
        bits = rng.randrange(0, 0x7F7F)
        low, high = widen(bits), widen(bits + 1)
        middle = (low + high) / 2
        values += [low, middle, math.nextafter(middle, 0), math.nextafter(middle, math.inf)]
        values += [middle * (1 + 2.0**-40), middle * (1 - 2.0**-40), low + (high - low) * rng.random()]
    largest = widen(0x7F7F)
    values += [largest, largest * (1 + 2.0**-9), largest * (1 + 2.0**-9) * (1 - 2.0**-50), 1e300, math.inf, 5e-324, 0.0, math.nan]
    return [sign * value for value in values for sign in (1, -1)]


def nearest(value):
    """The bits of the nearest bf16, by its definition."""
    sign = 0x8000 if math.copysign(1, value) < 0 else 0
    size = abs(value)
    if math.isnan(size):
        return 0x7FC0
    if math.isinf(size):
        return sign | 0x7F80
    low, high = 0, 0x7F80  # the largest that is not above, by bisection
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if widen(middle) <= size else (low, middle)
    above = Fraction(2) ** 128 if high == 0x7F80 else Fraction(widen(high))
    left, right = Fraction(size) - Fraction(widen(low)), above - Fraction(size)
    return sign | (low if left < right or (left == right and low % 2 == 0) else high)


def write():
    values = arguments()
    count = len(values)
    data = "".join(struct.pack("<d", value).hex().upper() for value in values)
    print(f"""memref.global "private" constant @x : memref<{count}xf64> = dense<"0x{data}">
func.func @round(%x: f64) -> bf16 {{
  %y = arith.truncf %x : f64 to bf16
  return %y : bf16
}}
func.func @widen(%x: bf16) -> f64 {{
  %y = arith.extf %x : bf16 to f64
  return %y : f64
}}
func.func @main() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {count} : index
  %all = memref.get_global @x : memref<{count}xf64>
  scf.for %i = %c0 to %n step %c1 {{
    %x = memref.load %all[%i] : memref<{count}xf64>
    %y = func.call @round(%x) : (f64) -> bf16
    %bits = arith.bitcast %y : bf16 to i16
    %number = arith.extui %bits : i16 to i64
    vector.print %number : i64
    %wide = func.call @widen(%y) : (bf16) -> f64
    %wideBits = arith.bitcast %wide : f64 to i64
    vector.print %wideBits : i64
  }}
  return
}}""")


def check():
    printed = [int(line) for line in sys.stdin]
    wrong = wide = 0
    for value, got, back in zip(arguments(), printed[::2], printed[1::2], strict=True):
        wrong += got != nearest(value)
        wide += struct.pack("<q", back) != struct.pack("<d", widen(got))
    print(f"{len(printed) // 2} roundings, {wrong} wrong, {wide} widened wrongly")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]]()
