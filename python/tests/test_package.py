# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package itself: what importing it loads, ``python -m mlir_amp``, its types,
and the company of libraries that carry another LLVM."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

import mlir_amp
from mlir_amp import _native


def run(program: str, **more) -> subprocess.CompletedProcess[str]:
    """Runs a Python program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, **more
    )


def test_versions_agree() -> None:
    versions = _native.versions()
    assert mlir_amp.__version__ == versions["mlir_amp"] == versions["runtime"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", mlir_amp.__version__)
    assert versions["llvm"].startswith("22.")


def test_import_loads_neither_torch_nor_jax() -> None:
    outcome = run(
        "import sys, mlir_amp, mlir_amp.policy, mlir_amp.scaler\n"
        "print(sorted({'torch', 'jax', 'numpy', 'torch_mlir'} & set(sys.modules)))"
    )
    assert (outcome.stdout, outcome.stderr) == ("[]\n", "")


def test_report_has_a_line_for_everything() -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "mlir_amp"], capture_output=True, text=True
    )
    assert outcome.returncode == 0 and outcome.stderr == ""
    lines = outcome.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "mlir_amp",
        "LLVM it was built with",
        "Python",
        "torch",
        "torch-mlir",
        "jax",
        "jaxlib",
        "optax",
        "numpy",
        "CPU features",
        "device host",
        "device cuda",
        "device emulator",
    ]
    assert re.search(r"^device host: .*\d+ processors, \d+\.\d GiB$", outcome.stdout, re.M)


def test_report_goes_on_where_something_fails(tmp_path: pathlib.Path) -> None:
    (tmp_path / "driver").write_text("no library")
    program = (
        "import runpy, builtins, mlir_amp\n"
        "def refuse(*_, **__): raise OSError('no such place')\n"
        "builtins.open = refuse\n"
        "runpy.run_module('mlir_amp', run_name='__main__')\n"
    )
    outcome = run(program, env={"AMP_RT_CUDA_DRIVER": str(tmp_path / "driver"), "PYTHONPATH": ":".join(sys.path)})
    assert outcome.returncode == 0, outcome.stderr
    assert "CPU features: unknown: OSError: no such place\n" in outcome.stdout
    assert re.search(r"^device cuda: not available: .*driver", outcome.stdout, re.M)


def test_unknown_device_is_a_typed_error() -> None:
    with pytest.raises(mlir_amp.Unavailable, match="device 'abacus'") as caught:
        _native.device("abacus")
    assert caught.value.status in ("not found", "unavailable")


USE = """
from mlir_amp import policy, scaler
assert policy.select("O2").model_cast == "float16"
assert scaler.LossScaler().update(True)
try:
    policy.select("O9")
except RuntimeError:
    pass
"""

USE_OTHER = {
    "torch": "import torch; assert (torch.ones(2) + 1).sum() == 4",
    "torch_mlir": """
import torch_mlir.ir as ir
from torch_mlir.dialects import func
with ir.Context():
    assert "func.func" in str(ir.Module.parse("func.func @f() { return }"))
""",
    "jaxlib": """
from jaxlib.mlir import ir
with ir.Context() as context:
    context.allow_unregistered_dialects = True
    assert "a.b" in str(ir.Module.parse('"a.b"() : () -> ()'))
""",
}


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("library", USE_OTHER)
def test_beside_another_llvm(library: str, order: str) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    parts = [USE, USE_OTHER[library]]
    if order == "after":
        parts.reverse()
    outcome = run("\n".join([*parts, *parts, "print('done')"]))
    assert (outcome.stdout, outcome.returncode) == ("done\n", 0), outcome.stderr


def test_types_travel_with_the_package() -> None:
    folder = pathlib.Path(mlir_amp.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_native.pyi").read_text()
    names = [name for name in dir(_native) if not name.startswith("_")]
    for name in names:
        assert re.search(rf"^(def|class) {name}\b", stub, re.M), name
    for kind in (_native.Scaler, _native.Selection):
        for name in vars(kind):
            if not name.startswith("_"):
                assert f"def {name}(" in stub, name
