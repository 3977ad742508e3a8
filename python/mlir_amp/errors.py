# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of this package.

Refusals by the policy are not among them: they are the built-in exceptions that
NVIDIA Apex raises, with its text (see :func:`mlir_amp.policy.select`).
"""

from __future__ import annotations

__all__ = [
    "AmpError",
    "CompileError",
    "InvalidArgument",
    "InvalidModule",
    "InvalidPipeline",
    "NotLowered",
    "OutOfMemory",
    "RecompileWarning",
    "Refused",
    "RuntimeFault",
    "StorageWarning",
    "Unavailable",
]


class AmpError(Exception):
    """Base of all exceptions of this package's own."""


class RuntimeFault(AmpError):
    """A call of the runtime library failed.

    The message is the library's own: it names the call, the resource and the
    remedy.

    Attributes:
        status: How the library calls the failure, for example
            ``"device error"``.
    """

    def __init__(self, text: str, status: str = "") -> None:
        super().__init__(text, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class InvalidArgument(RuntimeFault, ValueError):
    """An argument breaks the rule that the text states. Nothing was changed."""


class OutOfMemory(RuntimeFault, MemoryError):
    """The device or the process has no memory left for the request."""


class Unavailable(RuntimeFault):
    """Known, but not there: a device without its driver, or a name of none."""


_CLASSES: dict[str, type[RuntimeFault]] = {
    "invalid argument": InvalidArgument,
    "out of memory": OutOfMemory,
    "not found": Unavailable,
    "unavailable": Unavailable,
}


def fault_of(status: str, text: str) -> RuntimeFault:
    """The exception for a status of the runtime library.

    Args:
        status: The status's name, for example ``"invalid argument"``.
        text: The library's text.

    Returns:
        The exception, not raised.
    """
    return _CLASSES.get(status, RuntimeFault)(text, status)


class NotLowered(AmpError):
    """A graph or a step of PyTorch or JAX that has no form for the compiler; the message
    says why."""


class RecompileWarning(UserWarning):
    """A graph or a step is compiled once more; the message says for what."""


class CompileError(AmpError):
    """A module was not compiled.

    The message is the compiler's own: ``name:line:column: error: text`` with the line
    of the source and notes, as ``amp-opt`` prints them.
    """


class InvalidModule(CompileError, ValueError):
    """The module does not parse, or does not verify."""


class InvalidPipeline(CompileError, ValueError):
    """The text of the pipeline is wrong, or names an unknown pass or option."""


class Refused(CompileError):
    """A pass refused the module."""


# By the numbers of AmpCompilerStatus.
_COMPILE_ERRORS: dict[int, type[CompileError]] = {
    2: InvalidModule,
    3: InvalidPipeline,
    4: Refused,
}


def compile_error_of(status: int, diagnostics: str) -> CompileError:
    """The exception for a status of the compiler.

    Args:
        status: An ``AmpCompilerStatus``.
        diagnostics: The compiler's text.

    Returns:
        The exception, not raised.
    """
    return _COMPILE_ERRORS.get(status, CompileError)(diagnostics.rstrip("\n"))


class StorageWarning(UserWarning):
    """A level stores in half what an optimizer adds small numbers to."""
