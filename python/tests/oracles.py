# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recorded results that tests compare with: test/Inputs/oracles of this
project, which every checkout has. ``AMP_TEST_ORACLES`` names another folder with
the same files. A missing file fails the test: none may pass because its rows
were missing."""

from __future__ import annotations

import csv
import json
import os
import pathlib
from typing import Any

FOLDER = pathlib.Path(
    os.environ.get("AMP_TEST_ORACLES")
    or pathlib.Path(__file__).parents[2] / "test" / "Inputs" / "oracles"
)


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file, each as column name to cell."""
    with open(FOLDER / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_object(name: str) -> dict[str, Any]:
    """The object that a JSON file holds."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def case(file: dict[str, Any], name: str) -> dict[str, Any]:
    """The single case of that name in special_cases.json and its like."""
    (found,) = [case for case in file["cases"] if case["case"] == name]
    return found
