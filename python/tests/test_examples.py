# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples run, learn, and go on after a kill as if there had been none."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
import torch

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


# Networks so small lose more by two threads that wait for each other than they win.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # no warning, no progress bar where there is no terminal
    return done.stdout


def get_result(output):
    loss, accuracy = re.search(r"loss ([\d.]+), .* accuracy ([\d.]+)", output).groups()
    return float(loss), float(accuracy)


@pytest.mark.parametrize("level", ["O0", "O1", "O2"])
def test_digits_are_learned(level):
    loss, accuracy = get_result(run("digits_cnn.py", "--opt-level", level, "--steps", "60", "--batch", "32"))
    assert loss < 0.6 and accuracy > 0.85


@pytest.mark.parametrize(
    "example",
    [["digits_cnn.py", "--opt-level", "O2"], ["resnet_digits.py", "--opt-level", "O1", "--compile"]],
    ids=["eager", "compiled"],
)
def test_goes_on_after_a_kill_bit_for_bit(tmp_path, example):
    whole, cut = str(tmp_path / "whole.pt"), str(tmp_path / "cut.pt")
    example += ["--steps", "60", "--batch", "16", "--every", "20", "--checkpoint"]
    expected = run(*example, whole)
    process = subprocess.Popen(
        [sys.executable, EXAMPLES / example[0], *example[1:], cut],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    while process.poll() is None and not pathlib.Path(cut).exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    output = run(*example, cut)
    assert re.search("going on from step (20|40|60)", output)
    assert output.splitlines()[-1] == expected.splitlines()[-1]

    first, second = torch.load(whole), torch.load(cut)
    assert first["history"] == second["history"]
    for key, value in first["model"].items():
        assert torch.equal(value, second["model"][key]), key


def get_losses(path, name, *arguments):
    run(name, *arguments, "--losses", str(path))
    return torch.tensor([float(line) for line in path.read_text().split()], dtype=torch.float64)


COMPILED = ["char_gpt.py", "lstm_names.py", "resnet_digits.py"]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_steps_are_eager_ones_at_o0(tmp_path, name):
    options = ["--opt-level", "O0", "--steps", "20", "--batch", "16"]
    eager = get_losses(tmp_path / "eager", name, *options)
    compiled = get_losses(tmp_path / "compiled", name, *options, "--compile")
    assert len(eager) == 20 and eager[-5:].mean() < 0.85 * eager[0]
    torch.testing.assert_close(compiled, eager, atol=1e-5, rtol=0)


@pytest.mark.parametrize("level", ["O1", "O2"])
@pytest.mark.parametrize("name", COMPILED)
def test_eager_steps_learn_in_half(tmp_path, name, level):
    options = ["--steps", "12", "--batch", "8"]
    losses = get_losses(tmp_path / level, name, "--opt-level", level, *options)
    assert losses[-3:].mean() < 0.9 * losses[0]
    single = get_losses(tmp_path / "O0", name, "--opt-level", "O0", *options)
    assert not torch.equal(losses, single)


def test_plots_are_drawn_where_matplotlib_is(tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.png"
    run("lstm_names.py", "--steps", "3", "--plot", str(plot))
    assert plot.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("kind", [[], ["--compile"]], ids=["eager", "compiled"])
def test_generated_digits_come_nearer(kind):
    distances = [
        float(run("gan_digits.py", "--opt-level", "O1", "--steps", steps, *kind).rsplit(" ", 1)[1])
        for steps in ("1", "100")
    ]
    assert distances[1] < distances[0]
