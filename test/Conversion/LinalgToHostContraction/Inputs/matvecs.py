"""Writes a module that computes many products of one column, as products.py does others.

    matvecs.py [--from-zero] TYPE...

All operands hold small integers: every sum is exact in any order.
"""

import sys

from products import Operand, generic, mapped, write


def depthwise(images, channels, out, window, stride=1, dilation=1):
    """A depthwise convolution and the gradient of its filter, channels outside of pixels."""
    height, width = out
    rows, columns = window
    image = Operand([images, channels, (height - 1) * stride + (rows - 1) * dilation + 1,
                     (width - 1) * stride + (columns - 1) * dilation + 1])
    filters, result = Operand([channels, rows, columns]), Operand([images, channels, height, width])
    pixel = f"n, c, y * {stride} + i * {dilation}, x * {stride} + j * {dilation}"
    name = f"{images}_{channels}_{height}x{width}_{rows}x{columns}_{stride}_{dilation}"
    yield (f"depthwise_{name}", generic("n, c, y, x, i, j", pixel, "c, i, j", "n, c, y, x", "pppprr"),
           image, filters, result)
    yield (f"depthwise_filter_{name}",
           generic("c, i, j, n, y, x", pixel, "n, c, y, x", "c, i, j", "ppprrr"), image, result, filters)


def cases():
    # Rows that vectors of 4, 8 and 16 divide, and others; blocks that end early.
    for out in ((16, 16), (5, 7), (3, 20), (9, 33), (2, 4), (1, 8), (4, 14)):
        yield from depthwise(2, 3, out, (3, 3))
    yield from depthwise(1, 2, (6, 12), (7, 7))
    yield from depthwise(1, 2, (6, 12), (5, 1))
    yield from depthwise(2, 2, (5, 9), (3, 3), stride=2)
    yield from depthwise(2, 2, (8, 16), (3, 2), stride=2, dilation=2)
    yield from depthwise(2, 2, (8, 16), (1, 1))
    # Lanes of a stride that nothing loads, rows too short for any lanes.
    yield from depthwise(2, 2, (5, 9), (3, 3), stride=3)
    yield from depthwise(2, 2, (5, 3), (3, 3))
    # Channels inside of pixels: lanes of all operands.
    pixel = "n, y + i, x + j, c"
    for channels in (5, 24, 33):
        image, filters = Operand([2, 8, 9, channels]), Operand([3, 3, channels])
        result = Operand([2, 6, 7, channels])
        yield (f"inner_channels_{channels}",
               generic("n, y, x, c, i, j", pixel, "i, j, c", "n, y, x, c", "pppprr"), image, filters, result)
        yield (f"inner_channels_filter_{channels}",
               generic("i, j, c, n, y, x", pixel, "n, y, x, c", "i, j, c", "ppprrr"), image, result, filters)
    # Matrices in rows and in columns, long sums with parts and without.
    for m, k in ((65, 33), (4, 4), (12, 8), (13, 5000), (5, 16384), (2, 20001), (300, 7), (1, 40)):
        yield (f"rows_{m}x{k}", "linalg.matvec ins(%a, %b : A, B) outs(%c : C)",
               Operand([m, k]), Operand([k]), Operand([m]))
        yield (f"columns_{m}x{k}", "linalg.vecmat ins(%a, %b : A, B) outs(%c : C)",
               Operand([k]), Operand([k, m]), Operand([m]))
    dims = "m, n, k"
    yield ("one_column", mapped(dims, "m, k", "k, n", "m, n"), Operand([20, 30]), Operand([30, 1]), Operand([20, 1]))
    yield ("one_row", mapped(dims, "m, k", "k, n", "m, n"), Operand([1, 30]), Operand([30, 20]), Operand([1, 20]))
    yield ("one_step", mapped(dims, "m, k", "k, n", "m, n"), Operand([19, 1]), Operand([1, 1]), Operand([19, 1]))
    yield ("one_number", mapped(dims, "m, k", "k, n", "m, n"), Operand([1, 37]), Operand([37, 1]), Operand([1, 1]))
    yield ("batch_of_rows", "linalg.batch_matvec ins(%a, %b : A, B) outs(%c : C)",
           Operand([5, 17, 35]), Operand([5, 35]), Operand([5, 17]))
    yield ("inner_batch", generic("m, b, k", "m, k, b", "k, b", "m, b", "ppr"),
           Operand([7, 5, 18]), Operand([5, 18]), Operand([7, 18]))
    yield ("two_sums", generic("m, k, l", "k, l, m", "l, k", "m", "prr"),
           Operand([4, 9, 21]), Operand([9, 4]), Operand([21]))
    yield ("sum_of_one_input", generic("m, k, l", "m, k, l", "k", "m", "prr"),
           Operand([6, 4, 30]), Operand([4]), Operand([6]))
    # Parts of larger buffers: what lies beside the output must stay.
    yield ("part_of_rows", "linalg.matvec ins(%a, %b : A, B) outs(%c : C)",
           Operand([17, 33], [20, 40], [1, 3]), Operand([33], [40], [2]), Operand([17], [19], [1]))
    yield ("part_of_columns", "linalg.vecmat ins(%a, %b : A, B) outs(%c : C)",
           Operand([33], [40], [2], [1]), Operand([33, 21], [40, 50], [2, 5]), Operand([21], [30], [7]))
    yield ("every_second", "linalg.matvec ins(%a, %b : A, B) outs(%c : C)",
           Operand([9, 21], [30, 50], [1, 3], [3, 2]), Operand([21], [60], [1], [2]), Operand([9], [30], [1], [3]))
    # An output whose neighbours are apart, as a transposed convolution with a stride writes it.
    for width, apart in ((14, 2), (33, 3), (16, 2), (4, 5)):
        image, filters = Operand([2, 7, 6, width + 1]), Operand([7, 2, 2])
        result = Operand([2, 5, width], [2, 10, width * apart + 1], [0, 1, 1], [1, 2, apart])
        yield (f"apart_{width}_{apart}", generic("n, y, x, k, i, j", "n, k, y + i, x + j", "k, i, j", "n, y, x", "ppprrr"),
               image, filters, result)
        yield (f"mirrored_{width}_{apart}",
               generic("n, y, x, k, i, j", "n, k, y - i + 1, x - j + 1", "k, i, j", "n, y, x", "ppprrr"),
               image, filters, result)
    yield ("columns_apart", "linalg.vecmat ins(%a, %b : A, B) outs(%c : C)",
           Operand([33]), Operand([33, 21]), Operand([21], [60], [7], [2]))
    # Not of one column, or that walk backwards, or that have no elements or no steps.
    yield ("two_columns", mapped(dims, "m, k", "k, n", "m, n"), Operand([20, 30]), Operand([30, 2]), Operand([20, 2]))
    yield ("backwards", generic("m, k", "m, 15 - k", "k", "m", "pr"), Operand([8, 16]), Operand([16]), Operand([8]))
    yield ("no_steps", "linalg.matvec ins(%a, %b : A, B) outs(%c : C)", Operand([8, 0]), Operand([0]), Operand([8]))
    yield ("no_rows", "linalg.matvec ins(%a, %b : A, B) outs(%c : C)", Operand([0, 8]), Operand([8]), Operand([0]))


if __name__ == "__main__":
    flags = [a for a in sys.argv[1:] if a.startswith("--")]
    write([a for a in sys.argv[1:] if a not in flags], True, "--from-zero" in flags, list(cases()), ["known"])
