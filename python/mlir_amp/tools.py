# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line tools ``amp-opt`` and ``amp-run``, as the package has them.

They are the project's own tools, with the dialects and passes that programs for a CPU
need: ``amp-opt`` prints a module behind passes, ``amp-run`` trains a step or replays a
recorded run. Each function below is a console script of its name, and
``python -m mlir_amp opt`` and ``run`` where no script is installed.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence

__all__ = ["amp_opt", "amp_run"]


def _run(
    main: Callable[[list[str]], int], name: str, words: Sequence[str] | None
) -> int:
    # A tool finds signals as any program does. Python has handlers of its own, but
    # for an interrupt that was ignored before, as in a shell's background job.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    return main([name, *(sys.argv[1:] if words is None else words)])


def amp_opt(words: Sequence[str] | None = None) -> int:
    """``amp-opt``: runs passes over a module; ``--help`` has its options.

    Args:
        words: what stands behind the name; those of the command line by default.

    Returns:
        The exit code: 0, or 1 where the module was refused. The process belongs to
        the tool: its signals are those of a program, and ``--help`` ends it.
    """
    from mlir_amp import _compiler  # late: it is large

    return _run(_compiler.amp_opt, "amp-opt", words)


def amp_run(words: Sequence[str] | None = None) -> int:
    """``amp-run``: trains a step on this CPU, or replays recorded batches.

    Args:
        words: what stands behind the name; those of the command line by default.

    Returns:
        The exit code: 0, 1 for an error, 128 and a signal's number for a run that
        the signal ended. The process belongs to the tool, as with `amp_opt`.
    """
    from mlir_amp import _compiler  # late: it is large

    return _run(_compiler.amp_run, "amp-run", words)
