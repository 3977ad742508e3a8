#!/usr/bin/env python3
# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What does a step ask of a GPU? Read from the program that amp-to-gpu makes of it.

    device_step.py BUILD [NAME...] [--levels O0,O2,O5] [--chip sm_90a] [--format cubin]
                   [--samples DIR] [--seconds 300]

For each sample, and the larger ones where `shared/samples/mid` is beside the checkout, a
row of a Markdown table for each level. Nothing runs: no column is a time that a GPU took. NAME
chooses samples whose names contain it.

- `kernels`: images in the program, those of its evaluation among them. An image holds the
  kernels of one product, or one kernel.
- `launches`, `copies`: calls of ampRtRunLaunch and ampRtRunCopy in the step's function. A
  call in a loop counts once, so do calls of each branch.
- `reads`, `writes`: of ampRtRunRead, each of which waits for the device, and of
  ampRtRunWrite: numbers that the host has, such as a loss scale.
- `moved`: bytes of the operands of launches, each buffer once and whole, and twice those of copies
  (`amp-count-launch-traffic`); `least`: those that no fusion can do without
  (`amp-count-least-traffic`); `ratio`: the one by the other. `memory-bound`: that ratio without
  what products, convolutions and attentions have to read and write for themselves.
- `workspace`: bytes that the step allocates besides its results; `of O0`: that by the
  workspace of the sample's O0. `peak`: workspace, arguments and results together, all that
  a step has in the device's memory besides its kernels; `of O0` as before. Arguments and
  results have the state before and after the step, which some levels have twice, as
  master weights.
- `images`: bytes of all images, cubins or PTX, as the line below the table says.
- `model (us)`: what a model expects the launches and copies of a step to take one after the other on the
  chip (`amp-estimate-step`): products what their kernels were chosen by, all else a launch and its bytes at the
  memory's rate. Not measured, and without what the host does or waits for.
- `lower`, `compile`: seconds of amp-opt until every kernel is made, and from there until
  all are images, by `--mlir-timing`, on this machine's CPU.

Cubins need ptxas on PATH or by CUDA_HOME; where it is not found, images are PTX. A sample
that is refused, or takes longer than --seconds, is a line below the table.
"""

import argparse
import datetime
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
SMALL = HERE.parent / "Inputs" / "samples"
MID = HERE.parents[2] / "shared" / "samples" / "mid"
#: The first pass that makes code of kernels.
FIRST_OF_CODE = "GpuNVVMAttachTarget"
#: And the one after them.
AFTER_CODE = "EmbedKernelsPass"
COLUMNS = ["sample", "level", "kernels", "launches", "copies", "reads", "writes", "moved", "least",
           "ratio", "memory-bound", "workspace", "of O0", "peak", "of O0", "images", "model (us)",
           "lower (s)", "compile (s)"]
#: Of each AmpRtElementKind (amp-rt/Element.h).
ELEMENT_BYTES = [2, 2, 4, 8, 1, 1, 2, 4, 8]


class Step(NamedTuple):
    """What a program says of its step; the module's text defines each number."""

    kernels: int
    launches: int
    copies: int
    reads: int
    writes: int
    moved: int
    least: int
    memory_moved: int
    memory_least: int
    workspace: int
    peak: int
    images: int
    expected: float
    lower: float
    compile: float


def has_ptxas():
    home = os.environ.get("CUDA_HOME", "")
    return bool(shutil.which("ptxas") or home and shutil.which("ptxas", path=f"{home}/bin"))


def get_cpu():
    lines = pathlib.Path("/proc/cpuinfo")
    text = lines.read_text() if lines.exists() else ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()


def read_structs(text):
    """Fields of each struct among the constants, numbers and names, by the constant's name."""
    field = re.compile(r"llvm\.mlir\.(?:constant\((-?[0-9]+) : i[0-9]+\)|addressof @(\S+))")
    return {name: [int(number) if number else address for number, address in field.findall(body)]
            for name, body in re.findall(
                r"^  llvm\.mlir\.global [^\n@]*@(amp_\w+|ampProgram)\(\)[^\n]*\n(.*?)^  }",
                text, re.MULTILINE | re.DOTALL)}


def value_bytes(structs, name):
    """Of an AmpRtValue: (size, kind, four texts, element kind, rank, extents, strides, what it overwrites)."""
    element, rank = structs[name][6:8]
    return math.prod([ELEMENT_BYTES[element], *structs[structs[name][8]]] if rank else
                     [ELEMENT_BYTES[element] if element >= 0 else 0])


def stage_seconds(report):
    """Wall time of the passes before those that make code, and of these."""
    seconds, stage = [0.0, 0.0, 0.0], 0
    # Two spaces are a pass or a pipeline; four are in one.
    for wall, name in re.findall(r"^ +[0-9.]+ \( *[0-9.]+%\) +([0-9.]+) \( *[0-9.]+%\)  (\S.*)$",
                                 report, re.MULTILINE):
        stage = {FIRST_OF_CODE: 1, AFTER_CODE: 2}.get(name, stage)
        if name not in ("Parser", "Output", "Rest", "Total"):
            seconds[stage] += float(wall)
    return seconds[0], seconds[1]


def read_program(text, report):
    def attribute(name):
        return int(re.search(rf"\b{name} = ([0-9]+) : i64", text)[1])

    structs = read_structs(text)
    function = re.search(r"^  llvm\.func internal @train_step\(.*?^  }", text,
                         re.MULTILINE | re.DOTALL)[0]
    calls = [function.count(f"llvm.call @ampRtRun{verb}(")
             for verb in ("Launch", "Copy", "Read", "Write")]
    # AmpRtModule: (size, ..., name, image, bytes of it, ...).
    images = [next(bytes for image, bytes in zip(module, module[1:])
                   if str(image).startswith("amp_image_"))
              for name, module in structs.items() if name.startswith("amp_module_")]
    # AmpRtFunction: (size, ..., bytes of workspace, features of the CPU).
    *_, workspace, _ = structs["amp_function_train_step"]
    held = sum(value_bytes(structs, value) for what in ("arguments", "results")
               for value in structs[f"amp_{what}_train_step"])
    return Step(len(images), *calls, attribute("amp.kernel_traffic"),
                attribute("amp.least_traffic"),
                attribute("amp.kernel_memory_bound_traffic"),
                attribute("amp.least_memory_bound_traffic"), workspace, workspace + held, sum(images),
                float(re.search(r"\bamp.expected_seconds = ([0-9.eE+-]+) : f64", text)[1]),
                *stage_seconds(report))


def compile_step(amp_opt, path, level, args):
    """The Step, or a sentence that says why there is none."""
    command = [amp_opt, path, f"--amp-mixed-precision=opt-level={level} verbosity=0",
               f"--amp-to-gpu=chip={args.chip} format={args.format} count-traffic",
               "--mlir-timing", "--mlir-timing-display=tree"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds,
                                errors="replace")
    except subprocess.TimeoutExpired:
        return f"not compiled within {args.seconds} s"
    if result.returncode:
        return (re.search(r"error: .*", result.stderr) or [f"amp-opt ended with {result.returncode}"])[0]
    return read_program(result.stdout, result.stderr)


def in_units(count):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def row(name, level, step, base):
    """`base` is the step at O0, or None."""
    def share(part):
        return f"{getattr(step, part) / getattr(base, part):.2f}" if base else "-"

    return [name, level, *step[:5], in_units(step.moved), in_units(step.least),
            f"{step.moved / step.least:.2f}" if step.least else "-",
            f"{step.memory_moved / step.memory_least:.2f}" if step.memory_least else "-",
            in_units(step.workspace),
            share("workspace"), in_units(step.peak), share("peak"), in_units(step.images),
            f"{step.expected * 1e6:.0f}", f"{step.lower:.1f}", f"{step.compile:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--levels", default="O0,O2,O5")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--format", choices=["cubin", "ptx"], default="cubin" if has_ptxas() else "ptx")
    parser.add_argument("--samples", type=pathlib.Path, help="these alone")
    parser.add_argument("--seconds", type=int, default=300)
    args = parser.parse_args()
    folders = [args.samples] if args.samples else [SMALL, MID]
    paths = [path for folder in folders for path in sorted(folder.glob("*.mlir"))
             if not args.names or any(name in path.stem for name in args.names)]
    if not paths:
        sys.exit(f"device_step.py: expected samples with names of {args.names}, but found none")
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * 2}{'---:|' * (len(COLUMNS) - 2)}", flush=True)
    remarks = []
    for path in paths:
        base = None
        for level in args.levels.split(","):
            step = compile_step(args.build / "bin" / "amp-opt", path, level, args)
            if isinstance(step, str):
                remarks.append(f"{path.stem} at {level}: {step}")
                continue
            base = step if level == "O0" else base
            print(f"| {' | '.join(map(str, row(path.stem, level, step, base)))} |", flush=True)
    print(*["", *remarks], sep="\n")
    print(f"{datetime.date.today()}, {args.chip}, images are {args.format}; compiled on {get_cpu()}; "
          "not run on a GPU")
    return 1 if remarks else 0


if __name__ == "__main__":
    sys.exit(main())
