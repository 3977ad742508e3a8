# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of a parametrized test, of which some repeat a kind of check that others stand for:
they are marked `long`, and the tests of test/Python whose names end in -all run them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def cases(values: Iterable[Any], short: Iterable[Any]) -> list[Any]:
    """All of `values`, in their order, marked `long` unless they are among `short`; tuples
    are the values of several parameters."""
    values, short = [*values], [*short]
    unknown = [value for value in short if value not in values]
    if unknown or not short:
        raise ValueError(f"expected some of {values}, but got {unknown or short}")

    def mark(value: Any) -> Any:
        parts = value if isinstance(value, tuple) else (value,)
        return pytest.param(*parts, marks=[] if value in short else pytest.mark.long)

    return [mark(value) for value in values]


def except_for(values: Iterable[Any], *long: Any) -> list[Any]:
    """All of `values`, of which those named are marked `long`."""
    values = [*values]
    unknown = [value for value in long if value not in values]
    if unknown:
        raise ValueError(f"expected some of {values}, but got {unknown}")
    return cases(values, [value for value in values if value not in long])
