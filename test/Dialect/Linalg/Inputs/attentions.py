"""Writes a module of many attentions with their gradients.

    attentions.py COUNT SEED FORM

Each is a function with its own heads, rows, columns and features, order of the dimensions of
queries, keys, values and of what it gives, a mask by a comparison of indices, a factor for each
element (dropout) or a bias for each column or none of them, and with all or some of the gradients.
FORM is "exponentials" for real probabilities, where what computes them twice has to have their bits,
or "integers" for small integers in their place, so that sums are exact in any order. @main prints
for each case its number and the bits of the sum of all results, weighted by position.
"""

import sys

from strided_images import filled, maps, tensor, weighed, write_module


def generic(name, loops, reductions, operands, result, body, start=None):
    """A linalg.generic over `loops`: `operands` are (value, dimensions), `result` are dimensions.

    Extents are those of `loops`, a dictionary. Elements are %a, %b ..., and %o; without `start` the
    result starts as nothing.
    """
    types = [tensor([loops[d] for d in dims]) for _, dims in operands]
    type = tensor([loops[d] for d in result])
    letters = ", ".join(f"%{letter}: f32" for letter in "abcd"[: len(operands)])
    kinds = ", ".join('"reduction"' if loop in reductions else '"parallel"' for loop in loops)
    lines = [f"  %{name}_e = tensor.empty() : {type}"]
    out = f"%{name}_e"
    if start is not None:
        lines.append(f"  %{name}_s = linalg.fill ins({start} : f32) outs({out} : {type}) -> {type}")
        out = f"%{name}_s"
    ins = f" ins({', '.join('%' + value for value, _ in operands)} : {', '.join(types)})" if operands else ""
    return [
        *lines,
        f"  %{name} = linalg.generic {{indexing_maps = ["
        f"{maps(list(loops), *[dims for _, dims in operands], result)}], iterator_types = [{kinds}]}}"
        f"{ins} outs({out} : {type}) {{",
        f"  ^bb0({letters + ', ' if operands else ''}%o: f32):",
        *[f"    {line}" for line in body],
        f"  }} -> {type}",
    ]


PRODUCT = ["%m = arith.mulf %a, %b : f32", "%t = arith.addf %o, %m : f32", "linalg.yield %t : f32"]
SUM = ["%t = arith.addf %o, %a : f32", "linalg.yield %t : f32"]


def elementwise(*lines):
    return [*lines, "linalg.yield %v : f32"]


def case(number, rng):
    is_exact = sys.argv[3] == "integers"
    heads = ["b", "h"][: rng.choice((0, 1, 1, 2))]
    extents = {d: rng.randint(2, 3) for d in heads}
    extents |= {"i": rng.randint(17, 40), "j": rng.randint(24, 40), "d": rng.randint(1, 2)}
    # What the rows and columns of scores are dimensions of, in any order.
    def order(*dims):
        dims = [*heads, *dims]
        rng.shuffle(dims)
        return dims

    q, k, v, g = order("i", "d"), order("j", "d"), order("j", "d"), order("i", "d")
    scores = [*heads, "i", "j"]
    rows = [*heads, "i"]
    lines = [
        f"func.func @case{number}() -> f64 {{",
        "  %zero = arith.constant 0.0 : f32",
        "  %lowest = arith.constant 0xFF800000 : f32",
        f"  %scale = arith.constant {'1.0' if is_exact else '0.1'} : f32",
    ]
    for name, dims, seed in (("Q", q, 1), ("K", k, 2), ("V", v, 3), ("G0", g, 4)):
        lines += filled(name, [extents[d] for d in dims], number + seed)

    def loops(*names):
        return {name: extents[name] for name in names}

    def product(name, left, right, result, over):
        names = list(dict.fromkeys([*heads, *result, over]))
        return generic(name, loops(*names), [over], [left, right], result, PRODUCT, "%zero")

    form = rng.choice(("plain", "causal", "factors", "bias"))
    lines += product("S", ("Q", q), ("K", k), scores, "d")
    scaled = ["%x = arith.mulf %a, %scale : f32"]
    if form == "causal":
        row, column = len(heads), len(heads) + 1
        scaled += [
            f"%i = linalg.index {row} : index",
            f"%j = linalg.index {column} : index",
            "%seen = arith.cmpi sle, %j, %i : index",
            f"%v = arith.select %seen, %x, {'%zero' if is_exact else '%lowest'} : f32",
        ]
        lines += generic("Z", loops(*scores), [], [("S", scores)], scores, elementwise(*scaled))
    elif form == "bias":
        lines += filled("W", [extents["j"]], number)
        lines += generic(
            "Z", loops(*scores), [], [("S", scores), ("W", ["j"])], scores,
            elementwise(*scaled, "%v = arith.addf %x, %b : f32"),
        )
    else:
        lines += generic(
            "Z", loops(*scores), [], [("S", scores)], scores,
            elementwise("%v = arith.mulf %a, %scale : f32"),
        )
    lines += generic(
        "M", loops(*scores), ["j"], [("Z", scores)], rows,
        ["%t = arith.maximumf %o, %a : f32", "linalg.yield %t : f32"], "%lowest",
    )
    lines += generic(
        "E", loops(*scores), [], [("Z", scores), ("M", rows)], scores,
        elementwise("%x = arith.subf %a, %b : f32", f"%v = {'arith.negf' if is_exact else 'math.exp'} %x : f32"),
    )
    lines += generic("L", loops(*scores), ["j"], [("E", scores)], rows, SUM, "%zero")
    lines += generic(
        "P", loops(*scores), [], [("E", scores), ("L", rows)], scores,
        elementwise("%v = arith.minimumf %a, %b : f32" if is_exact else "%v = arith.divf %a, %b : f32"),
    )
    times = ["%v = arith.mulf %a, %b : f32"]
    values = "P"
    if form == "factors":
        lines += filled("F", [extents[d] for d in scores], number + 7)
        lines += generic("PF", loops(*scores), [], [("P", scores), ("F", scores)], scores, elementwise(*times))
        values = "PF"
    o = order("i", "d")
    lines += product("O", (values, scores), ("V", v), o, "j")
    # The gradient depends on what the attention gives, as that of a loss does.
    lines += generic(
        "G", loops(*[*heads, "i", "d"]), [], [("G0", g), ("O", o)], g,
        elementwise("%x = arith.mulf %b, %b : f32", "%v = arith.minimumf %a, %x : f32")
        if is_exact
        else elementwise("%v = arith.addf %a, %b : f32"),
    )
    results = [("O", o)]
    dv = order("j", "d")
    lines += product("DV", (values, scores), ("G", g), dv, "i")
    results.append(("DV", dv))
    if rng.random() < 0.8:
        lines += product("DP", ("G", g), ("V", v), scores, "d")
        gradient = "DP"
        if form == "factors":
            lines += generic("DPF", loops(*scores), [], [("DP", scores), ("F", scores)], scores, elementwise(*times))
            gradient = "DPF"
        lines += generic("PD", loops(*scores), [], [(gradient, scores), ("P", scores)], scores, elementwise(*times))
        lines += generic("R", loops(*scores), ["j"], [("PD", scores)], rows, SUM, "%zero")
        sums = "R"
        if rng.random() < 0.3:
            # Small, and between two operations on large ones.
            lines += generic(
                "RT", loops(*rows), [], [("R", rows)], rows, elementwise("%v = arith.addf %a, %a : f32")
            )
            sums = "RT"
        lines += generic(
            "DS", loops(*scores), [], [("PD", scores), ("P", scores), (sums, rows)], scores,
            elementwise("%x = arith.mulf %b, %c : f32", "%v = arith.subf %a, %x : f32"),
        )
        for name, other, dims, kept, over in (("DQ", "K", k, "i", "j"), ("DK", "Q", q, "j", "i")):
            if rng.random() < 0.2:
                continue
            result = order(kept, "d")
            lines += product(name, ("DS", scores), (other, dims), result, over)
            results.append((name, result))
        if rng.random() < 0.3:
            results.append(("R", rows))
    return lines + weighed(*((name, [extents[d] for d in dims]) for name, dims in results))


if __name__ == "__main__":
    write_module(case, bits=True)
