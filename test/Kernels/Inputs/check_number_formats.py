"""Checks the reference of the numbers itself: what it rounds to, and what it lets pass.

f32 and f16 against numpy's casts, 8-bit floats against their published extremes, bf16
against its definition as the upper half of f32. Then: a result beside the bound must be
refused, one at it must not.
"""

import numpy as np

from number_formats import FORMATS, SMALL_TABLES
from verify_numbers import Bounded, compare

random = np.random.default_rng(7)
x = np.concatenate([
    random.uniform(-1, 1, 4096) * 2.0 ** random.integers(-150, 140, 4096),
    [0.0, -0.0, np.nan, np.inf, -np.inf, 65504, 65519.999, 65520, -65520, 2.0**-24, 2.0**-25, 1.5 * 2.0**-24],
])

for name, cast in ("f32", np.float32), ("f16", np.float16):
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(FORMATS[name].round(x), x.astype(cast).astype(np.float64))

# Of two neighbours in the upper half of f32's bits, the nearer; 1 + 2^-8 lies between two.
bf16 = FORMATS["bf16"]
for value, nearest in (1 + 2.0**-8, 1.0), (1 + 3 * 2.0**-8, 1 + 2.0**-6), (1 + 2.0**-8 + 2.0**-20, 1 + 2.0**-7):
    assert bf16.round(value) == nearest, value
assert bf16.round(3.4e38) == np.inf and bf16.round(3.389e38) == bf16.largest

# OCP 8-bit Floating Point Specification, table 1.
for name, largest, least, infinity in ("f8E4M3FN", 448.0, 2.0**-9, False), ("f8E5M2", 57344.0, 2.0**-16, True):
    codes = SMALL_TABLES[name]
    finite = codes[np.isfinite(codes)]
    assert finite.max() == largest == FORMATS[name].largest and finite[finite > 0].min() == least
    assert np.isinf(codes).any() == infinity and np.isnan(codes[0x7F])

for name, form in FORMATS.items():
    rounded = form.round(x[np.abs(x) < form.largest])
    if not name.startswith("i"):
        np.testing.assert_array_equal(form.decode(form.encode(rounded)), rounded)

# A bound of a quarter below and above 1: f16 has 2^-11 below and 2^-10 above it.
expected = Bounded(np.array([1.0]), np.array([2.0**-12]), 2.0**-24)
assert not compare("d", np.array([1.0]), expected, "f16")
assert compare("d", np.array([1.0 + 2.0**-10]), expected, "f16").endswith("1.0009765625 instead of 1.0 to 1.0")
assert compare("d", np.array([np.nan]), expected, "f16")
assert not compare("d", np.array([1.0 - 2.0**-12]), expected, "f32")
assert compare("d", np.array([1.0 - 2.0**-12 - 2.0**-24]), expected, "f32")
for value in np.nan, np.inf, -np.inf:
    special = Bounded(np.array([value]), np.array([np.inf]), 2.0**-24)
    assert not compare("d", np.array([value]), special, "f32")
    assert compare("d", np.array([3.0e38]), special, "f32")
# Beyond the largest number of f16 only infinity, at the edge either.
assert compare("d", np.array([65504.0]), Bounded(np.array([7e4]), np.array([1.0]), 2.0**-24), "f16")
edge = Bounded(np.array([65520.0]), np.array([1.0]), 2.0**-24)
assert not compare("d", np.array([65504.0]), edge, "f16") and not compare("d", np.array([np.inf]), edge, "f16")
print("right")
