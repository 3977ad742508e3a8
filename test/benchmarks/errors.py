# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far is a training step of each level from the same step in FP64?

    errors.py BUILD [NAME...] [--levels O0,O4] [--steps 3] [--seed 0] [--f16]

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

A dynamic loss scale may skip steps. The batch of such a step is given again until one
is taken, which is the step that is compared; the table says how many were skipped.

`--check N` fails if the loss or the gradients of a run are off by more than N times the
unit roundoff of the narrowest type that it computes in.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

try:
    import numpy
    import torch
except ImportError:
    sys.exit(
        "errors.py: not measured, python3 has no numpy or no torch; "
        "install them with: pip install numpy torch"
    )

import sample_models

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared" / "samples"
FOLDERS = [SHARED / "mid", SHARED, HERE.parent / "Inputs" / "samples"]
#: By what a step's narrowest type rounds: half the distance of 1 to the next number.
ROUNDOFFS = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8 / 2}
NARROWEST = {"O0": "f32", "O1": "f16", "O2": "f16", "O3": "f16"} | dict.fromkeys(
    ("O4", "O5"), "bf16"
)
#: Of one run: a scale of 2^16 halves that often before it is 1.
MOST_SKIPPED = 16
#: Constants of samples that are not what the model says, their values and what they are.
MENDED = {
    "7.977240e-01": (
        repr(math.sqrt(2 / math.pi)),
        "the constant of gelu's forward pass, in the sample sqrt(7/11), is sqrt(2/pi)",
    )
}


class Problem(NamedTuple):
    """What every run is given.

    Attributes:
        name: The sample's.
        text: Its MLIR.
        remarks: What was mended in it.
        arguments: (role, name) of each argument of the train step.
        state: Start values by (role, name), FP32 or integers.
        batches: (x0, x1) of each step.
    """

    name: str
    text: str
    remarks: list
    arguments: list
    state: dict
    batches: list


class Outcome(NamedTuple):
    """What a run gives.

    Attributes:
        losses: Of the steps that were compared, the first and the last.
        moments: First moments by parameter after the first step, float64.
        updates: Parameters after the first step minus those before it, float64.
        remark: Loss scale and skipped steps, for people.
    """

    losses: tuple
    moments: dict
    updates: dict
    remark: str


def find_module(name, folders):
    for folder in folders:
        if (folder / f"{name}.mlir").exists():
            return folder / f"{name}.mlir"
    sys.exit(
        f"errors.py: expected '{name}.mlir' in one of "
        + ", ".join(f"'{folder}'" for folder in folders)
    )


def read_arguments(text):
    """(role, name) of each argument of @train_step, in their order."""
    (line,) = re.findall(r"func\.func @train_step\((.*?)\) ->", text)
    attributes = re.findall(r"tensor<[^>]*> \{([^}]*)\}", line)
    return [
        tuple(re.search(rf'amp\.{key} = "([^"]*)"', text)[1] for key in ("role", "name"))
        for text in attributes
    ]


def make_problem(name, folders, steps, seed=0):
    module = find_module(name, folders)
    text, remarks = module.read_text(), []
    for constant, (value, remark) in MENDED.items():
        if f"arith.constant {constant} " in text:
            text = text.replace(f"arith.constant {constant} ", f"arith.constant {value} ")
            remarks.append(remark)
    arguments = read_arguments(text)
    recorded = module.with_suffix(".npz")
    if recorded.exists():
        arrays = numpy.load(recorded)
        state = {
            key: arrays[f"arg{i}"]
            for i, key in enumerate(arguments)
            if key[0] not in ("batch", "loss_seed")
        }
        count = int(arrays["steps"])
        batches = [
            tuple(arrays[f"step{i % count}_{x}"] for x in ("x0", "x1"))
            for i in range(steps + 1)
        ]
        return Problem(name, text, remarks, arguments, state, batches)
    model, _, batch = sample_models.make(name, seed)
    values = {key: value.numpy() for key, value in model.state_dict().items()}
    state = {}
    for role, key in arguments:
        if role in ("param", "buffer"):
            state[role, key] = values[key]
        elif role == "opt_state":
            like = values.get(key.rpartition(".")[0], numpy.zeros((), numpy.float32))
            state[role, key] = numpy.zeros_like(like)
    batches = [tuple(x.numpy() for x in batch)] * (steps + 1)
    return Problem(name, text, remarks, arguments, state, batches)


def get_moment_name(arguments, parameter):
    """That of the optimizer's state which begins as a multiple of the gradient."""
    for suffix in (".momentum", ".exp_avg"):
        if ("opt_state", parameter + suffix) in arguments:
            return parameter + suffix
    sys.exit(f"errors.py: expected a first moment of '{parameter}' in the sample")


# ---- PyTorch -------------------------------------------------------------------------


def run_torch(problem, wide, half=None):
    """A run in PyTorch.

    Args:
        problem: Whose optimizer state is zero.
        wide: The type of the parameters.
        half: That of autocast, or None. f16 has a GradScaler.

    Returns:
        The outcome.
    """
    model, make_optimizer, _ = sample_models.make(problem.name)
    model = model.to(wide)
    given = {
        name: torch.from_numpy(value)
        for (role, name), value in problem.state.items()
        if role in ("param", "buffer")
    }
    missing, unexpected = model.load_state_dict(given, strict=False)
    if unexpected or not all(name.endswith("num_batches_tracked") for name in missing):
        sys.exit(
            f"errors.py: expected the parameters of '{problem.name}' to be those of its "
            f"PyTorch model, but {[*missing, *unexpected]} are on one side alone"
        )
    optimizer = make_optimizer(model.parameters())
    scaler = torch.amp.GradScaler("cpu", enabled=half is torch.float16)
    skipped = []

    def step(index):
        """The loss; repeated until a step is not skipped."""
        x, y = (torch.from_numpy(value) for value in problem.batches[index])
        x = x.to(wide) if x.is_floating_point() else x
        while True:
            optimizer.zero_grad()
            with torch.autocast("cpu", half or torch.bfloat16, enabled=half is not None):
                loss = sample_models.get_loss(model, x, y)
            scale = scaler.get_scale()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= scale or len(skipped) == MOST_SKIPPED:
                return float(loss.detach())
            skipped.append(index)

    first = step(0)
    moments, updates = {}, {}
    for name, parameter in model.named_parameters():
        state = optimizer.state[parameter]
        moment = state["exp_avg"] if "exp_avg" in state else state["momentum_buffer"]
        moments[name] = moment.double().numpy().copy()
        updates[name] = (parameter.detach().double() - given[name].double()).numpy()
    losses = [step(i) for i in range(1, len(problem.batches))]
    remark = describe_scale(scaler.get_scale(), len(skipped)) if scaler.is_enabled() else ""
    return Outcome((first, losses[-1]), moments, updates, remark)


# ---- Ours ----------------------------------------------------------------------------


def run_steps(build, problem, level, batches, folder):
    """Runs amp-run on these batches.

    Returns:
        Its log, an object for each step, and the state that it saved, by "ROLE/NAME".
    """
    module = folder / f"{problem.name}.mlir"
    replay, log, saved = (folder / name for name in ("in.npz", "log", "out.npz"))
    module.write_text(problem.text)
    arrays = {
        f"arg{i}": problem.state[key]
        for i, key in enumerate(problem.arguments)
        if key in problem.state
    }
    for i, batch in enumerate(batches):
        arrays |= {f"step{i}_x{j}": value for j, value in enumerate(batch)}
    numpy.savez(replay, **arrays, steps=len(batches))
    log.unlink(missing_ok=True)
    command = [
        pathlib.Path(build) / "bin" / "amp-run", module, f"--opt-level={level}",
        "--verbosity=0", "--quiet", "--blas=off", "--threads=1",
        "--replay", replay, "--log", log, "--save", saved,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(
            f"errors.py: '{problem.name}' cannot be run at {level}: {done.stderr.strip()}"
        )
    records = [json.loads(line) for line in log.read_text().splitlines()]
    return records, dict(numpy.load(saved))


def run_taken(build, problem, level, batches):
    """Runs amp-run on these batches, each as often as its step is skipped and once more.

    Returns:
        Log entries of the steps that were taken, one for each batch; the saved state;
        how many were skipped.
    """
    tries = [1] * len(batches)
    with tempfile.TemporaryDirectory() as folder:
        while True:
            given = [index for index, count in enumerate(tries) for _ in range(count)]
            if len(given) - len(batches) > MOST_SKIPPED:
                sys.exit(
                    f"errors.py: '{problem.name}' at {level}: expected a step to be "
                    f"taken, but {MOST_SKIPPED + 1} were skipped"
                )
            records, state = run_steps(
                build, problem, level, [batches[i] for i in given], pathlib.Path(folder)
            )
            last = dict(zip(given, records, strict=True))
            skipped = [index for index in last if last[index]["skipped"]]
            if not skipped:
                return [*last.values()], state, len(given) - len(batches)
            tries[skipped[0]] += 1  # what follows is of another scale then


def run_ours(build, problem, level):
    """A run of amp-run."""
    (first,), state, _ = run_taken(build, problem, level, problem.batches[:1])
    records, _, skipped = run_taken(build, problem, level, problem.batches)
    moments, updates = {}, {}
    for role, name in problem.arguments:
        if role != "param":
            continue
        moment = state[f"opt_state/{get_moment_name(problem.arguments, name)}"]
        moments[name] = moment.astype("f8")
        # An FP32 master is what the update goes to.
        after = state.get(f"master/{name}", state.get(f"param/{name}"))
        updates[name] = after.astype("f8") - problem.state["param", name].astype("f8")
    losses = float(first["loss"]), float(records[-1]["loss"])
    scale = first["scale_before"] if "scale_before" in first else 1
    return Outcome(losses, moments, updates, describe_scale(scale, skipped))


def describe_scale(scale, skipped):
    text = f"scale {scale:g}" if scale != 1 else ""
    return f"{text}, {skipped} skipped" if skipped else text


# ---- The table -----------------------------------------------------------------------


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
    exact = run_torch(problem, torch.float64)
    print(f"\n{problem.name}: loss {exact.losses[0]:.6f} and, after {steps} steps, ", end="")
    print(f"{exact.losses[1]:.6f} in FP64 (PyTorch)\n")
    print_row(
        "run", "loss", "gradients", "worst gradient", "updates", f"loss after {steps}"
    )
    print_row(*["---"] * 6)
    runs = {
        "PyTorch FP32": ("f32", lambda: run_torch(problem, torch.float32)),
        "PyTorch autocast bf16": (
            "bf16",
            lambda: run_torch(problem, torch.float32, torch.bfloat16),
        ),
    }
    if options.f16:
        runs["PyTorch autocast f16"] = (
            "f16",
            lambda: run_torch(problem, torch.float32, torch.float16),
        )
    for level in options.levels.split(","):
        runs[level] = (
            NARROWEST[level],
            lambda level=level: run_ours(build, problem, level),
        )
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
    parser.add_argument("--samples", type=pathlib.Path, help="their folder")
    parser.add_argument("--check", type=float, metavar="N", help="in unit roundoffs")
    options = parser.parse_args()
    unknown = [name for name in options.levels.split(",") if name not in NARROWEST]
    if unknown:
        sys.exit(f"errors.py: expected levels of O0 to O5, but got '{unknown[0]}'")
    for name in options.names:
        if name not in sample_models.SAMPLES:
            sys.exit(
                f"errors.py: expected samples with a PyTorch model, of "
                f"{', '.join(sample_models.SAMPLES)}, but got '{name}'"
            )
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
