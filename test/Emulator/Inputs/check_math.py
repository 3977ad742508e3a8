"""libdevice's functions, intrinsics and conversions, each lane a value of its own.

The host's libm stands in for both; an ulp may lie between it and numpy.
"""

import math

import numpy as np

from kernel import Kernel, decode_float8, finish, run, words

x = np.linspace(0.03, 0.97, 32)
y = np.linspace(2.5, -1.5, 32)
erf = np.vectorize(math.erf)
unary = {
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda v: 10.0 ** v, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "cbrt": np.cbrt,
    "rsqrt": lambda v: 1 / np.sqrt(v), "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "erf": erf, "erfc": lambda v: 1 - erf(v), "fabs": np.abs, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": lambda v: np.floor(v + 0.5), "rint": np.rint,
}
fast = ("exp", "exp10", "log", "log2", "log10", "sin", "cos", "tan")
binary = {"pow": np.power, "atan2": np.arctan2, "fmod": np.fmod, "fmax": np.maximum, "fmin": np.minimum,
          "copysign": np.copysign, "hypot": np.hypot}

for type, suffix, tolerance in (("f32", "f", 4e-7), ("f64", "", 4e-15)):
    numpy_type = np.float32 if type == "f32" else np.float64
    a, b = x.astype(numpy_type), y.astype(numpy_type)
    wide, narrow = a.astype(np.float64), b.astype(np.float64)
    above_one = (a + numpy_type(1)).astype(np.float64)
    calls, expected = [], []
    for name, function in unary.items():
        calls.append((f"__nv_{name}{suffix}", 2 if name == "acosh" else 1))
        expected.append(function(above_one if name == "acosh" else wide))
        if suffix and name in fast:
            calls.append((f"__nv_fast_{name}f", 1))
            expected.append(function(wide))
    for name, function in binary.items():
        calls.append((f"__nv_{name}{suffix}", "ab"))
        expected.append(function(wide, narrow))
    if suffix:
        calls.append(("__nv_fast_powf", "ab"))
        expected.append(wide ** narrow)
    calls.append((f"__nv_fma{suffix}", "aba"))
    expected.append(wide * narrow + wide)

    kernel = Kernel()
    source_a, source_b, target = kernel.pointer(), kernel.pointer(), kernel.pointer()
    size = a.itemsize
    offset = kernel.times(kernel.tid, size)
    va = kernel.load(kernel.at(source_a, offset), type)
    vb = kernel.load(kernel.at(source_b, offset), type)
    one = kernel.constant("1.0", type)
    above = kernel.op(f"llvm.fadd {va}, {one} : {type}")
    row = kernel.at(target, kernel.times(kernel.tid, size * len(calls)))
    for i, (name, form) in enumerate(calls):
        operands = {1: [va], 2: [above], "ab": [va, vb], "aba": [va, vb, va]}[form]
        types = ", ".join([type] * len(operands))
        kernel.declarations.append(f"llvm.func @{name}({types}) -> {type}")
        value = kernel.op(f"llvm.call @{name}({', '.join(operands)}) : ({types}) -> {type}")
        kernel.store(value, kernel.at(row, size * i), type)
    expected = np.stack(expected, axis=1).astype(numpy_type)
    run(f"libdevice {type}", kernel, [a, b, f"D={type}:32x{len(calls)}:uninit"], {"D": expected},
        [f"--tolerance={tolerance}"])

# llvm.intr and the NVVM dialect's own conversions.
values = np.concatenate([x[:16] * 100, -x[16:] * 1e-3]).astype(np.float32)
kernel = Kernel()
source, target = kernel.pointer(), kernel.pointer()
value = kernel.load(kernel.at(source, kernel.times(kernel.tid, 4)), "f32")
row = kernel.at(target, kernel.times(kernel.tid, 12))
tf32 = kernel.op(f"nvvm.convert.float.to.tf32 {value} {{rnd = #nvvm.fp_rnd_mode<rna>}}")
kernel.store(tf32, row, "i32")
pair = kernel.op(f"nvvm.convert.f32x2.to.f8x2 {value}, {kernel.constant('1.5', 'f32')} "
                 "{rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16 (f8E4M3FN)")
kernel.store(kernel.op(f"llvm.zext {pair} : i16 to i32"), kernel.at(row, 4), "i32")
magnitude = kernel.op(f"llvm.intr.fabs({value}) : (f32) -> f32")
kernel.store(magnitude, kernel.at(row, 8), "f32")


def to_e4m3(v):
    """The nearest e4m3, ties to even: all 126 finite magnitudes tried."""
    codes = [c for c in range(256) if c & 0x7f != 0x7f and (c >> 7) == (v < 0)]
    return min(codes, key=lambda c: (abs(decode_float8(c, 4) - float(v)), c & 1))


# cvt.rna.tf32: to 10 bits of mantissa, ties away from zero.
rounded = ((words(values).astype(np.int64) + 0x1000) & 0xffffe000).astype(np.uint32).view(np.int32)
# cvt.e4m3x2 puts its first operand into the upper byte. 1.5 is 0x3c.
small = np.array([to_e4m3(v) << 8 | 0x3c for v in values], np.int32)
run("conversions", kernel, [values, "D=i32:32x3:uninit"],
    {"D": np.stack([rounded, small, words(np.abs(values))], axis=1)})
finish()
