"""Wide norms and long sums round as one operation of the framework does.

    wide.py KIND [--structural]

KIND is batch_norm, layer_norm, softmax or log_softmax: a module with that operation
inside the model, written as PyTorch's lowering writes it, is run at O2, O3 and O5
on values whose sum of squares is beyond half, and compared with PyTorch's half
kernel on the CPU, element by element, forward and backward.

Distances are in units in the last place of the half type. An element passes if it is
within one unit of the half kernel, or of the f64 kernel on the same half values:
some half kernels round inside (layer norm's backward pass reads a mean and a
deviation that the forward pass saved in half; log_softmax's sums the cotangent in
half), which the GPU's do not, and neither do we. With --structural the module has no
origins; the results are finite and within a few units.
"""

import os
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

import amprun

EPS = 1e-5


class Emitter:
    """Text of one function body: linalg.generic operations with one origin."""

    def __init__(self, function, scope, structural):
        self.lines, self.count = [], 0
        self.origin = "" if structural else (
            f' attrs = {{amp.function = "{function}", amp.scope = "{scope}", amp.scope_id = 1 : i64, '
            'amp.phase = "PHASE"}')
        self.phase = "forward"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def generic(self, shape, operands, body, out=None, reduce=()):
        """One operation over `shape`. An operand is a name and the dimensions it has;
        `body` computes %r from %a, %b... and, in a reduction, %o."""
        dims = [f"d{i}" for i in range(len(shape))]
        space = "(" + ", ".join(dims) + ")"

        def map_of(axes):
            return f"affine_map<{space} -> (" + ", ".join(dims[i] for i in axes) + ")>"

        def type_of(axes):
            return "tensor<" + "".join(f"{shape[i]}x" for i in axes) + "f32>"

        kept = [i for i in range(len(shape)) if i not in reduce]
        init = self.name()
        empty = self.name()
        self.lines.append(f"{empty} = tensor.empty() : {type_of(kept)}")
        if reduce:
            self.lines.append(f"{init} = linalg.fill ins({out} : f32) outs({empty} : {type_of(kept)}) -> {type_of(kept)}")
        else:
            init = empty
        result = self.name()
        maps = ", ".join([map_of(axes) for _, axes in operands] + [map_of(kept)])
        kinds = ", ".join('"reduction"' if i in reduce else '"parallel"' for i in range(len(shape)))
        names = "abc"[:len(operands)]
        self.lines.append(
            f"{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(n for n, _ in operands)} : {', '.join(type_of(a) for _, a in operands)}) "
            f"outs({init} : {type_of(kept)}){self.origin.replace('PHASE', self.phase)} {{\n"
            f"    ^bb0({', '.join(f'%{n}: f32' for n in names)}, %o: f32):\n      "
            + "\n      ".join(body) + f"\n      linalg.yield %r : f32\n    }} -> {type_of(kept)}")
        return result

    def unary(self, shape, x, axes, body):
        local = [shape[i] for i in axes]
        return self.generic(local, [(x, range(len(axes)))], [body])


def norm(e, x, shape, axes, weight, bias, cotangent):
    """Normalisation of `x` over `axes`, its affine form, and the gradient of x."""
    every = range(len(shape))
    kept = [i for i in every if i not in axes]
    count = float(np.prod([shape[i] for i in axes]))
    affine = kept if weight_is_per_kept(shape, axes) else list(axes)

    def mean(value):
        total = e.generic(shape, [(value, every)], ["%r = arith.addf %a, %o : f32"], "%zero", axes)
        return e.unary(shape, total, kept, "%r = arith.mulf %a, %inverse : f32")

    center = e.generic(shape, [(x, every), (mean(x), kept)], ["%r = arith.subf %a, %b : f32"])
    square = e.generic(shape, [(center, every), (center, every)], ["%r = arith.mulf %a, %b : f32"])
    shifted = e.unary(shape, mean(square), kept, "%r = arith.addf %a, %eps : f32")
    inverse = e.unary(shape, shifted, kept, "%r = math.rsqrt %a : f32")
    hat = e.generic(shape, [(center, every), (inverse, kept)], ["%r = arith.mulf %a, %b : f32"])
    scaled = e.generic(shape, [(hat, every), (weight, affine)], ["%r = arith.mulf %a, %b : f32"])
    y = e.generic(shape, [(scaled, every), (bias, affine)], ["%r = arith.addf %a, %b : f32"])

    e.phase = "backward"
    g = e.generic(shape, [(cotangent, every), (weight, affine)], ["%r = arith.mulf %a, %b : f32"])
    product = e.generic(shape, [(g, every), (hat, every)], ["%r = arith.mulf %a, %b : f32"])
    along = e.generic(shape, [(hat, every), (mean(product), kept)], ["%r = arith.mulf %a, %b : f32"])
    flat = e.generic(shape, [(g, every), (mean(g), kept)], ["%r = arith.subf %a, %b : f32"])
    both = e.generic(shape, [(flat, every), (along, every)], ["%r = arith.subf %a, %b : f32"])
    dx = e.generic(shape, [(both, every), (inverse, kept)], ["%r = arith.mulf %a, %b : f32"])
    return y, dx, count


def weight_is_per_kept(shape, axes):
    return len(axes) > 1


def softmax(e, x, shape, weight, cotangent, log):
    every, rows = [0, 1], [0]
    top = e.generic(shape, [(x, every)], ["%r = arith.maximumf %a, %o : f32"], "%lowest", [1])
    shifted = e.generic(shape, [(x, every), (top, rows)], ["%r = arith.subf %a, %b : f32"])
    power = e.generic(shape, [(shifted, every)], ["%r = math.exp %a : f32"])
    total = e.generic(shape, [(power, every)], ["%r = arith.addf %a, %o : f32"], "%zero", [1])
    if log:
        total = e.unary(shape, total, rows, "%r = math.log %a : f32")
        y = e.generic(shape, [(shifted, every), (total, rows)], ["%r = arith.subf %a, %b : f32"])
    else:
        y = e.generic(shape, [(power, every), (total, rows)], ["%r = arith.divf %a, %b : f32"])
    e.phase = "backward"
    if log:
        p = e.generic(shape, [(y, every)], ["%r = math.exp %a : f32"])
        s = e.generic(shape, [(cotangent, every)], ["%r = arith.addf %a, %o : f32"], "%zero", [1])
        part = e.generic(shape, [(p, every), (s, rows)], ["%r = arith.mulf %a, %b : f32"])
        dx = e.generic(shape, [(cotangent, every), (part, every)], ["%r = arith.subf %a, %b : f32"])
    else:
        product = e.generic(shape, [(cotangent, every), (y, every)], ["%r = arith.mulf %a, %b : f32"])
        s = e.generic(shape, [(product, every)], ["%r = arith.addf %a, %o : f32"], "%zero", [1])
        part = e.generic(shape, [(y, every), (s, rows)], ["%r = arith.mulf %a, %b : f32"])
        dx = e.generic(shape, [(product, every), (part, every)], ["%r = arith.subf %a, %b : f32"])
    return y, dx


def make_module(kind, shape, structural):
    function, scope = {
        "batch_norm": ("torch.nn.functional.batch_norm", "aten.native_batch_norm"),
        "layer_norm": ("torch.nn.functional.layer_norm", "aten.native_layer_norm"),
        "softmax": ("torch.nn.functional.softmax", "aten._softmax"),
        "log_softmax": ("torch.nn.functional.log_softmax", "aten._log_softmax")}[kind]
    every = range(len(shape))
    width = shape[1]
    whole = "tensor<" + "".join(f"{n}x" for n in shape) + "f32>"
    vector = f"tensor<{width}xf32>"
    e = Emitter(function, scope, structural)
    axes = [0, 2, 3] if kind == "batch_norm" else [1]
    if kind.endswith("norm"):
        y, dx, count = norm(e, "%x", shape, axes, "%w", "%bias", "%cotangent")
    else:
        y, dx = softmax(e, "%x", shape, "%w", "%cotangent", kind == "log_softmax")
        count = 1.0
    body = "\n    ".join(e.lines)
    mark = ', amp.kind = "batch_norm"' if kind == "batch_norm" else ""
    # What comes before is a product with a parameter, and the loss is a sum of
    # products with another: the operation lies inside the model.
    maps = f"affine_map<({', '.join(f'd{i}' for i in every)}) -> ({', '.join(f'd{i}' for i in every)})>"
    column = f"affine_map<({', '.join(f'd{i}' for i in every)}) -> (d1)>"
    none = f"affine_map<({', '.join(f'd{i}' for i in every)}) -> ()>"
    parallel = ", ".join(['"parallel"'] * len(shape))
    reduction = ", ".join(['"reduction"'] * len(shape))
    arguments = [
        ("w", vector, "param", mark), ("bias", vector, "param", mark), ("v", vector, "param", ""),
        ("y", whole, "buffer", ""), ("dx", whole, "buffer", ""),
        ("x", whole, "batch", ""), ("cot", whole, "batch", "")]

    def signature(names):
        return ", ".join(f'%{n}: {t} {{amp.role = "{r}", amp.name = "{"x0" if n == "x" else "x1" if n == "cot" else n}"{m}}}'
                         for n, t, r, m in arguments if n in names)

    seed = '%seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}'
    loss = '(tensor<f32> {amp.role = "loss", amp.name = "loss"}'
    outs = f'{whole} {{amp.role = "buffer", amp.name = "y"}}, {whole} {{amp.role = "buffer", amp.name = "dx"}}'
    gw = f'{vector} {{amp.role = "grad", amp.name = "v"}}'
    pw = f'{vector} {{amp.role = "param", amp.name = "v"}}'
    types = ", ".join([vector] * 3 + [whole] * 4)
    return f"""
module {{
  func.func @fb({signature("w bias v y dx x cot".split())}, {seed})
      -> {loss}, {gw}, {outs}) {{
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %inverse = arith.constant {1 / count:.17e} : f32
    %eps = arith.constant {EPS:.17e} : f32
    %f0 = arith.constant dense<0.0> : tensor<f32>
    %e = tensor.empty() : {whole}
    %sb = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : {whole}) dimensions = [{", ".join(map(str, every))}]
    %cotangent = linalg.mul ins(%cot, %sb : {whole}, {whole}) outs(%e : {whole}) -> {whole}
    {body}
    %out = linalg.generic {{indexing_maps = [{maps}, {column}, {maps}], iterator_types = [{parallel}]}}
      ins({y}, %v : {whole}, {vector}) outs(%e : {whole}) {{
    ^bb0(%a: f32, %k: f32, %o: f32):
      %r = arith.mulf %a, %k : f32
      linalg.yield %r : f32
    }} -> {whole}
    %l = linalg.generic {{indexing_maps = [{maps}, {none}], iterator_types = [{reduction}]}}
      ins(%out : {whole}) outs(%f0 : tensor<f32>) {{
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %o : f32
      linalg.yield %r : f32
    }} -> tensor<f32>
    %ev = tensor.empty() : {vector}
    %gv = linalg.fill ins(%zero : f32) outs(%ev : {vector}) -> {vector}
    return %l, %gv, {y}, {dx} : tensor<f32>, {vector}, {whole}, {whole}
  }}
  func.func @sgd(%v: {vector} {{amp.role = "param", amp.name = "v"}}, %g: {vector} {{amp.role = "grad", amp.name = "v"}})
      -> ({pw}) {{
    %0 = arith.subf %v, %g : {vector}
    return %0 : {vector}
  }}
  func.func @train_step({signature("w bias v y dx x cot".split())}, {seed})
      -> {loss}, {pw}, {outs}) {{
    %0:4 = call @fb(%w, %bias, %v, %y, %dx, %x, %cot, %seed) : ({types}, tensor<f32>) -> (tensor<f32>, {vector}, {whole}, {whole})
    %1 = call @sgd(%v, %0#1) : ({vector}, {vector}) -> {vector}
    return %0#0, %1, %0#2, %0#3 : tensor<f32>, {vector}, {whole}, {whole}
  }}
}}
"""


class Expected:
    """What PyTorch's half kernel gives, what its f64 kernel gives on the same half
    values, and how large the numbers are whose difference an element is."""

    def __init__(self, half, exact, terms):
        self.half, self.exact, self.terms = (t.double().numpy() for t in (half, exact, terms))


def run_torch(kind, x, w, b, c, y):
    """Forward and backward. `x` and the cotangent `c` are half. The backward kernels
    of softmax read the half output of the forward pass: our `y`, since theirs may
    differ from it by a unit."""
    a = torch.ops.aten
    wide, g = x.double(), c.double()
    if kind.endswith("softmax"):
        forward = a._log_softmax if kind == "log_softmax" else a._softmax
        backward = a._log_softmax_backward_data if kind == "log_softmax" else a._softmax_backward_data
        y64 = forward(wide, 1, False)
        saved = y.double()
        if kind == "softmax":
            terms = y64, (saved * g).abs() + saved * (saved * g).abs().sum(1, True)
        else:
            shift = wide.amax(1, True)
            terms = (wide - shift).abs() + wide.logsumexp(1, True).abs(), \
                g.abs() + saved.exp() * g.abs().sum(1, True)
        return (Expected(forward(x, 1, False), y64, terms[0]),
                Expected(backward(c, y, 1, x.dtype), backward(g, saved, 1, torch.float64), terms[1]))

    def call(x, w, b, c):
        x = x.clone().requires_grad_()
        if kind == "batch_norm":
            y = F.batch_norm(x, None, None, w, b, training=True, eps=EPS)
        else:
            y = F.layer_norm(x, x.shape[1:], w, b, eps=EPS)
        return y.detach(), torch.autograd.grad(y, x, c)[0]

    axes = [0, 2, 3] if kind == "batch_norm" else [1]
    shape = [1, -1, 1, 1] if kind == "batch_norm" else [1, -1]
    w64, b64 = w.double().reshape(shape), b.double().reshape(shape)
    center = wide.mean(axes, True)
    inverse = (wide.var(axes, correction=0, keepdim=True) + EPS).rsqrt()
    hat, gw = (wide - center) * inverse, g * w64
    y_terms = (wide.abs() + center.abs()) * inverse * w64.abs() + b64.abs()
    dx_terms = (gw.abs() + gw.abs().mean(axes, True) +
                hat.abs() * (gw * hat).abs().mean(axes, True)) * inverse
    half, exact = call(x, w, b, c), call(wide, w.double(), b.double(), g)
    return Expected(half[0], exact[0], y_terms), Expected(half[1], exact[1], dx_terms)


def get_units(expected, dtype):
    """The unit in the last place of each element. Where an element is the difference
    of much larger numbers or sums, f32 knows it to no more than 16 * 2^-24 of those
    (of a sum: of its absolute values)."""
    bits, smallest = (7, 2.0**-126) if dtype == torch.bfloat16 else (10, 2.0**-14)
    size = np.maximum(np.maximum(np.abs(expected.exact), smallest),
                      expected.terms * 16 * 2.0 ** (bits - 24))
    return np.exp2(np.floor(np.log2(size)) - bits)


def main():
    kind = sys.argv[1]
    structural = "--structural" in sys.argv
    shape = {"batch_norm": (64, 2, 112, 112), "layer_norm": (16, 50000)}.get(kind, (16, 50000))
    rng = np.random.RandomState(1)
    width = shape[1]
    x = rng.normal(100 if kind.endswith("norm") else 0, 10 if kind.endswith("norm") else 3, shape)
    arrays = {"arg0": rng.normal(1, 0.2, width), "arg1": rng.normal(0, 0.2, width),
              "arg2": rng.normal(1, 0.2, width), "arg3": np.zeros(shape), "arg4": np.zeros(shape),
              "step0_x0": x, "step0_x1": rng.normal(size=shape)}
    arrays = {name: value.astype(np.float32) for name, value in arrays.items()}
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, kind + ".mlir")
        with open(module, "w") as file:
            file.write(make_module(kind, shape, structural))
        for level in ("O2", "O3", "O5"):
            half = torch.bfloat16 if level == "O5" else torch.float16
            # Exact in half, so that both sides start from the same numbers.
            given = {name: torch.from_numpy(value).to(half).float().numpy() for name, value in arrays.items()}
            # The gradient of the input is read as a buffer, which keeps its scale of 1.
            run = amprun.run(module, level, given, "--loss-scale=1", "--verify-scaling=off", steps=1)
            keeps = kind == "batch_norm" and level != "O3"
            tensors = {name: torch.from_numpy(value) for name, value in given.items()}
            weights = [tensors["arg0"], tensors["arg1"]]
            if not keeps:
                weights = [value.to(half) for value in weights]
            expected = run_torch(kind, tensors["step0_x0"].to(half), *weights,
                                 tensors["step0_x1"].to(half),
                                 torch.from_numpy(amprun.to_float(run.state["buffer/y"])).to(half))
            for what, want in zip(("y", "dx"), expected):
                got = amprun.to_float(run.state["buffer/" + what]).astype(np.float64)
                if not np.isfinite(got).all():
                    sys.exit(f"{kind} at {level}: {what} is not finite")
                units = get_units(want, half)
                from_half = np.abs(got - want.half) / units
                from_exact = np.abs(got - want.exact) / units
                torch_from_exact = np.abs(want.half - want.exact) / units
                if what == "y" or not structural:
                    worst = max(worst, np.minimum(from_half, from_exact).max())
                print(f"{kind} at {level}: {what} is {from_half.max():.2f} units from PyTorch's half "
                      f"kernel ({(got == want.half).mean():.2%} equal), {from_exact.max():.2f} from "
                      f"its f64 kernel; those two are {torch_from_exact.max():.2f} apart")
    if worst > 1:
        sys.exit(f"{kind}: expected a distance of at most one unit, but got {worst:.3g}")


if __name__ == "__main__":
    main()
