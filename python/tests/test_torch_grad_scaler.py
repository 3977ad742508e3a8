# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GradScaler beside torch.amp.GradScaler itself: recorded runs of it, and both driven
by the same random calls, right ones and wrong ones."""

import collections
import copy
import pickle
import random

import mlir_amp
import pytest
import torch
from conftest import read_oracle
from mlir_amp.torch import GradScaler, amp

RUNS = read_oracle("scaler_torch.json")["traces"]


def make_optimizer(count=1, **options):
    model = torch.nn.Linear(2, count)
    return model, torch.optim.SGD(model.parameters(), lr=0.5, **options)


def backward(scaler, model, value=1.0):
    scaler.scale((model(torch.ones(1, 2)) * value).sum()).backward()


def test_recorded_runs_are_all_there():
    assert len(RUNS) == 91


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run["id"])
def test_run_of_torch(run):
    scaler = GradScaler("cpu", **run["config"])
    pairs = [make_optimizer() for _ in range(run.get("num_optimizers", 1))]
    for i, (overflow, scale, tracker, skipped) in enumerate(run["steps"]):
        overflows = overflow if isinstance(overflow, list) else [overflow]
        expected = skipped if isinstance(skipped, list) else [skipped]
        for (model, optimizer), infinite, was_skipped in zip(pairs, overflows, expected, strict=True):
            optimizer.zero_grad()
            backward(scaler, model)
            if infinite:
                model.weight.grad[0, 0] = float("inf")
            before = model.bias.detach().clone()
            scaler.step(optimizer)
            assert torch.equal(model.bias, before) == bool(was_skipped), f"step {i}"
        scaler.update()
        state = scaler.state_dict()
        # Held where torch falls to 0: test_is_held_where_torch_falls_to_zero.
        assert [state["scale"], state["_growth_tracker"]] == [scale or 2.0**-149, tracker], f"step {i}"
    final = run["final_state_dict"]
    assert scaler.state_dict() == {**final, "scale": final["scale"] or 2.0**-149}


class Driven:
    """A scaler with two optimizers, and what came of each call."""

    def __init__(self, scaler, seed):
        self.scaler = scaler
        torch.manual_seed(seed)
        self.models = [torch.nn.Linear(3, 2) for _ in range(2)]
        self.optimizers = [
            torch.optim.SGD(self.models[0].parameters(), lr=0.1, momentum=0.9),
            torch.optim.Adam(self.models[1].parameters(), lr=0.1),
        ]

    def do(self, call):
        """Makes a call; returns what the caller could see of it."""
        try:
            result = getattr(self, call[0])(*call[1:])
        except Exception as error:
            # Ours say what to do beyond torch's first sentence.
            result = (type(error).__name__, str(error)[:30])
        grads = [None if p.grad is None else p.grad.tolist() for m in self.models for p in m.parameters()]
        weights = [p.tolist() for m in self.models for p in m.parameters()]
        return result, self.scaler.state_dict(), self.scaler.get_scale(), grads, weights

    def backward(self, which, value):
        scaled = self.scaler.scale((self.models[which](torch.ones(1, 3)) * value).sum())
        scaled.backward()
        return scaled.item()

    def unscale(self, which):
        self.scaler.unscale_(self.optimizers[which])

    def step(self, which):
        self.scaler.step(self.optimizers[which])

    def step_with_closure(self, which):
        self.scaler.step(self.optimizers[which], closure=lambda: 0.0)

    def zero(self, which):
        self.optimizers[which].zero_grad()

    def clip(self, which):
        torch.nn.utils.clip_grad_norm_(self.models[which].parameters(), 0.5)

    def update(self, *new_scale):
        self.scaler.update(*new_scale)

    def set(self, name, value):
        getattr(self.scaler, f"set_{name}")(value)
        return getattr(self.scaler, f"get_{name}")()

    def reload(self):
        self.scaler.load_state_dict(self.scaler.state_dict())

    def copy(self):
        self.scaler = pickle.loads(pickle.dumps(self.scaler))


def draw_calls(seed):
    """A training of some iterations; now and then a call out of its place."""
    rng = random.Random(seed)
    values = [1.0, 1.0, 1.0, 0.5, -2.0, float("inf"), float("nan")]
    stray = [
        lambda which: ("unscale", which),
        lambda which: ("step", which),
        lambda which: ("step_with_closure", which),
        lambda which: ("update",),
        lambda which: ("update", rng.choice([8.0, 3.0, 0.3])),
        lambda which: ("update", torch.tensor(16.0)),
        lambda which: ("update", torch.ones(2)),
        lambda which: ("update", torch.tensor(2.0, requires_grad=True)),
        lambda which: ("set", "growth_factor", rng.choice([2.0, 1.3, 5.0])),
        lambda which: ("set", "backoff_factor", rng.choice([0.5, 0.7])),
        lambda which: ("set", "growth_interval", rng.choice([2, 3, 4])),
        lambda which: ("zero", which),
        lambda which: ("reload",),
        lambda which: ("copy",),
    ]
    calls = []
    for _ in range(12):
        chosen = rng.choice([(0,), (1,), (0, 1)])
        for which in chosen:
            for _ in range(rng.choice([1, 1, 2])):  # accumulation
                calls.append(("backward", which, rng.choice(values)))
            if rng.random() < 0.4:
                calls += [("unscale", which), ("clip", which)]
            calls.append(("step", which))
        calls.append(("update",))
        calls += [("zero", which) for which in chosen]
    for _ in range(rng.choice([0, 2, 6])):
        calls.insert(rng.randrange(len(calls)), rng.choice(stray)(rng.randrange(2)))
    return calls


def is_equal(a, b):
    """Equality in which NaN is NaN."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(is_equal(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(is_equal, a, b))
    return a == b or (a != a and b != b)


@pytest.mark.parametrize("seed", range(200))
def test_same_calls_give_the_same(seed):
    rng = random.Random(1000 + seed)
    options = {
        "init_scale": rng.choice([65536.0, 1024.0, 3.0]),
        "growth_factor": rng.choice([2.0, 1.5, 1.1]),
        "backoff_factor": rng.choice([0.5, 0.9]),
        "growth_interval": rng.choice([1, 2, 3]),
    }
    ours = Driven(GradScaler("cpu", **options), seed)
    theirs = Driven(torch.amp.GradScaler("cpu", **options), seed)
    for i, call in enumerate(draw_calls(seed)):
        assert is_equal(ours.do(call), theirs.do(call)), (i, call)


def test_fused_optimizers():
    """Torch divides inside of their step, by a scale that is no power of two here."""
    results = []
    for scaler in (GradScaler(init_scale=3.0), torch.amp.GradScaler("cpu", init_scale=3.0)):
        torch.manual_seed(0)
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1, fused=True)
        for value in (1.0, float("inf"), -3.0, 2.0):
            optimizer.zero_grad()
            backward(scaler, model, value)
            scaler.step(optimizer)
            scaler.update()
        results.append([scaler.get_scale(), *(p.detach() for p in model.parameters())])
    torch.testing.assert_close(*results, rtol=1e-6, atol=0.0)
    assert results[0][0] == 1.5


def test_disabled_does_nothing():
    for scaler in (GradScaler(enabled=False), torch.amp.GradScaler("cpu", enabled=False)):
        model, optimizer = make_optimizer()
        loss = model(torch.ones(1, 2)).sum()
        assert scaler.scale(loss) is loss
        loss.backward()
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)
        before = model.bias.detach().clone()
        scaler.step(optimizer, closure=None)
        assert torch.equal(model.bias, before - 0.5)
        scaler.update()
        scaler.load_state_dict({})
        assert (scaler.is_enabled(), scaler.get_scale(), scaler.state_dict()) == (False, 1.0, {})


Pair = collections.namedtuple("Pair", "a b")


def test_scales_what_holds_tensors():
    scaler = GradScaler(init_scale=4.0)
    theirs = torch.amp.GradScaler("cpu", init_scale=4.0)
    half = torch.ones(3, dtype=torch.float16)
    for value in (half, half[0], torch.ones((), dtype=torch.float64), torch.ones(2, dtype=torch.bfloat16)):
        scaled = scaler.scale(value)
        assert torch.equal(scaled, theirs.scale(value)) and scaled.dtype == theirs.scale(value).dtype
    nested = scaler.scale([half, (half, half)])
    assert isinstance(nested, list) and isinstance(nested[1], tuple) and nested[1][1].tolist() == [4.0] * 3
    assert [value.item() for value in scaler.scale(torch.ones(()) for _ in range(2))] == [4.0, 4.0]
    assert scaler.scale(Pair(half, half)).b.tolist() == [4.0] * 3
    for scaler_or_torchs in (scaler, theirs):
        with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
            scaler_or_torchs.scale(1.0)


def test_scales_are_float32_from_the_start():
    assert GradScaler(init_scale=0.1).get_scale() == torch.tensor(0.1).item() != 0.1


def test_sparse_gradients():
    results = []
    for scaler in (GradScaler(init_scale=8.0), torch.amp.GradScaler("cpu", init_scale=8.0)):
        torch.manual_seed(0)
        model = torch.nn.Embedding(4, 2, sparse=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        scaler.scale(model(torch.tensor([1, 1, 2])).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        results.append(model.weight.detach())
    assert torch.equal(*results)


def test_states_go_from_one_class_to_the_other():
    ours, theirs = GradScaler(growth_interval=7), torch.amp.GradScaler("cpu")
    model, _ = make_optimizer()
    backward(theirs, model)
    theirs.load_state_dict(ours.state_dict())
    assert theirs.state_dict() == ours.state_dict()
    theirs.update(0.3)
    ours.load_state_dict(theirs.state_dict())
    assert ours.state_dict() == theirs.state_dict() and ours.get_scale() != 0.3  # as float32
    with pytest.raises(RuntimeError, match="^The source state dict is empty, possibly"):
        ours.load_state_dict({})


def test_may_not_be_copied_within_an_iteration():
    model, optimizer = make_optimizer()
    scaler = GradScaler()
    backward(scaler, model)
    scaler.unscale_(optimizer)
    with pytest.raises(AssertionError, match="at the beginning of an iteration"):
        copy.deepcopy(scaler)
    scaler.step(optimizer)
    scaler.update()
    copied = copy.deepcopy(scaler)
    copied.load_state_dict({**scaler.state_dict(), "scale": 2.0})
    assert (copied.get_scale(), scaler.get_scale()) == (2.0, 65536.0)


# ---- Different from torch on purpose -------------------------------------------------


def test_takes_one_element_of_any_shape():
    scaler, theirs = GradScaler(), torch.amp.GradScaler("cpu")
    for either in (scaler, theirs):
        backward(either, make_optimizer()[0])
    scaler.update(torch.tensor([16.0]))
    assert scaler.get_scale() == 16.0
    with pytest.raises(RuntimeError, match="output with shape"):
        theirs.update(torch.tensor([16.0]))


def test_refuses_optimizers_of_initialize():
    model, optimizer = amp.initialize(*make_optimizer(), opt_level="O1", verbosity=0)
    scaler = GradScaler()
    backward(scaler, model)
    for call in (scaler.step, scaler.unscale_):
        with pytest.raises(RuntimeError, match="SGD was passed through amp.initialize, which scales its losses"):
            call(optimizer)


def test_refuses_steps_without_gradients_of_fused_optimizers_too():
    scaler = GradScaler()
    model, optimizer = make_optimizer()
    backward(scaler, model)
    other = torch.optim.Adam(torch.nn.Linear(1, 1).parameters(), fused=True)
    with pytest.raises(AssertionError, match="None of its parameters has a gradient: call scaler.scale"):
        scaler.step(other)
    scaler.step(optimizer)
    scaler.update()


def test_refuses_closures_by_position():
    scaler = GradScaler()
    model, optimizer = make_optimizer()
    backward(scaler, model)
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, lambda: 0.0)


def test_refuses_half_gradients_with_advice():
    scaler = GradScaler()
    model = torch.nn.Linear(2, 1).half()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scaler.scale(model(torch.ones(1, 2).half()).sum()).backward()
    with pytest.raises(ValueError, match="^Attempting to unscale FP16 gradients. Leave the model's parameters in FP32"):
        scaler.step(optimizer)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"growth_factor": 1.0}, "growth factor"),
        ({"backoff_factor": 1.0}, "backoff factor"),
        ({"growth_interval": 0}, "growth interval"),
        ({"init_scale": 1e39}, "initial scale"),
        ({"init_scale": 0.0}, "initial scale"),
    ],
)
def test_refuses_numbers_that_cannot_train(options, text):
    with pytest.raises(mlir_amp.InvalidArgument, match=text):
        GradScaler(**options)


def test_refuses_the_older_order_of_arguments():
    with pytest.raises(TypeError, match=r"The first argument is the device.*name the others \(init_scale="):
        GradScaler(65536.0)
    with pytest.raises(RuntimeError, match="device"):
        GradScaler("abacus")


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan")])
def test_refuses_new_scales_that_cannot_train(scale):
    scaler = GradScaler()
    backward(scaler, make_optimizer()[0])
    with pytest.raises(mlir_amp.InvalidArgument):
        scaler.update(scale)
    assert scaler.get_scale() == 65536.0


def test_is_held_where_torch_falls_to_zero():
    scaler = GradScaler(init_scale=2.0**-148, growth_interval=1)
    model, optimizer = make_optimizer()

    def train(value):
        optimizer.zero_grad()
        backward(scaler, model, value)
        scaler.step(optimizer)
        scaler.update()
        return scaler.get_scale()

    assert [train(float("inf")) for _ in range(3)] == [2.0**-149] * 3
    before = model.bias.item()
    assert train(1.0) == 2.0**-148
    assert model.bias.item() == pytest.approx(before - 0.5)
