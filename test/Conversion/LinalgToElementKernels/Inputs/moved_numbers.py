"""Writes a module with a group of numbers that moves down behind another one.

%a has 62 operands, so that %b is a group of its own; a sum from %b keeps it where it is. %c reads the
sum and is the third operand of %a's group, which moves down to it. %u reads both: at %b's place, where
it could stand before, %a is not there any more.
"""

NUMBER = "affine_map<() -> ()>"


def number(name, inputs):
    arguments = ", ".join(f"%a{i}: f32" for i in range(len(inputs)))
    sums = "".join(f"    %s{i} = arith.addf {'%a0' if i == 1 else f'%s{i - 1}'}, %a{i} : f32\n" for i in range(1, len(inputs)))
    return (
        f"  {name} = linalg.generic {{indexing_maps = [{', '.join([NUMBER] * (len(inputs) + 1))}], iterator_types = []}}\n"
        f"      ins({', '.join(inputs)} : {', '.join(['tensor<f32>'] * len(inputs))}) outs(%e : tensor<f32>) {{\n"
        f"  ^bb0({arguments}, %o: f32):\n{sums}"
        f"    linalg.yield {f'%s{len(inputs) - 1}' if len(inputs) > 1 else '%a0'} : f32\n  }} -> tensor<f32>\n"
    )


many = [f"%x{i}" for i in range(61)]
print(
    f"func.func @moved({', '.join(f'{x}: tensor<f32>' for x in many)}, %t: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {{\n"
    "  %e = tensor.empty() : tensor<f32>\n" + number("%a", many) + number("%b", many[:2]) +
    "  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = [\"reduction\"]}\n"
    "      ins(%t : tensor<4xf32>) outs(%b : tensor<f32>) {\n"
    "  ^bb0(%in: f32, %o: f32):\n    %0 = arith.addf %in, %o : f32\n    linalg.yield %0 : f32\n  } -> tensor<f32>\n"
    + number("%c", ["%s"]) + number("%u", ["%a", "%b"]) + "  return %c, %u : tensor<f32>, tensor<f32>\n}"
)
