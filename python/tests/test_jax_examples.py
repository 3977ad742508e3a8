# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example for JAX runs and learns, at each level."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run(*arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "jax_digits.py", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "O5"])
def test_digits_are_learned(tmp_path, level):
    output = run("--opt-level", level, "--steps", "150", "--batch", "32", "--losses", str(tmp_path / "losses"))
    loss, accuracy = re.search(r"loss ([\d.]+), .* accuracy ([\d.]+)", output).groups()
    losses = [float(line) for line in (tmp_path / "losses").read_text().split()]
    assert len(losses) == 150 and float(loss) == pytest.approx(losses[-1], abs=1e-4)
    assert sum(losses[-10:]) < 0.2 * sum(losses[:10])
    assert float(accuracy) > 0.85
