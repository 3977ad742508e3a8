# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="amp") against eager PyTorch: losses, gradients, types, and what
happens where a graph has no form for the compiler."""

from __future__ import annotations

import importlib.metadata
import pathlib
import sys
import tomllib
import warnings

import pytest
import torch
from mlir_amp.torch import backend
from mlir_amp.torch.lowering.graph_program import GraphProgram
from torch import nn
from torch._dynamo.exc import BackendCompilerFailed

PROJECT = pathlib.Path(__file__).parents[2] / "pyproject.toml"


pytestmark = pytest.mark.usefixtures("without_fallbacks")


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10), nn.GELU()
    )


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),  # windows overlap
        nn.Conv2d(8, 16, 3, stride=2),
        nn.Flatten(),
        nn.Linear(16, 10),
    )


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=2e-3)


def train(make, optimizer, opt_level=None, steps=20):
    """Losses and parameters; eager without a level."""
    torch.manual_seed(0)
    model = make()
    step = optimizer(model.parameters())
    run = model
    if opt_level:
        run = torch.compile(
            model, backend=backend.amp, options={"opt_level": opt_level}
        )
    losses = []
    for _ in range(steps):
        x, y = torch.randn(16, 1, 8, 8), torch.randint(0, 10, (16,))
        loss = nn.functional.cross_entropy(run(x), y)
        step.zero_grad()
        loss.backward()
        step.step()
        losses.append(loss.item())
    return torch.tensor(losses), model.state_dict()


@pytest.mark.parametrize("make", [mlp, cnn], ids=lambda make: make.__name__)
@pytest.mark.parametrize("optimizer", [sgd, adam], ids=lambda make: make.__name__)
def test_o0_is_eager(make, optimizer) -> None:
    eager, _ = train(make, optimizer)
    losses, state = train(make, optimizer, "O0")
    torch.testing.assert_close(losses, eager, atol=1e-5, rtol=0)
    if make is cnn:
        assert state["1.num_batches_tracked"] == 20  # buffers are updated


@pytest.mark.parametrize("make", [mlp, cnn], ids=lambda make: make.__name__)
@pytest.mark.parametrize("opt_level, atol", [("O1", 0.02), ("O4", 0.1)])
def test_half_levels_train(make, opt_level, atol) -> None:
    eager, _ = train(make, sgd)
    losses, state = train(make, sgd, opt_level)
    torch.testing.assert_close(losses, eager, atol=atol, rtol=0)
    assert not torch.equal(losses, eager)
    floating = [value for value in state.values() if value.is_floating_point()]
    assert {value.dtype for value in floating} == {torch.float32}


def noisy() -> nn.Module:
    return nn.Sequential(
        nn.Dropout2d(0.5),
        nn.Flatten(),
        nn.Linear(64, 32),
        nn.ReLU(),
        nn.Dropout(0.25),
        nn.Linear(32, 10),
    )


@pytest.mark.parametrize("opt_level, atol", [("O0", 1e-5), ("O1", 0.02)])
def test_dropout_is_eager_dropout(opt_level, atol) -> None:
    """The masks are PyTorch's own, from its generator, one of each a step."""
    eager, _ = train(noisy, sgd)
    after = torch.rand(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", backend.FallbackWarning)
        losses, _ = train(noisy, sgd, opt_level)
    torch.testing.assert_close(losses, eager, atol=atol, rtol=0)
    assert torch.equal(torch.rand(3), after)


def test_graphs_that_disagree_on_a_type_are_found(programs) -> None:
    module = nn.Linear(4, 4)
    torch.compile(module, backend=backend.amp, options={"opt_level": "O0"})(
        torch.randn(2, 4)
    )
    with pytest.raises(TypeError, match=r"input 2 .* \[2, 4\] of f32, .* torch.float16"):
        programs[0]._was_called = False
        programs[0]([module.weight, module.bias, torch.randn(2, 4).half()])


def test_what_is_drawn_can_be_an_output() -> None:
    def function(x):
        noise = torch.randn_like(x)
        return x + noise, noise

    compiled = torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})
    x = torch.zeros(4, 3)
    for seed in range(2):
        torch.manual_seed(seed)
        ours = compiled(x)
        torch.manual_seed(seed)
        for one, other in zip(ours, function(x), strict=True):
            assert torch.equal(one, other)


@pytest.fixture
def programs(monkeypatch) -> list[GraphProgram]:
    """What was compiled, in order."""
    made = []
    monkeypatch.setattr(
        backend,
        "GraphProgram",
        lambda *args: made.append(GraphProgram(*args)) or made[-1],
    )
    return made


@pytest.mark.parametrize(
    "opt_level, half", [("O0", None), ("O1", torch.float16), ("O4", torch.bfloat16)]
)
def test_what_is_kept_for_backward_is_half(programs, opt_level, half) -> None:
    model = mlp()
    compiled = torch.compile(
        model, backend=backend.amp, options={"opt_level": opt_level}
    )
    compiled(torch.randn(16, 64)).sum().backward()
    forward, backward = programs
    kept = {value.element for value in forward._function.results[1:]}
    taken = {value.element for value in backward._function.arguments}
    element = {None: None, torch.float16: "f16", torch.bfloat16: "bf16"}[half]
    if half is None:
        assert kept | taken == {"f32"} and not forward.narrowed
    else:
        assert element in kept and element in taken
        assert set(forward.narrowed.values()) == {half}
    # What a user sees is as eager FP32 has it.
    assert forward._function.results[0].element == "f32"
    assert {value.element for value in backward._function.results} == {"f32"}


def test_o1_rounds_as_the_lists_say() -> None:
    """A linear layer in half, a softmax of its result in FP32."""
    x, linear = torch.randn(8, 16), nn.Linear(16, 4, bias=False)
    compiled = torch.compile(
        lambda x: linear(x).softmax(1), backend=backend.amp, options={"opt_level": "O1"}
    )
    product = x.half().float() @ linear.weight.half().float().t()
    expected = product.half().float().softmax(1)
    torch.testing.assert_close(compiled(x), expected, atol=1e-6, rtol=0)


def gradients(module: nn.Module, run, *inputs: torch.Tensor) -> list[torch.Tensor]:
    module.zero_grad()
    output = run(*inputs)
    output = output[0] if isinstance(output, tuple) else output
    output.square().sum().backward()
    return [output.detach(), *(p.grad.clone() for p in module.parameters())]


class CutAndFlipped(nn.Module):
    def forward(self, x):
        return x[:, 1:3, 2:9, 3:8].flip(2).transpose(1, 3)


MODULES = {
    "attention": (
        lambda: nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True),
        lambda: torch.randn(2, 5, 16),
    ),
    "embedding": (
        lambda: nn.Embedding(10, 8, padding_idx=1),
        lambda: torch.tensor([[1, 2], [2, 3]]),
    ),
    "transposed": (
        lambda: nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1),
        lambda: torch.randn(2, 3, 5, 5),
    ),
    "strides": (
        lambda: nn.Conv2d(3, 4, 3, stride=2, padding=1, dilation=2),
        lambda: torch.randn(2, 3, 9, 9).to(memory_format=torch.channels_last),
    ),
    "groups": (
        lambda: nn.Sequential(
            nn.Conv2d(4, 8, 3, groups=2, stride=2), nn.Conv2d(8, 8, 1, groups=4)
        ),
        lambda: torch.randn(2, 4, 9, 8),
    ),
    "transposed groups": (
        lambda: nn.ConvTranspose2d(4, 8, 3, groups=2, stride=2),
        lambda: torch.randn(2, 4, 5, 5),
    ),
    # MLIR's canonicalizer would pad in the wrong place; see mlir_amp.canonical.
    "padded transposed": (
        lambda: nn.Sequential(
            nn.ConstantPad2d((1, 0, 2, 1), 0.0), nn.ConvTranspose2d(2, 3, 3, stride=2)
        ),
        lambda: torch.randn(2, 2, 4, 5),
    ),
    # Heads of filters: slices of what a transposed convolution makes.
    "transposed, cut, flipped": (
        lambda: nn.Sequential(
            nn.ConvTranspose2d(3, 4, 4, stride=3, padding=1, dilation=2), CutAndFlipped()
        ),
        lambda: torch.randn(2, 3, 5, 5),
    ),
    # Depthwise: as mirrored ones, with zeros between (a padding beyond the filter; a
    # stride), and with two filters for a channel.
    "depthwise": (
        lambda: nn.Sequential(
            nn.Conv2d(6, 6, 3, groups=6, dilation=2, padding=2),
            nn.Conv2d(6, 6, 3, groups=6, padding=4),
            nn.Conv2d(6, 6, 3, groups=6, stride=2, padding=1),
            nn.Conv2d(6, 12, 3, groups=6),
        ),
        lambda: torch.randn(2, 6, 9, 8),
    ),
    # Of which torch-mlir's form cut off more than there was: zeros around a filter that
    # strides leave out again, in the gradient of the image and as a layer.
    "padding beyond the filter": (
        lambda: nn.Sequential(
            nn.Conv2d(2, 4, 1),
            nn.Conv2d(4, 4, 1, stride=3, padding=1, groups=2),
            nn.ConvTranspose2d(4, 4, 2, stride=3, padding=2, output_padding=2),
            nn.ConvTranspose2d(4, 2, 1, stride=3, padding=1, output_padding=2, groups=2),
        ),
        lambda: torch.randn(2, 2, 7, 10),
    ),
    # An output's padding of a stride, which dilations allow.
    "output padding of a stride": (
        lambda: nn.Sequential(
            nn.Conv2d(2, 2, 1),
            nn.ConvTranspose2d(2, 2, 3, dilation=2, output_padding=1),
            nn.ConvTranspose2d(2, 2, 3, dilation=2, output_padding=1, groups=2),
        ),
        lambda: torch.randn(1, 2, 5, 5),
    ),
    "norms": (
        lambda: nn.Sequential(nn.GroupNorm(2, 4), nn.LayerNorm(6), nn.SiLU()),
        lambda: torch.randn(3, 4, 6),
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules(name) -> None:
    make, sample = MODULES[name]
    module, x = make(), sample()
    compiled = torch.compile(module, backend=backend.amp, options={"opt_level": "O0"})
    ours, eager = gradients(module, compiled, x), gradients(module, module, x)
    for one, other in zip(ours, eager, strict=True):
        torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-5)
        assert one.stride() == other.stride()


def test_inference_and_outputs_that_are_inputs() -> None:
    def function(x, y):
        return x, x + y, x.clone(), (x + y).clone(), None

    compiled = torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})
    x, y = torch.randn(3), torch.randn(3)
    same, total, copied, again, nothing = compiled(x, y)
    assert same is x and nothing is None
    torch.testing.assert_close(total, x + y)
    total.zero_()
    copied.zero_()
    assert x.any() and again.any()


def test_a_second_size_is_compiled_with_its_reason() -> None:
    model = nn.Linear(4, 2)
    compiled = torch.compile(model, backend=backend.amp, options={"opt_level": "O0"})
    compiled(torch.randn(3, 4))
    for rows in (5, 6):
        x = torch.randn(rows, 4)
        with pytest.warns(backend.RecompileWarning, match=rf"is \[{rows}, 4\]"):
            ours = gradients(model, compiled, x)
        for one, other in zip(ours, gradients(model, model, x), strict=True):
            torch.testing.assert_close(one, other)
    compiled(torch.randn(5, 4))  # is there already


@pytest.mark.parametrize(
    "function, reason",
    [
        (torch.special.bessel_j0, "forward .* no form for 'aten.special_bessel_j0'"),
        (  # of so many elements that each pair is too much
            lambda x: torch.sort(x.repeat(1500))[0],
            "forward .* 'aten.sort.default' has no form",
        ),
        (
            lambda x: x.to(torch.uint8) + x.to(torch.uint8),
            "forward .* computes 8-bit numbers without sign; .* first: x.float",
        ),
        (lambda x: x[torch.randperm(8)], "forward .* 'aten.randperm.* has no form"),
        (lambda x: x.to(torch.complex64).abs(), "forward .* torch.complex64"),
    ],
)
def test_what_has_no_form_runs_in_pytorch(function, reason) -> None:
    compiled = torch.compile(function, backend=backend.amp)
    x = torch.randn(8, requires_grad=True)
    with pytest.warns(backend.FallbackWarning, match=reason):
        torch.manual_seed(1)
        ours = compiled(x)
    torch.manual_seed(1)
    torch.testing.assert_close(ours, function(x))


class Digamma(nn.Module):
    """Adds a function whose gradient has no form."""

    def forward(self, x):
        return x + torch.digamma(x.abs() + 1)


def test_a_backward_graph_falls_back_alone(programs) -> None:
    module = nn.Sequential(nn.Conv2d(4, 8, 3), Digamma(), nn.Conv2d(8, 8, 3))
    compiled = torch.compile(module, backend=backend.amp, options={"opt_level": "O0"})
    x = torch.randn(2, 4, 8, 8)
    with pytest.warns(backend.FallbackWarning, match="the backward graph .*torch-mlir"):
        ours = gradients(module, compiled, x)
    assert len(programs) == 1
    for one, other in zip(ours, gradients(module, module, x), strict=True):
        torch.testing.assert_close(one, other, atol=2e-5, rtol=1e-5)


def test_a_backward_graph_falls_back_on_what_is_half() -> None:
    """It takes what the forward graph kept, which is half at O1."""
    module = nn.Sequential(
        nn.Conv2d(4, 8, 3), nn.ReLU(), Digamma(), nn.Conv2d(8, 8, 3)
    )
    compiled = torch.compile(module, backend=backend.amp, options={"opt_level": "O1"})
    x = torch.randn(2, 4, 8, 8)
    with pytest.warns(backend.FallbackWarning, match="the backward graph"):
        ours = gradients(module, compiled, x)
    for one, other in zip(ours, gradients(module, module, x), strict=True):
        largest = other.abs().max().item()
        torch.testing.assert_close(one, other, atol=0.02 * largest, rtol=0.05)


def test_torch_mlir_is_missing(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch_mlir", None)
    compiled = torch.compile(torch.sin, backend=backend.amp)
    with pytest.warns(backend.FallbackWarning, match="torch-mlir is not installed"):
        torch.testing.assert_close(compiled(torch.ones(2)), torch.ones(2).sin())


def test_the_name_is_known_where_the_package_is_installed() -> None:
    entries = importlib.metadata.entry_points(group="torch_dynamo_backends")
    declared = tomllib.loads(PROJECT.read_text())["project"]["entry-points"]
    assert declared["torch_dynamo_backends"] == {"amp": "mlir_amp.torch.backend:amp"}
    if "amp" in entries.names:
        compiled = torch.compile(torch.sin, backend="amp")
        torch.testing.assert_close(compiled(torch.ones(2)), torch.ones(2).sin())


@pytest.mark.parametrize(
    "options, text",
    [
        ({"opt_level": "O9"}, "Unexpected optimization level O9"),
        ({"level": "O1"}, r"expected the option 'opt_level', but got \['level'\]"),
    ],
)
def test_options(options, text) -> None:
    compiled = torch.compile(torch.sin, backend=backend.amp, options=options)
    with pytest.raises(BackendCompilerFailed, match=text):
        compiled(torch.ones(2))


@pytest.mark.parametrize("level", ["O2", "O3", "O5"])
def test_dropout_of_half_values_is_drawn_as_eager_draws_it(level) -> None:
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(6, 64), nn.Dropout(0.5), nn.Linear(64, 4))
    compiled = torch.compile(module, backend=backend.amp, options={"opt_level": level})
    x = torch.randn(8, 6)
    results = []
    for function in (module, compiled):
        torch.manual_seed(3)
        results.append(function(x))
    # Another mask is another result; half rounds.
    torch.testing.assert_close(results[0], results[1], atol=2e-2, rtol=2e-2)


@pytest.mark.parametrize("level", ["O4", "O5"])
def test_comparisons_of_bfloat16_with_numbers(level) -> None:
    """ReLU's gradient compares with an f64 0, to which values are widened."""
    module = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    compiled = torch.compile(module, backend=backend.amp, options={"opt_level": level})
    x = torch.randn(4, 8)
    for ours, theirs in zip(
        gradients(module, compiled, x), gradients(module, module, x), strict=True
    ):
        torch.testing.assert_close(ours, theirs, atol=5e-2, rtol=5e-2)


def test_numbers_that_vary_with_sizes() -> None:
    compiled = torch.compile(
        lambda x, factor: (x * factor).sum() + factor,
        backend=backend.amp,
        options={"opt_level": "O0"},
    )
    assert compiled(torch.ones(4), 0.5).item() == 2.5
    for size, factor in ((5, 0.75), (6, 1.5), (6, 2.5)):
        with pytest.warns(backend.RecompileWarning, match=f"'l_factor_' is {factor}"):
            result = compiled(torch.ones(size), factor)
        assert result.item() == size * factor + factor
    assert compiled(torch.ones(6), 1.5).item() == 10.5  # compiled before
    divided = torch.compile(
        lambda x, factor: x / factor, backend=backend.amp, options={"opt_level": "O0"}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", backend.RecompileWarning)
        for factor in (1.5, 2.5, 0.0, -0.0):
            given = torch.tensor(factor)
            torch.testing.assert_close(divided(torch.ones(2), factor), torch.ones(2) / given)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: nn.functional.adaptive_avg_pool2d(x, (4, 2)).view(2, -1),
        lambda x: torch.topk(x, 2, dim=1)[0].view(2, -1),
        lambda x: x.kthvalue(2, dim=1)[0].view(2, -1),
        lambda x: torch.cumsum(x, 1).view(2, -1),
    ],
    ids=["pool", "topk", "kth", "sums"],
)
def test_results_have_the_strides_of_eager_ones(function) -> None:
    torch.compile(function, backend=backend.amp, options={"opt_level": "O0"})(
        torch.randn(2, 3, 6, 5)
    )
