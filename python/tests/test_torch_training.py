# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Apex's recorded training runs, step by step, within the tolerances recorded with them."""

import math

import numpy
import pytest
import torch
from conftest import ORACLES, read_oracle
from mlir_amp.torch import amp
from mlir_amp.torch.amp import _amp_state
from torch.nn import functional

RECORDED = read_oracle("training_apex.json")
RUNS = {run["id"]: run for run in RECORDED["runs"]}
ARRAYS = numpy.load(ORACLES / "weights_and_batches.npz")
DIGITS = numpy.load(ORACLES / "digits.npz")


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(64, 128), torch.nn.Linear(128, 10)

    def forward(self, x):
        return self.fc2(functional.relu(self.fc1(x)))


class Cnn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
        self.conv2, self.bn2 = torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.BatchNorm2d(16)
        self.fc = torch.nn.Linear(64, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(x))), 2)
        x = functional.max_pool2d(functional.relu(self.bn2(self.conv2(x))), 2)
        return self.fc(x.flatten(1))


def get_limits(run):
    """The first row of the recorded tolerances that is about this run."""
    run = {**run, "opt_level": run["initialize"]["opt_level"], "loss_scale": run["properties"]["loss_scale"]}

    def fits(pattern):
        return all(
            run[key] in expected if isinstance(expected, list) else run[key] == expected
            for key, expected in pattern.items()
        )

    for row in RECORDED["tolerances"]:
        patterns = row["for"] if isinstance(row["for"], list) else [row["for"]]
        if any(map(fits, patterns)):
            return row["limits"]
    raise AssertionError("no tolerances for this run")


def make(run):
    model = Mlp() if run["model"] == "mlp" else Cnn()
    prefix = f"init/{run['model']}-s{run['seed']}/"
    state = model.state_dict()
    for key in state:
        if prefix + key in ARRAYS:
            state[key] = torch.from_numpy(ARRAYS[prefix + key])
    model.load_state_dict(state)
    if run["optimizer"] == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    else:
        options = {"lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-8, **run["optimizer_overrides"]}
        optimizer = torch.optim.Adam(model.parameters(), **options)
    return model, optimizer


@pytest.mark.parametrize("name", RUNS)
def test_run(name):
    run = RUNS[name]
    torch.set_num_threads(1)
    model, optimizer = amp.initialize(*make(run), verbosity=0, **run["initialize"])
    for key, value in run["properties"].items():
        actual = getattr(_amp_state.opt_properties, key)
        assert str(actual) == str(value).removeprefix("torch."), key
    images = torch.from_numpy(DIGITS["images"].astype(numpy.float32) / 16.0)
    if run["model"] == "cnn":
        images = images.reshape(-1, 1, 8, 8)
    labels = torch.from_numpy(DIGITS["labels"].astype(numpy.int64))
    order = ARRAYS[f"order/s{run['seed']}-b{run['batch']}"]
    injected = {entry["step"]: entry for entry in run.get("inject", [])}
    limits = get_limits(run)
    columns = run["columns"]
    scaler = _amp_state.loss_scalers[0]
    for number, values in enumerate(run["steps"]):
        row = dict(zip(columns, values, strict=True))
        batch = torch.from_numpy(order[number].astype(numpy.int64))
        before = scaler.loss_scale()
        loss = functional.cross_entropy(model(images[batch]), labels[batch])
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
            if number in injected:
                entry = injected[number]
                parameter = dict(model.named_parameters())[entry["param"]]
                parameter.grad.view(-1)[entry["index"]] = float(entry["value"])
        skipped = amp.is_skipping(optimizer)
        where = f"step {number}"
        bound = limits.get(
            "loss, step 0" if number == 0 else "loss, steps 0 to 9" if number < 10 else "loss, all steps"
        )
        if bound is None:
            return  # at the limit of half: overflows may differ from here on
        if math.isnan(row["loss"]):
            assert math.isnan(loss.item()), where
        else:
            assert abs(loss.item() - row["loss"]) <= bound, where
        # Nine digits give the FP32 number back.
        assert numpy.float32(before) == numpy.float32(row["scale_before"]), where
        assert numpy.float32(scaler.loss_scale()) == numpy.float32(row["scale_after"]), where
        assert scaler._unskipped == row["unskipped_after"], where
        assert skipped == bool(row["skipped"]), where
        norm = row["unscaled_grad_norm"]
        if norm is not None and "gradient norm, relative" in limits and math.isfinite(norm):
            grads = [p.grad.double().norm() for p in amp.master_params(optimizer) if p.grad is not None]
            actual = torch.stack(grads).norm().item()
            assert actual == pytest.approx(norm, rel=limits["gradient norm, relative"]), where
        optimizer.step()
        optimizer.zero_grad()
    dtypes = {key: str(p.dtype).removeprefix("torch.") for key, p in model.named_parameters()}
    assert dtypes == run["dtypes"]
    masters = {str(p.dtype).removeprefix("torch.") for p in amp.master_params(optimizer)}
    assert masters == set(run["master_dtypes"])
    for key, entry in run["final_scaler"].items():
        final = amp.state_dict()[key]
        assert numpy.float32(final["loss_scale"]) == numpy.float32(entry["loss_scale"])
        assert final["unskipped"] == entry["unskipped"]
    if "master norm, relative" not in limits or not math.isfinite(run["final_master_norm"]):
        return
    norms = torch.stack([p.detach().double().norm() for p in amp.master_params(optimizer)])
    assert norms.norm().item() == pytest.approx(run["final_master_norm"], rel=limits["master norm, relative"])
    model.eval()
    with torch.no_grad():
        answers = model(images[1437:]).argmax(1)
    accuracy = (answers == labels[1437:]).float().mean().item()
    assert abs(accuracy - run["test_accuracy"]) <= limits["test accuracy"]
