# Part of the mlir-amp project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What training scripts do beside the plain loop: schedulers, sparse gradients,
checkpoints of activations, `out=`, exceptions, parameters that come late, models that
are pickled, traced, normalised, run on several threads."""

import copy
import gc
import io
import threading
import warnings
import weakref

import pytest
import torch
from mlir_amp.torch import amp
from torch.utils.checkpoint import checkpoint

LEVELS = ["O0", "O1", "O2", "O3"]


def begin(level="O1", scale=128.0, model=None, **options):
    """A model whose gradients with ones as input are ones, and SGD with rate 1."""
    if model is None:
        model = torch.nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    return amp.initialize(model, optimizer, opt_level=level, loss_scale=scale, verbosity=0, **options)


def backward(model, optimizer, x=None, **options):
    loss = model(torch.ones(1, 2) if x is None else x).sum()
    with amp.scale_loss(loss, optimizer, **options) as scaled:
        scaled.backward()


def get_grads(optimizer):
    return [p.grad for p in amp.master_params(optimizer)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("is_before", [True, False])
def test_schedulers_before_and_after_initialize(level, is_before):
    model = torch.nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if is_before:
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        amp.initialize(model, optimizer, opt_level=level, loss_scale="dynamic", verbosity=0)
        if not is_before:
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for value in (float("inf"), 1.0):
            backward(model, optimizer, torch.full((1, 2), value))
            optimizer.step()
            scheduler.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01)


@pytest.mark.parametrize(
    "level, scale",
    # At O3 with scale 1, torch itself adds up, and does not know how to in half.
    [
        ("O0", 1.0),
        ("O1", 1.0),
        ("O2", 1.0),
        *((level, 128.0) for level in LEVELS),
        ("O0", "dynamic"),
        ("O1", "dynamic"),
    ],
)
def test_sparse_gradients(level, scale):
    model = torch.nn.Embedding(4, 2, sparse=True)
    model, optimizer = begin(level, scale, model)
    for passes in (1, 2):
        backward(model, optimizer, torch.tensor([1, 1, 2]))
        (grad,) = get_grads(optimizer)
        expected = torch.tensor([0.0, 2.0, 1.0, 0.0]) * passes
        assert torch.equal(grad.to_dense()[:, 0].float(), expected)


class Twice(torch.nn.Module):
    """Remembers the types that its product had, when it was computed again as well."""

    def __init__(self, use_reentrant):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
        self.use_reentrant = use_reentrant
        self.types = []

    def forward(self, x):
        def body(x):
            y = self.fc(x)
            self.types.append(y.dtype)
            return torch.exp(y)

        return checkpoint(body, x, use_reentrant=self.use_reentrant)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpoints_compute_again_in_the_same_types(use_reentrant):
    model, optimizer = begin(model=Twice(use_reentrant))
    backward(model, optimizer, torch.ones(1, 2, requires_grad=True))
    assert model.types == [torch.float16, torch.float16]


def test_backward_of_users_functions_is_cast():
    types = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            types.append(torch.mm(grad, torch.eye(2)).dtype)
            return grad

    begin()
    x = torch.ones(2, 2, requires_grad=True)
    Product.apply(x).sum().backward()
    torch.autograd.grad(Product.apply(x).sum(), x)
    torch.autograd.backward([Product.apply(x).sum()])
    assert types == [torch.float16] * 3


def test_out_gets_the_result():
    begin()
    out = torch.zeros(4, 4)
    assert torch.matmul(torch.ones(4, 4), torch.ones(4, 4), out=out) is out
    assert torch.equal(out, torch.full((4, 4), 4.0))
    half = torch.zeros(2, dtype=torch.float16)
    torch.add(torch.ones(2), torch.ones(2, dtype=torch.float16), out=half)
    assert half.tolist() == [2.0, 2.0]
    empty = torch.empty(0)
    torch.exp(torch.zeros(3, dtype=torch.float16), out=empty)
    assert empty.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("level", LEVELS)
def test_an_exception_leaves_earlier_gradients_as_they_were(level):
    model, optimizer = begin(level)
    backward(model, optimizer)
    with pytest.raises(MemoryError), amp.scale_loss(model(torch.ones(1, 2)).sum(), optimizer) as scaled:
        scaled.backward()
        raise MemoryError
    assert get_grads(optimizer)[0].tolist() == [[1.0, 1.0]]
    backward(model, optimizer)
    assert get_grads(optimizer)[0].tolist() == [[2.0, 2.0]]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("delayed", [False, True])
def test_parameters_that_are_thawed_later(level, delayed):
    model = torch.nn.Linear(2, 1)
    model.weight.requires_grad_(False)
    model, optimizer = begin(level, model=model)
    backward(model, optimizer)
    optimizer.step()
    optimizer.zero_grad()
    model.weight.requires_grad_(True)
    if delayed:
        backward(model, optimizer, delay_unscale=True)
    backward(model, optimizer)
    grads = {p.shape: p.grad for p in amp.master_params(optimizer)}
    assert grads[model.weight.shape].tolist() == [[2.0, 2.0] if delayed else [1.0, 1.0]]


def test_batch_norm_that_is_thawed_at_o2():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    model[1].requires_grad_(False)
    model, optimizer = begin("O2", model=model)
    model[1].requires_grad_(True)
    backward(model, optimizer, torch.randn(4, 2))
    assert model[1].bias.grad.tolist() == [4.0, 4.0]


def test_parameters_appended_to_a_group():
    model, optimizer = begin("O1")
    late = torch.nn.Parameter(torch.zeros(1))
    optimizer.param_groups[0]["params"].append(late)
    with amp.scale_loss(model(torch.ones(1, 2)).sum() + late.sum(), optimizer) as scaled:
        scaled.backward()
    assert late.grad.item() == 1.0


def test_two_optimizers_with_one_parameter():
    model, first = begin("O1")
    second = torch.optim.SGD(model.parameters(), lr=1.0)
    amp.initialize(torch.nn.Linear(1, 1), second, opt_level="O1", loss_scale=128.0, verbosity=0)
    backward(model, [first, second])
    assert model.weight.grad.tolist() == [[1.0, 1.0]]


def test_refuses_two_optimizers_with_one_half_parameter():
    model = torch.nn.Linear(2, 1)
    optimizers = [torch.optim.SGD(model.parameters(), lr=1.0) for _ in range(2)]
    with pytest.raises(RuntimeError, match="is in two optimizers"):
        amp.initialize(model, optimizers, opt_level="O2", verbosity=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_weights_that_are_loaded_during_training_stay(dtype):
    model, optimizer = begin("O2")
    backward(model, optimizer)
    optimizer.step()
    optimizer.zero_grad()
    model.load_state_dict({"weight": torch.full((1, 2), 7.0, dtype=dtype)})
    backward(model, optimizer)
    optimizer.step()
    assert model.weight.tolist() == [[6.0, 6.0]]
    with torch.no_grad():
        model.weight.fill_(3.0)
    optimizer.zero_grad()
    backward(model, optimizer)
    optimizer.step()
    assert model.weight.tolist() == [[2.0, 2.0]]


def test_a_step_ends_casts_of_weights():
    class DataSgd(torch.optim.Optimizer):
        """Updates values behind the version counter, as older optimizers do."""

        def __init__(self, parameters):
            super().__init__(parameters, {})

        def step(self, closure=None):
            for group in self.param_groups:
                for parameter in group["params"]:
                    parameter.data.fill_(2.0)

    model = torch.nn.Linear(2, 1, bias=False)
    model.weight.data.fill_(1.0)
    model, optimizer = amp.initialize(model, DataSgd(model.parameters()), opt_level="O1", verbosity=0)
    assert model(torch.ones(1, 2)).item() == 2.0
    model.weight.grad = torch.zeros(1, 2)
    optimizer.step()
    assert model(torch.ones(1, 2)).item() == 4.0


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_a_refused_group_changes_nothing(level):
    model, optimizer = begin(level)
    with pytest.raises(ValueError, match="more than one parameter group"):
        optimizer.add_param_group({"params": [model.weight]})
    assert len(optimizer.param_groups) == 1
    backward(model, optimizer)
    assert get_grads(optimizer)[0].tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_groups_of_named_parameters(level):
    model, optimizer = begin(level, model=torch.nn.ModuleDict({"a": torch.nn.Linear(2, 1)})["a"])
    extra = torch.nn.Linear(2, 1)
    groups = len(optimizer.param_groups)
    named = torch.optim.SGD(extra.named_parameters(), lr=1.0)
    amp.initialize(torch.nn.Linear(1, 1), named, opt_level=level, loss_scale=128.0, verbosity=0)
    named.add_param_group({"params": [("more", torch.nn.Parameter(torch.zeros(1)))]})
    assert named.param_groups[-1]["param_names"] == ["more"] and len(optimizer.param_groups) == groups


@pytest.mark.parametrize("level", ["O1", "O2"])
def test_refuses_steps_with_scaled_gradients(level):
    model, optimizer = begin(level)
    backward(model, optimizer, delay_unscale=True)
    with pytest.raises(RuntimeError, match="Leave delay_unscale out in the last"):
        optimizer.step()
    backward(model, optimizer)
    optimizer.step()
    with pytest.raises(RuntimeError, match="inside amp.scale_loss"):
        with amp.scale_loss(model(torch.ones(1, 2)).sum(), optimizer) as scaled:
            scaled.backward()
            optimizer.step()
    with pytest.raises(RuntimeError, match="inside another amp.scale_loss"):
        with amp.scale_loss(model(torch.ones(1, 2)).sum(), optimizer):
            backward(model, optimizer)


def test_optimizers_and_models_are_let_go():
    for _ in range(2):
        model, optimizer = begin("O2")
        backward(model, optimizer)
        optimizer.step()
        gone = [weakref.ref(model), weakref.ref(optimizer)]
        del model, optimizer
        gc.collect()
        assert all(reference() is None for reference in gone)


def test_a_refused_initialize_leaves_the_first_one_as_it_was():
    model, optimizer = begin("O1")
    with pytest.raises(RuntimeError, match="^Found param weight with type torch.HalfTensor"):
        amp.initialize(torch.nn.Linear(2, 2).half(), opt_level="O1", verbosity=0)
    assert model(torch.ones(1, 2)).dtype == torch.float16
    backward(model, optimizer)
    assert get_grads(optimizer)[0].tolist() == [[1.0, 1.0]]


def test_warns_where_another_initialize_ends_the_casts():
    begin("O1")
    with pytest.warns(UserWarning, match="ends the casts around functions of an earlier call"):
        begin("O2")


def test_default_devices_may_be_set_around_the_casts():
    try:
        torch.set_default_device("cpu")
        model, _ = begin("O1")
        torch.set_default_device("meta")
        torch.set_default_device("cpu")
        assert model(torch.ones(1, 2)).dtype == torch.float16
    finally:
        torch.set_default_device(None)
    assert model(torch.ones(1, 2)).dtype == torch.float16


# ---- Models ------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_models_are_pickled(level):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)).eval()
    model, optimizer = begin(level, model=model, cast_model_outputs=torch.bfloat16)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    x = torch.ones(3, 2)
    assert torch.equal(loaded(x), model(x)) and loaded(x).dtype == torch.bfloat16
    assert loaded[0].weight.dtype == model[0].weight.dtype
    with torch.no_grad():
        loaded[0].bias.fill_(5.0)
    assert not torch.equal(loaded(x), model(x))


@pytest.mark.parametrize("kind", [torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU])
def test_recurrent_modules_take_half_inputs_by_keyword(kind):
    model = torch.nn.Sequential(kind(2, 2))
    begin("O1", model=model)
    x = torch.ones(3, 1, 2, dtype=torch.float16)
    state = torch.zeros(1, 1, 2, dtype=torch.float16)
    hx = (state, state) if kind is torch.nn.LSTM else state
    by_position, by_keyword = model[0](x, hx)[0], model[0](input=x, hx=hx)[0]
    assert by_keyword.dtype == torch.float16 and torch.equal(by_position, by_keyword)
    with amp.disable_casts(), pytest.raises(ValueError, match="does not match weight dtype"):
        model[0](input=x)


@pytest.mark.parametrize("normalise", [torch.nn.utils.spectral_norm, torch.nn.utils.parametrizations.spectral_norm])
@pytest.mark.parametrize("level", LEVELS)
def test_spectral_norm(normalise, level):
    torch.manual_seed(0)
    model = normalise(torch.nn.Linear(8, 8))
    reference = copy.deepcopy(model)
    model, optimizer = begin(level, 8.0, model)
    x = torch.randn(4, 8)
    for _ in range(20):
        optimizer.zero_grad()
        backward(model, optimizer, x)
        reference(x)
    if level != "O3":
        # Half power iterations find the same norm, within the rounding of their vectors.
        expected = torch.linalg.matrix_norm(reference.weight, 2)
        assert torch.linalg.matrix_norm(model.weight.float(), 2).item() == pytest.approx(expected.item(), rel=1e-2)
    optimizer.step()
    assert torch.isfinite(model(x)).all()


@pytest.mark.parametrize("level", LEVELS)
def test_models_are_traced(level):
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Softmax(-1))
    begin(level, model=model)
    x = torch.randn(2, 3)
    expected = model(x)  # keeps a cast at O1
    traced = torch.jit.trace(model, torch.ones(2, 3))
    assert torch.equal(traced(x), expected)
    with torch.no_grad():
        model[0].bias.add_(torch.tensor([1.0, 0.0, 0.0], dtype=model[0].bias.dtype))
    assert torch.equal(traced(x), model(x)) and not torch.equal(traced(x), expected)


@pytest.mark.parametrize("level", LEVELS)
def test_complex_buffers_stay(level):
    model = torch.nn.Linear(2, 1)
    model.register_buffer("spectrum", torch.tensor([1 + 2j]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begin(level, model=model)
    assert model.spectrum.tolist() == [1 + 2j]
    assert model.weight.dtype == (torch.float16 if level in ("O2", "O3") else torch.float32)


# ---- Threads -----------------------------------------------------------------------


def run_on_thread(function):
    """What `function` returns on a thread of its own, or raises there."""
    outcome = []

    def work():
        try:
            outcome.append((function(), torch._C._len_torch_function_stack()))
        except Exception as error:
            outcome.append((error, torch._C._len_torch_function_stack()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    ((result, modes),) = outcome
    assert modes == 0  # nothing is left on it
    return result


class Noting(torch.nn.Module):
    """Notes the types of its products; calls itself once more, and may fail."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)

    def forward(self, x, again=True, fails=False):
        if again:
            self(x, again=False)
        if fails:
            raise ZeroDivisionError
        return self.fc(x)


@pytest.mark.parametrize("level", LEVELS)
def test_models_run_on_other_threads_as_on_the_first(level):
    model, _ = begin(level, model=Noting())
    x = torch.randn(4, 2)
    result = run_on_thread(lambda: model(x))
    assert torch.equal(result, model(x)) and result.dtype == model(x).dtype
    assert isinstance(run_on_thread(lambda: model(x, fails=True)), ZeroDivisionError)
    assert torch.equal(run_on_thread(lambda: model(x)), result)
    amp.reset()
    if level == "O1":
        assert run_on_thread(lambda: model(x)).dtype == torch.float32


def test_a_reset_during_a_call_leaves_nothing_on_the_thread():
    class Resetting(torch.nn.Module):
        def forward(self, x):
            y = torch.mm(x, x)
            amp.reset()
            return y

    model, _ = amp.initialize(Resetting(), torch.optim.SGD([torch.zeros(1)], lr=1.0), opt_level="O1", verbosity=0)
    assert run_on_thread(lambda: model(torch.eye(2))).dtype == torch.float16
    assert torch.mm(torch.eye(2), torch.eye(2)).dtype == torch.float32  # on the first thread neither
    amp.reset()
    assert torch._C._len_torch_function_stack() == 0


def test_only_models_are_cast_on_other_threads():
    model, _ = begin("O1", model=Noting())
    x = torch.eye(2)
    run_on_thread(lambda: model(x))
    assert run_on_thread(lambda: torch.mm(x, x)).dtype == torch.float32
    assert torch.mm(x, x).dtype == torch.float16


def test_disabled_casts_are_the_threads_own():
    model, _ = begin("O1", model=Noting())
    x = torch.eye(2)
    with amp.disable_casts():
        assert run_on_thread(lambda: model(x)).dtype == torch.float16
        assert model(x).dtype == torch.float32

    def disabled():
        with amp.disable_casts():
            return model(x)

    assert run_on_thread(disabled).dtype == torch.float32


# ---- Steps without backward passes ---------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_refuses_steps_without_backward_passes(level):
    model, optimizer = begin(level, "dynamic" if level == "O1" else 1.0)
    with pytest.raises(RuntimeError, match="without a backward pass: no parameter of this SGD has a gradient"):
        optimizer.step()
    backward(model, optimizer)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    with pytest.raises(RuntimeError, match="do not zero gradients before the step"):
        optimizer.step()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scale", [1.0, 128.0])
def test_steps_of_optimizers_that_a_backward_pass_did_not_reach(level, scale):
    """Of all that are stepped together, some have no part in a loss."""
    model, optimizer = begin(level, scale)
    with amp.scale_loss(torch.ones((), requires_grad=True) * 2, optimizer) as scaled:
        scaled.backward()
    before = model.weight.detach().clone()
    optimizer.step()
    assert torch.equal(model.weight, before)


def test_skipped_steps_and_closures_are_no_steps_without_backward_pass():
    model, optimizer = begin("O1", "dynamic")
    backward(model, optimizer, torch.full((1, 2), float("inf")))
    optimizer.zero_grad(set_to_none=True)
    optimizer.step()
    optimizer.step(lambda: 0.0)
