"""Compares generated convolutions and gradients on the emulator with float64.

    verify_convolutions.py [--against-torch] TABLE [WORD...]

Each line of TABLE is the options of one kernel, as amp-generate-convolution takes them,
then `| DATA GRID SEED` as for verify_numbers.py, and how many schedules from SEED on are
run (1). The bound is that of verify_numbers.py: a result is a sum
of K products, and the zeros of the padding are products, too, that err by nothing. With
strides a data gradient sums fewer than R * S * filters terms; the bound for all of them
holds.

The reference is a sum over the taps of the filter, each a product of arrays in float64
that are cut out of the padded tensors. Where a tap meets the padding it multiplies by
zero, as the kernels do, so that NaN and infinities of the other operand come through. A
data gradient has a product only where a tap meets a pixel of y or of its surroundings,
not between two of them.

--against-torch runs no kernel: it compares this reference with PyTorch's in float64, for
finite data.

One line for each kernel, with what is wrong; exit status 1 if anything is.
"""

import os
import sys
import tempfile

import numpy as np

import kernel_launch
from check_table import check_table
from number_formats import FORMATS
from verify_numbers import EPILOGUES, FOLDER, UNIT, Bounded, as_multiplied, begin_outputs, check_outputs, compare

EPILOGUES_FILE = os.path.join(FOLDER, "epilogues.mlir")


def pair(text):
    return [int(x) for x in text.split("x")]


class Convolution:
    """The options of one line, with the pass's defaults."""

    def __init__(self, line):
        text, _, rest = line.partition("|")
        self.line, self.options = line, text.strip()
        self.data, *rest = rest.split() or ["random"]
        self.blocks, self.seed, self.seeds = [int(x) for x in rest] + [2, 0, 1][len(rest) :]
        given = dict(word.split("=") for word in text.split())
        self.chip = given.get("chip", "sm_90a")
        self.kind = given.get("kind", "forward")
        self.n, self.h, self.w, self.c, self.k, self.groups = (
            int(given.get(name, 1)) for name in ("batch", "height", "width", "channels", "filters", "groups")
        )
        self.r, self.s = pair(given.get("filter", "1x1"))
        self.stride = pair(given.get("stride", "1x1"))
        self.dilation = pair(given.get("dilation", "1x1"))
        padding = given.get("padding", "0x0")
        if "," in padding:
            self.top, self.bottom, self.left, self.right = map(int, padding.split(","))
        else:
            self.top, self.left = self.bottom, self.right = pair(padding)
        self.p = (self.h + self.top + self.bottom - (self.r - 1) * self.dilation[0] - 1) // self.stride[0] + 1
        self.q = (self.w + self.left + self.right - (self.s - 1) * self.dilation[1] - 1) // self.stride[1] + 1
        self.a, self.d = (given.get(name + "-type", "bf16") for name in "ad")
        self.epilogue = given.get("epilogue", "")
        self.unit = 0.0 if self.data == "integer" else UNIT
        self.random = np.random.default_rng(sum(line.encode()))
        self.shapes = {
            "x": (self.n, self.h, self.w, self.c),
            "f": (self.k, self.r, self.s, self.c // self.groups),
            "y": (self.n, self.p, self.q, self.k),
        }
        self.result = {"forward": "y", "data-gradient": "x", "weight-gradient": "f"}[self.kind]
        self.operands = [name for name in "xfy" if name != self.result]

    def terms(self):
        filters, channels = self.k // self.groups, self.c // self.groups
        return {"y": self.r * self.s * channels, "x": self.r * self.s * filters, "f": self.n * self.p * self.q}[self.result]

    def result_matrix(self):
        """Rows and columns of the result as epilogues see it."""
        shape = self.shapes[self.result]
        if self.result == "f":
            return self.k, self.r * self.s * shape[3]
        return shape[0] * shape[1] * shape[2], shape[3]

    def fill(self, shape, form):
        if self.data == "integer" or form == "i32":
            return self.random.integers(-3, 4, shape).astype(np.float64)
        scale = 128.0 if self.data == "large" else 1.0
        return FORMATS[form].round(scale * self.random.uniform(-1, 1, shape))

    def make_operands(self):
        tensors = {name: self.fill(self.shapes[name], self.a) for name in self.operands}
        if self.data == "special":
            for tensor in tensors.values():
                for kind in (np.nan, np.inf, -np.inf) if tensor.size else ():
                    tensor[tuple(self.random.integers(0, size) for size in tensor.shape)] = kind
        return tensors


def cut(padded, conv, r, s):
    """The pixels that tap (r, s) meets, for each pixel of y."""
    y, x = r * conv.dilation[0], s * conv.dilation[1]
    height, width = (conv.p - 1) * conv.stride[0] + 1, (conv.q - 1) * conv.stride[1] + 1
    return padded[:, y : y + height : conv.stride[0], x : x + width : conv.stride[1]]


def meetings(size, pad, tap, stride, dilation, places):
    """Pixels of a data gradient that a tap meets along one dimension, and where in y; the
    place after the last is the surroundings of y."""
    at = np.arange(size) + pad - tap * dilation
    met = np.nonzero(at % stride == 0)[0]
    place = at[met] // stride
    return met, np.where((place >= 0) & (place < places), place, places)


def reference(conv, tensors):
    """The result in float64."""
    result = np.zeros(conv.shapes[conv.result])
    filters, channels = conv.k // conv.groups, conv.c // conv.groups
    around = ((0, 0), (conv.top, conv.bottom), (conv.left, conv.right), (0, 0))
    padded = {name: np.pad(tensors[name], around) for name in tensors if name == "x"}
    if conv.result == "x":
        padded["y"] = np.pad(tensors["y"], ((0, 0), (0, 1), (0, 1), (0, 0)))
    for group in range(conv.groups):
        f, c = slice(group * filters, (group + 1) * filters), slice(group * channels, (group + 1) * channels)
        for r in range(conv.r):
            for s in range(conv.s):
                if conv.result == "y":
                    result[..., f] += cut(padded["x"], conv, r, s)[..., c] @ tensors["f"][f, r, s].T
                elif conv.result == "f":
                    pixels = cut(padded["x"], conv, r, s)[..., c].reshape(-1, channels)
                    result[f, r, s] = tensors["y"][..., f].reshape(-1, filters).T @ pixels
                else:
                    rows, from_rows = meetings(conv.h, conv.top, r, conv.stride[0], conv.dilation[0], conv.p)
                    columns, from_columns = meetings(conv.w, conv.left, s, conv.stride[1], conv.dilation[1], conv.q)
                    met = padded["y"][:, from_rows[:, None], from_columns[None, :], f]
                    result[:, rows[:, None], columns[None, :], c] += met @ tensors["f"][f, r, s]
    return result


def multiply(conv, tensors, unit=UNIT):
    """The result, and how far sums of it may be off, each addition by `unit`."""
    with np.errstate(invalid="ignore"):
        sums = reference(conv, tensors)
        error = np.zeros(sums.shape)
        if conv.unit:
            magnitudes = reference(conv, {name: np.abs(tensor) for name, tensor in tensors.items()})
            error = ((1 + unit) ** conv.terms() - 1) * magnitudes
    rows, columns = conv.result_matrix()
    return Bounded(sums.reshape(1, rows, columns), error.reshape(1, rows, columns), conv.unit)


def spread(values, kind, conv):
    rows, columns = conv.result_matrix()
    shapes = {"column": (1, 1, columns), "row": (1, rows, 1), "matrix": (1, rows, columns), "scalar": (1, 1, 1)}
    return values.reshape(shapes[kind])


def fill_memory(conv, emulation, tensors):
    """Writes every buffer; returns the operands as the epilogue sees them."""
    operands = {a.name: a for kernel in emulation.kernels for a in kernel.arguments if a.operand}
    for name in emulation.types:
        emulation.write(name, tensors.get(name, np.zeros(0)))
    begin_outputs(emulation)
    values = []
    for name, argument in sorted(operands.items()):
        data = conv.fill(argument.elements, argument.type)
        emulation.write(name, data)
        values.append(Bounded(spread(data, argument.operand, conv), 0.0, conv.unit))
    return values


def check_numbers(conv, emulation, unit=UNIT):
    """What is wrong with the numbers of a convolution on `emulation`, or an empty text, and
    the statistics of its run."""
    tensors = conv.make_operands()
    operands = fill_memory(conv, emulation, tensors)
    statistics = emulation.run(conv.blocks, conv.seed, conv.seeds)
    multiplied = {name: as_multiplied(tensor, conv.a, conv.chip) for name, tensor in tensors.items()}
    expected = multiply(conv, multiplied, unit)
    outputs = []
    if conv.epilogue:
        expected, *outputs = EPILOGUES[conv.epilogue](expected, *operands)
    rows, columns = conv.result_matrix()
    got = emulation.read(conv.result)[: rows * columns].reshape(1, rows, columns)
    wrong = compare(conv.result, got, expected, conv.d)
    return wrong or check_outputs(emulation, outputs), statistics


def run_kernels(conv, module, kernels, folder, limit=None):
    """What is wrong with a module, or an empty text."""
    try:
        wrong, statistics = check_numbers(conv, kernel_launch.Emulation(module, kernels, folder, limit))
    except kernel_launch.Failure as failure:
        return str(failure)
    matrix, _ = kernel_launch.bank_conflicts(statistics)
    return wrong or (f"{matrix} bank conflicts of matrix loads and stores" if matrix else "")


def generate(conv, folder):
    """Writes the module of a convolution and returns its path and its kernels."""
    return kernel_launch.generate(conv.options, EPILOGUES_FILE, folder, "amp-generate-convolution")


def check(line):
    """What is wrong with one convolution, or an empty text."""
    conv = Convolution(line)
    with tempfile.TemporaryDirectory() as folder:
        try:
            module, kernels = generate(conv, folder)
        except kernel_launch.Failure as failure:
            return str(failure)
        return run_kernels(conv, module, kernels, folder)


def check_against_torch(line):
    """What is wrong with the reference itself, or an empty text."""
    import torch

    conv = Convolution(line)
    conv.data = "random"
    tensors = conv.make_operands()
    full = {name: tensors.get(name, conv.fill(shape, "f32")) for name, shape in conv.shapes.items()}
    x, y, f = (torch.tensor(full[name]).permute(0, 3, 1, 2) for name in "xyf")
    # PyTorch pads alike on both sides: pad x here, and cut its gradient again.
    x = torch.nn.functional.pad(x, (conv.left, conv.right, conv.top, conv.bottom)).requires_grad_()
    f = f.clone().requires_grad_()
    out = torch.nn.functional.conv2d(x, f, None, conv.stride, 0, conv.dilation, conv.groups)
    if conv.result == "y":
        expected = out.detach()
    else:
        out.backward(y)
        expected = f.grad if conv.result == "f" else x.grad[:, :, conv.top : conv.top + conv.h, conv.left : conv.left + conv.w]
    difference = np.abs(reference(conv, tensors) - expected.permute(0, 2, 3, 1).numpy())
    bound = 2.0**-52 * (conv.terms() + 1) * max(conv.terms(), 1)
    return "" if (difference <= bound).all() else f"differs from PyTorch by {difference.max()}, beyond {bound}"


def main():
    arguments = sys.argv[1:]
    against_torch = arguments[:1] == ["--against-torch"]
    table, *words = arguments[against_torch:]
    check_table(table, words, check_against_torch if against_torch else check)


if __name__ == "__main__":
    main()
