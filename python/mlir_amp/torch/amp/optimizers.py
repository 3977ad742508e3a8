# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers that skip overflowed steps and, at O2, update FP32 masters.

`prepare` gives an optimizer a `Stash` and instance methods of its own: `step`
skips where a backward pass overflowed, `zero_grad` and `add_param_group` know
masters. Its class and its other instances stay as they are.

At O2 each half parameter that is trained has an FP32 master, which stands in the
optimizer's groups in its place. Masters are made by `initialize` from the FP32
weights, and looked at before each backward pass: half weights that were loaded or set in
between are taken over by their masters (masters that were set reach the half ones with the
next step, as in Apex). On the CPU half weights are compared with what the last step left, bit for bit; on other devices
version counters tell, which a write to `.data` does not move.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch

from mlir_amp.policy import Properties

from . import state
from .models import MASTER, take_wide
from .scaling import LossScaler, add, coalesce
from .state import STASH
from .values import is_half

_SHARED = (
    "A parameter that is cast to half is in two optimizers. Each would update a master of its own, and one update "
    "would be lost. Give it to one of them, or use opt_level 'O1'."
)
_CLOSURE = "Currently, Amp does not support closure use with optimizers."


def check_optimizers(optimizers: list[Any], are_cast: bool) -> None:
    """Refuses optimizers that amp wraps already, and parameters that it will not cast."""
    for optimizer in optimizers:
        if not are_cast and hasattr(optimizer, "param_groups"):
            for group in optimizer.param_groups:
                _check_types(group["params"])
        if is_initialized(optimizer):
            raise RuntimeError("A given optimizer should only be passed through amp.initialize once.")
        if type(optimizer).__name__ in ("FP16_Optimizer", "OptimWrapper"):
            name = f"{type(optimizer).__module__}.{type(optimizer).__name__}"
            raise RuntimeError(
                f"An incoming optimizer is an instance of {name}. The optimizer(s) passed to amp.initialize() must be "
                "bare \ninstances of either ordinary Pytorch optimizers, or Apex fused \noptimizers.\n"
            )


def check_shared(optimizers: list[torch.optim.Optimizer], will_be_half: Callable[[torch.nn.Parameter], bool]) -> None:
    """Refuses parameters that will be half and that two optimizers train, each by a master."""
    if len({id(optimizer) for optimizer in optimizers}) < len(optimizers):
        raise RuntimeError("amp.initialize was given one optimizer twice. Give each once.")
    seen: set[torch.nn.Parameter] = set()
    for optimizer in optimizers:
        own = {p for group in optimizer.param_groups for p in group["params"] if p.requires_grad and will_be_half(p)}
        if not seen.isdisjoint(own):
            raise RuntimeError(_SHARED)
        seen |= own


def _check_types(parameters: list[torch.nn.Parameter]) -> None:
    for parameter in parameters:
        if parameter.dtype != torch.float32 and not is_half(parameter):
            where = "torch.cuda." if parameter.is_cuda else "torch."
            raise TypeError(
                f"Optimizer's parameters must be either {where}FloatTensor or {where}HalfTensor. "
                f"Received {parameter.type()}"
            )


def is_initialized(optimizer: Any) -> bool:
    """Whether `initialize` prepared `optimizer`, before a reset or after."""
    return hasattr(optimizer, STASH)


def note_backward(optimizer: Any, properties: Properties) -> None:
    """Notes a backward pass that `optimizer`'s stash has nothing to do for."""
    if is_initialized(optimizer):
        stash = getattr(optimizer, STASH)
        stash.check_call(properties)
        stash.has_backward = True


def get_stash(optimizer: Any) -> Stash:
    """What `initialize` gave `optimizer`.

    Raises:
        RuntimeError: it was not initialized, or before the last reset.
    """
    stash = getattr(optimizer, STASH, None)
    if stash is None:  # wrapped since, as by LARC
        stash = getattr(getattr(optimizer, "optim", None), STASH, None)
    if stash is None:
        raise RuntimeError(
            f"This {type(optimizer).__name__} was not passed through amp.initialize. Pass every optimizer that "
            "scale_loss is given: model, optimizer = amp.initialize(model, optimizer, ...)."
        )
    if not stash.is_alive:
        raise RuntimeError(
            f"This {type(optimizer).__name__} was passed through amp.initialize before amp.reset(). Make a new "
            "model and optimizer, and pass them through amp.initialize."
        )
    return stash


class Stash:
    """What amp keeps for one optimizer."""

    def __init__(self, optimizer: torch.optim.Optimizer, properties: Properties) -> None:
        self.optimizer = optimizer
        #: Of the call of `initialize` that prepared it.
        self.properties = properties
        self.has_masters = bool(properties.master_weights)
        self.is_alive = True
        #: Gradients still carry a scale: a backward pass with delay_unscale.
        self.params_have_scaled_gradients = False
        #: A backward pass since the last step, whether its gradients came here or not.
        self.has_backward = False
        #: Inside scale_loss.
        self.is_open = False
        #: What the next step prints instead of stepping.
        self.skip_message: str | None = None
        #: Half parameters and their masters.
        self.pairs: list[tuple[torch.nn.Parameter, torch.nn.Parameter]] = []
        #: Versions of half parameters when they were last in step with their masters.
        self.versions: list[int | None] = []
        #: The bits of half parameters on the CPU then.
        self.kept: list[torch.Tensor] = []
        #: What gradients that are still scaled were multiplied by.
        self.scale = 1.0
        #: Parameters that the optimizer updates as they are.
        self.direct: list[torch.nn.Parameter] = []
        #: Of all parameters above, masters included.
        self.known: set[torch.nn.Parameter] = set()
        #: Gradients of earlier backward passes, by their parameter.
        self.stashed: dict[torch.nn.Parameter, torch.Tensor] = {}

    # -- parameters ---------------------------------------------------------------

    def check(self, parameters: list[torch.nn.Parameter]) -> None:
        """Refuses parameters of other types, and those that another optimizer has."""
        _check_types(parameters)
        for parameter in parameters:
            if self.has_masters and is_half(parameter) and hasattr(parameter, MASTER):
                if parameter in self.known:
                    raise ValueError("some parameters appear in more than one parameter group")
                raise RuntimeError(_SHARED)

    def take(self, parameters: list[torch.nn.Parameter]) -> None:
        """Registers parameters of one group; half ones give way to masters in place."""
        for i, parameter in enumerate(parameters):
            if parameter in self.known or (self.has_masters and not parameter.requires_grad):
                continue
            self.known.add(parameter)
            if not self.has_masters or not is_half(parameter):
                self.direct.append(parameter)
                continue
            wide = take_wide(parameter)
            master = torch.nn.Parameter(parameter.detach().clone().float() if wide is None else wide)
            if parameter in (optimizer_state := self.optimizer.state):
                optimizer_state[master] = optimizer_state.pop(parameter)
            setattr(parameter, MASTER, master)
            parameters[i] = master
            self.known.add(master)
            self.pairs.append((parameter, master))
            self.versions.append(None)
            self.kept = []  # until the next step has all of them

    def take_all(self) -> None:
        """Registers all groups of the optimizer."""
        groups = self.optimizer.param_groups
        for group in groups:
            self.check(group["params"])
        for group in groups:
            self.take(group["params"])
        if self.pairs:  # state in the types of the masters
            self.optimizer.load_state_dict(self.optimizer.state_dict())

    def take_late(self) -> None:
        """Registers parameters that were frozen until now, or appended to a group."""
        for group in self.optimizer.param_groups:
            parameters = group["params"]
            late = [parameter for parameter in parameters if parameter not in self.known]
            if late:
                self.check(late)
                self.take(parameters)

    def adopt(self) -> None:
        """Takes over half weights that were loaded or set since the last step."""
        for i, (parameter, master) in enumerate(self.pairs):
            if parameter._version == self.versions[i]:
                if not self.kept or torch.equal(self.kept[i], _bits(parameter)):
                    continue
            wide = take_wide(parameter)
            values = parameter.detach()
            if wide is not None:
                master.data.copy_(wide)
            elif not torch.equal(master.detach().to(values.dtype), values):
                master.data.copy_(values)
            self.versions[i] = parameter._version
            if self.kept:
                self.kept[i] = _bits(parameter).clone()

    def check_call(self, properties: Properties) -> None:
        """Refuses an optimizer of a call that a later one with other properties ended: there
        is one set of properties and of scalers."""
        own = dataclasses.replace(self.properties, verbosity=properties.verbosity, num_losses=properties.num_losses)
        if own != properties and not state._amp_state.hard_override:
            raise RuntimeError(
                f"This {type(self.optimizer).__name__} was passed through amp.initialize with opt_level "
                f"{own.opt_level} and loss_scale {own.loss_scale}; a later call with opt_level {properties.opt_level} "
                f"and loss_scale {properties.loss_scale} ended that. Pass all models and optimizers in one call."
            )

    # -- gradients ----------------------------------------------------------------

    def open(self, scale: float) -> None:
        """Begins a backward pass of a loss that is multiplied by `scale`.

        Puts present gradients aside, so that scaled ones do not mix with them; those that
        are scaled as well stay, and are brought to this scale. (Apex leaves unscaled ones
        where a pass with delay_unscale adds to them, and scales as they are.)
        """
        if self.is_open:
            raise RuntimeError(
                "amp.scale_loss was called inside another amp.scale_loss with the same optimizer, or was given it "
                "twice. Leave the first one before the second backward pass; gradients add up."
            )
        self.take_late()
        self.adopt()
        self.is_open = self.has_backward = True
        before, self.scale = self.scale, scale
        if self.params_have_scaled_gradients:
            if scale != before:
                for parameter in [*(half for half, _ in self.pairs), *self.direct]:
                    if parameter.grad is not None:
                        parameter.grad.mul_(scale / before)
            return
        for parameter, _ in self.pairs:
            parameter.grad = None
        for parameter in self.direct:
            if parameter.grad is not None:
                self.stashed[parameter] = parameter.grad
                parameter.grad = None

    def abandon(self) -> None:
        """Ends a backward pass that failed: gradients are what they were before, but for
        those of a pass with delay_unscale before it, which it may have added to."""
        self.is_open = False
        if self.params_have_scaled_gradients:
            return
        for parameter, _ in self.pairs:
            parameter.grad = None
        for parameter in self.direct:
            parameter.grad = self.stashed.pop(parameter, None)

    def close(self, scaler: LossScaler, done: set[int]) -> None:
        """Unscales the new gradients, and adds those that were put aside.

        `done` holds the parameters that another optimizer of this pass unscaled.
        """
        self.is_open = self.params_have_scaled_gradients = False
        fresh: list[tuple[torch.Tensor, torch.Tensor]] = []
        added: list[tuple[torch.Tensor, torch.Tensor]] = []
        for parameter, master in self.pairs:
            if parameter.grad is None:
                continue
            if master.grad is None:
                # Of a sparse gradient the dense master has a dense one.
                master.grad = torch.empty_like(master)
                fresh.append((_dense(parameter.grad), master.grad))
            else:
                added.append((_dense(parameter.grad), master.grad))
        if fresh:
            scaler.unscale([grad for grad, _ in fresh], [grad for _, grad in fresh])
        if added:
            masters = [grad for _, grad in added]
            scaler.unscale_and_add([grad for grad, _ in added], masters, masters)
        self._close_direct(scaler, done)

    def _close_direct(self, scaler: LossScaler, done: set[int]) -> None:
        alone: list[torch.Tensor] = []
        both: list[tuple[torch.Tensor, torch.Tensor]] = []
        is_one = not scaler.dynamic and scaler.loss_scale() == 1.0
        for parameter in self.direct:
            stashed = self.stashed.pop(parameter, None)
            if id(parameter) in done:
                continue
            done.add(id(parameter))
            if parameter.grad is None:
                parameter.grad = stashed
                continue
            parameter.grad = coalesce(parameter.grad)
            if stashed is None:
                alone.append(parameter.grad)
            elif is_one:
                parameter.grad = add(parameter.grad, stashed)
            else:
                both.append((parameter.grad, stashed))
        if alone and not is_one:
            scaler.unscale(alone, alone)
        if both:
            grads = [grad for grad, _ in both]
            scaler.unscale_and_add(grads, [stashed for _, stashed in both], grads)

    # -- steps --------------------------------------------------------------------

    def check_step(self) -> None:
        """Refuses a step with gradients that are still scaled."""
        if self.is_open:
            raise RuntimeError(
                "step() was called inside amp.scale_loss, where gradients are still scaled. Leave it first."
            )
        if self.params_have_scaled_gradients:
            raise RuntimeError(
                "step() was called after a backward pass with delay_unscale=True, whose gradients are still scaled. "
                "Leave delay_unscale out in the last amp.scale_loss before the step."
            )

    def check_backward(self) -> None:
        """Refuses a step that no backward pass came before; it would change nothing."""
        groups = self.optimizer.param_groups
        if not self.has_backward and all(p.grad is None for group in groups for p in group["params"]):
            raise RuntimeError(
                f"step() was called without a backward pass: no parameter of this {type(self.optimizer).__name__} has "
                "a gradient. Call scaled_loss.backward() inside of 'with amp.scale_loss(loss, optimizer) as "
                "scaled_loss' first, and do not zero gradients before the step."
            )

    def copy_masters(self) -> None:
        """Rounds the masters to the half parameters."""
        if not self.pairs:
            return
        with torch.no_grad():
            torch._foreach_copy_([p for p, _ in self.pairs], [m for _, m in self.pairs])
        self.versions = [parameter._version for parameter, _ in self.pairs]
        halves = [_bits(parameter) for parameter, _ in self.pairs]
        if any(half.device.type != "cpu" for half in halves):
            self.kept = []
        elif [half.shape for half in halves] == [kept.shape for kept in self.kept]:
            torch._foreach_copy_(self.kept, halves)
        else:
            self.kept = [half.clone() for half in halves]

    def clear_master_grads(self) -> None:
        for _, master in self.pairs:
            master.grad = None


def _bits(parameter: torch.Tensor) -> torch.Tensor:
    return parameter.detach().view(torch.int16)


def _dense(grad: torch.Tensor) -> torch.Tensor:
    return grad.to_dense() if grad.is_sparse else grad


def prepare(
    optimizer: torch.optim.Optimizer,
    properties: Properties,
    around_step: Callable = nullcontext,
    aside: Callable = nullcontext,
) -> None:
    """Makes an optimizer skip overflowed steps and, if asked, update masters.

    Args:
        optimizer: changed in place; only this instance.
        properties: of the call; with `master_weights` half parameters get FP32 masters.
        around_step: a context in which its step runs.
        aside: one for what calls many functions of torch that are not cast.
    """
    stash = Stash(optimizer, properties)
    master_weights = stash.has_masters
    old_step, old_add_param_group, old_zero_grad = optimizer.step, optimizer.add_param_group, optimizer.zero_grad

    def step(self: Any, closure: Callable | None = None, *args: Any, **kwargs: Any) -> Any:
        stash.check_step()
        if closure is not None and (master_weights or stash.skip_message):
            raise RuntimeError(_CLOSURE)
        if stash.skip_message is not None:
            state.maybe_print(stash.skip_message)
            stash.skip_message = None
            stash.has_backward = False
            stash.clear_master_grads()
            self._opt_called = True  # for schedulers, which ask whether step was called
            return None
        if closure is None:
            stash.check_backward()
        stash.has_backward = False
        if closure is not None or args:
            args = (closure, *args)
        with around_step():
            if not master_weights:
                return old_step(*args, **kwargs)
            stash.adopt()
            result = old_step(*args, **kwargs)
            stash.copy_masters()
        # model.zero_grad does not know them.
        stash.clear_master_grads()
        return result

    def zero_grad_alone(self: Any, *args: Any, **kwargs: Any) -> Any:
        with aside():
            return old_zero_grad(*args, **kwargs)

    def zero_grad(self: Any, set_to_none: bool = False) -> None:
        stash.take_late()
        for parameter in [*(half for half, _ in stash.pairs), *stash.direct]:
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = parameter.grad.detach().zero_()
        stash.clear_master_grads()

    def add_param_group(self: Any, new_group: dict) -> None:
        assert isinstance(new_group, dict), "param group must be a dict"
        parameters = new_group["params"]
        if isinstance(parameters, torch.Tensor):
            parameters = [parameters]
        elif isinstance(parameters, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        new_group["params"] = list(parameters)
        stash.check([entry[1] if isinstance(entry, tuple) else entry for entry in new_group["params"]])
        old_add_param_group(new_group)
        stash.take(self.param_groups[-1]["params"])

    stash.take_all()
    setattr(optimizer, STASH, stash)
    state._amp_state.stashes.add(stash)
    if hasattr(old_step, "_wrapped_by_lr_sched"):
        step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = types.MethodType(step, optimizer)
    optimizer.add_param_group = types.MethodType(add_param_group, optimizer)
    optimizer.zero_grad = types.MethodType(zero_grad if master_weights else zero_grad_alone, optimizer)
