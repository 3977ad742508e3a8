"""Helpers that stay calls, beside the same program with their text in its place.

    helpers.py [KIND...]

A helper of several blocks is not inlined, one block of the same text is. Whatever a
helper is called for - the model, the loss, forward and backward, two losses, the
optimizer - a run of the one must be a run of the other: the same bits in every
parameter, state and loss, at each level.
"""

import sys
import tempfile

import numpy as np

import amprun
from amprun import role

M, V = "tensor<8x8xf32>", "tensor<4x8xf32>"
LEVELS = ("O0", "O1", "O2", "O3", "O4", "O5")


class Helper:
    """A function that is inlined, or is not."""

    def __init__(self, stays):
        self.stays = stays

    def __call__(self, name, arguments, results, body, returns):
        end = "  cf.br ^end\n^end:\n" if self.stays else ""
        return (f"func.func private @{name}({arguments}) -> ({results}) {{\n{body}\n{end}"
                f"  return {returns} : {results}\n}}\n")


LAYER = f"""
  %zero = arith.constant dense<0.0> : {V}
  %p = linalg.matmul ins(%x, %w : {V}, {M}) outs(%zero : {V}) -> {V}
  %t = math.tanh %p : {V}
  %half = arith.constant dense<0.5> : {V}
  %s = arith.addf %x, %t : {V}
  %y = arith.mulf %s, %half : {V}"""
# Of the same layer: what goes to its input, and to its weights.
BACK = f"""
  %zero = arith.constant dense<0.0> : {V}
  %one = arith.constant dense<1.0> : {V}
  %half = arith.constant dense<0.5> : {V}
  %t2 = arith.mulf %t, %t : {V}
  %d = arith.subf %one, %t2 : {V}
  %gh = arith.mulf %g, %half : {V}
  %gp = arith.mulf %gh, %d : {V}
  %em = tensor.empty() : {M}
  %wt = linalg.transpose ins(%w : {M}) outs(%em : {M}) permutation = [1, 0]
  %gw = linalg.matmul ins(%gp, %wt : {V}, {M}) outs(%zero : {V}) -> {V}
  %gx = arith.addf %gh, %gw : {V}
  %ex = tensor.empty() : tensor<8x4xf32>
  %xt = linalg.transpose ins(%x : {V}) outs(%ex : tensor<8x4xf32>) permutation = [1, 0]
  %zm = arith.constant dense<0.0> : {M}
  %dw = linalg.matmul ins(%xt, %gp : tensor<8x4xf32>, {V}) outs(%zm : {M}) -> {M}"""
LOSS = f"""
  %zs = arith.constant dense<0.0> : tensor<f32>
  %diff = arith.subf %y, %target : {V}
  %sq = arith.mulf %diff, %diff : {V}
  %l = linalg.reduce ins(%sq : {V}) outs(%zs : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %acc: f32) {{ %sum = arith.addf %in, %acc : f32  linalg.yield %sum : f32 }}"""
LOSS_BACK = f"""
  %ev = tensor.empty() : {V}
  %b = linalg.broadcast ins(%seed : tensor<f32>) outs(%ev : {V}) dimensions = [0, 1]
  %two = arith.constant dense<2.0> : {V}
  %diff = arith.subf %y, %target : {V}
  %d = arith.mulf %diff, %two : {V}
  %g = arith.mulf %d, %b : {V}"""
PRODUCT = f"""
  %zero = arith.constant dense<0.0> : {V}
  %y = linalg.matmul ins(%x, %w : {V}, {M}) outs(%zero : {V}) -> {V}"""

LAYER_TYPE = f"({V}, {M}) -> ({V}, {V})"
BACK_TYPE = f"({V}, {V}, {M}, {V}) -> ({V}, {M})"


def layer(helper):
    return (helper("layer", f"%x: {V}, %w: {M}", f"{V}, {V}", LAYER, "%y, %t")
            + helper("back", f"%x: {V}, %t: {V}, %w: {M}, %g: {V}", f"{V}, {M}", BACK, "%gx, %dw"))


def loss(helper):
    return (helper("loss", f"%y: {V}, %target: {V}", "tensor<f32>", LOSS, "%l")
            + helper("loss_back", f"%y: {V}, %target: {V}, %seed: tensor<f32>", V, LOSS_BACK, "%g"))


def forward_backward(name, number, body):
    return f"""
func.func @{name}(%w: {M} {role("param", "w")}, %x: {V} {role("batch", "x0")}, %target: {V} {role("batch", "x1")},
    %seed: tensor<f32> {role("loss_seed", f"l{number}")})
    -> ({M} {role("grad", "w")}, tensor<f32> {role("loss", f"l{number}")}) {{
{body}
  return %dw, %l : {M}, tensor<f32>
}}
"""


STEP_BODY = f"""
  %rate = arith.constant dense<0.03125> : {M}
  %d = arith.mulf %g, %rate : {M}
  %n = arith.subf %w, %d : {M}"""


def step(body):
    return f"""
func.func @step(%w: {M} {role("param", "w")}, %g: {M} {role("grad", "w")}) -> ({M} {role("param", "w")}) {{
{body}
  return %n : {M}
}}
"""


def train(*names):
    seeds = "".join(f', %s{i}: tensor<f32> {role("loss_seed", f"l{i}")}' for i in range(len(names)))
    types = "".join(f', tensor<f32> {role("loss", f"l{i}")}' for i in range(len(names)))
    body = ""
    for i, name in enumerate(names):
        body += (f"  %g{i}, %l{i} = call @{name}(%w, %x, %target, %s{i}) : "
                 f"({M}, {V}, {V}, tensor<f32>) -> ({M}, tensor<f32>)\n")
    gradient = "%g0"
    for i in range(1, len(names)):
        body += f"  %sum{i} = arith.addf {gradient}, %g{i} : {M}\n"
        gradient = f"%sum{i}"
    losses = "".join(f", %l{i}" for i in range(len(names)))
    return f"""
func.func @train(%w: {M} {role("param", "w")}, %x: {V} {role("batch", "x0")}, %target: {V} {role("batch", "x1")}{seeds})
    -> ({M} {role("param", "w")}{types}) {{
{body}  %n = call @step(%w, {gradient}) : ({M}, {M}) -> {M}
  return %n{losses} : {M}{", tensor<f32>" * len(names)}
}}
"""


TWO_LAYERS = f"""
  %y0, %t0 = call @layer(%x, %w) : {LAYER_TYPE}
  %y1, %t1 = call @layer(%y0, %w) : {LAYER_TYPE}
  %l = call @loss(%y1, %target) : ({V}, {V}) -> tensor<f32>
  %g = call @loss_back(%y1, %target, %seed) : ({V}, {V}, tensor<f32>) -> {V}
  %g1, %dw1 = call @back(%y0, %t1, %w, %g) : {BACK_TYPE}
  %g0, %dw0 = call @back(%x, %t0, %w, %g1) : {BACK_TYPE}
  %dw = arith.addf %dw0, %dw1 : {M}"""


def layers(helper):
    """Calls of one layer, with inputs of the batch's storage and of half."""
    return layer(helper) + loss(helper) + forward_backward("fb", 0, TWO_LAYERS) + step(STEP_BODY) + train("fb")


def nested(helper):
    """The whole pass is one helper, of helpers: the model ends inside of it."""
    whole = helper("whole", f"%w: {M}, %x: {V}, %target: {V}, %seed: tensor<f32>", f"{M}, tensor<f32>",
                   TWO_LAYERS, "%dw, %l")
    call = f"%dw, %l = call @whole(%w, %x, %target, %seed) : ({M}, {V}, {V}, tensor<f32>) -> ({M}, tensor<f32>)"
    return layer(helper) + loss(helper) + whole + forward_backward("fb", 0, call) + step(STEP_BODY) + train("fb")


def both_ways(helper):
    """One product for the layer, for its gradient, and in the optimizer."""
    product = helper("product", f"%x: {V}, %w: {M}", V, PRODUCT, "%y")
    body = f"""
  %y = call @product(%x, %w) : ({V}, {M}) -> {V}
  %l = call @loss(%y, %target) : ({V}, {V}) -> tensor<f32>
  %g = call @loss_back(%y, %target, %seed) : ({V}, {V}, tensor<f32>) -> {V}
  %em = tensor.empty() : {M}
  %wt = linalg.transpose ins(%w : {M}) outs(%em : {M}) permutation = [1, 0]
  %gx = call @product(%g, %wt) : ({V}, {M}) -> {V}
  %ex = tensor.empty() : tensor<8x4xf32>
  %xt = linalg.transpose ins(%gx : {V}) outs(%ex : tensor<8x4xf32>) permutation = [1, 0]
  %zm = arith.constant dense<0.0> : {M}
  %dw = linalg.matmul ins(%xt, %x : tensor<8x4xf32>, {V}) outs(%zm : {M}) -> {M}"""
    update = f"""
  %half = arith.constant dense<0.0625> : {M}
  %top = tensor.extract_slice %g[0, 0] [4, 8] [1, 1] : {M} to {V}
  %p = func.call @product(%top, %g) : ({V}, {M}) -> {V}
  %h = tensor.insert_slice %p into %g[0, 0] [4, 8] [1, 1] : {V} into {M}
  %d = arith.mulf %h, %half : {M}
  %n = arith.subf %w, %d : {M}"""
    return product + loss(helper) + forward_backward("fb", 0, body) + step(update) + train("fb")


def two_scalers(helper):
    """Two losses, each with its scaler, of the same layers."""
    other = TWO_LAYERS.replace("call @layer(%x, %w)", "call @layer(%target, %w)").replace(
        "call @back(%x,", "call @back(%target,").replace("%y1, %target", "%y1, %x")
    return (layer(helper) + loss(helper) + forward_backward("fb", 0, TWO_LAYERS)
            + forward_backward("fb1", 1, other) + step(STEP_BODY) + train("fb", "fb1"))


def doubling(helper, depth=4):
    """Helpers that call the one before twice, and all the layers in their place."""
    apply = f"call @f{depth}(%x, %w) : ({V}, {M}) -> {V}"
    text = ""
    if helper.stays:
        text += helper("f0", f"%x: {V}, %w: {M}", V, LAYER, "%y")
        for i in range(1, depth + 1):
            call = f"call @f{i - 1}"
            text += helper(f"f{i}", f"%x: {V}, %w: {M}", V,
                                  f"  %a = {call}(%x, %w) : ({V}, {M}) -> {V}\n"
                                  f"  %y = {call}(%a, %w) : ({V}, {M}) -> {V}", "%y")
        forward = f"  %y = {apply}\n"
    else:
        forward, value = "", "%x"
        for i in range(2 ** depth):
            out = "%y" if i == 2 ** depth - 1 else f"%v{i}"
            forward += f"""
  %z{i} = arith.constant dense<0.0> : {V}
  %p{i} = linalg.matmul ins({value}, %w : {V}, {M}) outs(%z{i} : {V}) -> {V}
  %t{i} = math.tanh %p{i} : {V}
  %h{i} = arith.constant dense<0.5> : {V}
  %s{i} = arith.addf {value}, %t{i} : {V}
  {out} = arith.mulf %s{i}, %h{i} : {V}
"""
            value = out
    body = forward + f"""
  %l = call @loss(%y, %target) : ({V}, {V}) -> tensor<f32>
  %g = call @loss_back(%y, %target, %seed) : ({V}, {V}, tensor<f32>) -> {V}
  %ex = tensor.empty() : tensor<8x4xf32>
  %xt = linalg.transpose ins(%x : {V}) outs(%ex : tensor<8x4xf32>) permutation = [1, 0]
  %zm = arith.constant dense<0.0> : {M}
  %dw = linalg.matmul ins(%xt, %g : tensor<8x4xf32>, {V}) outs(%zm : {M}) -> {M}"""
    return text + loss(helper) + forward_backward("fb", 0, body) + step(STEP_BODY) + train("fb")


KINDS = {f.__name__: f for f in (layers, nested, both_ways, two_scalers, doubling)}


def make_arrays():
    random = np.random.default_rng(0)
    arrays = {"arg0": random.normal(size=(8, 8)).astype(np.float32) * np.float32(0.5)}
    for k in range(3):
        for i in range(2):
            arrays[f"step{k}_x{i}"] = random.normal(size=(4, 8)).astype(np.float32)
    return arrays


def check(kind):
    arrays = make_arrays()
    # A static scale: the first steps would be skipped under a dynamic one.
    options = ["--loss-scale=128"] + (["--num-losses=2"] if kind == "two_scalers" else [])
    with tempfile.TemporaryDirectory() as folder:
        for level in LEVELS:
            runs = []
            for stays in (True, False):
                path = f"{folder}/{kind}-{stays}.mlir"
                with open(path, "w") as file:
                    file.write(KINDS[kind](Helper(stays)))
                runs.append(amprun.run(path, level, arrays, *options, steps=3))
            calls, flat = runs
            assert not amprun.differing(calls.state, flat.state), (
                kind, level, amprun.differing(calls.state, flat.state))
            losses = [[record["losses"] if "losses" in record else record["loss"] for record in run.log]
                      for run in runs]
            assert losses[0] == losses[1], (kind, level, losses)
            start, end = arrays["arg0"], calls.state["master/w" if "master/w" in calls.state else "param/w"]
            assert not np.array_equal(start, amprun.to_float(end)), (kind, level, "nothing was trained")


for kind in sys.argv[1:] or KINDS:
    check(kind)
    print("ok", kind)
