# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mid_steps.py measures, by name, and on which CPUs: without PyTorch, whose import
takes seconds."""

import contextlib
import os
from typing import NamedTuple

#: Steps of a turn before those that count.
WARM = 2


class Way(NamedTuple):
    """A way to take steps in PyTorch.

    Attributes:
        name: Of its row.
        half: Autocast's type by its name, or None.
        is_compiled: By inductor.
        layout: Of images and of their filters, the name of a memory format.
    """

    name: str
    half: str | None
    is_compiled: bool
    layout: str


def make_ways(has_images):
    layouts = {"": "contiguous_format"}
    if has_images:
        layouts[", channels last"] = "channels_last"
    return [
        Way(f"PyTorch {how} {kind}{suffix}", half, how == "inductor", layout)
        for half, kind in ((None, "FP32"), ("bfloat16", "autocast bf16"))
        for how in ("eager", "inductor")
        for suffix, layout in layouts.items()
    ]


def pin(cpus):
    """Every thread of this process, and those to come."""
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended since
            os.sched_setaffinity(int(thread), cpus)
