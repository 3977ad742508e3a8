# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that pack_steps.py compiled, on a GPU: numbers, times, and what takes them.

    run_packed_steps.py FOLDER [WORD... [--exactly]] [--torch eager,graph,inductor,inductor-graph,tuned]
                        [--steps 20] [--rounds 5] [--seconds 240] [--profile FOLDER] [--no-numbers] [--no-times]

WORDs select programs whose names contain one of them, or are one. Needs PyTorch with CUDA.

Numbers: of the first step that is not skipped its loss, the optimizer's first moments and
the updates of parameters, beside PyTorch's step in FP64 on the same GPU from the same start
values and batch, as distances relative to the norm of the reference. PyTorch's own in
FP32, with TF32 and under autocast stand beside them. The state after that step and nine more
must have the same bits in a second run, and in one by graphs.

Times: medians over rounds of the wall time of so many steps, from one wait for the device to
the next; ours by launches and by CUDA graphs, in turns. The ratio is to PyTorch's best of the same kind: FP32, TF32, f16 with a loss scale, bf16. PyTorch's
optimizers are fused ones. `graph` is a CUDA graph of all of an eager step, `inductor`
torch.compile of model and loss, `inductor-graph` a CUDA graph of all of that, `tuned` torch.compile with CUDA graphs of its own
(`reduce-overhead`).

`--profile` writes for each program what its kernels took, by name. PyTorch's ways of a sample begin in so many `--seconds`.
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import sample_models
import torch
from device_program import Failure, Runtime, running

#: Steps before those that count.
WARM = 6
#: Of one run: a scale of 2^16 halves that often before it is 1.
MOST_SKIPPED = 16
KINDS = {"O0": "FP32", "O0-tf32": "TF32", "O1": "f16", "O2": "f16", "O3": "f16", "O4": "bf16", "O5": "bf16"}
HALVES = {"f16": torch.float16, "bf16": torch.bfloat16}


class Problem:
    """A sample: start values by (role, name) on the host, a batch on the GPU."""

    def __init__(self, name):
        self.name = name
        model, self.make_optimizer, batch = sample_models.make(name)
        self.batch = [x.cuda() for x in batch]
        self.start = {key: value.clone() for key, value in model.state_dict().items()}
        parameters = {key for key, _ in model.named_parameters()}
        self.state = {
            ("param" if key in parameters else "buffer", key): value
            for key, value in self.start.items()
        }

    def make_model(self, wide=torch.float32, layout=torch.contiguous_format):
        model = sample_models.make(self.name).model
        model.load_state_dict(self.start)
        model = model.to("cuda", wide)
        return model.to(memory_format=layout) if self.has_images else model

    @property
    def has_images(self):
        return self.batch[0].dim() == 4


def use_tf32(kind):
    torch.backends.cuda.matmul.allow_tf32 = kind == "TF32"
    torch.backends.cudnn.allow_tf32 = kind == "TF32"


# ---- Numbers -------------------------------------------------------------------------


def get_moment(optimizer, parameter):
    state = optimizer.state[parameter]
    return state["exp_avg"] if "exp_avg" in state else state["momentum_buffer"]


def take_torch_step(problem, kind):
    """Loss, moments and updates by parameter, float64; `kind` may be FP64."""
    use_tf32(kind)
    wide = torch.float64 if kind == "FP64" else torch.float32
    model = problem.make_model(wide)
    optimizer = problem.make_optimizer(model.parameters())
    half = HALVES.get(kind)
    scaler = torch.amp.GradScaler("cuda", enabled=kind == "f16")
    x, y = problem.batch
    x = x.to(wide) if x.is_floating_point() else x
    for _ in range(MOST_SKIPPED):
        optimizer.zero_grad()
        with torch.autocast("cuda", half or torch.bfloat16, enabled=half is not None):
            loss = sample_models.get_loss(model, x, y)
        scale = scaler.get_scale()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if scaler.get_scale() >= scale:
            break
    moments, updates = {}, {}
    for name, parameter in model.named_parameters():
        moments[name] = get_moment(optimizer, parameter).double()
        updates[name] = parameter.detach().double() - problem.start[name].cuda().double()
    return float(loss.detach()), moments, updates


def take_our_step(problem, run):
    """As above, and how many steps were skipped."""
    forms = ("{}.momentum", "{}.exp_avg")
    for skipped in range(MOST_SKIPPED):
        scale = run.scale()
        run.step()
        loss = run.loss()
        if run.scale() >= scale:
            break
    state = run.state
    moments, updates = {}, {}
    for role, name in problem.state:
        if role != "param":
            continue
        key = next(key for key in (("opt_state", form.format(name)) for form in forms) if key in state)
        moments[name] = state[key].double()
        after = state.get(("master", name), state["param", name])
        updates[name] = after.double() - problem.start[name].cuda().double()
    return loss, moments, updates, skipped


def distance(values, reference):
    """Relative to the norm of the reference, over all tensors."""
    square = sum(float((values[name] - each).square().sum()) for name, each in reference.items())
    return (square / sum(float(each.square().sum()) for each in reference.values())) ** 0.5


def copy_state(run):
    run.synchronize()
    return {key: tensor.clone() for key, tensor in run.state.items()}


def get_bytes(tensor):
    return tensor.reshape(-1).view(torch.uint8)


def check_repetition(runtime, problem, path):
    """Words on whether ten steps leave the same bits twice, and by graphs."""
    states = []
    for by_graph in (False, False, True):
        with running(runtime, path, problem.state, problem.batch) as run:
            for index in range(10):
                if by_graph and index == 2:
                    run.synchronize()
                    run.capture()
                run.replay() if by_graph and index >= 2 else run.step()
            states.append(copy_state(run))
    differing = [
        [key for key in states[0] if not torch.equal(get_bytes(states[0][key]), get_bytes(state[key]))]
        for state in states[1:]
    ]
    return ", ".join(
        f"{len(keys)} of {len(states[0])} tensors differ {how} ({'/'.join(keys[0])})"
        for keys, how in zip(differing, ("in a second run", "by graphs"))
        if keys
    ) or "same bits"


def print_row(*cells):
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def compare_numbers(runtime, problem, programs):
    print(f"\n{problem.name}: one step beside PyTorch in FP64\n")
    print_row("step", "loss", "off by", "moments", "updates", "skipped", "ten steps again")
    print_row(*["---"] * 7)
    reference = take_torch_step(problem, "FP64")

    def row(name, taken, skipped, again):
        loss, moments, updates = taken
        print_row(
            name, f"{loss:.6f}", f"{abs(loss - reference[0]):.1e}",
            f"{distance(moments, reference[1]):.1e}", f"{distance(updates, reference[2]):.1e}", skipped, again,
        )  # fmt: skip

    for kind in dict.fromkeys(KINDS[level] for level in programs):
        row(f"PyTorch {kind}", take_torch_step(problem, kind), "", "")
    for level, path in programs.items():
        try:
            with running(runtime, path, problem.state, problem.batch) as run:
                *taken, skipped = take_our_step(problem, run)
            row(level, taken, skipped, check_repetition(runtime, problem, path))
        except Failure as failure:  # the others still run
            print_row(level, f"failed: {failure}", *[""] * 5)


# ---- Times ---------------------------------------------------------------------------


def make_torch_step(problem, kind, how, layout):
    """A function that asks for a step, and its loss."""
    use_tf32(kind)
    half = HALVES.get(kind)
    model = problem.make_model(layout=layout)
    x, y = problem.batch
    x = x.contiguous(memory_format=layout) if problem.has_images else x
    optimizer = problem.make_optimizer(model.parameters(), fused=True)
    get_loss = sample_models.get_loss
    if how.startswith("inductor") or how == "tuned":
        mode = {"mode": "reduce-overhead"} if how == "tuned" else {}
        get_loss = torch.compile(get_loss, fullgraph=True, **mode)
    scaler = torch.amp.GradScaler("cuda", enabled=kind == "f16")

    def step():
        optimizer.zero_grad()
        with torch.autocast("cuda", half or torch.bfloat16, enabled=half is not None, cache_enabled="graph" not in how):
            loss = get_loss(model, x, y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    if "graph" not in how:
        return step
    if "capturable" in optimizer.defaults:
        for group in optimizer.param_groups:
            group["capturable"] = True
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def time_steps(step, wait, count):
    """Milliseconds a step."""
    wait()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    wait()
    return 1e3 * (time.perf_counter() - begin) / count


class Way(NamedTuple):
    """A way to take steps.

    Attributes:
        kind: What it stands beside: FP32, TF32, f16 or bf16.
        step: Asks for one.
        wait: Until all are done.
    """

    kind: str
    step: Callable
    wait: Callable


def open_ways(runtime, problem, programs, stack):
    """Our ways by (level, how), and words on what failed. Runs are closed with `stack`."""
    ways, failures = {}, []
    for level, path in programs.items():
        try:
            run = stack.enter_context(running(runtime, path, problem.state, problem.batch))
            for _ in range(WARM):
                run.step()
            run.synchronize()
            run.capture()
        except Failure as failure:
            failures.append(f"{level}: {failure}")
            continue
        ways[level, "launches"] = Way(KINDS[level], run.step, run.synchronize)
        ways[level, "graph"] = Way(KINDS[level], run.replay, run.synchronize)
    return ways, failures


def time_torch(problem, kinds, options):
    """Milliseconds of each round by (name, how), kinds by the same, and words on what
    failed. One way after the other: compiling one forgets what another compiled."""
    deadline = time.monotonic() + options.seconds
    layouts = {"": torch.contiguous_format}
    if problem.has_images:
        layouts[", channels last"] = torch.channels_last
    taken, kind_of, failures = {}, {}, []
    for how, kind, suffix in itertools.product(filter(None, options.torch.split(",")), kinds, layouts):
        key = f"PyTorch {kind}{suffix}", how
        if time.monotonic() > deadline:
            failures.append(f"{', '.join(key)}: the time was over")
            continue
        torch._dynamo.reset()
        try:
            step = make_torch_step(problem, kind, how, layouts[suffix])
            for _ in range(WARM):
                step()
            wait = torch.cuda.synchronize
            taken[key] = [time_steps(step, wait, options.steps) for _ in range(options.rounds)]
            kind_of[key] = kind
        except Exception as failure:  # whatever PyTorch raises
            failures.append(f"{', '.join(key)}: {str(failure).splitlines()[0][:200]}")
    return taken, kind_of, failures


def compare_times(runtime, problem, programs, options):
    with contextlib.ExitStack() as stack:
        ways, failures = open_ways(runtime, problem, programs, stack)
        kinds = list(dict.fromkeys(KINDS[level] for level in programs))
        taken, kind_of, torch_failures = time_torch(problem, kinds, options)
        for _ in range(options.rounds):
            for key, way in ways.items():
                taken.setdefault(key, []).append(time_steps(way.step, way.wait, options.steps))
                kind_of[key] = way.kind
    medians = {key: statistics.median(times) for key, times in taken.items()}
    best = {}
    for key, median in medians.items():
        if key[0].startswith("PyTorch"):
            best[kind_of[key]] = min(best.get(kind_of[key], median), median)
    print(f"\n{problem.name}: milliseconds a step\n")
    print_row("step", "by", "ms", "least", "of PyTorch's best")
    print_row(*["---"] * 5)
    for key, median in medians.items():
        kind = kind_of[key]
        ratio = f"{median / best[kind]:.2f}" if kind in best else ""
        print_row(*key, f"{median:.3f}", f"{min(taken[key]):.3f}", ratio)
    for failure in failures + torch_failures:
        print(f"- {failure}")


# ---- What takes it -------------------------------------------------------------------


def profile(runtime, problem, level, path, folder, steps=3):
    """Kernels by name: microseconds and launches a step."""
    with running(runtime, path, problem.state, problem.batch) as run:
        for _ in range(WARM):
            run.step()
        run.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as recorded:
            for _ in range(steps):
                run.step()
            run.synchronize()
    kernels, order = {}, []
    events = [event for event in recorded.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    for event in sorted(events, key=lambda event: event.time_range.start):
        entry = kernels.setdefault(event.name, [0.0, 0])
        entry[0] += event.time_range.elapsed_us() / steps
        entry[1] += 1 / steps
        order.append((event.name, event.time_range.start, event.time_range.elapsed_us()))
    total = sum(time for time, _ in kernels.values())
    print(f"\n{problem.name} {level}: {total:.0f} us in kernels, {sum(count for _, count in kernels.values()):.0f} a step")
    rows = sorted(kernels.items(), key=lambda item: -item[1][0])
    for name, (time_, count) in rows[:12]:
        print(f"  {time_:8.1f} us {time_ / total:6.1%} {count:5.0f} x {name[:110]}")
    text = json.dumps({"total_us": total, "kernels": rows, "order": order})
    (folder / f"{problem.name}-{level}.json").write_text(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--exactly", action="store_true")
    parser.add_argument("--torch", default="eager,graph,inductor,inductor-graph,tuned")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=240, help="for PyTorch's ways of one sample")
    parser.add_argument("--profile", type=pathlib.Path)
    parser.add_argument("--no-numbers", action="store_true")
    parser.add_argument("--no-times", action="store_true")
    options = parser.parse_args()
    samples = {}
    for path in sorted(options.folder.glob("*-O*.so")):
        name, level = path.stem.split("-", 1)
        is_wanted = path.stem.__eq__ if options.exactly else path.stem.__contains__
        if not options.words or any(map(is_wanted, options.words)):
            samples.setdefault(name, {})[level] = str(path.resolve())
    if not samples:
        sys.exit(f"run_packed_steps.py: expected NAME-LEVEL.so in '{options.folder}'; pack_steps.py makes them")
    if not torch.cuda.is_available():
        sys.exit("run_packed_steps.py: not measured: PyTorch has no GPU here")
    runtime = Runtime(str((options.folder / "libamp-rt.so.0").resolve()))
    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, {properties.multi_processor_count} multiprocessors, PyTorch {torch.__version__}")
    if options.profile:
        options.profile.mkdir(parents=True, exist_ok=True)
    for name, programs in samples.items():
        problem = Problem(name)
        if not options.no_numbers:
            compare_numbers(runtime, problem, programs)
        if options.profile:
            for level, path in programs.items():
                profile(runtime, problem, level, path, options.profile)
        if not options.no_times:
            compare_times(runtime, problem, programs, options)


if __name__ == "__main__":
    main()
