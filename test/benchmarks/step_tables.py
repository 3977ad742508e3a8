# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of mid_steps.py: the ways of PyTorch and ours, in turns."""

import contextlib
import pathlib
import signal
import statistics
import tempfile
import time
from typing import NamedTuple

import sample_models
import torch
from sample_runs import make_model, run_tool, write_inputs
from step_ways import WARM, make_ways, pin


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


def make_step(problem, way):
    """A function that takes a step and returns its loss."""
    model, make_optimizer = make_model(problem)
    x, y = (torch.from_numpy(value) for value in problem.batches[0])
    if x.dim() == 4:
        layout = getattr(torch, way.layout)
        model = model.to(memory_format=layout)
        x = x.contiguous(memory_format=layout)
    optimizer = make_optimizer(model.parameters(), fused=True)
    get_loss = sample_models.get_loss
    half = way.half and getattr(torch, way.half)
    if way.is_compiled:
        get_loss = torch.compile(get_loss, fullgraph=True)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", half or torch.bfloat16, enabled=bool(half)):
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
    if way.is_compiled:
        # Two seconds, for this alone.
        from torch._inductor import metrics

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
