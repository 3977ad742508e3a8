"""Batches of small integers for any-batch.mlir, and what a step makes of them, which is exact in f16.

    any_batch.py make ROWS FILE.npz           # a replay of one step
    any_batch.py data ROWS FILE.npz           # a data set of these rows, the same target in each
    any_batch.py check FILE.npz SAVED.npz KIND

`check` compares the parameter of KIND in SAVED with the update that FILE's batch gives.
"""

import sys

import numpy as np


def make(rows):
    random = np.random.default_rng(rows)
    return {
        "arg0": random.integers(-1, 2, (16, 8)).astype("f"),
        "step0_x0": random.integers(-1, 2, (rows, 16)).astype("f"),
        "step0_x1": random.integers(-2, 3, (rows, 8)).astype("f"),
    }


def step(values):
    x, w = values["step0_x0"].astype(float), values["arg0"].astype(float)
    d = x @ w - values["step0_x1"]
    return (d * d).sum() / 2, w - x.T @ d / 64


match sys.argv[1:]:
    case "make", rows, file:
        values = make(int(rows))
        np.savez(file, losses=[step(values)[0]], **values)
    case "data", rows, file:
        values = make(int(rows))
        np.savez(file, x0=values["step0_x0"], x1=values["step0_x1"])
    case "check", file, saved, kind:
        expected = step(np.load(file))[1]
        got = np.load(saved)[f"{kind}/w"]
        if not np.array_equal(got, expected.astype("f")):
            sys.exit(f"expected {expected}, but got {got}")
    case _:
        sys.exit(__doc__)
