# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that a compiled step was made of: another function or module in its place compiles
once more, the same code made again does not. What a capture draws from, fills or keeps
is as it was."""

from __future__ import annotations

import collections
import functools
import itertools
import logging
import random
import threading
import types
import warnings
import weakref

import numpy
import pytest
import torch
from mlir_amp.errors import NotLowered, RecompileWarning
from mlir_amp.torch import amp
from mlir_amp.torch.step import UnseenWarning
from torch import nn

F = nn.functional

CRITERION = nn.MSELoss()
FUNCTION = F.mse_loss
FACTOR = 1.0
KEPT: list[torch.Tensor] = []


def helper(x):
    return x * 1.0


def other_helper(x):
    return x * 0.25


class Reversed(torch.autograd.Function):
    """Whose backward pass reads a global."""

    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return -FACTOR * gradient


class Tools:
    @staticmethod
    def scale(x):
        return x * FACTOR


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.act, self.end = nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)
        self.function, self.shape_of = torch.tanh, helper
        self._weights, self._config = [1.0, 2.0], {"t": 1.0, "steps": 0}
        self.recent, self.flag = collections.deque([1.0]), 1
        self.active, self.table = [self.inner], [1.0] * 100
        self.made = lambda x: x * FACTOR
        self.many = {"settings": 1.0}

    def forward(self, x):
        return self.end(self.act(self.inner(x)))


def set_global(name, value):
    globals()[name] = value


def set_forward(m):
    m.act.forward = torch.sigmoid


# The loss, what changes it, and what changes nothing.
FORMS = {
    "module": (
        lambda m, x: m(x).sum(),
        lambda m: setattr(m, "act", nn.Sigmoid()),
        lambda m: setattr(m, "act", nn.Tanh()),
    ),
    "module-of-no-effect": (
        lambda m, x: m.end(m.act(m.inner(x))).sum(),
        lambda m: setattr(m, "act", nn.Identity()),
        lambda m: None,
    ),
    "list-of-modules": (
        lambda m, x: m.active[0](x).sum(),
        lambda m: setattr(m, "active", [m.end]),
        lambda m: setattr(m, "active", [m.inner]),
    ),
    "builtin": (
        lambda m, x: m.function(m.inner(x)).sum(),
        lambda m: setattr(m, "function", torch.sigmoid),
        lambda m: setattr(m, "function", torch.tanh),
    ),
    "function-attribute": (
        lambda m, x: m.shape_of(m(x)).sum(),
        lambda m: setattr(m, "shape_of", other_helper),
        lambda m: setattr(m, "shape_of", helper),
    ),
    "lambda-attribute": (
        lambda m, x: m.made(m(x)).sum(),
        lambda m: set_global("FACTOR", 0.5),
        lambda m: setattr(m, "made", eval("lambda x: x * FACTOR", globals()) and m.made),
    ),
    "forward-of-an-instance": (
        lambda m, x: m(x).sum(),
        set_forward,
        lambda m: None,
    ),
    "global-module": (
        lambda m, x: CRITERION(m(x), x[:, :1]),
        lambda m: set_global("CRITERION", nn.L1Loss()),
        lambda m: None,
    ),
    "global-function": (
        lambda m, x: FUNCTION(m(x), x[:, :1]),
        lambda m: set_global("FUNCTION", F.l1_loss),
        lambda m: set_global("FUNCTION", F.mse_loss),
    ),
    "helper-defined-again": (
        lambda m, x: helper(m(x)).sum(),
        lambda m: set_global("helper", other_helper),
        lambda m: None,
    ),
    "static-method": (
        lambda m, x: Tools.scale(m(x)).sum(),
        lambda m: set_global("FACTOR", 0.5),
        lambda m: None,
    ),
    "private-list": (
        lambda m, x: m(x).sum() * m._weights[1],
        lambda m: m._weights.__setitem__(1, 0.5),
        lambda m: setattr(m, "_weights", [1.0, 2.0]),
    ),
    "private-dict": (
        lambda m, x: m(x).sum() * m._config["t"],
        lambda m: m._config.update(t=0.5),
        lambda m: None,
    ),
    "deque": (
        lambda m, x: m(x).sum() * m.recent[-1],
        lambda m: m.recent.append(0.5),
        lambda m: None,
    ),
    "list-of-a-hundred": (
        lambda m, x: m(x).sum() * m.table[99],
        lambda m: m.table.__setitem__(99, 0.5),
        lambda m: None,
    ),
    "true-and-one": (
        lambda m, x: m(x).sum() * (0.5 if m.flag is True else 1.0),
        lambda m: setattr(m, "flag", True),
        lambda m: setattr(m, "flag", int("1")),
    ),
    "hook": (
        lambda m, x: m(x).sum(),
        lambda m: set_global("FACTOR", 0.5),
        lambda m: None,
    ),
}


class Holder:
    def __init__(self) -> None:
        self.beta = 1.0


@pytest.fixture(autouse=True)
def fresh():
    names = ("CRITERION", "FUNCTION", "FACTOR", "helper")
    before = {name: globals()[name] for name in names}
    KEPT.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RecompileWarning)
        warnings.simplefilter("error", UnseenWarning)
        yield
    globals().update(before)


def still(model):
    return torch.optim.SGD(model.parameters(), lr=0.0)


@pytest.mark.parametrize("name", FORMS)
def test_code_that_changes(name) -> None:
    loss, change, near = FORMS[name]
    model, x = Net(), torch.randn(3, 4)
    model.holder = Holder()
    if name == "hook":
        model.inner.register_forward_hook(lambda module, given, y: y * FACTOR)
    step = amp.compile_step(model, loss, still(model), "O0")
    first = loss(model, x).detach()
    torch.testing.assert_close(step(x), first)
    near(model)
    torch.testing.assert_close(step(x), first)  # compiles nothing
    change(model)
    expected = loss(model, x).detach()
    assert not torch.equal(expected, first)
    with pytest.warns(RecompileWarning):
        torch.testing.assert_close(step(x), expected)
    torch.testing.assert_close(step(x), expected)


def test_a_global_in_a_backward_pass() -> None:
    model, x = nn.Linear(4, 1), torch.randn(3, 4)
    twin = nn.Linear(4, 1)
    twin.load_state_dict(model.state_dict())
    loss = lambda m, x: Reversed.apply(m(x)).sum()  # noqa: E731
    step = amp.compile_step(model, loss, torch.optim.SGD(model.parameters(), 0.1), "O0")
    optimizer = torch.optim.SGD(twin.parameters(), 0.1)
    for factor in (1.0, 0.25):
        set_global("FACTOR", factor)
        if factor == 1.0:
            step(x)
        else:
            with pytest.warns(RecompileWarning, match="'FACTOR' is 0.25"):
                step(x)
        optimizer.zero_grad()
        loss(twin, x).backward()
        optimizer.step()
        torch.testing.assert_close(model.weight, twin.weight)


def test_hooks_of_all_modules_are_refused() -> None:
    model, x = Net(), torch.randn(3, 4)
    step = amp.compile_step(model, lambda m, x: m(x).sum(), still(model), "O0")
    step(x)
    handle = nn.modules.module.register_module_forward_hook(lambda m, given, y: y)
    try:
        with pytest.raises(ValueError, match="no hooks of all modules"):
            step(x)
    finally:
        handle.remove()
    step(x)
    amp.initialize(nn.LSTM(2, 2), opt_level="O1", verbosity=0)  # which has one of ours
    step(x)


# -- what a loss draws from, fills and keeps ------------------------------------------

PYTHON, NUMPY = random.Random(3), numpy.random.default_rng(3)
OLD, COUNT = numpy.random.RandomState(3), itertools.count(1)
SOURCES = {
    "random.Random": (lambda: PYTHON.random(), PYTHON.getstate, "PYTHON"),
    "Generator": (
        lambda: float(NUMPY.random()),
        lambda: repr(NUMPY.bit_generator.state),
        "NUMPY",
    ),
    "RandomState": (
        lambda: float(OLD.rand()),
        lambda: repr(OLD.get_state(legacy=False)),
        "OLD",
    ),
    "numpy.random": (
        lambda: float(numpy.random.rand()),
        lambda: repr(numpy.random.get_state(legacy=False)),
        "NumPy's random",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_generators_of_others_are_refused_and_put_back(name) -> None:
    draw, state, said = SOURCES[name]
    model, before = nn.Linear(4, 1), state()
    loss = lambda m, x: m(x).sum() * draw()  # noqa: E731
    step = amp.compile_step(model, loss, still(model), "O0")
    with pytest.raises(NotLowered, match=f"draws from {said}, which would be drawn once"):
        step(torch.randn(3, 4))
    assert state() == before


def test_iterators_are_refused() -> None:
    model = nn.Linear(4, 1)
    loss = lambda m, x: m(x).sum() / next(COUNT)  # noqa: E731
    with pytest.raises(NotLowered, match="draws from COUNT"):
        amp.compile_step(model, loss, still(model), "O0")(torch.randn(3, 4))


class Schedule:
    """An iterator that is read as an object, too."""

    def __init__(self) -> None:
        self.weight, self.taken = 1.0, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.taken += 1
        return self.weight


SCHEDULE = Schedule()


def test_iterators_of_a_script_are_read_as_objects() -> None:
    model, x = nn.Linear(4, 1), torch.randn(3, 4)
    loss = lambda m, x: m(x).sum() * SCHEDULE.weight  # noqa: E731
    step = amp.compile_step(model, loss, still(model), "O0")
    step(x)
    SCHEDULE.weight = 0.5
    with pytest.warns(RecompileWarning, match="SCHEDULE.weight' is 0.5"):
        torch.testing.assert_close(step(x), loss(model, x).detach())
    drawn = lambda m, x: m(x).sum() * next(SCHEDULE)  # noqa: E731
    with pytest.warns(UnseenWarning, match="SCHEDULE.taken"):
        amp.compile_step(model, drawn, still(model), "O0")(x)


def test_lists_that_the_forward_pass_fills_are_put_back() -> None:
    model, x = Net(), torch.randn(3, 4)
    model.inner.register_forward_hook(lambda module, given, y: KEPT.append(y))
    model(x)
    (mine,) = KEPT
    step = amp.compile_step(model, lambda m, x: m(x).sum(), still(model), "O0")
    with pytest.warns(UnseenWarning, match="sets .*KEPT"):
        step(x)
    assert len(KEPT) == 1 and KEPT[0] is mine
    model(x)
    assert len(KEPT) == 2


class Metered:
    """A loss that keeps books."""

    def __init__(self) -> None:
        self.last, self.calls, self.metrics = None, 0, {"losses": [0.5]}

    def __call__(self, model, x):
        global LAST
        loss = model(x).sum()
        self.last, LAST = loss.detach(), loss.detach()
        self.calls += 1
        self.metrics["losses"].append(loss.detach())
        COUNTS["calls"] += 1
        return loss


LAST = None
COUNTS = collections.Counter({"calls": 5, "x": 2})


def test_books_that_a_loss_keeps_are_as_they_were() -> None:
    model, x, loss = nn.Linear(4, 1), torch.randn(3, 4), Metered()
    step = amp.compile_step(model, loss, still(model), "O0")
    with pytest.warns(UnseenWarning, match="LAST, .*calls.*last.*metrics"):
        step(x)
    assert (loss.last, loss.calls, loss.metrics) == (None, 0, {"losses": [0.5]})
    assert LAST is None and COUNTS == {"calls": 5, "x": 2}
    loss(model, x)  # an evaluation between steps
    step(x)  # compiles nothing
    assert loss.calls == 1 and COUNTS["calls"] == 6


class Base(nn.Linear):
    factor, unused = 1.0, 0

    def forward(self, x):
        return super().forward(x) * FACTOR * self.factor


class Inherited(Base):
    def forward(self, x):
        return self.weigh(super().forward(x))

    @staticmethod
    def weigh(x):
        return x * STATIC


STATIC, mean = 1.0, 0.0


class Settings:
    beta = 1.0


def with_default(m, x, settings=Settings()):
    return m(x).sum() * settings.beta


@pytest.mark.parametrize(
    "change",
    [
        lambda: set_global("FACTOR", 0.5),
        lambda: set_global("STATIC", 0.5),
        lambda: setattr(Base, "factor", 0.5),
        lambda: setattr(with_default.__defaults__[0], "beta", 0.5),
    ],
    ids=["super", "static", "class", "default"],
)
def test_what_classes_and_defaults_hold(change, monkeypatch) -> None:
    monkeypatch.setattr(Base, "factor", 1.0)
    set_global("STATIC", 1.0)
    with_default.__defaults__[0].beta = 1.0
    model, x = Inherited(4, 1), torch.randn(3, 4)
    step = amp.compile_step(model, with_default, still(model), "O0")
    step(x)
    Base.unused += 1
    step(x)  # compiles nothing
    change()
    with pytest.warns(RecompileWarning):
        torch.testing.assert_close(step(x), with_default(model, x).detach())


class Weight:
    """Read by operators alone."""

    def __init__(self) -> None:
        self.inside = {"w": 1.0}

    def __rmul__(self, other):
        return other * self.inside["w"]

    def __getattr__(self, name):
        if name == "inside":
            raise AttributeError(name)
        return self.inside["w"]


@pytest.mark.parametrize("way", ["operator", "attribute"])
def test_what_special_methods_read(way) -> None:
    weight, model, x = Weight(), nn.Linear(4, 1), torch.randn(3, 4)
    loss = {
        "operator": lambda m, x: m(x).sum() * weight,
        "attribute": lambda m, x: m(x).sum() * weight.made_up,
    }[way]
    step = amp.compile_step(model, loss, still(model), "O0")
    step(x)
    weight.inside["w"] = 0.5
    with pytest.warns(RecompileWarning):
        torch.testing.assert_close(step(x), loss(model, x).detach())


def test_what_a_script_has_beside_the_loss_compiles_nothing() -> None:
    model, x = nn.Linear(4, 1), torch.randn(3, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    trainer = types.SimpleNamespace(optimizer=optimizer, schedule=schedule)

    def loss(m, x):
        assert trainer.optimizer is optimizer and trainer.schedule
        return m(x).mean()  # as a global is called, too

    trainer.step = step = amp.compile_step(model, loss, optimizer, "O1")
    for number in range(4):
        step(x)
        schedule.step()
        set_global("mean", float(number))
        model.register_forward_hook(lambda module, given, y: None).remove()


def test_objects_of_many_kinds() -> None:
    class Gone:
        pass

    gone = Gone()
    odd = {
        "proxy": weakref.proxy(gone),
        "method": types.MethodType(torch.relu, torch.ones(1)),
        "partial": functools.partial(functools.partial(max, 1), 2),
        "text": numpy.str_("text"),
        3: collections.defaultdict(list),
        "lock": threading.Lock(),
        "log": logging.getLogger(),
    }
    del gone
    model, x = nn.Linear(4, 1), torch.randn(3, 4)
    loss = lambda m, x: m(x).sum() * (2.0 if odd["text"] == "text" else 1.0)  # noqa: E731
    step = amp.compile_step(model, loss, still(model), "O0")
    step(x)
    step(x)
    odd["text"] = numpy.str_("other")
    with pytest.warns(RecompileWarning):
        torch.testing.assert_close(step(x), loss(model, x).detach())


class Cached(nn.Module):
    """Keeps masks by length, as rotary embeddings do."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.cache = nn.Linear(4, 4), {}

    def forward(self, x):
        n = len(x)
        if n not in self.cache:
            self.cache[n] = (torch.arange(n).float()[:, None].cos(), n)
        return self.inner(x) * self.cache[n][0]


@functools.lru_cache
def masks(n):
    return torch.arange(n).float()[:, None].cos()


@pytest.mark.parametrize("kind", ["dictionary", "function"])
def test_caches_are_left_as_they_were(kind) -> None:
    """By a step that computes what they would hold, and by a refusal."""
    model, x = Cached(), torch.randn(3, 4)
    loss = {
        "dictionary": lambda m, x: m(x).sum(),
        "function": lambda m, x: (m.inner(x) * masks(len(x))).sum(),
    }[kind]
    masks.cache_clear()
    step = amp.compile_step(model, loss, still(model), "O0")
    with warnings.catch_warnings(action="ignore", category=UnseenWarning):
        found = step(x)
    assert model.cache == {} and masks.cache_info().currsize == 0
    torch.testing.assert_close(found, loss(model, x).detach())
    model.cache.clear()
    masks.cache_clear()
    refused = amp.compile_step(
        model, lambda m, x: loss(m, x) * float(m.inner.bias.sum()), still(model), "O0"
    )
    with pytest.raises(NotLowered, match="reads the value of a tensor"):
        refused(x)
    assert model.cache == {} and masks.cache_info().currsize == 0
    loss(model, x).backward()  # as before
    assert type(masks(3)) is torch.Tensor
