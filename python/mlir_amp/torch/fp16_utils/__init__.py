# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA Apex's deprecated `fp16_utils`: `from mlir_amp.torch.fp16_utils import FP16_Optimizer`.

For scripts that convert their model to half themselves. New ones use `amp.initialize`,
whose level O2 does the same to a model as it is. Differences from Apex, on purpose, are
listed in docs/Python.md.
"""

from torch.nn.utils import clip_grad_norm_ as clip_grad_norm

from .conversion import (
    BN_convert_float,
    FP16Model,
    convert_module,
    convert_network,
    network_to_half,
    tofp16,
)
from .loss_scaler import DynamicLossScaler, LossScaler
from .master_params import (
    master_params_to_model_params,
    model_grads_to_master_grads,
    prep_param_lists,
    to_python_float,
)
from .optimizer import FP16_Optimizer

__all__ = [
    "BN_convert_float",
    "DynamicLossScaler",
    "FP16Model",
    "FP16_Optimizer",
    "LossScaler",
    "clip_grad_norm",
    "convert_module",
    "convert_network",
    "master_params_to_model_params",
    "model_grads_to_master_grads",
    "network_to_half",
    "prep_param_lists",
    "to_python_float",
    "tofp16",
]
