# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the samples that were captured from JAX (test/Inputs/samples): what the
tests capture again, from the values and batches that are stored beside them."""

import pathlib
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

SAMPLES = pathlib.Path(__file__).parents[2] / "test" / "Inputs" / "samples"

WIDTH, HEADS, TOKENS, LENGTH = 64, 4, 96, 32


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def mlp_loss(p, batch):
    x, y = batch
    for name in ("l1", "l2"):
        with jax.named_scope(name):
            x = jax.nn.relu(x @ p[name]["w"] + p[name]["b"])
    with jax.named_scope("l3"):
        x = x @ p["l3"]["w"] + p["l3"]["b"]
    return cross_entropy(x, y)


def cnn_loss(p, b, batch):
    x, y = batch
    new = {}
    for i in "12":
        with jax.named_scope("conv" + i):
            x = jax.lax.conv_general_dilated(x, p["c" + i], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        with jax.named_scope("bn" + i):
            m, v = x.mean((0, 1, 2)), x.var((0, 1, 2))
            new["m" + i] = 0.9 * b["m" + i] + 0.1 * m
            new["v" + i] = 0.9 * b["v" + i] + 0.1 * v
            x = (x - m) * jax.lax.rsqrt(v + 1e-5) * p["g" + i] + p["b" + i]
        with jax.named_scope("pool" + i):
            x = jax.nn.relu(x)
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(x.shape[0], -1)
    with jax.named_scope("fc"):
        x = x @ p["fc"]["w"] + p["fc"]["b"]
    return cross_entropy(x, y), new


def layer_norm(p, x, name):
    with jax.named_scope(name):
        m = x.mean(-1, keepdims=True)
        v = ((x - m) ** 2).mean(-1, keepdims=True)
        return (x - m) * jax.lax.rsqrt(v + 1e-5) * p["g"] + p["b"]


def gpt_loss(p, batch):
    ids, y = batch
    with jax.named_scope("embed"):
        x = p["wte"][ids] + p["wpe"]
    n = ids.shape[0]
    q = p["h0"]
    with jax.named_scope("h0"):
        with jax.named_scope("attn"):
            h = layer_norm(q["ln1"], x, "ln1") @ q["qkv"]["w"] + q["qkv"]["b"]
            a, c, d = (z.reshape(n, LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3) for z in jnp.split(h, 3, -1))
            s = a @ c.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS)
            s = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), s, -1e9)
            o = (jax.nn.softmax(s, -1) @ d).transpose(0, 2, 1, 3).reshape(n, LENGTH, WIDTH)
            x = x + o @ q["proj"]["w"] + q["proj"]["b"]
        with jax.named_scope("mlp"):
            h = jax.nn.gelu(layer_norm(q["ln2"], x, "ln2") @ q["fc"]["w"] + q["fc"]["b"])
            x = x + h @ q["out"]["w"] + q["out"]["b"]
    h = layer_norm(p["lnf"], x, "lnf")
    with jax.named_scope("head"):
        h = h @ p["wte"].T
    return cross_entropy(h, y)


def dense(i, o):
    return {"w": (i, o), "b": (o,)}


def norm():
    return {"g": (WIDTH,), "b": (WIDTH,)}


# Shapes of parameters, and of buffers.
MLP = {"l1": dense(64, 128), "l2": dense(128, 64), "l3": dense(64, 10)}
CNN = {
    **{"c1": (3, 3, 1, 8), "g1": (8,), "b1": (8,), "c2": (3, 3, 8, 16), "g2": (16,), "b2": (16,)},
    "fc": dense(64, 10),
}
CNN_BUFFERS = {"m1": (8,), "v1": (8,), "m2": (16,), "v2": (16,)}
GPT = {
    "wte": (TOKENS, WIDTH),
    "wpe": (LENGTH, WIDTH),
    "h0": {
        **{"ln1": norm(), "ln2": norm(), "qkv": dense(WIDTH, 3 * WIDTH), "proj": dense(WIDTH, WIDTH)},
        **{"fc": dense(WIDTH, 4 * WIDTH), "out": dense(4 * WIDTH, WIDTH)},
    },
    "lnf": norm(),
}
CNN_NORMS = [f"['{kind}{i}']" for kind in "gbmv" for i in "12"]


class Sample(NamedTuple):
    """A stored training of three steps."""

    name: str
    loss_fn: object
    optimizer: object
    params: object
    buffers: object  # None without
    batch_norm: list
    batches: list
    losses: np.ndarray
    final: list  # parameters and buffers afterwards

    def text(self):
        return (SAMPLES / f"{self.name}.mlir").read_text()

    def pure_step(self):
        """The step as JAX alone takes it."""

        @jax.jit
        def step(params, buffers, state, batch):
            if buffers is None:
                loss, grads = jax.value_and_grad(self.loss_fn)(params, batch)
            else:
                both = jax.value_and_grad(self.loss_fn, has_aux=True)(params, buffers, batch)
                (loss, buffers), grads = both
            updates, state = self.optimizer.update(grads, state, params)
            return optax.apply_updates(params, updates), buffers, state, loss

        return step


def read(name):
    loss_fn, optimizer, shapes, buffer_shapes, norms = {
        "jax_mlp_digits": (mlp_loss, optax.sgd(0.1, momentum=0.9), MLP, None, []),
        "jax_cnn_digits": (cnn_loss, optax.sgd(0.05, momentum=0.9), CNN, CNN_BUFFERS, CNN_NORMS),
        "jax_gpt_tiny": (gpt_loss, optax.adamw(1e-3), GPT, None, []),
    }[name]
    stored = np.load(SAMPLES / f"{name}.npz")
    leaves, structure = jax.tree.flatten(
        (shapes, buffer_shapes), is_leaf=lambda x: isinstance(x, tuple) and len(x) > 0 and isinstance(x[0], int)
    )
    arrays = [jnp.asarray(stored[f"arg{i}"]) for i in range(len(leaves))]
    assert [array.shape for array in arrays] == leaves
    params, buffers = jax.tree.unflatten(structure, arrays)
    batches = [tuple(jnp.asarray(stored[f"step{i}_x{j}"]) for j in range(2)) for i in range(3)]
    final = [stored[f"final{i}"] for i in range(len(leaves))]
    return Sample(name, loss_fn, optimizer, params, buffers, norms, batches, stored["losses"], final)


NAMES = ["jax_mlp_digits", "jax_cnn_digits", "jax_gpt_tiny"]
