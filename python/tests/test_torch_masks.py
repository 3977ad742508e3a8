# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of an attention of which everything is masked, by -1e9, which f16 has no number for.

A softmax of them is uniform, as in FP32, and not NaN.
"""

import itertools

import pytest
import torch
from cases import cases
from mlir_amp.torch import amp


class Attention(torch.nn.Module):
    def __init__(self, mask_by):
        super().__init__()
        self.query, self.key, self.mask_by = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8), mask_by

    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        if self.mask_by == "adding":
            scores = scores + mask.float() * -1e9
        else:
            scores = scores.masked_fill(mask, -1e9)
        return torch.softmax(scores, -1) @ x


def get_loss(model, x, mask):
    return model(x, mask).square().mean()


@pytest.mark.parametrize(
    "mask_by, level",
    cases(
        itertools.product(["adding", "filling"], ["O1", "O2", "O4"]),
        [("adding", "O1"), ("filling", "O2"), ("filling", "O4")],
    ),
)
def test_masked_rows(mask_by, level):
    model, reference = Attention(mask_by), Attention(mask_by)
    reference.load_state_dict(model.state_dict())
    optimizer, eager = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (model, reference))
    step = amp.compile_step(model, get_loss, optimizer, level)
    mask = torch.zeros(2, 4, 4, dtype=torch.bool)
    mask[0, 1], mask[1, 2, 0] = True, True
    for _ in range(3):
        x = torch.randn(2, 4, 8)
        loss = get_loss(reference, x, mask)
        eager.zero_grad()
        loss.backward()
        eager.step()
        assert float(step(x, mask)) == pytest.approx(loss.item(), rel=0.03)
