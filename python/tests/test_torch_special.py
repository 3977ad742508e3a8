# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Apex's texts and answers in single cases, and where ours differ on purpose."""

import collections
import contextlib
import copy
import gc
import os
import threading

import pytest
import torch
from conftest import read_oracle
from mlir_amp.torch import amp
from mlir_amp.torch.amp import _amp_state

CASES = {case["case"]: case for case in read_oracle("special_cases.json")["cases"]}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bn = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)

    def forward(self, x):
        return self.bn(self.fc(x))


def make():
    model = Model()
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def text_of(name):
    """What Apex said, with the types of the CPU."""
    return CASES[name]["text"].replace("torch.cuda.", "torch.")


def refuse(name, function):
    with pytest.raises(Exception) as raised:
        function()
    assert type(raised.value).__name__ == CASES[name]["outcome"]
    assert str(raised.value) == text_of(name)


PRINTS = {
    "print-O0": {"opt_level": "O0"},
    "print-O1": {"opt_level": "O1"},
    "print-O2": {"opt_level": "O2"},
    "print-O3": {"opt_level": "O3"},
    "print-O1-128": {"opt_level": "O1", "loss_scale": 128.0},
    "print-O2-kbnFalse": {"opt_level": "O2", "keep_batchnorm_fp32": False},
}


@pytest.mark.parametrize("name", PRINTS)
def test_prints(name, capsys):
    amp.initialize(*make(), **PRINTS[name])
    assert capsys.readouterr().out == CASES[name]["printed"]


@pytest.fixture
def hard_override(monkeypatch):
    monkeypatch.setattr(_amp_state, "hard_override", True)


HARD = {"cast_model_type": torch.float16, "keep_batchnorm_fp32": True, "master_weights": True}


def test_hard_override_warns_and_goes_on(hard_override, capsys):
    model, optimizer = amp.initialize(*make(), opt_level="O1", verbosity=0, **HARD)
    assert capsys.readouterr().out == CASES["hard_override"]["printed"]
    assert (model.fc.weight.dtype, model.bn.weight.dtype) == (torch.float16, torch.float32)
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float16
    with amp.scale_loss(model(torch.randn(8, 4)).sum(), optimizer) as scaled:
        scaled.backward()
    assert {p.grad.dtype for p in amp.master_params(optimizer)} == {torch.float32}
    optimizer.step()


def test_hard_override_is_printed_between_the_options(hard_override, capsys):
    amp.initialize(*make(), opt_level="O2", patch_torch_functions=True)
    lines = capsys.readouterr().out.splitlines()
    i = lines.index("Processing user overrides (additional kwargs that are not None)...")
    assert lines[i + 1].startswith("Warning:  Currently, patch_torch_functions=True should only be set by")
    assert lines[i + 2] == "After processing overrides, optimization options are:"
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float16


def test_hard_override_takes_half_models(hard_override, capsys):
    model, optimizer = make()
    model.fc.half()
    amp.initialize(model, optimizer, opt_level="O2", verbosity=0)
    printed = capsys.readouterr().out
    assert printed.startswith("Warning:  " + text_of("half-model"))
    assert printed.count("Warning:  Found param fc.") == 2


def test_without_hard_override_all_of_it_is_refused():
    with pytest.raises(RuntimeError, match="^O1 inserts casts around Torch functions"):
        amp.initialize(*make(), opt_level="O1", verbosity=0, **HARD)


@pytest.mark.parametrize("level", ["00", "02", 1, None, "o1", ""])
def test_refuses_other_levels(level):
    with pytest.raises(RuntimeError, match=f"^Unexpected optimization level {level}. Options are 'O0', 'O1'"):
        amp.initialize(*make(), opt_level=level)


def test_refuses_what_is_no_model_or_optimizer():
    model, optimizer = make()
    refuse("models-not-module", lambda: amp.initialize("model", optimizer, verbosity=0))
    refuse("optimizers-tuple", lambda: amp.initialize(model, (optimizer,), verbosity=0))


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_refuses_half_models(level):
    model, optimizer = make()
    model.fc.half()
    refuse("half-model", lambda: amp.initialize(model, optimizer, opt_level=level, verbosity=0))
    model, optimizer = make()
    model.bn.running_mean = model.bn.running_mean.half()
    refuse("half-buffer", lambda: amp.initialize(model, optimizer, opt_level=level, verbosity=0))


def test_refuses_double_parameters():
    model = torch.nn.Linear(4, 4).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    refuse("double-model-scale-loss", lambda: amp.initialize(model, optimizer, opt_level="O1", verbosity=0))


def test_refuses_an_optimizer_twice():
    model, optimizer = amp.initialize(*make(), opt_level="O1", verbosity=0)
    refuse("optimizer-twice", lambda: amp.initialize(Model(), optimizer, opt_level="O1", verbosity=0))


def test_refuses_parallel_wrappers():
    model, optimizer = make()
    wrapped = torch.nn.DataParallel(model)
    refuse("data-parallel", lambda: amp.initialize(wrapped, optimizer, opt_level="O1", verbosity=0))


def scale(loss, optimizer):
    with amp.scale_loss(loss, optimizer) as scaled:
        return scaled


def test_refuses_scale_loss_before_initialize():
    model, optimizer = make()
    loss = model(torch.randn(8, 4)).sum()
    refuse("scale-loss-before-initialize", lambda: scale(loss, optimizer))


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_closures(level):
    model, optimizer = amp.initialize(*make(), opt_level=level, verbosity=0)
    closure = lambda: model(torch.randn(8, 4)).float().sum()  # noqa: E731
    if CASES[f"closure-{level}"]["outcome"] == "ok":
        optimizer.step(closure)
    else:
        refuse(f"closure-{level}", lambda: optimizer.step(closure))


def test_refuses_a_set_of_parameters():
    model, optimizer = amp.initialize(*make(), opt_level="O2", verbosity=0)
    extra = torch.nn.Parameter(torch.zeros(4))
    refuse("add-param-group-set", lambda: optimizer.add_param_group({"params": {extra}}))


def test_overflows_are_printed(capsys):
    model, optimizer = amp.initialize(*make(), opt_level="O2")
    for _ in range(2):
        with amp.scale_loss(model(torch.randn(8, 4)).sum(), optimizer) as scaled:
            scaled.backward()
            model.fc.weight.grad[0, 0] = float("inf")
        optimizer.step()
    assert capsys.readouterr().out == CASES["overflow-print"]["printed"]


def test_casts_are_printed(capsys):
    model = torch.nn.Linear(4, 4)
    amp.initialize(model, opt_level="O1", verbosity=2)
    torch.nn.functional.softmax(model(torch.randn(2, 4)), dim=-1)
    assert capsys.readouterr().out == CASES["O1-verbose-casts"]["printed"]


LOADS = {
    "load-fewer": (3, {"loss_scaler0": (8.0, 1), "loss_scaler1": (16.0, 1)}),
    "load-more": (1, {"loss_scaler0": (8.0, 1), "loss_scaler1": (16.0, 1)}),
    "load-order-not-index": (2, {"loss_scaler1": (8.0, 1), "loss_scaler0": (16.0, 1)}),
    "load-empty": (1, {}),
}


@pytest.mark.parametrize("name", LOADS)
def test_loads(name, capsys):
    count, entries = LOADS[name]
    amp.initialize(*make(), opt_level="O1", num_losses=count, verbosity=0)
    amp.load_state_dict(
        {key: {"loss_scale": scale, "unskipped": unskipped} for key, (scale, unskipped) in entries.items()}
    )
    assert capsys.readouterr().out == CASES[name]["printed"]
    assert amp.state_dict() == CASES[name]["result"]


def test_refuses_unexpected_keys_after_loading_the_rest():
    amp.initialize(*make(), opt_level="O1", verbosity=0)
    state = {"loss_scaler0": {"loss_scale": 8.0, "unskipped": 1}, "foo": 1}
    refuse("load-unexpected", lambda: amp.load_state_dict(state))
    assert amp.state_dict()["loss_scaler0"]["loss_scale"] == 8.0


OUTPUTS = [name for name in CASES if name.startswith("cast_model_outputs-")]


@pytest.mark.parametrize("name", OUTPUTS)
def test_cast_model_outputs(name):
    _, level, dtype = name.split("-")
    model, _ = amp.initialize(*make(), opt_level=level, cast_model_outputs=getattr(torch, dtype), verbosity=0)
    assert str(model(torch.randn(8, 4)).dtype) == CASES[name]["result"]


Point = collections.namedtuple("Point", "x y")


class Batch:
    """A batch class with a method of its own."""

    def __init__(self, x):
        self.x = x

    def to(self, dtype):
        return Batch(self.x.to(dtype))


class Nested(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)

    def forward(self, batch, extra=None):
        self.seen = batch["x"].dtype
        self.seen_extra = extra.dtype
        return {"a": self.fc(batch["x"]), "list": [batch["y"], batch["ids"]], "str": "text"}


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_nested_inputs_and_outputs(level):
    model = amp.initialize(Nested(), opt_level=level, verbosity=0)
    batch = {"x": torch.randn(2, 4), "y": torch.randn(2), "ids": torch.zeros(2, dtype=torch.int64)}
    output = model(batch, extra=torch.randn(2))
    expected = CASES[f"nested-io-{level}"]["result"]
    assert str(output["a"].dtype) == expected["a"]
    assert [str(element.dtype) for element in output["list"]] == expected["list"]
    assert output["str"] == expected["str"]
    assert str(model.seen) == expected["dtype_seen_inside"]
    assert str(model.seen_extra) == expected["kwarg_dtype_seen"]


def test_namedtuples_ordered_mappings_and_batch_classes():
    class Echo(torch.nn.Module):
        def forward(self, point, mapping, batch):
            return point, mapping, batch.x

    model = amp.initialize(Echo(), opt_level="O2", verbosity=0, cast_model_outputs=torch.float16)
    mapping = collections.OrderedDict(b=torch.zeros(1), a=torch.zeros(1))
    point, mapping, x = model(Point(torch.zeros(1), 3), mapping, Batch(torch.zeros(1)))
    assert isinstance(point, Point) and point.x.dtype == torch.float16 and point.y == 3
    assert isinstance(mapping, collections.OrderedDict) and list(mapping) == ["b", "a"]
    assert x.dtype == torch.float16


class ManyNorms(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bn = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)
        self.bna, self.ln = torch.nn.BatchNorm1d(4, affine=False), torch.nn.LayerNorm(4)
        self.gn = torch.nn.GroupNorm(2, 4)
        self.inn = torch.nn.InstanceNorm1d(4, affine=True, track_running_stats=True)
        self.sbn = torch.nn.SyncBatchNorm(4)


@pytest.mark.parametrize("keep", [True, False])
def test_types_of_modules(keep):
    model = amp.initialize(ManyNorms(), opt_level="O2", keep_batchnorm_fp32=keep, verbosity=0)
    values = [*model.named_parameters(), *model.named_buffers()]
    types = {name: str(value.dtype).removeprefix("torch.") for name, value in values}
    assert types == CASES[f"module-dtypes-O2-kbn{keep}"]["result"]


def test_frozen_parameters():
    model, _ = make()
    model.fc.bias.requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    amp.initialize(model, optimizer, opt_level="O2", verbosity=0)
    with amp.scale_loss(model(torch.randn(8, 4)).sum(), optimizer) as scaled:
        scaled.backward()
    types = [str(p.dtype).removeprefix("torch.") for p in amp.master_params(optimizer)]
    assert types == CASES["frozen-param-O2-optimizer-dtypes"]["result"]


# ---- Where Apex is wrong ------------------------------------------------------------


def test_no_cast_outlives_the_weights_that_it_is_of():
    model = amp.initialize(torch.nn.Linear(2, 2, bias=False), opt_level="O1", verbosity=0)
    outputs = []
    for value in (1.0, 2.0):
        model.load_state_dict({"weight": torch.full((2, 2), value)})
        outputs.append(model(torch.full((1, 2), 2.0)).tolist())
    assert outputs == [[[4.0, 4.0]], [[8.0, 8.0]]]
    assert CASES["O1-stale-cast-cache"]["result"]["weights_2_output"] == [[4.0, 4.0]]


def test_data_that_changes_behind_the_version_counter():
    model = amp.initialize(torch.nn.Linear(2, 2, bias=False), opt_level="O1", verbosity=0)
    x = torch.full((1, 2), 2.0)
    with torch.no_grad():
        model.weight.data.fill_(1.0)
        model(x)
        model.weight.data.fill_(2.0)
        assert model(x).tolist() == [[8.0, 8.0]]


@pytest.mark.parametrize("level", ["O1", "O2", "O3"])
def test_static_scale_of_one_keeps_earlier_gradients(level):
    model, optimizer = amp.initialize(*make(), opt_level=level, loss_scale=1.0, verbosity=0)
    for passes in (1, 2, 3):
        with amp.scale_loss((model(torch.randn(8, 4)) * torch.arange(4.0)).sum(), optimizer) as scaled:
            scaled.backward()
        assert torch.equal(model.bn.bias.grad.float(), 8.0 * passes * torch.arange(4.0))


def test_disabled_has_a_state_dict():
    model, optimizer = amp.initialize(*make(), enabled=False)
    assert amp.state_dict() == {}
    loss = model(torch.randn(8, 4)).sum()
    assert scale(loss, optimizer) is loss


def test_zero_grad_takes_set_to_none():
    model, optimizer = amp.initialize(*make(), opt_level="O2", verbosity=0)
    with amp.scale_loss(model(torch.randn(8, 4)).sum(), optimizer) as scaled:
        scaled.backward()
    optimizer.zero_grad(set_to_none=True)
    assert all(p.grad is None for p in [*model.parameters(), *amp.master_params(optimizer)])


def test_a_checkpoint_keeps_every_bit_of_the_masters():
    torch.manual_seed(1)

    def train(model, optimizer, batches):
        for x in batches:
            with amp.scale_loss(model(x).square().sum(), optimizer) as scaled:
                scaled.backward()
            optimizer.step()
            optimizer.zero_grad()

    batches = [torch.randn(8, 4) for _ in range(6)]
    start = make()[0].state_dict()

    def begin():
        model = Model()
        model.load_state_dict(copy.deepcopy(start))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        return amp.initialize(model, optimizer, opt_level="O2", loss_scale=128.0, verbosity=0)

    model, optimizer = begin()
    train(model, optimizer, batches[:3])
    saved = copy.deepcopy((model.state_dict(), optimizer.state_dict(), amp.state_dict()))
    assert all(value.dtype != torch.float16 for value in saved[0].values())
    train(model, optimizer, batches[3:])
    expected = [p.detach().clone() for p in amp.master_params(optimizer)]

    model, optimizer = begin()
    model.load_state_dict(saved[0])
    optimizer.load_state_dict(saved[1])
    amp.load_state_dict(saved[2])
    train(model, optimizer, batches[3:])
    for actual, value in zip(amp.master_params(optimizer), expected, strict=True):
        assert torch.equal(actual, value)


def test_a_copy_of_a_model_runs_its_own_weights():
    model, _ = amp.initialize(*make(), opt_level="O2", verbosity=0)
    average = copy.deepcopy(model).eval()
    with torch.no_grad():
        for parameter in average.parameters():
            parameter.zero_()
    assert average(torch.randn(8, 4)).abs().sum() == 0
    assert model.eval()(torch.randn(8, 4)).abs().sum() > 0


# ---- Nothing is left behind ---------------------------------------------------------


def test_reset_leaves_torch_as_it_was():
    names = {module: dict(vars(module)) for module in (torch, torch.nn.functional, torch.Tensor, torch.functional)}
    hooks = len(torch.nn.modules.module._global_forward_pre_hooks)
    model, optimizer = amp.initialize(*make(), opt_level="O1", verbosity=0)
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float16
    for module, before in names.items():
        assert dict(vars(module)) == before
    with pytest.raises(ZeroDivisionError), amp.scale_loss(torch.zeros(()), optimizer):
        raise ZeroDivisionError
    amp.reset()
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float32
    assert torch._C._len_torch_function_stack() == 0
    assert len(torch.nn.modules.module._global_forward_pre_hooks) == hooks
    gc.collect()


def test_modes_around_initialize_leave_in_their_order():
    with torch.device("cpu"):
        amp.initialize(*make(), opt_level="O1", verbosity=0)
    assert torch._C._len_torch_function_stack() == 1
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float16


def test_disable_casts_nests_and_ends_with_an_exception():
    amp.initialize(*make(), opt_level="O1", verbosity=0)
    x = torch.eye(2)
    with pytest.raises(ZeroDivisionError), amp.disable_casts():
        with amp.disable_casts():
            pass
        assert torch.mm(x, x).dtype == torch.float32
        raise ZeroDivisionError
    assert torch.mm(x, x).dtype == torch.float16


# ---- Bad use ------------------------------------------------------------------------


def test_refuses_optimizers_that_were_not_initialized():
    model, _ = amp.initialize(*make(), opt_level="O1", verbosity=0)
    _, other = make()
    with pytest.raises(RuntimeError, match="SGD was not passed through amp.initialize"):
        scale(model(torch.randn(8, 4)).sum(), other)


def test_refuses_optimizers_from_before_a_reset():
    _, stale = amp.initialize(*make(), opt_level="O1", verbosity=0)
    amp.reset()
    model, _ = amp.initialize(*make(), opt_level="O1", verbosity=0)
    with pytest.raises(RuntimeError, match="before amp.reset"):
        scale(model(torch.randn(8, 4)).sum(), stale)


def test_refuses_a_model_twice():
    model, _ = amp.initialize(*make(), opt_level="O1", verbosity=0)
    with pytest.raises(RuntimeError, match="A given model should only be passed through amp.initialize once"):
        amp.initialize(model, opt_level="O1", verbosity=0)


def test_refuses_a_loss_id_without_scaler():
    model, optimizer = amp.initialize(*make(), opt_level="O1", verbosity=0)
    with (
        pytest.raises(IndexError, match="pass num_losses=3"),
        amp.scale_loss(model(torch.randn(8, 4)).sum(), optimizer, loss_id=2),
    ):
        pass


def test_refuses_another_thread():
    model, optimizer = amp.initialize(*make(), opt_level="O1", verbosity=0)
    raised = []

    def work():
        try:
            scale(model(torch.randn(8, 4)).sum(), optimizer)
        except RuntimeError as error:
            raised.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert raised and "on another thread" in raised[0]


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
def test_refuses_forked_processes(level):
    model, optimizer = amp.initialize(*make(), opt_level=level, loss_scale=2.0, verbosity=0)
    loss = model(torch.randn(8, 4)).sum()
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            scale(loss, optimizer)
            os.write(writer, b"taken")
        except RuntimeError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert "before this process was forked. Call it in the process that trains" in pipe.read()
    os.wait()
    scale(loss, optimizer)  # taken where it was initialized


def test_a_refused_initialize_leaves_nothing_initialized():
    model, optimizer = make()
    model.fc.half()
    with pytest.raises(RuntimeError):
        amp.initialize(model, optimizer, opt_level="O1", verbosity=0)
    assert _amp_state.opt_properties is None and _amp_state.handle is None


def test_casts_step_aside_for_optimizers():
    """They call many functions, which need not pass through the casts; afterwards the mode lies where it did."""

    class Other(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    class Optimizer(torch.optim.SGD):
        fails = False

        def step(self):
            stacks.append([torch._C._get_function_stack_at(i) for i in range(torch._C._len_torch_function_stack())])
            if self.fails:
                raise ValueError("not this step")
            super().step()

    stacks = []
    model = Model()
    optimizer = Optimizer(model.parameters(), lr=0.1)
    model, optimizer = amp.initialize(model, optimizer, opt_level="O1", loss_scale=128.0, verbosity=0)
    mode = _amp_state.handle.mode
    for fails in (False, True, False):
        with Other() as other:
            with amp.scale_loss(model(torch.ones(2, 4)).float().sum(), optimizer) as scaled:
                scaled.backward()
            optimizer.fails = fails
            context = pytest.raises(ValueError, match="not this step") if fails else contextlib.nullcontext()
            with context:
                optimizer.step()
            assert torch._C._get_function_stack_at(0) is mode and torch._C._get_function_stack_at(1) is other
        assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float16
    assert [[type(one) for one in stack] for stack in stacks] == [[Other]] * 3
