# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""capture_step against JAX alone: the stored samples, their MLIR and losses; twenty steps of
several optimizers; levels, skips and the scale; jit, scan, donation; recompilation; refusals."""

import dataclasses
import functools
import gc
import itertools
import pathlib
import re
import textwrap
import threading
import warnings

import jax
import jax.numpy as jnp
import jax_models
import mlir_amp.jax
import numpy as np
import optax
import pytest
from cases import cases, except_for
from mlir_amp import InvalidArgument, compiler
from mlir_amp.errors import NotLowered, RecompileWarning, StorageWarning
from mlir_amp.jax import LossScaleState, capture_step
from mlir_amp.jax import step as step_module
from mlir_amp.scaler import LossScaler

LEVELS = ["O0", "O1", "O2", "O3", "O4", "O5"]


@pytest.fixture(autouse=True)
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RecompileWarning)
        yield


@pytest.fixture
def without_xla(monkeypatch):
    monkeypatch.setattr(step_module.xla_call, "is_available", lambda: False)


def capture(sample, level="O0", **options):
    options = {"buffers": sample.buffers, "batch_norm": sample.batch_norm, **options}
    return capture_step(sample.loss_fn, sample.optimizer, sample.params, sample.batches[0], level, **options)


@functools.cache
def captured(name, level="O0"):
    """A sample and its step, for tests that change neither."""
    sample = jax_models.read(name)
    return sample, capture(sample, level)


def train(step, state, batches):
    losses = []
    for batch in batches:
        state, loss = step(state, batch)
        losses.append(float(loss))
    return state, np.array(losses)


def same(one, other):
    assert jax.tree.structure(one) == jax.tree.structure(other)
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


#
# The samples
#


def split_functions(text):
    return {name: body for name, body in re.findall(r"func\.func @(\w+)(.*?)\n  }\n", text, re.S)}


@pytest.mark.parametrize("name", jax_models.NAMES)
def test_samples_are_captured_as_they_are_stored(name):
    """Operation by operation, with types, roles and origins; but for the numbers of places."""
    sample, step = captured(name)
    ours, stored = (split_functions(text) for text in (step.module, compiler.run(sample.text())))
    number = r", amp\.scope_id = (\d+) : i64"
    for half in ("forward_backward", "optimizer_step"):
        assert ours[half].count("linalg.") > 20
        assert re.sub(number, "", ours[half]) == re.sub(number, "", stored[half])
    # Places are never cut finer than stored: what has one number there has one here. They
    # may be coarser: where optax lies in Python's own folder, JAX takes it for a part of
    # Python and leaves its lines out of the positions.
    pairs = {
        (a, b)
        for a, b in zip(
            re.findall(number, ours["forward_backward"]), re.findall(number, stored["forward_backward"]), strict=True
        )
    }
    assert len({stored for _, stored in pairs}) == len(pairs)
    assert len({own for own, _ in pairs}) > 0.75 * len(pairs)
    # The same arguments and results, whatever their order.
    role = r'tensor<\w+> \{[^}]*amp\.name = "[^"]*"[^}]*\}'
    assert sorted(re.findall(role, ours["train_step"])) == sorted(re.findall(role, stored["train_step"]))


@pytest.mark.parametrize("name", jax_models.NAMES)
def test_samples_give_their_stored_losses(name):
    sample, step = captured(name)
    state, losses = train(step, step.init(sample.params, sample.buffers), sample.batches)
    np.testing.assert_allclose(losses, sample.losses, atol=1e-5, rtol=0)
    if name == "jax_gpt_tiny":
        return  # Adam divides noise by noise where a gradient is zero
    for ours, stored in zip(jax.tree.leaves((state.params, state.buffers)), sample.final, strict=True):
        np.testing.assert_allclose(ours, stored, atol=1e-5, rtol=1e-5)


#
# Attentions
#


@pytest.mark.parametrize("heads", [(4, 4), (4, 2), (1, 1)])
def test_causal_attentions_in_blocks_of_rows(heads):
    """A context long enough for `amp-split-masked-rows`; scores have a dimension for groups of heads."""
    queries, keys = heads
    length, width = 352, 8
    key = jax.random.split(jax.random.PRNGKey(0), 6)

    def loss_fn(params, batch):
        x, labels = batch
        q, k, v = (jnp.einsum("btd,dhe->bthe", x, params[name]) for name in ("q", "k", "v"))
        out = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        logits = jnp.einsum("bthe,hec->btc", out, params["o"])
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    shapes = {"q": (16, queries, width), "k": (16, keys, width), "v": (16, keys, width), "o": (queries, width, 5)}
    params = {name: jax.random.normal(key[i], shape) * 0.4 for i, (name, shape) in enumerate(shapes.items())}
    batch = (jax.random.normal(key[4], (2, length, 16)), jax.random.randint(key[5], (2, length), 0, 5))
    optimizer = optax.sgd(0.5)
    step = capture_step(loss_fn, optimizer, params, batch, "O0")
    state, losses = train(step, step.init(params), [batch] * 3)
    expected, opt_state = params, optimizer.init(params)
    for ours in losses:
        loss, grads = jax.value_and_grad(loss_fn)(expected, batch)
        np.testing.assert_allclose(ours, loss, atol=1e-5, rtol=0)
        updates, opt_state = optimizer.update(grads, opt_state)
        expected = optax.apply_updates(expected, updates)
    for ours, theirs in zip(jax.tree.leaves(state.params), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=1e-5)


#
# Twenty steps
#

OPTIMIZERS = {
    "sgd": optax.sgd(0.1),
    "nesterov": optax.sgd(optax.cosine_decay_schedule(0.1, 30), momentum=0.9, nesterov=True),
    "adamw": optax.adamw(1e-3),
    "chain": optax.chain(optax.clip_by_global_norm(0.5), optax.adam(2e-3)),
    "injected": optax.inject_hyperparams(optax.adam)(learning_rate=1e-3),
    "lion": optax.lion(1e-4),
}


#: All optimizers with one model, and with the others those that add no numbers of their own.
PAIRS = [
    (name, optimizer)
    for optimizer in OPTIMIZERS
    for name in jax_models.NAMES
    if name == "jax_mlp_digits" or optimizer not in ("sgd", "chain", "injected", "lion")
]


@pytest.mark.parametrize(
    "name, optimizer", except_for(PAIRS, ("jax_cnn_digits", "adamw"), ("jax_gpt_tiny", "nesterov"))
)
def test_o0_is_jax_alone(name, optimizer):
    sample = jax_models.read(name)._replace(optimizer=OPTIMIZERS[optimizer])
    step, pure = capture(sample), sample.pure_step()
    state = step.init(sample.params, sample.buffers)
    params, buffers, opt_state = sample.params, sample.buffers, sample.optimizer.init(sample.params)
    for i in range(20):
        batch = sample.batches[i % 3]
        state, loss = step(state, batch)
        params, buffers, opt_state, expected = pure(params, buffers, opt_state, batch)
        assert abs(float(loss) - float(expected)) <= 1e-5, i
    assert float(loss) < 0.96 * sample.losses[0]
    # Whole numbers of the state (counts of steps) are the same, in their types.
    for ours, theirs in zip(jax.tree.leaves(state.opt_state), jax.tree.leaves(opt_state), strict=True):
        assert ours.dtype == theirs.dtype
        if jnp.issubdtype(theirs.dtype, jnp.integer):
            assert np.array_equal(ours, theirs)


#: Each level with one model.
HALF = [("jax_mlp_digits", level) for level in ("O1", "O3", "O4")]
HALF += [("jax_cnn_digits", level) for level in ("O2", "O5")]


@pytest.mark.parametrize(
    "name, level", cases(itertools.product(["jax_mlp_digits", "jax_cnn_digits"], LEVELS[1:]), HALF)
)
def test_half_levels_train(name, level):
    sample, single = captured(name)
    half = {"O1": None, "O2": jnp.float16, "O3": jnp.float16, "O4": None, "O5": jnp.bfloat16}[level]
    scale = {} if level == "O3" else {"loss_scale": 128.0}
    step = capture(sample, level, **scale)
    state, losses = train(step, step.init(sample.params, sample.buffers), sample.batches * 3)
    _, expected = train(single, single.init(sample.params, sample.buffers), sample.batches * 3)
    assert not np.array_equal(losses, expected)
    np.testing.assert_allclose(losses, expected, atol=0.05 if level in ("O4", "O5") else 0.01)
    assert losses[-1] < losses[0]
    params = state.params["fc" if "cnn" in name else "l1"]["w"]
    assert params.dtype == (half if level == "O3" else jnp.float32)
    if level in ("O2", "O5"):
        model = step.model_params(state)
        for path, leaf in jax.tree_util.tree_leaves_with_path(model):
            kept = jax.tree_util.keystr(path) in sample.batch_norm
            assert leaf.dtype == (jnp.float32 if kept else half)
        rounded = jax.tree.map(lambda master, copy: master.astype(copy.dtype), state.params, model)
        assert same(rounded, model)
    else:
        assert state.half_params == {} and same(step.model_params(state), state.params)


#
# The scale
#


def overflowing(batch):
    return (batch[0].at[0, 0].set(jnp.inf), batch[1])


@pytest.mark.parametrize(
    "native, level", except_for(itertools.product([True, False], ["O1", "O2"]), (True, "O1"), (False, "O2"))
)
def test_overflows_are_skipped_as_the_scaler_says(level, native, request):
    if not native:
        request.getfixturevalue("without_xla")
    sample = jax_models.read("jax_mlp_digits")
    step = capture(sample, level, min_loss_scale=16384.0)
    state = step.init(sample.params)
    library = LossScaler(min_loss_scale=16384.0)
    bad = overflowing(sample.batches[0])
    for overflows in (False, True, True, False, True, True, False):
        before = state
        state, loss = step(state, bad if overflows else sample.batches[0])
        assert library.update(overflows) == overflows
        assert state.loss_scale.state_dict() == library.state_dict()
        for key in ("steps", "skipped", "overflows"):
            assert int(getattr(state.loss_scale, key)) == library.state[key]
        assert bool(jnp.isfinite(loss)) == (not overflows)
        kept = [same(getattr(state, key), getattr(before, key)) for key in ("params", "opt_state", "half_params")]
        assert kept == [overflows, overflows, overflows or level == "O1"]


def test_a_static_scale_never_skips():
    sample = jax_models.read("jax_mlp_digits")
    step = capture(sample, "O1", loss_scale=8.0)
    state, _ = step(step.init(sample.params), overflowing(sample.batches[0]))
    assert state.loss_scale.loss_scale == 8.0 and state.loss_scale.skipped == 0
    assert jnp.isnan(state.params["l3"]["w"]).any()


def test_the_scale_is_a_value_of_the_state():
    """Trainings that share a step do not share a scale, and one goes on from a checkpoint."""
    sample, step = captured("jax_mlp_digits", "O1")
    one, other = step.init(sample.params), step.init(sample.params)
    for _ in range(3):
        one, _ = step(one, overflowing(sample.batches[0]))
        other, _ = step(other, sample.batches[0])
    assert [float(s.loss_scale.loss_scale) for s in (one, other)] == [8192.0, 65536.0]
    assert [int(s.loss_scale.unskipped) for s in (one, other)] == [0, 3]
    # What pytrees are saved as: leaves and a structure.
    leaves, structure = jax.tree.flatten(other)
    again = jax.tree.unflatten(structure, [np.asarray(leaf) for leaf in leaves])
    assert same(step(again, sample.batches[1]), step(other, sample.batches[1]))
    entry = other.loss_scale.load_state_dict({"loss_scale": 1024.0, "unskipped": 1999})
    grown, _ = step(step_module.TrainState(other.params, other.opt_state, entry), sample.batches[0])
    assert grown.loss_scale.state_dict() == {"loss_scale": 2048.0, "unskipped": 0}


def test_levels_without_a_scaler_count_steps():
    sample, step = captured("jax_mlp_digits", "O0")
    state, _ = train(step, step.init(sample.params), sample.batches)
    assert state.loss_scale.loss_scale == 1.0 and state.loss_scale.steps == 3


#
# A function of its arguments
#


@pytest.mark.parametrize("level", except_for(["O0", "O2"], "O0"))
def test_what_is_not_donated_stays_as_it_was(level):
    sample, step = captured("jax_cnn_digits", level)
    state = step.init(sample.params, sample.buffers)
    before = jax.tree.map(lambda x: np.array(x), (state, sample.batches[0]))
    new, _ = step(state, sample.batches[0])
    inside, _ = jax.jit(step)(state, sample.batches[0])
    assert same((state, sample.batches[0]), before) and same(new, inside)
    assert not same(new.params, state.params) and not same(new.buffers, state.buffers)


@pytest.mark.parametrize("level", except_for(["O0", "O2"], "O0"))
def test_what_is_donated_is_updated_in_place(level):
    sample, step = captured("jax_mlp_digits", level)
    donating = jax.jit(step, donate_argnums=0)
    expected, _ = train(step, step.init(sample.params), sample.batches)

    state = step.init(sample.params)
    state, _ = donating(state, sample.batches[0])
    assert same(step.init(sample.params), step.init(sample.params))  # what it was made of is there
    addresses = [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves((state.params, state.half_params))]
    old = state
    state, _ = donating(state, sample.batches[1])
    assert [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves((state.params, state.half_params))] == addresses
    state, _ = donating(state, sample.batches[2])
    assert same(state, expected)
    with pytest.raises(InvalidArgument, match="donated to a call before; go on from what that call gave"):
        step(old, sample.batches[0])


def test_nothing_is_copied_that_is_donated():
    sample, step = captured("jax_mlp_digits", "O2")
    given = step.init(sample.params), sample.batches[0]
    # The scale and its counter of clean steps, too.
    count = len(jax.tree.leaves((given[0].params, given[0].opt_state, given[0].half_params))) + 2

    def copies(**options):
        return len(re.findall(r"= \w+\[[\d,]*\]\S* copy\(", jax.jit(step, **options).lower(*given).compile().as_text()))

    assert copies(donate_argnums=0) == 0
    assert copies() == count
    # Alone it has nothing to keep: no result shares memory, and none is copied.
    alone = step._alone.lower(*given)
    assert "output_operand_alias<" not in alone.as_text()
    assert jax.jit(step).lower(*given).as_text().count("output_operand_alias<") == count


def test_steps_in_a_scan():
    sample, step = captured("jax_mlp_digits", "O1")
    state = step.init(sample.params)
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *sample.batches)
    scanned, losses = jax.jit(lambda state, batches: jax.lax.scan(step, state, batches))(state, stacked)
    expected, one_by_one = train(step, state, sample.batches)
    assert same(scanned, expected) and np.array_equal(losses, one_by_one.astype(np.float32))


def test_an_ensemble_by_vmap():
    """One after another, each with a scale of its own."""
    sample, step = captured("jax_mlp_digits", "O2")
    one = step.init(sample.params)
    other = step.init(jax.tree.map(lambda leaf: 0.5 * leaf, sample.params))
    batches = [sample.batches[0], overflowing(sample.batches[1])]
    expected = [step(state, batch) for state, batch in zip([one, other], batches, strict=True)]
    stacked = [jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees) for trees in ([one, other], batches)]
    got = jax.jit(jax.vmap(step))(*stacked)
    assert got[0].loss_scale.loss_scale.tolist() == [65536.0, 32768.0]
    for i in (0, 1):
        leaves = zip(jax.tree.leaves(got), jax.tree.leaves(expected[i]), strict=True)
        assert all(np.array_equal(stack[i], alone, equal_nan=True) for stack, alone in leaves)


def test_a_level_that_is_not_enabled():
    sample, single = captured("jax_mlp_digits")
    step = capture(sample, "O2", enabled=False)
    assert same(*(train(s, s.init(sample.params), sample.batches)[0] for s in (step, single)))


@pytest.mark.parametrize("level", except_for(["O0", "O1", "O2", "O5"], "O1", "O5"))
def test_without_xla_the_same(level, without_xla, monkeypatch):
    sample = jax_models.read("jax_cnn_digits")
    step = capture(sample, level)
    state = step.init(sample.params, sample.buffers)
    before = jax.tree.map(lambda x: np.array(x), state)
    by_python = train(step, state, sample.batches)
    assert same(state, before)
    with pytest.raises(InvalidArgument, match="this build of mlir-amp has no entry for XLA"):
        jax.jit(step)(state, sample.batches[0])
    monkeypatch.undo()
    assert step_module.xla_call.is_available()
    assert same(train(step, state, sample.batches), by_python)


def test_threads_share_a_step():
    sample = jax_models.read("jax_mlp_digits")
    step = capture(sample, "O1", loss_scale="dynamic")
    start = step.init(sample.params)
    kinds = [[b] * 30 for b in (sample.batches[0], overflowing(sample.batches[0]), sample.batches[1])]
    alone = [train(step, start, batches)[0] for batches in kinds]
    got = [None] * len(kinds)

    def run(i):
        got[i] = train(step, start, kinds[i])[0]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(kinds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(a, b) for a, b in zip(alone, got, strict=True))


def test_a_jitted_function_that_outlives_its_step_is_an_error():
    sample = jax_models.read("jax_mlp_digits")
    step = capture(sample, "O0")
    state = step.init(sample.params)
    compiled = jax.jit(step).lower(state, sample.batches[0]).compile()
    expected, _ = step(state, sample.batches[0])
    assert same(compiled(state, sample.batches[0])[0], expected)
    del step
    jax.clear_caches()
    gc.collect()
    with pytest.raises(jax.errors.JaxRuntimeError, match="the step of this compiled function is gone"):
        jax.block_until_ready(compiled(state, sample.batches[0]))


def test_shapes_are_enough_to_capture():
    sample = jax_models.read("jax_mlp_digits")
    shapes = jax.eval_shape(lambda: (sample.params, sample.batches[0]))
    step = capture_step(sample.loss_fn, sample.optimizer, *shapes, "O0")
    state = step.init(sample.params)
    numpy_batch = tuple(np.asarray(leaf) for leaf in sample.batches[0])
    assert same(step(state, numpy_batch), step(state, sample.batches[0]))


def test_another_size_of_batch_compiles_once_more():
    sample = jax_models.read("jax_mlp_digits")
    step = capture(sample, "O1")
    state = step.init(sample.params)
    small = jax.tree.map(lambda leaf: leaf[:8], sample.batches[0])
    said = re.escape("the batch is float32[8, 64], int32[8], not float32[32, 64], int32[32]")
    with pytest.warns(RecompileWarning, match=said):
        after, loss = step(state, small)
    assert after.loss_scale.steps == 1
    expected = sample.loss_fn(sample.params, small)
    np.testing.assert_allclose(loss, expected, atol=1e-3)
    step(after, sample.batches[0])  # and no warning for what is compiled
    step(after, small)


def test_names_of_any_words():
    params = {'it\'s "w" \\': W["w"], "ü@relu": [jnp.zeros(2), (jnp.ones(()),)]}

    def loss_fn(p, x):
        (w, (b, (c,))) = p.values()
        return jnp.mean((x @ w + b) ** 2) * c

    step = capture_of(loss_fn, optax.adam(0.1), params, level="O2", loss_scale=16.0)
    state, losses = train(step, step.init(params), [X] * 5)
    assert losses[0] == loss_fn(params, X) and losses[-1] < losses[0]
    assert jax.tree.structure(state.params) == jax.tree.structure(params)


def test_with_x64():
    """Parameters are of float32 all the same; what else is of f64 is computed in it."""
    with jax.enable_x64(True):
        batch = {"x": np.linspace(0, 1, 12).reshape(3, 4), "n": np.arange(3)}

        def loss_fn(p, b):
            assert b["x"].dtype == jnp.float64 and b["n"].dtype == jnp.int64
            return jnp.mean((b["x"] @ p["w"] + b["n"][:, None]) ** 2).astype(jnp.float32)

        optimizer = optax.adam(0.01)
        step = capture_of(loss_fn, optimizer, batch=batch)
        state, params, opt_state = step.init(W), W, optimizer.init(W)
        for _ in range(4):
            state, loss = step(state, batch)
            expected, grads = jax.value_and_grad(loss_fn)(params, batch)
            updates, opt_state = optimizer.update(grads, opt_state, params)
            params = optax.apply_updates(params, updates)
            np.testing.assert_allclose(loss, expected, rtol=1e-6)


def test_the_page_runs():
    """The code of docs/Python.md about JAX, in its order."""
    page = (pathlib.Path(__file__).parents[2] / "docs" / "Python.md").read_text()
    page = page[page.index("\n## JAX\n") : page.index("\n## Errors\n")]
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.M)
    assert len(blocks) == 4
    sample = jax_models.read("jax_cnn_digits")

    def apply(params, images):
        return images.reshape(len(images), -1) @ params["w"]

    params = {"w": jnp.zeros((64, 10))}
    names = {"optax": optax, "mlir_amp": mlir_amp, "jax": jax, "model": apply, "params": params}
    names |= {name: getattr(mlir_amp.jax, name) for name in mlir_amp.jax.__all__}
    names |= {"batch": sample.batches[0], "data": sample.batches, "optimizer": optax.sgd(0.1)}
    for block in blocks[:2]:
        exec(textwrap.dedent(block), names)
    names["state"], loss = names["step"](names["state"], sample.batches[0])
    assert names["state"].loss_scale.steps == 4 and loss < np.log(10)

    exec(textwrap.dedent(blocks[3]), names)
    opt_state, scale, losses = names["optimizer"].init(params), names["scale"], []
    for _ in range(3):
        losses.append(float(names["loss_fn"](params, sample.batches[0])))
        params, opt_state, scale = names["step"](params, opt_state, scale, sample.batches[0])
    assert scale.steps == 3 and losses[-1] < losses[0]

    names |= {"loss_fn": sample.loss_fn, "params": sample.params, "statistics": sample.buffers}
    exec(textwrap.dedent(blocks[2]), names)
    assert names["step"].init(sample.params, sample.buffers).half_params


#
# Refusals
#

W = {"w": jnp.ones((4, 2))}
X = jnp.ones((3, 4))


def square(p, x):
    return jnp.mean((x @ p["w"]) ** 2)


def capture_of(loss_fn=square, optimizer=None, params=W, batch=X, level="O0", **options):
    return capture_step(loss_fn, optimizer or optax.sgd(0.1), params, batch, level, **options)


class Odd:
    """An optimizer whose state changes its type."""

    def init(self, params):
        return {"count": jnp.zeros((), jnp.int32)}

    def update(self, gradients, state, params):
        return gradients, {"count": state["count"] + 1.5}


class Complex(Odd):
    def init(self, params):
        return {"phase": jnp.zeros((), jnp.complex64)}

    def update(self, gradients, state, params):
        return gradients, state


SEVERAL = "capture a step for each, whose batch has the parameters that the other one trains"


@pytest.mark.parametrize(
    "refused, text",
    [
        (lambda: capture_of(lambda p, x: x @ p["w"]), "one float32 number, but it gives float32[3, 2]"),
        (lambda: capture_of(lambda p, x: square(p, x).astype(jnp.int32)), "but it gives int32[]"),
        (lambda: capture_of(lambda p, x: square(p, x).astype(jnp.float16)), "but it gives float16[]"),
        (lambda: capture_of(lambda p, x: (square(p, x), x)), "it gives float32[], float32[3, 4] in a tuple"),
        (
            lambda: capture_of(lambda p, b, x: square(p, x), buffers={"m": jnp.ones(2)}),
            "with buffers, expected loss_fn to give (loss, new buffers)",
        ),
        (
            lambda: capture_of(lambda p, b, x: (square(p, x), {}), buffers={"m": jnp.ones(2)}),
            "the new buffers of the structure",
        ),
        (
            lambda: capture_of(lambda p, b, x: (square(p, x), {"m": b["m"] > 0}), buffers={"m": jnp.ones(2)}),
            "\"['m']\" of the new buffers to be float32[2], but it is bool[2]".replace('"', "'"),
        ),
        (lambda: capture_of(params={"w": jnp.ones((4, 2), jnp.float16)}), "but '['w']' is float16[4, 2]"),
        (lambda: capture_of(params={**W, "n": jnp.arange(2)}), "but '['n']' is int32[2]"),
        (lambda: capture_of(params={}), "expected parameters, but there are none"),
        (lambda: capture_of(batch=X.astype(jnp.complex64)), "the batch to be of real numbers"),
        (lambda: capture_of(optimizer=lambda: None), "expected an optimizer of optax, but got a function"),
        (
            lambda: capture_of(optimizer=Odd()),
            "'['count']' of the state after an update to be int32[], but it is float32[]",
        ),
        (lambda: capture_of(optimizer=Complex()), "but '['phase']' is complex64[]"),
        (lambda: capture_of(batch_norm=["w"]), "but 'w' is none; they are like '['w']'"),
        (lambda: capture_of(num_losses=2), f"expected one loss, but num_losses is 2; {SEVERAL}"),
        (
            lambda: capture_of(lambda p, x: (square(p, x), square(p, x))),
            f"float32[], float32[] in a tuple; of several losses {SEVERAL}",
        ),
        (
            lambda: capture_of(optimizer=(optax.sgd(0.1), optax.adam(0.1))),
            f"one optimizer, but got a tuple; {SEVERAL}, or join them with optax.multi_transform",
        ),
        (
            lambda: capture_of(micro_batches=4),
            "no 'micro_batches' in JAX; accumulate with optax.MultiSteps(optimizer, number)",
        ),
        (
            lambda: capture_of(clip=1.0),
            "no 'clip' in JAX; clip with optax.chain(optax.clip_by_global_norm(bound), optimizer)",
        ),
        (
            lambda: capture_of(optimizer=optax.chain(optax.sgd(0.1), optax.contrib.reduce_on_plateau())),
            "missing 1 required keyword-only argument: 'value'; a compiled step has no loss to tell it",
        ),
    ],
)
def test_refused_captures(refused, text):
    with pytest.raises(InvalidArgument, match="^capture_step: .*" + re.escape(text)):
        refused()


def test_levels_that_there_are_not():
    with pytest.raises(RuntimeError, match="Unexpected optimization level O9"):
        capture_of(level="O9")


def test_operations_without_a_form_are_named():
    with pytest.raises(NotLowered, match=r"^'complex\.\w+' has no form in linalg$"):
        capture_of(lambda p, x: jnp.abs(x @ p["w"] + 1j).sum())


def test_two_losses_are_two_steps():
    """A GAN's: each step gets what the other one trains as a part of its batch."""

    def judged(judge, maker, noise):
        return jnp.mean(jax.nn.softplus((noise @ maker["w"]) @ judge["w"]))

    def judge_loss(judge, batch):
        maker, noise = batch
        return judged(judge, maker, noise) + jnp.mean(jax.nn.softplus(-noise[:, :2] @ judge["w"]))

    def maker_loss(maker, batch):
        judge, noise = batch
        return -judged(judge, maker, noise)

    maker, judge = {"w": jnp.ones((4, 2)) * 0.3}, {"w": jnp.ones((2, 1)) * 0.2}
    noise = jax.random.normal(jax.random.key(0), (3, 4))
    optimizers = optax.adam(0.01), optax.sgd(0.1)
    losses = judge_loss, maker_loss
    firsts = (judge, (maker, noise)), (maker, (judge, noise))
    steps = [
        capture_step(loss, optimizer, first, batch, "O0")
        for loss, optimizer, (first, batch) in zip(losses, optimizers, firsts, strict=True)
    ]
    states = [step.init(first) for step, (first, _) in zip(steps, firsts, strict=True)]
    trees = [judge, maker]
    opt_states = [o.init(tree) for o, tree in zip(optimizers, trees, strict=True)]
    for _ in range(5):
        for i in (0, 1):
            states[i], loss = steps[i](states[i], (states[1 - i].params, noise))
            expected, gradients = jax.value_and_grad(losses[i])(trees[i], (trees[1 - i], noise))
            updates, opt_states[i] = optimizers[i].update(gradients, opt_states[i], trees[i])
            trees[i] = optax.apply_updates(trees[i], updates)
            np.testing.assert_allclose(loss, expected, rtol=1e-5)
    for state, tree in zip(states, trees, strict=True):
        np.testing.assert_allclose(state.params["w"], tree["w"], rtol=1e-5, atol=1e-6)


def test_refused_states():
    step = capture_of(level="O1")
    state = step.init(W)

    def refuse(text, call):
        with pytest.raises(InvalidArgument, match=re.escape(text)):
            call()

    refuse("expected a state that init gave, but got a dict", lambda: step(W, X))
    other = capture_of(params={"w": jnp.ones((4, 3))}, level="O1").init({"w": jnp.ones((4, 3))})
    refuse(
        "expected '['w']' (param) to be f32[4, 2], but it is float32[4, 3]".replace("[4, 2]", "[4, 2]"),
        lambda: step(other, X),
    )
    stranger = capture_of(lambda p, x: jnp.mean(x * p["v"]), params={"v": jnp.ones(4)}, level="O1")
    refuse("expected a state with '['w']' (param)", lambda: step(stranger.init({"v": jnp.ones(4)}), X))
    rules = capture_of(level="O1", max_loss_scale=2.0**20).init(W)
    refuse("expected a state with the loss scale's rules", lambda: step(rules, X))
    refuse(
        "'['w']' of params to be float32[4, 2], but it is float16[4, 2]",
        lambda: step.init({"w": W["w"].astype(jnp.float16)}),
    )
    refuse("expected params of the structure", lambda: step.init([W["w"]]))
    refuse("expected buffers of the structure", lambda: step.init(W, {"m": X}))
    refuse("expected opt_state of the structure", lambda: step.init(W, opt_state=(X,)))
    assert state.loss_scale.rules == LossScaleState.for_level("O1").rules
    zero = dataclasses.replace(state.loss_scale, loss_scale=jnp.float32(0))
    with pytest.raises(jax.errors.JaxRuntimeError, match="ampRtScalerLoad: .* above 0"):
        jax.block_until_ready(step(dataclasses.replace(state, loss_scale=zero), X))


def test_states_without_a_parameter_and_batches_of_others():
    params = {"w": W["w"], "v": jnp.ones(4)}
    step = capture_of(lambda p, x: (x @ p["w"]).mean() + p["v"].mean(), params=params, level="O2")
    state = step.init(params)
    with pytest.raises(InvalidArgument, match=r"expected a state with '\['v'\]' \(param\)"):
        step(dataclasses.replace(state, params={"w": W["w"]}), X)
    with pytest.raises(InvalidArgument, match="expected arrays of JAX or NumPy, but got a builtins.str"):
        step(state, "batch")


def test_states_that_are_stored_in_half_are_said():
    with pytest.warns(StorageWarning, match=r"stores in f16 .*nu\['w'\]"):
        capture_step(lambda p, x: (x @ p["w"]).mean(), optax.adam(1e-3), W, X, "O3")
    with warnings.catch_warnings():
        warnings.simplefilter("error", StorageWarning)
        capture_step(lambda p, x: (x @ p["w"]).mean(), optax.adam(1e-3), W, X, "O2")
