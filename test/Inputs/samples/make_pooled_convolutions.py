# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes pooled_convolutions.mlir and .npz: a step of PyTorch's with the stem of a ResNet, and
what eager PyTorch in FP32 makes of it in three steps.

    make_pooled_convolutions.py FOLDER

A max pool whose windows overlap, batch norms, and a convolution with strides beside one by 1x1.
The pool's gradient gathers: each pixel compares its place with the indices of the windows that
it is in; it is compared with PyTorch's own. The module is what `compile_step` captures. Needs torch
and torch-mlir.
"""

import pathlib
import sys

import numpy
import torch
from sample_maker import capture_step, copy_arrays, train
from torch import nn
from torch.nn import functional

STEPS = 3


class Pool(torch.autograd.Function):
    """Max pool by 3x3 with strides of 2 and a border of one, of even extents."""

    @staticmethod
    def forward(ctx, x):
        y, index = functional.max_pool2d(x, 3, 2, 1, return_indices=True)
        ctx.save_for_backward(index)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (index,) = ctx.saved_tensors
        n, c, h, w = (*gradient.shape[:2], 2 * gradient.shape[2], 2 * gradient.shape[3])

        def repeat(x, border):
            """Each element twice in rows and columns."""
            x = functional.pad(x, (1, 1, 1, 1), value=border)
            x = x.reshape(n, c, h // 2 + 2, 1, w // 2 + 2, 1)
            return x.expand(-1, -1, -1, 2, -1, 2).reshape(n, c, h + 4, w + 4)

        gradients, indices = repeat(gradient, 0.0), repeat(index, -1)
        place = torch.arange(h * w).reshape(1, 1, h, w)
        total = 0.0
        for i in (3, 1):
            for j in (3, 1):
                window = (..., slice(i, i + h), slice(j, j + w))
                total = total + torch.where(indices[window] == place, gradients[window], 0.0)
        return total


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.block = nn.Conv2d(8, 16, 3, padding=1, stride=2, bias=False)
        self.down = nn.Conv2d(8, 16, 1, stride=2, bias=False)
        self.last, self.head = nn.BatchNorm2d(16), nn.Linear(16, 10)

    def forward(self, x):
        x = Pool.apply(torch.relu(self.norm(self.stem(x))))
        return self.head(torch.relu(self.last(self.block(x) + self.down(x))).mean((2, 3)))


def make_model():
    torch.manual_seed(0)
    return Network()


def loss_of(model, x, y):
    return functional.cross_entropy(model(x), y)


def main():
    folder = pathlib.Path(sys.argv[1])
    x = torch.randn(2, 3, 8, 12, requires_grad=True)
    weights = torch.randn(2, 3, 4, 6)
    own, library = (
        torch.autograd.grad((pool(x) * weights).sum(), x)[0]
        for pool in (Pool.apply, lambda x: functional.max_pool2d(x, 3, 2, 1))
    )
    torch.testing.assert_close(own, library)

    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    batches = [(torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))) for _ in range(STEPS)]

    captured = make_model()
    text = capture_step(
        captured, loss_of, torch.optim.SGD(captured.parameters(), lr=0.05), batches[0]
    )
    (folder / "pooled_convolutions.mlir").write_text(text)

    state = [*model.parameters(), *model.buffers()]
    arrays = copy_arrays("arg", state)
    # Behind them: x0, x1, the loss seed, and the learning rate.
    arrays[f"arg{len(state) + 3}"] = numpy.array(0.05)
    arrays |= train(model, loss_of, optimizer, batches)
    arrays |= copy_arrays("final", state)
    numpy.savez_compressed(folder / "pooled_convolutions.npz", **arrays)


main()
