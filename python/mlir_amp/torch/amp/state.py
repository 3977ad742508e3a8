# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `initialize` selected: the one state of a process, as in Apex.

Everything that outlives a call is reached from here, so that `reset` can leave
nothing behind.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlir_amp.policy import Properties

    from .handle import AmpHandle
    from .optimizers import Stash
    from .scaling import LossScaler


#: The attribute of an optimizer that `initialize` prepared: its `Stash`.
STASH = "_amp_stash"


class AmpState:
    """The state behind the functions of this package.

    Attributes:
        opt_properties: what the level and its overrides ask for; None before
            `initialize`.
        loss_scalers: one for each of `num_losses`.
        handle: the casts of O1 and O4; None where no functions are cast.
        verbosity: above 0, selections and skipped steps are printed; at 2 each
            cast at O1 as well.
        hard_override: turns refusals of properties and of half models into printed
            warnings, as in Apex; set it before `initialize`. No argument does, and
            a reset leaves it.
        allow_incoming_model_not_fp32: takes models that are half already.
    """

    def __init__(self) -> None:
        self.hard_override = False
        self.allow_incoming_model_not_fp32 = False
        #: Of the optimizers that were initialized since the last reset.
        self.stashes: weakref.WeakSet[Stash] = weakref.WeakSet()
        self.clear()

    def clear(self) -> None:
        """Forgets what was initialized, but for the optimizers."""
        self.opt_properties: Properties | None = None
        self.loss_scalers: list[LossScaler] = []
        self.handle: AmpHandle | None = None
        self.verbosity = 1
        self.process, self.thread = os.getpid(), threading.get_ident()


_amp_state = AmpState()


def maybe_print(text: str) -> None:
    """Prints `text` unless `verbosity` is 0."""
    if _amp_state.verbosity > 0:
        print(text)


def master_params(optimizer: Any):
    """The parameters that `optimizer` updates, in its order: FP32 masters at O2, with what
    was loaded into the model since the last step.

    Clip these, not the model's:
    ``torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), max_norm)``.
    """
    stash = getattr(optimizer, STASH, None)
    if stash is not None:
        stash.adopt()
    for group in optimizer.param_groups:
        yield from group["params"]
