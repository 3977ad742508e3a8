"""Writes a module of functions that compute many single numbers.

    random_numbers.py COUNT SEED

Each number is a linalg.generic without loops of up to thirty numbers before it, or a sum over a tensor
that starts from one, which is no number's kernel. Bodies are exact: sums and differences of small
integers, wrapped around. @main prints, of each function, a combination of numbers that some others read,
too.
"""

import random
import sys

NUMBER = "affine_map<() -> ()>"


def function(index, rng):
    lines = [f"func.func @case{index}(%n0: tensor<i32>, %n1: tensor<i32>, %t: tensor<4xi32>) -> tensor<i32> {{"]
    lines.append("  %e = tensor.empty() : tensor<i32>")
    names = ["%n0", "%n1"]

    def add(inputs):
        name = f"%n{len(names)}"
        arguments = ", ".join(f"%a{i}: i32" for i in range(len(inputs)))
        lines.extend([
            f"  {name} = linalg.generic {{indexing_maps = [{', '.join([NUMBER] * (len(inputs) + 1))}], iterator_types = []}}"
            f" ins({', '.join(inputs)} : {', '.join(['tensor<i32>'] * len(inputs))}) outs(%e : tensor<i32>) {{",
            f"  ^bb0({arguments}, %o: i32):",
            f"    %s0 = arith.constant {rng.randint(-9, 9)} : i32",
        ])  # fmt: skip
        for i in range(len(inputs)):
            lines.append(f"    %s{i + 1} = arith.{rng.choice(('addi', 'subi', 'muli'))} %s{i}, %a{i} : i32")
        lines.extend([f"    linalg.yield %s{len(inputs)} : i32", "  } -> tensor<i32>"])
        names.append(name)

    for _ in range(rng.randint(5, 40)):
        if rng.random() < 0.25:
            name = f"%n{len(names)}"
            lines.extend([
                f"  {name} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],"
                f' iterator_types = ["reduction"]}} ins(%t : tensor<4xi32>) outs({rng.choice(names)} : tensor<i32>) {{',
                "  ^bb0(%a: i32, %o: i32):",
                "    %s = arith.addi %a, %o : i32",
                "    linalg.yield %s : i32",
                "  } -> tensor<i32>",
            ])  # fmt: skip
            names.append(name)
        else:
            most = rng.choice((2, 3, 30))
            add([rng.choice(names[-rng.choice((3, 50)) :]) for _ in range(rng.randint(1, most))])
    add(rng.sample(names, min(len(names), 12)))
    return [*lines, f"  return {names[-1]} : tensor<i32>", "}"]


def main():
    count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    lines = [line for index in range(count) for line in function(index, rng)]
    lines += ["func.func @main() {", "  %p = arith.constant dense<3> : tensor<i32>", "  %q = arith.constant dense<-5> : tensor<i32>",
              "  %t = arith.constant dense<[1, -2, 7, 11]> : tensor<4xi32>"]  # fmt: skip
    for index in range(count):
        lines += [f"  %r{index} = call @case{index}(%p, %q, %t) : (tensor<i32>, tensor<i32>, tensor<4xi32>) -> tensor<i32>",
                  f"  %v{index} = tensor.extract %r{index}[] : tensor<i32>", f"  vector.print %v{index} : i32"]  # fmt: skip
    print("\n".join([*lines, "  return", "}"]))


main()
