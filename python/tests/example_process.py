# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an example in a process forked from one that has imported PyTorch, which is half
of what a short run takes. That one is started once, computes nothing, and has one thread."""

import multiprocessing
import os
import runpy
import subprocess
import sys
from multiprocessing import forkserver

_CONTEXT = multiprocessing.get_context("forkserver")
_PRELOADED = (
    "numpy",
    "torch",
    "torch._dynamo",
    "torch._functorch.aot_autograd",
    "torch_mlir.extras.fx_importer",
    "mlir_amp.torch.amp",
    "mlir_amp.torch.step",
)


def _run(path, arguments, output, errors):
    for number, name in ((1, output), (2, errors)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="__main__")


def start(path, arguments, folder, environment):
    """A process of the example, whose output goes to files of the folder. The environment
    is that of the first one's start."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        _CONTEXT.set_forkserver_preload([*_PRELOADED])
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(before)
    names = (folder / "stdout", folder / "stderr")
    process = _CONTEXT.Process(target=_run, args=(path, arguments, *names))
    process.start()
    return process


def run(path, arguments, folder, environment, timeout):
    """The same to its end, as subprocess.run gives it."""
    process = start(path, arguments, folder, environment)
    process.join(timeout)
    if process.exitcode is None:
        process.kill()
        raise subprocess.TimeoutExpired([str(path), *arguments], timeout)
    texts = [(folder / name).read_text() for name in ("stdout", "stderr")]
    return subprocess.CompletedProcess([str(path), *arguments], process.exitcode, *texts)
