# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of errors.py, and what `--check` refuses."""

import functools

import numpy
import torch
from sample_models import SAMPLES
from sample_runs import run_ours, run_torch, run_widened

#: By what a step's narrowest type rounds: half the distance of 1 to the next number.
ROUNDOFFS = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
#: By level, that type.
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
