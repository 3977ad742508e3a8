# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sample's train step with f64 wherever it has f32, run by the Python package.

What stands in for a framework's FP64 where no framework has the sample's model. It has
the sample's constants, which are those of FP32, and our own compiler: it tells how much
FP32 rounds, and nothing of what both do wrong.
"""

import re

import numpy
from mlir_amp import compiler

#: Infinities and NaN, whose bits depend on the type.
BITS = {
    "0x7F800000": "0x7FF0000000000000",
    "0xFF800000": "0xFFF0000000000000",
    "0x7FC00000": "0x7FF8000000000000",
}


def widen(text):
    """The MLIR of a step in f64. A loss is of a narrower type by its role, so that loss
    and seed are an output and a batch."""
    text = re.sub(r"\bf32\b", "f64", re.sub(r"xf32\b", "xf64", text))
    for bits, wide in BITS.items():
        text = text.replace(bits, wide)
    text = text.replace('amp.role = "loss_seed"', 'amp.role = "batch"')
    return text.replace('amp.role = "loss"', 'amp.role = "output"')


class WidenedProgram:
    """A train step in f64, with its states.

    Attributes:
        state: Values by (role, name), f64 or integers.
    """

    def __init__(self, text, state):
        """Compiles the step.

        Args:
            text: The sample's MLIR.
            state: Start values by (role, name): parameters, buffers, optimizer state.
        """
        program = compiler.compile_for_host(widen(text), "inline,canonicalize")
        self.step = program.functions["train_step"]
        self.state = {
            key: value.astype("f8") if value.dtype.kind == "f" else value
            for key, value in state.items()
        }

    def run(self, batch):
        """Takes a step on the arrays of a batch, and returns the loss."""
        given = dict(zip(("x0", "x1"), batch, strict=True)) | {"loss": numpy.ones(())}
        arguments = []
        for value in self.step.arguments:
            key = value.role, value.name
            array = given[value.name] if value.role == "batch" else self.state[key]
            arguments.append(array.astype("f8") if array.dtype.kind == "f" else array)
        results = {}
        for value in self.step.results:
            before = self.state.get((value.role, value.name), given["loss"])
            results[value.role, value.name] = numpy.empty(value.shape, before.dtype)
        self.step(arguments, [*results.values()])
        loss = float(results.pop(("output", "loss")))
        self.state |= results
        return loss
