# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every event of Apex's recorded runs with several losses, optimizers and delays."""

import pytest
import torch
from conftest import read_oracle
from mlir_amp.torch import amp
from mlir_amp.torch.amp import LossScaler, _amp_state

TRACES = {trace["id"]: trace for trace in read_oracle("scaler_apex_events.json")["traces"]}


class Weights(torch.nn.Module):
    """Parameters as a model: the loss is their dot product with x."""

    def __init__(self, values):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor(values))

    def forward(self, x):
        return torch.mul(self.w, x).sum()


@pytest.mark.parametrize("name", TRACES)
def test_trace(name):
    trace = TRACES[name]
    config = dict(trace["config"])
    window, load = config.pop("scale_window", 2000), config.pop("load", None)
    config.pop("num_optimizers", None)
    models = [Weights(values) for values in trace["initial_params"]]
    optimizers = [torch.optim.SGD(model.parameters(), lr=2.0**-4) for model in models]
    models, optimizers = amp.initialize(models, optimizers, verbosity=0, **config)
    for i, scaler in enumerate(_amp_state.loss_scalers):
        if scaler.dynamic:
            _amp_state.loss_scalers[i] = LossScaler("dynamic", scale_window=window)
    if load:
        amp.load_state_dict({f"loss_scaler{i}": entry for i, entry in enumerate(load)})
    is_half = config["opt_level"] == "O3"

    def close(actual, expected):
        return torch.allclose(actual.float(), torch.tensor(expected), rtol=1e-3 if is_half else 0, atol=0)

    has_overflowed = False
    for number, event in enumerate(trace["events"]):
        where = f"event {number}: {event['op']}"
        if event["op"] == "step":
            optimizer, model = optimizers[event["opt"]], models[event["opt"]]
            optimizer.step()
            (master,) = amp.master_params(optimizer)
            assert close(master.detach(), event["master"]), where
            assert close(model.w.detach(), event["model"]), where
            optimizer.zero_grad()
            has_overflowed = False
            continue
        used = [optimizers[i] for i in event["opts"]]
        loss_id = event["loss"] if config.get("num_losses", 1) > 1 else 0
        scaler = _amp_state.loss_scalers[loss_id]
        x = torch.tensor(event["x"])
        delays = {key: event[key] for key in ("delay_unscale", "delay_overflow_check") if key in event}
        loss = sum(models[i](x) for i in event["opts"])
        with amp.scale_loss(loss, used, loss_id=loss_id, **delays) as scaled:
            scaled.backward()
            if event["inject"] is not None:
                # Any element: the whole pass counts as overflowed.
                models[event["opts"][0]].w.grad[0] = float(event["inject"])
                has_overflowed = True
        assert scaler.loss_scale() == event["scale"], where
        assert scaler._unskipped == event["unskipped"], where
        pending = [amp.is_skipping(optimizer) for optimizer in optimizers]
        assert pending == event["skip_pending"], where
        if has_overflowed:
            continue  # what Apex leaves in the gradients is not defined
        for optimizer, grads in zip(optimizers, event["master_grad"], strict=True):
            (master,) = amp.master_params(optimizer)
            if grads is None:
                assert master.grad is None, where
            else:
                assert close(master.grad, grads), where
    for key, entry in trace["final_state_dict"].items():
        assert amp.state_dict()[key] == entry
