#!/usr/bin/env python3
"""Prints a function with a chain of N operations of one kind beside a product or a sum.

    deep_chain.py N transpose | fill | norm | activation | blocks | switch | results
"""

import sys

T = "tensor<4x4xf32>"
count, kind = int(sys.argv[1]), sys.argv[2]
def product(result, factor):
    return (f"  %{result} = linalg.matmul {{amp.function = \"torch.matmul\", amp.scope_id = 1 : i64}} "
            f"ins(%{factor}, %{factor} : {T}, {T}) outs(%e : {T}) -> {T}")


step = {
    "transpose": "linalg.transpose ins(%v{0} : " + T + ") outs(%e : " + T + ") permutation = [1, 0]",
    "fill": "linalg.fill ins(%zero : f32) outs(%v{0} : " + T + ") -> " + T,
    "norm": "arith.mulf %v{0}, %v{0} {{amp.scope_id = 1{0} : i64}} : " + T,
    "activation": "arith.mulf %v{0}, %v{0} {{amp.scope_id = 1{0} : i64}} : " + T,
    "blocks": "linalg.transpose ins(%b{0} : " + T + ") outs(%e : " + T + ") permutation = [1, 0]",
    "switch": "linalg.transpose ins(%v0 : " + T + ") outs(%e : " + T + ") permutation = [1, 0]",
    "results": "arith.addf %v{0}, %g#{0} : " + T,
}[kind]


def statistic(result, value):
    """A sum over all elements, for each of them."""
    return (f"  %{result}s = linalg.reduce {{ arith.addf }} ins(%{value} : {T}) outs(%c : tensor<f32>) "
            f"dimensions = [0, 1] {{amp.scope_id = 2 : i64}}\n"
            f"  %{result} = linalg.broadcast ins(%{result}s : tensor<f32>) outs(%e : {T}) dimensions = [0, 1]")


chain = "\n".join(f"  %v{i + 1} = {step.format(i)}" for i in range(count))

print(f"func.func @f(%x: {T}) -> {T} {{\n  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : {T}")
if kind == "transpose":
    print(f"{product('v0', 'x')}\n{chain}\n  %r = arith.addf %v{count}, %v{count} : {T}")
elif kind == "fill":
    print(f"  %v0 = linalg.copy ins(%x : {T}) outs(%e : {T}) -> {T}\n{chain}\n{product('r', f'v{count}')}")
elif kind == "blocks":
    # One movement in each, of what the block is handed.
    blocks = chain.split("\n")
    print(f"{product('v0', 'x')}\n  cf.br ^b0(%v0 : {T})")
    for i, line in enumerate(blocks):
        print(f"^b{i}(%b{i}: {T}):\n{line}\n  cf.br ^b{i + 1}(%v{i + 1} : {T})")
    print(f"^b{count}(%r: {T}):")
elif kind == "switch":
    # Each movement is handed to the one block behind them.
    cases = "".join(f", {i + 1}: ^b(%v{i + 1} : {T})" for i in range(count))
    print(f"{product('v0', 'x')}\n{chain}\n  %k = arith.constant 0 : i32\n"
          f"  cf.switch %k : i32, [default: ^b(%v0 : {T}){cases}]\n^b(%b: {T}):\n"
          f"  %r = linalg.transpose ins(%b : {T}) outs(%e : {T}) permutation = [1, 0]")
elif kind == "results":
    # One operation has them all.
    maps = ", ".join(["affine_map<(i, j) -> (i, j)>"] * (count + 1))
    outs, types = ", ".join(["%e"] * count), ", ".join([T] * count)
    squares = "\n".join(f"    %t{i} = arith.mulf %a, %a : f32" for i in range(count))
    print(f"{product('v0', 'x')}\n  %g:{count} = linalg.generic {{indexing_maps = [{maps}], "
          f"iterator_types = [\"parallel\", \"parallel\"]}} ins(%v0 : {T}) outs({outs} : {types}) {{\n"
          f"  ^bb0(%a: f32, {', '.join(f'%o{i}: f32' for i in range(count))}):\n{squares}\n"
          f"    linalg.yield {', '.join(f'%t{i}' for i in range(count))} : {', '.join(['f32'] * count)}\n"
          f"  }} -> ({types})\n{chain}\n  %r = arith.negf %v{count} : {T}")
else:
    # The last of the chain with a statistic of itself, or of what it began with.
    of = f"v{count}" if kind == "norm" else "x"
    print(f"  %c = arith.constant dense<0.0> : tensor<f32>\n{statistic('m', 'x')}\n"
          f"  %v0 = arith.subf %x, %m {{amp.scope_id = 2 : i64}} : {T}\n{chain}\n{statistic('d', of)}\n"
          f"  %r = arith.mulf %v{count}, %d {{amp.scope_id = 2 : i64}} : {T}")
print(f"  return %r : {T}\n}}")
