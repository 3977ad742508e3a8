"""Writes a module of many sums of tensors, most of which are zero but for a slice.

    inserted_slices.py COUNT SEED

Each is a function with its own extents, places, strides and order of additions; some add
in f16, rounding each sum. Elements are small integers, so that sums are exact; @main
prints for each case its number and the sum of the result, weighted by position.
"""

from strided_images import filled, tensor, weighed, write_module


def slice_of(rng, shape):
    """Offsets, sizes and strides; mostly one position of a dimension."""
    offsets, sizes, strides = [0] * len(shape), list(shape), [1] * len(shape)
    for dim in rng.sample(range(len(shape)), rng.randint(1, 2)):
        strides[dim] = rng.choice((1, 1, 1, 2))
        most = (shape[dim] - 1) // strides[dim] + 1
        sizes[dim] = 1 if rng.random() < 0.6 else rng.randint(1, most)
        reach = (sizes[dim] - 1) * strides[dim] + 1
        offsets[dim] = rng.randint(0, shape[dim] - reach)
    return offsets, sizes, strides


def case(number, rng):
    shape = [rng.randint(3, 8) for _ in range(rng.choice((2, 3)))]
    whole = tensor(shape)
    is_half = rng.random() < 0.4
    half = whole.replace("f32", "f16")
    kind = half if is_half else whole
    lines = [
        f"func.func @case{number}() -> f64 {{",
        f"  %zero = arith.constant dense<0.0> : {kind}",
        f"  %e = tensor.empty() : {whole}",
    ]
    terms = []
    for t in range(rng.randint(2, 6)):
        if rng.random() < 0.2:
            lines += filled(f"wide{t}", shape, number + t)
            if is_half:
                lines.append(f"  %whole{t} = arith.truncf %wide{t} : {whole} to {half}")
            terms.append(f"whole{t}" if is_half else f"wide{t}")
            continue
        offsets, sizes, strides = slice_of(rng, shape)
        lines += filled(f"part{t}", sizes, 3 * number + t)
        part, source = tensor(sizes), f"part{t}"
        if is_half:
            narrow = part.replace("f32", "f16")
            lines.append(f"  %half{t} = arith.truncf %part{t} : {part} to {narrow}")
            part, source = narrow, f"half{t}"
        lines.append(
            f"  %slice{t} = tensor.insert_slice %{source} into %zero{offsets} {sizes} {strides}"
            f" : {part} into {kind}"
        )
        terms.append(f"slice{t}")
    while len(terms) > 1:
        at = rng.randrange(len(terms) - 1)
        total = f"sum{len(terms)}"
        x, y = (f"%{name}" for name in terms[at : at + 2])
        if is_half:
            for name, value in (("x", x), ("y", y)):
                lines.append(f"  %{total}{name} = arith.extf {value} : {half} to {whole}")
            x, y = f"%{total}x", f"%{total}y"
        lines.append(
            f"  %{total}wide = linalg.add ins({x}, {y} : {whole}, {whole}) outs(%e : {whole})"
            f" -> {whole}"
        )
        result = f"{total}wide"
        if is_half:
            lines.append(f"  %{total} = arith.truncf %{total}wide : {whole} to {half}")
            result = total
        terms[at : at + 2] = [result]
    result = terms[0]
    if is_half:
        lines.append(f"  %result = arith.extf %{result} : {half} to {whole}")
        result = "result"
    return lines + weighed((result, shape))


if __name__ == "__main__":
    write_module(case)
