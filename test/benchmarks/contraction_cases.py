"""Products and convolutions as linalg operations on buffers and as calls of PyTorch.

A case is one contraction in both worlds: what `contraction-bench --cases` reads, and a
function of the operands that PyTorch computes. The operations are those that the host
pipeline has before it makes loops. A gradient of an image with strides is divided as there:
one convolution for each offset that a stride leaves, none multiplies the zeros between.
"""

import dataclasses
import itertools
import json
import typing

import torch
from torch.nn import functional


@dataclasses.dataclass
class Case:
    """What the fields of Case in contraction.cpp are, and a call."""

    name: str
    m: int
    n: int
    k: int
    batch: int
    a: tuple
    b: tuple
    c: tuple
    operation: str
    # Takes both operands and whether oneDNN has to compute; returns a function, or None where
    # PyTorch has no way to ask for that.
    make_call: typing.Callable

    @property
    def operations(self):
        return 2 * self.m * self.n * self.k * self.batch

    def to_json(self):
        fields = {name: getattr(self, name) for name in ("name", "m", "n", "k", "batch", "operation")}
        shapes = {name: "".join(f"{extent}x" for extent in getattr(self, name)) for name in "abc"}
        return json.dumps(fields | shapes)


def make_product(name, m, n, k, layout="nn", batch=1):
    """A of m x k by B of k x n; one that the layout has a t for is stored the other way round."""
    is_batched = batch > 1
    transposes = [letter == "t" for letter in layout]

    def map_of(rows, columns, is_transposed=False):
        indices = f"{columns}, {rows}" if is_transposed else f"{rows}, {columns}"
        return f"affine_map<(b, m, n, k) -> (b, {indices})>" if is_batched else \
            f"affine_map<(m, n, k) -> ({indices})>"

    def shape_of(rows, columns, is_transposed=False):
        sides = (columns, rows) if is_transposed else (rows, columns)
        return (batch, *sides) if is_batched else sides

    maps = ", ".join((map_of("m", "k", transposes[0]), map_of("k", "n", transposes[1]), map_of("m", "n")))
    operation = f"linalg.{'batch_' if is_batched else ''}matmul indexing_maps = [{maps}] " \
        "ins(%a, %b : $A, $B) outs(%c : $C)"

    def make_call(a, b, needs_onednn):
        x, y = (t.mT if is_transposed else t for t, is_transposed in zip((a, b), transposes))
        if not needs_onednn or a.dtype != torch.float32:
            return lambda: torch.matmul(x, y)
        if is_batched:
            return None
        return lambda: torch.ops.mkldnn._linear_pointwise(x, y.mT, None, "none", [], "")

    return Case(name, m, n, k, batch, shape_of(m, k, transposes[0]), shape_of(k, n, transposes[1]), shape_of(m, n),
                operation, make_call)


class Text:
    """Operations on 4-D buffers, line by line."""

    def __init__(self):
        self.lines, self.numbers, self.allocated = [], itertools.count(), []

    def add(self, line):
        self.lines.append(line)

    def name(self, line):
        value = f"%v{next(self.numbers)}"
        self.add(f"{value} = {line}")
        return value

    def allocate(self, shape):
        type = f"memref<{'x'.join(map(str, shape))}x$T>"
        value = self.name(f"memref.alloc() : {type}")
        self.allocated.append(f"memref.dealloc {value} : {type}")
        return value, type

    def view(self, source, type, shape, element, offsets, sizes, steps):
        """A part of a buffer that has no strides yet."""
        strides = [shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1]
        offset = sum(o * s for o, s in zip(offsets, strides))
        layout = f"strided<{[s * t for s, t in zip(strides, steps)]}, offset: {offset}>"
        result = f"memref<{'x'.join(map(str, sizes))}x{element}, {layout}>"
        value = self.name(f"memref.subview {source}{list(offsets)}{list(sizes)}{list(steps)} : {type} to {result}")
        return value, result

    def pad(self, source, type, shape, low, high):
        """A copy with zeros around its rows and columns."""
        if not (low or high):
            return source, type, shape
        padded = (*shape[:2], shape[2] + low + high, shape[3] + low + high)
        value, result = self.allocate(padded)
        zero = self.name("arith.constant 0.0 : $T")
        self.add(f"linalg.fill ins({zero} : $T) outs({value} : {result})")
        inner, inner_type = self.view(value, result, padded, "$T", (0, 0, low, low), shape, (1, 1, 1, 1))
        self.add(f"linalg.copy ins({source} : {type}) outs({inner} : {inner_type})")
        return value, result, padded

    def contract(self, dims, maps, parallel, operands):
        """A product of the first two operands that is added to the third."""
        maps = ", ".join(f"affine_map<({dims}) -> ({indices})>" for indices in maps)
        count = dims.count(",") + 1
        kinds = ", ".join(['"parallel"'] * parallel + ['"reduction"'] * (count - parallel))
        (x, x_type), (y, y_type), (z, z_type) = operands
        self.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                 f"ins({x}, {y} : {x_type}, {y_type}) outs({z} : {z_type}) $BODY")

    def __str__(self):
        return "\n  ".join(self.lines + self.allocated)


def flip(text, weights, phase, kernel, stride):
    """Every stride-th weight from (t, u) on, the last one first, as a buffer of its own."""
    counts = [len(range(start, kernel, stride)) for start in phase]
    value, result = text.allocate((*weights[:2], *counts))
    places = [f"{start + stride * (count - 1)} - {stride} * {dim}" for start, count, dim in zip(phase, counts, "uv")]
    maps = f"affine_map<(f, c, u, v) -> (f, c, {places[0]}, {places[1]})>, affine_map<(f, c, u, v) -> (f, c, u, v)>"
    kinds = ", ".join(['"parallel"'] * 4)
    text.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins(%b : $B) "
             f"outs({value} : {result}) {{\n^bb0(%x: $T, %y: $T):\nlinalg.yield %x : $T\n}}")
    return value, result, counts


def write_image_gradient(image, weights, output, stride, padding):
    """dx[h] adds dy[o] w[k] where h + padding = stride o + k. All h of one remainder by the stride are
    reached by the same k, and o goes down where k goes up: a convolution with flipped weights."""
    text, kernel = Text(), weights[2]
    phases = [(r, (r + padding) % stride, (r + padding) // stride) for r in range(stride)]
    phases = [(r, t, q, len(range(t, kernel, stride)), len(range(r, image[2], stride))) for r, t, q in phases]
    phases = [phase for phase in phases if phase[3]]
    low = max(max(count - 1 - q, 0) for _, _, q, count, _ in phases)
    high = max(max(size + q - output[2], 0) for _, _, q, _, size in phases)
    source, source_type, padded = text.pad("%a", "$A", output, low, high)
    for row, column in itertools.product(phases, phases):
        if kernel == 1:
            filters, filters_type, counts = "%b", "$B", [1, 1]
        else:
            filters, filters_type, counts = flip(text, weights, (row[1], column[1]), kernel, stride)
        starts = [q - (count - 1) + low for _, _, q, count, _ in (row, column)]
        sizes = [size + count - 1 for _, _, _, count, size in (row, column)]
        part = text.view(source, source_type, padded, "$T", (0, 0, *starts), (*output[:2], *sizes), (1, 1, 1, 1))
        result = text.view("%c", "$C", image, "f32", (0, 0, row[0], column[0]), (*image[:2], row[4], column[4]),
                           (1, 1, stride, stride)) if stride > 1 else ("%c", "$C")
        text.contract("n, c, y, x, f, u, v", ("n, f, y + u, x + v", "f, c, u, v", "n, c, y, x"), 4,
                      (part, (filters, filters_type), result))
    return str(text)


def write_from_image(image, stride, padding, direction):
    """The two contractions that read windows of an image: forward, and the gradient of filters."""
    text = Text()
    source, source_type, _ = text.pad("%a", "$A", image, padding, padding)
    window, filters, outputs = f"n, c, y * {stride} + u, x * {stride} + v", "f, c, u, v", "n, f, y, x"
    operands = ((source, source_type), ("%b", "$B"), ("%c", "$C"))
    if direction == "forward":
        text.contract("n, f, y, x, c, u, v", (window, filters, outputs), 4, operands)
    else:
        text.contract("f, c, u, v, n, y, x", (window, outputs, filters), 4, operands)
    return str(text)


def make_convolution(name, direction, images, channels, size, filters, kernel, stride=1):
    """A convolution that pads to half of its kernel, or the gradient of its `image` or `filter`."""
    padding = kernel // 2
    image, weights = (images, channels, size, size), (filters, channels, kernel, kernel)
    side = (size + 2 * padding - kernel) // stride + 1
    output = (images, filters, side, side)
    a, b, c = {"forward": (image, weights, output), "image": (output, weights, image),
               "filter": (image, output, weights)}[direction]
    operation = write_image_gradient(image, weights, output, stride, padding) if direction == "image" \
        else write_from_image(image, stride, padding, direction)

    def make_call(a, b, needs_onednn):
        layout = torch.channels_last if needs_onednn else torch.contiguous_format
        a, b = (t.contiguous(memory_format=layout) for t in (a, b))
        if direction == "forward":
            return lambda: functional.conv2d(a, b, None, stride, padding)
        x, w, dy = (torch.zeros(image, dtype=a.dtype).contiguous(memory_format=layout), b, a) \
            if direction == "image" else (a, torch.zeros(weights, dtype=a.dtype).contiguous(memory_format=layout), b)
        wanted = [direction == "image", direction == "filter", False]
        return lambda: torch.ops.aten.convolution_backward(
            dy, x, w, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], 1, wanted)[wanted.index(True)]

    pixels, window = images * side * side, channels * kernel * kernel
    sides = {"forward": (filters, pixels, window), "image": (window, pixels, filters),
             "filter": (filters, window, pixels)}[direction]
    return Case(name, *sides, 1, a, b, c, operation, make_call)


def make_squares():
    return [make_product(f"{side}^3", side, side, side) for side in (256, 512, 1024, 2048)]


def make_gpt_mid():
    """4 x 256 tokens, width 512, 8 heads of 64, 8192 words: linear layers with their gradients, and
    attention's products."""
    cases = []
    layers = {"qkv": (512, 1536), "projection": (512, 512), "mlp in": (512, 2048), "mlp out": (2048, 512),
              "words": (512, 8192)}
    tokens, heads, length, width = 1024, 32, 256, 64
    for layer, (inputs, outputs) in layers.items():
        cases += [make_product(f"gpt_mid {layer}", tokens, outputs, inputs, "nt"),
                  make_product(f"gpt_mid {layer}, input", tokens, inputs, outputs, "nn"),
                  make_product(f"gpt_mid {layer}, weight", outputs, inputs, tokens, "tn")]
    cases += [make_product("gpt_mid scores", length, length, width, "nt", heads),
              make_product("gpt_mid values", length, width, length, "nn", heads),
              make_product("gpt_mid values, weight", length, width, length, "tn", heads)]
    return cases


def make_resnet_mid():
    """ResNet-50's blocks, two of each width, on 16 images of 64 x 64: each convolution once."""
    shapes = {(3, 32 * 2, 64, 7, 2): None}
    before, size = 64, 16
    for width, step in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for stride in (step, 1):
            shapes |= dict.fromkeys([(before, size, width, 1, 1), (width, size, width, 3, stride)])
            if before != 4 * width:
                shapes[before, size, 4 * width, 1, stride] = None
            size //= stride
            shapes[width, size, 4 * width, 1, 1] = None
            before = 4 * width
    cases = []
    for channels, side, filters, kernel, stride in shapes:
        name = f"resnet_mid {channels}x{side}x{side} {filters}x{kernel}x{kernel}" + ("/2" if stride == 2 else "")
        for direction in ("forward", "image", "filter"):
            # Nobody asks for the gradient of the images that a model is given.
            if channels != 3 or direction != "image":
                cases.append(make_convolution(name + ("" if direction == "forward" else f", {direction}"), direction,
                                              16, channels, side, filters, kernel, stride))
    return cases


def make_cases():
    return make_squares() + make_gpt_mid() + make_resnet_mid()
