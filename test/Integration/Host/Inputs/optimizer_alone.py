"""The optimizer of a sample step by itself, at half levels too.

    optimizer_alone.py MODULE LEVEL [FAULT...]

Takes @optimizer_step out of MODULE and puts before it a backward pass whose gradients are
the batch: the loss is the sum of all parameter * batch. So gradients are exact in half,
and what three steps make of parameters and optimizer state is compared with the textbook
formula in float64, relative to the norm of the update: for the elements that have
gradients, and for those whose gradient is zero, which only a weight decay moves. With
each FAULT of optimizers.py (default: all) the comparison must fail.

Without masters (O3) a parameter near 1 cannot be moved by less than 2^-11, in three
steps, so there the decay is looked for in the momentum.
"""

import os
import re
import sys
import tempfile

import numpy as np

import amprun
import optimizers

STEPS = 3
# The seed is a half value here, which 2^16 is not.
SCALE = "--loss-scale=1024"
# With masters, f32: an Adam step of 1e-3 on a weight near 1 is 1e-3 of it, and f32 rounds
# at 6e-8 of it each step, 1e-4 of the update. SGD's are larger.
# Where only JAX's decay of 1e-4 acts, a step is 1e-7 of a weight: one unit, rounded. Half
# of it may be lost; all of it is 1.
F32 = {"param": 1e-3, "param at rest": 0.5, "opt_state": 1e-5, "opt_state at rest": 1e-5}
# Half: 2^-11 of a momentum at each of its roundings; an SGD step of 0.05 * 0.5 on a
# weight near 1 is rounded to 2^-11.
HALF = {"param": 0.1, "opt_state": 1e-2, "opt_state at rest": 1e-2}
# The demo's weights start near 2^-12 here, where f32 rounds at 1e-8 of an Adam step of
# 2e-3: what is left is its arithmetic, at 6e-8 for each operation. Powers of beta rounded to
# f32 are off by 6e-6 in the first step.
SMALL_STARTS = {"cnn": 2.0 ** -12}
SMALL = {**F32, "param": 1e-6}

FORMULA = {"cnn": ("adam", 2e-3, 0),
           "resnet8": ("sgd", 0.05, 5e-4), "mlp_digits": ("sgd", 0.1, 0),
           "cnn_digits": ("sgd", 0.05, 0), "gpt_tiny": ("adamw", 1e-3, 0.01),
           "jax_mlp_digits": ("sgd", 0.1, 0), "jax_cnn_digits": ("sgd", 0.05, 0),
           "jax_gpt_tiny": ("adamw", 1e-3, 1e-4)}


class Value:
    """An argument or result of a function."""

    def __init__(self, type_text, attributes):
        self.type = type_text
        self.attributes = attributes
        self.role = re.search(r'amp\.role = "(\w+)"', attributes)[1]
        self.name = re.search(r'amp\.name = "([^"]*)"', attributes)[1]
        dims = re.match(r"tensor<((?:\d+x)*)(\w+)>", type_text)
        self.shape = tuple(int(d) for d in dims[1].split("x") if d)
        self.element = dims[2]


def signature(text):
    """Arguments and results of the first function in `text`."""
    line = text[:text.index("\n")]
    arguments, results = line.split(") -> (")
    value = r"(tensor<[^>]*>) (\{[^}]*\})"
    return ([Value(*m) for m in re.findall(r"%\w+: " + value, arguments)],
            [Value(*m) for m in re.findall(value, results)])


def typed(values):
    return ", ".join(f"{v.type} {v.attributes}" for v in values)


def named(values, prefix):
    return ", ".join(f"%{prefix}{i}: {v.type} {v.attributes}" for i, v in enumerate(values))


def role(value, name, index=None):
    return f'{{amp.role = "{name}", amp.name = "{value.name if index is None else f"x{index}"}"}}'


def make_module(text):
    """The optimizer of `text` in a step whose gradients are its batch."""
    begin, end = optimizers.optimizer_text(text)
    step = text[begin:end]
    maps = "\n".join(re.findall(r"^#map.*$", text, re.M))
    arguments, results = signature(step)
    params = [v for v in arguments if v.role == "param"]
    states = [v for v in arguments if v.role == "opt_state"]
    assert [v.role for v in arguments] == (["param"] * len(params) + ["grad"] * len(params) +
                                           ["opt_state"] * len(states))
    grads = [Value(v.type, role(v, "grad")) for v in params]
    batch = [Value(v.type, role(v, "batch", i)) for i, v in enumerate(params)]
    loss = Value("tensor<f32>", '{amp.role = "loss", amp.name = "loss"}')
    seed = Value("tensor<f32>", '{amp.role = "loss_seed", amp.name = "loss"}')

    body = ["%zero = arith.constant dense<0.0> : tensor<f32>"]
    total = "%zero"
    for i, v in enumerate(params):
        rank = len(v.shape)
        dims = ", ".join(f"d{d}" for d in range(rank))
        same, none = f"affine_map<({dims}) -> ({dims})>", f"affine_map<({dims}) -> ()>"
        loops = ", ".join(['"parallel"'] * rank)
        body += [
            f"%e{i} = tensor.empty() : {v.type}",
            f"%m{i} = linalg.generic {{indexing_maps = [{same}, {same}, {same}], iterator_types = [{loops}]}}"
            f" ins(%p{i}, %x{i} : {v.type}, {v.type}) outs(%e{i} : {v.type}) {{",
            "^bb0(%a: f32, %b: f32, %o: f32):",
            "  %r = arith.mulf %a, %b : f32",
            "  linalg.yield %r : f32",
            f"}} -> {v.type}",
            f"%s{i} = linalg.reduce ins(%m{i} : {v.type}) outs({total} : tensor<f32>)"
            f" dimensions = [{', '.join(map(str, range(rank)))}]",
            "  (%a: f32, %b: f32) { %r = arith.addf %a, %b : f32  linalg.yield %r : f32 }",
            f"%g{i} = linalg.generic {{indexing_maps = [{same}, {none}, {same}], iterator_types = [{loops}]}}"
            f" ins(%x{i}, %seed : {v.type}, tensor<f32>) outs(%e{i} : {v.type}) {{",
            "^bb0(%a: f32, %b: f32, %o: f32):",
            "  %r = arith.mulf %a, %b : f32",
            "  linalg.yield %r : f32",
            f"}} -> {v.type}",
        ]
        total = f"%s{i}"
    grad_names = ", ".join(f"%g{i}" for i in range(len(params)))
    types = lambda values: ", ".join(v.type for v in values)
    names = lambda values, prefix: ", ".join(f"%{prefix}{i}" for i in range(len(values)))
    newline = "\n    "
    return f"""{maps}
module {{
  func.func @forward_backward({named(params, "p")}, {named(batch, "x")}, %seed: {seed.type} {seed.attributes})
      -> ({typed([loss] + grads)}) {{
    {newline.join(body)}
    return {total}, {grad_names} : {types([loss] + grads)}
  }}
  {step}
  func.func @train_step({named(params, "p")}, {named(states, "s")}, {named(batch, "x")}, %seed: {seed.type} {seed.attributes})
      -> ({typed([loss] + results)}) {{
    %f:{1 + len(params)} = call @forward_backward({names(params, "p")}, {names(batch, "x")}, %seed)
        : ({types(params + batch + [seed])}) -> ({types([loss] + grads)})
    %n:{len(results)} = call @optimizer_step({names(params, "p")}, {", ".join(f"%f#{i + 1}" for i in range(len(params)))}, {names(states, "s")})
        : ({types(arguments)}) -> ({types(results)})
    return %f#0, {", ".join(f"%n#{i}" for i in range(len(results)))} : {types([loss] + results)}
  }}
}}
""", params, states


def make_arrays(params, states, small=1.0):
    """Start values and gradients that f16 and bf16 hold exactly, scaled ones too."""
    rng = np.random.RandomState(0)
    arrays, gradients = {}, []
    for i, v in enumerate(params):
        # Away from zero, so that decay is a part of an update and not of nothing.
        start = small * rng.randint(64, 128, v.shape) / 128 * rng.choice([-1, 1], v.shape)
        arrays[f"arg{i}"] = start.astype(np.float32)
    for i, v in enumerate(states):
        arrays[f"arg{len(params) + i}"] = np.zeros(
            v.shape, {"f32": np.float32, "i32": np.int32}[v.element])
    at_rest = [rng.rand(*v.shape) < 0.5 for v in params]
    for step in range(STEPS):
        gradients.append([])
        for i, v in enumerate(params):
            gradient = rng.randint(16, 64, v.shape) / 128 * rng.choice([-1, 1], v.shape)
            gradient[at_rest[i]] = 0
            gradients[-1].append(gradient)
            arrays[f"step{step}_x{i}"] = gradient.astype(np.float32)
    return arrays, gradients, at_rest


def formula(kind, rate, decay, starts, gradients):
    """Parameters and states after all steps, in float64."""
    params = [p.astype(np.float64) for p in starts]
    first = [np.zeros_like(p) for p in params]
    second = [np.zeros_like(p) for p in params]
    for step, gradient in enumerate(gradients, 1):
        for i, g in enumerate(gradient):
            if kind == "sgd":
                first[i] = 0.9 * first[i] + g + decay * params[i]
                params[i] = params[i] - rate * first[i]
            else:
                first[i] = 0.9 * first[i] + 0.1 * g
                second[i] = 0.999 * second[i] + 0.001 * g * g
                root = np.sqrt(second[i] / (1 - 0.999 ** step)) + 1e-8
                params[i] = params[i] - rate * (first[i] / (1 - 0.9 ** step) / root + decay * params[i])
    return params, first, second


def distance(got, want, chosen):
    norm = np.sqrt((want[chosen] ** 2).sum())
    difference = np.sqrt(((got - want)[chosen] ** 2).sum())
    return difference / norm if norm else difference


def measure(run, params, states, arrays, gradients, at_rest, name):
    """The largest distance of any value, by what it is."""
    kind, rate, decay = FORMULA[name]
    starts = [arrays[f"arg{i}"] for i in range(len(params))]
    ends, first, second = formula(kind, rate, decay, starts, gradients)
    worst = {}

    def add(what, value):
        worst[what] = max(worst.get(what, 0), value if value == value else np.inf)

    moments = [v for v in states if v.element == "f32" and v.shape]
    for i, v in enumerate(params):
        key = f"master/{v.name}" if f"master/{v.name}" in run.state else f"param/{v.name}"
        got = amprun.to_float(run.state[key]).astype(np.float64) - starts[i]
        want = ends[i] - starts[i]
        add("param", distance(got, want, ~at_rest[i]))
        add("param at rest", distance(got, want, at_rest[i]))
    # Momentum, or exp_avg of all parameters and then exp_avg_sq of all.
    assert len(moments) == (1 if kind == "sgd" else 2) * len(params), [v.name for v in states]
    for i, (v, want) in enumerate(zip(moments, first + second)):
        got = amprun.to_float(run.state[f"opt_state/{v.name}"]).astype(np.float64)
        add("opt_state", distance(got, want, ~at_rest[i % len(params)]))
        add("opt_state at rest", distance(got, want, at_rest[i % len(params)]))
    return worst


def main():
    path, level, *wanted = sys.argv[1:]
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path) as file:
        text = file.read()
    limits = HALF if level == "O3" else SMALL if name in SMALL_STARTS else F32

    def outside(text):
        module, params, states = make_module(text)
        arrays, gradients, at_rest = make_arrays(params, states, SMALL_STARTS.get(name, 1.0))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, name + ".mlir")
            with open(file, "w") as out:
                out.write(module)
            run = amprun.run(file, level, arrays, SCALE, steps=STEPS)
        found = measure(run, params, states, arrays, gradients, at_rest, name)
        return found, [f"{what} {found[what]:.2g}" for what in limits
                       if not found[what] <= limits[what]]

    found, wrong = outside(text)
    print(f"{name} at {level}:", ", ".join(f"{what} {value:.2g}" for what, value in found.items()))
    if wrong:
        sys.exit(f"{name} at {level} is not the formula: {', '.join(wrong)}")
    for fault in wanted or optimizers.faults(name):
        _, wrong = outside(optimizers.broken(text, name, fault))
        if not wrong:
            sys.exit(f"{name} at {level} with {fault} is not noticed")
        print(f"{name} at {level} with {fault} is noticed: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
