"""Writes a module of many elementwise operations that read transposed inputs.

    turned_inputs.py COUNT SEED

Each is a function with its own extents, orders of dimensions and types of inputs; some read
an index, some no input across. Elements are small integers, so that what is computed is
exact; @main prints for each case its number and the sum of the result, weighted by position.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[3] / "Dialect/Linalg/Inputs"))

from strided_images import filled, kinds, maps, tensor, weighed, write_module  # noqa: E402

EXTENTS = (1, 3, 7, 8, 9, 16, 31, 32, 33, 40, 64, 70)


def case(number, rng):
    rank = rng.choice((2, 2, 3, 3, 4))
    sizes = [rng.choice(EXTENTS if d < 2 else EXTENTS[:6]) for d in range(rank)]
    rng.shuffle(sizes)
    dims = [f"i{d}" for d in range(rank)]
    lines = [f"func.func @case{number}() -> f64 {{", f"  %e = tensor.empty() : {tensor(sizes)}"]
    inputs, types, orders, body = [], [], [], []
    for i in range(rng.randint(1, 3)):
        order = rng.sample(range(rank), rank)
        if rng.random() < 0.2:
            order = order[1:]
        shape = [sizes[d] for d in order]
        element = rng.choice(("f32", "f32", "f16", "i32"))
        lines += filled(f"x{i}", shape, number + 5 * i)
        name, type = f"x{i}", tensor(shape, element)
        if element != "f32":
            cast = "truncf" if element == "f16" else "fptosi"
            lines.append(f"  %y{i} = arith.{cast} %x{i} : {tensor(shape)} to {type}")
            name = f"y{i}"
        value = f"%a{i}"
        if element != "f32":
            widen = "extf" if element == "f16" else "sitofp"
            body.append(f"    %w{i} = arith.{widen} %a{i} : {element} to f32")
            value = f"%w{i}"
        scale = f"    %k{i} = arith.constant {float(i + 1)} : f32"
        body += [scale, f"    %p{i} = arith.mulf {value}, %k{i} : f32"]
        inputs.append((name, type, element))
        orders.append([f"i{d}" for d in order])
    total = "%p0"
    for i in range(1, len(inputs)):
        body.append(f"    %s{i} = arith.addf {total}, %p{i} : f32")
        total = f"%s{i}"
    if rng.random() < 0.4:
        body += [
            f"    %at = linalg.index {rng.randrange(rank)} : index",
            "    %int = arith.index_cast %at : index to i32",
            "    %number = arith.sitofp %int : i32 to f32",
            f"    %last = arith.addf {total}, %number : f32",
        ]
        total = "%last"
    arguments = ", ".join(f"%a{i}: {element}" for i, (_, _, element) in enumerate(inputs))
    lines += [
        f"  %r = linalg.generic {{indexing_maps = [{maps(dims, *orders, dims)}],"
        f" iterator_types = [{kinds('parallel', rank)}]}}"
        f" ins({', '.join('%' + name for name, _, _ in inputs)} :"
        f" {', '.join(type for _, type, _ in inputs)}) outs(%e : {tensor(sizes)}) {{",
        f"  ^bb0({arguments}, %o: f32):",
        *body,
        f"    linalg.yield {total} : f32",
        f"  }} -> {tensor(sizes)}",
    ]
    return lines + weighed(("r", sizes))


if __name__ == "__main__":
    write_module(case)
