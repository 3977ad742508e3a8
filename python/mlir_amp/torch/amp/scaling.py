# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss scaling: the scaler's state machine on gradients.

The machine is the runtime library's (amp-rt/Scaler.h); here gradients are
multiplied and looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

from mlir_amp import scaler as runtime

from . import state
from .values import is_half


class LossScaler:
    """One loss scaler.

    Args:
        loss_scale: "dynamic", or the factor of a static scaler.
        init_scale: where a dynamic scale starts; at most `max_loss_scale`.
        scale_factor: a dynamic scale is multiplied or divided by it.
        scale_window: backward passes without overflow before the scale grows.
        min_loss_scale: floor of a dynamic scale; None or 0: none.
        max_loss_scale: ceiling of a dynamic scale.
        name: for messages.

    Attributes:
        machine: the runtime library's scaler.
        dynamic: whether the scale follows the overflows.
    """

    warned_unscaling_non_fp32_grad = False

    def __init__(
        self,
        loss_scale: float | str,
        init_scale: float = 2.0**16,
        scale_factor: float = 2.0,
        scale_window: int = 2000,
        min_loss_scale: float | None = None,
        max_loss_scale: float = 2.0**24,
        name: str = "loss_scaler0",
    ) -> None:
        self.dynamic = loss_scale == "dynamic"
        self.machine = runtime.LossScaler(
            loss_scale, init_scale, scale_factor, scale_window, min_loss_scale, max_loss_scale, name=name
        )
        self._found_inf: dict[torch.device, torch.Tensor] = {}

    @classmethod
    def restore(cls, config: runtime.ScalerConfig, state: runtime.ScalerState) -> LossScaler:
        """A scaler as another one was: its machine's `config` and `state`."""
        scaler = cls.__new__(cls)
        scaler.machine = runtime.restore(config, state)
        scaler.dynamic = config["dynamic"]
        scaler._found_inf = {}
        return scaler

    def loss_scale(self) -> float:
        """The present factor on the loss."""
        return self.machine.scale

    @property
    def _loss_scale(self) -> float:
        return self.machine.scale

    @_loss_scale.setter
    def _loss_scale(self, value: float) -> None:
        self.load(value, self._unskipped)

    @property
    def _unskipped(self) -> int:
        return self.machine.unskipped

    @property
    def _has_overflow(self) -> bool:
        return any(bool(found.item()) for found in self._found_inf.values())

    def load(self, loss_scale: float, unskipped: int) -> None:
        """Goes on from another scaler's state."""
        self.machine.load_state_dict({"loss_scale": loss_scale, "unskipped": unskipped})

    def clear_overflow_state(self) -> None:
        self._found_inf.clear()

    def update_scale(self) -> bool:
        """One transition, by what was found since the last clear; True: skip the step."""
        return self.machine.update(self._has_overflow if self.dynamic else False)

    @property
    def effective_scale(self) -> float:
        """The scale that losses are multiplied by: in FP32, and never subnormal there."""
        return self.machine.program_scale

    def unscale(self, model_grads: Sequence[torch.Tensor], master_grads: Sequence[torch.Tensor]) -> None:
        """Writes `model_grads / scale` to `master_grads`, which may be the same.

        A dynamic scaler looks for values that are not finite; where there are any,
        what is written is not defined.
        """
        if model_grads is not master_grads:
            for model, master in zip(model_grads, master_grads, strict=True):
                master.copy_(model)
        elif not LossScaler.warned_unscaling_non_fp32_grad:
            for grad in master_grads:
                if grad.dtype != torch.float32:
                    LossScaler.warned_unscaling_non_fp32_grad = True
                    state.maybe_print(
                        f"Attempting to unscale a grad with type {grad.type()} Unscaling non-fp32 grads may indicate "
                        "an error. When using Amp, you don't need to call .half() on your model."
                    )
                    break
        self._multiply(master_grads, 1.0 / self.effective_scale)

    def unscale_and_add(
        self,
        model_grads: Sequence[torch.Tensor],
        stashed_grads: Sequence[torch.Tensor],
        master_grads: Sequence[torch.Tensor],
    ) -> None:
        """Writes `model_grads / scale + stashed_grads` to `master_grads`.

        `master_grads` may be either of the others. The incoming gradients are
        looked at, the stash is trusted.
        """
        incoming = [model.to(master.dtype, copy=True) for model, master in zip(model_grads, master_grads, strict=True)]
        self._multiply(incoming, 1.0 / self.effective_scale)
        for grad, stashed, master in zip(incoming, stashed_grads, master_grads, strict=True):
            master.copy_(add(grad, stashed))

    def _multiply(self, grads: Sequence[torch.Tensor], factor: float) -> None:
        if self.dynamic:
            multiply_and_look(grads, factor, self._found_inf)
        elif factor != 1.0:
            for group in _group(grads).values():
                torch._foreach_mul_(group, factor)


def multiply_and_look(
    grads: Iterable[torch.Tensor], factor: float, found_inf: dict[torch.device, torch.Tensor]
) -> None:
    """Multiplies gradients in place; `found_inf` of a device rises above 0 if one there is not finite.

    Sparse ones that have a value twice are looked at as they are. Waits for no device.
    """
    for (device, _), group in _group(grads).items():
        if device not in found_inf:
            found_inf[device] = torch.zeros(1, device=device)
        torch._amp_foreach_non_finite_check_and_unscale_(
            group, found_inf[device], torch.full((1,), factor, device=device)
        )


def add(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """The sum of two gradients; half sparse ones, which torch does not add, by FP32."""
    if first.is_sparse and is_half(first):
        return (first.float() + second.float()).to(first.dtype)
    return first + second


def coalesce(grad: torch.Tensor) -> torch.Tensor:
    """A gradient whose own values can be multiplied: a sparse one coalesced."""
    return grad.coalesce() if grad.is_sparse else grad


def _group(grads: Iterable[torch.Tensor]) -> dict[tuple[torch.device, torch.dtype], list[torch.Tensor]]:
    """Gradients by device and type; of sparse ones what they hold."""
    groups: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
    for grad in grads:
        values = grad._values() if grad.is_sparse else grad.detach()
        groups.setdefault((values.device, values.dtype), []).append(values)
    return groups
