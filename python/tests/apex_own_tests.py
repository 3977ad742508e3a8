# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Apex's own tests of amp and fp16_utils, unmodified, against mlir_amp.

    apex_own_tests.py APEX [TEST...]

APEX is a checkout of NVIDIA Apex at the parent of cb65b8ed, the last revision that has
apex.amp; its tests/L0/run_amp and run_fp16util are run, and its LARC is loaded for the one that wraps an
optimizer in it. Tensors live on the CPU: devices, type strings and the default tensor
type are mapped to it. Prints a line for each test and counts for each file; exits 1
where a test fails that is not listed here with its reason.
"""

import importlib
import os
import sys
import types
import unittest

import torch

#: Why tests cannot pass: what they are about is a kernel for GPUs.
KERNELS = "calls the kernels amp_C and needs a GPU"
NEEDS_KERNELS = {
    "test_fused_sgd": KERNELS,
    "test_multi_tensor_axpby": KERNELS,
    "test_multi_tensor_l2norm": KERNELS,
    "test_multi_tensor_scale": KERNELS,
    "test_multi_tensor_unscale_l2norm": KERNELS,
    "test_update_scale_hysteresis": KERNELS,
}


def map_devices():
    """Makes "cuda" mean the CPU, in devices and in the names of types."""
    true_type = torch.Tensor.type

    def type_of(self, *arguments, **named):
        if arguments or named:
            return true_type(self, *arguments, **named)
        if getattr(self, "_left_the_device", False):
            return true_type(self)
        # Under a mode torch looks the method up again, and finds this one.
        return true_type(self).replace("torch.cuda.", "torch.").replace("torch.", "torch.cuda.")

    torch.Tensor.type = type_of
    torch.Tensor.cuda = lambda self, *arguments, **named: self
    torch.nn.Module.cuda = lambda self, *arguments, **named: self
    true_to, true_module_to = torch.Tensor.to, torch.nn.Module.to

    def without_device(arguments):
        return tuple(argument for argument in arguments if argument != "cuda")

    def to(self, *arguments, **named):
        kept = without_device(arguments)
        return true_to(self, *kept, **named) if kept or named else self

    def module_to(self, *arguments, **named):
        kept = without_device(arguments)
        return true_module_to(self, *kept, **named) if kept or named else self

    torch.Tensor.to, torch.nn.Module.to = to, module_to
    for name in ("arange", "ones", "randn", "zeros", "full", "tensor"):
        function = getattr(torch, name)

        def make(*arguments, function=function, **named):
            if named.get("device") == "cuda":
                del named["device"]
            return function(*arguments, **named)

        setattr(torch, name, make)
    torch.cuda.FloatTensor, torch.cuda.HalfTensor = torch.FloatTensor, torch.HalfTensor
    torch.cuda.IntTensor = torch.IntTensor


class LeavingTheDevice(torch.overrides.TorchFunctionMode):
    """Remembers what Tensor.cpu returned."""

    def __torch_function__(self, function, types, arguments=(), named=None):
        result = function(*arguments, **(named or {}))
        if function is torch.Tensor.cpu:
            result._left_the_device = True
        return result


def provide_apex(folder):
    """Puts mlir_amp where the tests import apex from."""
    from mlir_amp.torch import amp, fp16_utils

    apex = types.ModuleType("apex")
    apex.amp, apex.fp16_utils = amp, fp16_utils
    sys.modules.update({"apex": apex, "apex.amp": amp, "apex.fp16_utils": fp16_utils})
    parallel = types.ModuleType("apex.parallel")
    parallel.__path__ = [os.path.join(folder, "apex", "parallel")]
    sys.modules["apex.parallel"] = parallel


def main(folder, names):
    folders = [os.path.join(folder, "tests", "L0", name) for name in ("run_amp", "run_fp16util")]
    sys.path[:0] = folders
    map_devices()
    provide_apex(folder)
    failed = False
    for file in sorted(file for tests in folders for file in os.listdir(tests)):
        module_name = file.removesuffix(".py")
        if not file.startswith("test_") or (names and module_name not in names):
            continue
        if module_name in NEEDS_KERNELS:
            print(f"{module_name}: not run: {NEEDS_KERNELS[module_name]}")
            continue
        suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module_name))
        with LeavingTheDevice():
            result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)
        wrong = len(result.failures) + len(result.errors)
        passed = result.testsRun - wrong - len(result.skipped)
        print(f"{module_name}: {passed} passed, {wrong} failed, {len(result.skipped)} skipped", flush=True)
        for test, reason in result.skipped:
            print(f"  skipped {test.id()}: {reason}")
        failed |= wrong != 0
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
