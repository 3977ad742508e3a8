# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package with NumPy, PyTorch, torch-mlir and jaxlib, each where it is
installed: their values as properties, and their copies of LLVM in the same
process, loaded before ours and after."""

from __future__ import annotations

import subprocess
import sys

import pytest
from mlir_amp import policy


def test_values_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    for scale in (numpy.float32(128), numpy.float64(128), numpy.int64(128)):
        assert policy.select("O2", loss_scale=scale).initial_scale == 128.0


def test_values_of_torch() -> None:
    torch = pytest.importorskip("torch")
    selection = policy.select(
        "O2", cast_model_type=torch.bfloat16, loss_scale=torch.tensor(128.0)
    )
    assert selection.model_cast == "bfloat16"
    assert selection.initial_scale == 128.0
    scale = torch.tensor(128)
    assert policy.select("O2", loss_scale=scale).initial_scale == 128.0


USE = """
import array
from mlir_amp import compiler, policy, scaler
text = '''func.func @f(%x: tensor<2xf32> {amp.role = "batch", amp.name = "x"})
    -> (tensor<2xf32> {amp.role = "output", amp.name = "y"}) {
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}'''
x = array.array("f", [1, 2])
compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]([x], [x])
assert x.tolist() == [2, 4]
try:
    compiler.run(text, "builtin.module(amp-to-nowhere)")
except ValueError:
    pass
else:
    raise AssertionError("an unknown pass was taken")
assert policy.select("O2").model_cast == "float16"
assert scaler.LossScaler().update(True)
try:
    policy.select("O9")
except RuntimeError:
    pass
else:
    raise AssertionError("an unknown level was taken")
"""

TORCH = "import torch; assert (torch.ones(2) + 1).sum() == 4"

TORCH_MLIR = """
import torch_mlir.ir as ir
from torch_mlir.dialects import func
with ir.Context():
    assert "func.func" in str(ir.Module.parse("func.func @f() { return }"))
"""

JAXLIB = """
from jaxlib.mlir import ir
with ir.Context() as context:
    context.allow_unregistered_dialects = True
    assert "a.b" in str(ir.Module.parse('"a.b"() : () -> ()'))
try:
    import jax  # with its own JIT
    assert jax.jit(lambda x: x + 1)(1.0) == 2.0
except ModuleNotFoundError:
    pass
"""


def use_beside(library: str, use: str, order: str) -> None:
    """Uses us and the other library in turn, twice, in a new process."""
    pytest.importorskip(library)
    parts = [use, USE] if order == "before" else [USE, use]
    outcome = subprocess.run(
        [sys.executable, "-c", "\n".join([*parts, *parts, "print('done')"])],
        capture_output=True,
        text=True,
    )
    assert (outcome.stdout, outcome.returncode) == ("done\n", 0), outcome.stderr


ORDERS = pytest.mark.parametrize("order", ["before", "after"])


@ORDERS
def test_beside_torch(order: str) -> None:
    use_beside("torch", TORCH, order)


@ORDERS
def test_beside_torch_mlir(order: str) -> None:
    use_beside("torch_mlir", TORCH_MLIR, order)


@ORDERS
def test_beside_jaxlib(order: str) -> None:
    use_beside("jaxlib", JAXLIB, order)
