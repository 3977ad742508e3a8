# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far is a training step of each level from the same step in FP64?

    errors.py BUILD [NAME...] [--levels O0,O4] [--steps 3] [--f16] [--program]

For each sample a Markdown table of relative errors against PyTorch in float64, on the
same model, start values and batches: the loss of the first step; the gradients of that
step, over all parameters (Frobenius norm) and of the worst one; the update of the
parameters; the loss after some steps. PyTorch in FP32 and under bf16 autocast stand
above ours, so that an error of the format is told from one of our own; `--f16` adds
autocast in f16 with GradScaler, for which PyTorch has no fast convolutions on CPUs.

Gradients are read from the optimizer's first moment after one step from zero: the
gradient (with weight decay where it is SGD's) times a constant. Gradients that are zero
but for rounding are left out of the worst and named. Where a rounding decides the sign
before a ReLU, the error is that sign's: it is another with another seed.

Samples that have recorded values (.npz) start from them; others from their model's,
with a random batch that is taken again in each step. Ours is generated code (`amp-run
--blas=off`, one thread).

Samples without a PyTorch model (those of JAX) are compared with their own program, f64
in place of f32, which the Python package runs; `--program` does so with all. That
tells what FP32 rounds, and nothing of what our compiler does wrong in both.

A dynamic loss scale may skip steps. The batch of such a step is given again until one
is taken, which is the step that is compared; the table says how many were skipped.

`--check N` fails if the loss or the gradients of a run are off by more than N times the
unit roundoff of the narrowest type that it computes in.
"""

import argparse
import datetime
import functools
import os
import pathlib
import platform
import re
import sys

try:
    import numpy
    import torch
except ImportError:
    sys.exit(
        "errors.py: not measured, python3 has no numpy or no torch; "
        "install them with: pip install numpy torch"
    )

from sample_models import SAMPLES
from sample_runs import FOLDERS, make_problem, run_ours, run_torch, run_widened

#: By what a step's narrowest type rounds: half the distance of 1 to the next number.
ROUNDOFFS = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
NARROWEST = {"O0": "f32", "O1": "f16", "O2": "f16", "O3": "f16"} | dict.fromkeys(
    ("O4", "O5"), "bf16"
)
#: PyTorch's ways: title, narrowest type, and autocast's.
TWINS = (
    ("PyTorch FP32", "f32", None),
    ("PyTorch autocast bf16", "bf16", torch.bfloat16),
    ("PyTorch autocast f16", "f16", torch.float16),
)


def get_norm(arrays):
    return float(numpy.sqrt(sum(float(numpy.vdot(a, a)) for a in arrays)))


def get_error(values, wanted, names):
    """Distance of `values` from `wanted` over these names, relative to `wanted`."""
    distance = get_norm(values[name] - wanted[name] for name in names)
    return distance / get_norm(wanted[name] for name in names)


def find_noise(wanted):
    """Parameters whose gradients in FP64 are below what FP32 rounds away of all."""
    floor = ROUNDOFFS["f32"] * get_norm(wanted.values())
    return [name for name, value in wanted.items() if get_norm([value]) < floor]


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def print_outcome(title, outcome, exact, steps):
    """A line of the table; returns the errors of the loss and of the gradients."""
    names = [*exact.moments]
    noise = find_noise(exact.moments)
    worst = {
        name: get_error(outcome.moments, exact.moments, [name])
        for name in names
        if name not in noise
    }
    name = max(worst, key=lambda name: (worst[name] != worst[name], worst[name]))
    first, last = (
        abs(ours - theirs) / abs(theirs)
        for ours, theirs in zip(outcome.losses, exact.losses, strict=True)
    )
    gradients = get_error(outcome.moments, exact.moments, names)
    updates = get_error(outcome.updates, exact.updates, names)
    print_row(
        title + (f" ({outcome.remark})" if outcome.remark else ""),
        f"{first:.1e}", f"{gradients:.1e}", f"{worst[name]:.1e} `{name}`",
        f"{updates:.1e}", f"{last:.1e}",
    )  # fmt: skip
    return first, gradients


def compare(build, problem, options):
    """Prints the table of a sample; returns what `--check` refuses, as sentences."""
    steps = len(problem.batches) - 1
    if options.program or problem.name not in SAMPLES:
        exact, by = run_widened(problem), "the sample's program in f64"
    else:
        exact, by = run_torch(problem, torch.float64), "PyTorch"
    plural = "s" * (steps != 1)
    print(
        f"\n{problem.name}: loss {exact.losses[0]:.6f} and, after {steps} "
        f"step{plural}, {exact.losses[1]:.6f} in FP64 ({by})\n"
    )
    print_row(
        "run", "loss", "gradients", "worst gradient", "updates", f"loss after {steps}"
    )
    print_row(*["---"] * 6)
    runs = {}
    for title, narrowest, half in TWINS:
        if problem.name in SAMPLES and (options.f16 or narrowest != "f16"):
            run = functools.partial(run_torch, problem, torch.float32, half)
            runs[title] = narrowest, run
    for level in options.levels.split(","):
        run = functools.partial(run_ours, build, problem, level)
        runs[level] = NARROWEST[level], run
    refused = []
    for title, (narrowest, run) in runs.items():
        errors = print_outcome(title, run(), exact, steps)
        bound = (options.check or 0) * ROUNDOFFS[narrowest]
        for what, error in zip(("loss", "gradients"), errors, strict=True):
            if options.check and not error <= bound:
                refused.append(
                    f"{problem.name}, {title}: expected an error of the {what} of at "
                    f"most {bound:.1e}, but got {error:.1e}"
                )
    for remark in problem.remarks:
        print(f"\nMended before: {remark}.")
    noise = find_noise(exact.moments)
    if noise:
        print(f"\nZero but for rounding: the gradients of {', '.join(noise)}.")
    return refused


def get_cpu():
    lines = pathlib.Path("/proc/cpuinfo")
    text = lines.read_text() if lines.exists() else ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", default=["gpt_mid", "resnet_mid"])
    parser.add_argument("--levels", default=",".join(NARROWEST))
    parser.add_argument("--steps", type=int, default=3, help="before the second loss")
    parser.add_argument("--seed", type=int, default=0, help="of start values")
    parser.add_argument("--f16", action="store_true", help="autocast in f16 too")
    parser.add_argument("--program", action="store_true", help="for FP64")
    parser.add_argument("--samples", type=pathlib.Path, help="their folder")
    parser.add_argument("--check", type=float, metavar="N", help="in unit roundoffs")
    options = parser.parse_args()
    unknown = [name for name in options.levels.split(",") if name not in NARROWEST]
    if unknown:
        sys.exit(f"errors.py: expected levels of O0 to O5, but got '{unknown[0]}'")
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    print(f"{get_cpu()}, {torch.backends.cpu.get_cpu_capability()}, ", end="")
    print(f"{datetime.date.today()}, torch {torch.__version__}")
    folders = [options.samples] if options.samples else FOLDERS
    refused = []
    for name in options.names:
        problem = make_problem(name, folders, options.steps, options.seed)
        refused += compare(options.build, problem, options)
    if refused:
        sys.exit("\n".join(f"errors.py: {text}" for text in refused))


if __name__ == "__main__":
    main()
