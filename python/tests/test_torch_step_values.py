# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of Python that objects, classes, modules and containers hold, and that a
compiled step has as constants: one that changes compiles once more, one that the code
does not name compiles nothing."""

from __future__ import annotations

import collections
import dataclasses
import enum
import sys
import types
import warnings

import numpy
import pytest
import torch
from mlir_amp.torch import amp
from mlir_amp.torch.backend import RecompileWarning
from torch import nn

F = nn.functional

Pair = collections.namedtuple("Pair", "beta other")


@dataclasses.dataclass
class Config:
    beta: float = 1.0
    steps: int = 0


@dataclasses.dataclass(slots=True)
class Slots:
    beta: float = 1.0
    steps: int = 0


class Defaults:
    beta = 1.0
    steps = 0


class Mode(enum.Enum):
    ONE = 1
    TWO = 2


class Trainer:
    def __init__(self) -> None:
        self.cfg, self.steps = Config(), 0

    def weight(self):
        return self.cfg.beta


class Inner(nn.Module):
    """A loss in a loss."""

    def __init__(self) -> None:
        super().__init__()
        self.part, self.steps = nn.HuberLoss(delta=1.0), 0

    def forward(self, x):
        return self.part(x, torch.zeros_like(x))


settings = types.ModuleType("settings")
settings.BETA, settings.STEPS = 1.0, 0
sys.modules["settings"] = settings
GLOBAL = 1.0
COUNT = 0


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((3,), 3.0))
        self.cfg, self.space = Config(), types.SimpleNamespace(beta=1.0, steps=0)
        self.slots, self.parts = Slots(), {"x": Config()}
        self.number, self.calls = numpy.float32(1.0), Config()

    def forward(self, x):
        return x * self.weight

    def helped(self, x):
        return self.helper(x)

    def helper(self, x):
        return self(x).sum() * GLOBAL

    def configured(self, x):
        return self(x).sum() * self.cfg.beta


class Holder:
    """What the losses below have beside the model."""

    def __init__(self) -> None:
        self.defaults, self.slots, self.pair = Defaults(), Slots(), Pair(1.0, 0)
        self.trainer, self.number, self.inner = Trainer(), numpy.float64(1.0), Inner()
        self.deep, self.mode = {"a": {"b": {"c": 1.0}}, "steps": [0]}, Mode.ONE


def set_global():
    global GLOBAL
    GLOBAL *= 2


def count():
    global COUNT
    COUNT += 1


# The loss, what changes it, what changes nothing, and the name that is said.
FORMS = {
    "dataclass": (
        lambda m, x, h: m(x).sum() * m.cfg.beta,
        lambda m, h: setattr(m.cfg, "beta", 2.0),
        lambda m, h: setattr(m.cfg, "steps", 1),
        r"'cfg\.beta' is 2.0",
    ),
    "namespace": (
        lambda m, x, h: m(x).sum() * m.space.beta,
        lambda m, h: setattr(m.space, "beta", 2.0),
        lambda m, h: setattr(m.space, "steps", 1),
        r"'space\.beta' is 2.0",
    ),
    "in-a-method": (
        lambda m, x, h: m.configured(x),
        lambda m, h: setattr(m.cfg, "beta", 2.0),
        lambda m, h: setattr(m.calls, "beta", 3.0),
        r"'cfg\.beta' is 2.0",
    ),
    "slots": (
        lambda m, x, h: m(x).sum() * m.slots.beta,
        lambda m, h: setattr(m.slots, "beta", 2.0),
        lambda m, h: setattr(m.slots, "steps", 1),
        r"'slots\.beta' is 2.0",
    ),
    "in-a-dict": (
        lambda m, x, h: m(x).sum() * m.parts["x"].beta,
        lambda m, h: setattr(m.parts["x"], "beta", 2.0),
        lambda m, h: setattr(m.parts["x"], "steps", 1),
        r"'parts\['x'\]\.beta' is 2.0",
    ),
    "numpy-attribute": (
        lambda m, x, h: m(x).sum() * float(m.number),
        lambda m, h: setattr(m, "number", numpy.float32(2.0)),
        lambda m, h: setattr(m, "number", numpy.float32(1.0)),
        "'number' is 2.0",
    ),
    "global-in-a-helper": (
        lambda m, x, h: m.helped(x),
        lambda m, h: set_global(),
        lambda m, h: count(),
        "'GLOBAL' is 2.0",
    ),
    "module": (
        lambda m, x, h: m(x).sum() * settings.BETA,
        lambda m, h: setattr(settings, "BETA", 2.0),
        lambda m, h: setattr(settings, "STEPS", 1),
        r"'settings\.BETA' is 2.0",
    ),
    "class": (
        lambda m, x, h: m(x).sum() * Defaults.beta,
        lambda m, h: setattr(Defaults, "beta", 2.0),
        lambda m, h: setattr(Defaults, "steps", 1),
        r"'Defaults\.beta' is 2.0",
    ),
    "class-through-an-object": (
        lambda m, x, h: m(x).sum() * h.defaults.beta,
        lambda m, h: setattr(Defaults, "beta", 2.0),
        lambda m, h: setattr(Defaults, "steps", 1),
        r"defaults\.beta' is 2.0",
    ),
    "tuple": (
        lambda m, x, h: m(x).sum() * h.pair.beta,
        lambda m, h: setattr(h, "pair", Pair(2.0, 0)),
        lambda m, h: setattr(h, "pair", Pair(1.0, 0)),
        r"pair' is \(2.0, 0\)",
    ),
    "nested": (
        lambda m, x, h: m(x).sum() * h.trainer.cfg.beta,
        lambda m, h: setattr(h.trainer.cfg, "beta", 2.0),
        lambda m, h: setattr(h.trainer, "steps", 1),
        r"trainer\.cfg\.beta' is 2.0",
    ),
    "method-of-an-object": (
        lambda m, x, h: m(x).sum() * h.trainer.weight(),
        lambda m, h: setattr(h.trainer.cfg, "beta", 2.0),
        lambda m, h: setattr(h.trainer.cfg, "steps", 1),
        r"cfg\.beta' is 2.0",
    ),
    "numpy": (
        lambda m, x, h: m(x).sum() * float(h.number),
        lambda m, h: setattr(h, "number", numpy.float64(2.0)),
        lambda m, h: setattr(h, "number", numpy.float64(1.0)),
        "number' is 2.0",
    ),
    "enum": (
        lambda m, x, h: m(x).sum() * (2 if h.mode is Mode.TWO else 1),
        lambda m, h: setattr(h, "mode", Mode.TWO),
        lambda m, h: setattr(h, "mode", Mode(1)),
        "mode' is Mode.TWO",
    ),
    "deep": (
        lambda m, x, h: m(x).sum() * h.deep["a"]["b"]["c"],
        lambda m, h: h.deep["a"]["b"].update(c=2.0),
        lambda m, h: h.deep["a"]["b"].update(c=1.0),
        "deep' is .*2.0",
    ),
    "loss-in-a-loss": (
        lambda m, x, h: h.inner(m(x)),
        lambda m, h: setattr(h.inner.part, "delta", 2.0),
        lambda m, h: setattr(h.inner, "steps", 1),
        r"part\.delta' is 2.0",
    ),
}


@pytest.fixture(autouse=True)
def fresh():
    global GLOBAL
    GLOBAL, Defaults.beta, settings.BETA = 1.0, 1.0, 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RecompileWarning)
        yield


@pytest.mark.parametrize("name", FORMS)
def test_values_that_change(name) -> None:
    loss, change, near, said = FORMS[name]
    model, holder, x = Net(), Holder(), torch.ones(3)
    step = amp.compile_step(
        model,
        lambda model, x: loss(model, x, holder),
        torch.optim.SGD(model.parameters(), 0.0),
        "O0",
    )
    first = loss(model, x, holder).detach()
    torch.testing.assert_close(step(x), first)
    near(model, holder)
    torch.testing.assert_close(step(x), first)  # compiles nothing
    change(model, holder)
    expected = loss(model, x, holder).detach()
    assert expected != first
    with pytest.warns(RecompileWarning, match=said):
        torch.testing.assert_close(step(x), expected)
    torch.testing.assert_close(step(x), expected)


def test_what_is_in_a_cycle_or_too_much_is_read_to_its_bounds() -> None:
    class Link:
        def __init__(self) -> None:
            self.next, self.beta = self, 1.0

        def total(self):
            return self.next.next.beta

    link, model = Link(), Net()
    link.data = [[0.0] * 64] * 64
    head = link
    for _ in range(5000):
        head.next = Link()
        head = head.next
    step = amp.compile_step(
        model,
        lambda model, x: model(x).sum() * link.total() * len(link.data),
        torch.optim.SGD(model.parameters(), 0.0),
        "O0",
    )
    step(torch.ones(3))
    link.next.next.beta = 2.0
    with pytest.warns(RecompileWarning, match=r"next\.next\.beta' is 2.0"):
        step(torch.ones(3))
    head.beta = 5.0  # far beyond
    step(torch.ones(3))
