"""Writes a module of many sums of products of matrices, and of what else is added.

    summed_products.py COUNT SEED

Each is a function with its own extents, lengths of sums, orders of operands and order of
additions; most have products that amp-join-summed-products joins. Elements are small
integers, so that sums are exact in any order; @main prints for each case its number and the sum of
the result, weighted by position.
"""

from strided_images import filled, tensor, weighed, write_module

MAPS = {
    "rows": "affine_map<(i, j, k) -> (i, k)>",
    "columns": "affine_map<(i, j, k) -> (k, j)>",
    "rows^T": "affine_map<(i, j, k) -> (k, i)>",
    "columns^T": "affine_map<(i, j, k) -> (j, k)>",
    "result": "affine_map<(i, j, k) -> (i, j)>",
}


def case(number, rng):
    m, n = rng.randint(3, 9), rng.randint(3, 9)
    whole = tensor((m, n))
    lines = [
        f"func.func @case{number}() -> f64 {{",
        "  %c0 = arith.constant 0.0 : f32",
        f"  %e = tensor.empty() : {whole}",
        f"  %zero = linalg.fill ins(%c0 : f32) outs(%e : {whole}) -> {whole}",
    ]
    left, right = rng.choice(("rows", "rows^T")), rng.choice(("columns", "columns^T"))
    terms = []
    for t in range(rng.randint(2, 6)):
        name = f"term{t}"
        if rng.random() < 0.2:
            lines += filled(name, (m, n), number + t)
        else:
            k = rng.randint(1, 3)
            if rng.random() < 0.2:
                left = rng.choice(("rows", "rows^T"))
            a = (k, m) if left == "rows^T" else (m, k)
            b = (n, k) if right == "columns^T" else (k, n)
            lines += filled(f"left{t}", a, number + 2 * t) + filled(f"right{t}", b, 3 * number + t)
            lines.append(
                f"  %{name} = linalg.matmul indexing_maps = [{MAPS[left]}, {MAPS[right]},"
                f" {MAPS['result']}] ins(%left{t}, %right{t} : {tensor(a)}, {tensor(b)})"
                f" outs(%zero : {whole}) -> {whole}"
            )
        terms.append(name)
    while len(terms) > 1:
        at = rng.randrange(len(terms) - 1)
        total = f"sum{len(terms)}"
        lines.append(
            f"  %{total} = linalg.add ins(%{terms[at]}, %{terms[at + 1]} : {whole}, {whole})"
            f" outs(%e : {whole}) -> {whole}"
        )
        terms[at : at + 2] = [total]
    return lines + weighed((terms[0], (m, n)))


if __name__ == "__main__":
    write_module(case)
