# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FP32 masters of a half model's parameters, by hand.

model_params, master_params = prep_param_lists(model)
optimizer = torch.optim.SGD(master_params, lr=0.1)
...
(loss.float() * scale).backward()
model_grads_to_master_grads(model_params, master_params)
for p in master_params:
    p.grad.mul_(1 / scale)
optimizer.step()
master_params_to_model_params(model_params, master_params)
"""

from __future__ import annotations

from typing import Any

import torch
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


def prep_param_lists(
    model: torch.nn.Module, flat_master: bool = False
) -> tuple[list[torch.nn.Parameter], list[torch.Tensor]]:
    """FP32 copies of a model's parameters, for the optimizer.

    Args:
        model: frozen parameters are left out.
        flat_master: one master of all values, one after the other, with a gradient of
            zeros; all parameters must be of one type.

    Returns:
        The model's parameters, and their masters in the same order, or the one master.

    Raises:
        TypeError: `flat_master` with parameters of several types.
    """
    model_params = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not flat_master:
        return model_params, [parameter.detach().clone().float().requires_grad_() for parameter in model_params]
    types = sorted({str(parameter.dtype) for parameter in model_params})
    if len(types) > 1:
        raise TypeError(
            f"The model has parameters of the types {', '.join(types)}, and one flat master needs one type. Use "
            "flat_master=False, or FP16_Optimizer."
        )
    values = _flatten_dense_tensors([parameter.detach() for parameter in model_params])
    master = torch.nn.Parameter(values.float())
    master.grad = torch.zeros_like(master)
    return model_params, [master]


def model_grads_to_master_grads(
    model_params: list[torch.nn.Parameter], master_params: list[torch.Tensor], flat_master: bool = False
) -> None:
    """Copies gradients of the model's parameters to their masters, as FP32.

    Args:
        model_params, master_params: of :func:`prep_param_lists`.
        flat_master: what it was called with. Parameters without gradient then have one
            of zeros; otherwise their masters have none.
    """
    if flat_master:
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in model_params]
        master_params[0].grad = _flatten_dense_tensors(grads).float()
        return
    for parameter, master in zip(model_params, master_params, strict=True):
        if parameter.grad is None:
            master.grad = None
        else:
            if master.grad is None:
                master.grad = torch.empty_like(master)
            master.grad.detach().copy_(parameter.grad)


def master_params_to_model_params(
    model_params: list[torch.nn.Parameter], master_params: list[torch.Tensor], flat_master: bool = False
) -> None:
    """Rounds masters to the model's parameters.

    Args:
        model_params, master_params: of :func:`prep_param_lists`.
        flat_master: what it was called with.
    """
    masters = _unflatten_dense_tensors(master_params[0].detach(), model_params) if flat_master else master_params
    with torch.no_grad():
        for parameter, master in zip(model_params, masters, strict=True):
            parameter.copy_(master)


def to_python_float(value: Any) -> float:
    """The number in a tensor with one element, or in the first of a sequence."""
    return value.item() if hasattr(value, "item") else value[0]
