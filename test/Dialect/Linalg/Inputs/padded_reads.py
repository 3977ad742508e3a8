"""Writes a module of many operations that read padded tensors.

    padded_reads.py COUNT SEED

Each is a function with its own extents, pads and number around the tensor, made by a pad or by
an insertion, read by two slices with their own places and strides, and by a sum over windows of
the whole. @main prints for each case its number and the sum of the results, weighted by position.
"""

from strided_images import combined, filled, kinds, maps, tensor, weighed, write_module


def make_pad(rng, extents, low, high):
    shape = [l + extent + h for l, extent, h in zip(low, extents, high)]
    number = rng.choice(("0.0", "-1.0", "0xFF800000"))
    lines = [f"  %c = arith.constant {number} : f32"]
    if rng.random() < 0.5:
        return shape, lines + [
            f"  %padded = tensor.pad %x low{low} high{high} {{",
            f"  ^bb0({', '.join(f'%i{d}: index' for d in range(len(shape)))}):",
            "    tensor.yield %c : f32",
            f"  }} : {tensor(extents)} to {tensor(shape)}",
        ]
    return shape, lines + [
        f"  %around_e = tensor.empty() : {tensor(shape)}",
        f"  %around = linalg.fill ins(%c : f32) outs(%around_e : {tensor(shape)}) -> {tensor(shape)}",
        f"  %padded = tensor.insert_slice %x into %around{low} {extents} {[1] * len(shape)}"
        f" : {tensor(extents)} into {tensor(shape)}",
    ]


def case(number, rng):
    rank = rng.choice((1, 2, 2, 3))
    extents = [rng.randint(1, 6) for _ in range(rank)]
    low = [rng.choice((0, 0, 1, 2)) for _ in range(rank)]
    high = [rng.choice((0, 0, 1, 2)) for _ in range(rank)]
    shape, pad = make_pad(rng, extents, low, high)
    lines = [f"func.func @case{number}() -> f64 {{"] + filled("x", extents, number) + pad
    sizes = [rng.randint(1, max(1, size // 2)) for size in shape]
    for name in ("first", "second"):
        strides = [
            rng.randint(1, (size - 1) // (part - 1)) if part > 1 else 1
            for size, part in zip(shape, sizes)
        ]
        offsets = [
            rng.randint(0, size - 1 - (part - 1) * stride)
            for size, part, stride in zip(shape, sizes, strides)
        ]
        lines.append(
            f"  %{name} = tensor.extract_slice %padded{offsets} {sizes} {strides}"
            f" : {tensor(shape)} to {tensor(sizes)}"
        )
    dims = [f"i{d}" for d in range(rank)]
    part = tensor(sizes)
    body = [
        "    %three = arith.constant 3.0 : f32",
        "    %m = arith.mulf %b, %three : f32",
        "    %v = arith.maximumf %a, %m : f32",
        "    %least = arith.constant -1000.0 : f32",
        "    %w = arith.maximumf %v, %least : f32",
        "    linalg.yield %w : f32",
    ]
    lines += combined("y", ["first", "second"], sizes, body)
    # Maxima over windows, the first dimension backwards.
    window = [rng.randint(1, min(3, size)) for size in shape]
    count = [size - w + 1 for size, w in zip(shape, window)]
    taps = [f"j{d}" for d in range(rank)]
    places = [f"{i} + {j}" for i, j in zip(dims, taps)]
    places[0] = f"{shape[0] - 1} - i0 - j0"
    loops = maps(dims + taps, places, taps, dims)
    lines += [
        "  %start = arith.constant -500.0 : f32",
        f"  %z_e = tensor.empty() : {tensor(count)}",
        f"  %z_f = linalg.fill ins(%start : f32) outs(%z_e : {tensor(count)}) -> {tensor(count)}",
        f"  %taps = tensor.empty() : {tensor(window)}",
        f"  %z = linalg.generic {{indexing_maps = [{loops}],"
        f" iterator_types = [{kinds('parallel', rank)}, {kinds('reduction', rank)}]}}"
        f" ins(%padded, %taps : {tensor(shape)}, {tensor(window)}) outs(%z_f : {tensor(count)}) {{",
        "  ^bb0(%a: f32, %t: f32, %o: f32):",
        "    %v = arith.maximumf %a, %o : f32",
        "    linalg.yield %v : f32",
        f"  }} -> {tensor(count)}",
    ]
    # Both in one tensor, corner to corner.
    whole = [s + c for s, c in zip(sizes, count)]
    ones = [1] * rank
    lines += [
        "  %zero = arith.constant 0.0 : f32",
        f"  %all_e = tensor.empty() : {tensor(whole)}",
        f"  %all_f = linalg.fill ins(%zero : f32) outs(%all_e : {tensor(whole)}) -> {tensor(whole)}",
        f"  %all_y = tensor.insert_slice %y into %all_f{[0] * rank} {sizes} {ones}"
        f" : {part} into {tensor(whole)}",
        f"  %all = tensor.insert_slice %z into %all_y{sizes} {count} {ones}"
        f" : {tensor(count)} into {tensor(whole)}",
    ]
    return lines + weighed(("all", whole))


if __name__ == "__main__":
    write_module(case)
