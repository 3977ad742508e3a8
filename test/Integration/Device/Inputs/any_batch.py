"""Batches of small integers for any-batch.mlir, and what a step makes of them, which is exact in f16.

    any_batch.py make ROWS[,ROWS...] FILE.npz # a replay with a step of each size
    any_batch.py data ROWS FILE.npz           # a data set of these rows, the same target in each
    any_batch.py check FILE.npz SAVED.npz KIND

`check` compares the parameter of KIND in SAVED with the updates that FILE's batches give. Those of two steps are exact in f32.
"""

import sys

import numpy as np


def make(*sizes):
    values = {}
    for number, rows in enumerate(sizes):
        random = np.random.default_rng(rows)
        values.setdefault("arg0", random.integers(-1, 2, (16, 8)).astype("f"))
        values[f"step{number}_x0"] = random.integers(-1, 2, (rows, 16)).astype("f")
        values[f"step{number}_x1"] = random.integers(-2, 3, (rows, 8)).astype("f")
    return values


def train(values):
    """Losses, and the weight behind the last step."""
    w, losses = values["arg0"].astype(float), []
    while f"step{len(losses)}_x0" in values:
        x, y = (values[f"step{len(losses)}_{name}"].astype(float) for name in ("x0", "x1"))
        d = x @ w - y
        losses.append((d * d).sum() / 2)
        w = w - x.T @ d / 64
    return losses, w


match sys.argv[1:]:
    case "make", rows, file:
        values = make(*map(int, rows.split(",")))
        np.savez(file, losses=train(values)[0], **values)
    case "data", rows, file:
        values = make(int(rows))
        np.savez(file, x0=values["step0_x0"], x1=values["step0_x1"])
    case "check", file, saved, kind:
        expected = train(np.load(file))[1]
        got = np.load(saved)[f"{kind}/w"]
        if not np.array_equal(got, expected.astype("f")):
            sys.exit(f"expected {expected}, but got {got}")
    case _:
        sys.exit(__doc__)
