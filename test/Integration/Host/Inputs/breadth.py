"""Trains one of the small modules at every level and compares with NumPy.

    breadth.py MODULE MODEL [options of amp-run]

For each level, with a dynamic scale and with the level's own: losses and state of
some steps are those of the model in f64, within the rounding of the level (O0:
f32; otherwise half, 2^-10 for f16 and 2^-7 for bf16, times the length of the
chains); compiling the compiled module again changes nothing; and with an infinity
in each gradient in turn at step 1, exactly the optimizers that it reaches skip.
"""

import subprocess
import sys

import numpy as np

import amprun

rng = np.random.RandomState(0)
STEPS = 3
# Gradients here are of order 1: at 2^16 they would overflow.
SCALE = "--max-loss-scale=1024"


def normal(*shape):
    return rng.normal(size=shape).astype(np.float32)


def square_loss(w, x, t):
    """Loss and gradient of sum((x w - t)^2) / 8."""
    d = x @ w - t
    return (d * d).sum() / 8, x.T @ (d / 4)


class Accumulation:
    start = {"w": normal(3, 2)}
    batches = [normal(4, 3), normal(4, 2), normal(4, 3), normal(4, 2)]
    skips = {"w": {"w"}}

    def step(self, state, batch, skipped):
        l0, g0 = square_loss(state["w"], batch[0], batch[1])
        l1, g1 = square_loss(state["w"], batch[2], batch[3])
        if "w" not in skipped:
            state["w"] = state["w"] - (g0 + g1) / 8
        return self.losses(l0, l1)

    def losses(self, l0, l1):
        return [l0 + l1]


class TwoLosses(Accumulation):
    def losses(self, l0, l1):
        return [l0, l1]


class MicroBatches:
    """One backward pass, for each half of the rows, by --micro-batches=2."""

    start = {"w": normal(3, 2), "mean": np.zeros((), np.float32)}
    batches = [normal(8, 3), normal(8, 2)]
    skips = {"w": {"w"}}

    def step(self, state, batch, skipped):
        x, t = batch
        losses, gradient = [], 0
        for rows in (slice(0, 4), slice(4, 8)):
            loss, g = square_loss(state["w"], x[rows], t[rows])
            losses.append(loss)
            gradient = gradient + g / 2
            state["mean"] = (state["mean"] + loss) / 2
        if "w" not in skipped:
            state["w"] = state["w"] - gradient / 8
        return [np.mean(losses)]


class Clip:
    start = {"w": normal(3, 2)}
    batches = [normal(4, 3), normal(4, 2)]
    skips = {"w": {"w"}}

    def step(self, state, batch, skipped):
        loss, g = square_loss(state["w"], *batch)
        norm = np.sqrt((g * g).sum())
        if "w" not in skipped:
            state["w"] = state["w"] - g * min(0.5 / norm, 1) / 8
        return [loss]


class Dynamic:
    """Batches of 4, 5 and 6 rows."""

    start = {"w": normal(3, 2)}
    batches = [normal(4, 3), normal(4, 2)]
    skips = {"w": {"w"}}

    def batch(self, step):
        return [normal(4 + step, 3), normal(4 + step, 2)]

    def step(self, state, batch, skipped):
        loss, g = square_loss(state["w"], *batch)
        if "w" not in skipped:
            state["w"] = state["w"] - g / 8
        return [loss]


class Gan:
    start = {"d": normal(3, 1), "g": normal(2, 3), "g.momentum": np.zeros((2, 3), np.float32),
             "step": np.zeros((), np.int32)}
    batches = [normal(4, 3), normal(4, 2)]
    skips = {"d": {"d"}, "g": {"g"}}

    def step(self, state, batch, skipped):
        x, z = batch
        d, g = state["d"], state["g"]
        fake = z @ g
        real, score = x @ d - 1, fake @ d
        loss_d = ((real * real).sum() + (score * score).sum()) / 4
        if "d" not in skipped:
            state["d"] = d = d - (x.T @ (real / 2) + fake.T @ (score / 2)) / 8
        score = z @ g @ d - 1
        loss_g = (score * score).sum() / 4
        gradient = z.T @ ((score / 2) @ d.T)
        if "g" not in skipped:
            state["g.momentum"] = state["g.momentum"] / 2 + gradient
            state["g"] = g - state["g.momentum"] / 8
            state["step"] = state["step"] + 1
        return [loss_d, loss_g]


class Mixed:
    start = {"w": normal(3, 3), "frozen": normal(3, 3), "unused": normal(5), "idle": normal(3),
             "rate": np.array(0.125)}
    skips = {"w": {"w", "idle"}, "idle": {"w", "idle"}}

    def batch(self, step):
        return [normal(4, 3), rng.randint(0, 3, 4).astype(np.int64), rng.rand(4, 3) < 0.8,
                rng.rand(4), normal(4, 3).astype(np.float16)]

    def step(self, state, batch, skipped):
        x, t, mask, weight, row = batch
        w = state["w"]
        h1 = np.maximum(x @ state["frozen"], 0)
        h2 = np.maximum(h1 @ w, 0)
        row = row.astype(np.float64)
        d = np.where(mask, h2 @ w * row, 0) - np.eye(3)[t.astype(np.int64)]
        loss = (d * d * weight[:, None]).sum() / 16
        g = np.where(mask, d / 8 * weight[:, None], 0) * row
        gradient = h2.T @ g + h1.T @ np.where(h2 > 0, g @ w.T, 0)
        if "w" not in skipped:
            state["w"] = w - gradient * state["rate"]
        return [loss]


class Recurrent:
    start = {"wx": normal(3, 2), "wh": normal(2, 2)}
    batches = [normal(3, 4, 3), normal(4, 2)]
    skips = {"wh": {"wx", "wh"}}

    def step(self, state, batch, skipped):
        x, t = batch
        h = [np.zeros((4, 2))]
        for xi in x:
            h.append(np.tanh(xi @ state["wx"] + h[-1] @ state["wh"]))
        d = h[-1] - t
        g, gx, gh = d / 4, 0, 0
        for i in reversed(range(len(x))):
            g = g * (1 - h[i + 1] ** 2)
            gx, gh = gx + x[i].T @ g, gh + h[i].T @ g
            g = g @ state["wh"].T
        if "wx" not in skipped:
            state["wx"], state["wh"] = state["wx"] - gx / 8, state["wh"] - gh
        return [(d * d).sum() / 8]


class Embedding:
    start = {"table": normal(5, 3), "w": normal(3, 2), "key": np.array(3, np.int64)}
    skips = {"table": {"table", "w"}, "w": {"table", "w"}}

    def batch(self, step):
        return [rng.randint(0, 5, 4).astype(np.int64), normal(4, 2)]

    def step(self, state, batch, skipped):
        ids, t = batch
        mask = ((np.arange(12).reshape(4, 3) * 5 + state["key"]) & 8) != 0
        h = np.where(mask, 2 * state["table"][ids], 0)
        loss, gw = square_loss(state["w"], h, t)
        gt = np.zeros((5, 3))
        np.add.at(gt, ids, np.where(mask, 2 * ((h @ state["w"] - t) / 4) @ state["w"].T, 0))
        state["key"] = state["key"] + 7  # a skipped step has drawn its numbers
        if "w" not in skipped:
            state["table"], state["w"] = state["table"] - gt / 8, state["w"] - gw / 8
        return [loss]


class Convolutions:
    """Depthwise (taps at 0 and 1), then two groups with taps at 0 and 2."""

    start = {"d": normal(2, 3, 2), "w": normal(2, 2, 3, 2)}
    batches = [normal(2, 2, 3, 6), normal(2, 2, 2, 3)]
    skips = {"d": {"d", "w"}}

    def step(self, state, batch, skipped):
        x, t = batch
        d, w = state["d"], state["w"]
        h = sum(x[..., k:k + 5] * d[..., k, None] for k in (0, 1))
        e = sum(np.einsum("ngct,goc->ngot", h[..., 2 * k:2 * k + 3], w[..., k]) for k in (0, 1)) - t
        gw, gh = np.zeros(w.shape), np.zeros(h.shape)
        for k in (0, 1):
            gw[..., k] = np.einsum("ngct,ngot->goc", h[..., 2 * k:2 * k + 3], e / 4)
            gh[..., 2 * k:2 * k + 3] += np.einsum("ngot,goc->ngct", e / 4, w[..., k])
        gd = np.stack([(x[..., k:k + 5] * gh).sum((0, 3)) for k in (0, 1)], -1)
        if "d" not in skipped:
            state["d"], state["w"] = d - gd / 32, w - gw / 32
        return [(e * e).sum() / 8]


def make_arrays(model):
    """The replay: start values by argument, and batches by step."""
    arrays = {f"arg{i}": value for i, value in enumerate(model.start.values())}
    batches = []
    for step in range(STEPS):
        if hasattr(model, "batch"):
            batches.append(model.batch(step))
        else:
            batches.append([normal(*array.shape) for array in model.batches])
        for i, array in enumerate(batches[-1]):
            arrays[f"step{step}_x{i}"] = array
    return arrays, batches


def reference(model, batches, skipped_at_1=()):
    state = {name: value.astype(np.float64) if value.dtype.kind == "f" else value
             for name, value in model.start.items()}
    losses = []
    for step, batch in enumerate(batches):
        wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in batch]
        losses.append(model.step(state, wide, skipped_at_1 if step == 1 else ()))
    return losses, state


def compare(what, run, losses, state, tolerance):
    for record, expected in zip(run.log, losses):
        got = record["loss"]
        got = list(got.values()) if isinstance(got, dict) else got
        got = got if isinstance(got, list) else [got]
        if not np.allclose(got, expected, rtol=tolerance, atol=tolerance):
            sys.exit(f"{what}: losses {got} of step {record['step']}, expected {expected}")
    for name, expected in state.items():
        found = [key for key in run.state if key.split("/", 1)[1] == name]
        assert found, (what, name, list(run.state))
        for key in found:
            got = amprun.to_float(run.state[key])
            if not np.allclose(got, expected, rtol=tolerance, atol=tolerance):
                sys.exit(f"{what}: {key} is\n{got}\nexpected\n{expected}")


def check_idempotent(module, level, options):
    pipeline = "--amp-mixed-precision=" + " ".join(
        [f"opt-level={level}", "verbosity=0"] + [option.removeprefix("--") for option in options])
    once = subprocess.run(["amp-opt", module, pipeline], capture_output=True, text=True, check=True)
    twice = subprocess.run(["amp-opt", "-", pipeline], input=once.stdout, capture_output=True,
                           text=True, check=True)
    if once.stdout != twice.stdout:
        sys.exit(f"{level}: a second run of the pipeline changes the module")


def main():
    module, name, *options = sys.argv[1:]
    options.append(SCALE)
    model = {"accumulation": Accumulation, "two_losses": TwoLosses, "clip": Clip, "gan": Gan,
             "micro_batches": MicroBatches,
             "dynamic": Dynamic, "mixed": Mixed, "recurrent": Recurrent,
             "embedding": Embedding, "convolutions": Convolutions}[name]()
    arrays, batches = make_arrays(model)
    losses, state = reference(model, batches)
    for level in ("O0", "O1", "O2", "O3", "O4", "O5"):
        tolerance = {"O0": 1e-5, "O4": 8 * 2**-7, "O5": 8 * 2**-7}.get(level, 8 * 2**-10)
        for scale in ([], ["--loss-scale=dynamic"]):
            run = amprun.run(module, level, arrays, *options, *scale)
            compare(f"{level} {' '.join(scale)}", run, losses, state, tolerance)
        check_idempotent(module, level, options)
        for parameter, skipped in model.skips.items():
            what = f"{level} with an inf in the gradient of {parameter}"
            run = amprun.run(module, level, arrays, *options, "--loss-scale=dynamic",
                             f"--inject=1:{parameter}:0:inf")
            compare(what, run, *reference(model, batches, skipped), tolerance)
    print("all levels agree")


if __name__ == "__main__":
    main()
