"""Writes a module of many slices of tensors whose elements are repeated.

    repeated_slices.py COUNT SEED

Each is a function with its own extents, repetitions of some of its dimensions, offsets and
sizes; two of three have slices that amp-read-through-repeats takes. @main prints for each case
its number and the sum of two slices, weighted by position.
"""

from strided_images import combined, filled, kinds, maps, tensor, weighed, write_module


def case(number, rng):
    rank = rng.choice((1, 2, 2, 3))
    extents = [rng.randint(2, 5) for _ in range(rank)]
    factors = [rng.choice((1, 2, 2, 3)) for _ in range(rank)]
    factors[rng.randrange(rank)] = 2
    loops, spread, shape, joined = [], [], [], []
    for dim, (extent, factor) in enumerate(zip(extents, factors)):
        joined.append([len(loops)])
        loops.append(f"d{len(loops)}")
        spread.append(loops[-1])
        shape.append(extent)
        if factor > 1:
            joined[-1].append(len(loops))
            loops.append(f"d{len(loops)}")
            shape.append(factor)
    whole = [extent * factor for extent, factor in zip(extents, factors)]
    fits = number % 3 != 0
    sizes = [
        rng.randint(1, size // factor - (factor > 1)) * factor if fits else rng.randint(1, size)
        for size, factor in zip(whole, factors)
    ]
    offsets = [
        [
            rng.randrange(0, size - part + 1, factor if fits and factor > 2 else 1)
            for size, part, factor in zip(whole, sizes, factors)
        ]
        for _ in range(2)
    ]
    lines = [f"func.func @case{number}() -> f64 {{"] + filled("x", extents, number)
    lines += [
        f"  %e = tensor.empty() : {tensor(shape)}",
        f"  %r = linalg.generic {{indexing_maps = [{maps(loops, spread, loops)}],"
        f" iterator_types = [{kinds('parallel', len(loops))}]}}"
        f" ins(%x : {tensor(extents)}) outs(%e : {tensor(shape)}) {{",
        "  ^bb0(%a: f32, %o: f32):",
        "    linalg.yield %a : f32",
        f"  }} -> {tensor(shape)}",
        f"  %c = tensor.collapse_shape %r {joined} : {tensor(shape)} into {tensor(whole)}",
    ]
    for name, offset in zip(("first", "second"), offsets):
        lines.append(
            f"  %{name} = tensor.extract_slice %c{offset} {sizes} {[1] * rank}"
            f" : {tensor(whole)} to {tensor(sizes)}"
        )
    body = [
        "    %three = arith.constant 3.0 : f32",
        "    %m = arith.mulf %b, %three : f32",
        "    %v = arith.addf %a, %m : f32",
        "    linalg.yield %v : f32",
    ]
    lines += combined("y", ["first", "second"], sizes, body)
    return lines + weighed(("y", sizes))


if __name__ == "__main__":
    write_module(case)
