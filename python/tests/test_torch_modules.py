# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of results, states and gradients of whole modules at O1, as Apex gave them."""

import csv

import pytest
import torch
from conftest import ORACLES
from mlir_amp.torch import amp
from test_torch_functions import NAMES, TYPES

ROWS = list(csv.DictReader((ORACLES / "o1_modules.csv").open()))
IMAGES, SEQUENCE, ROWS_OF_8 = (2, 4, 5, 5), (3, 2, 8), (3, 8)


def make(name):
    """The module and the shape of its input."""
    nn = torch.nn
    kind, *options = name.split("-")
    if kind in ("RNN", "GRU", "LSTM"):
        arguments = {"bidirectional": "bi" in options, "num_layers": 2 if "2layer" in options else 1}
        if "relu" in options:
            arguments["nonlinearity"] = "relu"
        return getattr(nn, kind)(8, 8, **arguments), SEQUENCE
    if kind.endswith("Cell"):
        return getattr(nn, kind)(8, 8), ROWS_OF_8
    if kind == "BatchNorm2d":
        return nn.BatchNorm2d(4).train("train" in options), IMAGES
    makers = {
        "Linear": (lambda: nn.Linear(8, 8), ROWS_OF_8),
        "Conv2d": (lambda: nn.Conv2d(4, 4, 3), IMAGES),
        "LayerNorm": (lambda: nn.LayerNorm(8), ROWS_OF_8),
        "GroupNorm": (lambda: nn.GroupNorm(2, 4), IMAGES),
        "InstanceNorm2d": (lambda: nn.InstanceNorm2d(4, affine=True), IMAGES),
        "Softmax": (lambda: nn.Softmax(-1), ROWS_OF_8),
        "GELU": (nn.GELU, ROWS_OF_8),
        "ReLU": (nn.ReLU, ROWS_OF_8),
        "MultiheadAttention": (lambda: nn.MultiheadAttention(8, 2), SEQUENCE),
        "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2, 16), SEQUENCE),
        "PReLU": (nn.PReLU, ROWS_OF_8),
    }
    maker, shape = makers[kind]
    return maker(), shape


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['module']}-{row['input_dtype']}" for row in ROWS])
def test_row(row):
    module, shape = make(row["module"])
    amp.init(enabled=True)
    x = torch.randn(shape).to(TYPES[row["input_dtype"]]).requires_grad_()
    arguments = (x, x, x) if row["module"] == "MultiheadAttention" else (x,)
    if row["o1_error"]:
        kind, _, text = row["o1_error"].partition(": ")
        with pytest.raises(Exception, match=text[:30]) as raised:
            module(*arguments)
        assert type(raised.value).__name__ == kind
        return
    output = module(*arguments)
    result, states = output if isinstance(output, tuple) else (output, ())
    states = [states] if isinstance(states, torch.Tensor) else list(states)
    assert NAMES[result.dtype] == row["o1_result"]
    if row["o1_hidden"]:
        assert [NAMES[state.dtype] for state in states] == row["o1_hidden"].split()
    result.float().sum().backward()
    assert NAMES[x.grad.dtype] == row["o1_input_grad"]
    types = {NAMES[p.grad.dtype] for p in module.parameters() if p.grad is not None}
    assert types == set(row["o1_param_grads"].split())
