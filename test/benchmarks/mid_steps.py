# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long does a training step take beside PyTorch's best, in FP32 and in bf16?

    mid_steps.py BUILD [NAME...] [--levels O0,O5] [--ways TEXT...] [--threads N]
                 [--steps 3] [--rounds 3] [--seconds N] [--samples DIR]
                 [--compile-seconds 60]

For each sample a Markdown table: the median and the best time of a step, its ratio to
the best of PyTorch of its kind (below 1 is faster), and the first loss. O0 stands beside
FP32, the other levels beside autocast in bf16, which a CPU computes faster than f16.
PyTorch is eager and by inductor, with `fused=True` optimizers; models of images also
with channels last. Ours is generated code (`amp-run --blas=off`).

Both sides have the same start values and take the same batch in each step, in turns:
each round runs every way once, and none but the first begins later than `--seconds`
after a sample's start. Of a turn the first two steps are left out. So are steps
that a dynamic loss scale skips, which the table counts.

The process, and amp-run with it, is pinned to as many CPUs as threads, the last ones
that it may use; inductor compiles on all of them before. A compilation that fails, or
takes longer than it may, is a line below the table. ^C or SIGTERM ends a sample with
the table of what was measured.
"""

import argparse
import datetime
import os
import pathlib
import signal
import sys

from sample_files import FOLDERS, MODELLED, get_cpu
from step_ways import make_ways, pin

LEVELS = "O0,O1,O2,O4,O5"


def parse_options():
    """Of the command line, after what is checked without PyTorch; and the CPUs that
    this process may use."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", default=["gpt_mid", "resnet_mid"])
    parser.add_argument("--levels", default=LEVELS, help=f"ours ({LEVELS})")
    parser.add_argument(
        "--ways",
        nargs="*",
        default=[""],
        metavar="TEXT",
        help="PyTorch's that have one of these in their names; $ is a name's end",
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=3, help="of a turn, that count")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--samples", type=pathlib.Path, help="their folder")
    parser.add_argument("--compile-seconds", type=int, default=60, help="for inductor")
    options = parser.parse_args()
    for name, least in (("threads", 1), ("steps", 1), ("rounds", 0), ("compile_seconds", 1)):
        if getattr(options, name) < least:
            sys.exit(
                f"mid_steps.py: expected --{name.replace('_', '-')} to be at least {least}, "
                f"but got {getattr(options, name)}"
            )
    names = [f"{way.name}$" for way in make_ways(has_images=True)]
    for text in options.ways:
        if not any(text in name for name in names):
            sys.exit(
                f"mid_steps.py: expected --ways to be parts of names, as 'eager FP32', but "
                f"none has '{text}'"
            )
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < options.threads:
        sys.exit(
            f"mid_steps.py: expected a CPU for each of {options.threads} threads, but "
            f"this process may use {len(allowed)}"
        )
    unknown = [name for name in options.names if name not in MODELLED]
    if unknown:
        sys.exit(
            f"mid_steps.py: expected samples with a PyTorch model, as "
            f"{', '.join(MODELLED)}, but got '{unknown[0]}'"
        )
    return options, allowed


def main():
    options, allowed = parse_options()
    try:
        import torch
        from sample_runs import make_problem
        from step_tables import compare
    except ImportError:
        sys.exit(
            "mid_steps.py: not measured, python3 has no numpy or no torch; "
            "install them with: pip install numpy torch"
        )
    cpus = allowed[-options.threads :]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    torch.set_num_threads(options.threads)
    print(f"{get_cpu()}, {torch.backends.cpu.get_cpu_capability()}, ", end="")
    print(f"{datetime.date.today()}, torch {torch.__version__}, CPU {cpus}")
    folders = [options.samples] if options.samples else FOLDERS
    for name in options.names:
        pin(allowed)
        problem = make_problem(name, folders, 1)
        compare(options.build, problem, options, cpus)


if __name__ == "__main__":
    main()
