"""Functions that are about their argument near 0, in a train step, against NumPy.

Two million floats: every 2048th bit pattern, so both signs, each magnitude and the
subnormal numbers alike. (Infinities and NaN: run-approximate-math.test.)
"""

import os
import tempfile

import numpy as np

import amprun

COUNT = 1 << 21
T = f"tensor<{COUNT}xf32>"
PARAM = f'{T} {{amp.role = "param", amp.name = "w"}}'
ARGS = (f'%w: {PARAM}, %x: {T} {{amp.role = "batch", amp.name = "x0"}}, '
        '%s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"}')
LOSS = 'tensor<f32> {amp.role = "loss", amp.name = "l"}'


def module(function):
    """A step whose new parameter is the function of its gradient, which is x."""
    return f"""
func.func @fb({ARGS}) -> ({T} {{amp.role = "grad", amp.name = "w"}}, {LOSS}) {{
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {T}
  %l = linalg.dot ins(%w, %x : {T}, {T}) outs(%zero : tensor<f32>) -> tensor<f32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0]
  %g = arith.mulf %b, %x : {T}
  return %g, %l : {T}, tensor<f32>
}}
func.func @step(%w: {PARAM}, %g: {T} {{amp.role = "grad", amp.name = "w"}}) -> ({PARAM}) {{
  %n = math.{function} %g : {T}
  return %n : {T}
}}
func.func @train({ARGS}) -> ({PARAM}, {LOSS}) {{
  %g, %l = call @fb(%w, %x, %s) : ({T}, {T}, tensor<f32>) -> ({T}, tensor<f32>)
  %n = call @step(%w, %g) : ({T}, {T}) -> {T}
  return %n, %l : {T}, tensor<f32>
}}
"""


def units(got, exact):
    """The worst error in units in the last place of f32; what is not finite, and the
    sign of zeros, has to be equal."""
    rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded)
    assert np.array_equal(got[~finite], rounded[~finite], equal_nan=True)
    assert np.array_equal(np.signbit(got[finite]), np.signbit(rounded[finite]))
    exact = exact[finite]
    exponents = np.maximum(np.frexp(exact)[1], -125) - 24
    return np.max(np.abs(got[finite] - exact) / np.ldexp(1.0, exponents))


x = (np.arange(COUNT, dtype=np.uint32) * np.uint32(2048) + np.uint32(1)).view(np.float32)
x[~np.isfinite(x)] = -0.0
start = {"arg0": np.zeros_like(x), "step0_x0": x}
np.seterr(all="ignore")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "step.mlir")
    # expm1 and log1p are ours: the roundings of the polynomial's last sum (1/2) and of
    # 2^n - 1 or e ln 2 behind it (1/2), and what the polynomial and the reduced argument
    # are off by, less than that. libm states 2 for the others; tanh is upstream's, 4.8.
    for function, exact, bound in (("expm1", np.expm1, 2), ("log1p", np.log1p, 2),
                                   ("sinh", np.sinh, 3), ("asinh", np.arcsinh, 3),
                                   ("atanh", np.arctanh, 3), ("tanh", np.tanh, 6)):
        with open(path, "w") as file:
            file.write(module(function))
        # The reference calls libm for all of them.
        for options in ((), ("--reference",))[:2 if bound == 2 else 1]:
            got = amprun.run(path, "O0", start, *options, steps=1).state["param/w"]
            worst = units(got, exact(x.astype(np.float64)))
            assert worst < bound, (function, options, worst)
    # That it judges: what is added to 1, as in log(1 + x), is lost where it is small.
    small = x[(0 < x) & (x < 1e-6)]
    assert units(np.float32(1) + small - np.float32(1), small.astype(np.float64)) > 1e6
print("as NumPy")
