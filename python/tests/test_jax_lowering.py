# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What steps of JAX are made of, each in a step beside JAX alone: scatters, control flow,
random numbers, unsigned numbers, attention; and where operations are said to come from."""

import dataclasses
import functools
import itertools
import re

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from cases import cases, except_for
from mlir_amp import compiler
from mlir_amp.errors import NotLowered
from mlir_amp.jax import capture_step
from mlir_amp.jax.lowering import origins, sorting

KEY = jax.random.key(0)
X = jax.random.normal(KEY, (8, 16))
W = {"w": 0.3 * jax.random.normal(jax.random.key(1), (16, 4))}
RIGHT = jax.random.normal(jax.random.key(2), (4, 4))


def square(y):
    return jnp.mean(y**2)


def product(p, x=X):
    return x @ p["w"]


def unsigned(kind, step):
    return (jnp.arange(8) * step).astype(kind)


def scan(p, x):
    state, outputs = jax.lax.scan(lambda c, row: (jnp.tanh(c + row @ p["w"]), c.sum()), jnp.zeros(4), x)
    return square(state) + outputs.sum()


def grouped(p, x):
    image, kernel = x.reshape(2, 8, 2, 4), p["w"].reshape(2, 2, 2, 8)[:, :, :1]
    return square(
        jax.lax.conv_general_dilated(
            image, kernel, (1, 1), "SAME", feature_group_count=4, dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
    )


def cut_convolution(p, x):
    """Its gradient is padded and put between zeros: see mlir_amp.canonical."""
    image, kernel = product(p, x).reshape(1, 1, 32), p["w"][:3, :1].reshape(1, 1, 3)
    return square(jax.lax.conv_general_dilated(image, kernel, (2,), "VALID")[:, :, 1:])


def pooled(reducer, start, size, stride, padding):
    """Windows that overlap."""

    def loss_fn(p, x):
        image = product(p, x).reshape(1, 8, 4, 1)
        window, strides = (1, *size, 1), (1, *stride, 1)
        return square(jax.lax.reduce_window(image, start, reducer, window, strides, padding))

    return loss_fn, X


def ties(p, x):
    """Each element of a window is its largest one: the first has the gradient."""
    image = (product(p, x).sum() * jnp.ones((1, 5, 4, 1))) * jnp.arange(1, 5).reshape(1, 1, 4, 1)
    pooled = jax.lax.reduce_window(image, -jnp.inf, jax.lax.max, (1, 3, 2, 1), (1, 1, 1, 1), "SAME")
    return square(pooled * jnp.arange(20.0).reshape(1, 5, 4, 1) * 0.1)


def attention(p, x):
    heads = product(p, x).reshape(1, 8, 1, 4)
    return square(jax.nn.dot_product_attention(heads, heads, heads))


# By name: the loss, and the batch.
FORMS = {
    "gelu": (lambda p, x: square(jax.nn.gelu(product(p, x), approximate=False)), X),
    "embedding": (lambda p, i: square(p["w"][i]), jnp.array([1, 3, 3, 15])),
    "an index outside": (lambda p, i: square(p["w"].at[i].get(mode="fill", fill_value=0.5)), jnp.array([1, 99, -1])),
    "set rows": (lambda p, x: square(product(p, x).at[jnp.array([0, 2])].set(1.0)), X),
    "set one": (lambda p, x: square(product(p, x)[:, 0].at[3].set(2.0)), X),
    "add rows": (lambda p, x: square(product(p, x).at[jnp.array([0, 2, 2])].add(1.0)), X),
    "add outside": (lambda p, x: square(product(p, x).at[jnp.array([7, 8, 99])].add(3.0)), X),
    "add outside a row": (lambda p, x: square(product(p, x).at[:, jnp.array([3, 4, -5])].add(3.0)), X),
    "multiply": (lambda p, x: square(product(p, x).at[jnp.array([0, 2])].multiply(2.0)), X),
    "maximum": (lambda p, x: square(product(p, x).at[0].max(0.3)), X),
    "minimum": (lambda p, x: square(product(p, x).at[0].min(0.3)), X),
    "add integers": (
        lambda p, i: square(product(p) * jnp.zeros(4, jnp.int32).at[i].add(2)),
        jnp.array([0, 0, 3]),
    ),
    "larger and smaller integers": (
        lambda p, i: square(
            product(p) * jnp.zeros(4, jnp.int32).at[i].max(i - 2) * jnp.zeros(4, jnp.int32).at[i].min(-i)
        ),
        jnp.array([0, 3, 3, 1]),
    ),
    "larger and smaller numbers without sign": (
        lambda p, i: square(product(p) * jnp.full(4, 9, jnp.uint8).at[i].max(i).astype(jnp.float32) * 0.01)
        + square(product(p) * jnp.full(4, 200, jnp.uint8).at[i].min(i).astype(jnp.float32) * 0.01),
        jnp.array([0, 3, 250, 1], jnp.uint8),
    ),
    "any and all": (
        lambda p, i: square(product(p) * jnp.zeros(4, bool).at[i].max(i > 0) * jnp.ones(4, bool).at[i].min(i < 3)),
        jnp.array([0, 3, 3, 1]),
    ),
    "histogram per row": (
        lambda p, x: square(jnp.take_along_axis(product(p, x), jnp.arange(8)[:, None] % 4, axis=1)),
        X,
    ),
    "scan": (scan, X),
    "fori_loop": (lambda p, x: square(jax.lax.fori_loop(0, 5, lambda i, y: y * 0.9 + i, product(p, x))), X),
    "cond": (lambda p, x: square(jax.lax.cond(x.sum() > 0, lambda y: 2 * y, lambda y: -y, product(p, x))), X),
    "cond, the other": (
        lambda p, x: square(jax.lax.cond(x.sum() > 1e9, lambda y: 2 * y, lambda y: -y, product(p, x))),
        X,
    ),
    # What one branch hands on and the other computes is chosen, in memory too.
    **{
        f"cond between products, {name}, {taken}": (
            lambda p, x, branch=branch, taken=taken: square(
                jax.lax.cond(x.sum() > (-1e9 if taken else 1e9), branch, lambda h: h, product(p, x)) @ RIGHT
            ),
            X,
        )
        for name, branch in (
            ("gate", lambda h: jnp.tanh(h) * h),
            ("bell", lambda h: jnp.exp(-h * h)),
            ("gelu", jax.nn.gelu),
            ("product", lambda h: h * jax.nn.sigmoid(h @ RIGHT)),
        )
        for taken in (False, True)
    },
    **{
        f"switch between products {i}": (
            lambda p, x, i=i: square(
                jax.lax.switch(i, [lambda h: h, lambda h: jnp.tanh(h) * h, jnp.exp], product(p, x)) @ RIGHT
            ),
            X,
        )
        for i in range(3)
    },
    **{
        f"switch {i}": (
            lambda p, i: square(jax.lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh, jnp.exp], product(p))),
            jnp.array(i),
        )
        for i in (-3, 0, 1, 2, 3, 99)
    },
    "checkpoint": (lambda p, x: square(jax.checkpoint(lambda w: jnp.tanh(x @ w))(p["w"])), X),
    "vmap": (lambda p, x: square(jax.vmap(lambda row: jax.nn.softmax(row @ p["w"]))(x)), X),
    "attention": (attention, X),
    "grouped convolution": (grouped, X),
    "strided convolution, cut": (cut_convolution, X),
    "max pooling": pooled(jax.lax.max, -jnp.inf, (3, 3), (2, 2), "SAME"),
    "max pooling with strides of 1": pooled(jax.lax.max, -jnp.inf, (3, 2), (1, 1), "VALID"),
    "max pooling, padded": pooled(jax.lax.max, -jnp.inf, (3, 3), (2, 1), ((0, 0), (2, 1), (0, 2), (0, 0))),
    "min pooling": pooled(jax.lax.min, jnp.inf, (3, 3), (2, 2), "SAME"),
    "max pooling of equals": (ties, X),
    "sort": (lambda p, x: square(jnp.sort(product(p, x), 0) * jnp.arange(8)[:, None]), X),
    "sort, descending": (lambda p, x: square(jnp.sort(product(p, x), 1, descending=True) * jnp.arange(4)), X),
    "argsort": (lambda p, x: square(product(p, x) * jnp.argsort(x, 0)[:, :4]), X),
    "sort by another": (
        lambda p, x: square(jax.lax.sort((x[:, :4], product(p, x)), dimension=0, num_keys=1)[1] * jnp.arange(4)),
        X,
    ),
    "top_k": (
        lambda p, x: square(jax.lax.top_k(product(p, x), 3)[0] * jax.lax.top_k(x, 3)[1]),
        X,
    ),
    "permutation": (
        lambda p, k: square(product(p, jax.random.permutation(k, X)) * jnp.arange(8)[:, None]),
        KEY,
    ),
    "associative scan": (lambda p, x: square(jax.lax.associative_scan(jnp.add, product(p, x))), X),
    "associative scan of pairs": (
        lambda p, x: square(
            jax.lax.associative_scan(
                lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]),
                (jax.nn.sigmoid(product(p, x))[:7], product(p, x)[:7]),
                reverse=True,
            )[1]
        ),
        X,
    ),
    "cumprod": (lambda p, x: square(jnp.cumprod(product(p, x), 1)), X),
    "cummax": (lambda p, x: square(jax.lax.cummax(product(p, x), 0)), X),
    "arrays without elements": (
        lambda p, e: square(jnp.concatenate([product(p), e]))
        + e.sum()
        + square(jnp.pad(e, ((1, 0), (0, 0)), constant_values=2.0))
        + square(e.T @ e + 1)
        + square(p["w"].at[e[:, 0].astype(int)].set(1.0)),
        jnp.ones((0, 4)),
    ),
    "a sum over no dimension": (lambda p, x: square(jnp.sum(product(p, x), axis=())), X),
    "cumsum": (lambda p, x: square(jnp.cumsum(product(p, x), 0)), X),
    "argmax": (lambda p, x: square(product(p, x) * jnp.argmax(x, 1)[:, None]), X),
    "dropout": (lambda p, b: square(jnp.where(jax.random.bernoulli(b[1], 0.5, (8, 4)), product(p, b[0]), 0)), (X, KEY)),
    "split keys": (
        lambda p, k: square(product(p) + jax.random.normal(jax.random.split(k)[1], (8, 4))),
        jax.random.key(7),
    ),
    "a key of numbers": (lambda p, k: square(product(p) + jax.random.uniform(k, (8, 4))), jax.random.PRNGKey(3)),
    "randint": (lambda p, k: square(product(p) * jax.random.randint(k, (8, 4), 0, 7)), KEY),
    # Above half of their range, where signs would tell.
    "uint32 to float": (
        lambda p, n: square(product(p) * (n.astype(jnp.float32) * 1e-9)[:, None]),
        unsigned(jnp.uint32, 500_000_000),
    ),
    "uint8 divided": (lambda p, n: square(product(p) * (n // 2).astype(jnp.float32)[:, None]), unsigned(jnp.uint8, 36)),
    "uint8 compared": (lambda p, n: square(jnp.where((n > 100)[:, None], product(p), 0)), unsigned(jnp.uint8, 36)),
    "uint8 widened": (lambda p, n: square(product(p) * n.astype(jnp.int32)[:, None]), unsigned(jnp.uint8, 36)),
    "float16 input": (lambda p, x: square(product(p, x.astype(jnp.float32))), X.astype(jnp.float16)),
    "booleans": (lambda p, m: square(jnp.where(m[:, None], product(p), 1.0)), X[:, 0] > 0),
    "methods of functions": (
        lambda p, x: square(jnp.add.reduce(product(p, x), axis=0) + jnp.multiply.outer(jnp.ones(3), p["w"][0])),
        X,
    ),
    "a batch unused in part": (lambda p, b: square(product(p, b[0])), (X, jnp.arange(3))),
    "a batch of nothing": (lambda p, b: square(product(p)), ()),
    "nested": (lambda p, b: square(product(p, b["x"][0]) * b["scale"]), {"x": [X], "scale": 2.0}),
}


def pure(loss_fn, optimizer):
    @jax.jit
    def step(params, state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step


def compare(loss_fn, optimizer, params, batch, steps=4):
    step, alone = capture_step(loss_fn, optimizer, params, batch, "O0"), pure(loss_fn, optimizer)
    state, opt_state = step.init(params), optimizer.init(params)
    for _ in range(steps):
        state, loss = step(state, batch)
        params, opt_state, expected = alone(params, opt_state, batch)
        np.testing.assert_allclose(loss, expected, rtol=1e-5, atol=1e-6)
    for ours, theirs in zip(jax.tree.leaves(state.params), jax.tree.leaves(params), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    return state


#: Other branches of a program that another case runs.
REPEATED = [
    *(f"cond between products, {name}, {taken}" for name, taken in (("gate", False), ("bell", True), ("gelu", False))),
    *(f"switch between products {i}" for i in (0, 2)),
    *(f"switch {i}" for i in (0, 1, 3)),
]


@pytest.mark.parametrize("name", except_for(FORMS, *REPEATED))
def test_forms(name):
    loss_fn, batch = FORMS[name]
    compare(loss_fn, optax.sgd(1e-3, momentum=0.9), W, batch)


HALF = [("max pooling", "O1"), ("sort", "O2"), ("top_k", "O1"), ("associative scan of pairs", "O2")]


@pytest.mark.parametrize("name, level", cases(itertools.product([name for name, _ in HALF], ["O1", "O2"]), HALF))
def test_forms_at_half_levels(name, level):
    """In a scaled step, with an overflow in its second round, which is skipped."""
    loss_fn, batch = FORMS[name]
    step, single = (capture_step(loss_fn, optax.sgd(1e-2), W, batch, each) for each in (level, "O0"))
    state, alone = step.init(W), single.init(W)
    small = state.loss_scale.load_state_dict({"loss_scale": 256.0, "unskipped": 0})
    state = dataclasses.replace(state, loss_scale=small)
    for _ in range(2):
        before = state
        state, _ = step(state, batch.at[0, 0].set(jnp.inf))
        assert int(state.loss_scale.skipped) == 1 + int(before.loss_scale.skipped)
        np.testing.assert_array_equal(state.params["w"], before.params["w"])
        for _ in range(2):
            state, loss = step(state, batch)
            alone, expected = single(alone, batch)
            np.testing.assert_allclose(loss, expected, rtol=1e-2)
    assert (state.params["w"] != W["w"]).any()


def test_random_numbers_are_jaxs_and_new_each_step():
    loss_fn, (x, _) = FORMS["dropout"]
    step = capture_step(loss_fn, optax.sgd(0.0), W, (x, KEY), "O0")
    state, losses = step.init(W), []
    for i in range(4):
        key = jax.random.fold_in(KEY, i)
        state, loss = step(state, (x, key))
        np.testing.assert_allclose(loss, loss_fn(W, (x, key)), rtol=1e-6)
        losses.append(float(loss))
    assert len(set(losses)) == 4


def test_parameters_without_a_gradient():
    params = {**W, "unused": jnp.ones(3)}
    state = compare(lambda p, x: square(product(p, x)), optax.adamw(1e-2, weight_decay=0.1), params, X)
    assert (state.params["unused"] < 1).all()  # by its decay


STATES = {
    "a random key": optax.chain(optax.add_noise(0.1, 0.5, jax.random.key(0)), optax.sgd(0.1)),
    "a branch and a flag": optax.apply_if_finite(optax.adam(1e-3), 3),
    "nothing": optax.sgd(0.1),
    "several parts": optax.chain(optax.ema(0.9), optax.scale_by_rms(), optax.scale(-1e-3)),
    "masked": optax.masked(optax.adam(1e-3), {"w": True, "b": False}),
    "accumulated": optax.MultiSteps(optax.sgd(0.1), every_k_schedule=2),
}


@pytest.mark.parametrize("name", STATES)
def test_states_of_optimizers(name):
    params = {**W, "b": jnp.ones(4)}
    compare(lambda p, x: square(product(p, x) + p["b"]), STATES[name], params, X)


def test_buffers_have_keys_and_counters():
    def loss_fn(p, b, x):
        key, use = jax.random.split(b["key"])
        loss = square(product(p, x) + jax.random.normal(use, (8, 4)))
        return loss, {"key": key, "n": b["n"] + 1, "mean": 0.9 * b["mean"] + 0.1 * x.mean()}

    buffers = {"key": jax.random.key(5), "n": jnp.array(0), "mean": jnp.zeros(())}
    step = capture_step(loss_fn, optax.sgd(0.0), W, X, "O1", buffers=buffers)
    state = step.init(W, buffers)
    expected = buffers
    for _ in range(3):
        _, expected = loss_fn(W, expected, X)
        state, _ = step(state, X)
    assert state.buffers["n"] == 3 and state.buffers["key"].dtype == buffers["key"].dtype
    assert jnp.array_equal(*map(jax.random.key_data, (state.buffers["key"], expected["key"])))
    np.testing.assert_allclose(state.buffers["mean"], expected["mean"], rtol=1e-5)


def test_scatters_that_combine_otherwise():
    def loss_fn(p, x):
        return square(product(p, x) * jnp.arange(4.0).at[jnp.array([0])].apply(jnp.sin))

    body = "'stablehlo.scatter' with a body of stablehlo.sine on f32"
    with pytest.raises(NotLowered, match=f"^{body}$"):
        capture_step(loss_fn, optax.sgd(1e-3), W, X, "O0")


REFUSED = {
    "lax.linalg.cholesky": (jnp.linalg.cholesky, "is a routine of LAPACK"),
    "lax.linalg.lu": (jnp.linalg.inv, "is a routine of LAPACK"),
    "lax.linalg.qr": (lambda y: jnp.linalg.qr(y)[0], "is a routine of LAPACK"),
    "lax.linalg.svd": (lambda y: jnp.linalg.svd(y)[1], "is a routine of LAPACK"),
    "lax.linalg.eigh": (jnp.linalg.eigvalsh, "is a routine of LAPACK"),
    "lax.fft": (lambda y: jnp.abs(jnp.fft.rfft(y)), "is a library's Fourier transform"),
    "jax.debug.print": (lambda y: jax.debug.print("{}", y) or y, "is a function of Python's"),
    "jax.pure_callback": (lambda y: y * jax.pure_callback(lambda v: v, y, jax.lax.stop_gradient(y)), "is a function of Python's"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_libraries_are_refused_by_name_and_place(name):
    function, reason = REFUSED[name]

    def loss_fn(p, x):
        y = product(p, x)
        return square(function(y.T @ y + jnp.eye(4)))

    line = loss_fn.__code__.co_firstlineno + 2
    with pytest.raises(NotLowered) as caught:
        capture_step(loss_fn, optax.sgd(0.1), W, X, "O1")
    text = str(caught.value)
    place = rf"\({re.escape(__file__)}:\d+\)"
    end = "compute it outside of the step and give it as a part of the batch or as a buffer"
    assert re.fullmatch(f"'{name}' {place} {reason}, which a compiled step cannot call; {end}", text), text
    if "lambda" not in function.__qualname__:
        assert f":{line})" in text


def test_norms_of_vectors_need_no_library():
    compare(lambda p, x: square(jnp.linalg.norm(product(p, x), axis=1)), optax.sgd(1e-3), W, X)


#
# The order of numbers, in the operations that are lowered, against JAX's own
#

NAN, INF = float("nan"), float("inf")
ROWS = {
    "numbers": np.random.default_rng(0).normal(size=(3, 21)).astype(np.float32),
    "equal ones": np.random.default_rng(1).integers(-3, 3, (2, 16)).astype(np.float16),
    "special numbers": np.array([[NAN, 0.0, -0.0, INF, -INF, -NAN, 1.0, -0.0, 0.0, NAN]], np.float32),
    "integers": np.random.default_rng(2).integers(-128, 127, (2, 9)).astype(np.int8),
    "without sign": np.random.default_rng(3).integers(0, 2**32, (2, 9)).astype(np.uint32),
    "the largest of all": np.full((1, 5), 2**31 - 1, np.int32),
    "booleans": np.array([[True, False, True, False, False]]),
    "one": np.ones((4, 1), np.float32),
    "two": np.array([[2.0, 1.0]], np.float32),
    "none": np.ones((4, 0), np.float32),
    "no rows": np.ones((0, 4), np.float32),
}


def order(rule, operands, **parameters):
    """As one function of JAX: its operations one by one are compiled each."""
    return jax.jit(functools.partial(rule, **parameters))(*operands)


@pytest.mark.parametrize("name", ROWS)
def test_order_is_jaxs(name):
    rows = jnp.asarray(ROWS[name])
    places = jnp.broadcast_to(jnp.arange(rows.shape[1]), rows.shape)
    parameters = {"dimension": 1, "is_stable": True}
    for operands, keys in (((rows, places), 1), ((rows // 2 if name != "booleans" else rows, rows, -places), 2)):
        ours = order(sorting._sort_rule, operands, num_keys=keys, **parameters)
        theirs = jax.lax.sort(operands, num_keys=keys, **parameters)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
    for axis, k in ((1, rows.shape[1]), (1, rows.shape[1] // 2), (0, rows.shape[0])):
        if rows.dtype != jnp.bool_:
            for one, other in zip(
                order(sorting._top_k_rule, (rows,), k=k, axis=axis), jax.lax.top_k(rows, k, axis=axis), strict=True
            ):
                np.testing.assert_array_equal(one, other, strict=True)


def test_order_along_an_axis():
    block = jax.random.normal(KEY, (3, 5, 2))
    for axis in range(3):
        (ours,) = order(sorting._sort_rule, (block,), dimension=axis, is_stable=True, num_keys=1)
        np.testing.assert_array_equal(ours, np.sort(block, axis))


def test_complex_numbers_are_not_sorted():
    with pytest.raises(NotLowered, match="^'lax.sort' of complex numbers; sort their parts or sizes$"):
        capture_step(lambda p, x: jnp.abs(jnp.sort(product(p, x) + 1j)).sum(), optax.sgd(0.1), W, X, "O0")


#
# Origins
#


def attributes(module, key):
    return set(re.findall(rf'amp\.{key} = "([^"]*)"', module))


def test_operations_know_their_functions_and_scopes():
    def loss_fn(p, x):
        with jax.named_scope("outer"), jax.named_scope("inner"):
            y = jax.nn.gelu(product(p, x))
        return optax.losses.l2_loss(y, jnp.ones_like(y)).mean() + jax.nn.logsumexp(y)

    module = capture_step(loss_fn, optax.adam(1e-3), W, X, "O0").module
    assert attributes(module, "phase") == {"forward", "backward", "optimizer"}
    assert {"jax.nn.gelu", "jax.nn.logsumexp", "lax.dot_general"} <= attributes(module, "scope")
    assert attributes(module, "layer") == {"outer.inner"}
    functions = attributes(module, "function")
    assert {"jax.nn.gelu", "optax.l2_loss"} <= functions
    every = re.findall(r"= linalg\.\w+ (.*)", module)
    assert len(every) > 20 and all("amp.scope" in line and "amp.phase" in line for line in every)


def test_lists_decide_about_functions_of_numpy():
    """A power is in float32 by Apex's lists; as a product, which ** is, in the type of its factors."""

    def classes(power):
        module = capture_step(lambda p, x: power(product(p, x)).sum(), optax.sgd(0.1), W, X, "O1").module
        passes = compiler.mixed_precision("O1")
        decided = compiler.run(module, f"builtin.module({passes})")
        return set(re.findall(r"#amp\.class<(\w+), unit = \d+, \"(?:listed|elementwise on several)", decided))

    assert classes(lambda y: jnp.power(y, 2)) == {"high"}
    assert classes(lambda y: y**2) == {"promote"}


@pytest.mark.parametrize("name", ["logaddexp", "mean", "std", "var", "where"])
def test_formulas_of_numpy_are_functions(name):
    def loss_fn(p, x):
        y, function = product(p, x), getattr(jnp, name)
        if name == "where":
            return function(y > 0, y, 0.1 * y).sum()
        return (function(y, 1.0) if name == "logaddexp" else function(y, 0)).sum()

    module = capture_step(loss_fn, optax.sgd(0.1), W, X, "O0").module
    assert f"jax.numpy.{name}" in attributes(module, "scope")


def test_scopes_of_any_words():
    def loss_fn(p, x):
        with jax.named_scope('a"b\\c|@relu'):
            return square(jax.nn.relu(product(p, x)))

    module = capture_step(loss_fn, optax.sgd(0.1), W, X, "O0").module
    assert attributes(module, "layer") == {"a_b_c_@relu"}


def test_lists_reach_captured_functions():
    """At O1 a softmax is in float32, a product beside it in half."""
    loss_fn = lambda p, x: square(jax.nn.softmax(product(p, x)))  # noqa: E731
    step, single = (capture_step(loss_fn, optax.sgd(0.1), W, X, level) for level in ("O1", "O0"))
    (_, half), (_, full) = (s(s.init(W), X) for s in (step, single))
    rounded = square(jax.nn.softmax((X.astype(jnp.float16) @ W["w"].astype(jnp.float16)).astype(jnp.float32)))
    assert half != full
    np.testing.assert_allclose(half, rounded, rtol=2e-4)


def test_nothing_of_the_libraries_stays_replaced():
    before = [vars(module).copy() for module in (jax.nn, jax.numpy, optax, optax.losses)]
    gelu = jax.nn.gelu
    with pytest.raises(ZeroDivisionError), origins.watching():
        assert jax.nn.gelu is not gelu
        assert jax.jit(jax.nn.gelu)(1.0) == jax.jit(gelu)(1.0)
        raise ZeroDivisionError
    after = [vars(module).copy() for module in (jax.nn, jax.numpy, optax, optax.losses)]
    assert all(
        one.keys() == other.keys() and all(one[k] is other[k] for k in one)
        for one, other in zip(before, after, strict=True)
    )
