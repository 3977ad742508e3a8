# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Levels and properties against every combination that was recorded from Apex
(properties.csv) and from ROCm's fork (properties_rocm.csv): outcome, error text
and resulting properties, through ``mlir_amp.policy``. Then the lists against
o1_ops.csv, and what only Python has."""

from __future__ import annotations

import ast
import dataclasses
import re

import oracles
import pytest
from mlir_amp import _native, policy

ARGUMENTS = (
    "cast_model_type",
    "patch_torch_functions",
    "patch_torch_functions_type",
    "keep_batchnorm_fp32",
    "master_weights",
    "loss_scale",
)


class DType:
    """Stands for a torch.dtype: policy looks at nothing but its repr."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return "torch." + self.name


def value_of(cell: str) -> object:
    """The Python value that a cell of the tables spells."""
    if cell in ("float16", "bfloat16", "float32", "float64"):
        return DType(cell)
    return ast.literal_eval(cell)


def run(row: dict[str, str]) -> policy.Selection | str:
    """The selection of a row, or the error as a traceback ends."""
    given = {name: value_of(row[name]) for name in ARGUMENTS if name in row}
    try:
        return policy.select(row["opt_level"], given)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def spell(selection: policy.Selection) -> dict[str, str]:
    """The result columns of a row, as the tables spell them."""
    properties = selection.properties
    model = selection.model_cast or "float32"
    batch_norm = "float32" if properties.keep_batchnorm_fp32 else model
    return {
        "p_cast_model_type": str(properties.cast_model_type),
        "p_patch_torch_functions": str(properties.patch_torch_functions),
        "p_patch_torch_functions_type": str(properties.patch_torch_functions_type),
        "p_keep_batchnorm_fp32": str(properties.keep_batchnorm_fp32),
        "p_master_weights": str(properties.master_weights),
        "p_loss_scale": repr(properties.loss_scale),
        "model_dtypes": f"fc:{model} bn:{batch_norm}",
    }


def compare(row: dict[str, str], error: str | None) -> str | None:
    """What differs in a row, or None. `error`: the text that is expected."""
    outcome = run(row)
    if isinstance(outcome, str):
        agrees = row["outcome"] == "rejected" and outcome == error
        return None if agrees else f"{row}: got {outcome!r}, expected {error!r}"
    if row["outcome"] != "accepted":
        return f"{row}: accepted"
    for column, spelled in spell(outcome).items():
        if column in row and row[column] != spelled:
            return f"{row}: {column} is {spelled}"
    return None


def test_every_row_of_apex() -> None:
    errors = oracles.read_object("properties_texts.json")["errors"]
    rows = oracles.read_table("properties.csv")
    assert len(rows) == 3600
    differing = [compare(row, errors.get(row["error_id"])) for row in rows]
    assert list(filter(None, differing)) == []


def word_rocm_error(identifier: str, level: str, apex: dict[str, str]) -> str | None:
    """ROCm's error in our words: Apex's own text at O0 to O3, and at O4 and O5
    that text with the level put in."""
    apex_level = level < "O4"
    if identifier == "E0":
        return apex["E1"] if apex_level else apex["E1"].replace("O1", "O4")
    if identifier in ("E1", "E2"):
        text = apex["E2" if identifier == "E1" else "E3"]
        return text if apex_level else text.replace("O1", "O4")
    if identifier == "E3":
        return (
            "RuntimeError: patch_torch_functions_type should only be set to "
            "torch.bfloat16 for opt_level='O4'."
        )
    if identifier in ("E4", "E5"):
        text = apex["E4"].rsplit(" ", 1)[0]
        if not apex_level:
            text = text.replace("O1", "O4")
            text = text.replace("'O2' or 'O3'", "'O2', 'O3' or 'O5'")
        return text + (" torch.float16" if identifier == "E4" else " torch.bfloat16")
    if identifier == "E6":
        return (
            "RuntimeError: Currently, patch_torch_functions_type should only be "
            "set by selecting opt_level='O1' or 'O4'."
        )
    if identifier == "E7":
        return (
            apex["E0"]
            if apex_level
            else apex["E0"].replace("opt_level='O1'", "opt_level='O1' or 'O4'")
        )
    if identifier == "E8":
        return (
            "RuntimeError: patch_torch_functions_type should only be set to "
            "torch.float16 for opt_level='O1'."
        )
    assert identifier == ""
    return None


def test_every_row_of_rocm() -> None:
    apex = oracles.read_object("properties_texts.json")["errors"]
    rows = oracles.read_table("properties_rocm.csv")
    assert len(rows) == 3022
    differing = [
        compare(row, word_rocm_error(row["error_id"], row["opt_level"], apex))
        for row in rows
    ]
    assert list(filter(None, differing)) == []


@pytest.mark.parametrize(
    "recorded, level, given",
    [
        ("print-O0", "O0", {}),
        ("print-O1", "O1", {}),
        ("print-O2", "O2", {}),
        ("print-O3", "O3", {}),
        ("print-O1-128", "O1", {"loss_scale": 128.0}),
        ("print-O2-kbnFalse", "O2", {"keep_batchnorm_fp32": False}),
        ("enabled-False", "O2", {"enabled": False}),
    ],
)
def test_text_is_what_apex_prints(recorded: str, level: str, given: dict) -> None:
    special = oracles.read_object("special_cases.json")
    printed = oracles.case(special, recorded)["printed"]
    assert policy.select(level, given).text == printed


@pytest.mark.parametrize(
    "level, given, error",
    [
        ("O9", {}, RuntimeError),
        (None, {}, RuntimeError),
        ("O1", {"master_weights": True}, RuntimeError),
        ("O2", {"keep_batchnorm_fp32": 1}, AssertionError),
        ("O2", {"loss_scale": DType("float16")}, TypeError),
        ("O2", {"loss_scale": "junk"}, ValueError),
        ("O2", {"loss_scale": 0}, ValueError),
        ("O2", {"fused_optimizer": True}, ValueError),
        ("O2\0", {}, ValueError),
    ],
)
def test_exceptions_are_those_of_apex(level, given, error) -> None:
    with pytest.raises(Exception) as caught:
        policy.select(level, given)
    assert type(caught.value) is error


def test_strings_are_taken_as_they_are() -> None:
    for text in ("it's", 'a "quoted" one', "\\", "a\nb", "None", " "):
        with pytest.raises(ValueError) as expected:
            float(text)
        with pytest.raises(ValueError) as caught:
            policy.select("O2", loss_scale=text)
        assert str(caught.value) == str(expected.value)


def test_keywords_win_over_the_mapping() -> None:
    selection = policy.select("O2", {"loss_scale": 2.0}, loss_scale=4.0)
    assert selection.properties.loss_scale == selection.initial_scale == 4.0


def test_selection_is_frozen() -> None:
    selection = policy.select("O1")
    assert selection.defaults == selection.properties
    assert selection.properties.opt_level == "O1"
    assert selection.function_cast == "float16" and selection.model_cast is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        selection.properties.opt_level = "O2"  # type: ignore[misc]


def test_none_and_false_stay_apart() -> None:
    selection = policy.select("O2", cast_model_type=False)
    assert selection.properties.cast_model_type is False
    assert policy.select("O1").properties.cast_model_type is None
    assert policy.select("O5").properties.patch_torch_functions is None


def test_floor() -> None:
    properties = policy.select("O2", min_loss_scale=1).properties
    assert properties.min_loss_scale == 1.0
    assert policy.select("O2").properties.min_loss_scale is None


def test_remarks() -> None:
    assert policy.select("O2").remarks == ()
    (remark,) = policy.select("O3", max_loss_scale=128.0).remarks
    assert remark.startswith("'max_loss_scale' 128.0 has no effect")


# ----------------------------------------------------------------------------
# Lists
# ----------------------------------------------------------------------------

NAMESPACES = {
    "functional": "torch.nn.functional.",
    "torch": "torch.",
    "tensor": "torch.Tensor.",
}

LISTED = {
    "FP16": ("half", None),
    "FP32": ("float32", None),
    "CASTS": ("promote", None),
    "SEQUENCE_CASTS": ("sequence-promote", None),
    "BANNED": ("banned", None),
    "none": None,
    "FP16 (in place)": ("half", "match-self"),
    "FP32 (in place)": ("float32", "refuse-half"),
    "CASTS (in place)": ("promote", "match-self"),
}


def test_every_listed_function_of_apex() -> None:
    rows = oracles.read_table("o1_ops.csv")
    assert len(rows) == 898
    recorded = set()
    for row in rows:
        function = NAMESPACES[row["namespace"]] + row["function"].partition("@")[0]
        recorded.add(function)
        expected = LISTED[row["apex_list"]]
        if row["apex_list"] == "FP32 (in place)" and row["namespace"] == "tensor":
            expected = ("float32", "refuse-half-self")
        # torch functions of the FP16 list are not wrapped in place.
        if row["apex_list"] == "FP16 (in place)" and row["namespace"] != "tensor":
            expected = None
        # Listed as CASTS, but computed by reciprocal, which is FP32.
        if function in ("torch.Tensor.__rdiv__", "torch.Tensor.__rtruediv__"):
            expected = ("float32", None)
        # The name under which `a - b` (__sub__, CASTS) arrives.
        if function == "torch.Tensor.sub":
            expected = ("promote", None)
        entry = policy.lookup(function)
        assert (entry and (entry.list_class, entry.in_place)) == expected, row
    # And no other name is Apex's, but for the RNN functions, which stand in
    # another table, and in-place forms that torch does not have.
    for function in policy.listed_functions():
        if function.origin == "apex" and function.name not in recorded:
            is_rnn = re.search(r"\.(rnn_\w+|gru|lstm)(_cell)?$", function.name)
            assert function.in_place or is_rnn, function


def test_listed_functions_are_each_looked_up_by_their_name() -> None:
    functions = policy.listed_functions()
    assert len({function.name for function in functions}) == len(functions) > 300
    for name, *entry in functions:
        assert policy.lookup(name) == tuple(entry)
    assert ("torch.Tensor.add_", "promote", "match-self", "apex") in functions
    assert policy.ListedFunction("lax.exp", "float32", None, "ours") in functions


def test_near_misses() -> None:
    for name in ("torch.softmax", "torch.nn.functional.relu", "linear", "", "torch."):
        assert policy.lookup(name) is None
        assert policy.refusal(name) is None


def test_bfloat16_lists_are_shorter() -> None:
    names = [function.name for function in policy.listed_functions()]
    assert {name for name in names if policy.lookup(name, "bfloat16") is None} >= {
        "torch.prelu",
        "torch.bmm",
        "torch.addbmm",
        "torch.baddbmm",
    }


def test_refusals() -> None:
    assert (
        policy.refusal("torch.exp_")
        == "Cannot call in-place function exp_ with fp16 arguments."
    )
    assert "bfloat16" in (policy.refusal("torch.exp_", "bfloat16") or "")
    banned = policy.refusal("torch.nn.functional.binary_cross_entropy")
    assert banned is not None and banned.startswith("\n")
    assert policy.refusal("torch.exp") is None


def test_half_type_is_checked() -> None:
    for call in (policy.lookup, policy.refusal):
        with pytest.raises(ValueError, match="expected 'half' to be 'float16' or"):
            call("torch.exp", "float32")  # type: ignore[arg-type]


def test_losses_and_type_of_self() -> None:
    assert policy.is_loss("torch.nn.functional.huber_loss")
    assert not policy.is_loss("torch.nn.functional.linear")
    assert policy.keeps_type_of_self("torch.Tensor.sub_")
    assert not policy.keeps_type_of_self("torch.Tensor.sub")


def test_native_select_reads_reprs() -> None:
    selection = _native.select("O2", {"loss_scale": "'dynamic'"})
    assert selection.properties["loss_scale"] == "dynamic"
