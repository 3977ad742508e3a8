# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts of whole models, as O0, O2, O3 and O5 make them.

Parameters and buffers are cast once; hooks cast what goes into the model and what
comes out of it. Hooks, and not another `forward`, so that a copy of the model
(copy.deepcopy, for averaged weights) runs its own weights, and made of functions of this
module, so that it can be pickled.

The state_dict of a cast model is FP32. A half parameter whose FP32 master is known
and in step with it is written as its master, and one that is loaded in FP32 hands
those values on to its master: a checkpoint loses no bits. (Apex writes and loads
the half values.)
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from .values import is_half, map_tensors, to_type

#: Attributes of a half parameter: its FP32 master, and the FP32 values that it was
#: cast or loaded from, until its optimizer takes them.
MASTER, WIDE = "_amp_master", "_amp_wide"

_INITIALIZED = "_amp_initialized"

_PARALLEL_WRAPPERS = (torch.nn.parallel.DistributedDataParallel, torch.nn.parallel.DataParallel)


def check_models(models: list[torch.nn.Module], are_cast: bool) -> None:
    """Refuses models that a parallel wrapper holds already, or that amp prepared, and scripted
    ones, which take no hooks; a scripted part only where the model is cast."""
    for model in models:
        if getattr(model, _INITIALIZED, False):
            raise RuntimeError(
                "A given model should only be passed through amp.initialize once. Make a new one, or pass all "
                "optimizers of this one in one call."
            )
        scripted = model.modules() if are_cast else [model]
        if any(isinstance(module, torch.jit.ScriptModule) for module in scripted):
            raise RuntimeError(
                "Incoming model is scripted or traced by torch.jit, or has a part that is; its functions cannot be cast. "
                "Pass the model as it was before, and script it afterwards."
            )
        if isinstance(model, _PARALLEL_WRAPPERS):
            raise RuntimeError(
                f"Incoming model is an instance of torch.nn.parallel.{type(model).__name__}. Parallel wrappers "
                "should only be applied to the model(s) AFTER \nthe model(s) have been returned from amp.initialize."
            )


def mark_initialized(model: torch.nn.Module) -> None:
    setattr(model, _INITIALIZED, True)


def find_half(models: list[torch.nn.Module]) -> list[str]:
    """What there is to say about each half parameter and buffer of the models."""
    texts = []
    for model in models:
        for kind, values in (("param", model.named_parameters()), ("buffer", model.named_buffers())):
            for name, value in values:
                if is_half(value):
                    expected = "torch.cuda.FloatTensor" if value.is_cuda else "torch.FloatTensor"
                    texts.append(
                        f"Found {kind} {name} with type {value.type()}, expected {expected}.\n"
                        "When using amp.initialize, you do not need to call .half() on your model\n"
                        "before passing it, no matter what optimization level you choose."
                    )
    return texts


def find_kept(models: list[torch.nn.Module], keep_batchnorm: bool) -> set[torch.nn.Parameter]:
    """The parameters that `cast_model` leaves as they are."""
    modules = [module for model in models for module in model.modules()]
    return {p for module in modules if keep_batchnorm and _is_kept(module) for p in module.parameters(recurse=False)}


def _is_kept(module: torch.nn.Module) -> bool:
    return isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.affine


def cast_model(model: torch.nn.Module, dtype: torch.dtype, keep_batchnorm: bool, keep_wide: bool = False) -> None:
    """Casts floating parameters, their gradients and buffers to `dtype` in place.

    Args:
        model: what is cast.
        dtype: the type.
        keep_batchnorm: batch normalisations with weights stay as they are.
        keep_wide: FP32 values stay with parameters that are trained, for masters.
    """
    if keep_wide:
        for parameter in model.parameters():
            if parameter.requires_grad and parameter.dtype == torch.float32:
                setattr(parameter, WIDE, parameter.detach().clone())
    if keep_batchnorm:
        convert_network(model, dtype)
    else:
        for module in model.modules():
            convert_module(module, dtype)
    for parameter in model.parameters():
        if parameter.dtype == torch.float32:
            parameter.__dict__.pop(WIDE, None)


def convert_network(network: torch.nn.Module, dtype: torch.dtype) -> torch.nn.Module:
    """Casts floating parameters, their gradients and buffers in place, but for batch
    normalisations with weights.

    Returns:
        `network`.
    """
    for module in network.modules():
        if not _is_kept(module):
            convert_module(module, dtype)
    return network


def convert_module(module: torch.nn.Module, dtype: torch.dtype) -> None:
    """Casts a module's own floating parameters, their gradients and buffers in place.

    Complex ones stay: there are no half complex numbers to compute with.
    """
    for parameter in module.parameters(recurse=False):
        if parameter.is_floating_point():
            parameter.data = parameter.data.to(dtype)
            if parameter.grad is not None:
                parameter.grad.data = parameter.grad.data.to(dtype)
    for buffer in module.buffers(recurse=False):
        if buffer.is_floating_point():
            buffer.data = buffer.data.to(dtype)
    if isinstance(module, torch.nn.RNNBase):
        module.flatten_parameters()


def cast_inputs(model: torch.nn.Module, dtype: torch.dtype) -> None:
    """Casts floating tensors that the model is called with to `dtype`."""
    model.register_forward_pre_hook(functools.partial(_cast_inputs, dtype), with_kwargs=True)


def _cast_inputs(dtype: torch.dtype, module: torch.nn.Module, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    cast = functools.partial(to_type, dtype)
    return map_tensors(args, cast), map_tensors(kwargs, cast)


def cast_outputs(model: torch.nn.Module, dtype: torch.dtype) -> None:
    """Casts floating tensors that the model returns to `dtype`."""
    # Before the user's hooks, which see what the caller gets.
    model.register_forward_hook(functools.partial(_cast_outputs, dtype), prepend=True)


def _cast_outputs(dtype: torch.dtype, module: torch.nn.Module, args: tuple, output: Any) -> Any:
    return map_tensors(output, functools.partial(to_type, dtype))


def take_wide(parameter: torch.Tensor) -> torch.Tensor | None:
    """The FP32 values that a half parameter came from, if it still has them; once."""
    wide = parameter.__dict__.pop(WIDE, None)
    if wide is None or wide.shape != parameter.shape:
        return None
    return wide if torch.equal(wide.to(parameter.dtype), parameter.detach()) else None


def get_master(parameter: torch.Tensor) -> torch.Tensor | None:
    """The FP32 values behind a half parameter, if they are known and round to it."""
    for name in (WIDE, MASTER):
        wide = getattr(parameter, name, None)
        if wide is not None and wide.shape == parameter.shape:
            if torch.equal(wide.detach().to(parameter.dtype), parameter.detach()):
                return wide
    return None


def _write_state(module: torch.nn.Module, state: dict, prefix: str, metadata: dict) -> None:
    for name, value in [*module._parameters.items(), *module._buffers.items()]:
        entry = state.get(prefix + name)
        if value is None or not isinstance(entry, torch.Tensor) or not is_half(entry):
            continue
        master = get_master(value)
        state[prefix + name] = entry.float() if master is None else master.detach().clone()


def _read_state(module: torch.nn.Module, state: dict, prefix: str, *unused: Any) -> None:
    for name, parameter in module._parameters.items():
        entry = state.get(prefix + name)
        if parameter is None or not hasattr(parameter, MASTER) or not isinstance(entry, torch.Tensor):
            continue
        if entry.is_floating_point() and entry.shape == parameter.shape:
            setattr(parameter, WIDE, entry.detach().to(parameter.device, torch.float32, copy=True))


def save_in_fp32(model: torch.nn.Module) -> None:
    """Makes state_dict FP32, with masters, and load_state_dict hand them on."""
    for module in model.modules():
        module._register_state_dict_hook(_write_state)
        module._register_load_state_dict_pre_hook(_read_state, with_module=True)
