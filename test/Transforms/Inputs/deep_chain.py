#!/usr/bin/env python3
"""Prints a function with a chain of N operations of one kind beside a product.

    deep_chain.py N transpose | fill
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
}[kind]
chain = "\n".join(f"  %v{i + 1} = {step.format(i)}" for i in range(count))

print(f"func.func @f(%x: {T}) -> {T} {{\n  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : {T}")
if kind == "transpose":
    print(f"{product('v0', 'x')}\n{chain}\n  %r = arith.addf %v{count}, %v{count} : {T}")
else:
    print(f"  %v0 = linalg.copy ins(%x : {T}) outs(%e : {T}) -> {T}\n{chain}\n{product('r', f'v{count}')}")
print(f"  return %r : {T}\n}}")
