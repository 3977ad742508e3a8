# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole training step as one native call.

    step = amp.compile_step(model, loss_fn, optimizer, opt_level="O1")
    for x, y in data:
        loss = step(x, y)

where ``loss_fn(model, x, y)`` gives the loss. Forward and backward pass, loss scaling,
the check for overflows and the optimizer's update are compiled together, for the CPU.
Model and optimizer stay the user's: their tensors are what the step trains, in place.
Where a level casts the model, its tensors are the FP32 masters: the step rounds them where
it begins, and has half copies of its own of what has no master (O3, buffers).
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn
from unittest import mock

import torch
from torch import Tensor, nn

from mlir_amp import compiler, policy
from mlir_amp.errors import NotLowered, StorageWarning
from mlir_amp.torch.amp.casts import widen_positional
from mlir_amp.torch.amp.handle import disable_casts
from mlir_amp.torch.amp.values import is_half
from mlir_amp.torch.backend import RecompileWarning, plain_kernels
from mlir_amp.torch.lowering import hyperparameters, step_capture
from mlir_amp.torch.lowering.draws import Draw
from mlir_amp.torch.lowering.graph_program import DTYPES, ELEMENTS, fits
from mlir_amp.torch.lowering.python_values import PythonValues, list_module

__all__ = ["CompiledStep", "StorageWarning", "UnseenWarning", "compile_step"]


class UnseenWarning(UserWarning):
    """A step's Python code sets what the compiled step leaves as it is."""


# What a level may store in half.
_CAST_ROLES = ("param", "buffer", "opt_state")
# Of `amp-accumulate-gradients`, for which each part is code of its own.
_MOST_MICRO_BATCHES = 1024
_OPTIMIZERS = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"compile_step: {text}")


def _require(holds: bool, text: str) -> None:
    """Not where each tensor of each step is looked at: the text is made in any case."""
    if not holds:
        _refuse(text)


def _find_parameters(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    frozen: Sequence[nn.Module],
) -> dict[str, nn.Parameter]:
    """What the optimizer trains, by name, in its order."""
    others = {parameter for part in frozen for parameter in part.parameters()}
    names = {parameter: name for name, parameter in model.named_parameters()}
    given = [p for group in optimizer.param_groups for p in group["params"]]
    trained = set(given)  # by identity; a list would compare elements
    for parameter in given:
        _require(
            parameter in names,
            f"expected the optimizer to have parameters of the model, but one of shape "
            f"{list(parameter.shape)} is none",
        )
    for parameter, name in names.items():
        _require(
            parameter in trained or parameter in others or not parameter.requires_grad,
            f"expected the optimizer to train '{name}'; give it to the optimizer, name "
            "its part of the model in 'frozen', or freeze it by requires_grad_(False)",
        )
        _require(
            parameter not in trained or parameter not in others,
            f"expected '{name}', which is in 'frozen', not to be the optimizer's",
        )
        _require(
            parameter.dtype == torch.float32 and parameter.device.type == "cpu",
            f"expected '{name}' to be contiguous, of torch.float32 and on the CPU, but "
            f"it is of {parameter.dtype} on '{parameter.device}'",
        )
        _require(
            parameter.is_contiguous(),
            f"expected '{name}' to be contiguous, but it is of shape "
            f"{list(parameter.shape)} with strides {list(parameter.stride())}; give its "
            "model .to(memory_format=torch.contiguous_format)",
        )
    return {names[p]: p for p in given if p.requires_grad}


def _make_states(
    optimizer: torch.optim.Optimizer, parameters: Mapping[str, nn.Parameter]
) -> dict[tuple[str, str], Tensor]:
    """The optimizer's states, made as its first step would where there are none."""
    groups = {p: group for group in optimizer.param_groups for p in group["params"]}
    for parameter in parameters.values():
        group, state = groups[parameter], optimizer.state.get(parameter, {})
        if isinstance(optimizer, torch.optim.SGD):
            if not group["momentum"] or state.get("momentum_buffer") is not None:
                continue
            _require(
                not group["dampening"],
                "expected an SGD with dampening to have taken a step before: its first "
                "one is another",
            )
            optimizer.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)
        elif not state:
            state = optimizer.state[parameter]
            state["step"] = torch.tensor(0.0)
            state["exp_avg"] = torch.zeros_like(parameter)
            state["exp_avg_sq"] = torch.zeros_like(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = torch.zeros_like(parameter)
    return {
        (name, key): value
        for name, parameter in parameters.items()
        for key, value in optimizer.state.get(parameter, {}).items()
        if isinstance(value, Tensor)
    }


def _parameters_with_states(program: compiler.Program) -> set[str]:
    """The names of parameters whose states a program changes."""
    return {
        value.name.rpartition(".")[0]
        for value in program.functions["train_step"].arguments
        if value.role == "opt_state"
    }


@contextlib.contextmanager
def _unvalidated_distributions() -> Iterator[None]:
    """While inside, torch.distributions decide nothing by the values of tensors."""
    distribution = torch.distributions.Distribution
    before = distribution._validate_args
    distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        distribution.set_default_validate_args(before)


def _masks_as_they_are() -> Any:
    """While inside, PyTorch's transformers do not look whether a mask is a causal one,
    for which they have a faster attention: they are given the mask in any case."""

    def says_so(mask: Tensor | None, is_causal: bool | None = None, *_: Any) -> bool:
        return is_causal is True

    return mock.patch.object(
        nn.modules.transformer, "_detect_is_causal_mask", says_so
    )


class CompiledStep:
    """What :func:`compile_step` gives; calling it takes a step."""

    def __init__(
        self,
        model: nn.Module,
        loss_fn: Callable[..., Tensor],
        optimizer: torch.optim.Optimizer,
        passes: str,
        initial_scale: float,
        micro_batches: int = 1,
        clip: Callable[[nn.Module], Any] | None = None,
        frozen: Sequence[nn.Module] = (),
    ) -> None:
        self._model, self._loss_fn, self._optimizer = model, loss_fn, optimizer
        self._micro_batches, self._clip, self._frozen = micro_batches, clip, frozen
        # What the next program's scaler begins with.
        self._scale, self._unskipped = initial_scale, 0
        self._passes = passes
        self._programs: dict[Any, compiler.Program] = {}
        self._program: compiler.Program | None = None
        self._compiled: Any = None  # the key of the latest one
        # What a program gets at random, and what was made of values of Python.
        self._draws: dict[compiler.Program, list[Draw]] = {}
        self._literals: dict[compiler.Program, dict[str, Tensor]] = {}
        # The key of the program that was taken last.
        self._taken: Any = None
        # The names of tensors beside those of model and batch that steps look at.
        self._outside: set[str] = set()
        # Model and optimizer as they were at the last step: what they consist of, and
        # what follows from it.
        self._seen: list[Any] = []
        self._parameters: dict[str, nn.Parameter] = {}
        # Of the model's tensors, by their handles, the names.
        self._own: dict[int, Any] = {}
        self._modules: list[tuple[str, nn.Module]] = []
        self._groups: tuple[Any, ...] = ()
        self._arrays: dict[compiler.Program, _Arrays] = {}
        # The form of Adam that takes tensors divides by the rate. This one moves no
        # parameter above 1e-22, and makes no NaN of a gradient that was always 0.
        self._least_rate = 0.0 if isinstance(optimizer, torch.optim.SGD) else 1e-30
        self._python = PythonValues(model, loss_fn, *([clip] if clip else []))
        self._lock, self._process = threading.Lock(), os.getpid()

    def __call__(self, *batch: Tensor) -> Tensor:
        """Takes one step.

        The first call compiles, and so does the first with another size of batch, of
        another mode (``model.train()``), with another property of the optimizer than
        its rates, decays, momenta and betas, or with another value of Python that the
        model or the loss may read: attributes of modules, globals and closures that are
        numbers or strings, or hold some. Threads take their steps one after another.

        Args:
            batch: What ``loss_fn`` takes after the model: tensors on the CPU.

        Returns:
            The loss of this batch before the update, not scaled; float32 of rank 0.

        Raises:
            NotLowered, CompileError: The step has no form for the compiler. Nothing was
                changed.
            ValueError: The batch, or what became of model and optimizer, is none that a
                step can take.
            RuntimeError: The process was forked since the step was made.
            InvalidArgument, OutOfMemory: As a compiled function's.
        """
        if self._process != os.getpid():
            raise RuntimeError(
                "compile_step: this process was forked since, and a step's threads and locks "
                "stay in the other one; make the step in the process that trains, or start "
                "processes with 'spawn'"
            )
        for value in batch:
            _require(
                isinstance(value, Tensor) and value.device.type == "cpu",
                f"expected a batch of tensors on the CPU, but got {type(value).__name__}",
            )
            _require(
                type(value) in (Tensor, nn.Parameter),
                f"expected a batch of plain tensors, but got a {type(value).__name__}; "
                "give it .as_subclass(torch.Tensor)",
            )
            _require(
                value.dtype in ELEMENTS and value.layout is torch.strided,
                f"expected a batch of dense tensors of {', '.join(map(str, ELEMENTS))}, "
                f"but got one of {value.dtype} with {value.layout}",
            )
        self._require_parts(batch)
        _require(
            not torch.is_autocast_enabled("cpu"),
            "expected no torch.autocast around a step: its level gives the types",
        )
        # A step is what it is also where a caller records no gradients.
        with self._lock, torch.inference_mode(False), torch.enable_grad():
            self._look_at_tensors()
            self._refuse_hooks()
            key = self._read_key(batch)
            if key != self._taken:
                self._take(batch, key)
            loss = self._run(batch)
        # As schedules ask; otherwise they warn that no step came before them.
        self._optimizer._opt_called = True
        return loss

    def __reduce__(self) -> Any:
        raise TypeError(
            "compile_step: a step is neither copied nor pickled; give compile_step the "
            "copies of model and optimizer, and load_state_dict the scale"
        )

    @property
    def scalers(self) -> Mapping[str, compiler.LossScaler]:
        """The loss scalers by name; empty before the first step, and where the level
        has none."""
        return self._program.scalers if self._program else {}

    def state_dict(self) -> dict[str, dict[str, Any]]:
        """The scaler's state for a checkpoint, as ``amp.state_dict`` has it:
        ``{"loss_scaler0": {"loss_scale": 65536.0, "unskipped": 0}}``. Model and optimizer
        have the rest."""
        for scaler in self.scalers.values():
            state = scaler.state
            self._scale, self._unskipped = state.scale, state.unskipped
        return {
            "loss_scaler0": {"loss_scale": self._scale, "unskipped": self._unskipped}
        }

    def load_state_dict(self, state_dict: Mapping[str, Mapping[str, Any]]) -> None:
        """Goes on from what :meth:`state_dict` or ``amp.state_dict`` gave; also before
        the first step.

        Raises:
            ValueError: It is not the state of one loss scaler, or has a scale that is not
                above 0 and finite, or a negative counter.
        """
        _require(
            list(state_dict) == ["loss_scaler0"],
            "expected a state with the entry 'loss_scaler0' alone, but it has "
            f"{list(state_dict)}",
        )
        entry = state_dict["loss_scaler0"]
        _require(
            isinstance(entry, Mapping) and {"loss_scale", "unskipped"} <= entry.keys(),
            "expected the entry 'loss_scaler0' to have 'loss_scale' and 'unskipped', but "
            f"got {entry!r}",
        )
        scale, unskipped = float(entry["loss_scale"]), int(entry["unskipped"])
        _require(
            0 < scale < math.inf and 0 <= unskipped < 2**63,
            "expected a scale above 0 that is finite and a counter from 0 to 2^63 - 1, "
            f"but the state has {scale} and {unskipped}",
        )
        self._scale, self._unskipped = scale, unskipped
        for scaler in self.scalers.values():
            scaler.load(scale, unskipped)

    def _require_parts(self, batch: tuple[Tensor, ...]) -> None:
        """Refuses a batch that is not so many equal parts."""
        rows = {len(value) for value in batch if value.dim()}
        if self._micro_batches > 1 and (
            len(rows) > 1 or any(n % self._micro_batches for n in rows)
        ):
            shapes = ", ".join(str(list(value.shape)) for value in batch)
            _refuse(
                "expected the tensors of a batch to have one number of rows, which "
                f"micro_batches={self._micro_batches} divides, but they are {shapes}; what "
                "each part takes whole is a buffer of the model"
            )

    def _first_part(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The first micro-batch, all of whose like the backward pass is made for."""
        return tuple(
            value[: len(value) // self._micro_batches] if value.dim() else value
            for value in batch
        )

    def _look_at_tensors(self) -> None:
        """Names the tensors of model and optimizer again, unless they are those of the
        step before, which takes no names to tell."""
        seen: list[Any] = []
        list_module(self._model, seen)
        for group in self._optimizer.param_groups:
            seen += (group, *group["params"])  # groups end where others begin
        for state in self._optimizer.state.values():
            seen += state
            seen += state.values()
        if len(seen) == len(self._seen) and all(map(operator.is_, seen, self._seen)):
            return
        self._seen = seen
        self._arrays.clear()
        self._parameters = dict(self._model.named_parameters())
        own = self._parameters | dict(self._model.named_buffers())
        self._own = {id(value): (name,) for name, value in own.items()}
        names = {p: name for name, p in self._parameters.items()}
        self._modules = list(self._model.named_modules())
        self._groups = tuple(
            tuple(names.get(p) for p in group["params"])
            for group in self._optimizer.param_groups
        )

    def _refuse_hooks(self) -> None:
        """Refuses what eager PyTorch would call during a step, and this one does not."""
        for name, parameter in self._parameters.items():
            if parameter._backward_hooks or parameter._post_accumulate_grad_hooks:
                _refuse(
                    f"expected no hooks on '{name}': a compiled step has no gradients "
                    "outside"
                )
        modules = nn.modules.module
        _require(
            not modules._global_forward_hooks
            and {*modules._global_forward_pre_hooks.values()} <= {widen_positional},
            "expected no hooks of all modules (register_module_forward_hook): they would "
            "be called for modules of the capture, too; give the model's modules theirs",
        )
        _require(
            not self._optimizer._optimizer_step_pre_hooks
            and not self._optimizer._optimizer_step_post_hooks,
            "expected no hooks around the optimizer's step: it is compiled",
        )

    def _read_key(self, batch: tuple[Tensor, ...]) -> Any:
        return (
            tuple([(value.shape, value.dtype) for value in batch]),
            tuple([module.training for _, module in self._modules]),
            tuple(
                # Not what schedules add; what they change are arguments.
                [
                    tuple(
                        (k, v)
                        for k, v in hyperparameters.shape_of(group).items()
                        if k in self._optimizer.defaults and k != "lr"
                    )
                    for group in self._optimizer.param_groups
                ]
            ),
            tuple([p.requires_grad for p in self._parameters.values()]),
            self._groups,
            self._python.read(self._modules),
            self._forms_outside(),
        )

    def _forms_outside(self) -> tuple[tuple[Any, ...], ...]:
        """What a program depends on of tensors that are neither the model's nor of the
        batch: as values of Python were read last. Which names are of one tensor is among
        it."""
        if not self._outside:
            return ()
        # The model's own count by their names in the model.
        first = dict(self._own)
        return tuple(
            (
                name,
                value.shape,
                value.dtype,
                value.stride() if value.layout is torch.strided else value.layout,
                value.device,
                value.requires_grad,
                first.setdefault(id(value), name),
            )
            for name, value in self._find_named()
        )

    def _find_named(self) -> list[tuple[str, Tensor]]:
        """The tensors beside those of the batch that steps look at, as values of Python
        were read last; in an order that stays."""
        now = self._python.tensors
        return [(name, now[name]) for name in sorted(self._outside) if name in now]

    def _say_what_is_new(self, batch: tuple[Tensor, ...], key: Any) -> str:
        """The difference to what was compiled last."""
        sizes, modes, properties, trained, groups, python, outside = (
            now != before for now, before in zip(key, self._compiled)
        )
        new = []
        if sizes:
            shapes = ", ".join(f"{list(v.shape)} of {v.dtype}" for v in batch)
            new.append(f"the batch is {shapes}")
        if modes:
            new.append("the model's mode (train, eval) is another")
        if properties:
            names = {
                f"'{k}' is {v}"
                for group, old in zip(key[2], self._compiled[2])
                for k, v in group
                if (k, v) not in old
            }
            said = ", ".join(sorted(names)) or "it has other groups"
            new.append(f"of the optimizer {said}")
        if trained:
            new.append("other parameters have requires_grad")
        if groups:
            new.append("the optimizer's groups have other parameters")
        if python:
            old, now = dict(self._compiled[5]), dict(key[5])
            names = sorted(
                k for k in {*old, *now} if old.get(k, "gone") != now.get(k, "gone")
            )
            said = ", ".join(f"'{k}' is {now.get(k, 'gone')}" for k in names)
            new.append(f"{said} (what changes often is a tensor of the batch)")
        if outside:
            said = [
                f"'{form[0]}' is {list(form[1])} of {form[2]}"
                for form in key[6]
                if form not in self._compiled[6]
            ]
            new.append(", ".join(said) or "a tensor that the loss used is gone")
        return "; ".join(new)

    def _compile(self, batch: tuple[Tensor, ...], key: Any) -> compiler.Program:
        if self._programs:
            warnings.warn(
                "compile_step: compiling once more: "
                + self._say_what_is_new(batch, key),
                RecompileWarning,
                stacklevel=3,
            )
        parameters = _find_parameters(self._model, self._optimizer, self._frozen)
        buffers = {
            name: value
            for name, value in (
                *self._model.named_buffers(),
                *self._model.named_parameters(),
            )
            if name not in parameters
        }
        had = {name for name, p in parameters.items() if self._optimizer.state.get(p)}
        used: set[str] = set()
        try:
            program = self._compile_with_states(batch, parameters, buffers)
            used = _parameters_with_states(program)
        finally:
            # A parameter that the loss does not reach has none, as in eager PyTorch.
            for name, parameter in parameters.items():
                if name not in had and name not in used:
                    self._optimizer.state.pop(parameter, None)
        return program

    def _compile_with_states(
        self,
        batch: tuple[Tensor, ...],
        parameters: dict[str, nn.Parameter],
        buffers: dict[str, Tensor],
    ) -> compiler.Program:
        states = _make_states(self._optimizer, parameters)
        step = step_capture.Step(
            self._model,
            self._loss_fn,
            self._optimizer,
            parameters,
            buffers,
            states,
            self._clip,
            self._find_outside(),
            self._python.arrays,
        )
        text, beside = self._capture(step, self._first_part(batch))
        draws = beside.draws
        if self._micro_batches > 1 and not all(draw.shape for draw in draws):
            raise NotLowered(
                "the model or the loss draws a number without dimensions, which "
                "micro-batches would share; draw it as one row, as torch.rand(1)"
            )
        program = compiler.compile_for_host(
            text,
            self._passes,
            name="step.mlir",
            threads=torch.get_num_threads(),
            in_place=True,
        )
        looked_at = set(map(id, beside.looked_at))
        self._outside |= {
            name
            for name, value in self._python.tensors.items()
            if id(value) in looked_at
        }
        self._draws[program], self._literals[program] = draws, beside.literals
        if not self._programs:
            for said in program.storage_remarks():
                warnings.warn(f"compile_step: {said}", StorageWarning, stacklevel=4)
        return program

    def _capture(
        self, step: step_capture.Step, batch: tuple[Tensor, ...]
    ) -> tuple[str, step_capture.Beside]:
        """`step_capture.capture`, after which modules are as they were."""
        # Autograd records nothing of tensors that were made in inference mode.
        batch = tuple(
            value.clone() if value.is_inference() else value for value in batch
        )
        before = self._python.snapshot()
        set_ones: list[str] = []
        try:
            # Capturing runs the loss; what it draws is not taken from the user.
            with (
                plain_kernels(),
                _unvalidated_distributions(),
                _masks_as_they_are(),
                disable_casts(),  # of `amp.initialize`: the level is the step's own
                torch.random.fork_rng(devices=[]),
            ):
                # What a run of the loss sets is not there for the next one.
                begin = functools.partial(self._python.restore, before)
                captured = step_capture.capture(step, batch, begin)
        except ZeroDivisionError as error:  # in a rule that PyTorch states in Python
            raise NotLowered(
                "the loss divides by a number of elements that is 0 for this batch; leave "
                "out batches without rows"
            ) from error
        except AssertionError as error:  # of PyTorch's, about tensors of an older trace
            if "fake" in str(error):
                set_ones = self._python.restore(before)
                if not set_ones:
                    raise NotLowered(self._say_whose_tensor()) from error
                raise NotLowered(
                    f"the model or the loss reads what it set before, {set_ones}; make it "
                    "a buffer of the model"
                ) from error
            raise
        finally:
            drawn = before.find_drawn()
            set_ones = set_ones or self._python.restore(before)
        if drawn:
            raise NotLowered(
                f"the model or the loss draws from {', '.join(drawn)}, which would be "
                "drawn once for all steps; draw from torch's, or outside, as a part of "
                "the batch"
            )
        if set_ones:
            warnings.warn(
                f"compile_step: the model or the loss sets {', '.join(set_ones)}, "
                "which a compiled step does not, and does not see changed; make it a "
                "buffer of the model",
                UnseenWarning,
                stacklevel=6,
            )
        return captured

    def _find_outside(self) -> dict[str, Tensor]:
        """By name, the tensors that a step can take beside those of model and batch, each
        by the first of its names."""
        found: dict[int, tuple[str, Tensor]] = {}
        for name, value in sorted(self._python.tensors.items()):
            if (
                id(value) not in self._own
                and type(value) in (Tensor, nn.Parameter)
                and value.device.type == "cpu"
                and value.layout is torch.strided
                and value.dtype in ELEMENTS
            ):
                found.setdefault(id(value), (name, value))
        return dict(found.values())

    def _say_whose_tensor(self) -> str:
        """About a tensor that is another constant at each step, perhaps."""
        return (
            "the model, the loss or 'clip' uses a tensor that is neither the model's nor of "
            "the batch, where a step does not see it: by no name, in a backward pass, or in "
            "'clip'; register it as a buffer of the model, or pass it with the batch"
        )

    def _take(self, batch: tuple[Tensor, ...], key: Any) -> None:
        """Makes the program of a key the current one, compiled if there is none; its
        scalers go on where the last ones are."""
        if key not in self._programs:
            program = self._compile(batch, key)
            self._look_at_tensors()  # there are states now
            key = self._read_key(batch)  # without what capturing changed
            self._programs[key] = program
            self._compiled = key
        program, self._taken = self._programs[key], key
        if self._program is program:
            return
        last = self.scalers
        for name, scaler in program.scalers.items():
            if name in last:
                scaler.go_on_from(last[name])
            else:
                scaler.load(self._scale, self._unskipped)
        self._program = program

    def _named_tensors(self) -> dict[tuple[str, str], Tensor]:
        """By role and name, the tensors of model and optimizer."""
        values: dict[tuple[str, str], Tensor] = {}
        for name, parameter in self._parameters.items():
            values["param", name] = values["buffer", name] = parameter
            for key, state in self._optimizer.state.get(parameter, {}).items():
                if state is not None:
                    values["opt_state", f"{name}.{key}"] = state
        function = self._program.functions["train_step"]
        if any(
            value.role == "opt_state" and (value.role, value.name) not in values
            for value in function.arguments
        ):
            # They have gone since: by a state that was loaded, or cleared.
            trained = _find_parameters(self._model, self._optimizer, self._frozen)
            names = _parameters_with_states(self._program)
            trained = {name: p for name, p in trained.items() if name in names}
            states = _make_states(self._optimizer, trained)
            for (name, key), state in states.items():
                values["opt_state", f"{name}.{key}"] = state
        for name, buffer in self._model.named_buffers():
            values["buffer", name] = buffer
        return values

    def _read_outside(self) -> dict[tuple[str, str], Tensor]:
        """By role and name, the tensors beside those of model, optimizer and batch."""
        found = dict(self._literals[self._program])
        found |= self._find_named()
        return {
            (step_capture.OUTSIDE_ROLE, step_capture.OUTSIDE + name): value
            for name, value in found.items()
        }

    def _run(self, batch: tuple[Tensor, ...]) -> Tensor:
        arrays = self._arrays.get(self._program)
        outside = self._read_outside()
        if arrays is None or not arrays.are_current(outside):
            arrays = self._arrays[self._program] = _Arrays(
                self._program.functions["train_step"],
                self._named_tensors(),
                outside,
            )
        given: dict[str, Tensor] = {f"x{i}": value for i, value in enumerate(batch)}
        # Part by part, as eager PyTorch draws them.
        draws = self._draws[self._program]
        parts = [[draw.take() for draw in draws] for _ in range(self._micro_batches)]
        for draw, taken in zip(draws, zip(*parts)):
            given[draw.name] = torch.cat(taken) if taken[1:] else taken[0]
        numbers = {
            f"lr{i}": float(group["lr"]) or self._least_rate
            for i, group in enumerate(self._optimizer.param_groups)
        }
        for number in hyperparameters.find_numbers(self._optimizer.param_groups):
            numbers[number.name] = number.value
        return arrays.run(given, numbers)


class _Arrays:
    """What a program is called with: the memory of tensors that are the same at each
    step, and room for what is not. Calls are all that happens at a step, unless a tensor
    has got other memory, or another form, since.
    """

    def __init__(
        self,
        function: compiler.Function,
        tensors: Mapping[tuple[str, str], Tensor],
        outside: Mapping[tuple[str, str], Tensor],
    ) -> None:
        self._function, self._outside = function, outside
        tensors = {**tensors, **outside}
        self._seed = torch.ones((), dtype=torch.float32)
        # Half copies of FP32 tensors without a master. They are made again for each step: what writes to
        # a tensor's `data`, or to memory that it shares with NumPy, leaves its version as
        # it is.
        self._copies: dict[Tensor, Tensor] = {}
        self._fixed: list[Tensor] = []
        self._in_place: list[Tensor] = []
        self._from_copies: list[tuple[Tensor, Tensor]] = []
        # Where arguments stand that are others at each step.
        self._batch: list[tuple[int, str, compiler.Value]] = []
        self._numbers: list[tuple[int, str]] = []
        self._shifted: list[tuple[int, Tensor]] = []

        self._arguments = [0] * len(function.arguments)
        for index, value in enumerate(function.arguments):
            if value.role == "batch":
                self._batch.append((index, value.name, value))
            elif value.role == "hyper" and not value.name.startswith(
                step_capture.OUTSIDE
            ):
                self._numbers.append((index, value.name))
            elif value.role == "loss_seed":
                self._arguments[index] = self._seed.data_ptr()
            else:
                _, memory = self._find(value, tensors)
                if not memory.is_contiguous() or memory.is_neg():
                    self._shifted.append((index, memory))
                self._arguments[index] = memory.data_ptr()
        self._results = [0] * len(function.results)
        places: dict[int, str] = {}
        for index, value in enumerate(function.results):
            if value.role == "loss":
                self._loss = index
                continue
            tensor, memory = self._find(value, tensors)
            if not tensor.is_contiguous():
                _refuse(f"expected '{value.name}' to be contiguous")
            address = self._results[index] = memory.data_ptr()
            other = places.setdefault(address, value.name)
            if other != value.name and memory.numel():
                _refuse(
                    f"expected '{other}' and '{value.name}' to have memory of their own; "
                    "tie them by assigning the parameter: a.weight = b.weight"
                )
            if memory is tensor:
                self._in_place.append(tensor)
            else:
                self._from_copies.append((tensor, memory))
        self._in_place = list(dict.fromkeys(self._in_place))
        self._written = {t.untyped_storage().data_ptr() for t in self._in_place}
        self._look_at_shared_memory(function, tensors)
        self._distinct = list({id(tensor): tensor for tensor in self._fixed}.values())
        self._forms = self._read_forms()

    def _look_at_shared_memory(
        self,
        function: compiler.Function,
        tensors: Mapping[tuple[str, str], Tensor],
    ) -> None:
        """Tensors that lie where the step writes are copied before each step: what it
        reads of parameters is read before they are updated. A forward pass reads buffers
        before or after it writes to them."""
        buffers = {
            tensors[value.role, value.name].untyped_storage().data_ptr(): value.name
            for value in function.results
            if value.role == "buffer"
        }
        copied = {index for index, _ in self._shifted}
        for index, value in enumerate(function.arguments):
            tensor = self._outside.get((value.role, value.name))
            if tensor is None:
                continue
            memory = tensor.untyped_storage().data_ptr()
            if memory in buffers:
                name = value.name.removeprefix(step_capture.OUTSIDE)
                _refuse(
                    f"expected '{name}' to have memory of its own, but it is that of "
                    f"'{buffers[memory]}', which the forward pass writes; read the "
                    "buffer itself"
                )
            if memory in self._written and index not in copied:
                self._shifted.append((index, tensor))

    def _find(
        self, value: compiler.Value, tensors: Mapping[tuple[str, str], Tensor]
    ) -> tuple[Tensor, Tensor]:
        """The user's tensor, and what the program has for it."""
        tensor = tensors.get((value.role, value.name))
        if not isinstance(tensor, Tensor):
            _refuse(
                "expected the model or the optimizer's state to have "
                f"'{value.name}' as a tensor, but it is {tensor}",
            )
        dtype = DTYPES[value.element]
        is_cast = (
            value.role in _CAST_ROLES
            and tensor.dtype == torch.float32
            and dtype in (torch.float16, torch.bfloat16)
        )
        if tuple(tensor.shape) != value.shape or not (
            fits(tensor.dtype, value.element) or is_cast
        ):
            _refuse(f"'{value.name}' is another tensor than when the step was compiled")
        self._fixed.append(tensor)
        if not is_cast:
            return tensor, tensor
        if tensor not in self._copies:
            self._copies[tensor] = torch.empty(tensor.shape, dtype=dtype)
        return tensor, self._copies[tensor]

    def _read_forms(self) -> list[Any]:
        """All that a tensor can change without becoming another one."""
        return [(t.data_ptr(), t.dtype, t.shape, t.stride()) for t in self._distinct]

    def are_current(self, outside: Mapping[tuple[str, str], Tensor]) -> bool:
        """Whether the tensors have the memory that they had, and those beside model,
        optimizer and batch are the same."""
        return (
            self._forms == self._read_forms()
            and self._outside.keys() == outside.keys()
            and all(map(operator.is_, self._outside.values(), outside.values()))
        )

    def run(self, batch: Mapping[str, Tensor], numbers: Mapping[str, float]) -> Tensor:
        """Takes a step.

        Args:
            batch: What the program has for the batch and for what is drawn, by name.
            numbers: The optimizer's, by name.

        Returns:
            The loss.
        """
        arguments = self._arguments
        held = []  # until the call is over
        for index, name, value in self._batch:
            tensor = batch[name].resolve_neg().contiguous()
            if tensor.untyped_storage().data_ptr() in self._written:
                tensor = tensor.clone()  # the step would change it while it reads it
            if tuple(tensor.shape) != value.shape or not fits(
                tensor.dtype, value.element
            ):
                _refuse(f"'{name}' is another tensor than when the step was compiled")
            held.append(tensor)
            arguments[index] = tensor.data_ptr()
        for index, memory in self._shifted:
            tensor = memory.clone(memory_format=torch.contiguous_format)
            tensor = tensor.resolve_neg()
            held.append(tensor)
            arguments[index] = tensor.data_ptr()
        given = torch.tensor([numbers[n] for _, n in self._numbers], dtype=torch.float64)
        address = given.data_ptr()
        for place, (index, _) in enumerate(self._numbers):
            arguments[index] = address + 8 * place
        loss = torch.empty((), dtype=torch.float32)
        self._results[self._loss] = loss.data_ptr()
        with torch.no_grad():
            if self._copies:
                torch._foreach_copy_([*self._copies.values()], [*self._copies])
            self._function.call_addresses(arguments, self._results)
            torch.autograd.graph.increment_version(self._in_place)
            for tensor, memory in self._from_copies:
                tensor.copy_(memory)
        return loss


def _check_model(model: nn.Module) -> None:
    """Refuses what holds a model, and models that others have prepared."""
    parallel = (nn.DataParallel, nn.parallel.DistributedDataParallel)
    for module in model.modules():
        _require(
            not isinstance(module, parallel),
            f"expected a model that no {type(module).__name__} holds: a step runs on one "
            "CPU; give it model.module",
        )
        _require(
            not isinstance(module, torch._dynamo.OptimizedModule),
            "expected a model that torch.compile was not given: the step compiles it; "
            "give it the model itself",
        )
        _require(
            not isinstance(module, torch.jit.ScriptModule),
            "expected a model of Python code, but a part of it is scripted or traced by "
            "torch.jit",
        )
    is_cast = getattr(model, "_amp_initialized", False)
    _require(
        not (is_cast and any(map(is_half, model.parameters()))),
        "expected a model that amp.initialize was not given: the step's level casts it; "
        "make a new one",
    )
    lazy = [
        name
        for name, p in model.named_parameters()
        if isinstance(p, nn.parameter.UninitializedParameter)
    ]
    _require(
        not lazy,
        f"expected parameters that are made, but {', '.join(map(repr, lazy))} wait for the "
        "first batch (lazy modules); call the model once before",
    )


def compile_step(
    model: nn.Module,
    loss_fn: Callable[..., Tensor],
    optimizer: torch.optim.Optimizer,
    opt_level: str = "O1",
    *,
    micro_batches: int = 1,
    clip: Callable[[nn.Module], Any] | None = None,
    frozen: Sequence[nn.Module] = (),
    **properties: Any,
) -> CompiledStep:
    """Compiles a training step.

    Args:
        model: With FP32 parameters on the CPU. They stay FP32: at O2 and O5 they are the
            master weights, in full from the start (Apex begins with what half has of
            them); at O3 they hold what the step's half parameters are.
        loss_fn: ``loss_fn(model, *batch)`` gives the loss, one float32 number. It is run
            when the step is compiled, perhaps twice, on copies of parameters and
            buffers, and must not decide by their values.
        optimizer: ``torch.optim.SGD``, ``Adam`` or ``AdamW`` over the model's
            parameters. Its learning rates are read at each step.
        opt_level: ``"O0"`` to ``"O5"``.
        micro_batches: Into how many parts of equal rows a batch is divided. Their
            gradients are added, and the optimizer steps once; the loss is the mean of
            theirs, as if each part's were divided by their number. A scaler moves with
            each part. Tensors of the batch without dimensions go to each part.
        clip: ``clip(model)`` changes the gradients of the model's parameters, unscaled,
            before the optimizer takes them: ``lambda model:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)``. It is captured as
            the loss is; its result is not kept.
        frozen: Parts of the model that this step does not train, although their
            parameters have ``requires_grad``: of a GAN the one that another step trains.
            Gradients go through them, to none of their parameters.
        **properties: Apex's, for example ``loss_scale``.

    Returns:
        A callable that takes a batch and returns its loss.

    Raises:
        ValueError: Another optimizer; parts that are no number from 1 to 1024.
        RuntimeError, AssertionError, TypeError: As ``policy.select``.
    """
    _require(
        type(micro_batches) is int and 1 <= micro_batches <= _MOST_MICRO_BATCHES,
        f"expected micro_batches to be a whole number from 1 to {_MOST_MICRO_BATCHES}, "
        f"but got {micro_batches!r}",
    )
    _require(
        clip is None or callable(clip),
        f"expected clip to be a function of the model, but got {type(clip).__name__}",
    )
    frozen = [frozen] if isinstance(frozen, nn.Module) else list(frozen)
    known = set(model.modules())
    _require(
        all(part in known for part in frozen),
        "expected 'frozen' to have parts of the model",
    )
    _check_model(model)
    passes = compiler.mixed_precision(
        opt_level, micro_batches=micro_batches, **properties
    )
    # The model stays FP32: its parameters are the masters.
    passes += ",amp-round-params-in-step"
    _require(
        type(optimizer) in _OPTIMIZERS,
        f"expected torch.optim's SGD, Adam or AdamW, but got {type(optimizer).__name__}",
    )
    scale = policy.select(opt_level, properties).initial_scale
    return CompiledStep(
        model, loss_fn, optimizer, passes, scale, micro_batches, clip, frozen
    )
