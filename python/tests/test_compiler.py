# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler in the package: training steps against the losses and parameters that
PyTorch and JAX gave for them, calls on every kind of memory, and refusals."""

from __future__ import annotations

import array
import os
import pathlib
import re
import threading

import mlir_amp
import numpy as np
import pytest
from mlir_amp import compiler

SAMPLES = pathlib.Path(__file__).parents[2] / "test" / "Inputs" / "samples"

ELEMENTS = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i32": np.int32,
    "i64": np.int64,
}


def host(opt_level: str, **properties: object) -> str:
    passes = compiler.mixed_precision(opt_level, **properties)
    return f"builtin.module({passes},amp-to-host)"


def elementwise(body: str, shape: str = "2x3", element: str = "f32") -> str:
    """Module text of ``@f(x, y) -> z``, with an MLIR body over %x and %y."""
    t = f"tensor<{shape}x{element}>"
    return (
        f'func.func @f(%x: {t} {{amp.role = "batch", amp.name = "x"}},\n'
        f'             %y: {t} {{amp.role = "batch", amp.name = "y"}})\n'
        f'    -> ({t} {{amp.role = "output", amp.name = "z"}}) {{\n'
        f"  {body.replace('T', t)}\n"
        f"  return %z : {t}\n"
        "}\n"
    )


SUBTRACT = elementwise("%z = arith.subf %x, %y : T")


@pytest.fixture(scope="module")
def subtract() -> compiler.Function:
    return compiler.compile(SUBTRACT, "builtin.module(amp-to-host)").functions["f"]


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads: int) -> None:
    text = elementwise(
        "%m = arith.mulf %x, %y : T\n  %z = arith.addf %m, %x : T", "300x500"
    )
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, 300, 500), dtype=np.float32)
    results = []
    for number in (1, threads):
        pipeline = f"builtin.module({compiler.to_host(number)})"
        program = compiler.compile(text, pipeline, threads=number)
        results.append(np.zeros_like(x))
        for _ in range(3):
            program.functions["f"]([x, y], [results[-1]])
    np.testing.assert_array_equal(*results)
    np.testing.assert_allclose(results[0], x * y + x, rtol=1e-6)


@pytest.mark.parametrize("threads", [0, 1025])
def test_threads_are_a_number(threads: int) -> None:
    with pytest.raises(mlir_amp.InvalidArgument, match="from 1 to 1024, but got"):
        compiler.compile(SUBTRACT, "builtin.module(amp-to-host)", threads=threads)


# ----------------------------------------------------------------------------
# Training steps
# ----------------------------------------------------------------------------


class Training:
    """A sample's step with its states, from their start values on."""

    def __init__(self, name: str, opt_level: str, **properties: object) -> None:
        self.program = compiler.compile(
            (SAMPLES / f"{name}.mlir").read_text(), host(opt_level, **properties)
        )
        self.step = self.program.functions["train_step"]
        self.arrays = np.load(SAMPLES / f"{name}.npz")
        self.values: dict[tuple[str, str], np.ndarray] = {}
        for i, value in enumerate(self.step.arguments):
            if value.role in ("batch", "loss_seed"):
                continue
            start = self.arrays[f"arg{i}"].astype(ELEMENTS[value.element])
            self.values[value.role, value.name] = start.copy()

    def run(self, step: int) -> float:
        """One step, states in place; returns the loss."""
        given = dict(self.values)
        for value in self.step.arguments:
            if value.role == "batch":
                given["batch", value.name] = self.arrays[f"step{step}_{value.name}"]
            elif value.role == "loss_seed":
                given["loss_seed", value.name] = np.ones((), np.float32)
        loss = np.zeros((), np.float32)
        taken = {**self.values, ("loss", "loss"): loss}
        self.step(
            [given[value.role, value.name] for value in self.step.arguments],
            [taken[value.role, value.name] for value in self.step.results],
        )
        return float(loss)


@pytest.mark.parametrize("name", ["mlp_digits", "cnn_digits", "jax_cnn_digits"])
def test_o0_gives_the_losses_and_parameters_of_the_framework(name: str) -> None:
    training = Training(name, "O0")
    steps = int(training.arrays["steps"])
    losses = [training.run(step) for step in range(steps)]
    np.testing.assert_allclose(losses, training.arrays["losses"][:steps], atol=1e-5)
    names = [v.name for v in training.step.arguments if v.role == "param"]
    for i, parameter in enumerate(names):
        np.testing.assert_allclose(
            training.values["param", parameter], training.arrays[f"final{i}"], atol=1e-5
        )


def test_levels_give_the_types_and_scalers_that_apex_has() -> None:
    o1 = Training("mlp_digits", "O1")
    assert {v.element for v in o1.step.arguments if v.role == "param"} == {"f32"}
    assert list(o1.program.scalers) == ["loss_scaler0"]
    o3 = Training("mlp_digits", "O3")
    assert {v.element for v in o3.step.arguments if v.role == "param"} == {"f16"}
    assert not o3.program.scalers


def test_an_overflow_halves_the_scale_and_keeps_the_states() -> None:
    training = Training("mlp_digits", "O1")
    (scaler,) = training.program.scalers.values()
    assert scaler.state.scale == 65536.0
    training.run(0)
    before = {key: value.copy() for key, value in training.values.items()}
    scaler.load(2.0**24, 7)
    assert (scaler.state.scale, scaler.state.unskipped) == (2.0**24, 7)
    training.run(1)  # gradients of 2^24 times their size are no f16
    assert scaler.state == (2.0**23, 0, 2, 1, 1)
    for key, value in training.values.items():
        assert np.array_equal(value, before[key]), key


def test_evaluate_stands_beside_the_step() -> None:
    training = Training("mlp_digits", "O0")
    evaluate = training.program.functions["evaluate"]
    assert (evaluate.kind, training.step.kind) == ("evaluate", "train_step")
    (output,) = evaluate.results
    logits = np.zeros(output.shape, np.float32)
    parameters = list(training.values.values())[: len(evaluate.arguments) - 1]
    evaluate([*parameters, training.arrays["step0_x0"]], [logits])
    np.testing.assert_allclose(logits, training.arrays["eval_y0"], atol=1e-5)


# ----------------------------------------------------------------------------
# Memory
# ----------------------------------------------------------------------------


def test_strides_and_addresses_of_any_kind(subtract: compiler.Function) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.full((2, 3), 10, np.float32)
    wide = np.zeros((4, 7), np.float32)
    unaligned = np.frombuffer(bytearray(28), np.float32, 6, 4).reshape(2, 3)
    unaligned[...] = x
    for given in (x, np.asfortranarray(x), x[::-1].copy()[::-1], unaligned):
        for result in (np.zeros((2, 3), np.float32), wide[::2, 1::2], unaligned):
            subtract([given.copy() if result is given else given, y], [result])
            np.testing.assert_array_equal(result, x - y)
            if result is unaligned:
                unaligned[...] = x
    assert not wide[1::2].any() and not wide[:, ::2].any()


def test_a_result_may_be_an_argument(subtract: compiler.Function) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.full((2, 3), 10, np.float32)
    subtract([x, y], [y])
    np.testing.assert_array_equal(y, x - 10)
    # A part of one: the other argument is read to its end all the same.
    both = np.arange(9, dtype=np.float32)
    first, second = both[:6].reshape(2, 3), both[3:].reshape(2, 3)
    expected = first - second
    subtract([first, second], [second])
    np.testing.assert_array_equal(second, expected)


def test_other_libraries_arrays(subtract: compiler.Function) -> None:
    x = array.array("f", range(6))
    view = memoryview(x).cast("B").cast("f", (2, 3))
    result = np.zeros((2, 3), np.float32)
    subtract([view, result], [result])
    assert result.ravel().tolist() == x.tolist()


def test_types_of_elements() -> None:
    for element in ("f16", "f64", "i32", "i64"):
        add = "addi" if element[0] == "i" else "addf"
        text = elementwise(f"%z = arith.{add} %x, %y : T", element=element)
        function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
        x = np.arange(6).reshape(2, 3).astype(ELEMENTS[element])
        z = np.zeros_like(x)
        function([x, x], [z])
        np.testing.assert_array_equal(z, x + x)
    text = elementwise("%z = arith.andi %x, %y : T", element="i1")
    function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
    x, y = np.array([[0, 1, 0], [1, 0, 1]], bool), np.ones((2, 3), bool)
    z = np.zeros((2, 3), bool)
    function([x, y], [z])
    np.testing.assert_array_equal(z, x)


def test_empty_and_rank_0() -> None:
    text = elementwise("%z = arith.addf %x, %y : T", shape="0x3")
    function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
    empty = np.zeros((0, 3), np.float32)
    function([empty, empty], [empty])
    text = elementwise("%z = arith.addf %x, %y : T").replace("2x3x", "")
    function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
    z = np.zeros((), np.float32)
    function([np.float32(2).reshape(()), np.ones((), np.float32)], [z])
    assert z == 3


def test_addresses(subtract: compiler.Function) -> None:
    x = np.arange(6, dtype=np.float32)
    z = np.zeros(6, np.float32)
    subtract.call_addresses([x.ctypes.data, z.ctypes.data], [z.ctypes.data])
    np.testing.assert_array_equal(z, x)
    with pytest.raises(mlir_amp.InvalidArgument, match="address null"):
        subtract.call_addresses([x.ctypes.data, 0], [z.ctypes.data])


def test_calls_of_one_program_from_several_threads() -> None:
    # Large enough that the calls meet.
    text = elementwise("%z = arith.addf %x, %y : T", shape="200x300")
    function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
    failures = []

    def work(seed: int) -> None:
        x = np.full((200, 300), seed, np.float32)
        z = np.zeros_like(x)
        for _ in range(50):
            function([x, x], [z])
            if not (z == 2 * seed).all():
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_child_goes_on_with_its_copy(subtract: compiler.Function) -> None:
    z = np.zeros((2, 3), np.float32)
    child = os.fork()
    if not child:
        subtract([z + 3, z], [z])
        os._exit(0 if (z == 3).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not z.any()


# ----------------------------------------------------------------------------
# Refusals
# ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, results, error, text",
    [
        (1, 1, mlir_amp.InvalidArgument, "expected 2 arguments and 1 results"),
        (2, 0, mlir_amp.InvalidArgument, "expected 2 arguments and 1 results"),
    ],
)
def test_counts(subtract, arguments, results, error, text) -> None:
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(error, match=text):
        subtract([x] * arguments, [x] * results)


def test_shapes_and_types(subtract: compiler.Function) -> None:
    x = np.zeros((2, 3), np.float32)
    z = np.ones((2, 3), np.float32)
    with pytest.raises(
        mlir_amp.InvalidArgument, match=r"'x' \(batch\).*extents \[2,2\]"
    ):
        subtract([x[:, :2], x], [z])
    with pytest.raises(
        mlir_amp.InvalidArgument, match=r"'z' \(output\).*extents \[1,3\]"
    ):
        subtract([x, x], [z[:1]])
    with pytest.raises(TypeError, match=r"'y' \(batch\) .* of rank 2 .* of f32"):
        subtract([x, x.astype(np.float64)], [z])
    with pytest.raises(TypeError, match="rank 2"):
        subtract([x, x[0]], [z])
    assert (z == 1).all()  # nothing was written
    z.flags.writeable = False
    with pytest.raises(TypeError):
        subtract([x, x], [z])


def test_two_results_in_one_memory() -> None:
    t = 'tensor<4xf32> {amp.role = "output", amp.name = '
    text = (
        'func.func @f(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x"})\n'
        f'    -> ({t}"a"}}, {t}"b"}}) {{\n'
        "  %0 = arith.addf %x, %x : tensor<4xf32>\n"
        "  %1 = arith.mulf %x, %x : tensor<4xf32>\n"
        "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n}\n"
    )
    function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
    x, z = np.ones(4, np.float32), np.zeros(64, np.float32)
    z = z[-z.ctypes.data // 4 % 16 :]  # where no copy stands between
    with pytest.raises(mlir_amp.InvalidArgument, match="expected memory of its own"):
        function([x], [z[:4], z[:4]])


def test_an_assertion_of_the_program() -> None:
    text = (
        'func.func @f(%x: tensor<i64> {amp.role = "batch", amp.name = "x"})\n'
        '    -> (tensor<i64> {amp.role = "output", amp.name = "y"}) {\n'
        "  %n = tensor.extract %x[] : tensor<i64>\n"
        "  %c1 = arith.constant 1 : i64\n"
        "  %positive = arith.cmpi sge, %n, %c1 : i64\n"
        '  cf.assert %positive, "n is not positive"\n'
        "  %y = arith.addi %x, %x : tensor<i64>\n"
        "  return %y : tensor<i64>\n}\n"
    )
    function = compiler.compile(text, "builtin.module(amp-to-host)").functions["f"]
    value = np.zeros((), np.int64)
    with pytest.raises(mlir_amp.RuntimeFault, match="n is not positive") as caught:
        function([value], [value])
    assert caught.value.status == "program error"
    value[...] = 4
    function([value], [value])
    assert value == 8


PRODUCT = """func.func @f(%x: tensor<20x40xf32> {amp.role = "batch", amp.name = "x"},
    %y: tensor<40x8xf32> {amp.role = "batch", amp.name = "y"})
    -> (tensor<20x8xf32> {amp.role = "output", amp.name = "z"}) {
  %zero = arith.constant dense<0.0> : tensor<20x8xf32>
  %a = arith.truncf %x : tensor<20x40xf32> to tensor<20x40xbf16>
  %b = arith.truncf %y : tensor<40x8xf32> to tensor<40x8xbf16>
  %z = linalg.matmul ins(%a, %b : tensor<20x40xbf16>, tensor<40x8xbf16>) outs(%zero : tensor<20x8xf32>) -> tensor<20x8xf32>
  return %z : tensor<20x8xf32>
}
"""


@pytest.mark.parametrize("level", [0, 1, 3])
def test_tiles(level: int) -> None:
    random = np.random.default_rng(0)
    x, y = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((20, 40), (40, 8)))

    def check(options: str) -> None:
        passes = f"builtin.module(amp-to-host{{{options}}})"
        z = np.full((20, 8), np.nan, np.float32)
        compiler.compile(PRODUCT, passes, optimization_level=level).functions["f"]([x, y], [z])
        assert np.array_equal(z, x @ y)

    check("bf16=amx expand-tiles")
    if " amx_bf16 " in pathlib.Path("/proc/cpuinfo").read_text():
        check("bf16=amx")
        check("cpu=sapphirerapids")
    else:
        with pytest.raises(mlir_amp.CompileError, match="tiles of AMX, which this CPU has not"):
            check("bf16=amx")
        with pytest.raises(mlir_amp.CompileError, match="tiles of AMX, which this CPU has not"):
            check("cpu=sapphirerapids")


def test_tiles_of_f16() -> None:
    module = PRODUCT.replace("bf16", "f16")
    passes = "builtin.module(amp-to-host{f16=amx%s})"
    random = np.random.default_rng(0)
    x, y = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((20, 40), (40, 8)))
    z = np.full((20, 8), np.nan, np.float32)
    compiler.compile(module, passes % " expand-tiles").functions["f"]([x, y], [z])
    assert np.array_equal(z, x @ y)
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    if " amx_fp16 " not in flags:
        # The tiles come first, where there are none at all.
        reason = "AMX-FP16, which this CPU" if " amx_tile " in flags else "tiles of AMX, which this CPU"
        with pytest.raises(mlir_amp.CompileError, match=reason):
            compiler.compile(module, passes % "")


def test_modules_that_are_none() -> None:
    with pytest.raises(mlir_amp.InvalidModule) as caught:
        compiler.compile(
            "func.func @f( {", "builtin.module(amp-to-host)", name="my.mlir"
        )
    assert str(caught.value).startswith("my.mlir:1:14: error: ")
    with pytest.raises(mlir_amp.InvalidModule, match="op 'abc.d'|abc"):
        compiler.run('func.func @f() { "abc.d"() : () -> () return }')


def test_pipelines_that_are_none() -> None:
    with pytest.raises(mlir_amp.InvalidPipeline, match="amp-to-nowhere"):
        compiler.run(SUBTRACT, "builtin.module(amp-to-nowhere)")
    with pytest.raises(mlir_amp.InvalidPipeline, match="rooted at 'builtin.module'"):
        compiler.run(SUBTRACT, "func.func(canonicalize)")
    with pytest.raises(mlir_amp.CompileError, match="let the pipeline end with it"):
        compiler.compile(SUBTRACT, "builtin.module(canonicalize)")
    with pytest.raises(mlir_amp.CompileError, match="'optimizationLevel' to be 0 to 3"):
        compiler.compile(SUBTRACT, "builtin.module(amp-to-host)", optimization_level=4)


def test_modules_that_a_pass_refuses() -> None:
    without_roles = re.sub(r" \{amp[^}]*\}", "", SUBTRACT)
    with pytest.raises(mlir_amp.Refused, match="'amp.role' attributes, but found none"):
        compiler.compile(without_roles, "builtin.module(amp-to-host)")


def test_levels_and_properties_that_are_none() -> None:
    with pytest.raises(RuntimeError, match="Unexpected optimization level O7"):
        compiler.mixed_precision("O7")
    with pytest.raises((AssertionError, ValueError, RuntimeError, TypeError)):
        compiler.mixed_precision("O2", loss_scale="large")
    assert compiler.mixed_precision("O2", loss_scale=128.0, master_weights=None) == (
        "amp-mixed-precision{opt-level=O2 loss-scale=128.0 verbosity=0}"
    )
    assert compiler.mixed_precision("O1", micro_batches=4) == (
        "amp-mixed-precision{opt-level=O1 verbosity=0 micro-batches=4}"
    )


# ----------------------------------------------------------------------------
# Modules out
# ----------------------------------------------------------------------------


def test_text_and_bytecode_are_the_same_module() -> None:
    text = compiler.run(SUBTRACT)
    assert isinstance(text, str) and "arith.subf" in text
    code = compiler.run(text, output="bytecode")
    assert isinstance(code, bytes) and code.startswith(b"ML\xefR")
    assert compiler.run(code) == text
    assert "loc(" in compiler.run(text, output="text-with-locations")


def test_passes_over_a_step() -> None:
    text = (SAMPLES / "mlp_digits.mlir").read_text()
    mixed = compiler.run(text, f"builtin.module({compiler.mixed_precision('O1')})")
    assert "amp.unscale" in mixed and "xf16>" in mixed
    assert "xf16>" not in compiler.run(
        text, f"builtin.module({compiler.mixed_precision('O0')})"
    )
