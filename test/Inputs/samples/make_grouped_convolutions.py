# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes grouped_convolutions.mlir and .npz: a step of PyTorch's with convolutions in groups, and
what eager PyTorch in FP32 makes of it in three steps.

    make_grouped_convolutions.py FOLDER

Groups of several channels, and depthwise with strides and with two filters for a channel; the
gradients of all their filters and, but for the first, of their images. The module is what
`compile_step` captures. Needs torch and torch-mlir.
"""

import pathlib
import sys

import numpy
import torch
from sample_maker import capture_step, copy_arrays, train
from torch import nn

STEPS = 3


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(4, 16, 3, padding=1, groups=2, bias=False),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1, stride=2, groups=16, bias=False),
        nn.Conv2d(16, 32, 3, padding=1, groups=16, bias=False),
        nn.ReLU(),
        nn.Conv2d(32, 16, 3, padding=1, stride=2, groups=2),
    )


def loss_of(model, x, y):
    return (model(x).mean((2, 3)) - y).square().mean()


def main():
    folder = pathlib.Path(sys.argv[1])
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    batches = [(torch.randn(4, 4, 12, 12), torch.randn(4, 16)) for _ in range(STEPS)]

    captured = make_model()
    text = capture_step(
        captured, loss_of, torch.optim.SGD(captured.parameters(), lr=0.5), batches[0]
    )
    (folder / "grouped_convolutions.mlir").write_text(text)

    parameters = list(model.parameters())
    arrays = copy_arrays("arg", parameters)
    # Behind the parameters: x0, x1, the loss seed, and the learning rate.
    arrays[f"arg{len(parameters) + 3}"] = numpy.array(0.5)
    arrays |= train(model, loss_of, optimizer, batches)
    arrays |= copy_arrays("final", parameters)
    numpy.savez_compressed(folder / "grouped_convolutions.npz", **arrays)


main()
