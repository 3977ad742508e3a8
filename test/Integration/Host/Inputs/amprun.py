"""Runs amp-run on arrays and gives back arrays: what the scripts here share.

A step is a module; its start values and batches are an .npz as the samples have
them: argN for the N-th argument of the train step, stepK_xI for the I-th batch
argument of step K.
"""

import json
import os
import subprocess
import tempfile

import numpy as np

BF16 = np.dtype("V2")  # numpy has no bfloat16: amp-run stores its bits


class Failed(Exception):
    """amp-run ended with an error; its text."""


class Run:
    """What a run left: `state["param/w"]`, and one record a step in `log`, without its seconds and its
    memory, in which ways to compute the same differ."""

    def __init__(self, state, log):
        self.state = state
        self.log = log


def run(module, level, arrays, *options, steps=None):
    """Replays `arrays` (a path, or a dictionary) for `steps` steps."""
    with tempfile.TemporaryDirectory() as folder:
        replay = arrays
        if not isinstance(arrays, (str, os.PathLike)):
            replay = os.path.join(folder, "replay.npz")
            np.savez(replay, **arrays)
        save = os.path.join(folder, "state.npz")
        log = os.path.join(folder, "log.jsonl")
        command = ["amp-run", str(module), "--opt-level=" + level, "--verbosity=0", "--quiet",
                   "--replay", str(replay), "--save", save, "--log", log, *options]
        if steps is not None:
            command += ["--steps", str(steps)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(" ".join(command) + "\n" + done.stdout + done.stderr)
        with np.load(save) as saved:
            state = {name: saved[name] for name in saved.files}
        with open(log) as lines:
            records = [json.loads(line) for line in lines]
        for record in records:
            del record["seconds"], record["peak_bytes"]
        return Run(state, records)


def compare(module, arrays, expected, options):
    """What is wrong with "param/w" after a step at O0 under each of amp-run's options: one text each."""
    wrong = []
    for option in options:
        try:
            state = run(module, "O0", arrays, option).state["param/w"]
            if not np.array_equal(state, expected):
                wrong.append(f"{option}: {state}, not {expected}")
        except Failed as failure:
            wrong.append(f"{option}: {failure}")
    return wrong


def role(role, name):
    """The attributes of an argument or result, as a module has them."""
    return f'{{amp.role = "{role}", amp.name = "{name}"}}'


def to_float(array):
    """f32 values of an array that may hold f16, or bfloat16 as bits."""
    if array.dtype.kind == "V" or array.dtype == np.uint16:
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def same_bits(a, b):
    """True if two arrays agree in type, shape and every bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def differing(one, other, skip=()):
    """Names of arrays that differ in a bit; those of roles in `skip` are not asked."""
    assert one.keys() == other.keys(), one.keys() ^ other.keys()
    return [name for name in one
            if name.split("/")[0] not in skip and not same_bits(one[name], other[name])]
