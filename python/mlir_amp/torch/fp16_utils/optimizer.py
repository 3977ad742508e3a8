# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FP16_Optimizer: an optimizer of FP32 masters for a model that is half already.

Gradients of half parameters stay scaled, where the model left them; the masters get
copies that are divided by the scale. Gradients of FP32 parameters, which the wrapped
optimizer updates as they are, are divided in place.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch

from ..amp.optimizers import is_initialized
from ..amp.scaling import LossScaler
from ..amp.state import maybe_print


class FP16_Optimizer:
    """Loss scaling and FP32 masters around an optimizer.

        model = model.half()
        optimizer = FP16_Optimizer(torch.optim.SGD(model.parameters(), lr=0.1), dynamic_loss_scale=True)
        ...
        optimizer.zero_grad()
        optimizer.backward(loss)  # for loss.backward()
        optimizer.step()

    Args:
        init_optimizer: of half and FP32 parameters. Its groups get a master in the
            place of each half parameter that is trained.
        static_loss_scale: the factor on the loss.
        dynamic_loss_scale: have the factor follow the overflows.
        dynamic_loss_args: for that: `init_scale` (2**16), `scale_factor` (2),
            `scale_window` (2000 calls of `update_master_grads`), `min_loss_scale`
            (None) and `max_loss_scale` (2**24).
        verbose: print the parameters that were found.

    Attributes:
        optimizer: the wrapped one.
        overflow: whether the latest gradients were not finite; `step` then skips.
        loss_scaler: the scaler, `amp`'s.

    Raises:
        TypeError: parameters of other types.
        RuntimeError: an optimizer that `amp.initialize` prepared, or wrapped already.
        mlir_amp.InvalidArgument: a number of the scaler's out of its range.
    """

    def __init__(
        self,
        init_optimizer: torch.optim.Optimizer,
        static_loss_scale: float = 1.0,
        dynamic_loss_scale: bool = False,
        dynamic_loss_args: dict[str, Any] | None = None,
        verbose: bool = True,
    ) -> None:
        _check(init_optimizer)
        self.verbose = verbose
        self.optimizer = init_optimizer
        self.dynamic_loss_scale = dynamic_loss_scale
        if dynamic_loss_scale:
            self.loss_scaler = LossScaler("dynamic", **(dynamic_loss_args or {}))
        else:
            self.loss_scaler = LossScaler(static_loss_scale)
        self.overflow = False
        self.first_closure_call_this_step = True

        #: For each group: half parameters, their masters, and the FP32 parameters.
        self.fp16_groups: list[list[torch.nn.Parameter]] = []
        self.fp32_from_fp16_groups: list[list[torch.nn.Parameter]] = []
        self.fp32_from_fp32_groups: list[list[torch.nn.Parameter]] = []
        for i, group in enumerate(self.optimizer.param_groups):
            self.maybe_print(f"FP16_Optimizer processing param group {i}:")
            self._take(group["params"])
        self.all_fp16_params = _join(self.fp16_groups)
        self.all_fp32_from_fp16_params = _join(self.fp32_from_fp16_groups)
        self.all_fp32_from_fp32_params = _join(self.fp32_from_fp32_groups)
        self.optimizer.load_state_dict(self.optimizer.state_dict())  # state in the types of the masters

        #: Scales that the gradients of half and of FP32 parameters carry.
        self._half_scale = self._direct_scale = 1.0
        #: A backward pass whose gradients the masters do not have yet.
        self._is_pending = False
        #: The gradients that the masters were given, with their versions.
        self._given: list[tuple[weakref.ref[torch.Tensor], int]] | None = None

    def _take(self, parameters: list[torch.nn.Parameter]) -> None:
        """Registers the parameters of a group; half ones give way to masters in place."""
        halves, masters, direct = [], [], []
        for i, parameter in enumerate(parameters):
            if not parameter.requires_grad:
                continue
            self.maybe_print(f"FP16_Optimizer received {parameter.type()} with {parameter.size()}")
            if parameter.dtype == torch.float32:
                direct.append(parameter)
                continue
            master = torch.nn.Parameter(parameter.detach().clone().float())
            if parameter in (state := self.optimizer.state):
                state[master] = state.pop(parameter)
            parameters[i] = master
            halves.append(parameter)
            masters.append(master)
        self.fp16_groups.append(halves)
        self.fp32_from_fp16_groups.append(masters)
        self.fp32_from_fp32_groups.append(direct)

    def maybe_print(self, message: str) -> None:
        """Prints `message` if `verbose`."""
        if self.verbose:
            print(message)

    # -- gradients ------------------------------------------------------------------

    def backward(self, loss: torch.Tensor, update_master_grads: bool = True, retain_graph: bool = False) -> None:
        """Runs the backward pass of the loss, as FP32, times the scale.

        Gradients add up to those of earlier calls since `zero_grad`.

        Args:
            loss: half or FP32; FP32 is safer.
            update_master_grads: False where more backward passes follow before the
                step; call :meth:`update_master_grads` after the last.
            retain_graph: as of `torch.Tensor.backward`.
        """
        self._rescale()
        (loss.float() * self.loss_scaler.effective_scale).backward(retain_graph=retain_graph)
        self._is_pending = True
        if update_master_grads:
            self.update_master_grads()

    def _rescale(self) -> None:
        """Brings earlier gradients to the present scale, so that new ones can be added."""
        scale = self.loss_scaler.effective_scale
        for parameters, held in (
            (self.all_fp16_params, self._half_scale),
            (self.all_fp32_from_fp32_params, self._direct_scale),
        ):
            if held != scale:
                for parameter in parameters:
                    if parameter.grad is not None:
                        parameter.grad.detach().mul_(scale / held)
        self._half_scale = self._direct_scale = scale

    def update_master_grads(self) -> None:
        """Hands the gradients on to the masters, divided by the scale, and ends the scaler's step.

        After an overflow the scale shrinks, and `step` skips. Called again without new
        gradients, it does nothing.
        """
        if not self._has_new_gradients():
            return
        scaler = self.loss_scaler
        scaler.clear_overflow_state()
        grads, master_grads = [], []
        for parameter, master in zip(self.all_fp16_params, self.all_fp32_from_fp16_params, strict=True):
            if parameter.grad is None:
                master.grad = None
                continue
            if master.grad is None:
                master.grad = torch.empty_like(master)
            grads.append(parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad)
            master_grads.append(master.grad)
        scaler.unscale(grads, master_grads)
        direct = [p.grad for p in self.all_fp32_from_fp32_params if p.grad is not None]
        scaler.unscale(direct, direct)
        self._direct_scale = 1.0
        self._is_pending = False
        self._given = [(weakref.ref(grad), grad._version) for grad in self._get_model_grads()]
        self.overflow = scaler.update_scale()

    def _get_model_grads(self) -> list[torch.Tensor]:
        parameters = [*self.all_fp16_params, *self.all_fp32_from_fp32_params]
        return [parameter.grad for parameter in parameters if parameter.grad is not None]

    def _has_new_gradients(self) -> bool:
        grads = self._get_model_grads()
        if self._given is None or len(grads) != len(self._given):
            return True
        given = zip(grads, self._given, strict=True)
        return any(reference() is not grad or version != grad._version for grad, (reference, version) in given)

    def clip_master_grads(self, max_norm: float, norm_type: float = 2) -> torch.Tensor | int:
        """Clips the gradients that the optimizer is going to see.

        Args:
            max_norm: of all of them as one vector.
            norm_type: 2, another p, or 'inf'.

        Returns:
            The norm before, or -1 after an overflow.
        """
        if self.overflow:
            return -1
        return torch.nn.utils.clip_grad_norm_(_join(g["params"] for g in self.param_groups), max_norm, norm_type)

    def inspect_master_grad_data(self) -> list[list[torch.Tensor | None]] | None:
        """The gradients that the optimizer is going to see.

        Returns:
            A list for each group, with None for a parameter without gradient; None
            after an overflow, where there is nothing to see.
        """
        if self.overflow:
            print(
                "Warning:  calling FP16_Optimizer.inspect_master_grad_data while in an overflow state.  "
                "Gradients are currently invalid (may be inf, nan, or stale).  Returning None."
            )
            return None
        return [
            [None if parameter.grad is None else parameter.grad.detach() for parameter in group["params"]]
            for group in self.param_groups
        ]

    def zero_grad(self, set_grads_to_None: bool = False) -> None:
        """Zeroes the gradients of the model and of the masters.

        Args:
            set_grads_to_None: remove them instead.
        """
        for parameter in [*_join(group["params"] for group in self.param_groups), *self.all_fp16_params]:
            if set_grads_to_None:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad.detach().zero_()
        self._is_pending = False

    # -- steps ----------------------------------------------------------------------

    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> Any:
        """Updates the masters, and rounds them to the model's half parameters.

        Skipped after an overflow.

        Args:
            closure: calls `zero_grad`, computes the loss, calls `backward` of this
                object, and returns the loss. It is called again after each overflow.

        Returns:
            What the optimizer's step returned.

        Raises:
            RuntimeError: gradients that the masters do not have yet; no gradients; a
                closure whose gradients are not finite whatever the scale.
        """
        if closure is None:
            self._check_gradients()
        if self.overflow:
            maybe_print(f"Gradient overflow.  Skipping step, reducing loss scale to {self.loss_scale}")
            return None
        result = self.optimizer.step() if closure is None else self._step_with_closure(closure)
        self._round_masters()
        return result

    def _check_gradients(self) -> None:
        if self._is_pending:
            raise RuntimeError(
                "step() was called after backward(loss, update_master_grads=False), whose gradients are still scaled. "
                "Call update_master_grads() first."
            )
        if not self.overflow and all(p.grad is None for group in self.param_groups for p in group["params"]):
            raise RuntimeError(
                "step() was called, but no parameter has a gradient. Call backward(loss) of the FP16_Optimizer first, "
                "in the place of loss.backward()."
            )

    def _step_with_closure(self, closure: Callable[[], torch.Tensor]) -> Any:
        def compute() -> torch.Tensor:
            # The optimizer may have updated the masters since the call before.
            if not self.first_closure_call_this_step:
                self._round_masters()
            self.first_closure_call_this_step = False
            loss = closure()
            while self.overflow:
                verdict, text = self.loss_scaler.machine.health()
                if verdict.startswith("stuck"):
                    raise RuntimeError(text)
                print(f"OVERFLOW within closure! Skipping step, reducing loss scale to {self.loss_scale}")
                loss = closure()
            return loss

        try:
            return self.optimizer.step(compute)
        finally:
            self.first_closure_call_this_step = True

    def _round_masters(self) -> None:
        if self.all_fp16_params:
            with torch.no_grad():
                torch._foreach_copy_(self.all_fp16_params, self.all_fp32_from_fp16_params)

    # -- checkpoints ----------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The scaler, the optimizer's state and the masters, which are not copied.

        `torch.load` reads it back as it does weights. Save it beside the model's.
        """
        machine = self.loss_scaler.machine
        return {
            "loss_scaler": {"config": machine.config, "state": machine.state},
            "dynamic_loss_scale": self.dynamic_loss_scale,
            "overflow": self.overflow,
            "first_closure_call_this_step": self.first_closure_call_this_step,
            "optimizer_state_dict": self.optimizer.state_dict(),
            "fp32_from_fp16": [[master.detach() for master in group] for group in self.fp32_from_fp16_groups],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state, masters included. Load the model's as well.

        Args:
            state_dict: of this class. In the place of the scaler's numbers it may hold
                an Apex LossScaler, whose scale and count are taken.

        Raises:
            ValueError: other groups, or masters of other shapes; nothing was changed.
        """
        saved = state_dict["fp32_from_fp16"]
        shapes, expected = (
            [[tuple(master.shape) for master in group] for group in groups]
            for groups in (saved, self.fp32_from_fp16_groups)
        )
        if shapes != expected:
            raise ValueError(
                f"The state has FP32 masters of the shapes {shapes}, but this FP16_Optimizer has {expected}. Wrap an "
                "optimizer of the same model, with the same groups and the same frozen parameters."
            )
        self.optimizer.load_state_dict(state_dict["optimizer_state_dict"])
        scaler = state_dict["loss_scaler"]
        if isinstance(scaler, dict):
            self.loss_scaler = LossScaler.restore(scaler["config"], scaler["state"])
        else:
            self.loss_scaler.load(scaler._loss_scale, scaler._unskipped)
        self.dynamic_loss_scale = state_dict["dynamic_loss_scale"]
        self.overflow = state_dict["overflow"]
        self.first_closure_call_this_step = state_dict["first_closure_call_this_step"]
        with torch.no_grad():
            for master, value in zip(self.all_fp32_from_fp16_params, _join(saved), strict=True):
                master.copy_(value)

    def __getstate__(self) -> None:
        raise RuntimeError("FP16_Optimizer should be serialized using state_dict().")

    def __setstate__(self, state: Any) -> None:
        raise RuntimeError("FP16_Optimizer should be deserialized using load_state_dict().")

    # -- what users reach through ---------------------------------------------------

    @property
    def loss_scale(self) -> float:
        """The factor on the loss."""
        return self.loss_scaler.loss_scale()

    @loss_scale.setter
    def loss_scale(self, value: float) -> None:
        self.loss_scaler._loss_scale = value

    @property
    def state(self) -> Any:
        """The optimizer's, by master."""
        return self.optimizer.state

    @state.setter
    def state(self, value: Any) -> None:
        self.optimizer.state = value

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """The optimizer's, masters in the place of half parameters."""
        return self.optimizer.param_groups

    @param_groups.setter
    def param_groups(self, value: list[dict[str, Any]]) -> None:
        self.optimizer.param_groups = value


def _check(optimizer: Any) -> None:
    """Refuses what cannot be wrapped, before anything changes."""
    if isinstance(optimizer, FP16_Optimizer):
        raise RuntimeError("The optimizer is an FP16_Optimizer already. Wrap the plain one, once.")
    if is_initialized(optimizer):
        raise RuntimeError(
            f"This {type(optimizer).__name__} was passed through amp.initialize, which scales its losses. Use "
            "'with amp.scale_loss(loss, optimizer) as scaled_loss', or leave amp.initialize out."
        )
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.requires_grad and parameter.dtype not in (torch.float16, torch.float32):
                where = "torch.cuda." if parameter.is_cuda else "torch."
                raise TypeError(
                    f"Wrapped parameters must be either {where}FloatTensor or {where}HalfTensor. "
                    f"Received {parameter.type()}"
                )


def _join(groups: Any) -> list[Any]:
    return [value for group in groups for value in group]
