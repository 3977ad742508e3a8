# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Automatic mixed precision for PyTorch.

from mlir_amp.torch import amp

model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
...
with amp.scale_loss(loss, optimizer) as scaled_loss:
    scaled_loss.backward()
optimizer.step()

Beside it `fp16_utils`, Apex's deprecated FP16_Optimizer, and `GradScaler`, for
`torch.autocast`.
"""

from . import amp as amp
from . import fp16_utils as fp16_utils
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "amp", "fp16_utils"]
