# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""amp.compile_step against eager PyTorch: losses, parameters, buffers and optimizer
states over twenty steps; skips; what compiles once more; refusals."""

from __future__ import annotations

import copy
import itertools
import warnings

import pytest
import torch
from cases import cases, except_for
from mlir_amp.torch import amp
from mlir_amp.torch.backend import RecompileWarning
from mlir_amp.torch.lowering.graph_module import NotLowered
from mlir_amp.torch.step import CompiledStep, StorageWarning
from torch import Tensor, nn


@pytest.fixture(autouse=True)
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RecompileWarning)
        yield


def mlp() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


def cnn() -> nn.Module:
    # Without a bias before the norm: its gradient is noise, and Adam follows noise.
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 10),
    )


class Parts(nn.Module):
    """Layers that cut their input."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(64, 24), nn.Linear(8, 10)

    def forward(self, x):
        a, b, c = self.first(x.flatten(1)).chunk(3, dim=1)
        d, e = torch.split(a * b, [3, 5], dim=1)
        return self.last(torch.cat([e, d], dim=1) + c)


def loss_fn(model, x, y):
    return nn.functional.cross_entropy(model(x), y)


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(
        p, lr=0.1, momentum=0.9, weight_decay=1e-3, nesterov=True
    ),
    "adam": lambda p: torch.optim.Adam(p, lr=2e-3, weight_decay=1e-3),
    "adamw": lambda p: torch.optim.AdamW(p, lr=2e-3, amsgrad=True),
}


def batch(rows: int = 16):
    return torch.randn(rows, 1, 8, 8), torch.randint(0, 10, (rows,))


def train(model, optimizer, step=None, steps=20, schedule=None, prepare=None):
    """Losses; eager without a step. The learning rate falls each step, or follows
    `schedule`; `prepare` gets the number of each step before it."""
    torch.manual_seed(1)
    schedule = schedule or torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
    losses = []
    for index in range(steps):
        if prepare:
            prepare(index)
        x, y = batch()
        if step:
            loss = step(x, y)
        else:
            loss = loss_fn(model, x, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
        schedule.step()
    return torch.tensor(losses)


def assert_same_states(one: dict, other: dict, atol: float) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, dict):
            assert_same_states(value, other[name], atol)
        elif isinstance(value, torch.Tensor):
            torch.testing.assert_close(value, other[name], atol=atol, rtol=1e-5)


def wide() -> nn.Module:
    """Large enough that its loops are worth several threads."""
    torch.manual_seed(2)
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 2048), nn.Tanh(), nn.Linear(2048, 10)
    )


@pytest.mark.parametrize("level", except_for(["O0", "O2"], "O0"))
def test_threads_change_no_bit(level) -> None:
    runs = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            model = wide()
            optimizer = torch.optim.Adam(model.parameters())
            step = amp.compile_step(model, loss_fn, optimizer, opt_level=level)
            runs.append((train(model, optimizer, step, steps=5), model.state_dict()))
    finally:
        torch.set_num_threads(before)
    (losses, state), (others, other) = runs
    assert torch.equal(losses, others)
    for name, value in state.items():
        assert torch.equal(value, other[name]), name


# Each optimizer, and each model, once; batch norm with both kinds of states.
PAIRS = [*((name, mlp) for name in OPTIMIZERS)]
PAIRS += [("momentum", cnn), ("adam", cnn), ("sgd", Parts)]


@pytest.mark.parametrize(
    "name, make",
    cases(itertools.product(OPTIMIZERS, [mlp, cnn, Parts]), PAIRS),
    ids=lambda value: getattr(value, "__name__", None),
)
def test_o0_is_eager(make, name) -> None:
    model = make()
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS[name](model.parameters())
    eager_optimizer = OPTIMIZERS[name](twin.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")
    losses, eager = train(model, optimizer, step), train(twin, eager_optimizer)
    torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)
    atol = 1e-5 if "adam" not in name else 1e-4  # it divides by roots of noise
    assert_same_states(model.state_dict(), twin.state_dict(), atol)
    ours, theirs = optimizer.state_dict(), eager_optimizer.state_dict()
    assert_same_states(ours["state"], theirs["state"], atol)


def test_attention_and_a_tied_embedding() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(20, 16)
            self.block = nn.TransformerEncoderLayer(
                16, 2, 32, dropout=0.0, batch_first=True
            )
            self.head = nn.Linear(16, 20, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens):
            return self.head(self.block(self.embedding(tokens)))

    def loss_of(model, tokens):
        logits = model(tokens[:, :-1])
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), tokens[:, 1:].flatten()
        )

    model = Model()
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS["adamw"](model.parameters())
    eager_optimizer = OPTIMIZERS["adamw"](twin.parameters())
    step = amp.compile_step(model, loss_of, optimizer, opt_level="O0")
    for _ in range(5):
        tokens = torch.randint(0, 20, (4, 9))
        loss = loss_of(twin, tokens)
        eager_optimizer.zero_grad()
        loss.backward()
        eager_optimizer.step()
        torch.testing.assert_close(step(tokens), loss.detach(), atol=1e-5, rtol=0)


class Noisy(nn.Module):
    """Draws of each kind, one of which nothing uses."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(64, 24), nn.Linear(24, 10)
        self.maps = nn.Dropout2d(0.5)
        self.units = nn.Sequential(nn.Dropout(0.25), nn.AlphaDropout(0.1))

    def forward(self, x):
        torch.rand(7)
        h = self.units(self.first(self.maps(x).flatten(1)).relu())
        h = h + 0.1 * torch.randn_like(h) * torch.rand(1, 24)
        return self.last(nn.functional.dropout(h, 0.5, self.training))


def check_draws(model: nn.Module, name: str = "sgd", steps: int = 3) -> Tensor:
    """Losses, states and what is drawn next are eager PyTorch's; the losses."""
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS[name](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")
    losses = train(model, optimizer, step, steps)
    state = torch.get_rng_state()
    eager = train(twin, OPTIMIZERS[name](twin.parameters()), steps=steps)
    torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)
    assert_same_states(model.state_dict(), twin.state_dict(), 1e-5)
    assert torch.equal(state, torch.get_rng_state())  # none more, none less
    return losses


def test_random_numbers_are_eager_ones() -> None:
    losses = check_draws(Noisy(), "momentum", 20)
    assert len(set(losses.tolist())) == 20


def test_dropout_of_everything_and_of_nothing() -> None:
    for rate in (0.0, 1.0):
        model = nn.Sequential(mlp(), nn.Dropout(rate))
        twin = copy.deepcopy(model)
        optimizer = OPTIMIZERS["sgd"](model.parameters())
        step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")
        losses = train(model, optimizer, step, 3)
        eager = train(twin, OPTIMIZERS["sgd"](twin.parameters()), steps=3)
        torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)


def test_dropout_of_everything_draws_nothing() -> None:
    """Neither does eager PyTorch, so that what is drawn behind it is the same."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.Dropout(1.0), nn.Dropout(0.5))
    check_draws(model.append(nn.Linear(8, 10)).append(nn.Dropout(0.5)))


class Recurrent(nn.Module):
    """Rows of 8 positions, through layers with dropout between them."""

    def __init__(self, layers: nn.Module) -> None:
        super().__init__()
        self.layers = layers
        self.last = nn.LazyLinear(10)

    def forward(self, x):
        x = x.reshape(-1, 8, 8)
        output, states = self.layers(x if self.layers.batch_first else x.transpose(0, 1))
        states = states if isinstance(states, Tensor) else states[0]
        return self.last(output.sum(1 if self.layers.batch_first else 0)) + states.mean()


@pytest.mark.parametrize(
    "kind, options",
    except_for(
        [
            (nn.LSTM, {"num_layers": 2}),
            (nn.LSTM, {"num_layers": 3, "batch_first": True, "bidirectional": True}),
            (nn.LSTM, {"num_layers": 2, "proj_size": 3, "bias": False}),
            (nn.GRU, {"num_layers": 3}),
            (nn.GRU, {"num_layers": 2, "batch_first": True, "bidirectional": True}),
            (nn.RNN, {"num_layers": 2, "nonlinearity": "relu", "batch_first": True}),
            (nn.RNN, {"num_layers": 3, "bias": False, "bidirectional": True}),
        ],
        (nn.LSTM, {"num_layers": 3, "batch_first": True, "bidirectional": True}),
        (nn.GRU, {"num_layers": 3}),
        (nn.RNN, {"num_layers": 2, "nonlinearity": "relu", "batch_first": True}),
    ),
)
def test_dropout_between_recurrent_layers(kind, options) -> None:
    torch.manual_seed(4)
    model = Recurrent(kind(8, 6, dropout=0.4, **options))
    model(torch.randn(2, 64))
    twin = copy.deepcopy(model)
    losses = check_draws(model)
    # It is there: without it the first loss is another.
    twin.layers.dropout = 0.0
    plain = train(twin, OPTIMIZERS["sgd"](twin.parameters()), steps=1)
    assert abs(float(plain[0] - losses[0])) > 1e-4


def test_dropout_at_half_levels() -> None:
    """The mask is the same at each level; with it the losses are near."""
    for opt_level in ("O1", "O2", "O4"):
        model = Noisy()
        twin = copy.deepcopy(model)
        optimizer = OPTIMIZERS["sgd"](model.parameters())
        step = amp.compile_step(model, loss_fn, optimizer, opt_level, loss_scale=128.0)
        losses = train(model, optimizer, step, 5)
        eager = train(twin, OPTIMIZERS["sgd"](twin.parameters()), steps=5)
        torch.testing.assert_close(losses, eager, atol=0.05, rtol=0)


@pytest.mark.parametrize(
    "opt_level, scale, atol",
    except_for(
        [
            ("O1", 1024.0, 0.05),
            ("O2", 1024.0, 0.05),
            ("O3", 1024.0, 0.05),
            ("O4", None, 0.2),
            ("O5", None, 0.2),
        ],
        ("O2", 1024.0, 0.05),
        ("O4", None, 0.2),
    ),
)
def test_half_levels_train(opt_level, scale, atol) -> None:
    model = cnn()
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS["momentum"](model.parameters())
    # Not the dynamic scale: its first steps overflow and are skipped.
    step = amp.compile_step(model, loss_fn, optimizer, opt_level, loss_scale=scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StorageWarning)
        losses = train(model, optimizer, step)
    eager = train(twin, OPTIMIZERS["momentum"](twin.parameters()))
    torch.testing.assert_close(losses, eager, atol=atol, rtol=0)
    assert not torch.equal(losses, eager)
    values = [*model.parameters(), *optimizer.state_dict()["state"].values()]
    values = [v["momentum_buffer"] if isinstance(v, dict) else v for v in values]
    assert {value.dtype for value in values} == {torch.float32}


def half_distance(model: nn.Module, dtype: torch.dtype) -> dict[str, bool]:
    """By parameter, whether a half type has its values."""
    return {
        name: torch.equal(value, value.to(dtype).float())
        for name, value in model.named_parameters()
    }


@pytest.mark.parametrize(
    "opt_level, dtype", [("O2", torch.float16), ("O5", torch.bfloat16)]
)
def test_parameters_are_the_masters(opt_level, dtype) -> None:
    """Against eager PyTorch: half parameters, FP32 masters, an FP32 batch norm."""
    torch.manual_seed(0)
    model = cnn()
    twin = copy.deepcopy(model)
    for module in twin.modules():
        if not isinstance(module, nn.BatchNorm2d):
            for parameter in module.parameters(recurse=False):
                parameter.data = parameter.data.to(dtype)
    masters = {n: p.detach().clone() for n, p in model.named_parameters()}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = amp.compile_step(model, loss_fn, optimizer, opt_level, loss_scale=1.0)
    for index in range(5):
        x, y = batch()
        loss = step(x, y)
        # Half inputs of the convolution and the last layer, and FP32 between.
        features = twin[0](x.to(dtype)).float()
        logits = twin[5](twin[4](twin[3](twin[2](twin[1](features)))).to(dtype))
        expected = nn.functional.cross_entropy(logits.float(), y)
        expected.backward()
        for name, parameter in twin.named_parameters():
            masters[name] -= 0.1 * parameter.grad.float()
            parameter.data.copy_(masters[name])
            parameter.grad = None
        tolerance = {torch.float16: 2e-3, torch.bfloat16: 2e-2}[dtype]
        torch.testing.assert_close(loss, expected.detach(), atol=tolerance, rtol=0)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter, masters[name], atol=tolerance, rtol=0)
    # What half cannot hold is not lost.
    kept = half_distance(model, dtype)
    assert not kept["0.weight"] and not kept["5.weight"]


def test_o3_holds_what_half_holds() -> None:
    model = cnn()
    optimizer = OPTIMIZERS["momentum"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, "O3", loss_scale=128.0)
    with pytest.warns(StorageWarning, match="momentum_buffer.*as Apex does at O3"):
        step(*batch())
    assert all(half_distance(model, torch.float16).values())
    for state in optimizer.state.values():
        value = state["momentum_buffer"]
        assert torch.equal(value, value.half().float()) and value.any()
    assert model[1].running_mean.dtype == torch.float32
    assert model[1].num_batches_tracked == 1


def test_half_copies_follow_their_masters() -> None:
    """What changes a parameter between two steps reaches the step."""
    model, other = mlp(), mlp()
    step = amp.compile_step(
        model, loss_fn, OPTIMIZERS["sgd"](model.parameters()), "O2", loss_scale=1.0
    )
    x, y = batch()
    step(x, y)
    model.load_state_dict(other.state_dict())
    resumed = step(x, y)
    fresh = amp.compile_step(
        other, loss_fn, OPTIMIZERS["sgd"](other.parameters()), "O2", loss_scale=1.0
    )
    assert torch.equal(resumed, fresh(x, y))
    assert_same_states(model.state_dict(), other.state_dict(), 0)


@pytest.mark.parametrize("opt_level", ["O1", "O2"])
def test_an_overflow_is_skipped(opt_level) -> None:
    model = mlp()
    optimizer = OPTIMIZERS["adam"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, opt_level)
    step(*batch())
    before = copy.deepcopy((model.state_dict(), optimizer.state_dict()["state"]))
    x, y = batch()
    x[0] = float("inf")
    assert not step(x, y).isfinite()
    assert_same_states(before[0], model.state_dict(), 0)
    assert_same_states(before[1], optimizer.state_dict()["state"], 0)
    (scaler,) = step.scalers.values()
    assert (scaler.state.scale, scaler.state.skipped) == (32768.0, 1)
    assert step(*batch()).isfinite()


def test_static_scales_are_properties() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, loss_scale=128.0)
    step(*batch())
    (scaler,) = step.scalers.values()
    assert scaler.state.scale == 128.0


@pytest.mark.filterwarnings("ignore::mlir_amp.torch.step.StorageWarning")
@pytest.mark.parametrize("opt_level", except_for(["O1", "O2", "O3", "O5"], "O1", "O5"))
def test_checkpoints_go_on_bit_for_bit(opt_level) -> None:
    """The states are the user's tensors: they are saved and loaded as always."""
    model = mlp()
    # At O3 Adam divides 0 by 0 where its eps is 0 in half, as Apex's does.
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, eps=1e-4)
    step = amp.compile_step(model, loss_fn, optimizer, opt_level)
    batches = [batch() for _ in range(6)]
    for x, y in batches[:3]:
        step(x, y)
    saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
    expected = [step(x, y).item() for x, y in batches[3:]]
    other = mlp()
    other_optimizer = torch.optim.Adam(other.parameters(), lr=2e-3, eps=1e-4)
    other.load_state_dict(saved[0])
    other_optimizer.load_state_dict(saved[1])
    resumed = amp.compile_step(other, loss_fn, other_optimizer, opt_level)
    assert [resumed(x, y).item() for x, y in batches[3:]] == expected


def test_a_step_writes_no_text(monkeypatch) -> None:
    """Texts of errors with a tensor in them are long, and took more than the step."""
    model = mlp()
    step = amp.compile_step(
        model, loss_fn, OPTIMIZERS["adam"](model.parameters()), "O2"
    )
    step(*batch())

    def refuse_to_print(*_):
        raise AssertionError("a tensor is written as text")

    monkeypatch.setattr(torch.Tensor, "__format__", refuse_to_print)
    monkeypatch.setattr(torch.Tensor, "__repr__", refuse_to_print)
    step(*batch())


def test_other_sizes_and_modes_are_compiled_once_more() -> None:
    model = cnn()
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    eager_optimizer = OPTIMIZERS["sgd"](twin.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")
    x, y = batch()
    for rows, mode, new in (
        (16, True, None),
        (
            8,
            True,
            r"more: the batch is \[8, 1, 8, 8\] of torch.float32, \[8\] of .*t64$",
        ),
        (8, False, r"more: the model's mode \(train, eval\) is another$"),
    ):
        model.train(mode)
        twin.train(mode)
        if new is None:
            ours = step(x[:rows], y[:rows])
        else:
            with pytest.warns(RecompileWarning, match=new):
                ours = step(x[:rows], y[:rows])
        loss = loss_fn(twin, x[:rows], y[:rows])
        eager_optimizer.zero_grad()
        loss.backward()
        eager_optimizer.step()
        torch.testing.assert_close(ours, loss.detach(), atol=1e-5, rtol=0)
    model.train()
    step(x, y)  # is there already


def test_properties_that_are_new_are_named() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["momentum"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")
    step(*batch())
    torch.optim.lr_scheduler.StepLR(optimizer, 1)  # adds 'initial_lr'
    step(*batch())
    optimizer.param_groups[0]["momentum"] = 0.5  # an argument
    step(*batch())
    optimizer.param_groups[0]["nesterov"] = False
    optimizer.param_groups[0]["momentum"] = 0
    with pytest.warns(RecompileWarning, match="'momentum' is 0, 'nesterov' is False$"):
        step(*batch())
    model[1].bias.requires_grad_(False)
    with pytest.warns(RecompileWarning, match="other parameters have requires_grad$"):
        step(*batch())


def test_scalers_go_on_in_other_programs() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer)
    x, y = batch()
    step(x * float("inf"), y)
    next(iter(step.scalers.values())).load(1024.0, 5)
    with pytest.warns(RecompileWarning):
        step(*batch(8))
    state = next(iter(step.scalers.values())).state
    assert (state.scale, state.unskipped) == (1024.0, 6)
    assert (state.steps, state.skipped, state.overflows) == (2, 1, 1)
    step(x, y)  # in the first program again
    state = next(iter(step.scalers.values())).state
    assert state == (1024.0, 7, 3, 1, 1)


def test_scales_go_on_after_a_checkpoint() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer)
    assert step.state_dict() == {
        "loss_scaler0": {"loss_scale": 65536.0, "unskipped": 0}
    }
    x, y = batch()
    step(x * float("inf"), y)
    step(x, y)
    saved = step.state_dict()
    assert saved == {"loss_scaler0": {"loss_scale": 32768.0, "unskipped": 1}}
    resumed = amp.compile_step(model, loss_fn, optimizer)
    resumed.load_state_dict(saved)
    assert resumed.state_dict() == saved
    resumed(x, y)
    (scaler,) = resumed.scalers.values()
    assert (scaler.state.scale, scaler.state.unskipped) == (32768.0, 2)
    resumed.load_state_dict(saved)
    assert (scaler.state.scale, scaler.state.unskipped) == (32768.0, 1)
    with pytest.raises(ValueError, match="'loss_scaler0' alone, but it has .'model'"):
        step.load_state_dict({"model": {}})
    bad = {"loss_scaler0": {"loss_scale": 0.0, "unskipped": 1}}
    with pytest.raises(ValueError, match="scale above 0 .* the state has 0.0 and 1"):
        step.load_state_dict(bad)


@pytest.mark.parametrize("name", except_for(OPTIMIZERS, "sgd", "adam"))
def test_schedules_change_numbers_without_compiling(name) -> None:
    """Rates, momenta, betas and decays are read at each step."""

    def run(model, compiled: bool) -> torch.Tensor:
        optimizer = OPTIMIZERS[name](model.parameters())
        cycled = {} if name != "sgd" else {"cycle_momentum": False}
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, 0.01, total_steps=22, **cycled
        )
        step = None
        if compiled:
            step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")

        def prepare(index: int) -> None:
            group = optimizer.param_groups[0]
            if group["weight_decay"]:
                group["weight_decay"] = 1e-3 * (index + 1)
            if "betas" in group:
                group["betas"] = (group["betas"][0], 0.9 + 0.004 * index)

        return train(model, optimizer, step, schedule=schedule, prepare=prepare)

    model = mlp()
    twin = copy.deepcopy(model)
    torch.testing.assert_close(run(model, True), run(twin, False), atol=1e-5, rtol=0)
    atol = 1e-5 if "adam" not in name else 1e-4
    assert_same_states(model.state_dict(), twin.state_dict(), atol)


def test_numbers_in_places_that_no_rule_knows() -> None:
    """An update that makes something else of a number would keep the first one."""

    class Squared(torch.optim.SGD):
        pass

    Squared.step = torch.optim.Optimizer.profile_hook_step(
        lambda self: [
            p.mul_(1 - group["momentum"] ** 2)
            for group in self.param_groups
            for p in group["params"]
        ]
    )
    model = mlp()
    optimizer = Squared(model.parameters(), lr=0.1, momentum=0.9)
    step = CompiledStep(model, loss_fn, optimizer, "amp-mixed-precision", 1.0)
    with pytest.raises(NotLowered, match="which the optimizer's numbers make"):
        step(*batch())


def test_schedules_know_that_a_step_came_before() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    amp.compile_step(model, loss_fn, optimizer)(*batch())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule.step()


def test_frozen_and_unused_parameters_stay() -> None:
    model = mlp()
    model.unused = nn.Linear(2, 2)
    model.forward = lambda x: model[3](model[2](model[1](model[0](x))))
    model[1].weight.requires_grad_(False)
    frozen = model[1].weight.clone()
    unused = model.unused.weight.clone()
    optimizer = torch.optim.SGD(
        [
            {"params": [p for p in model.parameters() if p.requires_grad]},
        ],
        lr=0.1,
        momentum=0.9,
    )
    bias = model[1].bias.clone()
    amp.compile_step(model, loss_fn, optimizer, opt_level="O0")(*batch())
    assert torch.equal(model[1].weight, frozen)
    assert torch.equal(model.unused.weight, unused)
    assert not torch.equal(model[1].bias, bias)


def test_groups_have_learning_rates_of_their_own() -> None:
    model = mlp()
    twin = copy.deepcopy(model)
    make = lambda m: torch.optim.SGD(
        [
            {"params": m[1].parameters(), "lr": 0.5},
            {"params": m[3].parameters(), "weight_decay": 0.1},
        ],
        lr=0.01,
    )
    optimizer = make(model)
    step = amp.compile_step(model, loss_fn, optimizer, opt_level="O0")
    losses, eager = train(model, optimizer, step, 5), train(twin, make(twin), None, 5)
    torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)
    assert_same_states(model.state_dict(), twin.state_dict(), 1e-5)


def test_autograd_sees_that_parameters_changed() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    x, y = batch()
    loss = loss_fn(model, x, y)
    amp.compile_step(model, loss_fn, optimizer)(x, y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


# ----------------------------------------------------------------------------
# Refusals
# ----------------------------------------------------------------------------


def refuse(text, model=None, optimizer=None, loss=loss_fn, data=None, error=ValueError):
    model = model or mlp()
    optimizer = optimizer or OPTIMIZERS["sgd"](model.parameters())
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(error, match=text):
        amp.compile_step(model, loss, optimizer)(*(data or batch()))
    assert_same_states(before, model.state_dict(), 0)


def test_refused_levels_and_optimizers() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["sgd"](model.parameters())
    with pytest.raises(RuntimeError, match="Unexpected optimization level O9"):
        amp.compile_step(model, loss_fn, optimizer, opt_level="O9")
    refuse(
        "SGD, Adam or AdamW, but got Adagrad",
        model,
        torch.optim.Adagrad(model.parameters()),
    )


def test_refused_parameters() -> None:
    model = mlp()
    part = torch.optim.SGD(model[1].parameters(), lr=0.1)
    refuse(r"to train '3.weight'; give it", model, part)
    foreign = torch.optim.SGD(mlp().parameters(), lr=0.1)
    refuse("one of shape .* is none", model, foreign)
    refuse("'1.weight' to be contiguous, of torch.float32", mlp().half())
    dampened = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, dampening=0.1)
    refuse("with dampening to have taken a step", model, dampened)


def test_refused_batches_and_losses() -> None:
    refuse("batch of tensors on the CPU, but got list", data=([1.0], [2]))
    several = lambda model, x, y: model(x)
    refuse("one float32 number", loss=several, error=NotLowered)
    shuffled = lambda model, x, y: loss_fn(model, x, y) + torch.randperm(4).sum()
    refuse("'aten.randperm.default' has no form", loss=shuffled, error=NotLowered)
    many = [1.0] * 2049
    constant = lambda model, x, y: loss_fn(model, x, y) * torch.tensor(many).sum()
    refuse("a list whose values a step does not", loss=constant, error=NotLowered)
    constant = lambda model, x, y: loss_fn(model, x, y) * torch.tensor([1j]).real.sum()
    refuse(r"constant tensor of shape \[1\] and torch.c", loss=constant, error=NotLowered)


@pytest.mark.parametrize("name", except_for(OPTIMIZERS, "adam"))
def test_parameters_that_a_loss_does_not_reach(name) -> None:
    """They have no states and are not decayed, until another size of batch reaches
    them."""

    def loss_of(model, x):
        reached = model[:1] if len(x) == 4 else model
        return reached(x).square().sum()

    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS[name](model.parameters())
    other = OPTIMIZERS[name](twin.parameters())
    step = amp.compile_step(model, loss_of, optimizer, opt_level="O0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecompileWarning)
        for rows in (4, 4, 5, 4):
            x = torch.randn(rows, 3)
            step(x)
            other.zero_grad()
            loss_of(twin, x).backward()
            other.step()
            assert_same_states(model.state_dict(), twin.state_dict(), 1e-5)
            have = [
                {
                    number
                    for number, state in each.state_dict()["state"].items()
                    if {*state.values()} - {None}
                }
                for each in (optimizer, other)
            ]
            assert have[0] == have[1]
