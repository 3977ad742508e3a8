"""The numbers of kernels as numpy arrays of float64, and as they lie in memory.

Rounding is written from the definition of each format, so that it can serve as the
reference of what a kernel rounds to. It is monotone: that is what verify_numbers.py
relies on.
"""

import numpy as np


class Format:
    """`bits` of significand, the leading one counted, for exponents from `lowest` on."""

    def __init__(self, name, storage, bits, lowest, largest):
        self.name, self.storage = name, storage
        self.bits, self.lowest, self.largest = bits, lowest, largest

    def round(self, x):
        """The nearest number of this format, ties to even, in float64."""
        x = np.asarray(x, np.float64)
        finite = np.isfinite(x)
        _, exponent = np.frexp(np.where(finite, x, 0))
        quantum = np.ldexp(1.0, np.maximum(exponent - 1, self.lowest) - (self.bits - 1))
        nearest = np.rint(np.where(finite, x, 0) / quantum) * quantum
        nearest = np.where(np.abs(nearest) > self.largest, np.copysign(np.inf, x), nearest)
        return np.where(finite, nearest, x)

    def encode(self, x):
        """`x`, whose elements are numbers of this format, as it lies in memory."""
        x = np.asarray(x, np.float64)
        if self.name == "bf16":
            return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(self.storage)
        if self.name in SMALL_TABLES:
            codes = SMALL_TABLES[self.name]
            order = np.argsort(np.where(np.isnan(codes), np.inf, codes), kind="stable")
            place = np.searchsorted(codes[order], x)
            code = order[np.minimum(place, 255)].astype(np.uint8)
            code = np.where(np.isnan(x), 0x7F, code).astype(np.uint8)
            return code.view(self.storage)
        return x.astype(self.storage)

    def decode(self, stored):
        """The numbers that lie in memory."""
        if self.name == "bf16":
            return (stored.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        if self.name in SMALL_TABLES:
            return SMALL_TABLES[self.name][stored.view(np.uint8)]
        return stored.astype(np.float64)


def small_table(exponent_bits, significand_bits, bias, has_infinity):
    """What each of the 256 codes of an 8-bit float means."""
    values = []
    for code in range(256):
        sign = -1.0 if code & 0x80 else 1.0
        exponent = (code >> significand_bits) & ((1 << exponent_bits) - 1)
        fraction = code & ((1 << significand_bits) - 1)
        if exponent == 0:
            value = fraction * 2.0 ** (1 - bias - significand_bits)
        else:
            value = (1 + fraction * 2.0**-significand_bits) * 2.0 ** (exponent - bias)
        if exponent == (1 << exponent_bits) - 1:
            if has_infinity:
                value = np.inf if fraction == 0 else np.nan
            elif fraction == (1 << significand_bits) - 1:
                value = np.nan
        values.append(sign * value)
    return np.array(values)


SMALL_TABLES = {"f8E4M3FN": small_table(4, 3, 7, False), "f8E5M2": small_table(5, 2, 15, True)}

FORMATS = {
    f.name: f
    for f in (
        Format("f32", np.float32, 24, -126, float(np.finfo(np.float32).max)),
        # As it lies in memory: Tensor Cores read 11 bits of it.
        Format("tf32", np.float32, 24, -126, float(np.finfo(np.float32).max)),
        Format("f16", np.float16, 11, -14, 65504.0),
        Format("bf16", np.int16, 8, -126, 2.0**127 * (2 - 2.0**-7)),
        Format("f8E4M3FN", np.int8, 4, -6, 448.0),
        Format("f8E5M2", np.int8, 3, -14, 57344.0),
        Format("i32", np.int32, 32, 0, 2.0**31),
        Format("i64", np.int64, 64, 0, 2.0**63),
        Format("i8", np.int8, 8, 0, 2.0**7),
        Format("i16", np.int16, 16, 0, 2.0**15),
        Format("f64", np.float64, 53, -1022, float(np.finfo(np.float64).max)),
        # Of these, what a float64 holds.
        Format("i64", np.int64, 53, 0, 2.0**53),
        Format("i1", np.int8, 1, 0, 1.0),
    )
}
