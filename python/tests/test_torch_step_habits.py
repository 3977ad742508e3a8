# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts do around a compiled step, against eager PyTorch that does the same:
edits of parameters, states and groups between steps, values of Python that a schedule
changes, what a forward pass sets, threads and modes; and what is refused of it."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import threading
import types
import warnings

import pytest
import torch
from cases import cases, except_for
from mlir_amp.torch import amp
from mlir_amp.torch.backend import RecompileWarning
from mlir_amp.torch.lowering.graph_module import NotLowered
from mlir_amp.torch.step import UnseenWarning
from torch import nn

F = nn.functional


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenWarning)
        warnings.simplefilter("error", RecompileWarning)
        yield


def mlp(p: float = 0.0) -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(p), nn.Linear(16, 4))


def loss_fn(model, x, y):
    return F.cross_entropy(model(x), y)


def batch():
    return torch.randn(6, 8), torch.randint(0, 4, (6,))


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def momentum(model):
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def adam(model):
    return torch.optim.Adam(model.parameters(), lr=1e-2)


def check(
    make,
    loss=loss_fn,
    optimizer=sgd,
    opt_level="O0",
    between=None,
    atol=1e-5,
    make_batch=batch,
):
    """Six steps of both; `between(model, optimizer, i)` comes before each one."""
    trained = make()
    runs = []
    for model, compiled in ((copy.deepcopy(trained), False), (trained, True)):
        o = optimizer(model)
        step = amp.compile_step(model, loss, o, opt_level) if compiled else None
        torch.manual_seed(7)
        losses = []
        for i in range(6):
            if between:
                between(model, o, i)
            data = make_batch()
            if step:
                losses.append(step(*data))
                continue
            o.zero_grad()
            losses.append(loss(model, *data))
            losses[-1].backward()
            o.step()
        states = [s[k] for s in o.state_dict()["state"].values() for k in sorted(s)]
        runs.append((torch.stack(losses).detach(), model.state_dict(), states))
    torch.testing.assert_close(runs[0], runs[1], atol=atol, rtol=1e-5)


def assign_data(p):
    p.data = p.data * 0.5


def write_data(p):
    p.data.mul_(0.5)


def write_by_numpy(p):
    p.detach().numpy()[...] *= 0.5


def clamp(p):
    with torch.no_grad():
        p.clamp_(-0.1, 0.1)


EDITS = [assign_data, write_data, write_by_numpy, clamp]
# Each edit where half copies follow masters, and each other level with one of them.
EDITED = [*((edit, "O2") for edit in EDITS)]
EDITED += [(assign_data, "O0"), (write_by_numpy, "O3"), (clamp, "O5")]


@pytest.mark.parametrize(
    "edit, opt_level",
    cases(itertools.product(EDITS, ["O0", "O2", "O3", "O5"]), EDITED),
    ids=lambda value: getattr(value, "__name__", None),
)
def test_edits_reach_the_step(opt_level, edit) -> None:
    def between(model, optimizer, i):
        for parameter in model.parameters() if i in (2, 4) else ():
            edit(parameter)

    check(
        mlp,
        opt_level=opt_level,
        between=between,
        atol={"O0": 1e-5}.get(opt_level, 1e-2),
    )


@pytest.mark.parametrize("optimizer", [momentum, adam])
def test_states_that_are_cleared_start_again(optimizer) -> None:
    def clear(model, o, i):
        if i == 2:
            o.state.clear()
        if i == 4:
            o.load_state_dict(optimizer(model).state_dict())

    check(mlp, optimizer=optimizer, between=clear, atol=1e-4)


def test_states_that_are_no_tensors() -> None:
    model = mlp()
    optimizer = adam(model)
    step = amp.compile_step(model, loss_fn, optimizer)
    step(*batch())
    optimizer.state[model[0].bias]["step"] = 3
    with pytest.raises(ValueError, match="have '0.bias.step' as a tensor, but it is 3"):
        step(*batch())


def test_autocast_around_a_step() -> None:
    model = mlp()
    step = amp.compile_step(model, loss_fn, sgd(model))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with pytest.raises(ValueError, match="expected no torch.autocast around"):
            step(*batch())
        with torch.autocast("cpu", enabled=False):
            step(*batch())


def test_parameters_change_groups() -> None:
    def two(model):
        parts = ((model[0], 0.01), (model[3], 0.3))
        return torch.optim.SGD(
            [{"params": m.parameters(), "lr": lr} for m, lr in parts]
        )

    def swap(model, o, i):
        if i == 2:
            one, two = o.param_groups
            one["params"], two["params"] = two["params"], one["params"]

    with pytest.warns(RecompileWarning, match="groups have other parameters$"):
        check(mlp, optimizer=two, between=swap)


def test_a_layer_that_the_optimizer_does_not_have() -> None:
    model = mlp()
    step = amp.compile_step(model, loss_fn, sgd(model), "O0")
    step(*batch())
    model[3] = nn.Linear(16, 4)
    before = copy.deepcopy(model.state_dict())
    with pytest.warns(RecompileWarning), pytest.raises(ValueError, match="is none"):
        step(*batch())
    torch.testing.assert_close(model.state_dict(), before, atol=0, rtol=0)


def test_a_rate_of_zero() -> None:
    """As warming up begins with; rows that no batch has have no gradients ever."""

    def make():
        return nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 4))

    def warm(model, optimizer, i):
        optimizer.param_groups[0]["lr"] = 0.01 * (i % 3)

    tokens = lambda: (torch.randint(0, 20, (6,)), torch.randint(0, 4, (6,)))
    check(make, optimizer=adam, between=warm, make_batch=tokens, atol=1e-4)


def test_probabilities_that_change() -> None:
    def schedule(model, optimizer, i):
        model[2].p = 0.1 * (i % 2)

    with pytest.warns(RecompileWarning, match=r"more: '2.p' is 0.1 \(what changes"):
        check(lambda: mlp(0.5), between=schedule)


WEIGHT = 0.0


def penalty(model):
    return WEIGHT * model[0].weight.pow(2).sum()


def test_numbers_of_globals_and_closures_that_change() -> None:
    listed, config = [0.0], types.SimpleNamespace(weight=0.0)

    def loss(model, x, y):
        rest = (listed[0] + config.weight) * model[3].weight.abs().sum()
        return loss_fn(model, x, y) + penalty(model) + rest

    def anneal(model, optimizer, i):
        global WEIGHT
        WEIGHT, listed[0], config.weight = (
            0.1 * (i // 2),
            0.02 * (i // 3),
            0.01 * (i // 4),
        )

    with pytest.warns(RecompileWarning) as caught:
        check(mlp, loss, between=anneal)
    said = [str(warning.message) for warning in caught]
    assert ["'WEIGHT' is 0.1" in s for s in said] == [True, False, False]
    assert ["'listed' is (0.02,)" in s for s in said] == [False, True, False]
    assert ["'config.weight' is 0.01" in s for s in said] == [False, False, True]


def test_a_trainer_counts_its_steps() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.steps, self.rate, self.part = 0, 1.0, 0.0

        def weight(self):
            return self.rate

        @property
        def rest(self):
            return self.part

        def loss(self, model, x, y):
            return loss_fn(model, x, y) * (self.weight() + self.rest)

        def step(self, step, x, y):
            self.steps += 1
            return step(x, y)

    trainer, model, data = Trainer(), mlp(), batch()
    step = amp.compile_step(model, trainer.loss, sgd(model), "O0")
    for _ in range(3):
        trainer.step(step, *data)  # compiles once
    trainer.rate = 2.0
    expected = trainer.loss(model, *data).detach()
    with pytest.warns(RecompileWarning, match="more: 'self.rate' is 2.0"):
        torch.testing.assert_close(step(*data), expected, atol=1e-5, rtol=0)
    trainer.part = 1.0
    with pytest.warns(RecompileWarning, match="more: 'self.part' is 1.0"):
        step(*data)


class Averaging(nn.Module):
    """Writes buffers by assigning them."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        y = self.layer(x)
        self.mean = 0.9 * self.mean + 0.1 * y.mean(0).detach()
        self.calls = self.calls + 1
        return y - self.mean


def test_buffers_that_are_assigned() -> None:
    check(Averaging)

    class Growing(Averaging):
        def forward(self, x):
            self.mean = torch.cat([self.mean, self.mean])
            return self.layer(x)

    model = Growing()
    with pytest.raises(
        NotLowered, match="replaces the buffer 'mean' by one of another"
    ):
        amp.compile_step(model, loss_fn, sgd(model))(*batch())
    assert model.mean.shape == (4,)


def test_attributes_that_the_forward_pass_sets() -> None:
    class Watched(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.seen, self.calls = nn.Linear(8, 4), None, 0

        def forward(self, x):
            self.seen = self.layer(x)
            self.calls += 1
            return self.seen

    model = Watched()
    step = amp.compile_step(model, loss_fn, sgd(model))
    with pytest.warns(UnseenWarning, match="loss sets calls, seen, which"):
        step(*batch())
    assert model.seen is None and model.calls == 0
    step(*batch())  # compiles no second time

    class Recurrent(Watched):
        def forward(self, x):
            y = self.layer(x) + (0 if self.seen is None else self.seen)
            self.seen = y.detach()
            return y

    model = Recurrent()
    step = amp.compile_step(model, loss_fn, sgd(model))
    with pytest.raises(NotLowered, match=r"reads what it set before, \['seen'\]; make"):
        step(*batch())
    assert model.seen is None


@pytest.mark.filterwarnings("ignore:.*spectral_norm. is deprecated")
@pytest.mark.parametrize(
    "layer",
    [
        lambda: nn.utils.spectral_norm(nn.Linear(8, 4)),
        lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(8, 4)),
        lambda: nn.RNN(8, 4),
    ],
    ids=["spectral_norm", "parametrization", "rnn"],
)
def test_attributes_that_pytorch_sets(layer) -> None:
    def loss(model, x, y):
        made = model(x)
        return F.cross_entropy(made[0] if isinstance(made, tuple) else made, y)

    torch.manual_seed(3)
    model = layer()
    eager = loss(copy.deepcopy(model), *(data := batch())).detach()
    step = amp.compile_step(model, loss, sgd(model), "O0")  # warns of nothing
    torch.testing.assert_close(step(*data), eager, atol=1e-5, rtol=0)
    before = loss(model, *data)  # eager PyTorch sees what was trained
    assert before < eager


def test_lists_that_the_loss_appends_to() -> None:
    shapes = []

    def loss(model, x, y):
        shapes.append(len(x))
        return loss_fn(model, x, y)

    model = mlp()
    step = amp.compile_step(model, loss, sgd(model))
    with pytest.warns(UnseenWarning, match="sets shapes, which"):
        step(*batch())
    step(*batch())  # compiles no second time


def test_parameters_that_the_forward_pass_writes() -> None:
    class Clamping(nn.Linear):
        def forward(self, x):
            with torch.no_grad():
                self.weight.clamp_(-0.1, 0.1)
            return super().forward(x)

    model = Clamping(8, 4)
    with pytest.raises(NotLowered, match="writes to the parameter 'weight'; write"):
        amp.compile_step(model, loss_fn, sgd(model))(*batch())


def test_values_that_decide() -> None:
    def loss(model, x, y):
        return loss_fn(model, x, y) * (2 if x.sum().item() > 0 else 1)

    model = mlp()
    with pytest.raises(NotLowered, match="reads the value of a tensor"):
        amp.compile_step(model, loss, sgd(model))(*batch())


@pytest.mark.parametrize(
    "register", ["register_hook", "register_post_accumulate_grad_hook"]
)
def test_hooks_on_gradients_are_refused(register) -> None:
    model = mlp()
    step = amp.compile_step(model, loss_fn, sgd(model))
    hook = getattr(model[0].weight, register)(lambda value: None)
    with pytest.raises(ValueError, match="expected no hooks on '0.weight'"):
        step(*batch())
    hook.remove()
    step(*batch())


def test_hooks_of_modules_compile_once_more() -> None:
    model = mlp()
    step = amp.compile_step(model, loss_fn, sgd(model), "O0")
    x, y = batch()
    step(x, y)
    hook = model[0].register_forward_hook(lambda module, given, made: made * 2)
    expected = loss_fn(model, x, y)
    with pytest.warns(RecompileWarning, match="'0._forward_hooks' is"):
        torch.testing.assert_close(step(x, y), expected.detach(), atol=1e-5, rtol=0)
    hook.remove()
    step(x, y)  # is there already


@pytest.mark.parametrize("when", ["pre", "post"])
def test_hooks_around_the_step_are_refused(when) -> None:
    model = mlp()
    optimizer = sgd(model)
    step = amp.compile_step(model, loss_fn, optimizer)
    hook = getattr(optimizer, f"register_step_{when}_hook")(lambda *given: None)
    with pytest.raises(ValueError, match="no hooks around the optimizer's step"):
        step(*batch())
    hook.remove()
    step(*batch())


def test_parameters_in_one_memory_are_refused() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
    model[1].weight.data = model[0].weight.data
    step = amp.compile_step(model, loss_fn, sgd(model))
    with pytest.raises(ValueError, match="'0.weight' and '1.weight' to have memory of"):
        step(*batch())
    model[1].weight = model[0].weight
    amp.compile_step(model, loss_fn, sgd(model))(*batch())


def test_types_that_are_refused() -> None:
    model = mlp()
    step = amp.compile_step(model, loss_fn, sgd(model))
    x, y = batch()
    with pytest.raises(ValueError, match="torch.int8, .* got one of torch.complex64"):
        step(x.to(torch.complex64), y)


@pytest.mark.parametrize(
    "noisy",
    [
        lambda x: F.dropout(x.t(), 0.3).t(),
        lambda x: x + torch.randn_like(x.t()).t(),
        lambda x: F.gumbel_softmax(x),
        # Which call Tensor.new with a torch.Size.
        lambda x: torch.distributions.Laplace(x, 1.0).rsample(),
        lambda x: torch.distributions.Weibull(0.1 * x.exp(), 1.0).rsample(),
    ],
    ids=["dropout", "randn_like", "gumbel_softmax", "laplace", "weibull"],
)
def test_draws_in_the_order_of_memory(noisy) -> None:
    check(mlp, lambda model, x, y: F.cross_entropy(noisy(model(x)), y))


def test_draws_from_other_generators() -> None:
    own = torch.Generator()
    model = mlp()

    def noisy(draw):
        loss = lambda model, x, y: loss_fn(model, x * draw(x), y)
        amp.compile_step(model, loss, sgd(model))(*batch())

    for draw in (
        lambda x: torch.bernoulli(torch.full_like(x, 0.5), 0.5, generator=own),
        lambda x: torch.empty_like(x).normal_(generator=own),
        lambda x: torch.empty_like(x).uniform_(generator=own),
    ):
        with pytest.raises(NotLowered, match="draws from a generator of its own"):
            noisy(draw)
    noisy(lambda x: torch.empty_like(x).normal_())
    with pytest.raises(NotLowered, match="draws from Python's random"):
        noisy(lambda x: random.random())


def test_sizes_that_depend_on_values() -> None:
    model = mlp()
    loss = lambda model, x, y: model(x)[y > 1].sum()
    with pytest.raises(NotLowered, match="'aten.nonzero.default' gives depends on"):
        amp.compile_step(model, loss, sgd(model))(*batch())


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_steps_are_not_copied(copied) -> None:
    model = mlp()
    step = amp.compile_step(model, loss_fn, sgd(model))
    with pytest.raises(TypeError, match="neither copied nor pickled; give"):
        copied(step)


def test_draws_without_a_form() -> None:
    model = mlp()
    loss = lambda model, x, y: F.cross_entropy(F.rrelu(model(x), training=True), y)
    with pytest.raises(NotLowered, match="rrelu.* has no form: it draws random"):
        amp.compile_step(model, loss, sgd(model))(*batch())


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_modes_of_autograd_around_a_step(mode) -> None:
    model, other = mlp(), mlp()
    other.load_state_dict(model.state_dict())
    step = amp.compile_step(model, loss_fn, adam(model), "O2")
    same = amp.compile_step(other, loss_fn, adam(other), "O2")
    with mode():
        data = batch()
        first = step(*data)
    assert torch.equal(first, same(*data))
    assert torch.equal(step(*data), same(*data))
    loss_fn(model, *batch()).backward()  # the model is an ordinary one


def test_another_default_type() -> None:
    model = mlp(0.5)
    step = amp.compile_step(model, loss_fn, sgd(model), "O0")
    x, y = batch()
    step(x, y)
    torch.set_default_dtype(torch.float64)
    try:
        assert step(x, y).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_threads_take_turns() -> None:
    model = mlp(0.1)
    optimizer = adam(model)
    # A scale that no batch overflows at: a skipped step is not counted.
    step = amp.compile_step(model, loss_fn, optimizer, "O2", loss_scale=128.0)
    errors = []

    def train(rows):
        try:
            for _ in range(20):
                step(torch.randn(rows, 8), torch.randint(0, 4, (rows,)))
        except Exception as error:  # of any kind: a thread would swallow it
            errors.append(error)

    warnings.simplefilter("ignore", RecompileWarning)
    threads = [threading.Thread(target=train, args=(rows,)) for rows in (3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert optimizer.state[model[0].weight]["step"].item() == 60


# What a step keeps from the one before, as long as nothing changed.


def test_memory_that_is_another_is_seen() -> None:
    """The same tensors, at other places or in another order."""
    model = nn.Linear(8, 8)
    twin = copy.deepcopy(model)
    loss_of = lambda model, x: model(x).pow(2).mean()
    step, eager = (
        amp.compile_step(model, loss_of, sgd(model), "O2", loss_scale=1.0),
        amp.compile_step(twin, loss_of, sgd(twin), "O2", loss_scale=1.0),
    )
    x = torch.randn(4, 8)
    for _ in range(2):
        assert torch.equal(step(x), eager(x))
    model.weight.data = twin.weight.data.clone()  # elsewhere
    assert torch.equal(step(x), eager(x))
    assert torch.equal(model.weight, twin.weight)
    model.weight.data = model.weight.data.t()  # at the same place
    with pytest.raises(ValueError, match="'weight' to be contiguous"):
        step(x)


def test_modules_and_values_that_are_others_are_seen() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 4)
            self.factors = [1.0, 2.0]

        def forward(self, x):
            return sum(factor * self.layer(x) for factor in self.factors)

    model = Scaled()
    loss_of = lambda model, x: model(x).pow(2).mean()
    step = amp.compile_step(model, loss_of, sgd(model), "O0")
    x = torch.randn(4, 8)
    for _ in range(2):
        step(x)
    model.factors[1] = 5.0
    expected = loss_of(model, x).detach()
    with pytest.warns(RecompileWarning, match=r"'factors' is \(1.0, 5.0\)"):
        torch.testing.assert_close(step(x), expected)
    model.factors[1] = 2.0
    step(x)  # is there already
    model.layer = nn.Linear(8, 4)
    with (
        pytest.warns(RecompileWarning, match="groups have other parameters"),
        pytest.raises(ValueError, match="one of shape .* is none"),
    ):
        step(x)


@pytest.mark.parametrize(
    ("groups", "rank", "opt_level", "atol"),
    except_for(
        (
            (*form, *level)
            for form in ((1, 1), (2, 2), (4, 1), (1, 2), (2, 3), (4, 0))
            for level in (("O0", 1e-5), ("O2", 1e-2))
        ),
        # At O2 those of no, of two and of three dimensions.
        *((groups, rank, "O2", 1e-2) for groups, rank in ((1, 1), (4, 1), (1, 2))),
    ),
)
def test_group_normalisations(groups, rank, opt_level, atol) -> None:
    """With weights of their own, whose rule in PyTorch addresses memory."""
    last = nn.Linear(4 * 3**rank, 3)
    model = nn.Sequential(nn.GroupNorm(groups, 4), nn.Flatten(), last)
    twin = copy.deepcopy(model)
    optimizer, eager = sgd(model), sgd(twin)
    # A scale that no batch overflows at.
    step = amp.compile_step(model, loss_fn, optimizer, opt_level, loss_scale=128.0)
    for _ in range(3):
        data = torch.randn(2, 4, *[3] * rank) + 1, torch.randint(0, 3, (2,))
        eager.zero_grad()
        expected = loss_fn(twin, *data)
        expected.backward()
        eager.step()
        loss = step(*data)
        torch.testing.assert_close(loss, expected.detach(), atol=atol, rtol=atol)
    torch.testing.assert_close(
        model.state_dict(), twin.state_dict(), atol=atol, rtol=atol
    )


def test_rolls() -> None:
    rolled = lambda x: torch.roll(torch.roll(x, (1, -6), (0, 1)), 3)
    check(mlp, lambda model, x, y: loss_fn(model, rolled(x) + x.roll(0, 1), y))
    check(mlp, lambda model, x, y: F.cross_entropy(rolled(model(x)), y))


@pytest.mark.parametrize("level, halves", [("O0", 0), ("O2", 0), ("O3", 6), ("O5", 0)])
def test_a_step_takes_masters_alone(level, halves):
    """Half parameters are values of the program, but where there are no masters; and what is
    written to a parameter's data, which leaves its version, is what the next step rounds."""

    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(64, 8)
            self.layers = mlp()
            self.scale = nn.Parameter(torch.ones(4))

        def forward(self, x):
            return self.layers(self.words(x)) * self.scale

    model = Words()
    step = amp.compile_step(model, loss_fn, sgd(model), opt_level=level)
    x, y = torch.randint(0, 64, (6,)), torch.randint(0, 4, (6,))
    step(x, y)
    function = step._program.functions["train_step"]
    for values in (function.arguments, function.results):
        parameters = [value for value in values if value.role == "param"]
        assert len(parameters) == 6
        assert sum(value.element in ("f16", "bf16") for value in parameters) == halves
        assert not any(value.role == "master" for value in values)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.data.mul_(0.5)
        other = copy.deepcopy(model)
    other_step = amp.compile_step(other, loss_fn, sgd(other), opt_level=level)
    assert step(x, y) == other_step(x, y)
