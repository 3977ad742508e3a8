# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded runs of Apex, a clean state after each test, graphs that must not fall back,
and an option for suites that count skips themselves: lit runs one of these files as one
test, and would show a case that was skipped as passed."""

import random
import sys
import warnings

import oracles
import pytest

ORACLES = oracles.FOLDER


def read_oracle(name):
    """A recorded file, NaN and infinities as floats."""

    def revive(value):
        if isinstance(value, dict):
            return {key: revive(element) for key, element in value.items()}
        if isinstance(value, list):
            return [revive(element) for element in value]
        return float(value) if value in ("inf", "-inf", "nan") else value

    return revive(oracles.read_object(name))


@pytest.fixture(autouse=True)
def clean_state():
    # The same numbers each time: a random batch may overflow f16 at a scale of 65536.
    random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)
    yield
    # Only where a test used it: most of them need no PyTorch.
    if amp := sys.modules.get("mlir_amp.torch.amp"):
        amp.reset()


@pytest.fixture
def without_fallbacks():
    """A graph that falls back to eager PyTorch, or is compiled again, fails the test."""
    import torch
    from mlir_amp.torch import backend

    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error", backend.FallbackWarning)
        warnings.simplefilter("error", backend.RecompileWarning)
        yield
    torch._dynamo.reset()


def pytest_addoption(parser):
    parser.addoption(
        "--no-skips", action="store_true", help="fail if a test was skipped"
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--no-skips") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
