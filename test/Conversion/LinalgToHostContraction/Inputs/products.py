"""Writes a module that computes many contractions and prints a checksum of each.

    products.py [--integers] [--from-zero] [--short] [--in-place] TYPE...

TYPE is f32, f16, bf16 or two of them as f16xf32.

Each product is a function of its own; @main fills the operands, the output
included, calls it and prints the sum over the bits of the buffer behind the
output, weighted by position, so that a write at a wrong place shows as well. Two
lowerings of one module agree if their output is the same text.

f32 operands hold small integers: every sum is exact in any order. f16 and bf16
operands hold numbers of full precision and mixed magnitude, whose sums round:
their products are exact in f32, so sums agree if they are taken in one order.
With --integers they hold small integers too.

With --short, sums that are longer than a block are left out: those of f16 and bf16 then
are the sums of plain loops where they start from zero.

With --in-place the products are those with an operand that is read where it is.

With --from-zero each product stands behind a fill of its output with zeros. The output
holds other values before; where the number of steps is known, nobody needs the fill.
"""

import math
import sys


def shape(sizes, element):
    return "memref<" + "".join(f"{size}x" for size in sizes) + element + ">"


def flatten(value, name, sizes, element):
    """Lines that see the buffer `value` as the flat one that is %NAME_flat."""
    dims = ", ".join(map(str, range(len(sizes))))
    row = shape([math.prod(sizes)], element)
    return [
        f"  %{name}_row = memref.collapse_shape {value} [[{dims}]] : {shape(sizes, element)} into {row}",
        f"  %{name}_flat = memref.cast %{name}_row : {row} to {shape(['?'], element)}",
    ]


def make_filled(value, name, sizes, element, seed):
    """Lines that allocate the buffer `value`, and fill it."""
    return [
        f"  {value} = memref.alloc() : {shape(sizes, element)}",
        *flatten(value, name, sizes, element),
        f"  %{name}_seed = arith.constant {seed} : i64",
        f"  call @fill_{element}(%{name}_flat, %{name}_seed) : ({shape(['?'], element)}, i64) -> ()",
    ]


def write_fills(integers):
    """What fills buffers and shows them."""
    print(FILL.replace("APART", APART))
    for element, mask, base in (("f16", "0x9FFF", "0x2C00"), ("bf16", "0x83FF", "0x3D80")):
        number = ANY_HALF.replace("MASK", mask).replace("BASE", base)
        print(INTEGER_HALF[element] if integers else number.replace("TYPE", element))
    for element in ("f32", "f16", "bf16"):
        print(FILL_TYPE.replace("TYPE", element).replace("APART", APART))


def write_run(number, lines):
    """@runNUMBER, which shows what is in %c_flat after `lines`."""
    print(f"func.func private @run{number}() {APART} {{")
    print("\n".join(lines))
    print(f"  %number = arith.constant {number} : i64")
    print("  call @show(%number, %c_flat) : (i64, memref<?xf32>) -> ()")
    print("  return\n}")


def write_main(count):
    print("func.func @main() {")
    for i in range(1, count + 1):
        print(f"  call @run{i}() : () -> ()")
    print("  return\n}")


class Operand:
    """A buffer and the part of it that is the operand: by default all."""

    def __init__(self, sizes, buffer=None, offsets=None, steps=None):
        self.sizes = list(sizes)
        self.buffer = list(buffer or sizes)
        self.offsets = list(offsets or [0] * len(self.sizes))
        self.steps = list(steps or [1] * len(self.sizes))
        self.part = buffer is not None

    def type(self, element, dynamic=False):
        sizes = ["?"] * len(self.sizes) if dynamic else self.sizes
        if not self.part:
            return shape(sizes, element)
        strides, stride, offset = [], 1, 0
        for size, step, start in reversed(
            list(zip(self.buffer, self.steps, self.offsets))
        ):
            strides.insert(0, stride * step)
            offset += stride * start
            stride *= size
        if dynamic:
            strides, offset = ["?"] * len(strides), "?"
        layout = f"strided<[{', '.join(map(str, strides))}], offset: {offset}>"
        return shape(sizes, element)[:-1] + ", " + layout + ">"

    def make(self, name, element, seed, dynamic):
        """Lines that allocate and fill the buffer and cut the operand out."""
        whole = shape(self.buffer, element)
        lines = make_filled(f"%{name}_whole", name, self.buffer, element, seed)
        part, type = f"%{name}_whole", whole
        if self.part:
            part, type = f"%{name}_part", self.type(element)
            lines.append(
                f"  {part} = memref.subview %{name}_whole{self.offsets}"
                f" {self.sizes} {self.steps} : {whole} to {type}"
            )
        target = self.type(element, dynamic)
        if target != type:
            lines.append(f"  %{name} = memref.cast {part} : {type} to {target}")
            part = f"%{name}"
        return lines, part, target


def matmul(m, n, k):
    return ("linalg.matmul ins(%a, %b : A, B) outs(%c : C)",
            Operand([m, k]), Operand([k, n]), Operand([m, n]))


def mapped(dims, a, b, c, named="linalg.matmul"):
    maps = ", ".join(f"affine_map<({dims}) -> ({x})>" for x in (a, b, c))
    return f"{named} indexing_maps = [{maps}] ins(%a, %b : A, B) outs(%c : C)"


def generic(dims, a, b, c, kinds):
    """A linalg.generic; kinds: p and r, one for each dimension."""
    maps = ", ".join(f"affine_map<({dims}) -> ({x})>" for x in (a, b, c))
    names = {"p": '"parallel"', "r": '"reduction"'}
    iterators = ", ".join(names[kind] for kind in kinds)
    return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types ="
            f" [{iterators}]}} ins(%a, %b : A, B) outs(%c : C) {{\n"
            "  ^bb0(%x: EA, %y: EB, %z: f32):\n"
            "    WIDEN_X\n    WIDEN_Y\n"
            "    %p = arith.mulf %xw, %yw : f32\n"
            "    %s = arith.addf %z, %p : f32\n"
            "    linalg.yield %s : f32\n  }")


def conv(name, strides=(1, 1), dilations=(1, 1)):
    def dense(numbers):
        return f"dense<{list(numbers)}> : tensor<{len(numbers)}xi64>"

    return (f"linalg.{name} {{strides = {dense(strides)}, dilations ="
            f" {dense(dilations)}}} ins(%a, %b : A, B) outs(%c : C)")


# Of more than 384 products.
LONG = ("matmul_33x40x500", "matmul_5x9x1100", "matmul_200x1100x500", "transpose_a_40x36x900",
        "transpose_b_40x36x900", "transpose_a_200x36x900", "transpose_b_200x36x900")


def cases(short):
    yield from (case for case in all_cases() if not short or case[0] not in LONG)


def all_cases():
    # Every edge of tiles, panels and blocks, and nothing at all.
    for m, n, k in [(1, 1, 1), (1, 17, 65), (17, 1, 7), (7, 65, 17), (65, 7, 1),
                    (65, 65, 65), (8, 32, 16), (6, 16, 8), (16, 64, 40),
                    (0, 7, 7), (7, 0, 7), (7, 7, 0), (33, 40, 500),
                    (200, 33, 20), (200, 1100, 500), (3, 2100, 5), (5, 9, 1100), (64, 10, 32),
                    (12, 24, 9)]:
        yield (f"matmul_{m}x{n}x{k}", *matmul(m, n, k))
    m, n, k = 17, 65, 33
    dims = "m, n, k"
    yield ("transpose_a", mapped(dims, "k, m", "k, n", "m, n"),
           Operand([k, m]), Operand([k, n]), Operand([m, n]))
    yield ("transpose_b", mapped(dims, "m, k", "n, k", "m, n"),
           Operand([m, k]), Operand([n, k]), Operand([m, n]))
    yield ("transpose_both", mapped(dims, "k, m", "n, k", "m, n"),
           Operand([k, m]), Operand([n, k]), Operand([m, n]))
    # Groups of columns and squares, and what they leave; three blocks of the sum; rows of one block, and of two.
    for wide_m, wide_n, wide_k in ((72, 100, 70), (40, 36, 900), (200, 36, 900)):
        size = f"{wide_m}x{wide_n}x{wide_k}"
        yield (f"transpose_a_{size}", mapped(dims, "k, m", "k, n", "m, n"),
               Operand([wide_k, wide_m]), Operand([wide_k, wide_n]), Operand([wide_m, wide_n]))
        yield (f"transpose_b_{size}", mapped(dims, "m, k", "n, k", "m, n"),
               Operand([wide_m, wide_k]), Operand([wide_n, wide_k]), Operand([wide_m, wide_n]))
    # Steps that are neighbours for 40 and end within a square.
    yield ("broken_squares", generic("m, n, k, l", "m, k, l", "n, k, l", "m, n", "pprr"),
           Operand([40, 3, 40], [40, 3, 43], [0, 0, 1]), Operand([64, 3, 40], [64, 3, 41]), Operand([40, 64]))
    yield ("transpose_c", generic(dims, "m, k", "k, n", "n, m", "ppr"),
           Operand([m, k]), Operand([k, n]), Operand([n, m]))
    yield ("matvec", "linalg.matvec ins(%a, %b : A, B) outs(%c : C)",
           Operand([65, 33]), Operand([33]), Operand([65]))
    yield ("vecmat", "linalg.vecmat ins(%a, %b : A, B) outs(%c : C)",
           Operand([33]), Operand([33, 65]), Operand([65]))
    yield ("batch_matmul", "linalg.batch_matmul ins(%a, %b : A, B) outs(%c : C)",
           Operand([5, 17, 9]), Operand([5, 9, 35]), Operand([5, 17, 35]))
    yield ("no_batch", "linalg.batch_matmul ins(%a, %b : A, B) outs(%c : C)",
           Operand([0, 17, 9]), Operand([0, 9, 35]), Operand([0, 17, 35]))
    yield ("heads", generic("b, h, q, s, d", "b, q, h, d", "b, s, h, d",
                            "b, h, q, s", "ppppr"),
           Operand([2, 9, 3, 8]), Operand([2, 11, 3, 8]), Operand([2, 3, 9, 11]))
    yield ("inner_batch", generic("m, n, b, k", "m, k, b", "k, n, b", "m, n, b",
                                  "pppr"),
           Operand([7, 5, 3]), Operand([5, 18, 3]), Operand([7, 18, 3]))
    yield ("two_sums", generic("m, n, k, l", "k, l, m", "k, l, n", "m, n", "pprr"),
           Operand([4, 9, 16]), Operand([4, 9, 33]), Operand([16, 33]))
    yield ("swapped_sums", generic("m, n, k, l", "m, l, k", "k, l, n", "m, n",
                                   "pprr"),
           Operand([16, 9, 4]), Operand([4, 9, 33]), Operand([16, 33]))
    yield ("sum_of_one_input", generic("m, n, k, l", "m, k, l", "k, n", "m, n",
                                       "pprr"),
           Operand([16, 9, 4]), Operand([9, 33]), Operand([16, 33]))
    yield ("unit_dimension", generic("m, n, k", "m, 0, k", "k, n", "0, m, n",
                                     "ppr"),
           Operand([9, 1, 8]), Operand([8, 17]), Operand([1, 9, 17]))
    yield ("reversed_rows", generic("m, n, k", "8 - m, k", "k, n", "m, n", "ppr"),
           Operand([9, 8]), Operand([8, 17]), Operand([9, 17]))
    # Parts of larger buffers: what lies beside the output must stay.
    yield ("subviews", "linalg.matmul ins(%a, %b : A, B) outs(%c : C)",
           Operand([17, 33], [20, 40], [1, 3]), Operand([33, 35], [40, 50], [2, 5]),
           Operand([17, 35], [19, 47], [1, 7]))
    yield ("steps", "linalg.matmul ins(%a, %b : A, B) outs(%c : C)",
           Operand([9, 16], [30, 40], [1, 3], [3, 2]),
           Operand([16, 18], [20, 40], [2, 1], [1, 2]),
           Operand([9, 18], [20, 60], [1, 2], [2, 3]))
    # Rows at two distances, whose columns are neighbours: whole tiles of any
    # kernel that are not one matrix in C.
    yield ("rows_in_blocks", generic("i, j, n, k", "i, j, k", "k, n", "i, j, n",
                                     "pppr"),
           Operand([4, 16, 40]), Operand([40, 32]),
           Operand([4, 16, 32], [4, 19, 34], [0, 1, 1]))
    # Convolutions.
    nchw = "conv_2d_nchw_fchw"
    for images, channels, filters, size, window in [
            (3, 5, 7, 10, 3), (2, 3, 16, 6, 3), (2, 8, 33, 4, 3), (1, 1, 1, 5, 5),
            (4, 16, 8, 9, 1)]:
        out = size - window + 1
        yield (f"{nchw}_{images}_{channels}_{filters}_{size}_{window}", conv(nchw),
               Operand([images, channels, size, size]),
               Operand([filters, channels, window, window]),
               Operand([images, filters, out, out]))
    yield ("conv_stride", conv(nchw, strides=(2, 3)), Operand([2, 3, 11, 15]),
           Operand([9, 3, 3, 3]), Operand([2, 9, 5, 5]))
    yield ("conv_dilation", conv(nchw, dilations=(2, 1)), Operand([2, 3, 11, 10]),
           Operand([9, 3, 3, 3]), Operand([2, 9, 7, 8]))
    yield ("conv_nhwc", conv("conv_2d_nhwc_hwcf", (2, 1), (1, 2)),
           Operand([2, 11, 12, 9]), Operand([3, 3, 9, 17]), Operand([2, 5, 8, 17]))
    yield ("conv_one_channel", conv("conv_2d_nhwc_hwcf"), Operand([2, 10, 10, 1]),
           Operand([3, 3, 1, 8]), Operand([2, 8, 8, 8]))
    yield ("conv_1d", "linalg.conv_1d ins(%a, %b : A, B) outs(%c : C)",
           Operand([40]), Operand([9]), Operand([32]))
    yield ("conv_groups", conv("conv_2d_ngchw_gfchw"), Operand([2, 3, 4, 8, 8]),
           Operand([3, 5, 4, 3, 3]), Operand([2, 3, 5, 6, 6]))
    yield ("conv_depthwise", conv("depthwise_conv_2d_nhwc_hwc"),
           Operand([2, 8, 8, 5]), Operand([3, 3, 5]), Operand([2, 6, 6, 5]))
    yield ("conv_of_weights", generic("n, f, h, y, w, x, c", "n, h + y, w + x, c",
                                      "n, y, x, f", "h, w, c, f", "rpprprp"),
           Operand([4, 6, 6, 9]), Operand([4, 4, 4, 16]), Operand([3, 3, 9, 16]))


def cases_in_place():
    """What is multiplied where it is, at each width of vectors unless the name says otherwise."""
    nchw = "conv_2d_nchw_fchw"

    def convolve(name, images, channels, size, filters, window, stride=1, dilation=1, kind=nchw, part=None):
        out = (size - dilation * (window - 1) - 1) // stride + 1
        output = [images, filters, out, out]
        return (name, conv(kind, (stride, stride), (dilation, dilation)), Operand([images, channels, size, size]),
                Operand([filters, channels, window, window]), part(output) if part else Operand(output))

    # Tiles that a window's rows fill, that cross from one image to the next, and that are no whole ones.
    yield convolve("strides", 9, 4, 20, 32, 8, 4)
    yield convolve("even_windows", 29, 6, 12, 16, 4, 2)
    yield convolve("few_pixels", 27, 8, 5, 64, 3)
    yield convolve("dilation", 11, 16, 13, 16, 2, 1, 3)
    # Two blocks of the sum; columns beside the squares; more rows than a block.
    yield convolve("two_blocks", 3, 50, 9, 16, 3)
    yield convolve("columns_beside_squares", 9, 8, 8, 47, 3)
    yield convolve("many_rows", 5, 16, 10, 32, 3)
    # Parts of larger buffers; in the second one no pixels are neighbours, so that nothing is exchanged.
    yield convolve("part", 19, 8, 9, 16, 3, part=lambda sizes: Operand(sizes, [20, 19, 9, 11], [1, 2, 1, 3]))
    yield convolve("steps_of_part", 19, 8, 9, 16, 3, part=lambda sizes: Operand(
        sizes, [19, 16, 7, 15], [0, 0, 0, 1], [1, 1, 1, 2]))
    yield ("groups", conv("conv_2d_ngchw_gfchw"), Operand([9, 3, 8, 8, 8]),
           Operand([3, 16, 8, 3, 3]), Operand([9, 3, 16, 6, 6]))
    # Channels innermost: A as it is.
    yield ("nhwc", conv("conv_2d_nhwc_hwcf", (2, 1)), Operand([23, 11, 12, 6]),
           Operand([3, 3, 6, 17]), Operand([23, 5, 10, 17]))
    # Gradients of filters, of an image and one with strides, and of an image.
    for stride in (1, 2):
        size = 2 + 6 * stride
        yield (f"filters_{stride}", generic("o, c, y, x, n, h, w", "n, o, h, w", f"n, c, {stride} * h + y, {stride} * w + x",
                                            "o, c, y, x", "pppprrr"),
               Operand([41, 16, 6, 6]), Operand([41, 5, size, size]), Operand([16, 5, 3, 3]))
    yield ("filters_nhwc", generic("y, x, c, o, n, h, w", "n, h + y, w + x, c", "n, h, w, o", "y, x, c, o", "pppprrr"),
           Operand([26, 8, 8, 8]), Operand([26, 6, 6, 16]), Operand([3, 3, 8, 16]))
    yield ("image", generic("n, c, h, w, o, y, x", "o, c, y, x", "n, o, h - y + 2, w - x + 2", "n, c, h, w", "pppprrr"),
           Operand([12, 16, 3, 3]), Operand([13, 12, 9, 9]), Operand([13, 16, 7, 7]))
    # Few rows of A, and B with its columns in rows; a column that is not written last.
    for m, n, k in ((16, 133, 70), (8, 200, 500)):
        yield (f"transpose_b_{m}x{n}x{k}", mapped("m, n, k", "m, k", "n, k", "m, n"),
               Operand([m, k]), Operand([n, k]), Operand([m, n], [m + 1, n + 3], [1, 2]))
    yield ("transpose_a_few", mapped("m, n, k", "k, m", "k, n", "m, n"),
           Operand([700, 40]), Operand([700, 39]), Operand([40, 39]))


# LLVM takes its time with functions that inline hundreds of others.
APART = 'attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}'

FILL = """
// A sequence without a pattern that tiles could hide.
func.func private @random(%seed: i64, %i: i64) -> i64 {
  %a = arith.constant 2862933555777941757 : i64
  %b = arith.constant 3202034522624059733 : i64
  %c33 = arith.constant 33 : i64
  %0 = arith.muli %seed, %b : i64
  %1 = arith.addi %0, %i : i64
  %2 = arith.muli %1, %a : i64
  %3 = arith.shrui %2, %c33 : i64
  %4 = arith.xori %2, %3 : i64
  %5 = arith.muli %4, %a : i64
  %6 = arith.shrui %5, %c33 : i64
  return %6 : i64
}
// Integers from -8 to 8.
func.func private @number_f32(%seed: i64, %i: i64) -> f32 {
  %c17 = arith.constant 17 : i64
  %c8 = arith.constant 8 : i64
  %0 = func.call @random(%seed, %i) : (i64, i64) -> i64
  %1 = arith.remui %0, %c17 : i64
  %2 = arith.subi %1, %c8 : i64
  %3 = arith.sitofp %2 : i64 to f32
  return %3 : f32
}
func.func private @printI64(i64)
func.func private @printNewline()
// The number of the product and the checksum of its output.
func.func private @show(%number: i64, %c: memref<?xf32>) APART {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %prime = arith.constant 1099511628211 : i64
  %n = memref.dim %c, %c0 : memref<?xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i64 {
    %v = memref.load %c[%i] : memref<?xf32>
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extui %b : i32 to i64
    %m = arith.muli %s, %prime : i64
    %x = arith.xori %m, %w : i64
    scf.yield %x : i64
  }
  func.call @printI64(%number) : (i64) -> ()
  func.call @printNewline() : () -> ()
  func.call @printI64(%sum) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}
"""

# Signs and fractions at random, exponents from -4 to 3.
ANY_HALF = """
func.func private @number_TYPE(%seed: i64, %i: i64) -> TYPE {
  %mask = arith.constant MASK : i64
  %base = arith.constant BASE : i64
  %0 = func.call @random(%seed, %i) : (i64, i64) -> i64
  %1 = arith.andi %0, %mask : i64
  %2 = arith.addi %1, %base : i64
  %3 = arith.trunci %2 : i64 to i16
  %4 = arith.bitcast %3 : i16 to TYPE
  return %4 : TYPE
}
"""

# Small integers are the same in f32 and, cut off, in bf16.
INTEGER_HALF = {
    "f16": """
func.func private @number_f16(%seed: i64, %i: i64) -> f16 {
  %0 = func.call @number_f32(%seed, %i) : (i64, i64) -> f32
  %1 = arith.truncf %0 : f32 to f16
  return %1 : f16
}
""",
    "bf16": """
func.func private @number_bf16(%seed: i64, %i: i64) -> bf16 {
  %c16 = arith.constant 16 : i32
  %0 = func.call @number_f32(%seed, %i) : (i64, i64) -> f32
  %1 = arith.bitcast %0 : f32 to i32
  %2 = arith.shrui %1, %c16 : i32
  %3 = arith.trunci %2 : i32 to i16
  %4 = arith.bitcast %3 : i16 to bf16
  return %4 : bf16
}
""",
}

FILL_TYPE = """
func.func private @fill_TYPE(%x: memref<?xTYPE>, %seed: i64) APART {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xTYPE>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.index_cast %i : index to i64
    %v = func.call @number_TYPE(%seed, %j) : (i64, i64) -> TYPE
    memref.store %v, %x[%i] : memref<?xTYPE>
  }
  return
}
"""


def body(operation, left, right, types):
    a, b, c = types
    for letter, text in (("A", a), ("B", b), ("C", c)):
        operation = operation.replace(f" {letter},", f" {text},")
        operation = operation.replace(f" {letter})", f" {text})")
    for name, element in (("x", left), ("y", right)):
        if element == "f32":
            operation = operation.replace(f"    WIDEN_{name.upper()}\n", "")
            operation = operation.replace(f"%{name}w", f"%{name}")
        else:
            operation = operation.replace(
                f"WIDEN_{name.upper()}",
                f"%{name}w = arith.extf %{name} : {element} to f32")
    return operation.replace("EA", left).replace("EB", right)


def fill_c(type, from_zero):
    if not from_zero:
        return ""
    return ("%zero = arith.constant 0.0 : f32\n"
            f"  linalg.fill ins(%zero : f32) outs(%c : {type})\n  ")


def write(types, integers, from_zero, cases, shapes=("known", "unknown")):
    write_fills(integers)
    number = 0
    for pair in types:
        left, _, right = pair.partition("x")
        right = right or left
        for name, operation, a, b, c in cases:
            for dynamic in (kind == "unknown" for kind in shapes):
                number += 1
                label = f"{name}_{left}_{right}" + ("_dynamic" if dynamic else "")
                run, values, operands = [], [], []
                for operand, letter, element in ((a, "a", left), (b, "b", right),
                                                 (c, "c", "f32")):
                    lines, value, type = operand.make(
                        letter, element, number * 3 + ord(letter), dynamic)
                    run += lines
                    values.append(value)
                    operands.append(type)
                print(f"func.func private @{label}(%a: {operands[0]},"
                      f" %b: {operands[1]}, %c: {operands[2]}) {APART} {{\n  "
                      + fill_c(operands[2], from_zero)
                      + body(operation, left, right, operands) + "\n  return\n}")
                write_run(number, [*run, f"  call @{label}({', '.join(values)}) : ({', '.join(operands)}) -> ()"])
    write_main(number)


if __name__ == "__main__":
    flags = [a for a in sys.argv[1:] if a.startswith("--")]
    types = [a for a in sys.argv[1:] if a not in flags]
    integers, from_zero = "--integers" in flags, "--from-zero" in flags
    if "--in-place" in flags:
        write(types, integers, from_zero, list(cases_in_place()), shapes=["known"])
    else:
        write(types, integers, from_zero, list(cases("--short" in flags)))
