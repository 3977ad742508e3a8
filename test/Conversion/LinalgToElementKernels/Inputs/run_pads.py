"""Pads random tensors on the emulator and compares them with NumPy, element by element.

    run_pads.py COUNT SEED

Each has its own rank, extents, offsets, strides, type and number, as a tensor.pad or, with
strides, as an insertion into what is filled. Extents are often multiples of what one access
takes. One line for each that is wrong, and exit status 1 if any is.
"""

import os
import random
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../LinalgToTensorCore/Inputs"))
from run_launches import FORMATS, Failure, Program  # noqa: E402

NUMBERS = {"f32": "-1.5", "f16": "0.0", "bf16": "2.0", "f64": "0.5", "i8": "3", "i16": "-2",
           "i32": "-7", "i64": "-1", "i1": "true"}


def tensor(sizes, element):
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


def draw(rng):
    """Source extents, offsets, strides, result extents, type."""
    rank = rng.randint(1, 4)
    row = rng.choice((1, 2, 4, 8, 16))
    source = [rng.randint(1, 4) for _ in range(rank - 1)] + [rng.randint(1, 3) * row]
    offsets = [rng.choice((0, 0, 1, 3)) for _ in range(rank - 1)] + [rng.choice((0, 1, row, 2 * row))]
    strides = [rng.choice((1, 1, 2, 3)) for _ in range(rank - 1)] + [rng.choice((1, 1, 1, 2))]
    rest = [rng.choice((0, 0, 1, 2)) for _ in range(rank - 1)] + [rng.choice((0, 1, row, 3 * row))]
    sizes = [o + (n - 1) * s + 1 + r for n, o, s, r in zip(source, offsets, strides, rest)]
    return source, offsets, strides, sizes, rng.choice(list(NUMBERS))


def write(source, offsets, strides, sizes, element):
    number = NUMBERS[element]
    lines = [f"func.func @pad(%x: {tensor(source, element)}) -> {tensor(sizes, element)} {{",
             f"  %n = arith.constant {number}" + ("" if element == "i1" else f" : {element}")]
    if all(stride == 1 for stride in strides):
        high = [size - o - n for size, o, n in zip(sizes, offsets, source)]
        places = ", ".join(f"%i{d}: index" for d in range(len(sizes)))
        lines += [f"  %y = tensor.pad %x low{offsets} high{high} {{", f"  ^bb0({places}):",
                  f"    tensor.yield %n : {element}", f"  }} : {tensor(source, element)} to {tensor(sizes, element)}"]
    else:
        type = tensor(sizes, element)
        lines += [f"  %e = tensor.empty() : {type}",
                  f"  %f = linalg.fill ins(%n : {element}) outs(%e : {type}) -> {type}",
                  f"  %y = tensor.insert_slice %x into %f{offsets} {source} {strides}"
                  f" : {tensor(source, element)} into {type}"]
    return "\n".join(lines + [f"  return %y : {tensor(sizes, element)}", "}"])


def check(case, numbers):
    source, offsets, strides, sizes, element = case
    outside = 1.0 if element == "i1" else float(NUMBERS[element])
    values = numbers.integers(0, 2, source) if element == "i1" else numbers.integers(-9, 9, source)
    values = FORMATS[element].round(values.astype(np.float64))
    expected = np.full(sizes, outside)
    expected[tuple(slice(o, o + (n - 1) * s + 1, s) for n, o, s in zip(source, offsets, strides))] = values
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = Program(write(*case), "--convert-pads-to-kernels", folder)
            if len(program.modules) != 1:
                return "no kernel"
            seen = program.run([values])
        except Failure as failure:
            return str(failure)
    return "" if np.array_equal(seen, expected) else f"{np.count_nonzero(seen != expected)} elements differ"


def main():
    rng, numbers = random.Random(int(sys.argv[2])), np.random.default_rng(int(sys.argv[2]))
    cases = [draw(rng) for _ in range(int(sys.argv[1]))]
    wrong = [(case, text) for case in cases if (text := check(case, numbers))]
    for case, text in wrong:
        print(f"wrong: {case}: {text}")
    print(f"{len(cases)} pads, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
