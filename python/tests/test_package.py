# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package itself: what importing it loads, ``python -m mlir_amp``, its types."""

from __future__ import annotations

import doctest
import pathlib
import re
import subprocess
import sys

import mlir_amp
import pytest
from mlir_amp import _compiler, _native, compiler, policy, scaler


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
    assert compiler.version() == (
        f"mlir-amp {mlir_amp.__version__}, LLVM {versions['llvm']}"
    )


def test_import_loads_neither_torch_nor_jax_nor_the_compiler() -> None:
    outcome = run(
        "import sys, mlir_amp, mlir_amp.policy, mlir_amp.scaler\n"
        "large = {'torch', 'jax', 'numpy', 'torch_mlir', 'mlir_amp._compiler'}\n"
        "print(sorted(large & set(sys.modules)))"
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
        "compiler",
        "Python",
        "torch",
        "torch-mlir",
        "jax",
        "jaxlib",
        "optax",
        "flax",
        "numpy",
        "calls from XLA",
        "CPU features",
        "device host",
        "device cuda",
        "device emulator",
    ]
    (host,) = [line for line in lines if line.startswith("device host:")]
    assert re.search(r"\d+ processors, \d+\.\d GiB$", host)


def test_report_goes_on_where_something_fails(tmp_path: pathlib.Path) -> None:
    (tmp_path / "driver").write_text("no library")
    program = (
        "import runpy, builtins, mlir_amp\n"
        "def refuse(*_, **__): raise OSError('no such place')\n"
        "builtins.open = refuse\n"
        "runpy.run_module('mlir_amp', run_name='__main__')\n"
    )
    outcome = run(
        program,
        env={
            "AMP_RT_CUDA_DRIVER": str(tmp_path / "driver"),
            "PYTHONPATH": ":".join(sys.path),
        },
    )
    assert outcome.returncode == 0, outcome.stderr
    assert "CPU features: unknown: OSError: no such place\n" in outcome.stdout
    assert re.search(r"^device cuda: not available: .*driver", outcome.stdout, re.M)


def test_unknown_device_is_a_typed_error() -> None:
    with pytest.raises(mlir_amp.Unavailable, match="device 'abacus'") as caught:
        _native.device("abacus")
    assert caught.value.status in ("not found", "unavailable")


def test_types_travel_with_the_package() -> None:
    folder = pathlib.Path(mlir_amp.__file__).parent
    assert (folder / "py.typed").exists()
    for module, kinds in (
        (_native, [_native.Scaler, _native.Selection]),
        (_compiler, [_compiler.Program]),
    ):
        stub = (folder / f"{module.__name__.rpartition('.')[2]}.pyi").read_text()
        names = [name for name in dir(module) if not name.startswith("_")]
        for name in names:
            assert re.search(rf"^(def|class) {name}\b", stub, re.M), name
        for kind in kinds:
            for name in vars(kind):
                if not name.startswith("_"):
                    assert f"def {name}(" in stub, name


@pytest.mark.parametrize(
    "module", [compiler, policy, scaler], ids=lambda module: module.__name__
)
def test_examples_in_docstrings(module) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted and not outcome.failed


def test_examples_in_the_documentation() -> None:
    page = pathlib.Path(__file__).parents[2] / "docs" / "Python.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted and not outcome.failed


def opt(*words: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlir_amp", "opt", *words]
    return subprocess.run(command, capture_output=True, text=True, **more)


PRODUCT = """
func.func @evaluate(%x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y"}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
"""


def test_opt_prints_what_a_level_makes_of_a_file(tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "product.mlir", tmp_path / "half.mlir"
    source.write_text(PRODUCT)
    outcome = opt(str(source), "--opt-level", "O1", "-o", str(target))
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert "Selected optimization level O1" in outcome.stderr
    assert "ins(%0, %0 : tensor<4x4xf16>, tensor<4x4xf16>)" in target.read_text()


def test_opt_takes_a_pipeline_and_the_standard_input() -> None:
    outcome = opt("-", "--pass-pipeline", "builtin.module(cse)", input=PRODUCT)
    assert outcome.returncode == 0 and outcome.stderr == ""
    assert outcome.stdout == compiler.run(PRODUCT, "builtin.module(cse)")


@pytest.mark.parametrize(
    "words, text, message",
    [
        (["-", "--opt-level", "O9"], PRODUCT, "Unexpected optimization level O9."),
        (["no/file", "--opt-level", "O1"], "", "No such file or directory: 'no/file'"),
        (["-", "--opt-level", "O1"], "func.func", "<stdin>:1:"),
        (["-", "--pass-pipeline", "builtin.module(none)"], PRODUCT, "none"),
    ],
)
def test_opt_refuses_in_words(words: list[str], text: str, message: str) -> None:
    outcome = opt(*words, input=text)
    assert outcome.returncode == 1 and outcome.stdout == ""
    assert message in outcome.stderr and "Traceback" not in outcome.stderr
