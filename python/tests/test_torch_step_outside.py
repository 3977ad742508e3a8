# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step reads beside model and batch: tensors of globals, closures, criteria and
attributes, which are read anew at each step, and tensors that are made of numbers. Beside
eager PyTorch, step by step."""

from __future__ import annotations

import array
import copy
import functools
import threading
import warnings

import numpy
import pytest
import torch
from mlir_amp.errors import NotLowered, RecompileWarning, RuntimeFault
from mlir_amp.torch import amp
from torch import nn

F = nn.functional
LEVELS = ["O0", "O1", "O2", "O3", "O5"]


@pytest.fixture(autouse=True)
def reset():
    torch.manual_seed(0)
    yield
    amp.reset()


def compare(model, loss_fn, *batch, level="O0", between=None, steps=3, **options):
    """The losses of a compiled step and of eager PyTorch; `between` steps both see what
    it changes."""
    twin = copy.deepcopy(model)
    ours = torch.optim.SGD(model.parameters(), 0.1)
    theirs = torch.optim.SGD(twin.parameters(), 0.1)
    options = {"loss_scale": 1.0} | options if level != "O0" else options
    step = amp.compile_step(model, loss_fn, ours, level, **options)
    tolerance = 1e-6 if level == "O0" else 2e-2
    for _ in range(steps):
        theirs.zero_grad()
        loss = loss_fn(twin, *batch)
        loss.backward()
        theirs.step()
        torch.testing.assert_close(
            step(*batch), loss.detach(), atol=tolerance, rtol=tolerance, equal_nan=True
        )
        for mine, other in zip(model.parameters(), twin.parameters(), strict=True):
            torch.testing.assert_close(
                mine, other, atol=tolerance, rtol=10 * tolerance, equal_nan=True
            )
        if between:
            between()
    return step


OFFSET = torch.linspace(1, 2, 4)
PLACES = torch.tensor([2, 0])
HELD = {"many": [torch.ones(4), torch.full((4,), 0.5)]}


class Masked(nn.Module):
    """A tensor that is a plain attribute, as research code has masks."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.mask = torch.tril(torch.ones(4, 4))
        self.parts = [torch.ones(4), torch.full((4,), 2.0)]

    def forward(self, x):
        return self.linear(x) @ self.mask * self.parts[1] + self.parts[0]


def make_offset(value):
    held = torch.full((4,), value)
    return lambda model, x: (model(x) + held).pow(2).mean()


FORMS = {
    "global": lambda model, x: (model(x) + OFFSET).pow(2).mean(),
    "closure": make_offset(2.0),
    "container": lambda model, x: (model(x) * HELD["many"][1] + HELD["many"][0]).mean(),
    "index": lambda model, x: model(x)[:, PLACES].pow(2).mean(),
    "default": lambda model, x, *, by=torch.full((4,), 3.0): (model(x) * by).mean(),
    "list": lambda model, x: torch.cat([model(x), OFFSET.unsqueeze(0)]).pow(2).mean(),
    "part": lambda model, x: (model(x)[:, :2] * OFFSET[1:3]).pow(2).mean(),
    "twice": lambda model, x: (model(x) * OFFSET + OFFSET.sin()).pow(2).mean(),
    "half": lambda model, x: (model(x) + OFFSET.bfloat16()).pow(2).mean(),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name) -> None:
    compare(nn.Linear(4, 4), FORMS[name], torch.randn(8, 4))


@pytest.mark.parametrize("level", LEVELS)
def test_levels(level) -> None:
    """No level makes them half: 2049 is no f16."""
    held = torch.tensor([2049.0, 0.0, 0.0, 0.0])
    loss_fn = lambda model, x: ((model(x) + held).sum() - 2048.0).abs()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(1, 4) * 1e-3, level=level, steps=1)


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_criteria(level) -> None:
    x, y = torch.randn(8, 4), torch.randint(4, (8,))
    weighted = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0, 4.0]))
    loss_fn = lambda model, x, y: weighted(model(x), y)
    compare(nn.Linear(4, 4), loss_fn, x, y, level=level)
    positive = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0, 4.0]))
    loss_fn = lambda model, x, y: positive(model(x), F.one_hot(y, 4).float())
    compare(nn.Linear(4, 4), loss_fn, x, y, level=level)


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_attributes_of_modules(level) -> None:
    loss_fn = lambda model, x: model(x).pow(2).mean()
    model = Masked()

    def change():
        model.mask.mul_(0.5)

    compare(model, loss_fn, torch.randn(8, 4), level=level)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    x = torch.randn(8, 4)
    for _ in range(3):
        expected = loss_fn(model, x).detach()
        torch.testing.assert_close(step(x), expected)
        change()
        model.parts[1] = torch.randn(4)


def test_they_are_read_at_each_step() -> None:
    """Written in place, put in place of another one, and both."""
    held = {"by": torch.ones(4)}
    loss_fn = lambda model, x: (model(x) + held["by"]).pow(2).mean()

    def write():
        held["by"].add_(1)

    def replace():
        held["by"] = torch.randn(4)

    def replace_by_columns():
        held["by"] = torch.randn(4, 2)[:, 0]

    for between in (write, replace, replace_by_columns):
        compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=between)


def test_another_shape_is_another_step() -> None:
    held = {"by": torch.ones(4)}
    loss_fn = lambda model, x: (model(x) + held["by"]).pow(2).mean()
    model, x = nn.Linear(4, 4), torch.randn(8, 4)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    step(x)
    for value in (torch.randn(8, 1), torch.randint(4, (4,))):
        held["by"] = value
        expected = loss_fn(model, x).detach()
        said = rf"\['by'\]' is {list(value.shape)} of {value.dtype}".replace("[4]", r"\[4\]")
        said = said.replace("[8, 1]", r"\[8, 1\]")
        with pytest.warns(RecompileWarning, match=said):
            torch.testing.assert_close(step(x), expected)
    held["by"] = torch.randn(8, 1)  # compiled before
    expected = loss_fn(model, x).detach()
    torch.testing.assert_close(step(x), expected)


def test_two_of_one_name() -> None:
    """Closures of one function: each has its own."""
    first, second = make_offset(2.0), make_offset(5.0)
    both = lambda model, x: first(model, x) + second(model, x)
    compare(nn.Linear(4, 4), both, torch.randn(8, 4))


def test_micro_batches_take_them_whole() -> None:
    loss_fn = lambda model, x: (model(x) + OFFSET).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), micro_batches=2)


def test_one_that_is_the_batch_as_well() -> None:
    x = torch.randn(8, 4)
    loss_fn = lambda model, y: (model(y) * x).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, x)


LITERALS = {
    "rows": lambda y: y * torch.tensor([1.0, 2.0, 3.0, 4.0]),
    "number": lambda y: y * torch.tensor(2.5) + torch.tensor(2),
    "booleans": lambda y: y * torch.tensor([True, False, True, True]),
    "places": lambda y: y[:, torch.tensor([3, 1])],
    "half": lambda y: y * torch.tensor([1.5, 2, 3, 4], dtype=torch.bfloat16),
    "double": lambda y: (y * torch.tensor([1, 2, 3, 4], dtype=torch.float64)).float(),
    "bytes": lambda y: y * torch.tensor([3, 200], dtype=torch.uint8).float().sum() / 99,
    "infinite": lambda y: (y + torch.tensor([0.0, 0.0, -torch.inf, 0.0])).softmax(-1),
    "nothing": lambda y: torch.cat([y.flatten(), torch.tensor([])]),
    "matrix": lambda y: y @ torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0], [0.5, 0.1]]),
    "mask": lambda y: y.masked_fill(torch.tensor([[True, False, False, True]]), 0.5),
    "twice": lambda y: (lambda c: y * c * c + c)(torch.tensor([1.0, 2.0, 3.0, 4.0])),
    "two": lambda y: y * torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.tensor([1.0]),
}


@pytest.mark.parametrize("name", LITERALS)
def test_literals(name) -> None:
    loss_fn = lambda model, x: LITERALS[name](model(x)).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))


def test_literals_of_what_changes() -> None:
    """Lists and arrays that a tensor is made of are looked at before each step."""
    numbers, array = [1.0, 2.0, 3.0, 4.0], numpy.ones(4, dtype="f4")

    def loss_fn(model, x):
        return (model(x) * torch.tensor(numbers) + torch.tensor(array)).pow(2).mean()

    def change_list():
        numbers[0] += 1

    def change_array():
        array[1] += 1

    for between in (change_list, change_array):
        with pytest.warns(RecompileWarning):
            compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=between)


def test_names_of_one_tensor_and_of_several() -> None:
    """Which names are one tensor is part of what a step is compiled for."""
    held = {"now": torch.ones(4), "before": None}
    held["before"] = held["now"]
    loss_fn = lambda model, x: (model(x) * held["now"] - held["before"]).pow(2).mean()

    def change():
        held["before"], held["now"] = held["now"], torch.randn(4)

    with pytest.warns(RecompileWarning):
        compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=change)


def test_closures_of_one_name() -> None:
    def make(value):
        held = torch.full((4,), value)

        def get(new=None):
            nonlocal held
            held = held if new is None else new
            return held

        return get

    first, second, third = make(1.0), make(2.0), make(3.0)

    def loss_fn(model, x):
        return (model(x) + first() + 10 * second() + 100 * third()).mean()

    changes = iter(
        [
            lambda: second(first()),
            lambda: (first(torch.full((4,), 7.0)), second(third())),
            lambda: None,
        ]
    )
    with pytest.warns(RecompileWarning):
        compare(
            nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=lambda: next(changes)()
        )


def test_an_attribute_with_the_name_of_a_global() -> None:
    model = nn.Linear(4, 4)
    model.OFFSET = torch.full((4,), 7.0)
    compare(model, FORMS["global"], torch.randn(8, 4))


def test_what_is_asked_for_its_shape_alone() -> None:
    held = {"rows": torch.zeros(4, 2)}
    loss_fn = lambda model, x: model(x).sum() / len(held["rows"])

    def change():
        held["rows"] = torch.zeros(2 * len(held["rows"]), 2)

    with pytest.warns(RecompileWarning, match=r"\['rows'\]' is \[8, 2\]"):
        compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), between=change)


def test_what_shares_memory_with_a_parameter() -> None:
    """It is what the parameter was before the update."""
    model = nn.Linear(4, 4)
    shared = model.weight.detach().flip(0)
    whole = model.weight.detach()
    twin = copy.deepcopy(model)
    x = torch.randn(8, 4)
    step = amp.compile_step(
        model,
        lambda model, x: (model(x) @ whole + (model.weight - shared).sum()).pow(2).mean(),
        torch.optim.SGD(model.parameters(), 0.1),
        "O0",
    )
    optimizer = torch.optim.SGD(twin.parameters(), 0.1)
    for _ in range(3):
        held = twin.weight.detach().clone()
        optimizer.zero_grad()
        loss = (twin(x) @ held + (twin.weight - shared).sum()).pow(2).mean()
        loss.backward()
        torch.testing.assert_close(step(x), loss.detach())
        optimizer.step()
        torch.testing.assert_close(model.weight, twin.weight)


def test_what_shares_memory_with_a_buffer_that_is_written() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    mean = model[1].running_mean.detach()
    step = amp.compile_step(
        model,
        lambda model, x: (model(x) + mean).pow(2).mean(),
        torch.optim.SGD(model.parameters(), 0.1),
        "O0",
    )
    with pytest.raises(ValueError, match="'mean' to have memory of its own, but it is that"):
        step(torch.randn(8, 4))


def test_a_buffer_and_a_parameter_by_another_name() -> None:
    class Shifted(nn.Linear):
        def __init__(self) -> None:
            super().__init__(4, 4)
            self.register_buffer("shift", torch.ones(4))

    model = Shifted()
    x = torch.randn(8, 4)
    held = {"shift": model.shift, "weight": model.weight}
    step = amp.compile_step(
        model,
        lambda model, x: (model(x) @ held["weight"] + held["shift"]).pow(2).mean(),
        torch.optim.SGD(model.parameters(), 0.1),
        "O0",
    )
    twin = copy.deepcopy(model)
    optimizer = torch.optim.SGD(twin.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (twin(x) @ twin.weight + twin.shift).pow(2).mean()
        loss.backward()
        optimizer.step()
        torch.testing.assert_close(step(x), loss.detach())
        torch.testing.assert_close(model.weight, twin.weight)


def test_negative_views() -> None:
    held = torch.tensor([1 + 2j, 3 - 4j, 5j, 1j]).conj().imag
    assert held.is_neg()
    loss_fn = lambda model, x: (model(x) + held).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))


class Teacher(nn.Module):
    """Outside of the model, with parameters, of this class and of PyTorch's."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.full((4,), 2.0))
        self.register_buffer("shift", torch.ones(4))

    def forward(self, x):
        return self.linear(x) * self.scale + self.shift


@pytest.mark.parametrize("trains", [True, False])
def test_a_teacher(trains) -> None:
    """A gradient is asked for by its parameters, and goes to none of them."""
    teacher = Teacher().requires_grad_(trains)

    def loss_fn(model, x):
        with torch.no_grad():
            target = teacher(x)
        return (model(x) - target).pow(2).mean()

    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))


def test_one_that_wants_a_gradient_later() -> None:
    held = torch.ones(4)
    loss_fn = lambda model, x: (model(x) * held).pow(2).mean()
    model, x = nn.Linear(4, 4), torch.randn(8, 4)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    step(x)
    held.requires_grad_()
    with (
        pytest.warns(RecompileWarning),
        pytest.raises(NotLowered, match="gradient with respect to 'held'"),
    ):
        step(x)


@pytest.mark.parametrize("level", ["O1", "O4"])
def test_levels_leave_literals(level) -> None:
    """2049 is no f16."""
    loss_fn = lambda model, x: (
        (model(x) * 0 + torch.tensor([2049.0, 0.0, 0.0, 0.0])).sum() - 16384.0
    )
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    step = amp.compile_step(model, loss_fn, optimizer, level, loss_scale=1.0)
    assert step(torch.randn(8, 4)) == 8.0


def test_data_that_a_step_does_not_see_changed() -> None:
    """Refused, where a constant would stay what it was."""
    large, pair = numpy.ones((4096,), dtype="f4"), numpy.ones(2, dtype="f4")
    several = [1.0] * 600
    forms = {
        "view": lambda: torch.tensor(large[:2]),
        "large": lambda: torch.tensor(large),
        "computed": lambda: torch.tensor(pair * 2),
        "list": lambda: torch.tensor(several),
        "range": lambda: torch.tensor(range(3)),
        "array": lambda: torch.tensor(array.array("f", [1.0])),
        "shared": lambda: torch.from_numpy(pair),
        "as": lambda: torch.as_tensor(pair),
        "drawn": lambda: torch.tensor(numpy.random.default_rng().random(4)),
    }
    for name, make in forms.items():
        loss_fn = lambda model, x: model(x).sum() * make().sum()
        model = nn.Linear(4, 4)
        step = amp.compile_step(
            model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
        )
        with pytest.raises(NotLowered, match="whose values a step does not look at"):
            step(torch.randn(8, 4))
            pytest.fail(name)
    assert torch.from_numpy(pair).shape == (2,)


def test_other_threads_make_tensors_of_memory() -> None:
    """While a step is captured, a batch may be made ready."""
    made = []

    def loss_fn(model, x):
        thread = threading.Thread(
            target=lambda: made.append(torch.from_numpy(numpy.ones(2)))
        )
        thread.start()
        thread.join()
        return model(x).sum()

    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))
    assert made and all(value.shape == (2,) for value in made)


def test_a_name_like_a_literal() -> None:
    literal0, literal1 = torch.full((4,), 3.0), torch.full((4,), 5.0)
    loss_fn = lambda model, x: (
        (model(x) * torch.tensor([1.0, 2.0, 3.0, 4.0]) * literal0 + literal1).mean()
    )
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))


class Scaled(nn.Linear):
    """An array of NumPy as an attribute."""

    def __init__(self) -> None:
        super().__init__(4, 4)
        self.factors = numpy.ones(4, dtype="f4")

    def forward(self, x):
        return super().forward(x) * torch.tensor(self.factors)


def test_arrays_of_modules() -> None:
    model = Scaled()
    twin = copy.deepcopy(model)
    loss_fn = lambda model, x: model(x).pow(2).mean()
    x = torch.randn(8, 4)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.0), "O0"
    )
    torch.testing.assert_close(step(x), loss_fn(twin, x).detach())
    for each in (model, twin):
        each.factors[1] = 5
    with pytest.warns(RecompileWarning, match="'factors' is an array of float32"):
        torch.testing.assert_close(step(x), loss_fn(twin, x).detach())


def test_strides_of_memory_around() -> None:
    held = torch.arange(8.0)[2:6]
    model = nn.Linear(4, 4)
    loss_fn = lambda model, x: (model(x) + held.as_strided((4,), (1,))).sum()
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    with pytest.raises(NotLowered, match="as_strided of a tensor of the model or from"):
        step(torch.randn(8, 4))


@pytest.mark.parametrize("begin", ["weight", "buffer"])
def test_names_that_begin_as_the_model_s_own(begin) -> None:
    """A shadow of the weights, as averages begin: it is none of them afterwards."""
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4).eval())
    x = torch.randn(8, 4)
    first = model[0].weight if begin == "weight" else model[1].running_var
    held = {"shadow": first}
    loss_fn = lambda model, x: (model(x) * held["shadow"].detach().sum()).pow(2).mean()
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.01), "O0"
    )
    for _ in range(2):
        expected = loss_fn(model, x).detach()
        torch.testing.assert_close(step(x), expected)
    for value in (torch.randn(first.shape), model[0].bias, first):
        held["shadow"] = value
        expected = loss_fn(model, x).detach()
        with warnings.catch_warnings(action="ignore", category=RecompileWarning):
            torch.testing.assert_close(step(x), expected)


class Deep(nn.Module):
    """Parts of parts, deeper than values of Python are followed."""

    def __init__(self, depth) -> None:
        super().__init__()
        self.part = Deep(depth - 1) if depth else nn.Sequential(nn.Linear(4, 4))
        self.scale = nn.Parameter(torch.full((4,), 0.9))

    def forward(self, x):
        return self.part(x) * self.scale


def test_a_reference_of_the_model() -> None:
    """A copy that is kept, as a penalty for going astray has it; loaded anew, replaced."""
    model = Deep(6)
    held = {"reference": copy.deepcopy(model)}
    loss_fn = lambda model, x: (
        (model(x) - held["reference"](x).detach()).pow(2).mean() + model(x).pow(2).mean()
    )

    def load():
        held["reference"].load_state_dict(Deep(6).state_dict())

    def replace():
        held["reference"] = Deep(6)

    for between in (load, replace):
        compare(model, loss_fn, torch.randn(8, 4), between=between)


@functools.lru_cache
def make_ramp(size):
    return torch.arange(size) / size


class Caching(nn.Module):
    """What is computed once: an attribute, a container, of the class, by functions."""

    ramp = None

    def __init__(self, how) -> None:
        super().__init__()
        self.linear, self.how = nn.Linear(4, 4), how
        self.held, self.by_size = None, {}

    @functools.lru_cache
    def make(self, size):
        return torch.arange(size) / size

    def get(self, size):
        if self.how == "attribute":
            if self.held is None or len(self.held) < size:
                self.held = torch.arange(size) / size
            return self.held[:size]
        if self.how == "new":
            if not hasattr(self, "pair"):
                self.pair = (torch.arange(size) / size, size)
            return self.pair[0]
        if self.how == "container":
            if size not in self.by_size:
                self.by_size[size] = torch.arange(size) / size
            return self.by_size[size]
        if self.how == "class":
            if Caching.ramp is None:
                Caching.ramp = torch.arange(size) / size
            return Caching.ramp
        return make_ramp(size) if self.how == "function" else self.make(size)

    def forward(self, x):
        return self.linear(x) + self.get(x.shape[0]).unsqueeze(1)


@pytest.mark.filterwarnings("ignore::mlir_amp.torch.step.UnseenWarning")
@pytest.mark.parametrize("runs_before", [False, True])
@pytest.mark.parametrize(
    "how", ["attribute", "new", "container", "class", "function", "method"]
)
def test_what_is_computed_once(how, runs_before) -> None:
    """Whether eager PyTorch has run before or not; and it runs afterwards."""
    Caching.ramp = None
    model, x = Caching(how), torch.randn(8, 4)
    if runs_before:
        model(x)
    loss_fn = lambda model, x: model(x).pow(2).mean()
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    for _ in range(2):
        twin = Caching(how)
        twin.load_state_dict(model.state_dict())
        torch.testing.assert_close(step(x), loss_fn(twin, x).detach())
    assert model(x).isfinite().all()
    copy.deepcopy(model)


def test_values_that_go_to_python() -> None:
    held = torch.ones(4)
    for take in (torch.Tensor.tolist, torch.Tensor.numpy, copy.deepcopy):
        loss_fn = lambda model, x: model(x).sum() * len(take(held))
        model = nn.Linear(4, 4)
        step = amp.compile_step(
            model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
        )
        with pytest.raises(NotLowered, match="takes the values of a tensor to Python"):
            step(torch.randn(8, 4))


def test_other_ways_to_make_tensors_of_data() -> None:
    """Only torch.tensor says what of."""
    large = numpy.ones((2, 4096), dtype="f4")
    for make in (
        lambda x: torch.FloatTensor([2.0, 3.0]),
        lambda x: x.new_tensor(large[0, :4]),
        lambda x: torch.tensor([x.sum(), x.mean()]),
    ):
        loss_fn = lambda model, x: model(x).sum() * make(x).sum()
        model = nn.Linear(4, 4)
        step = amp.compile_step(
            model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
        )
        with pytest.raises(NotLowered, match="step does not look"):
            step(torch.randn(8, 4))


def test_keys_that_are_no_names() -> None:
    """A mask for each parameter: its text has lines, and changes."""
    model = nn.Linear(4, 4)
    masks = {parameter: torch.ones_like(parameter) for parameter in model.parameters()}
    loss_fn = lambda model, x: (
        model(x).pow(2).mean() + sum(mask.sum() for mask in masks.values())
    )
    x = torch.randn(8, 4)
    step = amp.compile_step(
        model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0"
    )
    with warnings.catch_warnings(action="error", category=RecompileWarning):
        for _ in range(3):
            expected = loss_fn(model, x).detach()
            torch.testing.assert_close(step(x), expected)


class Encoder(nn.Module):
    def __init__(self, mask) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.register_buffer("mask", mask)

    def forward(self, x):
        return self.encoder(x, mask=self.mask)


CAUSAL = nn.Transformer.generate_square_subsequent_mask(6)


@pytest.mark.parametrize("mask", [CAUSAL, CAUSAL.T.contiguous()], ids=["causal", "other"])
@pytest.mark.parametrize("level", ["O0", "O5"])
def test_masks_of_transformers(level, mask) -> None:
    """PyTorch's layers look whether a mask is a causal one, at its values."""
    x = torch.randn(2, 6, 16)
    loss_fn = lambda model, x: model(x).pow(2).mean() * model(x).abs().mean()
    compare(Encoder(mask), loss_fn, x, level=level)
    whole = nn.Transformer(16, 2, 1, 1, 32, 0.0, batch_first=True)
    compare(whole, lambda m, x: m(x, x, tgt_mask=mask).abs().mean(), x, level=level)
    looks = torch.nn.modules.transformer._detect_is_causal_mask
    assert looks(CAUSAL) and not looks(CAUSAL.T)


def test_targets_that_are_one_number() -> None:
    """torch-mlir folds comparisons of such with whole numbers the wrong way round."""
    for target in (0.0, 0.3, 0.5, 1.0):
        loss_fn = lambda model, x: F.binary_cross_entropy(
            model(x).sigmoid(), torch.full((8, 4), target)
        )
        compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))
    loss_fn = lambda model, x: F.binary_cross_entropy(
        model(x).sigmoid(), torch.full((8, 4), 1.5)
    )
    model = nn.Linear(4, 4)
    step = amp.compile_step(model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0")
    with pytest.raises(RuntimeError, match="elements of target should be between 0 and 1"):
        step(torch.randn(8, 4))


VARIANCES = {
    "each": lambda y: y.abs() + 0.5,
    "rows": lambda y: y.abs().mean(-1) + 0.5,
    "columns": lambda y: y.abs().mean(-1, keepdim=True) + 0.5,
    "small": lambda y: y.abs() * 1e-9,
    "number": lambda y: 0.5,
    "infinite": lambda y: y.abs() * torch.inf,
}


@pytest.mark.parametrize("name", VARIANCES)
def test_variances(name) -> None:
    """PyTorch looks whether any is negative."""
    several = [{"full": True}, {"eps": 0.7, "reduction": "sum"}]
    for options in ({}, *(several if name == "each" else ())):

        def loss_fn(model, x):
            y = model(x)
            variance = VARIANCES[name](y * y.detach().cos())
            return F.gaussian_nll_loss(y, torch.zeros_like(y), variance, **options) * 1e-3

        compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4), steps=1)


def test_variances_that_are_negative() -> None:
    model = nn.Linear(4, 4)
    loss_fn = lambda model, x: F.gaussian_nll_loss(model(x), x, x)
    step = amp.compile_step(model, loss_fn, torch.optim.SGD(model.parameters(), 0.1), "O0")
    x = torch.rand(8, 4)
    step(x)
    x[3, 2] = -1e-9
    with pytest.raises(RuntimeFault, match="var has negative entry/entries"):
        step(x)
    with pytest.raises(ValueError, match="var is of incorrect size"):
        wrong = lambda model, x: F.gaussian_nll_loss(model(x), x, model(x)[:2] * 0 + 1)
        amp.compile_step(model, wrong, torch.optim.SGD(model.parameters(), 0.1), "O0")(
            torch.randn(8, 4)
        )


def test_places_that_become_a_blob() -> None:
    """torch-mlir has the places of a strided view as a blob behind the module."""
    loss_fn = lambda model, x: model(x).as_strided((3, 4), (2, 1)).pow(2).mean()
    compare(nn.Linear(4, 4), loss_fn, torch.randn(8, 4))
