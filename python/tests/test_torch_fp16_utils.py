# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp16_utils: every recorded run of Apex's (fp16_runs.py), exactly; where ours differs on
purpose; what is refused."""

import io
import json
import types

import fp16_runs
import mlir_amp
import oracles
import pytest
import torch
from mlir_amp.torch import amp, fp16_utils
from mlir_amp.torch.fp16_utils import FP16_Optimizer

RECORDED = oracles.read_object("fp16_optimizer_apex.json")


def as_recorded(rows):
    return json.loads(json.dumps(fp16_runs._spell(rows)))


def test_recorded_runs_are_all_there():
    assert len(RECORDED["runs"]) == 36 and len(RECORDED["scalers"]) == 12
    rows = [row for run in RECORDED["runs"] for row in run["rows"]]
    assert sum(row["overflow"] for row in rows) > 200 and len(rows) > 1000


@pytest.mark.parametrize("run", RECORDED["runs"], ids=lambda run: run["id"])
def test_run_of_apex(run):
    rows = as_recorded(fp16_runs.play(fp16_utils, run))
    assert len(rows) == len(run["rows"])
    for event, row, expected in zip(["made", *run["events"]], rows, run["rows"], strict=True):
        assert row == expected, event


@pytest.mark.parametrize("run", RECORDED["scalers"], ids=range(12))
def test_dynamic_loss_scaler_of_apex(run):
    assert fp16_runs.play_scaler(fp16_utils, run) == run["rows"]


def test_the_older_numbers_by_arguments():
    """What docs/Python.md gives for scripts from before February 2019."""
    older = {"init_scale": 2.0**32, "scale_window": 1000, "min_loss_scale": 1.0, "max_loss_scale": float("inf")}
    for run in RECORDED["scalers"][::2]:
        _, full, optimizer = make(dynamic_loss_scale=True, dynamic_loss_args=older)
        rows = iter(run["rows"])
        i, scale, *_ = next(rows)
        for step, overflow in enumerate(run["overflows"]):
            full.grad = torch.full((2,), float("inf") if overflow else 1.0)
            optimizer.update_master_grads()
            if step == i:
                assert optimizer.loss_scale == scale
                i, scale, *_ = next(rows, (None, None))


def test_scalers_of_hand_written_loops():
    scaler = fp16_utils.DynamicLossScaler()
    assert (scaler.loss_scale, scaler.cur_iter, scaler.last_overflow_iter) == (2.0**32, 0, -1)
    parameter = torch.nn.Parameter(torch.ones(2))
    assert not scaler.has_overflow([parameter])
    scaler.cur_scale = 8.0
    scaler.backward((parameter * 3).sum())
    assert parameter.grad.tolist() == [24.0, 24.0]
    assert not scaler.has_overflow(iter([parameter]))
    parameter.grad[1] = float("nan")
    assert scaler.has_overflow([parameter])
    assert scaler.scale_gradient(None, (torch.ones(1),), ())[0].item() == 8.0
    static = fp16_utils.LossScaler(4.0)
    static.update_scale(True)
    assert static.loss_scale == 4.0 and not static.has_overflow([parameter])
    with pytest.raises(mlir_amp.InvalidArgument, match="growth interval"):
        fp16_utils.DynamicLossScaler(scale_window=0)


# ---- Conversions ------------------------------------------------------------------


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)
        self.fc = torch.nn.Linear(4, 4)
        self.plain = torch.nn.BatchNorm1d(4, affine=False)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("spectrum", torch.zeros(2, dtype=torch.complex64))

    def forward(self, x, y=None):
        self.seen = x.dtype, None if y is None else y.dtype
        return self.plain(self.fc(self.norm(x)))


def get_types(module):
    return {name: value.dtype for name, value in module.state_dict().items()}


def test_networks_are_half_but_for_batch_norm_with_weights():
    network = Network()
    assert fp16_utils.convert_network(network, torch.float16) is network
    kept = {name for name, dtype in get_types(network).items() if dtype == torch.float32}
    assert kept == {"norm.weight", "norm.bias", "norm.running_mean", "norm.running_var"}
    assert network.count.dtype == torch.int64 and network.spectrum.dtype == torch.complex64
    assert network.plain.running_mean.dtype == network.fc.weight.dtype == torch.float16


def test_network_to_half():
    model = fp16_utils.network_to_half(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)))
    assert isinstance(model[0], fp16_utils.tofp16)
    assert model[1][0].weight.dtype == torch.float16 and model[1][1].weight.dtype == torch.float32
    assert model(torch.randn(3, 4)).dtype == torch.float16


def test_fp16_model_casts_all_inputs():
    model = fp16_utils.FP16Model(Network())
    assert model(torch.randn(3, 4), torch.randn(1)).dtype == torch.float16
    assert model.network.seen == (torch.float16, torch.float16)


def test_convert_module_leaves_children_and_casts_gradients():
    network = Network()
    network.scale = torch.nn.Parameter(torch.ones(1))
    network.scale.grad = torch.ones(1)
    fp16_utils.convert_module(network, torch.bfloat16)
    assert network.scale.dtype == network.scale.grad.dtype == torch.bfloat16
    assert network.fc.weight.dtype == torch.float32


def test_to_python_float():
    assert [fp16_utils.to_python_float(value) for value in (torch.tensor([1.5]), [2.5])] == [1.5, 2.5]


# ---- Masters by hand ------------------------------------------------------------------


@pytest.mark.parametrize("flat_master", [False, True])
def test_masters_by_hand(flat_master):
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1), torch.nn.Linear(1, 1)).half()
    model[2].requires_grad_(False)
    plain = [p.detach().float().requires_grad_() for p in model.parameters()]
    params, masters = fp16_utils.prep_param_lists(model, flat_master=flat_master)
    assert len(params) == 4 and len(masters) == (1 if flat_master else 4)
    assert all(master.dtype == torch.float32 and master.is_leaf and master.requires_grad for master in masters)
    optimizer = torch.optim.SGD(masters, lr=0.25)
    (sum(p.sum() for p in params[:3]).float() * 128).backward()  # the last one has no gradient
    fp16_utils.model_grads_to_master_grads(params, masters, flat_master=flat_master)
    if not flat_master:
        assert masters[3].grad is None
    for master in masters:
        if master.grad is not None:
            master.grad.mul_(1 / 128)
    optimizer.step()
    fp16_utils.master_params_to_model_params(params, masters, flat_master=flat_master)
    for i, (parameter, before) in enumerate(zip(params, plain, strict=False)):
        assert torch.equal(parameter, (before - (0.25 if i < 3 else 0.0)).half())


def test_refuses_a_flat_master_of_two_types():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2).half(), torch.nn.BatchNorm1d(2))
    with pytest.raises(TypeError, match="torch.float16, torch.float32, and one flat master needs one type"):
        fp16_utils.prep_param_lists(model, flat_master=True)
    fp16_utils.prep_param_lists(model)


# ---- Different from Apex on purpose --------------------------------------------------


def make(static_loss_scale=128.0, **options):
    """A half and an FP32 parameter of zeros, and SGD with rate 1."""
    half, full = torch.nn.Parameter(torch.zeros(2).half()), torch.nn.Parameter(torch.zeros(2))
    sgd = torch.optim.SGD([half, full], lr=1.0)
    return half, full, FP16_Optimizer(sgd, static_loss_scale, verbose=False, **options)


def get_grads(optimizer):
    return [None if grad is None else grad.tolist() for grad in optimizer.inspect_master_grad_data()[0]]


def test_losses_one_by_one_add_up_for_fp32_parameters_too():
    half, full, optimizer = make()
    for _ in range(3):
        optimizer.backward((half.float() + full).sum())
    assert get_grads(optimizer) == [[3.0, 3.0], [3.0, 3.0]]
    optimizer.update_master_grads()  # once more changes nothing
    assert get_grads(optimizer) == [[3.0, 3.0], [3.0, 3.0]]


def test_backward_passes_of_the_users_own():
    half, full, optimizer = make()
    for _ in range(2):
        optimizer.zero_grad(set_grads_to_None=True)
        ((half.float() + full).sum() * optimizer.loss_scale).backward()
        optimizer.update_master_grads()
        assert get_grads(optimizer) == [[1.0, 1.0], [1.0, 1.0]]
        optimizer.step()
    assert full.tolist() == half.tolist() == [-2.0, -2.0]


def test_masters_that_are_updated_twice_stay_skipped():
    _, full, optimizer = make(dynamic_loss_scale=True, dynamic_loss_args={"init_scale": 4.0})
    optimizer.backward((full * float("inf")).sum())
    optimizer.update_master_grads()
    assert optimizer.overflow and optimizer.loss_scale == 2.0


def test_losses_add_up_where_the_scale_grows_between_them():
    half, full, optimizer = make(dynamic_loss_scale=True, dynamic_loss_args={"init_scale": 4.0, "scale_window": 1})
    for _ in range(3):
        optimizer.backward((half.float() + full).sum())
    assert optimizer.loss_scale == 32.0
    assert get_grads(optimizer) == [[3.0, 3.0], [3.0, 3.0]]


def test_an_overflow_in_one_of_two_losses_skips():
    half, full, optimizer = make(dynamic_loss_scale=True, dynamic_loss_args={"init_scale": 4.0})
    optimizer.backward((full * float("inf")).sum())
    optimizer.backward((half.float() + full).sum())
    assert optimizer.overflow
    optimizer.step()
    assert full.tolist() == [0.0, 0.0]


def test_a_parameter_without_gradient_keeps_none_of_the_step_before():
    half, full, optimizer = make()
    optimizer.backward((half.float() + full).sum())
    optimizer.step()
    half.grad = full.grad = None  # model.zero_grad()
    optimizer.backward(full.sum())
    assert get_grads(optimizer) == [None, [1.0, 1.0]]


def test_scale_factor_counts():
    _, full, optimizer = make(dynamic_loss_scale=True, dynamic_loss_args={"init_scale": 64.0, "scale_factor": 4.0})
    optimizer.backward((full * float("inf")).sum())
    assert optimizer.loss_scale == 16.0


def test_a_state_goes_through_a_file():
    half, full, optimizer = make(dynamic_loss_scale=True, dynamic_loss_args={"init_scale": 4.0, "scale_window": 5})
    optimizer.param_groups[0]["lr"] = 1 / 3  # masters that are no half numbers
    optimizer.backward((half.float() + full).sum())
    optimizer.step()
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    _, _, other = make(dynamic_loss_scale=True)
    other.load_state_dict(torch.load(file))
    assert other.loss_scaler.machine.config == optimizer.loss_scaler.machine.config
    assert other.loss_scaler.machine.state == optimizer.loss_scaler.machine.state
    (mine, _), (expected, _) = (o.param_groups[0]["params"] for o in (other, optimizer))
    assert torch.equal(mine, expected) and mine[0].item() != mine.half()[0].float().item()


def test_loads_states_with_apexs_scaler():
    _, _, optimizer = make(dynamic_loss_scale=True)
    state = optimizer.state_dict()
    state["loss_scaler"] = types.SimpleNamespace(_loss_scale=32.0, _unskipped=7)
    optimizer.load_state_dict(state)
    assert (optimizer.loss_scale, optimizer.loss_scaler._unskipped) == (32.0, 7)


# ---- Refusals -------------------------------------------------------------------------


def test_refuses_states_of_other_models():
    half, _, optimizer = make()
    state = FP16_Optimizer(torch.optim.SGD([torch.nn.Parameter(torch.zeros(3).half())], lr=1.0)).state_dict()
    with pytest.raises(ValueError, match=r"of the shapes \[\[\(3,\)\]\], but this FP16_Optimizer has \[\[\(2,\)\]\]"):
        optimizer.load_state_dict(state)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_refuses_other_types(dtype):
    parameter = torch.nn.Parameter(torch.zeros(2, dtype=dtype))
    with pytest.raises(TypeError, match="^Wrapped parameters must be either torch.FloatTensor or torch.HalfTensor. R"):
        FP16_Optimizer(torch.optim.SGD([parameter], lr=1.0))
    assert FP16_Optimizer(torch.optim.SGD([parameter.requires_grad_(False)], lr=1.0)).all_fp16_params == []


def test_refuses_wrapped_optimizers():
    _, _, optimizer = make()
    with pytest.raises(RuntimeError, match="is an FP16_Optimizer already"):
        FP16_Optimizer(optimizer)
    model = torch.nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="An incoming optimizer is an instance of .*FP16_Optimizer"):
        amp.initialize(model, optimizer, opt_level="O2", verbosity=0)
    model, sgd = amp.initialize(model, torch.optim.SGD(model.parameters(), lr=1.0), opt_level="O2", verbosity=0)
    with pytest.raises(RuntimeError, match="SGD was passed through amp.initialize, which scales its losses"):
        FP16_Optimizer(sgd)


def test_refuses_steps_without_their_gradients():
    half, full, optimizer = make()
    with pytest.raises(RuntimeError, match=r"no parameter has a gradient. Call backward\(loss\)"):
        optimizer.step()
    optimizer.backward(half.float().sum(), update_master_grads=False)
    with pytest.raises(RuntimeError, match=r"still scaled. Call update_master_grads\(\) first"):
        optimizer.step()
    optimizer.update_master_grads()
    optimizer.step()
    assert half.tolist() == [-1.0, -1.0]


def test_ends_a_closure_that_overflows_whatever_the_scale():
    _, full, optimizer = make(dynamic_loss_scale=True)

    def closure():
        optimizer.zero_grad()
        loss = (full * float("nan")).sum()
        optimizer.backward(loss)
        return loss

    with pytest.raises(RuntimeError, match="not finite whatever the scale"):
        optimizer.step(closure)


def test_is_not_pickled():
    _, _, optimizer = make()
    with pytest.raises(RuntimeError, match=r"^FP16_Optimizer should be serialized using state_dict\(\).$"):
        optimizer.__reduce_ex__(2)
