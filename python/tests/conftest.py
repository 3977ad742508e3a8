# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures: recorded runs of Apex, and a clean state after each test."""

import json
import pathlib

import pytest

ORACLES = pathlib.Path(__file__).parents[2] / "test" / "Inputs" / "oracles"


def read_oracle(name):
    """A recorded file, NaN and infinities as floats."""

    def revive(value):
        if isinstance(value, dict):
            return {key: revive(element) for key, element in value.items()}
        if isinstance(value, list):
            return [revive(element) for element in value]
        return float(value) if value in ("inf", "-inf", "nan") else value

    return revive(json.loads((ORACLES / name).read_text()))


@pytest.fixture(autouse=True)
def clean_state():
    yield
    try:
        from mlir_amp.torch import amp
    except ImportError:
        return
    amp.reset()
