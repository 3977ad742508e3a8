# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in half, with batch normalisations that have weights in FP32."""

from __future__ import annotations

from typing import Any

import torch

from ..amp.models import convert_module, convert_network

__all__ = ["BN_convert_float", "FP16Model", "convert_module", "convert_network", "network_to_half", "tofp16"]


class tofp16(torch.nn.Module):
    """A module that returns its input as torch.float16."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return input.half()


def BN_convert_float(module: torch.nn.Module) -> torch.nn.Module:
    """Casts the batch normalisations of `module` that have weights back to FP32, in place.

    Returns:
        `module`.
    """
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.affine:
            part.float()
    return module


def network_to_half(network: torch.nn.Module) -> torch.nn.Sequential:
    """`network`, cast to half in place, behind a cast of its one input.

    Batch normalisations with weights stay FP32. :class:`FP16Model` takes more inputs.
    """
    return torch.nn.Sequential(tofp16(), BN_convert_float(network.half()))


class FP16Model(torch.nn.Module):
    """`network`, cast to half in place, with inputs that are cast to half.

    Batch normalisations with weights stay FP32.

    Args:
        network: called with tensors, by position.
    """

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = convert_network(network, torch.float16)

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.network(*(value.half() for value in inputs))
