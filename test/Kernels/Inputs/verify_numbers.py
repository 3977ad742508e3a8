"""Compares generated GEMMs on the emulator with products in float64.

    verify_numbers.py TABLE [WORD...]

Each line of TABLE is the options of one kernel, as amp-generate-gemm takes them, then
`| DATA GRID SEED`: what the matrices hold, how many blocks run (2), and under which
schedule (0). WORDs select lines that contain one of them. DATA is

  random   numbers from -1 to 1 (1/8 to 1 in magnitude for 8-bit floats)
  integer  integers from -3 to 3, the sums of which are exact: no error is allowed
  special  random, with NaNs and infinities of both signs in A and in B
  large    random times 2^7, so that some results are beyond the range of f16

The bound. With u = 2^-24, f32 rounds a result x to x(1 + d), |d| <= u. What is summed is
K products.

 1. A product of two operands of f16, bf16, f8 or tf32 has at most 22, 16, 8 or 22 bits
    and is exact in f32. Plain f32 kernels use fma, which does not round the product.
 2. A sum of K terms by a tree of additions in any order, of whatever shape (the steps of
    an instruction, stages, parts of a split K), has K - 1 additions, each of which errs
    by at most u times what it adds up to. So it differs from the sum S by at most
        e = ((1 + u)^K - 1) sum |a b|  <=  K u / (1 - K u) sum |a b|,
    one addition more for the fma's. Terms past the end of K are zeros, which are exact.
 3. Each operation of the epilogue adds its own rounding: see Bounded.
 4. The result is rounded to the type of D once. Rounding is monotone, so what a kernel
    stores lies between the rounded ends of the interval [S - e, S + e]. That covers
    numbers below the smallest normal one and beyond the largest.

The emulator adds in f32, rounding to nearest, so u is the right unit for it. A Tensor Core
is not assumed to: it cuts off what it adds at about f32's last bit instead of rounding,
which is the same bound with 2u, and for 8-bit floats keeps fewer bits. So the unit of the
sums is a parameter, which run_packed_kernels.py sets for a GPU.

A second matrix, sums for columns and rows and the greatest magnitude are outputs of an
epilogue and follow from the same rules. Ored bits are of integers alone, and join KEPT_BITS. One line for each
kernel, with what is wrong; exit status 1 if anything is.
"""

import os
import sys
import tempfile

import numpy as np

import kernel_launch
from check_table import check_table
from number_formats import FORMATS

UNIT = 2.0**-24
# In memory before a kernel ors bits into it.
KEPT_BITS = 5
FOLDER = os.path.dirname(os.path.abspath(__file__))


class Bounded:
    """Numbers that f32 arithmetic has computed: what they should be, and how far off
    they may be. `unit` is 0 where every number is a small integer and so exact."""

    def __init__(self, value, error, unit):
        self.value, self.error, self.unit = np.asarray(value, np.float64), error, unit

    def rounded(self, value, error):
        # |computed| <= |value| + error, and rounding adds a unit of that.
        return Bounded(value, error + self.unit * (np.abs(value) + error), self.unit)

    def __add__(self, other):
        return self.rounded(self.value + other.value, self.error + other.error)

    def __mul__(self, other):
        error = np.abs(self.value) * other.error + np.abs(other.value) * self.error + self.error * other.error
        return self.rounded(self.value * other.value, error)

    def maximum(self, other):
        return Bounded(np.maximum(self.value, other.value), np.maximum(self.error, other.error), self.unit)

    def tanh(self):
        # No steeper than 1. ApproximateMath.cpp: 4.8 units in the last place, which are 2u each at most.
        return Bounded(np.tanh(self.value), self.error + 9.6 * self.unit * np.abs(np.tanh(self.value)), self.unit)

    def where(self, condition, other):
        return Bounded(np.where(condition, self.value, other), np.where(condition, self.error, 0), self.unit)


def as_multiplied(matrix, form, chip):
    """Of tf32, Tensor Cores multiply 11 bits: cut off by wgmma, which sm_90a has, or rounded by
    a conversion to nearest, ties away from zero."""
    if form != "tf32":
        return matrix
    words = matrix.astype(np.float32).view(np.uint32)
    words = np.where(np.isfinite(matrix) & (chip != "sm_90a"), words + 0x1000, words) & 0xFFFFE000
    return words.astype(np.uint32).view(np.float32).astype(np.float64)


class Problem:
    """The options of one line, with the pass's defaults."""

    def __init__(self, line):
        text, _, rest = line.partition("|")
        self.line, self.options = line, text.strip()
        self.data, *rest = rest.split() or ["random"]
        self.blocks, self.seed = ([int(x) for x in rest] + [2, 0][len(rest) :])[:2]
        given = dict(word.split("=") for word in text.split())
        self.m, self.n, self.k = (int(given.get(name, 0)) for name in "mnk")
        self.batch = int(given.get("batch", 1))
        self.layout = given.get("layout", "nn")
        self.a, self.b, self.d = (given.get(name + "-type", "bf16") for name in "abd")
        self.chip = given.get("chip", "sm_90a")
        self.groups = int(given.get("groups", 0))
        self.epilogue = given.get("epilogue", "")
        rows = {
            "a": self.m if self.layout[0] == "t" else self.k,
            "b": self.k if self.layout[1] == "t" else self.n,
            "d": self.n,
        }
        self.stride = {name: int(given.get("ld" + name, 0)) or row for name, row in rows.items()}
        sizes = {name: [int(x) for x in given[name].split(",")] for name in given if name.startswith("batch-s")}
        self.batch_shape = sizes.get("batch-shape", [])
        self.batch_strides = {name: sizes.get(f"batch-strides-{name}") for name in "abd"}
        self.unit = 0.0 if self.data == "integer" else UNIT
        self.random = np.random.default_rng(sum(line.encode()))

    def fill(self, shape, form):
        """What a matrix or an operand holds: numbers of its format."""
        if self.data == "integer" or form == "i32":
            return self.random.integers(-3, 4, shape).astype(np.float64)
        if form.startswith("f8"):
            sign = self.random.choice([-1.0, 1.0], shape)
            return FORMATS[form].round(sign * 2.0 ** self.random.uniform(-3, 0, shape))
        scale = 128.0 if self.data == "large" else 1.0
        return FORMATS[form].round(scale * self.random.uniform(-1, 1, shape))

    def make_special(self, matrix, form):
        """Some elements become NaN or infinite; small shapes may get one on another."""
        kinds = [np.nan] if form == "f8E4M3FN" else [np.nan, np.inf, -np.inf]
        if matrix.size:
            for kind in kinds:
                matrix[tuple(self.random.integers(0, size) for size in matrix.shape)] = kind
        return matrix

    def make_matrices(self):
        """A as [batch][M][K] and B as [batch][K][N]."""
        a = self.fill((self.batch, self.m, self.k), self.a)
        b = self.fill((max(self.batch, self.groups), self.k, self.n), self.b)
        if self.data == "special":
            self.make_special(a, self.a), self.make_special(b, self.b)
        return self.shared(a, "a"), self.shared(b, "b")

    def shared(self, matrices, name):
        """The same matrix along the loops over the batch that have no stride."""
        if not self.batch_shape:
            return matrices
        loops = matrices.reshape(*self.batch_shape, *matrices.shape[1:])
        for axis, stride in enumerate(self.batch_strides[name]):
            if not stride:
                loops = np.repeat(loops.take([0], axis), self.batch_shape[axis], axis)
        return loops.reshape(matrices.shape)

    def places(self, name, rows, columns):
        """Where elements lie in memory, as [batch][rows][columns]."""
        stride, batch = self.stride[name], max(self.batch, self.groups if name == "b" else 1)
        first = np.arange(batch) * rows * stride
        if self.batch_shape:
            first = np.zeros(self.batch_shape, np.int64)
            for index, step in zip(np.indices(self.batch_shape), self.batch_strides[name]):
                first += index * step
        return first.reshape(-1, 1, 1) + np.arange(rows)[:, None] * stride + np.arange(columns)

    def stored(self, matrix, name, transposed):
        """The matrices of a batch as they lie in memory, NaN between them and their rows."""
        matrix = matrix.swapaxes(1, 2) if transposed else matrix
        places = self.places(name, *matrix.shape[1:])
        memory = np.full(places.max(initial=-1) + 1, np.nan)
        memory[places] = matrix
        return memory


def group_offsets(problem):
    """Where the rows of each group begin: none, one, a run, and less than there are."""
    cuts = problem.random.integers(0, problem.m, problem.groups - 1) if problem.groups > 1 else []
    offsets = np.sort([0, *cuts, problem.m - problem.m // 8])
    if problem.groups > 2:
        offsets[2] = offsets[1]
    return offsets


def multiply(problem, a, b, offsets=(), unit=UNIT):
    """The product of the operands, and how far sums of it may be off, each addition by `unit`."""
    if problem.groups:
        # Row by row, each with the B of its group; rows of none are not computed.
        rows = [np.full((problem.m, problem.n), np.nan), np.zeros((problem.m, problem.n))]
        for i, (first, end) in enumerate(zip(offsets, offsets[1:])):
            rows[0][first:end] = a[0, first:end] @ b[i]
            rows[1][first:end] = np.abs(a[0, first:end]) @ np.abs(b[i])
        error = 0.0 if problem.unit == 0 else ((1 + unit) ** problem.k - 1) * rows[1]
        return Bounded(rows[0][None], error + np.zeros((1, problem.m, problem.n)), problem.unit)
    with np.errstate(invalid="ignore"):
        sums = a @ b
        if problem.unit == 0:
            return Bounded(sums, np.zeros(sums.shape), 0.0)
        magnitudes = np.abs(a) @ np.abs(b)
        return Bounded(sums, ((1 + unit) ** problem.k - 1) * magnitudes, UNIT)


# The functions of epilogues.mlir: of the sums, of operands along [batch][M][N] and of indices.
# They return the elements of D and then what the outputs are made of.


def bias_relu(s, bias):
    return [(s + bias).maximum(zero(s))]


def linear(s, alpha, bias, row, residual):
    return [(s * alpha + bias + row).maximum(zero(s)) + residual]


def gelu(s, bias):
    half, one = constant(s, 0.5), constant(s, 1.0)
    x = s + bias
    # fma: the product is not rounded, the bound's extra rounding does no harm.
    factor = constant(s, np.float32(0.044715)) * (x * x) + one
    t = (x * factor * constant(s, np.float32(0.797884561))).tanh() + one
    return [x * t * half]


def constant(like, value):
    return Bounded(np.float64(value), 0.0, like.unit)


def zero(like):
    return constant(like, 0.0)


def gradient(s, scale, output):
    g = s.where(output.value > 0, 0.0)
    return [g * scale, g * scale, g, g * scale]


def amax_f32(s):
    return [s, s]


def kept(s, bias):
    x = s + bias
    return [x.maximum(zero(s)), x]


def bits(s):
    numbers = s.value.astype(np.float32).view(np.int32)
    return [s, Bounded(np.where(s.value > 30, numbers, 0), 0.0, 0.0)]


def causal(s, bias):
    rows, columns = np.indices(s.value.shape[1:])
    return [(s + bias).where(columns <= rows, 0.0)]


EPILOGUES = {
    "amax_f32": amax_f32,
    "bits": bits,
    "kept": kept,
    "kept_and_bits": lambda s: [s, *bits(s)],
    "causal": causal,
    "gradient": gradient,
    "bias_relu": bias_relu,
    "gelu": gelu,
    "linear": linear,
    "linear_f16": linear,
    "linear_f32": linear,
}


def spread(values, kind, problem):
    """An operand's values along [batch][M][N]."""
    shape = {
        "column": (1, 1, problem.n),
        "row": (1, problem.m, 1),
        "matrix": (problem.batch, problem.m, problem.n),
        "scalar": (1, 1, 1),
    }[kind]
    return values.reshape(shape)


def reduce(x, kind):
    """An output of an epilogue."""
    if kind == "or":
        assert x.unit == 0 and np.any(x.value)
        ored = np.bitwise_or.reduce(x.value.astype(np.int64).ravel(), initial=KEPT_BITS)
        return Bounded(np.array([ored]), 0.0, 0.0)
    with np.errstate(invalid="ignore"):
        if kind == "amax":
            # NaN if there is one. The greatest is off by no more than the worst of all.
            value, error = np.abs(x.value).max(initial=0.0), np.max(x.error, initial=0.0)
            return Bounded(np.array([value]), np.array([error]), x.unit)
        if kind == "matrix":
            return Bounded(x.value.ravel(), np.broadcast_to(x.error, x.value.shape).ravel(), x.unit)
        axis = 1 if kind == "column-sum" else 2
        # As rule 2: the elements' own errors, and additions of as many elements.
        error = np.broadcast_to(x.error, x.value.shape).sum(axis)
        magnitudes = np.abs(x.value).sum(axis) + error
        error = error + ((1 + x.unit) ** x.value.shape[axis] - 1) * magnitudes
        return Bounded(x.value.sum(axis).ravel(), error.ravel(), x.unit)


def fill_memory(problem, emulation, a, b, offsets):
    """Writes every buffer; returns the operands as the epilogue sees them."""
    operands = {}
    for kernel in emulation.kernels:
        for argument in kernel.arguments:
            if argument.operand:
                operands[argument.name] = argument
    for name in emulation.types:
        emulation.write(name, np.zeros(0))
    begin_outputs(emulation)
    emulation.write("a", problem.stored(a, "a", problem.layout[0] == "t"))
    if problem.groups:
        emulation.write("offsets", offsets)
    emulation.write("b", problem.stored(b, "b", problem.layout[1] == "t"))
    values = []
    for name, argument in sorted(operands.items()):
        data = problem.fill(argument.elements, argument.type)
        emulation.write(name, data)
        values.append(Bounded(spread(data, argument.operand, problem), 0.0, problem.unit))
    return values


def begin_outputs(emulation):
    """Leaves in memory what outputs begin with."""
    for argument in find_outputs(emulation):
        if argument.initial is not None:
            before = KEPT_BITS if argument.output == "or" else argument.initial
            emulation.write(argument.name, np.full(argument.elements, float(before)))


def find_outputs(emulation):
    """The arguments that are outputs of the epilogue, in their order."""
    outputs = {a.name: a for kernel in emulation.kernels for a in kernel.arguments if a.output}
    return [outputs[name] for name in sorted(outputs)]


def compare(name, got, expected, form):
    """What is wrong with `got`, or an empty text."""
    with np.errstate(invalid="ignore"):
        low = FORMATS[form].round(expected.value - expected.error)
        high = FORMATS[form].round(expected.value + expected.error)
        # Beside an infinite sum of magnitudes there is no bound: NaN or that infinity.
        unbounded = ~np.isfinite(expected.value)
        low, high = np.where(unbounded, expected.value, low), np.where(unbounded, expected.value, high)
        right = ((low <= got) & (got <= high)) | (np.isnan(got) & np.isnan(expected.value))
    if right.all():
        return ""
    worst = np.unravel_index(np.argmin(right), right.shape)
    return (
        f"{(~right).sum()} of {right.size} elements of {name} are wrong, the first at {list(map(int, worst))}: "
        f"{got[worst]} instead of {low[worst]} to {high[worst]}"
    )


def check_result(problem, emulation, expected):
    memory = emulation.read("d")
    places = problem.places("d", problem.m, problem.n)
    between = np.ones(memory.size, bool)
    between[places] = False
    if not np.isnan(memory[between]).all():
        return "elements between the rows of D were written"
    return compare("d", memory[places], expected, problem.d)


def check_outputs(emulation, results):
    """What is wrong with outputs of an epilogue, of which `results` are the elements."""
    outputs = find_outputs(emulation)
    if len(outputs) != len(results):
        return f"{len(outputs)} outputs instead of {len(results)}"
    for argument, result in zip(outputs, results):
        got = emulation.read(argument.name)[: argument.elements]
        if wrong := compare(argument.name, got, reduce(result, argument.output), argument.type):
            return wrong
    return ""


def check_numbers(problem, emulation, unit=UNIT):
    """What is wrong with the numbers of a kernel on `emulation`, or an empty text, and the
    statistics of its run."""
    a, b = problem.make_matrices()
    offsets = group_offsets(problem) if problem.groups else ()
    operands = fill_memory(problem, emulation, a, b, offsets)
    statistics = emulation.run(problem.blocks, problem.seed)
    a, b = as_multiplied(a, problem.a, problem.chip), as_multiplied(b, problem.b, problem.chip)
    results = [multiply(problem, a, b, offsets, unit)]
    if problem.epilogue:
        results = EPILOGUES[problem.epilogue](results[0], *operands)
    wrong = check_result(problem, emulation, results[0])
    return wrong or check_outputs(emulation, results[1:]), statistics


def check(line):
    """What is wrong with one kernel, or an empty text."""
    problem = Problem(line)
    with tempfile.TemporaryDirectory() as folder:
        try:
            module, kernels = kernel_launch.generate(problem.options, os.path.join(FOLDER, "epilogues.mlir"), folder)
            wrong, statistics = check_numbers(problem, kernel_launch.Emulation(module, kernels, folder))
        except kernel_launch.Failure as failure:
            return str(failure)
        conflicts = kernel_launch.bank_conflicts(statistics)
        return wrong or (
            f"{conflicts} bank conflicts of matrix and other accesses" if any(conflicts) else ""
        )


def main():
    check_table(sys.argv[1], sys.argv[2:], check)


if __name__ == "__main__":
    main()
