# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same training steps of a sample, by PyTorch, amp-run, and its program in f64.

Each run gives the loss of the first step, what the optimizer got from it, and the loss
of the last. A skipped step is taken again with its batch until the scale lets it pass,
so that runs at different scales are of the same steps. What cannot be run ends the
process with a sentence that begins with its name.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy
import sample_models
import torch
from sample_files import NAME, find_sample

#: Of one run: a scale of 2^16 halves that often before it is 1.
MOST_SKIPPED = 16
#: Constants of samples that are not what the model says: the right ones, and words.
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


def read_arguments(text):
    """(role, name) of each argument of @train_step, in their order."""
    (line,) = re.findall(r"func\.func @train_step\((.*?)\) ->", text)
    attributes = re.findall(r"tensor<[^>]*> \{([^}]*)\}", line)
    return [
        tuple(
            re.search(rf'amp\.{key} = "([^"]*)"', text)[1] for key in ("role", "name")
        )
        for text in attributes
    ]


def make_problem(name, folders, steps, seed=0):
    module, recorded = find_sample(name, folders)
    text, remarks = module.read_text(), []
    for constant, (value, remark) in MENDED.items():
        if f"arith.constant {constant} " in text:
            text = text.replace(
                f"arith.constant {constant} ", f"arith.constant {value} "
            )
            remarks.append(remark)
    arguments = read_arguments(text)
    if recorded:
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
    """That of the optimizer's state which begins as a multiple of the gradient: of
    PyTorch's SGD and AdamW, of optax's."""
    for form in ("{}.momentum", "{}.exp_avg", "[0].trace{}", "[0].mu{}"):
        if ("opt_state", form.format(parameter)) in arguments:
            return form.format(parameter)
    sys.exit(f"{NAME}: expected a first moment of '{parameter}' in the sample")


# ---- PyTorch -------------------------------------------------------------------------


def make_model(problem, wide=torch.float32):
    """The model with the problem's start values, and a function from its parameters to
    its optimizer."""
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
            f"{NAME}: expected the parameters of '{problem.name}' to be those of its "
            f"PyTorch model, but {[*missing, *unexpected]} are on one side alone"
        )
    return model, make_optimizer


def run_torch(problem, wide, half=None):
    """A run in PyTorch.

    Args:
        problem: Whose optimizer state is zero.
        wide: The type of the parameters.
        half: That of autocast, or None. f16 has a GradScaler.

    Returns:
        The outcome.
    """
    model, make_optimizer = make_model(problem, wide)
    optimizer = make_optimizer(model.parameters())
    scaler = torch.amp.GradScaler("cpu", enabled=half is torch.float16)
    skipped = []

    def step(index):
        """The loss; repeated until a step is not skipped."""
        x, y = (torch.from_numpy(value) for value in problem.batches[index])
        x = x.to(wide) if x.is_floating_point() else x
        while True:
            optimizer.zero_grad()
            with torch.autocast(
                "cpu", half or torch.bfloat16, enabled=half is not None
            ):
                loss = sample_models.get_loss(model, x, y)
            scale = scaler.get_scale()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= scale:
                return float(loss.detach())
            skipped.append(index)
            if len(skipped) > MOST_SKIPPED:
                sys.exit(
                    f"{NAME}: '{problem.name}' in PyTorch: expected a step to be "
                    f"taken, but {MOST_SKIPPED + 1} were skipped"
                )

    first = step(0)
    moments, updates = {}, {}
    for name, parameter in model.named_parameters():
        state = optimizer.state[parameter]
        moment = state["exp_avg"] if "exp_avg" in state else state["momentum_buffer"]
        moments[name] = moment.double().numpy().copy()
        start = problem.state["param", name].astype("f8")
        updates[name] = parameter.detach().double().numpy() - start
    losses = [step(i) for i in range(1, len(problem.batches))]
    remark = (
        describe_scale(scaler.get_scale(), len(skipped)) if scaler.is_enabled() else ""
    )
    return Outcome((first, losses[-1]), moments, updates, remark)


# ---- Ours ----------------------------------------------------------------------------


def write_inputs(problem, batches, folder):
    """The problem's module and a replay of these batches, as files of the folder."""
    module, replay = folder / f"{problem.name}.mlir", folder / "in.npz"
    module.write_text(problem.text)
    arrays = {
        f"arg{i}": problem.state[key]
        for i, key in enumerate(problem.arguments)
        if key in problem.state
    }
    for i, batch in enumerate(batches):
        arrays |= {f"step{i}_x{j}": value for j, value in enumerate(batch)}
    numpy.savez(replay, **arrays, steps=len(batches))
    return module, replay


def run_tool(build, inputs, level, threads=1, options=()):
    """Runs amp-run on what `write_inputs` wrote; returns its log, an object for each
    step. The step is one that nobody watches: without the norm of its gradients."""
    module, replay = inputs
    log = replay.with_name("log")
    log.unlink(missing_ok=True)
    command = [
        pathlib.Path(build) / "bin" / "amp-run", module, f"--opt-level={level}",
        "--verbosity=0", "--quiet", "--blas=off", f"--threads={threads}",
        "--replay", replay, "--log", log, "--grad-norm=false", *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(
            f"{NAME}: '{module.stem}' cannot be run at {level}: {done.stderr.strip()}"
        )
    return [json.loads(line) for line in log.read_text().splitlines()]


def run_steps(build, problem, level, batches, folder):
    """Runs amp-run on these batches.

    Returns:
        Its log, an object for each step, and the state that it saved, by "ROLE/NAME".
    """
    saved = folder / "out.npz"
    inputs = write_inputs(problem, batches, folder)
    records = run_tool(build, inputs, level, options=("--save", saved))
    return records, dict(numpy.load(saved))


def run_taken(build, problem, level, batches):
    """Runs amp-run on batches, each as often as its step is skipped and once more.

    Returns:
        Log entries of the steps that were taken, one for each batch; the saved state;
        how many were skipped.
    """
    tries = [1] * len(batches)
    with tempfile.TemporaryDirectory() as folder:
        while True:
            given = [i for i, count in enumerate(tries) for _ in range(count)]
            records, state = run_steps(
                build, problem, level, [batches[i] for i in given], pathlib.Path(folder)
            )
            skipped = [record["skipped"] for record in records]
            wanted = count_tries(tries, skipped)
            if wanted is None:
                sys.exit(
                    f"{NAME}: '{problem.name}' at {level}: expected a step to be "
                    f"taken, but {MOST_SKIPPED + 1} were skipped"
                )
            if wanted == tries:
                taken = [record for record in records if not record["skipped"]]
                return taken, state, sum(skipped)
            tries = wanted


def count_tries(tries, skipped):
    """How often each batch is to be given after a run that gave them as often as
    `tries` says: to the first of which all were skipped as often as may be, which
    tells how often that was too much. None after that many skipped ones."""
    begin = 0
    for index, count in enumerate(tries):
        flags = [*skipped[begin : begin + count], False]
        needed = flags.index(False) + 1
        if needed > MOST_SKIPPED + 1:
            return None
        if needed != count:
            more = MOST_SKIPPED + 1 if needed > count else needed
            return [*tries[:index], more, *tries[index + 1 :]]
        begin += count
    return tries


def get_moments(problem, state):
    """By parameter, float64; state by (role, name)."""
    return {
        name: state["opt_state", get_moment_name(problem.arguments, name)].astype("f8")
        for role, name in problem.arguments
        if role == "param"
    }


def get_updates(problem, state):
    """By parameter, float64; an FP32 master is what an update goes to."""
    return {
        name: state.get(("master", name), state.get((role, name))).astype("f8")
        - problem.state[role, name].astype("f8")
        for role, name in problem.arguments
        if role == "param"
    }


def run_ours(build, problem, level):
    """A run of amp-run."""
    (first,), saved, _ = run_taken(build, problem, level, problem.batches[:1])
    state = {tuple(key.split("/", 1)): value for key, value in saved.items()}
    records, _, skipped = run_taken(build, problem, level, problem.batches)
    scale = first["scale_before"] if "scale_before" in first else 1
    return Outcome(
        (float(first["loss"]), float(records[-1]["loss"])),
        get_moments(problem, state),
        get_updates(problem, state),
        describe_scale(scale, skipped),
    )


def run_widened(problem):
    """A run of the sample's program in f64."""
    try:
        import widened_program
    except ImportError as missing:
        sys.exit(
            f"{NAME}: expected the Python package, which runs '{problem.name}' in "
            f"FP64: {missing}; PYTHONPATH=build/python finds it in a build"
        )
    program = widened_program.WidenedProgram(problem.text, problem.state)
    first = program.run(problem.batches[0])
    moments = get_moments(problem, program.state)
    updates = get_updates(problem, program.state)
    losses = [program.run(batch) for batch in problem.batches[1:]]
    return Outcome((first, losses[-1]), moments, updates, "")


def describe_scale(scale, skipped):
    said = [f"scale {scale:g}"] if scale != 1 else []
    said += [f"{skipped} skipped"] if skipped else []
    return ", ".join(said)
