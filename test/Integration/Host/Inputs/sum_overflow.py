"""A gradient that overflows in its final sum alone takes its step out of a run.

    sum_overflow.py KIND LEVEL [OPTION...]
    sum_overflow.py KIND print

KIND says what the sum is of: `shared`, two uses of one weight; `micro`, two micro-batches;
`split`, the rows of one product with a long K, which a device splits. Both halves of the sum
are PART in f16's range, and so are all other numbers of the step; the sum is 2 PART:

1. PART = 40000: where the sum is stored in f16, the step is skipped, with every bit of its
   parameters, masters, half copies and optimizer state as it was;
2. PART = 30000: the step is taken, and changes all of them.

A sum kept in f32 (micro-batches; uses of a weight at O1) is finite in both cases, and the step
is taken; there a half that is outside by itself, in either place, takes it out.
`print` writes the module. OPTIONs are of amp-run.
"""

import os
import sys
import tempfile

import numpy as np

import amprun
from amprun import role

SCALE = 1024.0
kind, level, *options = sys.argv[1:]
K, N = (4096, 64) if kind == "split" else (32, 16)
X, W, XT = f"tensor<{K}x{N}xf32>", f"tensor<{N}x{N}xf32>", f"tensor<{N}x{K}xf32>"


def use(x, i):
    """The product of a batch and the weight, and the gradient that it gives the weight."""
    return f"""
  %y{i} = linalg.matmul ins({x}, %w : {X}, {W}) outs(%zx : {X}) -> {X}
  %p{i} = arith.mulf %y{i}, %t : {X}
  %l{i} = linalg.reduce ins(%p{i} : {X}) outs(%zs : tensor<f32>) dimensions = [0, 1]
    (%a: f32, %b: f32) {{ %c = arith.addf %a, %b : f32  linalg.yield %c : f32 }}
  %xt{i} = linalg.transpose ins({x} : {X}) outs(%ext : {XT}) permutation = [1, 0]
  %g{i} = linalg.matmul ins(%xt{i}, %gy : {XT}, {X}) outs(%zw : {W}) -> {W}"""


two = kind == "shared"
end = "  %g = arith.addf %g0, %g1 : {0}\n  %l = arith.addf %l0, %l1 : tensor<f32>".format(W)
batches = [f"%x: {X} {role('batch', 'x0')}", f"%t: {X} {role('batch', 'x1')}"]
names, types = ["%x", "%t"], [X, X]
if two:
    batches, names, types = batches + [f"%v: {X} {role('batch', 'x2')}"], names + ["%v"], types + [X]
param, mom = f"%w: {W} {role('param', 'w')}", f"%m: {W} {role('opt_state', 'm')}"
seed = f"%s: tensor<f32> {role('loss_seed', 'l')}"
MODULE = f"""
func.func @fb({param}, {", ".join(batches)}, {seed}) -> ({W} {role("grad", "w")}, tensor<f32> {role("loss", "l")}) {{
  %zx = arith.constant dense<0.0> : {X}
  %zw = arith.constant dense<0.0> : {W}
  %zs = arith.constant dense<0.0> : tensor<f32>
  %ex = tensor.empty() : {X}
  %ext = tensor.empty() : {XT}
  %sb = linalg.broadcast ins(%s : tensor<f32>) outs(%ex : {X}) dimensions = [0, 1]
  %gy = arith.mulf %t, %sb : {X}{use("%x", 0)}{use("%v", 1) if two else ""}
{end if two else ""}
  return {"%g, %l" if two else "%g0, %l0"} : {W}, tensor<f32>
}}
func.func @step({param}, %g: {W} {role("grad", "w")}, {mom})
    -> ({W} {role("param", "w")}, {W} {role("opt_state", "m")}) {{
  %rate = arith.constant dense<0.125> : {W}
  %d = arith.mulf %m, %rate : {W}
  %n = arith.addf %d, %g : {W}
  %u = arith.mulf %n, %rate : {W}
  %q = arith.subf %w, %u : {W}
  return %q, %n : {W}, {W}
}}
func.func @train({param}, {mom}, {", ".join(batches)}, {seed})
    -> ({W} {role("param", "w")}, {W} {role("opt_state", "m")}, tensor<f32> {role("loss", "l")}) {{
  %g, %l = call @fb(%w, {", ".join(names)}, %s) : ({W}, {", ".join(types)}, tensor<f32>) -> ({W}, tensor<f32>)
  %q, %n = call @step(%w, %g, %m) : ({W}, {W}, {W}) -> ({W}, {W})
  return %q, %n, %l : {W}, {W}, tensor<f32>
}}
"""


def make(part, last=None):
    """Two steps, of which the first is harmless; the halves of the second's sum are `part` and `last`."""
    parts = part, part if last is None else last
    random = np.random.default_rng(0)
    arrays = {"arg0": random.normal(size=(N, N)).astype(np.float32) / 64, "arg1": np.ones((N, N), np.float32)}
    for step, values in enumerate(((1.0, 1.0), parts)):
        rows = 2 * K if kind == "micro" else K
        x, t = np.zeros((rows, N), np.float32), np.zeros((rows, N), np.float32)
        x[0, 3], t[0, 5] = values[0] / SCALE, 1
        if two:
            v = np.zeros_like(x)
            v[0, 3] = values[1] / SCALE
            arrays[f"step{step}_x2"] = v
        else:
            x[-1, 3], t[-1, 5] = values[1] / SCALE, 1
        if kind == "micro":  # the seed is divided by their number
            x *= 2
        arrays[f"step{step}_x0"], arrays[f"step{step}_x1"] = x, t
    return arrays


def run(part, steps, last=None):
    more = ["--micro-batches=2"] if kind == "micro" else []
    return amprun.run(module, level, make(part, last), f"--loss-scale={int(SCALE)}", "--skip-on-overflow=true", *more,
                      *options, steps=steps)


if level == "print":
    print(MODULE)
    sys.exit()
in_f32 = kind == "micro" or (kind, level) == ("shared", "O1")
with tempfile.TemporaryDirectory() as folder:
    module = os.path.join(folder, kind + ".mlir")
    with open(module, "w") as file:
        file.write(MODULE)
    before = run(1.0, 1)
    assert any(name.startswith("opt_state/") for name in before.state), before.state.keys()
    moving = {name for name in before.state if name.startswith(("param/", "master/", "opt_state/"))}
    cases = [((40000.0,), not in_f32), ((30000.0,), False)]
    if in_f32:
        cases += [((1.0, 80000.0), True), ((80000.0, 1.0), True)]
    for parts, overflows in cases:
        done = run(parts[0], 2, *parts[1:])
        skipped = [record["skipped"] for record in done.log]
        different = amprun.differing(before.state, done.state)
        if skipped != [False, overflows]:
            sys.exit(f"{kind} {level}: parts {parts}: skipped are {skipped}")
        if set(different) != (set() if overflows else moving):
            sys.exit(f"{kind} {level}: parts {parts}: {', '.join(different) or 'nothing'} changed")
