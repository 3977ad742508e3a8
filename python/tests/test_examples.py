# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples run, learn, and go on after a kill as if there had been none. Each is started
as a user does it once at least; other runs are forked from a process with PyTorch."""

import functools
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import example_process
import pytest
import torch
from cases import cases, except_for

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


# Networks so small lose more by two threads that wait for each other than they win.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def run(name, *arguments, fresh=False):
    if fresh:
        command = [sys.executable, EXAMPLES / name, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
    else:
        with tempfile.TemporaryDirectory() as folder:
            done = example_process.run(EXAMPLES / name, arguments, pathlib.Path(folder), ENVIRONMENT, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # no warning, no progress bar where there is no terminal
    return done.stdout


def get_result(output):
    loss, accuracy = re.search(r"loss ([\d.]+), .* accuracy ([\d.]+)", output).groups()
    return float(loss), float(accuracy)


@pytest.mark.parametrize("level", except_for(["O0", "O1", "O2"], "O1"))
def test_digits_are_learned(level):
    loss, accuracy = get_result(run("digits_cnn.py", "--opt-level", level, "--steps", "60", "--batch", "32", fresh=level == "O0"))
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
    process = example_process.start(EXAMPLES / example[0], [*example[1:], cut], tmp_path, ENVIRONMENT)
    while process.is_alive() and not pathlib.Path(cut).exists():
        time.sleep(0.02)
    process.kill()
    process.join()
    output = run(*example, cut)
    assert re.search("going on from step (20|40)$", output, re.M)
    assert output.splitlines()[-1] == expected.splitlines()[-1]

    first, second = torch.load(whole), torch.load(cut)
    assert first["history"] == second["history"]
    for key, value in first["model"].items():
        assert torch.equal(value, second["model"][key]), key


def get_losses(path, name, *arguments, fresh=False):
    run(name, *arguments, "--losses", str(path), fresh=fresh)
    return torch.tensor([float(line) for line in path.read_text().split()], dtype=torch.float64)


COMPILED = ["char_gpt.py", "lstm_names.py", "resnet_digits.py"]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_steps_are_eager_ones_at_o0(tmp_path, name):
    options = ["--opt-level", "O0", "--steps", "20", "--batch", "16"]
    eager = get_losses(tmp_path / "eager", name, *options, fresh=True)
    compiled = get_losses(tmp_path / "compiled", name, *options, "--compile")
    assert len(eager) == 20 and eager[-5:].mean() < 0.85 * eager[0]
    torch.testing.assert_close(compiled, eager, atol=1e-5, rtol=0)


@functools.cache
def get_few_losses(name, level):
    with tempfile.TemporaryDirectory() as folder:
        options = ["--opt-level", level, "--steps", "12", "--batch", "8"]
        return get_losses(pathlib.Path(folder, "losses"), name, *options)


#: Each example at one level.
HALF = [("char_gpt.py", "O2"), ("lstm_names.py", "O1"), ("resnet_digits.py", "O2")]


@pytest.mark.parametrize("name, level", cases(itertools.product(COMPILED, ["O1", "O2"]), HALF))
def test_eager_steps_learn_in_half(name, level):
    losses = get_few_losses(name, level)
    assert losses[-3:].mean() < 0.9 * losses[0]
    assert not torch.equal(losses, get_few_losses(name, "O0"))


def test_plots_are_drawn_where_matplotlib_is(tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.png"
    run("lstm_names.py", "--steps", "3", "--plot", str(plot))
    assert plot.read_bytes()[:4] == b"\x89PNG"


def test_curves_are_written_where_tensorboard_is(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    losses = get_losses(tmp_path / "losses", "lstm_names.py", "--steps", "3", "--tensorboard", str(tmp_path / "curves"))
    curves = EventAccumulator(str(tmp_path / "curves"))
    curves.Reload()
    assert {"loss", "scale", "skipped"} <= {*curves.Tags()["scalars"]}
    written = torch.tensor([event.value for event in curves.Scalars("loss")])
    torch.testing.assert_close(written, losses.float())


def test_examples_say_that_tensorboard_is_missing(tmp_path, monkeypatch):
    (tmp_path / "tensorboard.py").write_text("raise ImportError('hidden')\n")
    path = os.pathsep.join([str(tmp_path), ENVIRONMENT.get("PYTHONPATH", "")])
    monkeypatch.setitem(ENVIRONMENT, "PYTHONPATH", path)
    output = run("lstm_names.py", "--steps", "2", "--tensorboard", str(tmp_path / "curves"), fresh=True)
    assert "tensorboard is not installed: no curves" in output
    assert not (tmp_path / "curves").exists()


def test_cells_of_the_notebook_run():
    """And give what the file has: outputs of the same kinds, losses that fall."""
    pytest.importorskip("matplotlib")
    notebook = json.loads((EXAMPLES / "mixed_precision.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    output = run("execute_notebook.py", str(EXAMPLES / "mixed_precision.ipynb"), "--check")
    for count, cell in enumerate(cells, 1):
        kinds = ", ".join(output["output_type"] for output in cell["outputs"]) or "nothing"
        assert f"cell {count}: {kinds}\n" in output
    learned = re.findall(r"^(O\d): loss ([\d.]+) to ([\d.]+)", output, re.M)
    assert [level for level, _, _ in learned] == ["O0", "O1", "O2"]
    assert all(float(last) < 0.5 * float(first) for _, first, last in learned)
    assert float(re.search(r", (\S+) at most from eager O2; torch.float32", output)[1]) < 0.05


@pytest.mark.parametrize("kind", [[], ["--compile"]], ids=["eager", "compiled"])
def test_generated_digits_come_nearer(kind):
    distances = [
        float(run("gan_digits.py", "--opt-level", "O1", "--steps", steps, *kind, fresh=steps == "1").rsplit(" ", 1)[1])
        for steps in ("1", "100")
    ]
    assert distances[1] < distances[0]
