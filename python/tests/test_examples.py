# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples run, learn, and go on after a kill as if there had been none."""

import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout


def get_result(output):
    loss, accuracy = re.search(r"loss ([\d.]+), .* accuracy ([\d.]+)", output).groups()
    return float(loss), float(accuracy)


@pytest.mark.parametrize("level", ["O0", "O1", "O2"])
def test_digits_are_learned(level):
    loss, accuracy = get_result(run("digits_cnn.py", "--opt-level", level, "--steps", "60", "--batch", "32"))
    assert loss < 0.6 and accuracy > 0.85


def test_goes_on_after_a_kill_bit_for_bit(tmp_path):
    whole, cut = str(tmp_path / "whole.pt"), str(tmp_path / "cut.pt")
    options = ["--opt-level", "O2", "--steps", "60", "--batch", "16", "--every", "20", "--checkpoint"]
    expected = run("digits_cnn.py", *options, whole)
    process = subprocess.Popen([sys.executable, EXAMPLES / "digits_cnn.py", *options, cut], stderr=subprocess.DEVNULL)
    while process.poll() is None and not pathlib.Path(cut).exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    output = run("digits_cnn.py", *options, cut)
    assert re.search("going on from step (20|40|60)", output)
    assert output.splitlines()[-1] == expected.splitlines()[-1]

    import torch

    (_, first), (_, second) = ((path, torch.load(path)) for path in (whole, cut))
    for key, value in first["model"].items():
        assert torch.equal(value, second["model"][key]), key


def test_generated_digits_come_nearer():
    distances = [
        float(run("gan_digits.py", "--opt-level", "O1", "--steps", steps).rsplit(" ", 1)[1]) for steps in ("1", "100")
    ]
    assert distances[1] < distances[0]
