# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that compiled programs leave for Linux's perf: by keyword and environment, of
several programs, of both ways to compile PyTorch, and when they cannot be written."""

from __future__ import annotations

import itertools
import os
import pathlib
import re
import threading
from collections.abc import Iterator

import mlir_amp
import pytest
import torch
from mlir_amp import compiler
from mlir_amp.torch import amp, backend

SAMPLES = pathlib.Path(__file__).parents[2] / "test" / "Inputs" / "samples"
PRODUCT = r"amp_kernel_\d+ product 8x16x32 f32 f32"


@pytest.fixture
def perf_map() -> Iterator[pathlib.Path]:
    """The file of this process, which is not there before and after a test."""
    path = pathlib.Path(f"/tmp/perf-{os.getpid()}.map")
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


def read_names(path: pathlib.Path) -> list[str]:
    """The name of each line. No function lies in another: all programs are held."""
    ranges, names = [], []
    for line in path.read_text().splitlines():
        start, size, name = re.fullmatch(
            r"([0-9a-f]+) ([0-9a-f]+) (\S.*)", line
        ).groups()
        ranges.append((int(start, 16), int(start, 16) + int(size, 16)))
        names.append(name)
    ranges.sort()
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ranges))
    return names


def double(name: str) -> str:
    t = "tensor<64x64xf32>"
    return (
        f'func.func @{name}(%x: {t} {{amp.role = "batch", amp.name = "x"}})\n'
        f'    -> ({t} {{amp.role = "output", amp.name = "z"}}) {{\n'
        f"  %z = arith.addf %x, %x : {t}\n  return %z : {t}\n}}\n"
    )


def compile_double(name: str, **options: object) -> compiler.Program:
    return compiler.compile_for_host(double(name), "canonicalize", **options)


def test_programs_append_their_names(perf_map: pathlib.Path) -> None:
    kept = [compile_double("f", perf_map=True), compile_double("g", perf_map=True)]
    names = read_names(perf_map)
    assert names.index("_mlir_ciface_f") < names.index("_mlir_ciface_g")
    assert names.count("amp_kernel_0 loops 64x64 f32: addf") == len(kept)


def test_kernels_of_a_step_say_what_they_compute(perf_map: pathlib.Path) -> None:
    text = (SAMPLES / "mlp_digits.mlir").read_text()
    program = compiler.compile_for_host(
        text, compiler.mixed_precision("O2"), perf_map=True
    )
    names = read_names(perf_map)
    assert "_mlir_ciface_train_step" in names
    assert any(
        re.fullmatch(r"amp_kernel_\d+ product 32x128x64 f16 f16", n) for n in names
    )
    assert program.functions["train_step"].kind == "train_step"


def test_a_pipeline_of_ones_own_has_symbols(perf_map: pathlib.Path) -> None:
    """Kernels are listed where the pipeline says so."""
    compiler.compile(double("f"), "builtin.module(amp-to-host)", perf_map=True)
    assert "amp_kernel_0" in read_names(perf_map)
    perf_map.unlink()
    pipeline = f"builtin.module({compiler.to_host(perf_map=True)})"
    compiler.compile(double("f"), pipeline, perf_map=True)
    assert "amp_kernel_0 loops 64x64 f32: addf" in read_names(perf_map)


@pytest.mark.parametrize("value", [None, "", "0"])
def test_no_map_unless_asked_for(perf_map, monkeypatch, value) -> None:
    if value is not None:
        monkeypatch.setenv("MLIR_AMP_PERF_MAP", value)
    compile_double("f")
    assert not perf_map.exists()


def test_a_keyword_goes_before_the_environment(perf_map, monkeypatch) -> None:
    monkeypatch.setenv("MLIR_AMP_PERF_MAP", "1")
    compile_double("f", perf_map=False)
    assert not perf_map.exists()
    compile_double("g")
    assert "_mlir_ciface_g" in read_names(perf_map)


def test_threads_that_compile_lose_no_line(perf_map: pathlib.Path) -> None:
    programs = []

    def run(number: int) -> None:
        for i in range(4):
            programs.append(compile_double(f"f{number}_{i}", perf_map=True))

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = {f"_mlir_ciface_f{i}_{j}" for i in range(4) for j in range(4)}
    assert wanted <= {*read_names(perf_map)}


def test_a_child_has_a_map_of_its_own(perf_map: pathlib.Path) -> None:
    kept = compile_double("parent", perf_map=True)
    child = os.fork()
    if not child:
        compile_double("child", perf_map=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    childs = pathlib.Path(f"/tmp/perf-{child}.map")
    assert "_mlir_ciface_child" in read_names(childs)
    childs.unlink()
    assert "_mlir_ciface_child" not in read_names(perf_map)
    assert kept.functions


def test_what_cannot_be_written(perf_map: pathlib.Path) -> None:
    perf_map.mkdir()
    try:
        with pytest.raises(
            mlir_amp.CompileError,
            match=f"cannot write '{perf_map}', where perf looks for names: Is a dir",
        ):
            compile_double("f", perf_map=True)
    finally:
        perf_map.rmdir()


def make_step() -> tuple[torch.nn.Module, torch.optim.Optimizer, torch.Tensor]:
    model = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.ReLU())
    return model, torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(8, 32)


def test_compiled_steps_have_names(perf_map, monkeypatch) -> None:
    monkeypatch.setenv("MLIR_AMP_PERF_MAP", "1")
    model, optimizer, x = make_step()
    step = amp.compile_step(model, lambda model, x: model(x).sum(), optimizer, "O0")
    step(x)
    names = read_names(perf_map)
    assert any(re.fullmatch(PRODUCT, name) for name in names), names


def test_graphs_of_torch_compile_have_names(perf_map, monkeypatch) -> None:
    monkeypatch.setenv("MLIR_AMP_PERF_MAP", "1")
    torch._dynamo.reset()
    model, _, x = make_step()
    run = torch.compile(model, backend=backend.amp, options={"opt_level": "O0"})
    run(x).sum().backward()
    names = read_names(perf_map)
    assert any(re.fullmatch(PRODUCT, name) for name in names), names
