# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of flax, of nnx and of linen, captured as they are: parameters, running statistics
and random numbers in the places that flax gives them."""

import itertools

import flax.linen as linen
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from cases import cases
from flax import nnx
from mlir_amp.jax import capture_step

IMAGES = jax.random.normal(jax.random.key(0), (16, 8, 8, 1))
BATCH = (IMAGES, jnp.arange(16) % 10)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


class Cnn(nnx.Module):
    def __init__(self, rngs):
        self.conv = nnx.Conv(1, 8, (3, 3), use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.dropout = nnx.Dropout(0.3, rngs=rngs)
        self.dense = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.norm(self.conv(x))), (2, 2), (2, 2))
        return self.dense(self.dropout(x.reshape(x.shape[0], -1)))


def nnx_parts():
    """Loss, parameters, and the rest: statistics, keys and counters of random numbers."""
    graph, params, rest = nnx.split(Cnn(nnx.Rngs(1)), nnx.Param, ...)

    def loss_fn(params, rest, batch):
        model = nnx.merge(graph, params, rest)
        loss = cross_entropy(model(batch[0]), batch[1])
        return loss, nnx.split(model, nnx.Param, ...)[2]

    return loss_fn, params, rest


class LinenCnn(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.Conv(8, (3, 3), use_bias=False)(x)
        x = linen.BatchNorm(use_running_average=False)(x)
        x = linen.max_pool(linen.relu(x), (2, 2), (2, 2))
        return linen.Dense(10)(x.reshape(x.shape[0], -1))


def linen_parts():
    model = LinenCnn()
    variables = model.init(jax.random.key(1), IMAGES)

    def loss_fn(params, statistics, batch):
        given = {"params": params, "batch_stats": statistics}
        logits, new = model.apply(given, batch[0], mutable=["batch_stats"])
        return cross_entropy(logits, batch[1]), new["batch_stats"]

    return loss_fn, variables["params"], variables["batch_stats"]


PARTS = {"nnx": nnx_parts, "linen": linen_parts}


def is_norm(name):
    return "norm" in name.lower()


@pytest.mark.parametrize("kind", PARTS)
def test_o0_is_flax_alone(kind):
    loss_fn, params, rest = PARTS[kind]()
    optimizer = optax.adam(2e-3, eps=1e-4)
    step = capture_step(loss_fn, optimizer, params, BATCH, "O0", buffers=rest, batch_norm=is_norm)
    state, opt_state = step.init(params, rest), optimizer.init(params)

    @jax.jit
    def pure(params, rest, opt_state):
        def loss_of(params):
            # nnx changes variables of this level of tracing alone.
            return loss_fn(params, jax.tree.map(lambda leaf: leaf, rest), BATCH)

        (loss, rest), grads = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), rest, opt_state, loss

    for _ in range(20):
        state, loss = step(state, BATCH)
        params, rest, opt_state, expected = pure(params, rest, opt_state)
        np.testing.assert_allclose(loss, expected, atol=1e-5)
    assert jax.tree.structure(state.buffers) == jax.tree.structure(rest)
    for ours, theirs in zip(jax.tree.leaves(state.buffers), jax.tree.leaves(rest), strict=True):
        assert ours.dtype == theirs.dtype
        if jnp.issubdtype(ours.dtype, jax.dtypes.prng_key):
            ours, theirs = jax.random.key_data(ours), jax.random.key_data(theirs)
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=1e-5)


LEVELS = ["O1", "O2", "O4", "O5"]
#: Each level with one of both.
HALF = [("nnx", "O1"), ("linen", "O2"), ("linen", "O4"), ("nnx", "O5")]


@pytest.mark.parametrize("kind, level", cases(itertools.product(PARTS, LEVELS), HALF))
def test_flax_learns_in_half(kind, level):
    loss_fn, params, rest = PARTS[kind]()
    step = capture_step(loss_fn, optax.adam(5e-3, eps=1e-4), params, BATCH, level, buffers=rest, batch_norm=is_norm)
    # The functions that flax hands on are seen under their own names.
    assert 'amp.function = "jax.nn.relu"' in step.module
    state, losses = step.init(params, rest), []
    for _ in range(30):
        state, loss = step(state, BATCH)
        losses.append(float(loss))
    assert losses[-1] < 0.3 * losses[0]
    half = {"O2": jnp.float16, "O5": jnp.bfloat16}.get(level, jnp.float32)
    types = {
        jax.tree_util.keystr(path): leaf.dtype
        for path, leaf in jax.tree_util.tree_leaves_with_path(step.model_params(state))
    }
    norms = {name for name in types if is_norm(name)}
    assert len(norms) == 2
    assert all(kind == (jnp.float32 if name in norms else half) for name, kind in types.items())
