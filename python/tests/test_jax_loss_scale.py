# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Policies and loss scales of JAX: every recorded run of Apex's scaler and random histories,
value by value against the library; loops under jit; casts; refusals."""

import dataclasses
import doctest
import random
import re

import jax
import jax.numpy as jnp
import numpy
import oracles
import pytest
from mlir_amp import AmpError, InvalidArgument, policy
from mlir_amp.jax import LossScaleState, Policy, all_finite, loss_scale, select
from mlir_amp.jax import policy as policy_module
from mlir_amp.scaler import LossScaler

RUNS = oracles.read_object("scaler_apex_simple.json")

# As in test_scaler.py: where the library differs from Apex on purpose.
DIFFERING = {"apex-s-122", "apex-s-125"}


def numbers_of(run):
    config = run["config"]
    return {
        "loss_scale": config.get("loss_scale", "dynamic"),
        "scale_window": config.get("scale_window", 2000),
        "min_loss_scale": config.get("min_loss_scale"),
        "max_loss_scale": config.get("max_loss_scale", 2.0**24),
    }


def make(loss_scale, **numbers):
    return LossScaleState.dynamic(**numbers) if loss_scale == "dynamic" else LossScaleState.static(loss_scale)


@jax.jit
def take(state, grads_finite):
    return state.update(grads_finite), state.takes_step(grads_finite)


def compare(state, library):
    assert state.loss_scale == numpy.float32(library.program_scale)
    expected = library.state
    for name in ("unskipped", "steps", "skipped", "overflows"):
        assert getattr(state, name) == expected[name], name


@pytest.mark.parametrize("run", RUNS["traces"], ids=lambda run: run["id"])
def test_recorded_runs(run):
    numbers = numbers_of(run)
    state, library = make(**numbers), LossScaler(**numbers)
    if "load" in run["config"]:
        state = state.load_state_dict(run["config"]["load"][0])
        library.load_state_dict(run["config"]["load"][0])
    # As in test_scaler.py: Apex never asks a scaler with a fixed scale of 1.
    bypassed = run["config"]["opt_level"] != "O2" and run["config"].get("loss_scale") == 1.0
    for overflow, scale, unskipped, skip in run["steps"]:
        if scale < 2.0**-126:
            assert run["id"] == "apex-s-125"
            break  # test_scale_is_held_at_the_bottom
        if not bypassed:
            state, takes = take(state, not overflow)
            assert library.update(bool(overflow)) == (not takes)
        compare(state, library)
        if run["id"] not in DIFFERING:
            assert [float(state.loss_scale), int(state.unskipped)] == [scale, unskipped]
            assert bypassed or bool(takes) == (not skip)


def test_default_window_over_7000_steps():
    (run,) = RUNS["long"]
    overflows = set(run["overflow_steps"])
    finite = jnp.asarray([i not in overflows for i in range(run["n_steps"])])

    @jax.jit
    def go(state):
        def body(state, finite):
            state = state.update(finite)
            return state, (state.loss_scale, state.unskipped)

        return jax.lax.scan(body, state, finite)

    _, (scales, counts) = go(make(**numbers_of(run)))
    rows = run["steps_where_something_changed"]
    assert len(rows) > 5
    for step, _, scale, unskipped, _ in rows:
        assert [float(scales[step]), int(counts[step])] == [scale, unskipped], step


@pytest.mark.parametrize("seed", range(40))
def test_random_histories(seed):
    chosen = random.Random(seed)
    factor = chosen.choice([2.0, 2.0, 4.0, 16.0])
    numbers = {
        "loss_scale": chosen.choice(["dynamic"] * 4 + [3.0]),
        "init_scale": chosen.choice([2.0**16, 1.0, 1000.0, 0.1]),
        "scale_factor": factor,
        "backoff_factor": chosen.choice([None, 0.5, 0.125]),
        "scale_window": chosen.choice([1, 2, 5, 9]),
        # Not numbers of float32 all of them.
        "min_loss_scale": chosen.choice([None, 1.0, 0.3, 77.7, 1e5]),
        "max_loss_scale": chosen.choice([2.0**24, 1e6, 12345.678, 1e30]),
    }
    if numbers["loss_scale"] != "dynamic":
        numbers = {"loss_scale": numbers["loss_scale"]}
    state, library = make(**numbers), LossScaler(**numbers)
    often = chosen.choice([0.05, 0.3, 0.6])
    for _ in range(200):
        overflow = chosen.random() < often
        state, takes = take(state, not overflow)
        assert library.update(overflow) == (not takes)
        if not 2.0**-126 <= library.scale <= 2.0**126:
            break
        compare(state, library)


def test_scale_is_held_at_the_bottom_and_the_top():
    state = LossScaleState.dynamic(init_scale=2.0**-125)
    for _ in range(3):
        state, _ = take(state, False)
    assert state.loss_scale == 2.0**-126
    assert state.unscale(jnp.float32(2.0**-126)) == 1.0
    state = LossScaleState.dynamic(init_scale=2.0**125, scale_window=1, max_loss_scale=float("inf"))
    for _ in range(3):
        state, _ = take(state, True)
    assert state.loss_scale == 2.0**126
    assert state.unscale(state.scale(jnp.float32(1.5))) == 1.5


def test_defaults_are_the_librarys():
    state, config = LossScaleState.dynamic(), LossScaler().config
    assert state.loss_scale == config["initial_scale"] == 65536.0
    for field in dataclasses.fields(state.rules):
        assert getattr(state.rules, field.name) == config[field.name]


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "O4", "O5"])
@pytest.mark.parametrize("properties", [{}, {"loss_scale": 128.0}, {"loss_scale": "dynamic", "min_loss_scale": 4.0}])
def test_levels_begin_with_their_scale(level, properties):
    state, selected = LossScaleState.for_level(level, **properties), policy.select(level, properties)
    assert state.loss_scale == selected.initial_scale
    assert state.rules.dynamic == (selected.properties.loss_scale == "dynamic")
    if state.rules.dynamic:
        assert state.rules.min_scale == (properties.get("min_loss_scale") or 0.0)


def test_checkpoints_and_health():
    state = LossScaleState.dynamic(min_loss_scale=32768.0)
    for finite in (True, False, False):
        state = state.update(finite)
    entry = state.state_dict()
    assert entry == {"loss_scale": 32768.0, "unskipped": 0}
    again = LossScaleState.dynamic().load_state_dict({"loss_scale": 4096.0, "unskipped": 7})
    assert [float(again.loss_scale), int(again.unskipped)] == [4096.0, 7]
    assert state.to_scaler().state_dict() == entry
    assert state.to_scaler().config["min_scale"] == 32768.0
    assert "scaler 'main'" in state.to_scaler("main").health().text
    static = LossScaleState.static(128.0).to_scaler()
    assert not static.dynamic and static.scale == 128.0


def test_a_loop_by_hand_skips_and_learns():
    policy = Policy.parse("params=float32,compute=float16,output=float32")
    x = jax.random.normal(jax.random.key(0), (64, 8))
    y = x @ jnp.arange(8.0)[:, None]

    @jax.jit
    def step(params, scale):
        def scaled_loss(params):
            given = policy.cast_to_compute((params, x))
            guess = policy.cast_to_output(given[1] @ given[0]["w"])
            return scale.scale(jnp.mean((guess - y) ** 2))

        loss, grads = jax.value_and_grad(scaled_loss)(params)
        grads = scale.unscale(grads)
        finite = all_finite(grads)
        new = jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)
        params = select(scale.takes_step(finite), new, params)
        return params, scale.update(finite), loss / scale.loss_scale, finite

    params, scale = {"w": jnp.zeros((8, 1))}, LossScaleState.dynamic(init_scale=2.0**20)
    losses, traces = [], step._cache_size()
    for _ in range(40):
        before = params
        params, scale, loss, finite = step(params, scale)
        if not finite:
            assert jnp.array_equal(params["w"], before["w"])
        losses.append(float(loss))
    assert scale.skipped > 0 and scale.loss_scale < 2.0**20 and scale.steps == 40
    assert losses[-1] < 1e-2 * losses[0]
    assert step._cache_size() == traces + 1  # rules are no arrays, and never change


def test_unscaled_halves_are_float32():
    state = LossScaleState.static(2.0**16)
    tiny = {"w": jnp.float16(2.0**-14), "n": jnp.int32(3)}
    out = state.unscale(tiny)
    assert out["w"].dtype == jnp.float32 and out["w"] == 2.0**-30
    assert out["n"] == 3 and out["n"].dtype == jnp.int32
    scaled = state.scale(jnp.float16(2.0))
    assert scaled.dtype == jnp.float32 and scaled == 2.0**17  # infinity in half
    wide = state.unscale(jnp.float32(2.0**16))
    assert wide == 1.0 and wide.dtype == jnp.float32


def test_all_finite_of_complex_numbers():
    assert all_finite({"a": jnp.asarray([1 + 2j, 0])})
    for bad in (complex(numpy.inf, 0), complex(0, numpy.nan)):
        assert not all_finite({"a": jnp.asarray([1 + 2j, bad])})


def test_truth_values_with_dimensions_are_refused():
    with pytest.raises(InvalidArgument, match=r"one truth value of all gradients, but got \[2\]"):
        LossScaleState.dynamic().update(jnp.asarray([True, True]))


def test_all_finite():
    tree = {"a": jnp.ones(3), "b": [jnp.arange(2), jnp.zeros((0,))]}
    assert all_finite(tree) and all_finite({}) and all_finite(jnp.arange(3))
    for bad in (jnp.inf, -jnp.inf, jnp.nan):
        assert not all_finite({**tree, "c": jnp.asarray([1.0, bad])})
        assert not all_finite(jnp.asarray(bad, jnp.float16))
    assert all_finite(jnp.float32(3e38))


def test_policies_are_read_as_they_are_written():
    text = "params=float32,compute=float16,output=float32"
    assert str(Policy.parse(text)) == text
    for text, types in {
        "float16": ("float16",) * 3,
        "half": ("float16",) * 3,
        "p=f32,c=bf16": ("float32", "bfloat16", "bfloat16"),
        "compute=half": ("float32", "float16", "float16"),
        "p=half, o=full": ("float16", "float16", "float32"),
    }.items():
        parsed = Policy.parse(text)
        assert (parsed.param_dtype, parsed.compute_dtype, parsed.output_dtype) == types
        assert Policy.parse(str(parsed)) == parsed
    assert Policy(jnp.float32, jnp.bfloat16, "f32") == Policy.parse("c=bf16,o=f32")


def test_policies_of_levels():
    assert str(Policy.for_level("O0")) == "params=float32,compute=float32,output=float32"
    assert str(Policy.for_level("O2")) == "params=float32,compute=float16,output=float32"
    assert str(Policy.for_level("O3")) == "params=float16,compute=float16,output=float32"
    assert str(Policy.for_level("O5")) == "params=float32,compute=bfloat16,output=float32"
    for half in (jnp.float16, numpy.float16, numpy.dtype("float16"), "float16", "half"):
        changed = Policy.for_level("O2", cast_model_outputs=half, master_weights=False)
        assert str(changed) == "params=float16,compute=float16,output=float16"
    with pytest.raises(ValueError, match="to be float32, float16, bfloat16 or None"):
        Policy.for_level("O2", cast_model_outputs=numpy.int8)


def test_casts_touch_floating_arrays_alone():
    policy = Policy.parse("p=f32,c=bf16,o=f16")
    tree = {"w": jnp.ones(2), "i": jnp.arange(2), "k": jax.random.key(0), "b": jnp.array(True), "n": 2.0}
    out = policy.cast_to_compute(tree)
    assert out["w"].dtype == jnp.bfloat16
    assert all(out[name] is tree[name] for name in ("i", "k", "b", "n"))
    assert policy.cast_to_output(out)["w"].dtype == jnp.float16
    assert policy.cast_to_param(out)["w"].dtype == jnp.float32
    assert policy.with_output_dtype("bf16").cast_to_output(tree)["w"].dtype == jnp.bfloat16
    assert jax.jit(lambda p, x: p.cast_to_compute(x))(policy, jnp.ones(1)).dtype == jnp.bfloat16


NEW, OLD = {"a": jnp.ones(2), "b": jnp.arange(2)}, {"a": jnp.zeros(2), "b": jnp.arange(2) - 2}


def test_select_takes_one_tree_whole():
    chosen = jax.jit(select)
    assert jax.tree.all(jax.tree.map(jnp.array_equal, chosen(jnp.array(True), NEW, OLD), NEW))
    assert jax.tree.all(jax.tree.map(jnp.array_equal, chosen(jnp.array(False), NEW, OLD), OLD))


@pytest.mark.parametrize(
    "refused, text",
    [
        (lambda: select(jnp.ones(2, bool), NEW, OLD), "expected one boolean, but got bool[2]"),
        (lambda: select(1.0, NEW, OLD), "expected one boolean, but got float32[]"),
        (lambda: select(True, NEW, {"a": OLD["a"]}), "expected trees of one structure"),
        (
            lambda: select(True, NEW, {**OLD, "a": jnp.zeros(2, jnp.float16)}),
            "\"['a']\" is float32[2] and float16[2]".replace('"', "'"),
        ),
        (lambda: select(True, NEW, {**OLD, "a": jnp.zeros(3)}), "is float32[2] and float32[3]"),
        (lambda: LossScaleState.dynamic().scale(jnp.int32(3)), "expected losses to be floating, but '' is int32"),
        (lambda: LossScaleState.dynamic(scale_factor=3.0), "powers of two, but got 3.0"),
        (lambda: LossScaleState.dynamic(backoff_factor=0.3), "powers of two, but got 0.3"),
        (lambda: LossScaleState.dynamic(init_scale=-1.0), "initial scale"),
        (lambda: LossScaleState.dynamic(scale_window=0), "growth interval"),
        (lambda: LossScaleState.dynamic(scale_window=2**31), "at most 2147483647 steps"),
        (lambda: LossScaleState.dynamic(init_scale=1e-40), "a scale that float32 holds"),
        (lambda: LossScaleState.static(2e38), "a scale that float32 holds"),
        (lambda: LossScaleState.dynamic().load_state_dict({"loss_scale": 0.0, "unskipped": 0}), "the state has 0.0"),
        (lambda: LossScaleState.dynamic().load_state_dict({"loss_scale": 1.0, "unskipped": -1}), "1.0 and -1"),
        (lambda: Policy.parse("params=float64"), "but got 'float64'"),
        (lambda: Policy.parse("int8"), "expected one of the types float32,"),
        (lambda: Policy.parse("weights=f32"), "each once, but got 'weights'"),
        (lambda: Policy.parse("p=f32,params=f16"), "each once, but got 'params'"),
        (lambda: Policy("float32", jnp.int8), "but got 'int8'"),
        (lambda: Policy.for_level("O1"), "O1 casts functions one by one"),
    ],
)
def test_refusals(refused, text):
    with pytest.raises(InvalidArgument, match=re.escape(text)) as caught:
        refused()
    assert isinstance(caught.value, (AmpError, ValueError))


@pytest.mark.parametrize("module", [loss_scale, policy_module], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted and not outcome.failed
