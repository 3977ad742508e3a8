# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler: MLIR in, MLIR or a program for this CPU out.

The package carries the compiler and LLVM's JIT; neither LLVM nor a C compiler is
needed beside it. Modules are text (or bytecode), whatever program printed them: they
never share an object with another copy of MLIR in the process.

    >>> text = '''
    ... func.func @double(%x: tensor<3xf32> {amp.role = "batch", amp.name = "x"})
    ...     -> (tensor<3xf32> {amp.role = "output", amp.name = "y"}) {
    ...   %0 = arith.addf %x, %x : tensor<3xf32>
    ...   return %0 : tensor<3xf32>
    ... }'''
    >>> program = compile(text, "builtin.module(amp-to-host)")
    >>> program.functions["double"].results
    (Value(role='output', name='y', kind='', element='f32', shape=(3,)),)

Functions run on arrays of the caller, NumPy's for example, or tensors of PyTorch:

    >>> import array
    >>> x = array.array("f", [1, 2, 3])
    >>> program.functions["double"]([x], [x])  # in place
    >>> x.tolist()
    [2.0, 4.0, 6.0]

Which passes a pipeline can name: those of mlir-amp up to the host, and ``canonicalize``,
``cse``, ``inline`` and ``symbol-dce``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from mlir_amp import _compiler, policy
from mlir_amp.errors import InvalidArgument

__all__ = [
    "Function",
    "LossScaler",
    "Program",
    "ScalerState",
    "Value",
    "compile",
    "compile_for_host",
    "mixed_precision",
    "run",
    "run_with_diagnostics",
    "version",
    "wants_perf_map",
    "xla_entry",
]

Format = Literal["text", "text-with-locations", "bytecode"]
_FORMATS: Final = {"text": 0, "text-with-locations": 1, "bytecode": 2}


def version() -> str:
    """The compiler's version and LLVM's: ``"mlir-amp 0.1.0, LLVM 22.1.8"``."""
    return _compiler.version()


def xla_entry() -> Any | None:
    """The entry by which functions that JAX jitted call programs, as
    ``jax.ffi.register_ffi_target`` takes it; None where the package was built without
    the headers of XLA's foreign function interface. ``mlir_amp.jax`` registers it."""
    return _compiler.xla_entry()


def mixed_precision(
    opt_level: str = "O1", *, micro_batches: int = 1, **properties: Any
) -> str:
    """The passes of a level, as a pipeline has them.

    Args:
        opt_level: ``"O0"`` to ``"O5"``.
        micro_batches: Parts that a train step's batch is divided into, whose gradients
            are added: the step takes as many times the rows of its backward pass.
        **properties: Apex's properties, as :func:`mlir_amp.policy.select` takes them;
            None leaves a property at the level's default.

    Returns:
        Text for a pipeline: ``"amp-mixed-precision{opt-level=O1 verbosity=0}"``.

    Raises:
        RuntimeError, AssertionError, TypeError, ValueError: As ``policy.select``.
    """
    given = {name: value for name, value in properties.items() if value is not None}
    policy.select(opt_level, given)  # which has Apex's words for what is wrong
    given.setdefault("verbosity", 0)
    if micro_batches != 1:
        given["micro_batches"] = micro_batches
    options = "".join(
        f" {name.replace('_', '-')}={policy.spell(value)}"
        for name, value in given.items()
    )
    return f"amp-mixed-precision{{opt-level={opt_level}{options}}}"


def _to_bytes(module: str | bytes) -> bytes:
    return module.encode() if isinstance(module, str) else bytes(module)


def run(
    module: str | bytes,
    pipeline: str = "",
    *,
    name: str = "module",
    output: Format = "text",
) -> str | bytes:
    """Runs passes over a module.

    Args:
        module: MLIR text or bytecode.
        pipeline: Passes as ``amp-opt --pass-pipeline`` takes them, rooted at
            ``builtin.module``; empty: the module is only read and verified.
        name: What diagnostics call the module.
        output: Form of the module that comes out.

    Returns:
        The module: ``bytes`` for bytecode, else ``str``.

    Raises:
        InvalidModule: It does not parse, or does not verify.
        InvalidPipeline: Its text is wrong, or names an unknown pass or option.
        Refused: A pass refused the module.
    """
    written, _ = run_with_diagnostics(module, pipeline, name=name, output=output)
    return written


def run_with_diagnostics(
    module: str | bytes,
    pipeline: str = "",
    *,
    name: str = "module",
    output: Format = "text",
) -> tuple[Any, str]:
    """As :func:`run`, with what the passes said.

    Returns:
        The module, and remarks, notes and warnings as text, each at its place.
    """
    written, said = _compiler.run(_to_bytes(module), pipeline, name, _FORMATS[output])
    return written if output == "bytecode" else written.decode(), said


class Value(NamedTuple):
    """An argument or a result of a compiled function.

    Attributes:
        role: What it is for: ``"param"``, ``"batch"``, ``"loss"``, ...; may be empty.
        name: Unique inside a role.
        kind: ``"batch_norm"`` or empty.
        element: Its elements as MLIR spells them: ``"f32"``, ``"bf16"``, ``"i64"``.
        shape: Its extents; -1 where the caller chooses.
    """

    role: str
    name: str
    kind: str
    element: str
    shape: tuple[int, ...]


class Function:
    """A function of a compiled program; calling it runs it.

    Attributes:
        name: Its name in the module.
        kind: ``"train_step"``, ``"evaluate"`` or ``"other"``, by its roles.
        arguments: What a caller gives, in order.
        results: What it gets, in order.
        workspace_bytes: Memory that a call takes besides them, in bytes, as far as it
            is known before.
    """

    def __init__(self, program: _compiler.Program, index: int) -> None:
        description = program.functions[index]
        self._program = program
        self._index = index
        self.name: str = description["name"]
        self.kind: Literal["train_step", "evaluate", "other"] = description["kind"]
        self.arguments = tuple(Value(**value) for value in description["arguments"])
        self.results = tuple(Value(**value) for value in description["results"])
        self.workspace_bytes: int = description["workspace_bytes"]

    def __call__(self, arguments: Sequence[Any], results: Sequence[Any]) -> None:
        """Runs the function.

        Calls of one program wait for each other; those of two run side by side.

        Args:
            arguments: One array for each of ``self.arguments``, with its element type
                and its shape, any strides. Whatever has the buffer protocol or DLPack:
                arrays of NumPy and the standard library, tensors of PyTorch. They are
                only read.
            results: One writable array for each of ``self.results``. It may be the
                memory of an argument.

        Raises:
            TypeError: An array of another element type or rank.
            InvalidArgument: Another number of arrays, or another shape. Nothing was
                written.
            OutOfMemory: There is none for what the function computes in between.
            RuntimeFault: An assertion of the program failed.
        """
        self._program.call(self._index, arguments, results)

    def call_addresses(self, arguments: list[int], results: list[int]) -> None:
        """Runs the function on memory that the caller vouches for: each array
        row-major, of the described type and shape, at the address given. The fast
        way for callers that checked before.

        Raises:
            InvalidArgument, OutOfMemory, RuntimeFault: As above.
        """
        self._program.call_addresses(self._index, arguments, results)

    @property
    def xla_attributes(self) -> dict[str, int]:
        """By what :func:`xla_entry` finds the function: attributes of XLA's call. They
        name it as long as its program is held."""
        return {"program": self._program.xla_number, "function": self._index}

    def __repr__(self) -> str:
        return (
            f"<mlir_amp.compiler.Function {self.name!r}: {len(self.arguments)} "
            f"arguments, {len(self.results)} results>"
        )


class ScalerState(NamedTuple):
    """What a program's loss scaler has counted.

    Attributes:
        scale: The loss scale.
        unskipped: Clean steps since it last changed.
        steps: Steps so far.
        skipped: Of those, how many were skipped.
        overflows: Of those, how many found an infinity or NaN.
    """

    scale: float
    unskipped: int
    steps: int
    skipped: int
    overflows: int


class LossScaler:
    """A loss scaler of a program, which the program reads and updates by itself."""

    def __init__(self, program: _compiler.Program, index: int) -> None:
        self._program = program
        self._index = index

    @property
    def state(self) -> ScalerState:
        """A copy of its state."""
        return ScalerState(**self._program.scaler_state(self._index))

    def load(self, scale: float, unskipped: int) -> None:
        """Sets scale and counter, Apex's entry of a checkpoint.

        Raises:
            InvalidArgument: A scale that is not above 0 and finite, or a negative
                counter.
        """
        self._program.set_scaler_state(self._index, scale, unskipped)

    def go_on_from(self, other: LossScaler) -> None:
        """Takes over all that another scaler has counted, of another program
        perhaps: what a new program of the same training begins with."""
        self._program.copy_scaler_state(self._index, other._program, other._index)


class Program:
    """A compiled module.

    Attributes:
        functions: Its functions by name.
        scalers: Its loss scalers by name, in the order of declaration.
        diagnostics: Warnings and remarks of the compiler; may be empty.
    """

    functions: Mapping[str, Function]
    scalers: Mapping[str, LossScaler]
    diagnostics: str

    def __init__(self, program: _compiler.Program) -> None:
        functions = [Function(program, i) for i in range(len(program.functions))]
        self.functions = {function.name: function for function in functions}
        self.scalers = {
            name: LossScaler(program, i) for i, name in enumerate(program.scalers)
        }
        self.diagnostics = program.diagnostics

    def storage_remarks(self) -> list[str]:
        """What the compiler says of states that are stored in half: ``"stores in f16
        ..."``, without places."""
        return re.findall(r"remark: (stores in .*)", self.diagnostics)


def wants_perf_map() -> bool:
    """Whether the environment asks for names for Linux's perf: ``MLIR_AMP_PERF_MAP``
    is set, and is neither empty nor ``0``."""
    return os.environ.get("MLIR_AMP_PERF_MAP", "") not in ("", "0")


def to_host(
    threads: int = 1, *, perf_map: bool = False, in_place: bool = False
) -> str:
    """The last pass of a pipeline, for the CPU of this process.

    Args:
        threads: How many threads its loops are divided among. Results do not depend
            on it.
        perf_map: Whether the program lists what its kernels compute, for the names that
            :func:`compile` writes. Code and results do not depend on it.
        in_place: Whether calls give updated states the memory of the old ones. Others
            are right, too, and copy each state once more. Results do not depend on it.

    Returns:
        Text such as ``"amp-to-host{cpu=native blas=off threads=2}"``. No product
        goes to a BLAS library, so results do not depend on what is installed.
    """
    more = " describe-kernels" * perf_map + " update-in-place" * in_place
    return f"amp-to-host{{cpu=native blas=off threads={threads}{more}}}"


def compile_for_host(
    module: str | bytes,
    passes: str,
    *,
    name: str = "module",
    threads: int = 1,
    perf_map: bool | None = None,
    in_place: bool = False,
) -> Program:
    """Compiles a module for this CPU and so many threads.

    Args:
        module: As for :func:`compile`.
        passes: Those before the last one: what :func:`mixed_precision` gives.
        name: What diagnostics call the module.
        threads: How many threads loops are divided among, and calls may use.
        perf_map: As for :func:`compile`; kernels say what they compute.
        in_place: As for :func:`to_host`.

    Returns:
        The program.

    Raises:
        As :func:`compile`.
    """
    perf_map = wants_perf_map() if perf_map is None else perf_map
    last = to_host(threads, perf_map=perf_map, in_place=in_place)
    pipeline = f"builtin.module({passes},{last})"
    return compile(module, pipeline, name=name, threads=threads, perf_map=perf_map)


def compile(
    module: str | bytes,
    pipeline: str,
    *,
    name: str = "module",
    optimization_level: int = 3,
    threads: int = 1,
    perf_map: bool | None = None,
) -> Program:
    """Compiles a module for this CPU. Other threads of Python go on meanwhile.

    Args:
        module: MLIR text or bytecode. Functions that are to be called have roles on
            their arguments or results.
        pipeline: Passes that end in ``amp-to-host``:
            ``f"builtin.module({mixed_precision('O2')},{to_host()})"``.
        name: What diagnostics call the module.
        optimization_level: LLVM's, 0 to 3.
        threads: How many threads calls may use, the caller's among them; as many as
            :func:`to_host` was told. Programs of one number share their threads, which
            sleep between calls.
        perf_map: Whether names of the program's functions are added to
            ``/tmp/perf-PID.map``, where Linux's perf looks for them. None: what
            :func:`wants_perf_map` says.

    Returns:
        The program.

    Raises:
        InvalidModule, InvalidPipeline, Refused: As :func:`run`.
        CompileError: What the pipeline left is no code for this CPU, or the names
            cannot be written.
        InvalidArgument: A number of threads below 1 or above 1024.
    """
    if not 1 <= threads <= 1024:
        raise InvalidArgument(
            f"compile: expected 'threads' to be from 1 to 1024, but got {threads}"
        )
    return Program(
        _compiler.Program(
            _to_bytes(module),
            pipeline,
            name,
            optimization_level,
            threads,
            wants_perf_map() if perf_map is None else perf_map,
        )
    )
