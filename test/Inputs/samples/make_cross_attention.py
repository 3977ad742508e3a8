# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes cross_attention.mlir and .npz: a step of PyTorch's with attention to another sequence and
clipped gradients, and what eager PyTorch in FP32 makes of it in three steps.

    make_cross_attention.py FOLDER

Two heads of queries share one of keys and values, and a mask differs from row to row: no form that
kernels of attentions take, so that its products are matrices with strides. The norm that gradients
are clipped by is above the limit. The module is what `compile_step` captures. Needs torch and torch-mlir.
"""

import pathlib
import sys

import numpy
import torch
from sample_maker import capture_step, copy_arrays, train
from torch import nn

STEPS, LIMIT = 3, 0.25
HEADS, GROUPS, DEPTH = 4, 2, 8


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        width, shared = HEADS * DEPTH, GROUPS * DEPTH
        self.queries = nn.Linear(width, width)
        self.keys_and_values = nn.Linear(16, 2 * shared)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, memory, mask):
        batch, rows, width = x.shape
        queries = self.queries(x).view(batch, rows, GROUPS, HEADS // GROUPS, DEPTH)
        keys, values = self.keys_and_values(memory).chunk(2, dim=-1)
        keys = keys.view(batch, -1, GROUPS, DEPTH)
        values = values.view(batch, -1, GROUPS, DEPTH)
        scores = torch.einsum("btghd,bsgd->bghts", queries, keys) * DEPTH**-0.5
        weights = (scores + mask).softmax(-1)
        mixed = torch.einsum("bghts,bsgd->btghd", weights, values)
        return x + self.out(self.norm(mixed.reshape(batch, rows, width)))


def make_model():
    torch.manual_seed(0)
    return Model()


def loss_of(model, x, memory, mask, y):
    return (model(x, memory, mask) - y).square().mean()


def clip(model):
    return nn.utils.clip_grad_norm_(model.parameters(), LIMIT)


def make_batch():
    mask = torch.where(torch.rand(2, 1, 1, 12, 10) < 0.3, -4.0, 0.0)
    return torch.randn(2, 12, 32), torch.randn(2, 10, 16), mask, torch.randn(2, 12, 32)


def main():
    folder = pathlib.Path(sys.argv[1])
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    batches = [make_batch() for _ in range(STEPS)]

    captured = make_model()
    text = capture_step(
        captured,
        loss_of,
        torch.optim.SGD(captured.parameters(), lr=0.5, momentum=0.9),
        batches[0],
        clip=clip,
    )
    (folder / "cross_attention.mlir").write_text(text)

    parameters = list(model.parameters())
    arrays = copy_arrays("arg", parameters)
    for i, parameter in enumerate(parameters):
        arrays[f"arg{i + 12}"] = numpy.zeros_like(arrays[f"arg{i}"])  # its momentum
    # Behind the batch and the loss seed, and behind momenta.
    arrays["arg19"], arrays["arg20"] = numpy.array(0.5), numpy.array(0.9)

    def clip_far(model):
        norm = clip(model)
        assert norm > LIMIT, norm

    arrays |= train(model, loss_of, optimizer, batches, before_update=clip_far)
    arrays |= copy_arrays("final", parameters)
    numpy.savez_compressed(folder / "cross_attention.npz", **arrays)


main()
