"""Operations on complex numbers beside NumPy's.

    complex_numbers.py OPTION...

OPTIONs are amp-run's, such as --device=emulator. A step makes numbers of two tensors, computes with them and takes the result apart, each within
one operation; on the host also with tensors of complex numbers, which a device has to refuse. Exit status 1 where a number is another by more than 1e-5 of
it, which some operations of f32 differ by.
"""

import sys
import tempfile

import amprun
import numpy as np

N = 32
TYPE = "complex<f32>"

UNARY = {name: getattr(np, name) for name in ("exp", "sin", "cos", "sqrt", "log", "tanh", "conj")}
UNARY["neg"] = np.negative
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}

EACH = "affine_map<(i) -> (i)>"


def generic(result, inputs, types, output, out_type, lines, yielded):
    """A linalg.generic over N elements; inputs are called %a0, %a1 in it."""
    arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(types))
    tensors = ", ".join(f"tensor<{N}x{kind}>" for kind in types)
    return [f'{result} = linalg.generic {{indexing_maps = [{", ".join([EACH] * (len(inputs) + 1))}], iterator_types = ["parallel"]}}',
            f'    ins({", ".join(inputs)} : {tensors}) outs({output} : tensor<{N}x{out_type}>) {{',
            f"^bb0({arguments}, %o: {out_type}):", *lines, f"linalg.yield {yielded} : {out_type}", f"}} -> tensor<{N}x{out_type}>"]


def step(lines, left):
    buffers = [f"r{i}" for i in range(len(left))]
    kind = f"tensor<{N}xf32>"
    arguments = ", ".join(f'%{name}: {kind} {amprun.role("buffer", name)}' for name in buffers)
    results = ", ".join(f'{kind} {amprun.role("buffer", name)}' for name in buffers)
    return f"""func.func @train_step(%w: {kind} {amprun.role("param", "w")}, {arguments},
    %x: {kind} {amprun.role("batch", "x")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, {kind} {amprun.role("param", "w")}, {results}) {{
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : {kind}
  %c = tensor.empty() : tensor<{N}x{TYPE}>
  {(chr(10) + "  ").join(lines)}
  %loss = linalg.reduce {{ arith.addf }} ins(%x : {kind}) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss, %w, {", ".join(left)} : tensor<f32>, {", ".join([kind] * (len(left) + 1))}
}}
"""


def run(module, w, x, count):
    arrays = {"arg0": w, "step0_x0": x}
    arrays.update((f"arg{i + 1}", np.zeros(N, np.float32)) for i in range(count))
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module)
        file.flush()
        state = amprun.run(file.name, "O0", arrays, *sys.argv[1:]).state
    return [state[f"buffer/r{i}"] for i in range(count)]


def in_body(w, x):
    """Names, and whether they are right, of operations that no tensor keeps."""
    make = [f"%p = complex.create %a0, %a1 : {TYPE}", f"%q = complex.create %a1, %a1 : {TYPE}"]
    lines, left, names = [], [], []
    for name in [*UNARY, *BINARY, "abs"]:
        operands = "%p, %q" if name in BINARY else "%p"
        take = [f"%r = complex.{name} {operands} : {TYPE}"]
        if name != "abs":
            take += [f"%re = complex.re %r : {TYPE}", f"%im = complex.im %r : {TYPE}"]
        for part in ["%r"] if name == "abs" else ["%re", "%im"]:
            left.append(f"%{name}{part[1:]}")
            names.append(name)
            lines += generic(left[-1], ["%w", "%x"], ["f32", "f32"], "%e", "f32", make + take, part)
    p, q = w + 1j * x, x + 1j * x
    expected = {name: compute(p) for name, compute in UNARY.items()}
    expected.update((name, compute(p, q)) for name, compute in BINARY.items())
    found = {}
    for name, array in zip(names, run(step(lines, left), w, x, len(left))):
        found.setdefault(name, []).append(array)
    for name, parts in found.items():
        if name == "abs":
            yield name, np.allclose(parts[0], np.abs(p), rtol=1e-5)
        else:
            number = parts[0] + 1j * parts[1]
            yield name, (np.abs(number - expected[name]) <= 1e-5 * np.abs(expected[name])).all()


def in_memory(w, x):
    """A tensor that two operations read."""
    lines = generic("%p", ["%w", "%x"], ["f32", "f32"], "%c", TYPE, [f"%p0 = complex.create %a0, %a1 : {TYPE}"], "%p0")
    lines += [f"%turned = tensor.extract_slice %p[{N // 2}] [{N // 2}] [1] : tensor<{N}x{TYPE}> to tensor<{N // 2}x{TYPE}>",
              f"%both = tensor.concat dim(0) %turned, %turned : (tensor<{N // 2}x{TYPE}>, tensor<{N // 2}x{TYPE}>) -> tensor<{N}x{TYPE}>"]
    lines += generic("%s", ["%p", "%both"], [TYPE, TYPE], "%e", "f32",
                     [f"%m = complex.mul %a0, %a1 : {TYPE}", f"%re = complex.re %m : {TYPE}"], "%re")
    try:
        result, = run(step(lines, ["%s"]), w, x, 1)
    except amprun.Failed as failure:
        return "keep the real and the imaginary parts in tensors of their own" in str(failure) and "--device=host" not in sys.argv
    p = w + 1j * x
    return np.allclose(result, (p * np.tile(p[N // 2:], 2)).real, rtol=1e-5, atol=1e-6)


def main():
    draw = np.random.default_rng(1)
    w, x = (draw.uniform(0.25, 2, N).astype(np.float32) * draw.choice([-1, 1], N).astype(np.float32) for _ in range(2))
    found = [*in_body(w, x), ("memory", in_memory(w, x))]
    wrong = [name for name, holds in found if not holds]
    print(f"{len(found) - len(wrong)} of {len(found)} right", *wrong)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
