# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scale_loss, and the handle of Apex's older interface."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

from . import optimizers as amp_optimizers
from . import registry
from .casts import CastMode, widen_rnn_inputs
from .scaling import LossScaler, add, coalesce
from .state import _amp_state, master_params, maybe_print

_NOT_INITIALIZED = (
    "Invoked 'with amp.scale_loss`, but internal Amp state has not been initialized.  "
    "model, optimizer = amp.initialize(model, optimizer, opt_level=...) must be called before `with amp.scale_loss`."
)


@contextmanager
def scale_loss(
    loss: torch.Tensor,
    optimizers: Any,
    loss_id: int = 0,
    model: Any = None,
    delay_unscale: bool = False,
    delay_overflow_check: bool = False,
) -> Iterator[torch.Tensor]:
    """Yields the loss times the scale; when left, unscales the gradients.

    After an overflow the scale shrinks and the next `step` of each optimizer given
    here is skipped.

        with amp.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()

    Args:
        loss: what `backward` is called on.
        optimizers: one, or a list of all that this backward pass has gradients for.
        loss_id: the loss's number, below `num_losses`; it has a scaler of its own.
        model: not used.
        delay_unscale: leaves the gradients scaled, for another backward pass with the
            same `loss_id` before the step.
        delay_overflow_check: neither skips nor changes the scale.

    Raises:
        RuntimeError: before `initialize`, on another thread than it, or in a process
            forked since; an optimizer that was not initialized, or by an earlier call with
            other properties.
        IndexError: `loss_id` is not below `num_losses`.
        ValueError: there is no optimizer.
        TypeError: the loss is not a tensor.
    """
    properties = _amp_state.opt_properties
    if properties is None:
        raise RuntimeError(_NOT_INITIALIZED)
    if not properties.enabled:
        yield loss
        return
    _check_place()
    if not isinstance(optimizers, (list, tuple)):
        optimizers = [optimizers]
    if not optimizers:
        raise ValueError(
            "amp.scale_loss was given no optimizer: gradients would stay scaled. Pass each that the backward pass has "
            "gradients for."
        )
    if not 0 <= loss_id < len(_amp_state.loss_scalers):
        raise IndexError(
            f"loss_id is {loss_id}, but there are {len(_amp_state.loss_scalers)} loss scalers: pass num_losses="
            f"{max(loss_id, 0) + 1} to amp.initialize"
        )
    if not isinstance(loss, torch.Tensor):
        raise TypeError(
            f"amp.scale_loss: expected the loss as a tensor, but got {type(loss).__name__}; pass what backward() is "
            "called on, not loss.item()"
        )
    scaler = _amp_state.loss_scalers[loss_id]
    if not properties.master_weights and not scaler.dynamic and scaler.loss_scale() == 1.0:
        for optimizer in optimizers:
            amp_optimizers.note_backward(optimizer, properties)
        yield loss.float()
        _clear_casts()
        return

    stashes = [amp_optimizers.get_stash(optimizer) for optimizer in optimizers]
    opened: list[amp_optimizers.Stash] = []
    try:
        with casts_aside():
            for stash in stashes:
                stash.check_call(properties)
            for stash in stashes:
                stash.open(scaler.effective_scale)
                opened.append(stash)
            scaled_loss = loss.float() * scaler.effective_scale
            if scaled_loss.requires_grad:
                scaled_loss.register_hook(functools.partial(_check_open, opened))
        yield scaled_loss
    except BaseException:
        for stash in opened:
            stash.abandon()
        _clear_casts()
        raise

    if delay_unscale:
        for stash in stashes:
            stash.is_open, stash.params_have_scaled_gradients = False, True
    else:
        with casts_aside():
            scaler.clear_overflow_state()
            done: set[int] = set()
            for stash in stashes:
                stash.close(scaler, done)
            is_overflow = not delay_overflow_check and scaler.update_scale()
        if is_overflow:
            message = (
                f"Gradient overflow.  Skipping step, loss scaler {loss_id} reducing loss scale to {scaler.loss_scale()}"
            )
            for stash in stashes:
                if stash.skip_message is None:
                    stash.skip_message = message
    _clear_casts()


def _check_open(stashes: list[amp_optimizers.Stash], _: torch.Tensor) -> None:
    if not all(stash.is_open for stash in stashes):
        raise RuntimeError(
            "scaled_loss.backward() was called outside of its 'with amp.scale_loss(...)', where nothing unscales the "
            "gradients. Call it inside."
        )


@contextmanager
def step_without_casts() -> Iterator[None]:
    """Around an optimizer's step: nothing is cast, and casts of old weights end."""
    _clear_casts()
    with casts_aside():
        yield


def is_skipping(optimizer: Any) -> bool:
    """True between a backward pass that overflowed and the step that is skipped for it.

    For schedulers and counters that go by steps taken. Apex has no such question.
    """
    return amp_optimizers.get_stash(optimizer).skip_message is not None


def _check_place() -> None:
    if _amp_state.process != os.getpid():
        raise RuntimeError(
            "amp.initialize was called before this process was forked. Call it in the process that trains, after the "
            "fork (or start processes with 'spawn')."
        )
    if _amp_state.thread != threading.get_ident():
        raise RuntimeError(
            "amp.initialize was called on another thread, and casts and skipped steps are made on its thread alone. "
            "Call it on the thread that trains."
        )


def _take_grads(optimizer: Any) -> list[torch.Tensor]:
    """The optimizer's gradients; sparse ones are coalesced in place."""
    grads = []
    for parameter in master_params(optimizer):
        if parameter.grad is None:
            continue
        parameter.grad = coalesce(parameter.grad)
        grads.append(parameter.grad)
    return grads


@contextmanager
def _set_aside(optimizer: Any) -> Iterator[None]:
    """Puts present gradients, which are unscaled, aside; adds them to those that are made
    inside, or puts them back where that fails."""
    earlier = {p: p.grad for p in master_params(optimizer) if p.grad is not None}
    for parameter in earlier:
        parameter.grad = None
    try:
        yield
    except BaseException:
        for parameter in master_params(optimizer):
            parameter.grad = earlier.get(parameter)
        raise
    for parameter, grad in earlier.items():
        parameter.grad = grad if parameter.grad is None else add(parameter.grad, grad)


def _end_casts_in_child() -> None:
    """A forked process is a data loader's more often than a trainer's."""
    if _amp_state.handle is not None:
        _amp_state.handle.mode.thread.disabled += 1


os.register_at_fork(after_in_child=_end_casts_in_child)


def _clear_casts() -> None:
    if _amp_state.handle is not None:
        _amp_state.handle._clear_cache()


def casts_aside() -> AbstractContextManager[None]:
    """As `disable_casts`, around functions of ours and of optimizers."""
    handle = _amp_state.handle
    return nullcontext() if handle is None else handle.mode.step_aside()


@contextmanager
def disable_casts() -> Iterator[None]:
    """No function is cast inside. May be nested; ends with an exception as well."""
    handle = _amp_state.handle
    if handle is None:
        yield
        return
    with handle.mode.disable():
        yield


class AmpHandle:
    """Casts that are on, and Apex's older interface to loss scaling."""

    def __init__(
        self,
        half: torch.dtype = torch.float16,
        loss_scale: float | str = "dynamic",
        enable_caching: bool = True,
        verbose: bool = False,
        allow_banned: bool = False,
    ) -> None:
        user_rules = registry.get_rules()
        self.mode = CastMode(half, enable_caching, verbose, allow_banned, user_rules)
        self.verbose = verbose
        self._default_scaler = LossScaler(loss_scale)
        self._is_active = True
        #: Optimizers whose next step is skipped, with their own one.
        self._skipping: dict[torch.optim.Optimizer, Any] = {}
        self._rnn_inputs = widen_rnn_inputs()
        self._replaced = registry.replace_functions(self)
        self.mode.install()

    def is_active(self) -> bool:
        return self._is_active and not self.mode.thread.disabled

    @property
    def has_cache(self) -> bool:
        return self.mode.cache is not None

    @property
    def cache(self):
        return self.mode.cache

    def _clear_cache(self) -> None:
        if self.mode.cache is not None:
            self.mode.cache.clear()

    @contextmanager
    def _disable_casts(self) -> Iterator[None]:
        with self.mode.disable():
            yield

    def _deactivate(self) -> None:
        """Ends the casts, and takes everything back that they needed."""
        if not self._is_active:
            return
        self._is_active = False
        self.mode.end()
        for optimizer in list(self._skipping):
            self._end_skip(optimizer)
        self._rnn_inputs.remove()
        registry.restore_functions(self._replaced)
        self._clear_cache()

    @contextmanager
    def scale_loss(self, loss: torch.Tensor, optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
        """Yields the loss times the scale; when left, unscales the gradients.

        For `amp.init`; `amp.scale_loss` is for `amp.initialize`.
        """
        if not self.is_active():
            yield loss
            return
        scaler = self._default_scaler
        with _set_aside(optimizer):
            yield loss * scaler.effective_scale
            scaler.clear_overflow_state()
            grads = _take_grads(optimizer)
            scaler.unscale(grads, grads)
        if scaler.update_scale() and optimizer not in self._skipping:
            self._skipping[optimizer] = optimizer.step

            def skip(*args: Any, **kwargs: Any) -> None:
                maybe_print("Gradient overflow, skipping update")
                self._end_skip(optimizer)

            optimizer.step = skip
        self._clear_cache()

    def _end_skip(self, optimizer: torch.optim.Optimizer) -> None:
        optimizer.step = self._skipping.pop(optimizer)

    def wrap_optimizer(self, optimizer: torch.optim.Optimizer, num_loss: int = 1) -> OptimWrapper:
        """An optimizer for several losses, each with a scaler of its own."""
        return OptimWrapper(optimizer, self, num_loss)


class NoOpHandle:
    """What `amp.init(enabled=False)` returns: nothing is cast or scaled."""

    verbose = False
    has_cache = False

    def is_active(self) -> bool:
        return False

    @contextmanager
    def _disable_casts(self) -> Iterator[None]:
        yield

    @contextmanager
    def scale_loss(self, loss: torch.Tensor, optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
        yield loss

    def wrap_optimizer(self, optimizer: torch.optim.Optimizer, num_loss: int = 1) -> OptimWrapper:
        return OptimWrapper(optimizer, self, num_loss)

    def _clear_cache(self) -> None:
        pass

    def _deactivate(self) -> None:
        pass


class OptimWrapper:
    """An optimizer whose backward passes, one for each loss, are scaled.

    optimizer = handle.wrap_optimizer(optimizer, num_loss=2)
    for loss in losses:
        with optimizer.scale_loss(loss) as scaled_loss:
            scaled_loss.backward()
    optimizer.step()
    """

    def __init__(self, optimizer: torch.optim.Optimizer, handle: AmpHandle | NoOpHandle, num_loss: int) -> None:
        self._optimizer = optimizer
        self._amp_handle = handle
        self._num_loss = num_loss
        self._loss_idx = 0
        self._skip_next = [False] * num_loss
        self._loss_scaler = [LossScaler("dynamic", name=f"loss_scaler{i}") for i in range(num_loss)]

    def _cur_loss_scaler(self) -> LossScaler:
        if self._loss_idx >= self._num_loss:
            raise RuntimeError(
                f"scale_loss was called {self._loss_idx + 1} times since the last step, but wrap_optimizer was given "
                f"num_loss={self._num_loss}."
            )
        return self._loss_scaler[self._loss_idx]

    @contextmanager
    def scale_loss(self, loss: torch.Tensor) -> Iterator[torch.Tensor]:
        """Yields the next loss times its scale; when left, unscales its gradients."""
        if not self._amp_handle.is_active():
            yield loss
            return
        scaler = self._cur_loss_scaler()
        with _set_aside(self._optimizer):
            yield loss * scaler.effective_scale
            scaler.clear_overflow_state()
            grads = _take_grads(self._optimizer)
            scaler.unscale(grads, grads)
        self._skip_next[self._loss_idx] = scaler.update_scale()
        self._loss_idx += 1

    def step(self, closure: Any = None) -> Any:
        if not self._amp_handle.is_active():
            return self._optimizer.step() if closure is None else self._optimizer.step(closure)
        self._loss_idx = 0
        self._amp_handle._clear_cache()
        if closure is not None:
            raise NotImplementedError("The `closure` argument is unsupported by the amp optimizer wrapper.")
        if any(self._skip_next):
            maybe_print("Gradient overflow, skipping update")
            self._skip_next = [False] * self._num_loss
            return None
        with self._amp_handle._disable_casts():
            return self._optimizer.step()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._optimizer, name)
