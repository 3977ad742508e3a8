# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolutional network on 8x8 handwritten digits, in JAX, each step one call of a compiled program.

    python jax_digits.py --opt-level O2 --steps 300

The step is captured once; jitted, it updates its state in place. Parameters, Adam's state, running
statistics and the loss scale are one pytree.
"""

import argparse
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from mlir_amp.jax import capture_step

DIGITS = pathlib.Path(__file__).parents[2] / "share" / "digits"


def read(name):
    """Images as N x 8 x 8 x 1 in [0, 1], and labels."""
    arrays = np.load(DIGITS / name)
    return arrays["x0"].astype(np.float32).reshape(-1, 8, 8, 1), arrays["x1"].astype(np.int32)


def make_params(key):
    """Two convolutions with batch norms, and a layer; and what the norms remember."""

    def he(key, *shape):
        return jax.random.normal(key, shape) * np.sqrt(2 / np.prod(shape[:-1]))

    keys, channels = jax.random.split(key, 3), (1, 16, 32)
    params = {"fc": {"w": he(keys[2], 128, 10), "b": jnp.zeros(10)}}
    statistics = {}
    for i in (0, 1):
        size = channels[i + 1]
        params[f"conv{i}"] = he(keys[i], 3, 3, channels[i], size)
        params[f"norm{i}"] = {"scale": jnp.ones(size), "bias": jnp.zeros(size)}
        statistics[f"norm{i}"] = {"mean": jnp.zeros(size), "var": jnp.ones(size)}
    return params, statistics


def apply(params, statistics, x, training):
    """Logits, and the new statistics."""
    new = {}
    for i in (0, 1):
        conv, norm, known = params[f"conv{i}"], params[f"norm{i}"], statistics[f"norm{i}"]
        dimensions = ("NHWC", "HWIO", "NHWC")
        x = jax.lax.conv_general_dilated(x, conv, (1, 1), "SAME", dimension_numbers=dimensions)
        now = {"mean": x.mean((0, 1, 2)), "var": x.var((0, 1, 2))} if training else known
        new[f"norm{i}"] = jax.tree.map(lambda old, value: 0.9 * old + 0.1 * value, known, now)
        x = (x - now["mean"]) * jax.lax.rsqrt(now["var"] + 1e-5) * norm["scale"] + norm["bias"]
        x = jax.nn.relu(x)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(len(x), -1) @ params["fc"]["w"] + params["fc"]["b"], new


def loss_fn(params, statistics, batch):
    images, labels = batch
    logits, new = apply(params, statistics, images, training=True)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt-level", default="O1", help="O0 to O5")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--losses", help="text file to write each step's loss to")
    options = parser.parse_args()
    images, labels = read("digits_train.npz")
    choose = np.random.default_rng(1)

    def make_batch():
        chosen = choose.integers(len(images), size=options.batch)
        return images[chosen], labels[chosen]

    params, statistics = make_params(jax.random.key(1))
    step = capture_step(
        loss_fn,
        optax.adam(2e-3, eps=1e-4),
        params,
        make_batch(),
        options.opt_level,
        buffers=statistics,
        batch_norm=lambda name: "norm" in name,
    )
    state = step.init(params, statistics)
    take = jax.jit(step, donate_argnums=0)
    losses, seconds = [], []
    for _ in range(options.steps):
        started = time.perf_counter()
        state, loss = take(state, make_batch())
        losses.append(float(loss))
        seconds.append(time.perf_counter() - started)

    images, labels = read("digits_test.npz")
    logits, _ = apply(jax.tree.map(jnp.float32, step.model_params(state)), state.buffers, images, training=False)
    accuracy = float((logits.argmax(1) == labels).mean())
    scale = state.loss_scale
    skipped = f"{int(scale.skipped)} of {options.steps} steps skipped"
    print(f"{options.opt_level}: loss {losses[-1]:.4f}, {skipped}, accuracy {accuracy:.4f}")
    print(f"scale {float(scale.loss_scale):g}, {1e3 * sorted(seconds)[len(seconds) // 2]:.2f} ms a step")
    if options.losses:
        pathlib.Path(options.losses).write_text("".join(f"{loss!r}\n" for loss in losses))


if __name__ == "__main__":
    main()
