# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Apex's documentation, passage by passage: what it shows, done with ours.

Pages are named by what they are; the tests are of our own words.

==================================================  =====================================
Passage                                             Test
==================================================  =====================================
*Summary of the levels*
three lines that convert a script                   test_three_lines_convert_a_script
default properties of O0, O1, O2, O3                test_levels_have_the_defaults_of_the_page
O1 casts by lists                                   test_o1_casts_around_functions
O2: what is cast, and what the optimizer updates    test_o2_trains_masters
O3 with FP32 batch normalisation                    test_o3_with_batchnorm_in_fp32
*amp 1.0*
an example that calls .half() on the model          test_models_that_are_half_are_refused
a script as it was, with amp disabled               test_disabled_leaves_a_script_as_it_was
*amp, the page*
example of initialize and scale_loss                test_three_lines_convert_a_script
one script for all levels                           test_three_lines_convert_a_script
an override that makes no sense                     test_an_override_that_makes_no_sense
loss_scale as number, text, "dynamic"               test_invocations_with_overrides
master_params                                       test_gradients_are_clipped_as_masters
checkpoints in the order that is recommended        test_checkpoint_continues_bit_for_bit
the same level when restoring                       test_a_checkpoint_goes_on_at_its_own_level
advanced: accumulation                              test_gradients_accumulate
advanced: several backward passes, models, losses   test_several_models_optimizers_and_losses
advanced: custom autograd functions                 test_custom_functions
advanced: custom batches                            test_custom_batches
advanced: GANs                                      test_examples.py, gan_digits.py
transition: amp.init and its handle                 test_the_old_handle_trains_like_o1
transition: annotated functions in both             test_annotated_functions_in_both_interfaces
transition: FP16_Optimizer                          test_fp16_optimizer_trains_like_o2
input data of either type                           test_inputs_of_either_type
*A page of scraps*
signature of initialize                             test_signature_of_initialize
*initialize, its source*
invocations with one or several of each             test_invocations_return_what_was_given
invocations with overrides                          test_invocations_with_overrides
a level that there is not                           test_levels_that_there_are_not
what is printed, verbosity=0                        test_verbosity
num_losses and loss_id                              test_each_loss_has_its_scaler
min_loss_scale and max_loss_scale                   test_bounds_of_the_scale
==================================================  =====================================
"""

import copy
import inspect
import math
import types
import warnings

import pytest
import torch
from mlir_amp.torch import amp, fp16_utils
from mlir_amp.torch.amp import _amp_state

LEVELS = ["O0", "O1", "O2", "O3"]
LOSS = torch.nn.CrossEntropyLoss()


def make_model():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4)
    )


def make(model=None):
    model = model or make_model()
    return model, torch.optim.SGD(model.parameters(), lr=0.25, momentum=0.5)


def get_batches(count=20):
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        target = torch.randint(4, (32,), generator=generator)
        x = torch.randn(32, 8, generator=generator) * 0.5
        x[torch.arange(32), target] += 2.0
        yield x, target


def train(model, optimizer, batches):
    """The loop of the pages; losses."""
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        loss = LOSS(model(x), target)
        with amp.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_plain(model, optimizer, batches):
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        loss = LOSS(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def get_weights(model):
    return [value.clone() for value in model.state_dict().values()]


def are_equal(first, second):
    return all(map(torch.equal, first, second))


# ---- A script is converted ------------------------------------------------------------


#: Twenty steps of O0 are those of the plain script; half values are off by their
#: rounding, 2^-11, which some steps multiply.
@pytest.mark.parametrize("level, bound", [("O0", 0.0), ("O1", 0.01), ("O2", 0.01), ("O3", 0.05)])
def test_three_lines_convert_a_script(level, bound):
    expected = train_plain(*make(), get_batches())
    model, optimizer = make()
    model, optimizer = amp.initialize(model, optimizer, opt_level=level, loss_scale=128.0, verbosity=0)
    losses = train(model, optimizer, get_batches())
    assert losses[-1] < 0.1 * losses[0]
    assert all(abs(loss - other) <= bound for loss, other in zip(losses, expected, strict=True))
    assert (losses == expected) == (level == "O0")  # the others do compute in half


def test_disabled_leaves_a_script_as_it_was():
    plain, optimizer = make()
    train_plain(plain, optimizer, get_batches())
    model, optimizer = make()
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2", enabled=False)
    train(model, optimizer, get_batches())
    assert are_equal(get_weights(model), get_weights(plain))


def test_models_that_are_half_are_refused():
    model = torch.nn.Linear(8, 4).half()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    with pytest.raises(RuntimeError, match=r"you do not need to call .half\(\) on your model"):
        amp.initialize(model, optimizer, opt_level="O1")
    amp.initialize(*make(torch.nn.Linear(8, 4)), opt_level="O1", verbosity=0)


@pytest.mark.parametrize("level", LEVELS)
def test_inputs_of_either_type(level):
    results = []
    for dtype in (torch.float32, torch.float16):
        model, optimizer = make(torch.nn.Linear(8, 4))
        with torch.no_grad():
            model.weight.fill_(0.5)
            model.bias.zero_()
        model, _ = amp.initialize(model, optimizer, opt_level=level, verbosity=0)
        results.append(model(torch.full((2, 8), 0.25, dtype=dtype)))
        amp.reset()
    assert torch.equal(*results) and results[0].dtype == results[1].dtype


# ---- Levels and properties -----------------------------------------------------------


DEFAULTS = {
    "O0": ("float32", False, None, False, 1.0),
    "O1": (None, True, None, None, "dynamic"),
    "O2": ("float16", False, True, True, "dynamic"),
    "O3": ("float16", False, False, False, 1.0),
}


@pytest.mark.parametrize("level", LEVELS)
def test_levels_have_the_defaults_of_the_page(level):
    amp.initialize(*make(), opt_level=level, verbosity=0)
    p = _amp_state.opt_properties
    found = (p.cast_model_type, p.patch_torch_functions, p.keep_batchnorm_fp32, p.master_weights, p.loss_scale)
    assert found == DEFAULTS[level]


def test_o1_casts_around_functions():
    model, _ = amp.initialize(*make(), opt_level="O1", verbosity=0)
    x = torch.randn(4, 8)
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert model(x).dtype == torch.float16
    assert torch.softmax(model(x), -1).dtype == torch.float16  # torch.softmax is on no list
    assert torch.nn.functional.softmax(model(x), -1).dtype == torch.float32
    assert torch.relu(model(x)).dtype == torch.float16


def test_o2_trains_masters():
    model, optimizer = amp.initialize(*make(), opt_level="O2", verbosity=0)
    assert [p.dtype for p in model.parameters()] == [torch.float16] * 2 + [torch.float32] * 2 + [torch.float16] * 2
    assert {p.dtype for p in amp.master_params(optimizer)} == {torch.float32}
    assert model(torch.randn(4, 8)).dtype == torch.float32
    train(model, optimizer, get_batches(3))
    for half, master in zip(model.parameters(), amp.master_params(optimizer), strict=True):
        assert torch.equal(half, master.to(half.dtype))
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float32  # O2 patches no function


@pytest.mark.parametrize("keep, expected", [(None, torch.float16), (True, torch.float32), ("True", torch.float32)])
def test_o3_with_batchnorm_in_fp32(keep, expected):
    model, _ = amp.initialize(*make(), opt_level="O3", keep_batchnorm_fp32=keep, verbosity=0)
    assert model[1].weight.dtype == model[1].running_mean.dtype == expected
    assert model[0].weight.dtype == torch.float16


def test_an_override_that_makes_no_sense():
    with pytest.raises(RuntimeError, match="^It doesn't make sense to use master_weights with O1. With O1, your model"):
        amp.initialize(*make(), opt_level="O1", master_weights=True)
    amp.initialize(*make(), opt_level="O3", master_weights=True, verbosity=0)


@pytest.mark.parametrize("level", ["04", "o1", "O6"])
def test_levels_that_there_are_not(level):
    with pytest.raises(
        RuntimeError, match=f"^Unexpected optimization level {level}. Options are 'O0', 'O1', 'O2', 'O3'"
    ):
        amp.initialize(*make(), opt_level=level)


# ---- initialize ----------------------------------------------------------------------


def test_signature_of_initialize():
    parameters = inspect.signature(amp.initialize).parameters
    expected = {
        "models": inspect.Parameter.empty,
        "optimizers": None,
        "enabled": True,
        "opt_level": "O1",
        "cast_model_type": None,
        "patch_torch_functions": None,
        "keep_batchnorm_fp32": None,
        "master_weights": None,
        "loss_scale": None,
        "cast_model_outputs": None,
        "num_losses": 1,
        "verbosity": 1,
        "min_loss_scale": None,
        "max_loss_scale": 2.0**24,
    }
    # ROCm's one more argument comes last.
    assert {name: p.default for name, p in list(parameters.items())[: len(expected)]} == expected
    assert list(parameters)[len(expected) :] == ["patch_torch_functions_type"]


@pytest.mark.parametrize("models", [1, [1], [1, 2]])
@pytest.mark.parametrize("optimizers", [1, [1], [1, 2]])
def test_invocations_return_what_was_given(models, optimizers):
    def build(shape, make_one):
        return [make_one() for _ in shape] if isinstance(shape, list) else make_one()

    given = build(models, make_model)
    first = given[0] if isinstance(given, list) else given
    parameters = iter(list(first.parameters()))
    sgd = build(optimizers, lambda: torch.optim.SGD([next(parameters)], lr=0.1))
    returned_models, returned_optimizers = amp.initialize(given, sgd, opt_level="O1", verbosity=0)
    for returned, original in ((returned_models, given), (returned_optimizers, sgd)):
        if isinstance(original, list):
            assert isinstance(returned, list) and all(map(lambda a, b: a is b, returned, original))
        else:
            assert returned is original


def test_models_without_optimizers_come_back_alone():
    model = make_model()
    assert amp.initialize(model, opt_level="O2", verbosity=0) is model
    assert isinstance(amp.initialize([make_model()], opt_level="O2", verbosity=0), list)


INVOCATIONS = [
    ("O0", {}, 1.0, False),
    *(
        ("O0", {"loss_scale": scale}, start, scale == "dynamic")
        for scale, start in (("dynamic", 2.0**16), (128.0, 128.0))
    ),
    ("O0", {"loss_scale": "128.0"}, 128.0, False),
    ("O1", {}, 2.0**16, True),
    ("O1", {"loss_scale": 128.0}, 128.0, False),
    ("O1", {"loss_scale": "128.0"}, 128.0, False),
    ("O2", {}, 2.0**16, True),
    ("O2", {"loss_scale": "128.0"}, 128.0, False),
    *(("O2", {"keep_batchnorm_fp32": keep}, 2.0**16, True) for keep in (True, False, "True", "False")),
    ("O3", {}, 1.0, False),
    ("O3", {"loss_scale": "dynamic"}, 2.0**16, True),
    ("O3", {"loss_scale": "128.0"}, 128.0, False),
    *(("O3", {"keep_batchnorm_fp32": keep}, 1.0, False) for keep in (True, False, "True", "False")),
]


@pytest.mark.parametrize("level, overrides, start, is_dynamic", INVOCATIONS)
def test_invocations_with_overrides(level, overrides, start, is_dynamic):
    model, optimizer = amp.initialize(*make(), opt_level=level, verbosity=0, **overrides)
    assert amp.state_dict() == {"loss_scaler0": {"loss_scale": start, "unskipped": 0}}
    if "keep_batchnorm_fp32" in overrides:
        kept = overrides["keep_batchnorm_fp32"] in (True, "True")
        assert (model[1].weight.dtype == torch.float32) == kept
    with amp.scale_loss(model(torch.randn(4, 8)).sum() * float("inf"), optimizer) as scaled_loss:
        scaled_loss.backward()
    assert amp.state_dict()["loss_scaler0"]["loss_scale"] == (start / 2 if is_dynamic else start)


def test_verbosity(capsys):
    amp.initialize(*make(), opt_level="O2")
    printed = capsys.readouterr().out
    assert printed.startswith("Selected optimization level O2") and "master_weights         : True\n" in printed
    amp.reset()
    amp.initialize(*make(), opt_level="O2", verbosity=0)
    assert capsys.readouterr().out == ""


def test_each_loss_has_its_scaler():
    model, optimizer = amp.initialize(*make(), opt_level="O1", num_losses=3, verbosity=0)
    x = torch.randn(4, 8)
    for loss_id, factor in enumerate((1.0, float("inf"))):
        with amp.scale_loss(model(x).float().mean() * factor, optimizer, loss_id=loss_id) as scaled_loss:
            scaled_loss.backward()
    scales = [entry["loss_scale"] for entry in amp.state_dict().values()]
    assert scales == [2.0**16, 2.0**15, 2.0**16]


@pytest.mark.parametrize("scale, expected", [("dynamic", [8.0, 4.0, 4.0, 4.0]), (64.0, [64.0] * 4)])
def test_bounds_of_the_scale(scale, expected):
    model, optimizer = amp.initialize(
        *make(), opt_level="O1", loss_scale=scale, min_loss_scale=4.0, max_loss_scale=16.0, verbosity=0
    )
    found = []
    for _ in range(4):
        with amp.scale_loss(model(torch.randn(4, 8)).float().sum() * float("inf"), optimizer) as scaled_loss:
            scaled_loss.backward()
        found.append(amp.state_dict()["loss_scaler0"]["loss_scale"])
    assert found == expected


# ---- Checkpoints -----------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_checkpoint_continues_bit_for_bit(level, tmp_path):
    batches = list(get_batches(12))

    model, optimizer = amp.initialize(*make(), opt_level=level, loss_scale="dynamic", verbosity=0)
    _amp_state.loss_scalers[0].load(2.0**10, 1998)  # it grows at the second step
    train(model, optimizer, batches[:6])
    half_way = copy.deepcopy(get_weights(model))
    path = tmp_path / "amp_checkpoint.pt"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "amp": amp.state_dict()}, path)
    train(model, optimizer, batches[6:])
    expected, scaler = get_weights(model), amp.state_dict()
    assert not are_equal(half_way, expected)
    assert scaler == {"loss_scaler0": {"loss_scale": 2.0**11, "unskipped": 10}}
    amp.reset()

    torch.manual_seed(5)
    model = make_model()
    torch.nn.init.normal_(model[0].weight)
    model, optimizer = amp.initialize(*make(model), opt_level=level, loss_scale="dynamic", verbosity=0)
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    amp.load_state_dict(checkpoint["amp"])
    assert are_equal(get_weights(model), half_way)
    train(model, optimizer, batches[6:])
    assert are_equal(get_weights(model), expected)
    assert amp.state_dict() == scaler


@pytest.mark.parametrize(
    "level, has_scaler, goes_on", [("O1", True, True), ("O0", True, False), ("O1", False, False)]
)
def test_a_checkpoint_goes_on_at_its_own_level(level, has_scaler, goes_on, tmp_path):
    batches = list(get_batches(8))
    model, optimizer = amp.initialize(*make(), opt_level="O1", verbosity=0)
    _amp_state.loss_scalers[0].load(2.0**10, 1998)
    train(model, optimizer, batches[:4])
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "amp": amp.state_dict()}
    torch.save(state, tmp_path / "amp.pt")
    train(model, optimizer, batches[4:])
    expected = get_weights(model), amp.state_dict()
    amp.reset()

    model, optimizer = amp.initialize(*make(), opt_level=level, verbosity=0)
    checkpoint = torch.load(tmp_path / "amp.pt")
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    if has_scaler:
        amp.load_state_dict(checkpoint["amp"])
    train(model, optimizer, batches[4:])
    assert (are_equal(get_weights(model), expected[0]) and amp.state_dict() == expected[1]) == goes_on


# ---- Advanced use ----------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("delay", [False, True])
def test_gradients_accumulate(level, delay):
    """Four parts of a batch, one step: the gradient of the whole."""
    ((x, target),) = get_batches(1)
    model, optimizer = amp.initialize(*make(torch.nn.Linear(8, 4)), opt_level=level, loss_scale=128.0, verbosity=0)
    reference = torch.nn.Linear(8, 4)
    reference.load_state_dict(model.state_dict())
    with amp.disable_casts():
        LOSS(reference(x), target).backward()
    for i, (part, labels) in enumerate(zip(x.chunk(4), target.chunk(4), strict=True)):
        loss = LOSS(model(part), labels) / 4
        with amp.scale_loss(loss, optimizer, delay_unscale=delay and i < 3) as scaled_loss:
            scaled_loss.backward()
    for master, parameter in zip(amp.master_params(optimizer), reference.parameters(), strict=True):
        torch.testing.assert_close(master.grad.float(), parameter.grad, rtol=2e-2, atol=2e-3)
    optimizer.step()


@pytest.mark.parametrize("level", LEVELS)
def test_gradients_are_clipped_as_masters(level):
    model, optimizer = amp.initialize(*make(), opt_level=level, loss_scale=128.0, verbosity=0)
    ((x, target),) = get_batches(1)
    with amp.scale_loss(LOSS(model(x), target), optimizer) as scaled_loss:
        scaled_loss.backward()
    before = torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 0.1)
    assert 0.1 < before < 10.0  # unscaled; 128 times as much if it were not
    after = torch.linalg.vector_norm(
        torch.stack([torch.linalg.vector_norm(p.grad.float()) for p in amp.master_params(optimizer)])
    )
    assert after.item() == pytest.approx(0.1, rel=1e-2)


@pytest.mark.parametrize("level", LEVELS)
def test_several_models_optimizers_and_losses(level):
    models = [torch.nn.Linear(8, 1, bias=False) for _ in range(2)]
    for model in models:
        torch.nn.init.zeros_(model.weight)
    optimizers = [torch.optim.SGD(model.parameters(), lr=1.0) for model in models]
    models, optimizers = amp.initialize(
        models, optimizers, opt_level=level, num_losses=2, loss_scale="dynamic", verbosity=0
    )
    x = torch.ones(1, 8)
    infinity = torch.full((1, 8), float("inf"))
    for i, data in enumerate((x, infinity)):
        with amp.scale_loss(models[i](data).sum(), optimizers[i], loss_id=i) as scaled_loss:
            scaled_loss.backward()
    scales = [entry["loss_scale"] for entry in amp.state_dict().values()]
    skipped = [amp.is_skipping(optimizer) for optimizer in optimizers]
    # 1 times 2^16 is a gradient that half does not hold.
    assert skipped == [level != "O0", True]
    assert scales == [2.0**15 if skip else 2.0**16 for skip in skipped]


@pytest.mark.parametrize("level", LEVELS)
def test_custom_functions(level):
    class Clamped(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clamp(min=0)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * (x > 0)

    results = []
    for activation in (torch.relu, Clamped.apply):
        model, optimizer = amp.initialize(*make(torch.nn.Linear(8, 4)), opt_level=level, loss_scale=128.0, verbosity=0)
        with torch.no_grad():
            model.weight.copy_(torch.linspace(-1, 1, 32).view(4, 8))
            model.bias.zero_()
        with amp.scale_loss(activation(model(torch.ones(2, 8))).float().sum(), optimizer) as scaled_loss:
            scaled_loss.backward()
        results.append([p.grad.clone() for p in amp.master_params(optimizer)])
        amp.reset()
    assert are_equal(*results)


class Graph:
    """A batch of a user's class; `to` is all that is asked of it."""

    def __init__(self, nodes, edges):
        self.nodes, self.edges = nodes, edges

    def to(self, dtype):
        return Graph(self.nodes.to(dtype), self.edges)


class GraphModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 4)

    def forward(self, graph):
        self.seen = graph.nodes.dtype, graph.edges.dtype
        return self.fc(graph.nodes)[graph.edges]


@pytest.mark.parametrize("level", LEVELS)
def test_custom_batches(level):
    model, _ = amp.initialize(*make(GraphModel()), opt_level=level, verbosity=0)
    graph = Graph(torch.randn(3, 8), torch.tensor([0, 2]))
    assert model(graph).shape == (2, 4)
    assert model.seen == (torch.float16 if level in ("O2", "O3") else torch.float32, torch.int64)


# ---- Older interfaces --------------------------------------------------------------------


def test_the_old_handle_trains_like_o1():
    batches = [(x * (math.inf if i == 1 else 1), target) for i, (x, target) in enumerate(get_batches())]
    begin = torch.nn.Linear(8, 4)
    model, optimizer = make(copy.deepcopy(begin))
    handle = amp.init()
    for x, target in batches:
        optimizer.zero_grad()
        loss = LOSS(model(x), target)
        with handle.scale_loss(loss, optimizer) as scaled_loss:
            scaled_loss.backward()
        optimizer.step()
    expected, scale = get_weights(model), handle._default_scaler.loss_scale()
    assert scale == 2.0**15  # one step was skipped
    amp.reset()

    model, optimizer = amp.initialize(*make(copy.deepcopy(begin)), opt_level="O1", verbosity=0)
    train(model, optimizer, batches)
    assert are_equal(get_weights(model), expected)
    assert amp.state_dict()["loss_scaler0"]["loss_scale"] == scale


@pytest.mark.parametrize("begin", [amp.init, lambda: amp.initialize(make_model(), opt_level="O1", verbosity=0)])
def test_annotated_functions_in_both_interfaces(begin):
    @amp.half_function
    def low(x):
        return x.dtype

    @amp.float_function
    def high(x):
        return x.dtype

    @amp.promote_function
    def widest(x, y):
        return x.dtype, y.dtype

    library = types.SimpleNamespace(fused=lambda x: x.dtype)
    amp.register_half_function(library, "fused")
    x, h = torch.ones(2), torch.ones(2).half()
    before = [low(x), high(h), widest(x, h), library.fused(x)]
    assert before == [torch.float32, torch.float16, (torch.float32, torch.float16), torch.float32]
    begin()
    after = [low(x), high(h), widest(x, h), library.fused(x)]
    assert after == [torch.float16, torch.float32, (torch.float32, torch.float32), torch.float16]


def test_fp16_optimizer_trains_like_o2():
    """From weights that half holds: O2's masters start as the FP32 weights, these as the half ones."""

    def make_rounded():
        model = make_model()
        for parameter in model.parameters():
            parameter.data = parameter.data.half().float()
        return make(model)

    model, sgd = make_rounded()
    model = fp16_utils.FP16Model(model)
    optimizer = fp16_utils.FP16_Optimizer(sgd, dynamic_loss_scale=True, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x, target in get_batches():
            optimizer.zero_grad()
            optimizer.backward(LOSS(model(x).float(), target))
            optimizer.step()
    expected = [p.detach() for group in optimizer.param_groups for p in group["params"]]
    scale = optimizer.loss_scale

    model, sgd = amp.initialize(*make_rounded(), opt_level="O2", verbosity=0)
    train(model, sgd, get_batches())
    assert are_equal(list(amp.master_params(sgd)), expected)
    assert amp.state_dict()["loss_scaler0"]["loss_scale"] == scale
