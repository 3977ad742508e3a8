# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What writes by index is a loop over its updates: results and gradients beside eager
PyTorch, of every type, at edges, and of sizes at which comparing each index with each
place would be refused."""

from __future__ import annotations

import copy
import itertools
import re
import warnings
from unittest import mock

import mlir_amp
import pytest
import torch
from cases import cases
from forms import compare
from mlir_amp import compiler
from mlir_amp.errors import RecompileWarning
from mlir_amp.torch import amp, backend
from mlir_amp.torch.lowering import pasted_loops
from torch import nn

F = nn.functional
aten = torch.ops.aten

pytestmark = pytest.mark.usefixtures("without_fallbacks")


def compiled(function, opt_level="O0"):
    return torch.compile(
        function, backend=backend.amp, options={"opt_level": opt_level}
    )


TWICE = torch.tensor([1, 3, 1, -2])
PLACES = torch.tensor([1, 3, 1, 2])
NONE = torch.zeros(0, dtype=torch.int64)
ONE = torch.tensor(2)


def put(indices, accumulate=True):
    """`index_put` of the square of what is read there, as a function of x."""

    def function(x):
        return aten.index_put(x, indices, x[: len(indices[-1])].sum() * 2, accumulate)

    return function


# Of a tensor of shape [4, 5, 6].
FORMS = {
    "rows": lambda x: x[TWICE],
    "middle": lambda x: x[:, TWICE],
    "last": lambda x: x[:, :, TWICE],
    "apart": lambda x: x[TWICE, :, PLACES],
    "broadcast": lambda x: x[:, TWICE.reshape(4, 1), PLACES],
    "int32": lambda x: x[TWICE.int(), PLACES.int()],
    "two-types": lambda x: aten.index(x, [TWICE.int(), PLACES]),
    "ranks": lambda x: aten.index(x, [TWICE, PLACES.reshape(1, 4), PLACES[:1]]),
    "number": lambda x: aten.index(x, [None, ONE]),
    "put-rows": put([TWICE]),
    "put-apart": put([TWICE, None, PLACES]),
    "put-apart-last": put([TWICE, None, PLACES], False),
    "put-broadcast": put([None, TWICE.reshape(4, 1), PLACES]),
    "put-none": put([None, NONE]),
    "put-number": put([None, ONE.reshape(1)], False),
    "take": lambda x: x.take(TWICE.reshape(2, 2) * 10),
    "take-number": lambda x: x.flatten().take(ONE),
    "put-elements": lambda x: x.put(TWICE, x[0, 0, :4], accumulate=True),
    "put-last": lambda x: x.put(TWICE, x[0, 0, :4]),
    "index-add": lambda x: x.index_add(1, PLACES, x[:, 1:] * 2, alpha=3),
    "index-add-int32": lambda x: x.index_add(1, PLACES.int(), x[:, 1:] * 2),
    "index-add-none": lambda x: x.index_add(1, NONE, x[:, :0]),
    "index-copy": lambda x: x.index_copy(2, PLACES, x[..., :4] * 2),
    "index-fill": lambda x: x.index_fill(1, TWICE, 2.0),
    "gather": lambda x: x.gather(1, PLACES.reshape(2, 2, 1)),
    "gather-expanded": lambda x: x.gather(1, PLACES.reshape(1, 4, 1).expand(4, 4, 6)),
    "gather-partly": lambda x: x.gather(1, PLACES.reshape(1, 4, 1).expand(3, 4, 6)),
    "gather-number": lambda x: x.sum().gather(0, ONE - 2),
    "scatter": lambda x: x.scatter(1, PLACES.reshape(2, 2, 1), x[:2, :2, :1]),
    "scatter-expanded": lambda x: x.scatter(
        1, PLACES.reshape(1, 4, 1).expand(4, 4, 6), x[:, 1:] * 2
    ),
    "scatter-add-partly": lambda x: x.scatter_add(
        -1, PLACES.reshape(1, 1, 4).expand(4, 2, 4), x[:, 1:3, 2:] * 2
    ),
    "scatter-none": lambda x: x.scatter_add(0, NONE.reshape(0, 1, 1), x[:0, :1, :1]),
    "scatter-number": lambda x: x.sum().scatter_add(0, ONE - 2, x.mean()),
    "one-by-one": lambda x: x.index_add(0, PLACES, x).index_add(1, TWICE.abs(), x[:, :4]),
    "of-another": lambda x: x.index_add(0, PLACES, x.index_add(0, PLACES, x).sin()),
}


@pytest.mark.parametrize("name", FORMS)
def test_results_and_gradients(name) -> None:
    compare(FORMS[name], torch.randn(4, 5, 6))


WRITES = {
    "put": lambda x, y: aten.index_put(x, [TWICE, PLACES], y[0, :4], False),
    "put-rows": lambda x, y: aten.index_put(x, [TWICE], y, False),
    "put-sum": lambda x, y: aten.index_put(x, [TWICE, PLACES], y[0, :4], True),
    "put-sum-rows": lambda x, y: aten.index_put(x, [TWICE], y, True),
    "scatter": lambda x, y: x.scatter(1, PLACES.reshape(4, 1), y),
    "scatter-value": lambda x, y: x.scatter(1, PLACES.reshape(4, 1), 1),
    "scatter-add": lambda x, y: x.scatter_add(1, PLACES.reshape(2, 2), y),
    "index-copy": lambda x, y: x.index_copy(0, PLACES, y),
}
TYPES = [
    *(torch.float64, torch.float32, torch.bfloat16, torch.float16),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.bool),
]


def data(dtype, *shape):
    values = torch.randint(-100, 100, shape)
    return values > 0 if dtype == torch.bool else values.to(dtype)


@pytest.mark.parametrize(
    "dtype, name",
    cases(
        [(dtype, name) for dtype in TYPES for name in WRITES],
        [(dtype, "put-sum-rows") for dtype in TYPES]
        + [(dtype, "scatter") for dtype in TYPES],
    ),
)
def test_types(dtype, name) -> None:
    """Whole numbers, so that sums are exact; of 8 bits they wrap."""
    x, y = data(dtype, 4, 5), data(dtype, 4, 5)
    ours, theirs = compiled(WRITES[name])(x, y), WRITES[name](x, y)
    torch.testing.assert_close(ours, theirs, atol=0, rtol=0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sums_of_halves_are_rounded_once(dtype) -> None:
    """256 + 1 + 1 + ... is 256 in bfloat16 where each sum is rounded."""
    start = 256.0 if dtype == torch.bfloat16 else 2048.0
    x, ones = torch.full((2, 3), start, dtype=dtype), torch.ones(8, 3, dtype=dtype)
    index = torch.ones(8, dtype=torch.int64)
    found = compiled(lambda x, y: x.index_add(0, index, y))(x, ones)
    expected = torch.tensor([[start] * 3, [start + 8] * 3], dtype=dtype)
    torch.testing.assert_close(found, expected, atol=0, rtol=0)


def test_the_last_of_several_counts() -> None:
    index = torch.tensor([0, 2, 0, 0, 2])
    write = compiled(lambda x, y: aten.index_put(x, [index], y))
    y = torch.randn(5, 3)
    found = write(torch.zeros(3, 3), y)
    torch.testing.assert_close(found, torch.stack([y[3], torch.zeros(3), y[4]]))


@pytest.mark.parametrize("width", [1, 3])
def test_sums_have_the_order_of_the_updates(width) -> None:
    """2^24 + 1 - 2^24 is 0 in this order, and 1 in others."""
    parts = torch.tensor([2.0**24, 1.0, -(2.0**24)]).reshape(3, 1).expand(3, width)
    index = torch.zeros(3, dtype=torch.int64)
    found = compiled(lambda x, y: x.index_add(0, index, y))(torch.zeros(2, width), parts)
    assert not found.any()


def test_an_index_that_is_expanded_and_one_that_is_not() -> None:
    """An expanded one names whole rows; another one of its shape does not."""
    add = compiled(lambda x, i, y: x.scatter_add(0, i, y))
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    rows, single = PLACES.reshape(4, 1).expand(4, 3), torch.randint(4, (4, 3))
    for index in (rows, single, rows):
        with warnings.catch_warnings(action="ignore", category=RecompileWarning):
            found = add(x, index, y)
        torch.testing.assert_close(found, x.scatter_add(0, index, y))


def test_a_step_of_an_index_that_is_expanded_and_one_that_is_not() -> None:
    model = nn.Linear(3, 3)
    twin = copy.deepcopy(model)
    loss = lambda model, x, i: x.scatter_add(0, i, model(x)).pow(2).mean()
    step = amp.compile_step(model, loss, torch.optim.SGD(model.parameters(), 0.1), "O0")
    x = torch.randn(4, 3)
    for index in (PLACES.reshape(4, 1).expand(4, 3), torch.randint(4, (4, 3))):
        torch.testing.assert_close(step(x, index), loss(twin, x, index).detach())
        twin.load_state_dict(model.state_dict())


REDUCTIONS = ["sum", "prod", "mean", "amax", "amin"]
# Of a tensor of shape [4, 5, 6].
PLACES_OF_EACH = torch.randint(4, (7, 5, 6), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_reductions(reduce, include_self) -> None:
    """Whole numbers among them, so that several are the largest and share a gradient."""
    options = {"reduce": reduce, "include_self": include_self}
    part, rows = PLACES_OF_EACH[:3, :2, 1:], PLACES.reshape(1, 1, 4).expand(4, 5, 4)

    def function(x):
        source = x[:1] * 2 + torch.arange(-3, 4).reshape(7, 1, 1)
        return (
            x.scatter_reduce(0, PLACES_OF_EACH, source, **options),
            x.scatter_reduce(0, part, source[:3, :2, 1:], **options),
            x.scatter_reduce(2, rows, x[..., 2:] * 2, **options),
            x.sum().scatter_reduce(0, ONE - 2, x.mean(), **options),
        )

    compare(function, torch.randn(4, 5, 6), torch.randn(4, 5, 6).round())


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", [name for name in REDUCTIONS if name != "sum"])
def test_reductions_of_rows(reduce, include_self) -> None:
    options = {"reduce": reduce, "include_self": include_self}

    def function(x):
        return (
            x.index_reduce(0, PLACES, x * 2, **options),
            x.index_reduce(-1, PLACES, x[:, :, 2:] * 2, **options),
        )

    compare(function, torch.randn(4, 5, 6))


@pytest.mark.parametrize(
    "dtype, reduce, include_self",
    cases(
        list(itertools.product(TYPES[:-1], REDUCTIONS, [True, False])),
        [(dtype, "mean", False) for dtype in TYPES[:-1]]
        + [(dtype, "amax", False) for dtype in (torch.bfloat16, torch.int8)],
    ),
)
def test_reductions_of_types(dtype, reduce, include_self) -> None:
    """Means of integers are rounded downwards; a place that nothing reaches stays."""
    x, y = data(dtype, 4, 5), data(dtype, 9, 5)
    if reduce == "prod":
        x, y = x % 3, y % 3
    index = torch.tensor([0, 1, 1, 3, 3, 3, 1, 0, 3]).reshape(9, 1).expand(9, 5)
    function = lambda x, y: x.scatter_reduce(0, index, y, reduce, include_self=include_self)
    torch.testing.assert_close(compiled(function)(x, y), function(x, y), atol=0, rtol=0)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
def test_reductions_of_booleans(reduce, include_self) -> None:
    x, y = data(torch.bool, 4, 5), data(torch.bool, 9, 5)
    index = torch.tensor([0, 1, 1, 3, 3, 3, 1, 0, 3]).reshape(9, 1).expand(9, 5)
    function = lambda x, y: x.scatter_reduce(0, index, y, reduce, include_self=include_self)
    torch.testing.assert_close(compiled(function)(x, y), function(x, y))


def test_means_of_many_bytes() -> None:
    """There are more than their type can count."""
    x, index = torch.ones(300, dtype=torch.int8), torch.zeros(300, dtype=torch.int64)
    function = lambda x: x[:2].scatter_reduce(0, index, x, "mean", include_self=False)
    torch.testing.assert_close(compiled(function)(x), function(x))


def test_reductions_of_nothing() -> None:
    """PyTorch has no gradient of it."""
    x = torch.randn(3, 4)
    index = NONE.reshape(0, 1)
    none = compiled(lambda x: x.scatter_reduce(0, index, x[:0, :1], "amax"))
    torch.testing.assert_close(none(x), x, atol=0, rtol=0)


def test_maxima_with_nan() -> None:
    x = torch.tensor([1.0, torch.nan, -torch.inf, 4.0])
    y = torch.tensor([torch.nan, 0.0, -torch.inf, 9.0])
    index = torch.tensor([0, 1, 2, 3])
    for reduce in ("amax", "amin"):
        function = lambda x: x.scatter_reduce(0, index, y, reduce)
        torch.testing.assert_close(compiled(function)(x), function(x), equal_nan=True)


def test_places_of_reductions_are_checked() -> None:
    index = torch.tensor([0, 4])
    take = compiled(lambda x, i: x.scatter_reduce(0, i, x[:2], "amax"))
    with pytest.raises(Exception, match="index"):
        take(torch.randn(4), index)


EMBEDDINGS = {
    "plain": {},
    "padding": {"padding_idx": 1},
    "padding-from-the-end": {"padding_idx": -6},
    "frequency": {"scale_grad_by_freq": True},
    "both": {"padding_idx": 1, "scale_grad_by_freq": True},
}


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("name", EMBEDDINGS)
def test_embeddings(name, width) -> None:
    options = EMBEDDINGS[name]
    for index in (PLACES, PLACES.reshape(2, 2).int(), ONE, NONE):
        compare(lambda w: F.embedding(index, w, **options), torch.randn(7, width))


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_infinite_gradients_of_embeddings(name) -> None:
    """They stay in their rows, and a padding row has none."""
    gradients = []
    for run in (compiled(F.embedding), F.embedding):
        weight = torch.ones(7, 3, requires_grad=True)
        found = run(PLACES, weight, **EMBEDDINGS[name])
        scale = torch.tensor([torch.inf, 1.0, 2.0, -torch.inf]).reshape(4, 1)
        found.backward(scale.expand(4, 3))
        gradients.append(weight.grad)
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_with_empty_ones_and_padding(mode) -> None:
    offsets = torch.tensor([0, 2, 2, 5])
    index = torch.tensor([1, 3, 1, 2, 1, 6, 0])
    options = {"mode": mode, "padding_idx": 1}
    compare(lambda w: F.embedding_bag(index, w, offsets, **options), torch.randn(7, 3))


def test_many_rows() -> None:
    """Beyond 2^26 pairs of an index and a place, times the columns."""
    size, count = 20_000, 5_000
    index, rows = torch.randint(size, (count,)), torch.randn(count, 3)
    torch._dynamo.reset()
    for function in (
        lambda x: x.index_add(0, index, rows),
        lambda x: x[index] * rows,
        lambda x: F.embedding(index, x) * rows,
        lambda x: x.gather(0, index.reshape(-1, 1).expand(count, 3)) * rows,
        lambda x: x.gather(0, index.reshape(-1, 1).repeat(1, 3)) * rows,
    ):
        compare(function, torch.randn(size, 3))


def test_masks_are_no_places() -> None:
    """Bytes that index are masks, which no graph has a size for."""
    x = torch.randn(3, 2)
    mask = torch.tensor([1, 0, 1], dtype=torch.bool)
    compare(lambda x: x.index_put((mask,), torch.tensor(2.0)), x)


@pytest.mark.parametrize("opt_level", ["O0", "O1", "O2", "O5"])
@pytest.mark.parametrize("width", [1, 8])
def test_levels(opt_level, width) -> None:
    """Sums of 64 gradients in f32: a half weight's is rounded once, and those that are
    summed were rounded, each within 2^-8 (bfloat16) of itself."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(5, width)
            self.out = nn.Linear(width, 1)

        def forward(self, index):
            return self.out(self.table(index))

    torch.manual_seed(0)
    model = Model()
    twin = copy.deepcopy(model)
    loss = lambda model, i, y: F.mse_loss(model(i).float(), y)
    step = amp.compile_step(
        *(model, loss, torch.optim.SGD(model.parameters(), 1.0), opt_level),
        loss_scale=128.0,
    )
    index, y = torch.arange(64) % 4, torch.randn(64, 1)
    step(index, y)
    loss(twin, index, y).backward()
    found = twin.table.weight - model.table.weight
    expected = twin.table.weight.grad
    tolerance = 1e-6 if opt_level == "O0" else 6 * 2.0**-8 * float(expected.abs().max())
    torch.testing.assert_close(found.detach(), expected, atol=tolerance, rtol=0)
    assert not found[4].any()


def lowered(function, *inputs) -> str:
    """The text of a function as the compiler gets it."""
    texts = []
    compile_for_host = compiler.compile_for_host

    def keep(source, *rest, **options):
        texts.append(source)
        return compile_for_host(source, *rest, **options)

    torch._dynamo.reset()
    with mock.patch.object(compiler, "compile_for_host", side_effect=keep):
        compiled(function)(*inputs)
    (text,) = texts
    return text


def test_loops_have_origins_and_no_constants() -> None:
    zeros = lambda x: torch.zeros(9, 3).index_add(0, PLACES, x)
    text = lowered(zeros, torch.randn(4, 3))
    assert text.count("scf.for") == 1
    (added,) = [line for line in text.split("\n") if "tensor<1x3xf32>) attrs" in line]
    assert 'amp.scope = "aten.index_add"' in added and "amp.phase" in added
    (start,) = re.findall(r"iter_args\(%\w+ = (%\w+)\)", text)
    assert f"{start} = linalg.fill" in text


def test_expanded_indices_name_rows() -> None:
    """One update a row, not one an element."""
    index = PLACES.reshape(4, 1)
    rows = lowered(lambda x: x.scatter_add(0, index.expand(4, 3), x), torch.randn(4, 3))
    assert "extract_slice" in rows
    single = lowered(lambda x: x.scatter_add(0, index.repeat(1, 3), x), torch.randn(4, 3))
    assert "extract_slice" not in single and "tensor.insert " in single


def test_a_wrong_index_of_a_later_scatter_changes_nothing() -> None:
    """Each loop waits for the assertion on its own indices."""

    def function(x, i, j):
        first = torch.zeros(4, 3).index_add(0, i, x)
        return first.index_add(0, j, first * 2)

    run = compiled(function)
    x = torch.randn(4, 3)
    torch.testing.assert_close(run(x, PLACES, PLACES), function(x, PLACES, PLACES))
    wrong = torch.tensor([0, 1, 10**12, 2])
    for indices in ((wrong, PLACES), (PLACES, wrong), (PLACES, -wrong)):
        with pytest.raises(mlir_amp.RuntimeFault, match="index out of range"):
            run(x, *indices)


def test_order() -> None:
    """What needs a later one comes behind it, the others stay; a loop waits for those
    assertions that need no loop, or an earlier one."""
    assert pasted_loops._sorted([[3], [], [0], [1]]) == [1, 3, 0, 2]
    assert pasted_loops._sorted([[], [], []]) == [0, 1, 2]
    # 0 and 1 are assertions, on what loop 2 and loop 3 give; 4 is one on neither.
    needed = [[2], [3], [], [], []]
    pasted_loops._wait_for_asserts(needed, [0, 1, 4], [2, 3])
    assert needed == [[2], [3], [4], [0, 4], []]


@pytest.mark.parametrize("name", ["index-add", "scatter", "put-last"])
def test_graphs_that_pytorch_runs(name) -> None:
    """What a rule makes is an operation of eager PyTorch, too."""
    function = lambda x: torch.special.bessel_j0(FORMS[name](x))
    x = torch.randn(4, 5, 6)
    with warnings.catch_warnings(action="ignore", category=backend.FallbackWarning):
        found = compiled(function)(x)
    torch.testing.assert_close(found, function(x))
