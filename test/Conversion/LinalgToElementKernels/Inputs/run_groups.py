"""Runs kernels of fusion groups on the emulator and compares them with NumPy.

    run_groups.py groups.mlir groups-tiled.mlir

REFERENCES says what each function of the files computes. A reference that is an array has
the kernel's bits; a pair is a value in float64 and the error that an element may have.
Sums have n * 2^-24 of the sum of magnitudes, whatever their order: (n - 1) additions with
a relative error of half an ulp each. SIZES are rows and columns of each length, summed
in each type by one kernel whose sums share memory.

Each function runs twice, with other numbers of blocks and another schedule, and its
results have the same bits both times. One line for each function, with what is wrong, and
exit status 1 if anything is.
"""

import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../LinalgToTensorCore/Inputs"))
from run_launches import FORMATS, Failure, Program, run  # noqa: E402

f16, f32, f64 = np.float16, np.float32, np.float64
SIZES = (1, 3, 31, 33, 100, 257, 512, 1000, 9002)
ROUNDING = 2.0**-24


def summed(x, axis=None):
    """The sum, and the error that it may have in f32."""
    x = np.asarray(x, f64)
    count = x.size if axis is None else x.shape[axis]
    return x.sum(axis), count * ROUNDING * np.abs(x).sum(axis)


def near(x, relative, absolute=0.0):
    return x, relative * np.abs(x) + absolute


def center(x):
    mean, error = summed(x, 1)
    return x - mean[:, None] / 100, np.broadcast_to(error[:, None] / 100 + 8 * ROUNDING, x.shape)


def matrix_vector(x, gain):
    weighed, error = summed(f64(x) * f64(gain), 1)
    # Each product rounds once more, and so does the difference.
    error = 2 * error[:, None] + ROUNDING * np.abs(x - weighed[:, None])
    return x - weighed[:, None], error


def three_sums(x):
    centered = x - x.mean(1, keepdims=True)
    y = centered / (centered**2).sum(1, keepdims=True)
    # Of the mean, absolutely, and of 1024 squares.
    error = 1024 * ROUNDING * (np.abs(x).mean() / 340 + 2 * np.abs(y))
    return [(y, error), (np.abs(y).sum(1), error.sum(1) + summed(y, 1)[1])]


def read_reversed(x):
    whole, error = summed(x[:, 1:], 1)
    return x[:, 1:] - x[:, :0:-1], np.broadcast_to(4 * ROUNDING * (np.abs(whole) + 4)[:, None], (12, 100))


def views(x):
    plane = x.astype(f32)[::2, :, 13::-3]
    double = (plane + plane).reshape(3, 5, 2)
    ends = np.zeros(6)
    # What nobody writes stays as the buffer was: NaN.
    ends[:] = np.nan
    for tile in range(3):
        ends[[tile, tile + 3]] = double[tile, [1, 3], 0]
    return [double[:, :, 1], double.reshape(3, 2, 5), ends, (double[:, 4, 1] ** 2).reshape(3, 1, 1)]


def padded_rows(x):
    rows = x.astype(f32).reshape(8, 515)
    less = (rows - np.maximum(rows.max(1), 0)[:, None]).astype(f16)
    # What nobody writes stays as the buffer was: NaN.
    return np.pad(less, ((0, 0), (0, 5)), constant_values=np.nan)


def chain(x):
    x = x.astype(f32)
    for step in range(6):
        x = (x + x if step % 2 else x + f32(1))[:, :: -1 if step else 1]
    return x


def written_twice(x):
    double = (x + x).astype(f32)
    return [double, np.concatenate([double.T, (4 * double[:, ::-1] ** 2).T.astype(f32)], axis=1)]


def starts(x, start):
    whole, error = summed(x, 1)
    error = error + 100 * ROUNDING * (np.abs(start) + 3)
    return [(start + whole, error), (start + 2 * whole, 2 * error), (3 * (3 + whole), 4 * error)]


def gather(table, index):
    # As unsigned numbers: what is below is above.
    rows = np.where((index < 0) | (index > 8), 8, index).astype(int)
    once = table.astype(f32)[rows]
    return 2 * once + (2 * once + once)


def in_order(x, form):
    """The last sum of each row, rounded by `form` each time, and the greatest so far."""
    total, most = np.zeros(len(x)), np.zeros(len(x))
    for column in x.T:
        total = FORMATS[form].round(total + column)
        most = np.maximum(most, total)
    return total, most


def moments(x):
    return [summed(x, 1), x.max(1), 5 + (x > 0).sum(1)]


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    # Of exp, whose argument is rounded too, the sum and the quotient.
    return near(e / e.sum(1, keepdims=True), 300 * ROUNDING)


def layer_norm(x, gain):
    mean = x.mean(1, keepdims=True)
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    return [near((x - mean) * scale * gain, 2.0**-10, 2.0**-14), near(mean[:, 0], 0, 300 * ROUNDING * np.abs(x).mean()),
            near(scale[:, 0], 600 * ROUNDING)]


def layer_norm_gradient(x, dy, mean, scale, gain):
    hat, scaled = (x - mean[:, None]) * scale[:, None], dy * gain
    of_mean, of_scale = scaled.mean(1, keepdims=True), (scaled * hat).mean(1, keepdims=True)
    dx = (scaled - of_mean - hat * of_scale) * scale[:, None]
    dgain, error = summed(dy * hat, 0)
    return [near(dx, 2.0**-10, 2.0**-12), (dgain, 4 * error)]


def bias_gradient(dy, factor):
    whole, error = summed(dy * factor, 0)
    return [(whole, 2 * error), np.array(0)]


def adamw(p, m, v, g, found):
    if found:
        return [p, m, v, p.astype(f16)]
    m = f32(0.9) * m.astype(f32) + f32(0.1) * g.astype(f32)
    v = f32(0.99) * v.astype(f32) + f32(0.01) * (g.astype(f32) * g.astype(f32))
    p = p.astype(f32) * f32(0.99) - m / (np.sqrt(v) + f32(1e-6)) * f32(0.01)
    return [near(p, 8 * ROUNDING, ROUNDING), m, v, near(p, 2.0**-10)]


REFERENCES = {
    "center": center,
    "matrix_vector": matrix_vector,
    "columns": lambda x: summed(x, 0),
    "elements": lambda x: [x.astype(f32) ** 2, (x.astype(f16) + x.astype(f16))],
    "moments": moments,
    "three_sums": three_sums,
    "read_reversed": read_reversed,
    "views": views,
    "chain": chain,
    "padded_rows": padded_rows,
    "written_twice": written_twice,
    "starts": starts,
    "gather": gather,
    "bounds": lambda x: x + np.outer([-1, 0, 0, 0, 0, 0, 1], np.arange(8, 28, 4).repeat(4)),
    "norm": lambda x, factor: [(summed(x * factor)[0], 2 * summed(x * factor)[1])],
    "from_outside": lambda x: [x[:, 1::2], (x + x).astype(f32).ravel()],
    "result_of_outside": lambda x: (x + x).astype(f32),
    "copies": lambda x: 2 * x[:, 1:],
    "in_order": lambda x, y: [in_order(x, "f16")[0], in_order(y, "bf16")[0], *in_order(x, "f16")],
    "so_far": lambda x: [x.sum(), np.maximum(np.cumsum(x).max(), 0)],
    "equal": lambda x: equal(x.astype(f32)),
    "bits": lambda x, start: [~(x > f32(1.9)).any(1), (start != 0) | (x > f32(1.9)).any(1)],
    "softmax": softmax,
    "layer_norm": layer_norm,
    "layer_norm_gradient": layer_norm_gradient,
    "bias_gradient": bias_gradient,
    "adamw": adamw,
}


def equal(x):
    for square in (True, True, False):
        double = x + x
        x = (double * double if square else double - double) + double
        x = x.astype(f32)
    return x


# A type, what combines, the number that it starts from, and the same in NumPy.
SUMS = (
    ("f32", "addf", "0.0", summed),
    ("f32", "maximumf", "-3.0", lambda x, axis: np.maximum(x.max(axis), -3)),
    ("f64", "addf", "0.0", lambda x, axis: near(x.sum(axis), 0, x.shape[axis] * 2.0**-50)),
    ("i32", "addi", "7", lambda x, axis: x.sum(axis) + 7),
    ("i64", "maxsi", "-1", lambda x, axis: np.maximum(x.max(axis), -1)),
    ("i8", "addi", "0", lambda x, axis: x.sum(axis).astype(int).astype(np.int8)),
    ("i16", "minsi", "1", lambda x, axis: np.minimum(x.min(axis), 1)),
    ("i1", "xori", "0", lambda x, axis: x.sum(axis) % 2),
)


def write_sums(size):
    """A function with rows of `size`, then columns, of each of SUMS; 3 rows a tile of 6,
    and 5 columns of 10."""
    arguments, empties, outs, inside, insertions, types = [], [], [], [], [], []
    for number, (kind, along) in enumerate((kind, along) for along in (0, 1) for kind in SUMS):
        type, combiner, start, _ = kind
        kept, tile = (10, 5) if along else (6, 3)
        shape, part, at = ((f"{size}x{kept}", f"{size}x{tile}", f"0, %i{along}") if along else
                           (f"{kept}x{size}", f"{tile}x{size}", f"%i{along}, 0"))
        whole, result = f"tensor<{kept}x{type}>", f"tensor<{tile}x{type}>"
        order = "(j, i)" if along else "(i, j)"
        value = {"i1": "false"}.get(type, f"{start} : {type}")
        arguments.append(f"%x{number}: tensor<{shape}x{type}>")
        types.append(whole)
        empties.append(f"  %e{number} = tensor.empty() : {whole}\n  %c{number} = arith.constant {value}")
        outs.append(f"%r{number} = %e{number}")
        inside.append(f"""
    %p{number} = tensor.extract_slice %x{number}[{at}] [{part.replace('x', ', ')}] [1, 1] : tensor<{shape}x{type}> to tensor<{part}x{type}>
    %f{number} = tensor.empty() : {result}
    %z{number} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} outs(%f{number} : {result}) {{
    ^bb0(%o: {type}):
      linalg.yield %c{number} : {type}
    }} -> {result}
    %s{number} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> {order}>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}}
        ins(%p{number} : tensor<{part}x{type}>) outs(%z{number} : {result}) {{
    ^bb0(%a: {type}, %o: {type}):
      %s = arith.{combiner} %o, %a : {type}
      linalg.yield %s : {type}
    }} -> {result}""")
        insertions.append(f"      tensor.parallel_insert_slice %s{number} into %r{number}[%i{along}] [{tile}] [1] : {result} into {whole}")
    types = ", ".join(types)
    results = ", ".join(f"%0#{i}" for i in range(len(outs)))
    lines = "\n".join(empties)
    return f"""func.func @sums_of_{size}({", ".join(arguments)}) -> ({types}) {{
{lines}
  %two = arith.constant 2 : index
  %0:{len(outs)} = scf.forall (%i0) = (0) to (6) step (3) shared_outs({", ".join(outs)}) -> ({types}) {{
    %three = arith.constant 3 : index
    %five = arith.constant 5 : index
    %tile = arith.divui %i0, %three : index
    %i1 = arith.muli %tile, %five : index
{"".join(inside)}
    scf.forall.in_parallel {{
{chr(10).join(insertions)}
    }}
  }}
  return {results} : {types}
}}
"""


def sums(*arguments):
    kinds = [kind for _ in range(2) for kind in SUMS]
    return [kind[3](x, 0 if i >= len(SUMS) else 1) for i, (kind, x) in enumerate(zip(kinds, arguments))]


TILED = ("builtin.module(func.func(amp-tile-fusion-groups{close-bytes=65536 tile-bytes=16384 run-bytes=128}),"
         "convert-fusion-groups-to-kernels,convert-linalg-to-element-kernels,canonicalize)")
WRITTEN = ("builtin.module(func.func(amp-write-through-insertions),convert-fusion-groups-to-kernels,"
           "convert-linalg-to-element-kernels,canonicalize)")


def draw(random, shape, type):
    values = {"i1": lambda: random.integers(0, 2, shape), "i32": lambda: random.integers(-2, 12, shape),
              "i64": lambda: random.integers(-(2**40), 2**40, shape), "i8": lambda: random.integers(-128, 128, shape),
              "i16": lambda: random.integers(-(2**15), 2**15, shape)}
    return np.asarray(values[type]() if type in values else FORMATS[type].round(random.uniform(-2, 2, shape)), f64)


def compare(number, seen, reference):
    expected, bound = reference if isinstance(reference, tuple) else (reference, 0)
    expected = np.asarray(expected, f64)
    if seen.shape != expected.shape:
        return f"result {number} has the shape {seen.shape} instead of {expected.shape}"
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(seen - expected) <= bound) & (seen != expected)
        wrong &= ~((bound == 0) & np.isnan(seen) & np.isnan(expected))
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{wrong.sum()} elements of result {number}, first {at}: {seen[at]} instead of {expected[at]}"


def check(source, pipeline, reference, change=None):
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = os.path.join(folder, "function.mlir")
            with open(path, "w") as file:
                file.write(source)
            made = run(["amp-opt", path, f"--pass-pipeline={pipeline}"])
            if made.returncode:
                return made.stderr
            if "scf.forall" in made.stdout or "@group_0" not in made.stdout:
                return "no kernel of a group"
            program = Program(made.stdout, "--cse", folder)
            arguments = [draw(random, shape, type) for _, shape, type in program.arguments]
            if change:
                change(arguments)
            runs = []
            for program.blocks, program.seed in ((8, 0), (3, 5)):
                seen = program.run(arguments)
                runs.append(seen if isinstance(seen, list) else [seen])
        except Failure as failure:
            return str(failure)
    with np.errstate(invalid="ignore"):
        expected = reference(*arguments)
    expected = expected if isinstance(expected, list) else [expected]
    for number, (first, second, value) in enumerate(zip(*runs, expected, strict=True)):
        if first.tobytes() != second.tobytes():
            return f"result {number} depends on the schedule"
        if wrong := compare(number, first, value):
            return wrong
    return ""


def make_positive(arguments):
    arguments[2] = np.abs(arguments[2])


def make_infinite(arguments):
    arguments[0][3, 5] = np.inf


def skip(arguments):
    arguments[4] = np.array(1.0)


# Arguments that are not as drawn, and what is another case of a function.
CHANGES = {"adamw": make_positive}
CASES = (
    ("bias_gradient", "infinite", make_infinite, lambda *x: [bias_gradient(*x)[0], np.array(1)]),
    ("adamw", "skipped", skip, adamw),
)


def main():
    parts = {}
    for path, pipeline in zip(sys.argv[1:], (WRITTEN, TILED), strict=True):
        with open(path) as file:
            for part in file.read().split("// -----"):
                parts[re.search(r"^func\.func @(\w+)", part, re.M)[1]] = part, pipeline
    results = {name: check(*parts[name], REFERENCES[name], CHANGES.get(name)) for name in REFERENCES}
    for name, case, change, reference in CASES:
        results[f"{name}, {case}"] = check(*parts[name], reference, change)
    for size in SIZES:
        results[f"sums of {size}"] = check(write_sums(size), WRITTEN, sums)
    for name, wrong in results.items():
        print(f"wrong: {name}: {wrong}" if wrong else f"right: {name}")
    print(f"{len(results)} functions, {sum(map(bool, results.values()))} wrong")
    sys.exit(any(results.values()) or parts.keys() != REFERENCES.keys())


if __name__ == "__main__":
    main()
