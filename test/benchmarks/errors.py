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
import os
import pathlib
import sys

from sample_files import FOLDERS, find_sample, get_cpu

LEVELS = ("O0", "O1", "O2", "O3", "O4", "O5")


def parse_options():
    """Of the command line, after what is checked without PyTorch."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", default=["gpt_mid", "resnet_mid"])
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--steps", type=int, default=3, help="before the second loss")
    parser.add_argument("--seed", type=int, default=0, help="of start values")
    parser.add_argument("--f16", action="store_true", help="autocast in f16 too")
    parser.add_argument("--program", action="store_true", help="for FP64")
    parser.add_argument("--samples", type=pathlib.Path, help="their folder")
    parser.add_argument("--check", type=float, metavar="N", help="in unit roundoffs")
    options = parser.parse_args()
    options.folders = [options.samples] if options.samples else FOLDERS
    unknown = [name for name in options.levels.split(",") if name not in LEVELS]
    if unknown:
        sys.exit(f"errors.py: expected levels of O0 to O5, but got '{unknown[0]}'")
    for name in options.names:
        find_sample(name, options.folders)
    return options


def main():
    options = parse_options()
    try:
        import torch
        from error_tables import compare
        from sample_runs import make_problem
    except ImportError:
        sys.exit(
            "errors.py: not measured, python3 has no numpy or no torch; "
            "install them with: pip install numpy torch"
        )
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    print(f"{get_cpu()}, {torch.backends.cpu.get_cpu_capability()}, ", end="")
    print(f"{datetime.date.today()}, torch {torch.__version__}")
    refused = []
    for name in options.names:
        problem = make_problem(name, options.folders, options.steps, options.seed)
        refused += compare(options.build, problem, options)
    if refused:
        sys.exit("\n".join(f"errors.py: {text}" for text in refused))


if __name__ == "__main__":
    main()
