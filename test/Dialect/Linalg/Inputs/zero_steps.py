"""Writes a module of many products whose sums have steps that are zero.

    zero_steps.py COUNT SEED

Each is the gradient of a filter with its own strides, extents, border and order of dimensions,
one or two of them, with the zeros in either input. Elements are small integers, so that sums are
exact; @main prints for each case its number and the sum of the result, weighted by position.
"""

from strided_images import filled, inserted, kinds, maps, tensor, weighed, write_module


def case(number, rng):
    rank = rng.choice((1, 2))
    taps, pixels, strides, low, high, dilations = (
        [rng.choice(choice) for _ in range(rank)]
        for choice in ((1, 2, 3), (1, 2, 3, 5), (1, 2, 3), (0, 0, 1, 2), (0, 0, 1), (1, 1, 2))
    )
    spread = [l + (p - 1) * s + 1 + h for l, p, s, h in zip(low, pixels, strides, high)]
    c, k, n = (rng.randint(1, 4) for _ in range(3))
    image = [t + d * (s - 1) for t, s, d in zip(taps, spread, dilations)]
    reads = [f"i{d} + t{d} * {dilations[d]}" for d in range(rank)]
    steps = [f"t{d}" for d in range(rank)]
    # Loops of the image, of the gradient and of the result, their dimensions in some order.
    x = dict(zip(["n", "c", *reads], [n, c, *image]))
    g = dict(zip(["n", "k", *steps], [n, k, *spread]))
    small = dict(zip(["n", "k", *steps], [n, k, *pixels]))
    places = {name: (l, s) for name, l, s in zip(steps, low, strides)}
    y = dict(zip(["c", "k", *[f"i{d}" for d in range(rank)]], [c, k, *taps]))
    orders = [rng.sample(list(dims), len(dims)) for dims in (x, g, y)]
    loops = [("n", "reduction"), ("c", "parallel"), ("k", "parallel")]
    loops += [(f"i{d}", "parallel") for d in range(rank)] + [(f"t{d}", "reduction") for d in range(rank)]
    rng.shuffle(loops)
    shapes = [[dims[name] for name in order] for dims, order in zip((x, g, y), orders)]
    before = [small[name] for name in orders[1]]
    lines = [f"func.func @case{number}() -> f64 {{", "  %zero = arith.constant 0.0 : f32"]
    lines += filled("x", shapes[0], number) + filled("pixels", before, 3 * number)
    lines += inserted(
        "g",
        "pixels",
        before,
        shapes[1],
        [places.get(name, (0, 1))[0] for name in orders[1]],
        [places.get(name, (0, 1))[1] for name in orders[1]],
    )
    lines += filled("start", shapes[2], 5 * number)
    inputs = [("x", shapes[0], orders[0]), ("g", shapes[1], orders[1])]
    rng.shuffle(inputs)
    iterators = ", ".join(kinds(kind, 1) for _, kind in loops)
    types = ", ".join(tensor(shape) for _, shape, _ in inputs)
    lines += [
        f"  %y = linalg.generic {{indexing_maps = [{maps([name for name, _ in loops], inputs[0][2], inputs[1][2], orders[2])}],"
        f" iterator_types = [{iterators}]}}"
        f" ins({', '.join('%' + name for name, _, _ in inputs)} : {types}) outs(%start : {tensor(shapes[2])}) {{",
        "  ^bb0(%a: f32, %b: f32, %acc: f32):",
        "    %product = arith.mulf %a, %b : f32",
        "    %sum = arith.addf %acc, %product : f32",
        "    linalg.yield %sum : f32",
        f"  }} -> {tensor(shapes[2])}",
    ]
    return lines + weighed(("y", shapes[2]))


if __name__ == "__main__":
    write_module(case)
