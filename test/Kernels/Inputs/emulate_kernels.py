"""Runs generated GEMMs on the emulator and compares them with a plain product.

    emulate_kernels.py TABLE [WORD...]

Each line of TABLE is the options of one kernel, as amp-generate-gemm takes them, and
optionally `| GRID SEEDS`: how many blocks, so that a block has several tiles, and how
many schedules. WORDs select lines that contain one of them. Data are small integers,
sums of which are exact in f32, so results are equal or wrong. Matrix accesses and
ordinary ones must meet no bank twice. The kernel's own `amp.launch` says how to call it.

One line for each kernel, with what is wrong, and exit status 1 if anything is.
"""

import os
import subprocess
import sys
import tempfile

from check_table import check_table
from read_launches import by, read_kernels


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


TYPES = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}


def emulator_options(module, options, grid):
    """How to call the module's kernel, from its amp.launch."""
    kernel, = read_kernels(module)
    m, n, k = (int(options[name]) for name in "mnk")
    layout = options.get("layout", "nn")
    shapes = {
        "a": (k, m) if layout[0] == "t" else (m, k),
        "b": (n, k) if layout[1] == "t" else (k, n),
        "d": (m, n),
    }
    buffers = []
    for argument in kernel.arguments:
        if argument.kind != "number":
            name, fill = argument.name, "nan" if argument.name == "d" else "int"
            buffers.append(f"--buffer={name}={TYPES.get(argument.type, argument.type)}:{by(shapes[name])}:{fill}")
    transposes = "".join("," + "t" + x for x, y in zip("ab", layout) if y == "t")
    return buffers + [argument.emulator_option() for argument in kernel.arguments] + [
        f"--grid={kernel.blocks(grid)}",
        f"--smem={kernel.shared}",
        f"--expect=d=matmul(a,b{transposes})",
    ]


def check(line):
    text, _, rest = line.partition("|")
    grid, seeds = map(int, rest.split()) if rest else (2, 1)
    options = dict(option.split("=") for option in text.split())
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "kernel.mlir")
        made = run(
            ["amp-opt", "-", "-o", kernel, "--amp-generate-gemm=" + text.strip(), "--amp-kernels-to-nvvm"],
            input="module {}",
        )
        if made.returncode:
            return made.stderr
        with open(kernel) as file:
            module = file.read()
        done = run(["amp-emu", kernel, f"--seeds={seeds}", "--statistics"] + emulator_options(module, options, grid))
        if done.returncode or done.stdout.count(", 0 more for bank conflicts") != 2:
            return done.stdout + done.stderr
        return ""


def main():
    check_table(sys.argv[1], sys.argv[2:], check)


if __name__ == "__main__":
    main()
