# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of results and gradients at O1, function by function, as Apex gave them.

Every row of o1_ops.csv is called, with arguments of the types that the row says.
"""

import csv

import pytest
import torch
from conftest import ORACLES
from mlir_amp.torch import amp
from torch.nn import functional

ROWS = list(csv.DictReader((ORACLES / "o1_ops.csv").open()))
TYPES = {
    "f16": torch.float16,
    "f32": torch.float32,
    "f64": torch.float64,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i1": torch.bool,
}
NAMES = {dtype: name for name, dtype in TYPES.items()}

CLASSES = torch.tensor([0, 2, 1, 3])
MATRIX, VECTOR = (4, 4), (4,)


def images(dimensions):
    return [(1, 2, *[5] * dimensions), (2, 2, *[3] * dimensions), (2,)]


def call(*arguments):
    """Calls on the tensors, then on these."""
    return lambda function, tensors: function(*tensors, *arguments)


#: Shapes of the tensors, and how they are handed over; others are elementwise on
#: matrices.
SPECS = {
    **{f"conv{d}d": (images(d), call()) for d in (1, 2, 3)},
    **{f"conv_transpose{d}d": (images(d), call()) for d in (1, 2, 3)},
    "conv_tbc": ([(5, 1, 2), (3, 2, 2), (2,)], call()),
    "linear": ([(2, 3), (4, 3), (4,)], call()),
    "interpolate": ([(1, 1, 4)], call(8)),
    "grid_sample": (
        [(1, 1, 4, 4), (1, 3, 3, 2)],
        lambda function, tensors: function(*tensors, align_corners=False),
    ),
    "softmin": ([MATRIX], call(-1)),
    "log_softmax": ([MATRIX], call(-1)),
    "softmax": ([MATRIX], call(-1)),
    "layer_norm": ([MATRIX, VECTOR, VECTOR], lambda function, t: function(t[0], (4,), *t[1:])),
    "torch.layer_norm": ([MATRIX], call((4,))),
    "rms_norm": ([MATRIX], call((4,))),
    "group_norm": ([(2, 4, 3), VECTOR, VECTOR], lambda function, t: function(t[0], 2, *t[1:])),
    "local_response_norm": ([(1, 4, 4)], call(2)),
    "cosine_embedding_loss": ([MATRIX, MATRIX, VECTOR], call()),
    "cross_entropy": ([MATRIX], call(CLASSES)),
    "nll_loss": ([MATRIX], call(CLASSES)),
    "multi_margin_loss": ([MATRIX], call(CLASSES)),
    "multilabel_margin_loss": ([MATRIX], call(torch.zeros(4, 4, dtype=torch.int64))),
    "ctc_loss": (
        [(5, 1, 4)],
        lambda function, t: function(t[0], torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2])),
    ),
    "max_pool2d": ([(1, 1, 4, 4)], call(2)),
    "avg_pool2d": ([(1, 1, 4, 4)], call(2)),
    "adaptive_avg_pool2d": ([(1, 1, 4, 4)], call(2)),
    "batch_norm": (
        [(2, 4, 3), VECTOR, VECTOR, VECTOR, VECTOR],
        lambda function, t: function(*t, True),
    ),
    "instance_norm": ([(2, 4, 3)], call()),
    "embedding": ([MATRIX], lambda function, t: function(CLASSES, t[0])),
    "bilinear": ([(2, 3), (2, 3), (4, 3, 3), (4,)], call()),
    "prelu": ([(2, 4), VECTOR], call()),
    "scaled_dot_product_attention": ([(1, 4, 4)] * 3, call()),
    "addmm": ([MATRIX] * 3, call()),
    "addmv": ([VECTOR, MATRIX, VECTOR], call()),
    "addr": ([MATRIX, VECTOR, VECTOR], call()),
    "mv": ([MATRIX, VECTOR], call()),
    "addbmm": ([MATRIX, (2, 4, 4), (2, 4, 4)], call()),
    "baddbmm": ([(2, 4, 4)] * 3, call()),
    "bmm": ([(2, 4, 4)] * 2, call()),
    "pow": ([MATRIX], call(2.0)),
    "cumprod": ([MATRIX], call(0)),
    "cumsum": ([MATRIX], call(0)),
    "renorm": ([MATRIX], call(2, 0, 1.0)),
    "cross": ([(4, 3)] * 2, lambda function, t: function(*t, dim=1)),
    "dot": ([VECTOR] * 2, call()),
    "cat": ([MATRIX] * 3, lambda function, t: function(t)),
    "stack": ([MATRIX] * 3, lambda function, t: function(t)),
    "where": ([MATRIX] * 2, lambda function, t: function(torch.eye(4) > 0, *t)),
    "einsum": ([MATRIX] * 2, lambda function, t: function("ij,jk->ik", *t)),
    "chain_matmul": ([MATRIX] * 2, call()),
    "logsumexp": ([MATRIX], call(0)),
    "outer": ([VECTOR] * 2, call()),
    "clamp": ([MATRIX], call(0.0, 1.0)),
    "index_select": ([MATRIX], call(0, CLASSES)),
    "__pow__": ([MATRIX], call(2)),
    "__ipow__": ([MATRIX], call(2)),
    "__rpow__": ([MATRIX], call(2)),
    "pow_": ([MATRIX] * 2, call()),
}


def get_spec(row, count):
    base = row["function"].split("@")[0]
    stem = base if base.startswith("__") else base.rstrip("_")
    for key in (f"{row['namespace']}.{base}", base, stem):
        if key in SPECS and (len(SPECS[key][0]) == count):
            return SPECS[key]
    return [MATRIX] * count, call()


def get_function(row):
    name = row["function"].split("@")[0]
    if row["namespace"] == "functional":
        return getattr(functional, name)
    if row["namespace"] == "torch":
        return getattr(torch, name)
    # An operator is called as Python does, by its method.
    return lambda self, *others, **named: getattr(self, name)(*others, **named)


def get_type(value):
    if isinstance(value, (list, tuple)):
        value = value[0]
    return "bool" if isinstance(value, bool) else NAMES[value.dtype]


#: Rows that cannot be told apart from others by a call, with what is done instead.
SAME_FUNCTION = {
    # torch.bilinear is torch.nn.functional.bilinear: what torch refuses is promoted.
    ("functional", "bilinear", "f16-then-f32"): "f32",
    ("functional", "bilinear", "f32-then-f16"): "f32",
    # torch.prelu is torch.nn.functional.prelu, which is on no list.
    ("torch", "prelu", "all-f32"): "f32",
    ("torch", "prelu", "f16-then-f32"): "refused by torch",
    ("torch", "prelu", "f32-then-f16"): "refused by torch",
    # x += y is x.add_(y), which stays in place; Apex rebinds x to a new FP32 tensor.
    **{
        ("tensor", name, "f16-then-f32"): "f16"
        for name in ("__iadd__", "__idiv__", "__imul__", "__isub__", "__itruediv__")
    },
}


def run(row):
    """The type of the result and those of the gradients, by number of the tensor."""
    types = [name for name in row["input_dtypes"].split() if name.startswith("f")]
    grads = row["o1_grads"].split() if not row["o1_grads"].startswith("error") else ["error"] * len(types)
    if row["o1_grads"] and "error" not in grads:
        grads = [grad for grad, name in zip(grads, row["input_dtypes"].split(), strict=True) if name.startswith("f")]
    shapes, hand_over = get_spec(row, len(types))
    generator = torch.Generator().manual_seed(1)
    tensors = []
    for i, (shape, name) in enumerate(zip(shapes, types, strict=True)):
        values = torch.rand(shape, generator=generator) * 0.8 + 0.1
        tensors.append(values.to(TYPES[name]).requires_grad_(bool(grads) and grads[i] != "."))
    result = hand_over(get_function(row), tensors)
    kind = get_type(result)
    if not grads:
        return kind, {}, {}
    first = result[0] if isinstance(result, (list, tuple)) else result
    first.float().sum().backward()
    actual = {i: "-" if tensor.grad is None else NAMES[tensor.grad.dtype] for i, tensor in enumerate(tensors)}
    expected = {i: grad for i, grad in enumerate(grads) if grad != "."}
    return kind, {i: actual[i] for i in expected}, expected


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['namespace']}.{row['function']}-{row['pattern']}" for row in ROWS])
def test_row(row):
    amp.init(enabled=True)
    instead = SAME_FUNCTION.get((row["namespace"], row["function"], row["pattern"]))
    if instead == "refused by torch":
        with pytest.raises(RuntimeError, match="Type promoting not supported"):
            run(row)
        return
    if row["o1_error"] and instead is None:
        # The file has the beginnings of texts, without line breaks.
        kind, _, text = row["o1_error"].partition(": ")
        with pytest.raises(Exception) as raised:
            run(row)
        assert type(raised.value).__name__ == kind
        if row["apex_list"] != "none":
            assert " ".join(str(raised.value).split()).startswith(" ".join(text.split()))
        return
    if row["o1_grads"].startswith("error"):
        with pytest.raises(RuntimeError, match="Found dtype"):
            run(row)
        return
    kind, actual, expected = run(row)
    assert kind == (instead or row["o1_result"])
    assert actual == expected
