# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example for JAX runs and learns, at each level."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import jax
import numpy as np
import optax
import pytest
from cases import except_for
from mlir_amp.jax import capture_step

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def run(*arguments, said=""):
    done = subprocess.run(
        [sys.executable, EXAMPLES / "jax_digits.py", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stderr and bool(done.stderr) == bool(said)
    return done.stdout


@pytest.mark.parametrize("level", except_for(["O0", "O1", "O2", "O3", "O5"], "O0", "O1", "O5"))
def test_digits_are_learned(tmp_path, level):
    said = "StorageWarning: capture_step: stores in f16" if level == "O3" else ""
    options = ("--opt-level", level, "--steps", "150", "--batch", "32", "--losses", str(tmp_path / "losses"))
    output = run(*options, said=said)
    loss, accuracy = re.search(r"loss ([\d.]+), .* accuracy ([\d.]+)", output).groups()
    losses = [float(line) for line in (tmp_path / "losses").read_text().split()]
    assert len(losses) == 150 and float(loss) == pytest.approx(losses[-1], abs=1e-4)
    assert sum(losses[-10:]) < 0.2 * sum(losses[:10])
    assert float(accuracy) > 0.85


def test_o0_is_jax_alone():
    path = EXAMPLES / "jax_digits.py"
    specification = importlib.util.spec_from_file_location("jax_digits", path)
    example = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(example)
    images, labels = example.read("digits_train.npz")
    params, statistics = example.make_params(jax.random.key(1))
    optimizer = optax.adam(2e-3, eps=1e-4)

    def batch(i):
        return images[32 * i : 32 * i + 32], labels[32 * i : 32 * i + 32]

    step = capture_step(example.loss_fn, optimizer, params, batch(0), "O0", buffers=statistics)
    state, opt_state = step.init(params, statistics), optimizer.init(params)

    @jax.jit
    def alone(params, statistics, opt_state, batch):
        graded = jax.value_and_grad(example.loss_fn, has_aux=True)
        (loss, statistics), grads = graded(params, statistics, batch)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), statistics, opt_state, loss

    for i in range(20):
        state, loss = step(state, batch(i))
        params, statistics, opt_state, expected = alone(params, statistics, opt_state, batch(i))
        np.testing.assert_allclose(loss, expected, atol=1e-5, rtol=0)
