# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""initialize, init, reset, and the scalers' checkpoints."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch

from mlir_amp import policy

from . import models as amp_models
from . import optimizers as amp_optimizers
from . import registry
from .casts import prepare_model, remove_ended_modes
from .handle import AmpHandle, NoOpHandle, casts_aside, step_without_casts
from .scaling import LossScaler
from .state import _amp_state


def initialize(
    models: Any,
    optimizers: Any = None,
    enabled: bool = True,
    opt_level: str = "O1",
    cast_model_type: torch.dtype | None = None,
    patch_torch_functions: bool | None = None,
    keep_batchnorm_fp32: bool | str | None = None,
    master_weights: bool | None = None,
    loss_scale: float | str | None = None,
    cast_model_outputs: torch.dtype | None = None,
    num_losses: int = 1,
    verbosity: int = 1,
    min_loss_scale: float | None = None,
    max_loss_scale: float = 2.0**24,
    patch_torch_functions_type: torch.dtype | None = None,
) -> Any:
    """Prepares models and optimizers for mixed precision.

    Call it once, after the model is made and on its device, before any parallel
    wrapper. What stands here as None takes the level's own value.

    Args:
        models: a module, or a list of them; FP32. Changed in place.
        optimizers: an optimizer, a list of them, or None. Changed in place.
        enabled: False leaves everything as it is; `scale_loss` then yields the loss.
        opt_level: "O0" FP32; "O1" casts around functions; "O2" a half model with
            FP32 batch normalisation and FP32 masters; "O3" half; "O4" and "O5" are
            O1 and O2 in bfloat16.
        cast_model_type: type that the model is cast to.
        patch_torch_functions: casts around functions.
        keep_batchnorm_fp32: batch normalisation stays FP32 where the model is cast.
        master_weights: optimizers update FP32 masters of half parameters.
        loss_scale: "dynamic", or a factor.
        cast_model_outputs: type of what the model returns.
        num_losses: number of loss scalers; see `loss_id` of `scale_loss`.
        verbosity: 0 prints nothing, 1 the selection and skipped steps, 2 each cast at
            O1 as well.
        min_loss_scale: floor of a dynamic scale.
        max_loss_scale: ceiling of a dynamic scale.
        patch_torch_functions_type: torch.float16 or torch.bfloat16.

    Returns:
        `models`, or `models, optimizers` where those were given; lists where lists
        were given.

    Raises:
        RuntimeError, ValueError, AssertionError, TypeError: in Apex's words, for what
            does not go together, and for models and optimizers that cannot be taken.
    """
    overrides = dict(
        enabled=enabled,
        cast_model_type=cast_model_type,
        patch_torch_functions=patch_torch_functions,
        patch_torch_functions_type=patch_torch_functions_type,
        keep_batchnorm_fp32=keep_batchnorm_fp32,
        master_weights=master_weights,
        loss_scale=loss_scale,
        cast_model_outputs=cast_model_outputs,
        num_losses=num_losses,
        min_loss_scale=min_loss_scale,
        max_loss_scale=max_loss_scale,
        verbosity=verbosity,
        hard_override=_amp_state.hard_override,
    )
    selection = policy.select(opt_level, **overrides)
    properties = selection.properties
    optimizer_list, model_list, warned = [], [], []
    if properties.enabled:
        # All that can be refused, before anything changes.
        optimizer_list = _as_list(optimizers, torch.optim.Optimizer, "optimizers", "optimizer")
        model_list = _as_list(models, torch.nn.Module, "models", "model")
        amp_models.check_models(model_list, are_cast=bool(properties.cast_model_type))
        if not _amp_state.allow_incoming_model_not_fp32:
            warned = amp_models.find_half(model_list)
        if warned and not _amp_state.hard_override:
            raise RuntimeError(warned[0])
        amp_optimizers.check_optimizers(optimizer_list, are_cast=bool(properties.cast_model_type))
        if properties.master_weights and properties.cast_model_type:
            kept = amp_models.find_kept(model_list, bool(properties.keep_batchnorm_fp32))
            amp_optimizers.check_shared(optimizer_list, lambda p: p.dtype == torch.float32 and p not in kept)
    if _amp_state.handle is not None and _amp_state.handle.is_active() and selection.function_cast is None:
        warnings.warn(
            f"amp.initialize at {opt_level} ends the casts around functions of an earlier call: models of that call "
            "run in FP32 from here on. Pass all models and optimizers in one call.",
            stacklevel=2,
        )
    _end_casts()
    _amp_state.clear()
    _amp_state.verbosity = verbosity
    if not properties.enabled:
        _amp_state.opt_properties = properties
        return models if optimizers is None else (models, optimizers)
    if selection.text:
        print(selection.text, end="")
    for text in warned:
        print(f"Warning:  {text}")

    outputs = _get_type(properties.cast_model_outputs)
    model_type = _get_type(properties.cast_model_type)
    # Ranks agree on half weights, which a parallel wrapper broadcasts, and on nothing wider.
    is_alone = not (torch.distributed.is_available() and torch.distributed.is_initialized())
    keep_wide = bool(properties.master_weights) and bool(optimizer_list) and is_alone
    if model_type is not None:
        for model in model_list:
            amp_models.cast_model(model, model_type, bool(properties.keep_batchnorm_fp32), keep_wide=keep_wide)
            amp_models.cast_inputs(model, model_type)
            amp_models.cast_outputs(model, outputs or torch.float32)
            amp_models.save_in_fp32(model)
        if not properties.master_weights:
            for optimizer in optimizer_list:
                optimizer.load_state_dict(optimizer.state_dict())  # state in the parameters' types
    elif outputs is not None:
        for model in model_list:
            amp_models.cast_outputs(model, outputs)

    for model in model_list:
        amp_models.mark_initialized(model)
        if selection.function_cast is not None:
            prepare_model(model)
    for optimizer in optimizer_list:
        amp_optimizers.prepare(optimizer, properties, step_without_casts, casts_aside)
    _amp_state.loss_scalers = [
        LossScaler(
            properties.loss_scale,
            min_loss_scale=properties.min_loss_scale,
            max_loss_scale=properties.max_loss_scale,
            name=f"loss_scaler{i}",
        )
        for i in range(properties.num_losses)
    ]
    if selection.function_cast is not None:
        _amp_state.handle = AmpHandle(
            _get_type(selection.function_cast), loss_scale=properties.loss_scale, verbose=verbosity == 2
        )
    # Last: a model or an optimizer that is refused leaves nothing initialized.
    _amp_state.opt_properties = properties
    result = model_list if isinstance(models, list) else model_list[0]
    if optimizers is None:
        return result
    return result, (optimizer_list if isinstance(optimizers, list) else optimizer_list[0])


def _get_type(name: Any) -> torch.dtype | None:
    return getattr(torch, name) if isinstance(name, str) else None


def _as_list(values: Any, single: type, plural: str, singular: str) -> list:
    if values is None and plural == "optimizers":
        return []
    if isinstance(values, list):
        return list(values)
    if isinstance(values, single):
        return [values]
    if plural == "optimizers":
        amp_optimizers.check_optimizers([values], are_cast=True)
        if hasattr(values, "param_groups") and hasattr(values, "step"):
            return [values]
    raise TypeError(f"{plural} must be either a single {singular} or a list of {plural}.")


def init(
    enabled: bool = True,
    loss_scale: float | str = "dynamic",
    enable_caching: bool = True,
    verbose: bool = False,
    allow_banned: bool = False,
) -> AmpHandle | NoOpHandle:
    """Turns on casts around functions and nothing else: Apex's older interface.

    Args:
        enabled: False returns a handle that does nothing.
        loss_scale: of the handle's `scale_loss`.
        enable_caching: keep casts of parameters until `scale_loss` ends.
        verbose: print each cast.
        allow_banned: run banned functions (binary_cross_entropy) in FP32.
    """
    _end_casts()
    if not enabled:
        return NoOpHandle()
    _amp_state.handle = AmpHandle(torch.float16, loss_scale, enable_caching, verbose, allow_banned)
    return _amp_state.handle


def _end_casts() -> None:
    if _amp_state.handle is not None:
        _amp_state.handle._deactivate()
        _amp_state.handle = None


def reset() -> None:
    """Takes back what `initialize`, `init` and the register functions did to the process.

    Casts end, replaced functions stand where they stood. Models stay as they were
    cast; optimizers that were initialized can no longer be used with `scale_loss`.
    """
    _end_casts()
    remove_ended_modes()
    registry.forget()
    for stash in _amp_state.stashes:
        stash.is_alive = False
    _amp_state.stashes.clear()
    _amp_state.clear()


def state_dict(destination: dict | None = None) -> dict:
    """The scalers' states, for a checkpoint: {'loss_scaler0': {'loss_scale', 'unskipped'}, ...}."""
    if destination is None:
        destination = OrderedDict()
    for i, scaler in enumerate(_amp_state.loss_scalers):
        destination[f"loss_scaler{i}"] = {"loss_scale": scaler.loss_scale(), "unskipped": scaler._unskipped}
    return destination


def load_state_dict(state_dict: dict) -> None:
    """Goes on from a state that `state_dict` gave, entry by entry in its order.

    Raises:
        TypeError: it is no such state.
        RuntimeError: it has keys that are no loss scaler's; the others are loaded.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(
            f"amp.load_state_dict: expected what amp.state_dict() gave, but got {type(state_dict).__name__}; a "
            "checkpoint has it where it was saved: amp.load_state_dict(checkpoint['amp'])"
        )
    scalers = _amp_state.loss_scalers
    unexpected = [key for key in state_dict if "loss_scaler" not in key]
    entries = [entry for key, entry in state_dict.items() if "loss_scaler" in key]
    for entry in entries:  # before anything changes
        if not isinstance(entry, Mapping) or not {"loss_scale", "unskipped"} <= entry.keys():
            raise TypeError(
                "amp.load_state_dict: expected each loss scaler's entry to have 'loss_scale' and 'unskipped', but got "
                f"{entry!r}"
            )
    if len(state_dict) != len(scalers):
        print(f"Warning: state_dict contains {len(state_dict)} entries, while {len(scalers)} loss_scalers are used")
    for i, entry in enumerate(entries):
        if i >= len(scalers):
            print(f"Skipping loss_scaler[{i}], since num_losses was set to {len(scalers)}")
            break
        scalers[i].load(entry["loss_scale"], entry["unskipped"])
    if unexpected:
        names = ", ".join(f'"{key}"' for key in unexpected)
        raise RuntimeError(f"Error(s) in loading state_dict. Unexpected key(s) in state_dict: {names}. ")
