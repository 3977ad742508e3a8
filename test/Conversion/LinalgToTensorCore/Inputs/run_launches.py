"""Runs converted functions on the emulator and compares them with numpy.

    run_launches.py CHIP FILE...

Each part of a FILE (split by `// -----`) that has a function named below is converted
by convert-linalg-to-tensor-core. What is left of the function, launches, transposes and
other moves of elements, is carried out here: launches by the emulator, as `amp.launch` says. REFERENCES computes
the same in float64 from the function's meaning, with the roundings that it states.

Data are small integers, so that sums are exact and results are equal or wrong; a
reference with a tolerance gets random numbers.

One line for each function, with what is wrong, and exit status 1 if anything is.
"""

import concurrent.futures
import itertools
import math
import os
import re
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Kernels/Inputs"))
from kernel_launch import Emulation, Failure, run  # noqa: E402
from read_launches import read_kernels  # noqa: E402
from number_formats import FORMATS  # noqa: E402

half = FORMATS["f16"].round
relu = lambda x: np.maximum(x, 0.0)
erf = np.vectorize(math.erf)



def pad(x, rows, columns, value=0.0):
    return np.pad(x, ((0, 0), rows, columns, (0, 0)), constant_values=value)


def convolve(x, f, stride, dilation, size):
    """y[n][p][q][k], by its definition; `size` is (P, Q)."""
    y = np.zeros((x.shape[0], *size, f.shape[0]))
    for r in range(f.shape[1]):
        for s in range(f.shape[2]):
            rows = r * dilation[0] + stride[0] * np.arange(size[0])
            columns = s * dilation[1] + stride[1] * np.arange(size[1])
            y += np.einsum("npqc,kc->npqk", x[:, rows][:, :, columns], f[:, r, s])
    return y


def filter_gradient(x, g):
    size = [x.shape[i] - g.shape[i] + 1 for i in (1, 2)]
    return np.array([[np.einsum("npqc,npqk->kc", x[:, r : r + g.shape[1], s : s + g.shape[2]], g)
                      for s in range(size[1])] for r in range(size[0])]).transpose(2, 0, 1, 3)


def strided_filter_gradient(x, g):
    """df[k][r][s][c] of 3x3 filters with strides of 2."""
    taps = [[np.einsum("npqk,npqc->kc", g, x[:, r : r + 5 : 2, s : s + 5 : 2]) for s in range(3)] for r in range(3)]
    return np.moveaxis(np.array(taps), 2, 0)


def image_gradient(dy, f, stride, padding, size):
    """dx[n][h][w][c], by the definition of y; f is K,R,S,C and `size` (H, W)."""
    x = np.zeros((dy.shape[0], size[0] + 16, size[1] + 16, f.shape[3]))
    for p, q, r, s in itertools.product(*map(range, (*dy.shape[1:3], *f.shape[1:3]))):
        h, w = p * stride + r - padding + 8, q * stride + s - padding + 8
        x[:, h, w] += dy[:, p, q] @ f[:, r, s]
    return x[:, 8 : 8 + size[0], 8 : 8 + size[1]]


def split(x, groups):
    """[...][channels] as [...][groups][channels of one]."""
    return x.reshape(*x.shape[:-1], groups, -1)


def each_group(function, *operands):
    """What `function` gives for each group, beside each other before the last dimension:
    of images [n][h][w][g][c], and of filters [g][k][r][s][c] given as [k][r][s][g][c]."""
    groups = operands[0].shape[-2]
    return np.stack([function(*(operand[..., g, :] for operand in operands)) for g in range(groups)], axis=-2)


def groups_of(f):
    """[g][k][r][s][c] as [k][r][s][g][c], and back by `filters_of`."""
    return np.moveaxis(f, 0, -2)


def filters_of(f):
    return np.moveaxis(f, -2, 0)


def groups(x, f, bias):
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0), (0, 0)))
    y = each_group(lambda x, f: convolve(x, f, (1, 1), (1, 1), (6, 7)), x, groups_of(f))
    return half(relu(y + bias))


def image_of_groups(dy, f):
    """f is [k][r][s][g * c], and dy [n][p][q][g * k]."""
    return each_group(lambda dy, f: image_gradient(dy, f, 2, 1, (6, 6)), split(dy, 2), split(f, 2))


def image_of_split_groups(dy, f):
    """dy is [n][p][q][g * k]."""
    return each_group(lambda dy, f: image_gradient(dy, f, 2, 1, (6, 6)), split(dy, 2), groups_of(f))


def depthwise(x, f, stride, size):
    """f is [g][k][r][s]."""
    x, f = x[..., None], groups_of(f[..., None])
    return each_group(lambda x, f: convolve(x, f, (stride, stride), (1, 1), size), x, f)


def depthwise_image(dy, f):
    """dx[n][5][10][g] of 3x3 filters [g][1][r][s], strides of 2 and 3, a padding of 1."""
    dx = np.zeros((2, 5 + 2, 10 + 2, 16))
    for p, q, r, s in itertools.product(range(3), range(4), range(3), range(3)):
        dx[:, 2 * p + r, 3 * q + s] += dy[:, p, q] * f[:, 0, r, s]
    return dx[:, 1:6, 1:11]


def heads_of(qkv, part):
    """[b][t][h][d] of 4 heads of 16 columns in one of three parts of a matrix."""
    return qkv[:, :, 64 * part : 64 * part + 64].reshape(2, 24, 4, 16)


def side_by_side(*heads):
    return np.concatenate([half(x).reshape(2, 24, 64) for x in heads], axis=2)


def ored(result, start, storage=np.float16):
    """`result`, and the bits of those of its elements above 24, as they lie in memory, with
    those of `start`."""
    bits = result.astype(storage)
    bits = bits.view(f"u{bits.itemsize}")[result > 24]
    assert bits.size
    return [result, np.bitwise_or.reduce(bits.astype(np.int64), initial=int(start))]


def checked_filters(x, g, start):
    return ored(half(filter_gradient(x, g).transpose(0, 3, 1, 2)), start)


def two_in_a_chain(a, b, c, start):
    d, bits = ored(a @ b, start)
    f, bits = ored(c @ b, bits)
    return [d, f, bits]


def convolution_activation(x, f, bias, g):
    h = half(convolve(x, f, (1, 1), (1, 1), (6, 6)) + bias)
    return [h, convolve(relu(h), g, (1, 1), (1, 1), (4, 4))]


def put_into(table, at, part):
    table = table.copy()
    table[at] = part
    return table


# Name of the function: what it computes, and the relative error that it may have.
REFERENCES = {
    "matmul": (lambda a, b: a @ b, 0),
    "transposed": (lambda a, w: a @ w.T, 0),
    "one_is_wide": (lambda a, b: a @ b, 0),
    "rows_of_two_loops": (lambda a, b: np.einsum("btk,kn->btn", a, b), 0),
    "sums_of_two_loops": (lambda g, x: np.einsum("btm,btn->mn", g, x), 0),
    "batch": (lambda q, k: np.einsum("bmk,bnk->bmn", q.reshape(16, 32, 16), k), 0),
    "heads_between": (lambda q, k: np.einsum("bthk,bhkn->bhtn", q, k).reshape(8, 32, 32), 0),
    "permuted_result": (lambda a, b: np.einsum("bkt,kn->bnt", a, b), 0),
    "scores": (lambda x: np.einsum("bthd,bshd->bhts", heads_of(x, 0), heads_of(x, 1)), 0),
    "values": (lambda p, v: half(np.einsum("bhts,bshd->bthd", p, v)).reshape(2, 24, 64), 0),
    "key_gradient": (lambda q, ds: np.einsum("bthd,bhts->bshd", q, ds), 0),
    "shared_keys": (
        lambda q, k: np.einsum("bthgd,bshd->bhgts", q.reshape(2, 24, 3, 2, 16), k), 0),
    "concatenated": (lambda ds, q, k: side_by_side(np.einsum("bhts,bshd->bthd", ds, k),
                                                   np.einsum("bhts,bthd->bshd", ds, q)), 0),
    "rows_of_a_table": (lambda a, b, table: put_into(table, 1, a @ b), 0),
    "slice": (lambda x, b: x[1:33:2, 8:56] @ b, 0),
    "columns": (lambda x, b: x[:, 32:64] @ b, 0),
    "first_columns": (lambda x, b: x[:, :32] @ b, 0),
    "batch_of_columns": (lambda p, x: p @ x[:, :, 64:], 0),
    "sums_then_move": (lambda a, b, r: (a @ b + r).T, 0),
    "columns_put_in": (lambda a, b, d: put_into(d, np.s_[:, 24:48], a @ b), 0),
    "sums_put_in": (lambda a, b, d, c: put_into(d, np.s_[:, 24:48], a @ b + c), 0),
    "unaligned_columns": (lambda a, b, d: put_into(d, np.s_[:, 25:49], a @ b), 0),
    "every_third_column": (lambda a, b, d: put_into(d, np.s_[:, ::3], a @ b), 0),
    "one_column": (lambda a, b, d: put_into(d, np.s_[:, 4:5], a @ b), 0),
    "residual_heads": (lambda p, v, r: half(p @ v + r).transpose(0, 2, 1, 3), 0),
    "unaligned_slice": (lambda x, b: x[:, 4:52] @ b, 0),
    "across_rows": (lambda x, b: x.T.ravel()[16:528].reshape(16, 32) @ b, 0),
    "read_twice": (lambda a, b: [a @ b, (a @ b).transpose(1, 0, 2)], 0),
    "four_loops": (lambda a, b: np.einsum("fedcmk,cdefkn->cdefmn", a, b), 0),
    "residual_then_move": (lambda a, b, r: (a @ b + r).T, 0),
    "unlike_loops": (lambda a, b: a.transpose(1, 0, 2, 3).reshape(6, 16, 8)
                     @ b.transpose(1, 0, 2, 3).reshape(6, 8, 8), 0),
    "rounded_move": (lambda p, v: half(p @ v).transpose(0, 2, 1, 3), 0),
    "function_then_rounded_move": (lambda p, v: half(relu(p @ v)).transpose(0, 2, 1, 3), 0),
    "checked": (lambda a, b, start: ored(a @ b, start), 0),
    "checked_relu": (lambda a, b, bias, start: ored(relu(a @ b + bias), start), 0),
    "checked_wide": (lambda a, b, start: ored(a @ b, start, np.float32), 0),
    "checked_transposed": (lambda a, b, start: ored((a @ b).T, start), 0),
    "checked_filters": (checked_filters, 0),
    "two_in_a_chain": (two_in_a_chain, 0),
    "ends_in_another_order": (two_in_a_chain, 0),
    "two_chains": (lambda a, b, c, start: [ored(a @ b, start)[1], ored(c @ b, start)[1]], 0),
    "activation": (lambda a, b, bias, w: [half(a @ b + bias), relu(half(a @ b + bias)) @ w], 0),
    "kept_sums": (lambda a, b, v: [a @ b, relu(half(a @ b)).reshape(16, 32) @ v], 0),
    "convolution_activation": (convolution_activation, 0),
    "two_concatenations": (lambda a, b: [np.hstack([a @ b, b @ a]), np.hstack([a @ a, b @ b])], 0),
    "odd_heads": (lambda a, b: np.einsum("bthd,bshd->bhts", a, b), 0),
    "odd_sum": (lambda a, b: a @ b, 0),
    "shared_copy": (lambda g, w, x: [g.reshape(2, 256, 1001) @ w.reshape(1001, 128),
                                     np.einsum("btkl,btn->kln", g, x)], 0),
    "odd_inserted": (lambda a, b, c: np.hstack([c[:, :128], a @ b]), 0),
    "odd_scores": (lambda a, b: np.einsum("mbk,bnk->bmn", a[:, :, :501], b), 0),
    "odd_batch": (lambda a, b: a @ b, 0),
    "odd_columns": (lambda a, b, bias: half(a @ b.T + bias), 0),
    "matvec": (lambda a, x: a @ x, 0),
    "eight_bits": (lambda a, b: a @ b, 0),
    "split": (lambda a, b: a @ b, 0),
    "bias_relu": (lambda a, b, bias: half(relu(half(a @ b + bias))), 0),
    # Of half's 11 bits, and of the polynomial for erf.
    "gelu": (lambda a, b: 0.5 * (a @ b) * (1 + erf(a @ b * math.sqrt(0.5))), 2.0**-10),
    "backward": (lambda g, w, h, row, number: half(np.where(h <= 0, 0.0, g @ w) * row * number), 0),
    "convolution": (lambda x, f, b: half(convolve(pad(x, (1, 0), (1, 1)), f, (2, 1), (1, 2), (4, 7)) + b), 0),
    # The program pads with ones.
    "filter_gradient": (lambda x, g: filter_gradient(pad(x, (1, 1), (1, 1), 1.0), g), 0),
    "start": (lambda a, b, bias, residual: half((a @ b + bias).reshape(4, 8, 128) + residual), 0),
    "sum_of_two": (lambda a, b, w: half(np.abs(a @ b) + a @ w), 0),
    "strides_of_2": (lambda dy, f, skip: half(image_gradient(dy, f, 2, 0, (8, 5)) + skip), 0),
    "one_tap": (lambda dy, f: image_gradient(dy, f.transpose(0, 2, 3, 1), 2, 0, (6, 5)), 0),
    "zeros_written": (lambda dy, f: image_gradient(dy, f, 2, 1, (2, 2)), 0),
    "zeros_behind_one_tap": (lambda dy, f: image_gradient(dy, f, 2, 0, (2, 2)), 0),
    "wide_border": (lambda dy, f: image_gradient(dy, f.transpose(0, 2, 3, 1), 1, -1, (7, 7)), 0),
    "strided_filter_gradient": (lambda x, g: strided_filter_gradient(pad(x, (1, 1), (1, 1)), g), 0),
    "groups": (groups, 0),
    "filters_of_groups": (
        lambda x, dy: filters_of(each_group(filter_gradient, split(x, 2), split(dy, 2))), 0),
    "depthwise": (lambda x, f: depthwise(x, f.transpose(2, 0, 1)[:, None], 2, (4, 3))[..., 0], 0),
    "moved_filters": (lambda x, f: depthwise(x, f, 1, (4, 4))[..., 0], 0),
    "two_filters_each": (lambda x, f: depthwise(x, f, 1, (4, 4)), 0),
    "depthwise_filters": (
        lambda x, dy: each_group(filter_gradient, x[..., None], dy[..., None])[0, ..., 0], 0),
    "depthwise_image": (depthwise_image, 0),
    "image_of_groups": (image_of_groups, 0),
    "image_of_split_groups": (image_of_split_groups, 0),
    "filters_of_strides": (lambda x, g: strided_filter_gradient(x[:, :7, :7], g), 0),
    "convolution_relu": (lambda x, f, b, s: half(relu(convolve(x, f, (1, 1), (1, 1), (6, 6)) + b + s)), 0),
}


def shape_of(text):
    """Sizes and element type of `tensor<...>`."""
    *sizes, type = re.search(r"tensor<([^<>]*)>", text).group(1).split("x")
    return [int(size) for size in sizes], type


def slices(text):
    """What `[offsets] [sizes] [strides]` index."""
    lists = [[int(x) for x in part.split(",")] for part in re.findall(r"\[(.*?)\]", text)]
    return tuple(slice(first, first + (count - 1) * step + 1, step) for first, count, step in zip(*lists))


class Program:
    """A function that `passes` convert. Launches have at most so many blocks, under the
    schedule of the seed."""

    blocks, seed = 8, 1

    def __init__(self, source, passes, folder):
        self.folder = folder
        path = os.path.join(folder, "source.mlir")
        with open(path, "w") as file:
            file.write(source)
        made = run(["amp-opt", path, passes, "--canonicalize", "--amp-kernels-to-nvvm"])
        if made.returncode:
            raise Failure(made.stderr)
        text = made.stdout
        aliases = "".join(re.findall(r"^#.*\n", text, re.M))
        self.maps = dict(re.findall(r"^(#\w+) = affine_map<\(.*?\) -> \((.*)\)>$", aliases, re.M))
        self.modules = {}
        for found in re.finditer(r"^  gpu\.module @(\w+).*?^  }\n", text, re.M | re.S):
            kernel = os.path.join(folder, found.group(1) + ".mlir")
            with open(kernel, "w") as file:
                file.write(aliases + found.group(0))
            self.modules[found.group(1)] = kernel, read_kernels(found.group(0))
        function = re.search(r"func\.func @\w+\((.*?)\) -> .*? \{\n(.*?)^  }", text, re.M | re.S)
        self.arguments = [(name, *shape_of(type)) for name, type in
                          re.findall(r"(%\w+): (tensor<[^>]*>)", function.group(1))]
        self.lines = [line.strip() for line in function.group(2).splitlines()]

    def launch(self, values, line):
        symbol, ins, outs = re.search(r"@(\w+) ins\((.*?)\) outs\((.*?)\)", line).groups()
        path, kernels = self.modules[symbol]
        folder = tempfile.mkdtemp(dir=self.folder)
        emulation = Emulation(path, kernels, folder)
        inputs, outputs = (re.findall(r"(\w+) = (%[\w#]+)", list) for list in (ins, outs))
        for name, value in inputs:
            emulation.write(name, values[value])
        kept = re.findall(r'"(\w+)"', "".join(re.findall(r"partial = \[(.*?)\]", line)))
        for name, value in outputs:
            emulation.write(name, values[value] if name in kept else np.array([]))
        emulation.run(self.blocks, self.seed)
        shapes = [shape_of(type)[0] for type in re.findall(r"tensor<[^<>]*>", line.split("->")[1])]
        return [emulation.read(name)[: math.prod(sizes)].reshape(sizes) for (name, _), sizes in zip(outputs, shapes)]

    def run(self, arguments):
        values = {name: value for (name, _, _), value in zip(self.arguments, arguments)}
        zeros = {"%c0_i32"}
        for line in self.lines:
            name = line.split(":")[0].split(" ")[0]
            if re.search(r"arith.constant 0\.0+e\+00 :", line):
                zeros.add(name)
            if "amp.launch_kernels" in line:
                results = self.launch(values, line)
                values[name] = results[0]
                values.update((f"{name}#{i}", result) for i, result in enumerate(results))
            elif "tensor.empty" in line:
                values[name] = np.full(shape_of(line)[0], np.nan)
            elif "tensor.extract_slice" in line:
                source, place = re.search(r"extract_slice (%[\w#]+)(.*) : ", line).groups()
                values[name] = values[source][slices(place)].reshape(shape_of(line.split(" to ")[1])[0])
            elif "tensor.insert_slice" in line:
                part, target, place = re.search(r"insert_slice (%[\w#]+) into (%[\w#]+)(.*) : ", line).groups()
                values[name] = values[target].copy()
                shape = values[name][slices(place)].shape
                values[name][slices(place)] = values[part].reshape(shape)
            elif "tensor.expand_shape" in line or "tensor.collapse_shape" in line:
                sizes, _ = shape_of(line.split(" into ")[1])
                values[name] = values[re.search(r"shape (%[\w#]+)", line).group(1)].reshape(sizes)
            elif "linalg.fill" in line:
                # What launches or bits into begins with none, and zeros between pixels.
                if re.search(r"ins\((%\w+) :", line).group(1) not in zeros:
                    raise Failure("expected a fill with zero, but got: " + line)
                values[name] = np.zeros(shape_of(line.split(" -> ")[1])[0])
            elif ored := re.search(r"linalg.generic .* ins\((%[\w#]+) : tensor<i32>\) outs\((%\w+) : tensor<i32>\)", line):
                one, other = (values[operand].astype(np.int64) for operand in ored.groups())
                values[name] = one | other
            elif "arith.ori" in line:
                continue
            elif "linalg.generic" in line:
                # A move: its body yields what it reads.
                index, source, result = re.search(r"maps = \[(#\w+), .*ins\((%[\w#]+) .* outs\(.* : (.*)\) {", line).groups()
                written = re.search(r"maps = \[.*?(#\w+)\]", line).group(1)
                if self.maps[written] != ", ".join(f"d{i}" for i in range(len(shape_of(result)[0]))):
                    raise Failure("expected a move that writes in the order of its loops, but got: " + line)
                loops = {f"d{i}": loop for i, loop in enumerate(np.indices(shape_of(result)[0]))}
                index = tuple(eval(each, {}, loops) for each in self.maps[index].split(", "))  # noqa: S307
                values[name] = values[source][index]
            elif line.startswith("linalg.yield"):
                if line.split()[1] != "%in" and not line.endswith(" : i32"):
                    raise Failure("expected moves, whose bodies yield what they read, but got: " + line)
            elif "linalg.transpose" in line:
                source, order = re.search(r"ins\((%[\w#]+) .*permutation = \[(.*?)\]", line).groups()
                values[name] = np.transpose(values[source], [int(dim) for dim in order.split(",")])
            elif "tensor.pad" in line:
                # The constant that is yielded is the next line's: the functions pad with ones.
                source, low, high = re.search(r"pad (%\w+) low\[(.*?)\] high\[(.*?)\]", line).groups()
                sides = list(zip(map(int, low.split(",")), map(int, high.split(","))))
                values[name] = np.pad(values[source], sides, constant_values=1.0)
            elif line.startswith("^bb0") or line.startswith("tensor.yield") or line.startswith("}"):
                continue
            elif "arith.extf" in line:
                values[name] = values[re.search(r"extf (%\w+)", line).group(1)]
            elif "tensor.extract " in line:
                values[name] = values[re.search(r"extract (%[\w#]+)\[\]", line).group(1)]
            elif "math.sqrt" in line:
                values[name] = np.sqrt(values[re.search(r"sqrt (%[\w#]+)", line).group(1)])
            elif line.startswith("return"):
                returned = [values[value] for value in re.findall(r"%[\w#]+", line)]
                return returned[0] if len(returned) == 1 else returned
            elif "arith.constant" not in line:
                raise Failure("expected launches and transposes alone, but got: " + line)
        raise Failure("the function does not return")


def check(job):
    name, source, chip = job
    reference, tolerance = REFERENCES[name]
    random = np.random.default_rng(1)
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = Program(source, f"--convert-linalg-to-tensor-core=chip={chip} always", folder)
            if not program.modules:
                return "no kernel"
            arguments = []
            for _, shape, type in program.arguments:
                drawn = random.standard_normal(shape) if tolerance else random.integers(-2, 3, shape)
                arguments.append(FORMATS[type].round(drawn))
            results, references = program.run(arguments), reference(*arguments)
            if not isinstance(results, list):
                results, references = [results], [references]
            for seen, expected in zip(results, references, strict=True):
                error = np.abs(seen - expected)
                wrong = ~(error <= tolerance * np.maximum(np.abs(expected), 1))
                if wrong.any():
                    at = tuple(int(i) for i in np.argwhere(wrong)[0])
                    return f"{wrong.sum()} elements, first {at}: {seen[at]} instead of {expected[at]}"
            return ""
    except Failure as failure:
        return str(failure)


def main():
    chip, *files = sys.argv[1:]
    jobs = []
    for path in files:
        with open(path) as file:
            for part in file.read().split("// -----"):
                name = re.search(r"^func\.func @(\w+)", part, re.M)
                # Eight bits are for sm_90a alone.
                if name and name.group(1) in REFERENCES and (chip == "sm_90a" or name.group(1) != "eight_bits"):
                    jobs.append((name.group(1), part, chip))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, jobs))
    for (name, _, _), wrong in zip(jobs, results):
        print((f"wrong: {name}: {wrong}" if wrong else f"right: {name}"))
    count = sum(bool(wrong) for wrong in results)
    print(f"{len(results)} functions, {count} wrong")
    sys.exit(bool(count) or len(results) < len(REFERENCES) - (chip != "sm_90a"))


if __name__ == "__main__":
    main()
