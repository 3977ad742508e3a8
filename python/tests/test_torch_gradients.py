# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients and weights between the calls of a script: passes with delay_unscale, passes that
fail, masters and half weights that somebody else writes to, states that were there before."""

import copy
import os
import threading

import pytest
import torch
from mlir_amp.torch import amp

LEVELS = ["O0", "O1", "O2"]


def begin(level, model=None, scale=128.0, **options):
    model = torch.nn.Linear(4, 4) if model is None else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    return amp.initialize(model, optimizer, opt_level=level, loss_scale=scale, verbosity=0, **options)


def inputs(count):
    return [torch.randn(8, 4, generator=torch.Generator().manual_seed(i)) for i in range(count)]


def loss_of(model, x):
    return model(x).pow(2).mean()


def backward(model, optimizer, x, factor=1.0, **options):
    with amp.scale_loss(loss_of(model, x) * factor, optimizer, **options) as scaled:
        scaled.backward()


def grads(optimizer):
    return [parameter.grad for parameter in amp.master_params(optimizer)]


def expect_sum(optimizer, model, xs):
    """Gradients are those of all losses, in FP32, within what half rounds."""
    twin = torch.nn.Linear(4, 4)
    twin.load_state_dict({name: value.float() for name, value in model.state_dict().items()})
    sum(loss_of(twin, x) for x in xs).backward()
    for ours, theirs in zip(grads(optimizer), (p.grad for p in twin.parameters()), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("delays", [(False, True, False), (True, True, False), (False, False, True, False)])
def test_passes_add_up_whichever_delay(level, delays):
    model, optimizer = begin(level)
    xs = inputs(len(delays))
    for x, delay in zip(xs, delays):
        backward(model, optimizer, x, delay_unscale=delay)
    expect_sum(optimizer, model, xs)


@pytest.mark.parametrize("level", LEVELS)
def test_delayed_gradients_follow_the_scale(level):
    model, optimizer = begin(level, scale="dynamic", num_losses=2)
    amp.load_state_dict(
        {f"loss_scaler{i}": {"loss_scale": scale, "unskipped": 0} for i, scale in enumerate((128.0, 512.0))}
    )
    xs = inputs(3)
    backward(model, optimizer, xs[0], delay_unscale=True)
    backward(model, optimizer, xs[1], delay_unscale=True, loss_id=1)  # another scaler
    amp.load_state_dict(
        {f"loss_scaler{i}": {"loss_scale": scale, "unskipped": 0} for i, scale in enumerate((128.0, 64.0))}
    )
    backward(model, optimizer, xs[2], loss_id=1)  # which has moved since
    expect_sum(optimizer, model, xs)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("delay", [False, True])
def test_a_pass_that_fails_leaves_the_gradients_before(level, delay):
    model, optimizer = begin(level)
    (x,) = inputs(1)
    backward(model, optimizer, x)
    before = [grad.clone() for grad in grads(optimizer)]
    with pytest.raises(KeyError), amp.scale_loss(loss_of(model, x), optimizer, delay_unscale=delay) as scaled:
        scaled.backward()
        raise KeyError
    assert all(map(torch.equal, grads(optimizer), before))


@pytest.mark.parametrize("level", LEVELS)
def test_a_loss_that_does_not_reach_a_parameter_leaves_its_gradient(level):
    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)

        def forward(self, x, which):
            return getattr(self, which)(x)

    model, optimizer = begin(level, Two())
    (x,) = inputs(1)
    for which in "ab":
        with amp.scale_loss(model(x, which).sum(), optimizer) as scaled:
            scaled.backward()
        if which == "a":
            first = [None if grad is None else grad.clone() for grad in grads(optimizer)]
    assert all(grad is not None for grad in grads(optimizer))
    for before, now in zip(first, grads(optimizer), strict=True):
        assert before is None or torch.equal(before, now)


@pytest.mark.parametrize("bad", [1.0, float("inf")])
def test_master_gradients_end_with_the_step_where_the_model_is_zeroed(bad):
    """Scripts that call model.zero_grad() know no masters."""
    model, optimizer = begin("O2", scale="dynamic")
    x, y = inputs(2)
    backward(model, optimizer, x, bad)
    optimizer.step()
    model.zero_grad()
    backward(model, optimizer, y)
    expect_sum(optimizer, model, [y])


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3"])
@pytest.mark.parametrize("way", ["data", "no_grad", "assigned"])
def test_weights_that_are_clipped_stay_clipped(level, way):
    """As a Wasserstein GAN does after each step."""
    model, optimizer = begin(level)
    for x in inputs(4):
        with amp.scale_loss(-model(x.abs()).sum(), optimizer) as scaled:
            scaled.backward()
        optimizer.step()
        optimizer.zero_grad()
        for parameter in model.parameters():
            if way == "data":
                parameter.data.clamp_(-0.01, 0.01)
            elif way == "assigned":
                parameter.data = parameter.data.clamp(-0.01, 0.01)
            else:
                with torch.no_grad():
                    parameter.clamp_(-0.01, 0.01)
        assert max(parameter.abs().max() for parameter in amp.master_params(optimizer)) < 0.011


def test_weights_do_not_change_between_forward_and_backward():
    """Masters that are perturbed after the forward pass (SAM) leave its half weights alone."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    model, optimizer = begin("O2", model)
    xs = inputs(3)
    backward(model, optimizer, xs[0])
    optimizer.step()
    loss = loss_of(model, xs[1])
    expected = torch.autograd.grad(loss, [*model.parameters()], retain_graph=True)
    with torch.no_grad():
        for master in amp.master_params(optimizer):
            master.add_(0.5)
    with amp.scale_loss(loss, optimizer) as scaled:
        scaled.backward()
    for grad, other in zip(grads(optimizer), expected, strict=True):
        torch.testing.assert_close(grad, other.float(), rtol=2e-2, atol=2e-3)


def test_masters_of_what_was_loaded_are_there_at_once():
    model, optimizer = begin("O2")
    state = {name: torch.full_like(value, 0.1) for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    for master, value in zip(amp.master_params(optimizer), state.values(), strict=True):
        assert torch.equal(master.detach(), value)


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O5"])
def test_states_that_are_there_before_keep_their_bits(level):
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.Adam(model.parameters())
    for x in inputs(2):
        (loss_of(model, x) * 1e-5).backward()  # squares that are 0 in half
        optimizer.step()
    before = copy.deepcopy([*optimizer.state.values()])
    amp.initialize(model, optimizer, opt_level=level, verbosity=0)
    assert len(optimizer.state) == len(before)
    for state, old in zip(optimizer.state.values(), before, strict=True):
        assert all(torch.equal(state[key], value) for key, value in old.items())


@pytest.mark.parametrize("options", [{"level": "O0", "scale": 1.0}, {"level": "O2", "scale": 1.0}, {"level": "O1"}])
def test_what_a_second_call_ended_is_refused(options):
    model, optimizer = begin("O2", scale="dynamic")
    later, its = begin(**options)
    before = model.weight.detach().clone()
    with pytest.raises(RuntimeError, match="with opt_level O2 and loss_scale dynamic; a later call .* in one call"):
        backward(model, optimizer, inputs(1)[0])
    assert torch.equal(before, model.weight)
    backward(later, its, inputs(1)[0])
    its.step()


def test_a_second_call_like_the_first_goes_on():
    """As in Apex, whose own tests rely on it."""
    model, optimizer = begin("O2", scale="dynamic")
    begin("O2", scale="dynamic", num_losses=2)
    before = model.weight.detach().clone()
    for x in inputs(3):
        backward(model, optimizer, x, 1e-2)
        optimizer.step()
    assert not torch.equal(before, model.weight)


def test_a_refusal_changes_nothing():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    first, second = (torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(2))
    with pytest.raises(RuntimeError, match="in two optimizers"):
        amp.initialize(model, [first, second], opt_level="O2", verbosity=0)
    with pytest.raises(RuntimeError, match="one optimizer twice"):
        amp.initialize(model, [first, first], opt_level="O2", verbosity=0)
    scripted = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.jit.script(torch.nn.Linear(2, 2)))
    with pytest.raises(RuntimeError, match="scripted or traced"):
        amp.initialize(scripted, torch.optim.SGD(scripted.parameters(), lr=0.1), opt_level="O2", verbosity=0)
    for untouched in (model, scripted):
        assert all(parameter.dtype == torch.float32 for parameter in untouched.parameters())
        assert not untouched._forward_pre_hooks and not untouched._forward_hooks
    with pytest.raises(RuntimeError, match="scripted or traced"):
        amp.initialize(torch.jit.script(torch.nn.Linear(2, 2)), opt_level="O1", verbosity=0)
    alone = torch.nn.Sequential(torch.jit.script(torch.nn.Linear(2, 2)))
    amp.initialize(alone, opt_level="O1", verbosity=0)  # whose part runs in FP32, as in Apex
    assert alone(torch.ones(1, 2)).dtype == torch.float32
    amp.reset()
    # Batch normalisations stay FP32 and have no masters: they may be shared.
    norm = [torch.optim.SGD(model[1].parameters(), lr=0.1) for _ in range(2)]
    amp.initialize(model, norm, opt_level="O2", verbosity=0)


@pytest.mark.parametrize("level", LEVELS)
def test_a_backward_pass_outside_is_refused(level):
    model, optimizer = begin(level)
    (x,) = inputs(1)
    with amp.scale_loss(loss_of(model, x), optimizer) as scaled:
        pass
    with pytest.raises(RuntimeError, match="outside of its 'with amp.scale_loss"):
        scaled.backward()
    with pytest.raises(ValueError, match="given no optimizer"), amp.scale_loss(loss_of(model, x), []):
        pass


def test_half_losses_are_scaled_in_float32():
    model, optimizer = begin("O1", scale="dynamic")
    loss = model(inputs(1)[0]).abs().sum()
    with amp.scale_loss(loss.half(), optimizer) as scaled:
        assert scaled.dtype == torch.float32 and scaled.isfinite()
        scaled.backward()


@pytest.mark.parametrize("scale", [1.0, 128.0])
def test_casts_end_with_a_pass(scale):
    model, optimizer = begin("O1", scale=scale)
    cache = amp._amp_state.handle.mode.cache
    loss = loss_of(model, inputs(1)[0])
    assert len(cache) == 2
    with amp.scale_loss(loss, optimizer) as scaled:
        scaled.backward()
    assert len(cache) == 0


def test_weights_that_are_set_before_the_step_count():
    model, optimizer = begin("O2")
    backward(model, optimizer, inputs(1)[0], 0.0)  # gradients of 0
    with torch.no_grad():
        model.weight.fill_(0.25)
    optimizer.step()
    assert (model.weight == 0.25).all() and (optimizer.param_groups[0]["params"][0] == 0.25).all()


def test_what_a_checkpoint_holds_at_o2():
    model, optimizer = begin("O2")
    backward(model, optimizer, inputs(1)[0])
    optimizer.step()
    master = optimizer.param_groups[0]["params"][0]
    state = model.state_dict()["weight"]
    assert torch.equal(state, master) and not torch.equal(state.half().float(), state)
    state.zero_()  # a copy
    assert master.abs().sum() > 0
    with torch.no_grad():
        model.weight.fill_(0.3)
    written = model.state_dict()["weight"]  # not what the master still has
    assert torch.equal(written, torch.full_like(written, 0.3).half().float())
    model.load_state_dict({"weight": torch.full((4, 4), 0.7), "bias": torch.zeros(4)})
    with torch.no_grad():
        model.weight.fill_(0.5)  # after it: this counts
    backward(model, optimizer, inputs(1)[0], 0.0)
    assert (next(iter(amp.master_params(optimizer))) == 0.5).all()


def test_workers_that_are_forked_do_not_cast():
    begin("O1")
    assert torch.mm(torch.ones(1, 1), torch.ones(1, 1)).dtype == torch.float16
    child = os.fork()
    if not child:
        os._exit(0 if torch.mm(torch.ones(1, 1), torch.ones(1, 1)).dtype == torch.float32 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_another_thread_is_refused():
    for level in ("O0", "O2"):
        model, optimizer = begin(level)
        failures = []

        def work(model=model, optimizer=optimizer, failures=failures):
            try:
                backward(model, optimizer, inputs(1)[0])
            except RuntimeError as error:
                failures.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert len(failures) == 1 and "called on another thread" in failures[0]
        amp.reset()


def test_steps_hand_on_what_they_are_given():
    class Own(torch.optim.SGD):
        def step(self, closure=None, factor=1.0, *, shift=0.0):
            self.given = (closure, factor, shift)
            return super().step()

    for level in ("O1", "O2"):
        model = torch.nn.Linear(4, 4)
        _, optimizer = amp.initialize(model, Own(model.parameters(), lr=0.1), opt_level=level, verbosity=0)
        backward(model, optimizer, inputs(1)[0])
        optimizer.step(None, 0.5, shift=2.0)
        assert optimizer.given == (None, 0.5, 2.0)
        amp.reset()


@pytest.mark.parametrize("level", ["O0", "O2", "O3"])
def test_iterators_pass_through(level):
    class Pairs(torch.nn.Linear):
        def forward(self, pairs):
            return sum(super(Pairs, self).forward(a.to(self.weight.dtype) + b) for a, b in pairs)

    model, _ = begin(level, Pairs(4, 4))
    assert model(zip(inputs(2), (1.0, 2.0))).shape == (8, 4)


def test_states_are_loaded_whole_or_not_at_all():
    begin("O1", scale="dynamic", num_losses=2)
    good = amp.state_dict()
    with pytest.raises(TypeError, match="to have 'loss_scale' and 'unskipped'"):
        amp.load_state_dict({"loss_scaler0": {"loss_scale": 4.0, "unskipped": 1}, "loss_scaler1": {"scale": 2.0}})
    assert amp.state_dict() == good
