# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which samples there are, and where: for checks before PyTorch is imported, which takes
seconds. What is not there ends the process with a sentence that begins with its name."""

import pathlib
import platform
import re
import sys

NAME = pathlib.Path(sys.argv[0]).name
HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared" / "samples"
#: Where samples are looked for.
FOLDERS = [SHARED / "mid", SHARED, HERE.parent / "Inputs" / "samples"]
#: Those that have a PyTorch model, in `sample_models`.
MODELLED = (
    "mlp_digits",
    "cnn_digits",
    "resnet8",
    "gpt_tiny",
    "gpt_tiny_1",
    "gpt_mid",
    "resnet_mid",
)


def find_module(name, folders):
    for folder in folders:
        if (folder / f"{name}.mlir").exists():
            return folder / f"{name}.mlir"
    sys.exit(
        f"{NAME}: expected '{name}.mlir' in one of "
        + ", ".join(f"'{folder}'" for folder in folders)
        + "; name a sample that every checkout has (mlp_digits, cnn_digits, resnet8, "
        "gpt_tiny), or --samples"
    )


def find_sample(name, folders):
    """The file of its module, and that of recorded values, or None where its PyTorch
    model has to give them."""
    module = find_module(name, folders)
    recorded = module.with_suffix(".npz")
    if recorded.exists():
        return module, recorded
    if name not in MODELLED:
        sys.exit(
            f"{NAME}: expected '{recorded}' with start values and batches: "
            f"'{name}' has no PyTorch model to take them from"
        )
    return module, None


def get_cpu():
    lines = pathlib.Path("/proc/cpuinfo")
    text = lines.read_text() if lines.exists() else ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()
