# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makers of samples from PyTorch share: the module that `compile_step` captures, and steps of
eager PyTorch with their losses. Needs torch and torch-mlir.
"""

import numpy
from mlir_amp import compiler
from mlir_amp.torch import amp


def capture_step(model, loss_of, optimizer, batch, **options):
    """The text of the module that `compile_step` makes of the step at O0."""
    texts = []
    compile_for_host = compiler.compile_for_host

    def keep_text(text, *args, **kept):
        texts.append(text)
        return compile_for_host(text, *args, **kept)

    compiler.compile_for_host = keep_text
    amp.compile_step(model, loss_of, optimizer, opt_level="O0", **options)(*batch)
    compiler.compile_for_host = compile_for_host
    return texts[0]


def train(model, loss_of, optimizer, batches, before_update=None):
    """Trains in eager PyTorch; batches and losses as a replay file names them."""
    arrays, losses = {"steps": numpy.array(len(batches))}, []
    for number, batch in enumerate(batches):
        for i, value in enumerate(batch):
            arrays[f"step{number}_x{i}"] = value.numpy()
        optimizer.zero_grad()
        loss = loss_of(model, *batch)
        loss.backward()
        if before_update:
            before_update(model)
        optimizer.step()
        losses.append(loss.item())
    arrays["losses"] = numpy.array(losses)
    return arrays


def copy_arrays(prefix, tensors):
    """Copies of tensors, named by their numbers: "arg" before training, "final" after."""
    return {f"{prefix}{i}": tensor.detach().numpy().copy() for i, tensor in enumerate(tensors)}
