# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiled steps do with gradients before the optimizer has them: micro-batches,
clipping, and several steps that train parts of one model. Against eager PyTorch."""

from __future__ import annotations

import copy
import functools
import itertools
import warnings

import pytest
import torch
from cases import cases, except_for
from mlir_amp.torch import amp
from mlir_amp.torch.backend import RecompileWarning
from mlir_amp.torch.lowering.graph_module import NotLowered
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


@pytest.fixture(autouse=True)
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RecompileWarning)
        yield


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


class Normed(nn.Module):
    """With statistics, and draws of one row and of all rows."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(64, 24, bias=False), nn.Linear(24, 10)
        self.norm, self.drop = nn.BatchNorm1d(24), nn.Dropout(0.2)

    def forward(self, x):
        h = self.norm(self.first(x)).relu() + 0.1 * torch.rand(1, 24)
        return self.last(self.drop(h))


def loss_fn(model, x, y):
    return nn.functional.cross_entropy(model(x), y)


def batch(rows: int = 16):
    return torch.randn(rows, 64), torch.randint(0, 10, (rows,))


OPTIMIZERS = {
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "adamw": lambda p: torch.optim.AdamW(p, lr=2e-3),
}


def train_eagerly(model, optimizer, batches, parts=1, clip=None) -> torch.Tensor:
    """As PyTorch's pages show it: each part's loss is divided by the number of parts."""
    losses = []
    for x, y in batches:
        loss = 0.0
        for part_x, part_y in zip(x.chunk(parts), y.chunk(parts)):
            part = loss_fn(model, part_x, part_y) / parts
            part.backward()
            loss += part.item()
        if clip:
            clip(model)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return torch.tensor(losses)


def compare(make, name, steps=20, **options) -> None:
    """Losses, parameters, buffers and states of both; the same random numbers."""
    model = make()
    twin = copy.deepcopy(model)
    optimizer = OPTIMIZERS[name](model.parameters())
    eager_optimizer = OPTIMIZERS[name](twin.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, "O0", **options)
    batches = [batch() for _ in range(steps)]
    torch.manual_seed(1)
    losses = torch.tensor([step(x, y).item() for x, y in batches])
    state = torch.get_rng_state()
    torch.manual_seed(1)
    parts = options.get("micro_batches", 1)
    clip = options.get("clip")
    eager = train_eagerly(twin, eager_optimizer, batches, parts, clip)
    torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)
    assert torch.equal(state, torch.get_rng_state())
    atol = 1e-5 if name != "adamw" else 1e-4  # it divides by roots of noise
    for ours, theirs in zip(
        model.state_dict().values(), twin.state_dict().values(), strict=True
    ):
        torch.testing.assert_close(ours, theirs, atol=atol, rtol=1e-5)


# ----------------------------------------------------------------------------
# Micro-batches
# ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, name",
    cases(
        itertools.product([mlp, Normed], OPTIMIZERS),
        [(mlp, "adamw"), (Normed, "momentum")],
    ),
    ids=lambda value: getattr(value, "__name__", None),
)
def test_parts_of_a_batch_are_accumulated(make, name) -> None:
    compare(make, name, micro_batches=4)


def test_parts_are_no_whole_batch() -> None:
    """A near miss: with statistics of each part the losses are others."""
    model = Normed()
    twin = copy.deepcopy(model)
    one, other = (
        amp.compile_step(m, loss_fn, OPTIMIZERS["momentum"](m.parameters()), "O0", **p)
        for m, p in ((model, {}), (twin, {"micro_batches": 4}))
    )
    x, y = batch()
    torch.manual_seed(1)
    whole = one(x, y)
    torch.manual_seed(1)
    assert not torch.allclose(whole, other(x, y), atol=1e-4)


@pytest.mark.parametrize("opt_level", except_for(["O1", "O2"], "O1"))
def test_an_overflow_in_one_part_skips_the_step(opt_level) -> None:
    """Each part moves the scaler, as each of Apex's backward passes does."""
    model = mlp()
    optimizer = OPTIMIZERS["momentum"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, opt_level, micro_batches=4)
    x, y = batch()
    x[5] = float("inf")  # in the second part
    before = copy.deepcopy(model.state_dict())
    step(x, y)
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), name
    (scaler,) = step.scalers.values()
    assert (scaler.state.steps, scaler.state.overflows) == (4, 1)
    assert (scaler.state.scale, scaler.state.unskipped) == (32768.0, 2)
    assert step(*batch()).isfinite()
    assert not torch.equal(model[0].weight, before["0.weight"])


def test_what_parts_share_has_no_dimensions() -> None:
    model = mlp()
    twin = copy.deepcopy(model)
    weighted = lambda model, x, y, weight: weight * loss_fn(model, x, y)
    step, parts = (
        amp.compile_step(
            m, weighted, OPTIMIZERS["momentum"](m.parameters()), "O0", micro_batches=n
        )
        for m, n in ((model, 1), (twin, 2))
    )
    x, y = batch()
    whole = step(x, y, torch.tensor(0.5))
    torch.testing.assert_close(parts(x, y, torch.tensor(0.5)), whole)


def test_refused_parts() -> None:
    model = mlp()
    make = functools.partial(
        amp.compile_step, model, loss_fn, OPTIMIZERS["momentum"](model.parameters())
    )
    for number in (0, 1025, 2.0, True):
        with pytest.raises(ValueError, match="from 1 to 1024, but got"):
            make(micro_batches=number)
    step = make(micro_batches=3)
    text = r"one number of rows, which micro_batches=3 divides, but they are \[16, 64\]"
    with pytest.raises(ValueError, match=text):
        step(*batch())
    with pytest.raises(ValueError, match="is a buffer of the model"):
        step(batch(15)[0], batch(12)[1])
    drawn = lambda model, x, y: loss_fn(model, x, y) * torch.rand(())
    step = amp.compile_step(model, drawn, make()._optimizer, micro_batches=2)
    with pytest.raises(NotLowered, match=r"without dimensions.*as torch.rand\(1\)"):
        step(*batch())


# ----------------------------------------------------------------------------
# Clipping
# ----------------------------------------------------------------------------

CLIPS = {
    "norm": lambda model: clip_grad_norm_(model.parameters(), 0.5),
    "norm-inf": lambda model: clip_grad_norm_(
        [p for p in model.parameters() if p.requires_grad], 0.01, norm_type=torch.inf
    ),
    "value": lambda model: clip_grad_value_(model.parameters(), 0.003),
    "one-layer": lambda model: clip_grad_norm_(model[2].parameters(), 0.1),
}


CLIPPED = [("norm", "adamw"), ("norm-inf", "momentum"), ("value", "adamw")]
CLIPPED += [("one-layer", "momentum")]


@pytest.mark.parametrize(
    "clip, name", cases(itertools.product(CLIPS, OPTIMIZERS), CLIPPED)
)
def test_gradients_are_clipped(clip, name) -> None:
    compare(mlp, name, clip=CLIPS[clip])


def test_clipping_comes_after_accumulation() -> None:
    compare(mlp, "momentum", clip=CLIPS["norm"], micro_batches=2)


def test_clipping_is_seen() -> None:
    """A near miss: without it the comparison above fails."""
    with pytest.raises(AssertionError, match="not close"):
        model = mlp()
        twin = copy.deepcopy(model)
        optimizer = OPTIMIZERS["momentum"](model.parameters())
        step = amp.compile_step(model, loss_fn, optimizer, "O0", clip=CLIPS["norm"])
        batches = [batch() for _ in range(5)]
        losses = torch.tensor([step(x, y).item() for x, y in batches])
        optimizer = OPTIMIZERS["momentum"](twin.parameters())
        eager = train_eagerly(twin, optimizer, batches)
        torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)


@pytest.mark.parametrize("opt_level", except_for(["O1", "O2"], "O2"))
def test_what_is_clipped_is_unscaled(opt_level) -> None:
    """Two static scales give one training: a bound on scaled gradients would give two."""
    start, losses = mlp(), []
    batches = [batch() for _ in range(5)]
    for scale in (128.0, 1024.0):
        model = copy.deepcopy(start)
        optimizer = OPTIMIZERS["momentum"](model.parameters())
        step = amp.compile_step(
            model, loss_fn, optimizer, opt_level, clip=CLIPS["norm"], loss_scale=scale
        )
        losses.append(torch.tensor([step(x, y).item() for x, y in batches]))
    torch.testing.assert_close(*losses, atol=2e-3, rtol=0)
    optimizer = OPTIMIZERS["momentum"](start.parameters())
    eager = train_eagerly(start, optimizer, batches, clip=CLIPS["norm"])
    torch.testing.assert_close(losses[0], eager, atol=2e-2, rtol=0)


def test_an_overflow_is_skipped_before_it_is_clipped() -> None:
    """clip_grad_norm_ makes NaN of an infinite gradient, and 0 of the others."""
    model = mlp()
    optimizer = OPTIMIZERS["adamw"](model.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, clip=CLIPS["norm"])
    before = copy.deepcopy(model.state_dict())
    x, y = batch()
    step(x * float("inf"), y)
    assert all(torch.equal(v, before[n]) for n, v in model.state_dict().items())
    (scaler,) = step.scalers.values()
    assert (scaler.state.scale, scaler.state.skipped) == (32768.0, 1)


def test_another_bound_is_compiled_once_more() -> None:
    model = mlp()
    twin = copy.deepcopy(model)
    bound = 0.5

    def clip(model):
        clip_grad_norm_(model.parameters(), bound)

    optimizer = OPTIMIZERS["momentum"](model.parameters())
    eager_optimizer = OPTIMIZERS["momentum"](twin.parameters())
    step = amp.compile_step(model, loss_fn, optimizer, "O0", clip=clip)
    batches = [batch() for _ in range(4)]
    losses = [step(*batches[0])]
    eager = [train_eagerly(twin, eager_optimizer, batches[:1], clip=clip)]
    bound = 0.1
    with pytest.warns(RecompileWarning, match="'bound' is 0.1"):
        losses.append(step(*batches[1]))
    losses += [step(x, y) for x, y in batches[2:]]
    eager.append(train_eagerly(twin, eager_optimizer, batches[1:], clip=clip))
    torch.testing.assert_close(torch.stack(losses), torch.cat(eager), atol=1e-5, rtol=0)


def test_values_of_one_name_do_not_hide_each_other() -> None:
    """The loss and what clips have a `bound` each; the loss's changes."""

    def make_loss():
        bound = [1.0]

        def loss_of(model, x, y):
            return bound[0] * loss_fn(model, x, y)

        return bound, loss_of

    bound, loss_of = make_loss()
    model = mlp()
    clip = functools.partial(
        lambda model, bound: clip_grad_norm_(model.parameters(), bound), bound=0.5
    )
    loss_of = functools.partial(loss_of)
    optimizer = OPTIMIZERS["momentum"](model.parameters())
    step = amp.compile_step(model, loss_of, optimizer, "O0", clip=clip)
    x, y = batch()
    step(x, y)
    expected = 3.0 * loss_fn(model, x, y).item()
    bound[0] = 3.0
    with pytest.warns(RecompileWarning, match="'bound' is"):
        loss = step(x, y)
    assert loss.item() == pytest.approx(expected, abs=1e-5)


def test_refused_clips() -> None:
    model = mlp()
    optimizer = OPTIMIZERS["momentum"](model.parameters())
    with pytest.raises(ValueError, match="a function of the model, but got float"):
        amp.compile_step(model, loss_fn, optimizer, clip=0.5)
    checked = lambda model: clip_grad_norm_(
        model.parameters(), 1.0, error_if_nonfinite=True
    )
    step = amp.compile_step(model, loss_fn, optimizer, clip=checked)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(NotLowered, match="'clip' reads the value of a tensor"):
        step(*batch())
    assert all(torch.equal(v, before[n]) for n, v in model.state_dict().items())


# ----------------------------------------------------------------------------
# Several steps of one model
# ----------------------------------------------------------------------------


class Gan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(
            nn.Linear(8, 32, bias=False),
            nn.BatchNorm1d(32),
            nn.ReLU(),
            nn.Linear(32, 64),
        )
        self.judge = nn.Sequential(
            nn.Linear(64, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)
        )


def judge_loss(gan, real, noise):
    criterion = nn.functional.binary_cross_entropy_with_logits
    fake = gan.judge(gan.generator(noise).sigmoid().detach())
    true = gan.judge(real)
    return criterion(true, torch.ones_like(true)) + criterion(
        fake, torch.zeros_like(fake)
    )


def generator_loss(gan, real, noise):
    fake = gan.judge(gan.generator(noise).sigmoid())
    return nn.functional.binary_cross_entropy_with_logits(fake, torch.ones_like(fake))


def make_optimizers(gan):
    return [
        torch.optim.Adam(part.parameters(), lr=1e-3, betas=(0.5, 0.999))
        for part in (gan.judge, gan.generator)
    ]


def test_two_steps_train_two_parts() -> None:
    gan = Gan()
    twin = copy.deepcopy(gan)
    losses = (judge_loss, generator_loss)
    others = (gan.generator, gan.judge)
    steps = [
        amp.compile_step(gan, loss, optimizer, "O0", frozen=[other])
        for loss, optimizer, other in zip(losses, make_optimizers(gan), others)
    ]
    eager = make_optimizers(twin)
    for _ in range(20):
        data = torch.rand(16, 64), torch.randn(16, 8)
        for step, loss_of, optimizer in zip(steps, losses, eager):
            loss = loss_of(twin, *data)
            twin.zero_grad()
            loss.backward()
            optimizer.step()
            torch.testing.assert_close(step(*data), loss.detach(), atol=1e-5, rtol=0)
    for ours, theirs in zip(gan.state_dict().values(), twin.state_dict().values()):
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("opt_level", except_for(["O1", "O2"], "O1"))
def test_each_step_has_a_scale(opt_level) -> None:
    gan = Gan()
    first, second = (
        amp.compile_step(gan, loss, optimizer, opt_level, frozen=other)
        for loss, optimizer, other in zip(
            (judge_loss, generator_loss),
            make_optimizers(gan),
            (gan.generator, gan.judge),
        )
    )
    real, noise = torch.rand(16, 64), torch.randn(16, 8)
    generator = copy.deepcopy(gan.generator.state_dict())
    first(real * float("inf"), noise)
    # Statistics are the forward pass's; parameters stay.
    assert torch.equal(gan.generator[0].weight, generator["0.weight"])
    second(real, noise)
    scales = [s.state_dict()["loss_scaler0"]["loss_scale"] for s in (first, second)]
    assert scales == [32768.0, 65536.0]


def test_refused_parts_of_models() -> None:
    gan = Gan()
    optimizer, _ = make_optimizers(gan)
    with pytest.raises(ValueError, match="'generator.0.weight'.* name its part of the"):
        amp.compile_step(gan, judge_loss, optimizer)(
            torch.rand(4, 64), torch.randn(4, 8)
        )
    with pytest.raises(ValueError, match="'frozen' to have parts of the model"):
        amp.compile_step(gan, judge_loss, optimizer, frozen=[nn.Linear(1, 1)])
    step = amp.compile_step(gan, judge_loss, optimizer, frozen=[gan])
    with pytest.raises(ValueError, match="'judge.0.weight', which is in 'frozen', not"):
        step(torch.rand(4, 64), torch.randn(4, 8))
