# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of FP16_Optimizer and of the scaler beside it, the same for Apex and for ours.

    fp16_runs.py APEX OUT

records what Apex's own code gives. APEX is a checkout of NVIDIA Apex at the parent of
cb65b8ed, the last revision that has apex.fp16_utils; its Python runs unchanged, on CPU
tensors that say they are on a device, with its own fallback for its fused kernels.
fp16_optimizer_apex.json was recorded so with torch 2.13.0 (CPU); test_torch_fp16_utils.py
replays it.

The loss is the sum over the parameters of dot(parameter, x): x is the gradient, and
where x times the scale is above 65504 a half gradient overflows. SGD, rate 2^-4, momentum
1/2. Parameters: a, c half; b FP32 (where `has_fp32`); f half and frozen; c in a second
group.
"""

import contextlib
import copy
import importlib
import io
import json
import random
import sys

import torch

SIZES = {"a": 4, "b": 3, "f": 2, "c": 2}


def make_runs():
    """What is run: arguments of the constructor, and events in their order."""
    runs = []
    for seed in range(36):
        rng = random.Random(seed)
        kind = ["static", "dynamic", "losses", "naive", "closure", "checkpoint"][seed % 6]
        arguments = {"static_loss_scale": rng.choice([1.0, 128.0, 3.0])}
        if kind != "static":
            arguments = {"dynamic_loss_scale": True}
            if kind == "naive":  # a scale that changes between two losses is test_torch_fp16_utils.py's
                arguments["dynamic_loss_args"] = {"init_scale": 256.0}
            elif rng.random() < 0.75:
                arguments["dynamic_loss_args"] = rng.choice(
                    [
                        {"init_scale": 2.0**10, "scale_window": 3},
                        {"init_scale": 2.0**32},
                        {"init_scale": 64.0, "scale_window": 2, "max_loss_scale": 256.0},
                        {"init_scale": 64.0, "min_loss_scale": 32.0, "scale_window": 4},
                    ]
                )
        has_fp32 = kind != "naive"
        events = [event for _ in range(8) for event in _make_iteration(rng, kind, has_fp32)]
        runs.append(
            {
                "id": f"{kind}-{seed}",
                "arguments": arguments,
                "has_fp32": has_fp32,
                "initial": {name: _draw(rng, size) for name, size in SIZES.items()},
                "events": events,
            }
        )
    return runs


def _draw(rng, size, limit=128):
    return [rng.randrange(-limit, limit) / 64 for _ in range(size)]


def _make_iteration(rng, kind, has_fp32):
    def draw_x():
        x = {name: _draw(rng, SIZES[name]) for name in ("a", "b", "c") if has_fp32 or name != "b"}
        if rng.random() < 0.2 and kind != "naive":
            x[rng.choice(list(x))][0] = rng.choice(["inf", "-inf", "nan"])
        if rng.random() < 0.2:
            del x["c"]  # has no gradient
        return x

    if kind == "closure":
        # As a list: a closure that overflows is called again.
        return [["closure", [draw_x(), {"a": [1.0] * 4}, {"a": [1.0] * 4}]]] if rng.random() < 0.8 else []
    events = [["zero", rng.random() < 0.5]]
    if kind == "losses":
        events += [["backward", draw_x(), False] for _ in range(rng.choice([1, 2, 3]))] + [["update"]]
    else:
        events += [["backward", draw_x(), True] for _ in range(2 if kind == "naive" else 1)]
    if rng.random() < 0.3:
        events.append(["clip", rng.choice([0.5, 2.0]), rng.choice([2, 1, "inf"])])
    if rng.random() < 0.3:
        events.append(["inspect"])
    if rng.random() < 0.9:
        events.append(["step"])
    if rng.random() < 0.1 and kind == "dynamic":
        events.append(["set_scale", 512.0])
    if rng.random() < 0.4 and kind == "checkpoint":
        events.append(["reload"])
    return events


class Run:
    """A run under way, with the classes of `fp16_utils`."""

    def __init__(self, fp16_utils, run):
        self.fp16_utils, self.run = fp16_utils, run
        self._make()

    def _make(self):
        self.parameters = {}
        for name, values in self.run["initial"].items():
            if name == "b" and not self.run["has_fp32"]:
                continue
            dtype = torch.float32 if name == "b" else torch.float16
            parameter = torch.nn.Parameter(torch.tensor(values, dtype=dtype))
            self.parameters[name] = parameter.requires_grad_(name != "f")
        first = [p for name, p in self.parameters.items() if name != "c"]
        sgd = torch.optim.SGD([{"params": first}, {"params": [self.parameters["c"]]}], lr=2.0**-4, momentum=0.5)
        self.optimizer = self.fp16_utils.FP16_Optimizer(sgd, **self.run["arguments"])

    def get_loss(self, x):
        return sum(
            (
                self.parameters[name]
                * torch.tensor([float(value) for value in values], dtype=self.parameters[name].dtype)
            )
            .float()
            .sum()
            for name, values in x.items()
        )

    def do(self, event):
        kind, *rest = event
        optimizer = self.optimizer
        if kind == "zero":
            return optimizer.zero_grad(set_grads_to_None=rest[0])
        if kind == "backward":
            return optimizer.backward(self.get_loss(rest[0]), update_master_grads=rest[1])
        if kind == "update":
            return optimizer.update_master_grads()
        if kind == "clip":
            return float(optimizer.clip_master_grads(*rest))
        if kind == "inspect":
            grads = optimizer.inspect_master_grad_data()
            return grads and [[None if grad is None else grad.tolist() for grad in group] for group in grads]
        if kind == "step":
            return optimizer.step()
        if kind == "set_scale":
            optimizer.loss_scale = rest[0]
            return None
        if kind == "closure":
            xs = iter(rest[0])

            def closure():
                optimizer.zero_grad()
                loss = self.get_loss(next(xs))
                optimizer.backward(loss)
                return loss

            # A list that is at its end ends the closure's own calls.
            try:
                loss = optimizer.step(closure)
                return None if loss is None else loss.item()
            except StopIteration:
                return "at its end"
        assert kind == "reload"
        state = copy.deepcopy(optimizer.state_dict())
        values = {name: p.detach().clone() for name, p in self.parameters.items()}
        self._make()
        with torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(values[name])
        self.optimizer.load_state_dict(state)
        return None

    def look(self):
        """What a user can see now."""
        optimizer = self.optimizer
        groups = optimizer.param_groups
        grads = None
        if not optimizer.overflow:
            grads = [p.grad if p.grad is None else p.grad.tolist() for g in groups for p in g["params"]]
        return {
            "loss_scale": optimizer.loss_scale,
            "unskipped": optimizer.loss_scaler._unskipped,
            "overflow": bool(optimizer.overflow),
            "master_grads": grads,
            "masters": [p.tolist() for g in groups for p in g["params"]],
            "model": {name: p.tolist() for name, p in self.parameters.items() if name != "b"},
        }


def play(fp16_utils, run):
    """Rows of a run: what each event returned, printed, and left."""
    rows = []
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        player = Run(fp16_utils, run)
    rows.append({"printed": printed.getvalue(), **player.look()})
    for event in run["events"]:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            result = player.do(event)
        rows.append({"result": result, "printed": printed.getvalue(), **player.look()})
    return rows


def make_scaler_runs():
    """Runs of DynamicLossScaler: arguments, and the overflows of the iterations."""
    runs = []
    for seed in range(12):
        rng = random.Random(seed)
        arguments = {}
        if seed % 2:
            arguments = {
                "init_scale": rng.choice([8.0, 2.0**20, 0.5]),
                "scale_factor": rng.choice([2.0, 4.0]),
                "scale_window": rng.choice([1, 2, 5]),
            }
        rate = rng.choice([0.05, 0.3, 0.6])
        # At the defaults: halved to the floor, then long enough to grow twice.
        overflows = [int(rng.random() < rate) for _ in range(60)] if seed % 2 else [1] * (seed * 4) + [0] * 2100
        runs.append({"arguments": arguments, "overflows": overflows})
    return runs


def play_scaler(fp16_utils, run):
    """[iteration, loss_scale, cur_iter, last_overflow_iter] wherever the scale changed, and at the end."""
    scaler = fp16_utils.DynamicLossScaler(**run["arguments"])
    rows, scale = [], None
    for i, overflow in enumerate(run["overflows"]):
        scaler.update_scale(bool(overflow))
        if scaler.loss_scale != scale or i + 1 == len(run["overflows"]):
            scale = float(scaler.loss_scale)
            rows.append([i, scale, scaler.cur_iter, scaler.last_overflow_iter])
    return rows


def record(folder):
    import types

    from apex_own_tests import LeavingTheDevice, map_devices

    map_devices()
    # Apex's own package imports its kernels; its folders do not.
    apex = types.ModuleType("apex")
    apex.__path__ = [f"{folder}/apex"]
    apex.deprecated_warning = lambda text: None
    sys.modules["apex"] = apex
    importlib.import_module("apex.amp")  # first, as each imports the other
    from apex import fp16_utils

    with LeavingTheDevice():
        runs = [{**run, "rows": _tidy(play(fp16_utils, run))} for run in make_runs()]
    scalers = [{**run, "rows": play_scaler(fp16_utils, run)} for run in make_scaler_runs()]
    return {"what": "apex.fp16_utils at the parent of cb65b8ed, see fp16_runs.py", "runs": runs, "scalers": scalers}


def _tidy(rows):
    """Without the line that is about Apex itself, and with the types of the CPU."""
    for row in rows:
        lines = row["printed"].replace("torch.cuda.", "torch.").splitlines(keepends=True)
        row["printed"] = "".join(line for line in lines if "is deprecated" not in line and "multi_tensor" not in line)
    return rows


def _spell(value):
    """NaN and infinities as strings."""
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    if isinstance(value, dict):
        return {key: _spell(element) for key, element in value.items()}
    return [_spell(element) for element in value] if isinstance(value, list) else value


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    with open(sys.argv[2], "w") as file:
        json.dump(_spell(record(sys.argv[1])), file, separators=(",", ":"))
