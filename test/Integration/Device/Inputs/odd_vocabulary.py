"""Trains a classifier of an odd number of classes on the host and on a device: the same numbers.

    odd_vocabulary.py LEVEL [OPTION...]
    odd_vocabulary.py print

Two layers, and the sum of the logarithms of softmax's sums as the loss, whose gradient of the logits is the
probabilities less a one where the label is. Rows of logits are no multiple of 16 bytes, so that a device's products
read them padded. After two steps parameters, masters and losses are within LIMIT of the host's, relative to the
largest of an array. OPTIONs are of amp-run, for the device. `print` writes the module.
"""

import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Host/Inputs"))
import amprun  # noqa: E402
from amprun import role  # noqa: E402

ROWS, CLASSES, DEPTH = 128, 515, 64
LIMIT = 1e-4
X, V = f"tensor<{ROWS}x{DEPTH}xf32>", f"tensor<{DEPTH}x{DEPTH}xf32>"
W, L = f"tensor<{DEPTH}x{CLASSES}xf32>", f"tensor<{ROWS}x{CLASSES}xf32>"
XT, WT, R = f"tensor<{DEPTH}x{ROWS}xf32>", f"tensor<{CLASSES}x{DEPTH}xf32>", f"tensor<{ROWS}xf32>"
Y = f"tensor<{ROWS}xi64>"


def matmul(name, a, a_type, b, b_type, type):
    return f"""
  %{name}_e = tensor.empty() : {type}
  %{name}_0 = linalg.fill ins(%zero : f32) outs(%{name}_e : {type}) -> {type}
  %{name} = linalg.matmul ins({a}, {b} : {a_type}, {b_type}) outs(%{name}_0 : {type}) -> {type}"""


def transpose(name, a, a_type, type):
    return f"""
  %{name}_e = tensor.empty() : {type}
  %{name} = linalg.transpose ins({a} : {a_type}) outs(%{name}_e : {type}) permutation = [1, 0]"""


def generic(name, inputs, maps, type, iterators, body, start=None):
    """`inputs` are pairs of a value and a type; the body yields %q."""
    arguments = ", ".join(f"%a{i}: {t.rpartition('x')[2].strip('<>').removeprefix('tensor<')}"
                          for i, (_, t) in enumerate(inputs))
    fill = f"\n  %{name}_0 = linalg.fill ins({start} : f32) outs(%{name}_e : {type}) -> {type}" if start else ""
    maps = ", ".join(f"affine_map<{each}>" for each in maps)
    iterators = ", ".join(f'"{each}"' for each in iterators)
    return f"""
  %{name}_e = tensor.empty() : {type}{fill}
  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      ins({", ".join(v for v, _ in inputs)} : {", ".join(t for _, t in inputs)}) outs(%{name}_{"0" if start else "e"} : {type}) {{
  ^bb0({arguments}, %o: f32):{body}
    linalg.yield %q : f32
  }} -> {type}"""


IJ, I, NONE = "(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> ()"
ALL, ROW = ("parallel", "parallel"), ("parallel", "reduction")
PARAMETERS = f"%w: {W} {role('param', 'w')}, %v: {V} {role('param', 'v')}"
BATCH = f"%x: {X} {role('batch', 'x0')}, %y: {Y} {role('batch', 'x1')}, %s: tensor<f32> {role('loss_seed', 'l')}"
MODULE = f"""
func.func @fb({PARAMETERS}, {BATCH})
    -> ({W} {role('grad', 'w')}, {V} {role('grad', 'v')}, tensor<f32> {role('loss', 'l')}) {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
{matmul("h", "%x", X, "%v", V, X)}{matmul("logits", "%h", X, "%w", W, L)}
{generic("max", [("%logits", L)], (IJ, I), R, ROW, '''
    %q = arith.maximumf %a0, %o : f32''', "%least")}
{generic("exp", [("%logits", L), ("%max", R)], (IJ, I, IJ), L, ALL, '''
    %d = arith.subf %a0, %a1 : f32
    %q = math.exp %d : f32''')}
{generic("sum", [("%exp", L)], (IJ, I), R, ROW, '''
    %q = arith.addf %o, %a0 : f32''', "%zero")}
{generic("l", [("%sum", R)], ("(i) -> (i)", "(i) -> ()"), "tensor<f32>", ROW[1:], '''
    %d = math.log %a0 : f32
    %q = arith.addf %o, %d : f32''', "%zero")}
{generic("g", [("%exp", L), ("%sum", R), ("%y", Y), ("%s", "tensor<f32>")], (IJ, I, I, NONE, IJ), L, ALL, '''
    %j = linalg.index 1 : index
    %t = arith.index_cast %a2 : i64 to index
    %is = arith.cmpi eq, %j, %t : index
    %hot = arith.select %is, %one, %zero : f32
    %p = arith.divf %a0, %a1 : f32
    %d = arith.subf %p, %hot : f32
    %q = arith.mulf %d, %a3 : f32''')}
{transpose("ht", "%h", X, XT)}{transpose("wt", "%w", W, WT)}{transpose("xt", "%x", X, XT)}
{matmul("gw", "%ht", XT, "%g", L, W)}{matmul("gh", "%g", L, "%wt", WT, X)}{matmul("gv", "%xt", XT, "%gh", X, V)}
  return %gw, %gv, %l : {W}, {V}, tensor<f32>
}}
func.func @step({PARAMETERS}, %gw: {W} {role('grad', 'w')}, %gv: {V} {role('grad', 'v')})
    -> ({W} {role('param', 'w')}, {V} {role('param', 'v')}) {{
  %rate_w = arith.constant dense<0.001> : {W}
  %rate_v = arith.constant dense<0.001> : {V}
  %uw = arith.mulf %gw, %rate_w : {W}
  %uv = arith.mulf %gv, %rate_v : {V}
  %nw = arith.subf %w, %uw : {W}
  %nv = arith.subf %v, %uv : {V}
  return %nw, %nv : {W}, {V}
}}
func.func @train({PARAMETERS}, {BATCH})
    -> ({W} {role('param', 'w')}, {V} {role('param', 'v')}, tensor<f32> {role('loss', 'l')}) {{
  %gw, %gv, %l = call @fb(%w, %v, %x, %y, %s) : ({W}, {V}, {X}, {Y}, tensor<f32>) -> ({W}, {V}, tensor<f32>)
  %nw, %nv = call @step(%w, %v, %gw, %gv) : ({W}, {V}, {W}, {V}) -> ({W}, {V})
  return %nw, %nv, %l : {W}, {V}, tensor<f32>
}}
"""


def arrays():
    random = np.random.default_rng(0)
    made = {"arg0": random.normal(size=(DEPTH, CLASSES)) / 8, "arg1": random.normal(size=(DEPTH, DEPTH)) / 8,
            "step0_x0": random.normal(size=(ROWS, DEPTH)), "step1_x0": random.normal(size=(ROWS, DEPTH))}
    made = {name: array.astype(np.float32) for name, array in made.items()}
    # The last class is one of the labels.
    labels = random.integers(0, CLASSES, size=(2, ROWS))
    labels[:, 7] = CLASSES - 1
    return {**made, "step0_x1": labels[0], "step1_x1": labels[1]}


def main():
    if sys.argv[1] == "print":
        print(MODULE)
        return
    level, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "step.mlir")
        with open(module, "w") as file:
            file.write(MODULE)
        host, device = (amprun.run(module, level, arrays(), "--loss-scale=8", *more, steps=2)
                        for more in ((), options))
    pairs = {name: (amprun.to_float(array), amprun.to_float(device.state[name])) for name, array in host.state.items()
             if name.startswith("master/") or "master/w" not in host.state}
    pairs["loss"] = tuple(np.array([record["loss"] for record in run.log]) for run in (host, device))
    start = amprun.to_float(arrays()["arg0"])
    wrong = [] if np.abs(pairs["master/w" if "master/w" in pairs else "param/w"][0] - start).max() > 1e-3 else ["w stays"]
    for name, (one, other) in pairs.items():
        apart = np.abs(one - other).max() / np.abs(one).max()
        print(f"{name}: {apart:.1e}")
        if not apart <= LIMIT:
            wrong.append(f"{name} is {apart:.1e} apart")
    print("\n".join(wrong or ["right"]))
    sys.exit(bool(wrong))


main()
