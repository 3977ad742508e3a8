"""Products and sums of integers with their upper halves, beside Python's integers.

    extended_integers.py OPTION...

OPTIONs are amp-run's, such as --device=emulator. Numbers at the ends of their ranges and random ones of 8 to 64 bits;
exit status 1 where a bit is another.
"""

import sys
import tempfile

import amprun
import numpy as np

COUNT = 64
OPERATIONS = ("mului_extended", "mulsi_extended", "addui_extended")


def module():
    """A step whose buffers become both results of each operation on them."""
    arguments, results, types, lines, left = [], [], [], [], []
    for width in (8, 16, 32, 64):
        kind = f"tensor<{COUNT}xi{width}>"
        for name in OPERATIONS:
            a, b, low, high = (f"%{name}{width}{part}" for part in "abxy")
            for argument in (a, b):
                arguments.append(f'{argument}: {kind} {amprun.role("buffer", argument[1:])}')
                results.append(f'{kind} {amprun.role("buffer", argument[1:])}')
                types.append(kind)
            if name == "addui_extended":
                lines += [f"{low}, {high}1 = arith.{name} {a}, {b} : {kind}, tensor<{COUNT}xi1>",
                          f"{high} = arith.extui {high}1 : tensor<{COUNT}xi1> to {kind}"]
            else:
                lines.append(f"{low}, {high} = arith.{name} {a}, {b} : {kind}")
            left += [low, high]
    return f"""func.func @train_step(%w: tensor<f32> {amprun.role("param", "w")}, {", ".join(arguments)},
    %x: tensor<f32> {amprun.role("batch", "x")}, %seed: tensor<f32> {amprun.role("loss_seed", "loss")})
    -> (tensor<f32> {amprun.role("loss", "loss")}, tensor<f32> {amprun.role("param", "w")}, {", ".join(results)}) {{
  {(chr(10) + "  ").join(lines)}
  %loss = arith.mulf %w, %x : tensor<f32>
  return %loss, %w, {", ".join(left)} : tensor<f32>, tensor<f32>, {", ".join(types)}
}}
"""


def expect(name, width, a, b):
    """Both results for numbers without a sign."""
    modulus = 1 << width
    if name == "addui_extended":
        return (a + b) % modulus, (a + b) // modulus
    if name == "mulsi_extended":
        a, b = (x - modulus if x >> (width - 1) else x for x in (a, b))
    return a * b % modulus, a * b // modulus % modulus


def main():
    draw = np.random.default_rng(5)
    arrays, expected, number = {"arg0": np.float32(1), "step0_x0": np.float32(1)}, {}, 1
    for width in (8, 16, 32, 64):
        for name in OPERATIONS:
            ends = [0, 1, 2**width - 1, 2 ** (width - 1), 2 ** (width - 1) - 1]
            pairs = [(a, b) for a in ends for b in ends]
            pairs += [tuple(int.from_bytes(draw.bytes(width // 8), "little") for _ in range(2)) for _ in range(COUNT - len(pairs))]
            results = [expect(name, width, a, b) for a, b in pairs]
            for part, column, wanted in zip("ab", zip(*pairs), zip(*results)):
                arrays[f"arg{number}"] = np.array(column, f"uint{width}").view(f"int{width}")
                expected[f"buffer/{name}{width}{part}"] = np.array(wanted, f"uint{width}").view(f"int{width}")
                number += 1
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module())
        file.flush()
        state = amprun.run(file.name, "O0", arrays, *sys.argv[1:]).state
    wrong = [name for name, wanted in expected.items() if not np.array_equal(state[name], wanted)]
    print(f"{len(expected) - len(wrong)} of {len(expected)} right", *wrong)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
