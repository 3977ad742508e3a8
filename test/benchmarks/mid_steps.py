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
import contextlib
import datetime
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

try:
    import numpy  # noqa: F401
    import torch
except ImportError:
    sys.exit(
        "mid_steps.py: not measured, python3 has no numpy or no torch; "
        "install them with: pip install numpy torch"
    )

import sample_models
from errors import get_cpu
from sample_runs import FOLDERS, make_model, make_problem, run_tool, write_inputs
from torch._inductor import metrics

LEVELS = "O0,O1,O2,O4,O5"
#: Steps of a turn before those that count.
WARM = 2


class Way(NamedTuple):
    """A way to take steps in PyTorch.

    Attributes:
        name: Of its row.
        half: Autocast's type, or None.
        is_compiled: By inductor.
        layout: Of images and of their filters.
    """

    name: str
    half: torch.dtype | None
    is_compiled: bool
    layout: torch.memory_format


class Taken(NamedTuple):
    """What a way took.

    Attributes:
        seconds: Of each step that counts.
        loss: Of the first step.
        skipped: How many steps were.
    """

    seconds: list
    loss: float
    skipped: int


def make_ways(has_images):
    layouts = {"": torch.contiguous_format}
    if has_images:
        layouts[", channels last"] = torch.channels_last
    return [
        Way(f"PyTorch {how} {kind}{suffix}", half, how == "inductor", layout)
        for half, kind in ((None, "FP32"), (torch.bfloat16, "autocast bf16"))
        for how in ("eager", "inductor")
        for suffix, layout in layouts.items()
    ]


def make_step(problem, way):
    """A function that takes a step and returns its loss."""
    model, make_optimizer = make_model(problem)
    x, y = (torch.from_numpy(value) for value in problem.batches[0])
    if x.dim() == 4:
        model = model.to(memory_format=way.layout)
        x = x.contiguous(memory_format=way.layout)
    optimizer = make_optimizer(model.parameters(), fused=True)
    get_loss = sample_models.get_loss
    if way.is_compiled:
        get_loss = torch.compile(get_loss, fullgraph=True)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", way.half or torch.bfloat16, enabled=bool(way.half)):
            loss = get_loss(model, x, y)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return step


@contextlib.contextmanager
def limit(seconds):
    """Raises TimeoutError in what takes longer."""

    def stop(*_):
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def start(problem, way, seconds):
    """The way's step function and first loss, taken, and words on how it was compiled.

    Raises:
        Exception: It cannot be compiled, in so many seconds.
    """
    torch._dynamo.reset()
    metrics.reset()
    begin = time.perf_counter()
    step = make_step(problem, way)
    with limit(seconds) if way.is_compiled else contextlib.nullcontext():
        loss = step()
        step()
    if not way.is_compiled:
        return step, loss, ""
    kernels = metrics.generated_kernel_count
    if not kernels:
        raise RuntimeError("no kernel was generated")
    return step, loss, f"{kernels} kernels in {time.perf_counter() - begin:.0f} s"


def time_steps(step, count):
    """Seconds of each of so many steps; two before them do not count."""
    seconds = []
    for _ in range(WARM + count):
        begin = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - begin)
    return seconds[WARM:]


def pin(cpus):
    """Every thread of this process, and those to come."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended since
            os.sched_setaffinity(int(thread), cpus)


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def print_table(taken, kinds):
    """The rows of what was taken; `kinds` says by name what computes in bf16."""
    medians = {
        name: statistics.median(way.seconds or [float("nan")])
        for name, way in taken.items()
    }
    best = {}
    for name, seconds in medians.items():
        if name.startswith("PyTorch"):
            kind = kinds[name]
            best[kind] = min(best.get(kind, seconds), seconds)
    print_row(
        "run", "ms a step", "best step", "/ best PyTorch of its kind", "first loss"
    )
    print_row(*["---"] * 5)
    for name, way in taken.items():
        against = best.get(kinds[name])
        print_row(
            name + (f" ({way.skipped} skipped)" if way.skipped else ""),
            f"{1e3 * medians[name]:.4g}",
            f"{1e3 * min(way.seconds, default=float('nan')):.4g}",
            f"{medians[name] / against:.2f}" if against else "-",
            f"{way.loss:.5f}",
        )


def compare(build, problem, options, cpus):
    """Prints the table of a sample."""
    begin = time.monotonic()
    has_images = problem.batches[0][0].ndim == 4
    taken, steps, kinds = {}, {}, {}
    remarks = [f"mended before: {remark}" for remark in problem.remarks]
    for way in make_ways(has_images):
        if not any(text in f"{way.name}$" for text in options.ways):
            continue
        try:
            step, loss, remark = start(problem, way, options.compile_seconds)
        except Exception as failure:  # of any kind: inductor calls a compiler
            lines = str(failure).strip().splitlines() or [""]
            said = f"{type(failure).__name__}: {lines[0]}"
            remarks.append(f"not measured, {way.name}: {said}")
            continue
        steps[way.name], kinds[way.name] = step, way.half is not None
        taken[way.name] = Taken([], loss, 0)
        if remark:
            remarks.append(f"{way.name}: {remark}")
    levels = options.levels.split(",") if options.levels else []
    with tempfile.TemporaryDirectory() as folder:
        batches = problem.batches[:1] * (WARM + options.steps)
        inputs = write_inputs(problem, batches, pathlib.Path(folder))
        pin(cpus)
        try:
            for i in range(options.rounds):
                if i and time.monotonic() - begin > options.seconds:
                    remarks.append(f"{i} of {options.rounds} rounds: the time was over")
                    break
                for name, step in steps.items():
                    taken[name].seconds.extend(time_steps(step, options.steps))
                for level in levels:
                    records = run_tool(build, inputs, level, options.threads)
                    counted = [r for r in records[WARM:] if not r.get("skipped")]
                    before = taken.get(level, Taken([], records[0]["loss"], 0))
                    taken[level] = before._replace(
                        seconds=before.seconds + [r["seconds"] for r in counted],
                        skipped=before.skipped + len([r for r in records if r.get("skipped")]),
                    )
                    kinds[level] = level != "O0"
        except KeyboardInterrupt:
            remarks.append("stopped: what was not reached is not in the table")
    taken = {name: way for name, way in taken.items() if way.seconds or way.skipped}
    plural = "s" * (options.threads != 1)
    print(f"\n{problem.name}, {options.threads} thread{plural}:\n")
    print_table(taken, kinds)
    for remark in remarks:
        print(f"\n{remark[0].upper()}{remark[1:]}.")


def main():
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
    unknown = [name for name in options.names if name not in sample_models.SAMPLES]
    if unknown:
        sys.exit(
            f"mid_steps.py: expected samples with a PyTorch model, as "
            f"{', '.join(sample_models.SAMPLES)}, but got '{unknown[0]}'"
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
