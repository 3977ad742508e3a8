# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package itself: what importing it loads, ``python -m mlir_amp``, its types."""

from __future__ import annotations

import doctest
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

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


def tool(*words: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlir_amp", *words]
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


LEVEL = "--amp-mixed-precision=opt-level={} verbosity=0"


def test_opt_prints_what_a_level_makes_of_a_file(tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "product.mlir", tmp_path / "half.mlir"
    source.write_text(PRODUCT)
    outcome = tool("opt", str(source), LEVEL.format("O1"), "-o", str(target))
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")
    assert "ins(%0, %0 : tensor<4x4xf16>, tensor<4x4xf16>)" in target.read_text()


def test_opt_takes_the_standard_input() -> None:
    outcome = tool("opt", "--cse", input=PRODUCT)
    assert outcome.returncode == 0 and outcome.stderr == ""
    assert outcome.stdout == compiler.run(PRODUCT, "builtin.module(cse)") + "\n"


@pytest.mark.parametrize(
    "words, text, message",
    [
        (["-", LEVEL.format("O9")], PRODUCT, "Unexpected optimization level O9."),
        (["no/file", "--cse"], "", "no/file"),
        (["-", "--cse"], "func.func", "<stdin>:1:"),
        (["-", "--no-such-pass"], PRODUCT, "Unknown command line argument"),
    ],
)
def test_opt_refuses_in_words(words: list[str], text: str, message: str) -> None:
    outcome = tool("opt", *words, input=text)
    assert outcome.returncode == 1 and outcome.stdout == ""
    assert message in outcome.stderr and "Traceback" not in outcome.stderr


def test_tools_say_what_they_are() -> None:
    for name in ("opt", "run"):
        version = f"amp-{name} of mlir-amp {mlir_amp.__version__}, LLVM 22."
        assert tool(name, "--version").stdout.startswith(version)
        outcome = tool(name, "--help")
        assert outcome.returncode == 0 and f"amp-{name} [options]" in outcome.stdout
    assert tool("--help").stdout.startswith("usage: python -m mlir_amp ")
    outcome = tool("compile")
    assert outcome.returncode == 2 and outcome.stdout == ""
    assert outcome.stderr.startswith("unknown command 'compile'\nusage: ")


DIGITS = pathlib.Path(__file__).parents[2] / "share" / "digits"


def train(folder: pathlib.Path, *words: str) -> list[str]:
    step, data = DIGITS / "cnn.mlir", DIGITS / "digits_train.npz"
    return ["run", str(step), "--opt-level=O2", "--data", str(data), *words]


def test_run_trains_saves_and_goes_on(tmp_path: pathlib.Path) -> None:
    half, saved = tmp_path / "half.npz", tmp_path / "whole.npz"
    log = tmp_path / "log.jsonl"
    outcome = tool(*train(tmp_path, "--steps=40", "--log", str(log), "--save", str(half)))
    assert outcome.returncode == 0, outcome.stderr
    assert "40 steps, 0 skipped" in outcome.stdout
    losses = [json.loads(line)["loss"] for line in log.read_text().splitlines()[-40:]]
    assert losses[-1] < 0.6 * losses[0]
    outcome = tool(*train(tmp_path, "--steps=5", "--init", str(half), "--save", str(saved)))
    assert outcome.returncode == 0, outcome.stderr
    first = re.search(r"step 0: loss ([0-9.]+)", outcome.stdout)
    assert first and float(first[1]) < 0.7 * losses[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
def test_run_ends_in_good_order_when_it_is_stopped(
    number: signal.Signals, tmp_path: pathlib.Path
) -> None:
    saved, log = tmp_path / "state.npz", tmp_path / "log.jsonl"
    words = train(tmp_path, "--steps=100000000", "--save", str(saved), "--log", str(log))
    command = [sys.executable, "-m", "mlir_amp", *words]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # As at a prompt: who runs the tests may ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while process.poll() is None and not (log.exists() and log.stat().st_size > 4000):
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 128 + number and f"stopped by {number.name}" in said
    assert saved.exists() and "Traceback" not in said


def test_run_refuses_in_words(tmp_path: pathlib.Path) -> None:
    outcome = tool(*train(tmp_path, "--steps=0"))
    assert outcome.returncode == 1
    assert "expected --steps to be at least 1, but got 0" in outcome.stderr
    outcome = tool("run", "no/step.mlir", "--data", "no/data.npz", "--steps=1")
    assert outcome.returncode == 1 and "no/step.mlir" in outcome.stderr


def test_long_cases_have_a_test_that_runs_them() -> None:
    """For each file with some, one without them and one with all."""
    tests = pathlib.Path(__file__).parent
    files = [path for path in tests.glob("test_*.py") if "\nfrom cases import" in path.read_text()]
    assert len(files) > 5
    lit = tests.parents[1] / "test" / "Python"
    for path in files:
        name = path.stem.removeprefix("test_").replace("_", "-")
        short, every = ((lit / f"{name}{end}.test").read_text() for end in ("", "-all"))
        assert f'/{path.name} -m "not long"' in short, name
        assert f"RUN: %pytest/{path.name}" in every and "not long" not in every, name
        assert re.search("^REQUIRES: .*, long$", every, re.M), name
