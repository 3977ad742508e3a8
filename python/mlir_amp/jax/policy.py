# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which types a loop written by hand keeps, computes in and gives: three names, and the
casts of trees between them. The names and their text are those of DeepMind's jmp.

    policy = Policy.parse("params=float32,compute=float16,output=float32")
    logits = apply(policy.cast_to_compute(params), policy.cast_to_compute(x))
    loss = cross_entropy(policy.cast_to_output(logits), labels)

Casts touch floating arrays only; whole numbers, booleans and keys stay as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from mlir_amp import policy as levels
from mlir_amp.errors import InvalidArgument
from mlir_amp.policy import FloatType

__all__ = ["Policy", "name_types", "select_level"]

Tree = TypeVar("Tree")

_TYPES: Final[dict[str, FloatType]] = {
    "float32": "float32",
    "f32": "float32",
    "full": "float32",
    "float16": "float16",
    "f16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
}
_SCALAR_TYPES: Final = (jnp.float32, jnp.float16, jnp.bfloat16)
_TYPE_PROPERTIES: Final = (
    "cast_model_type",
    "cast_model_outputs",
    "patch_torch_functions_type",
)
_PARTS: Final = {
    "params": "param_dtype",
    "p": "param_dtype",
    "compute": "compute_dtype",
    "c": "compute_dtype",
    "output": "output_dtype",
    "o": "output_dtype",
}


def _refuse(text: str) -> InvalidArgument:
    return InvalidArgument(text, "invalid argument")


def _read_type(text: str, whole: str) -> FloatType:
    found = _TYPES.get(text.strip())
    if found is None:
        raise _refuse(
            f"policy '{whole}': expected one of the types {', '.join(_TYPES)}, but got "
            f"'{text.strip()}'"
        )
    return found


class _NamedType:
    """A type as the library reads it: by the repr that torch.dtype has."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


def name_types(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as :func:`mlir_amp.policy.select` takes them, of those that have types
    of jax.numpy or NumPy, or their names."""

    def name(key: str, value: Any) -> Any:
        scalar = isinstance(value, type) and issubclass(value, np.generic)
        if scalar or isinstance(value, np.dtype):
            return _NamedType(np.dtype(value).name)
        if any(value is known for known in _SCALAR_TYPES):
            return _NamedType(value.dtype.name)
        if key in _TYPE_PROPERTIES and value in _TYPES:
            return _NamedType(_TYPES[value])
        return value

    return {key: name(key, value) for key, value in properties.items()}


def select_level(opt_level: str, properties: Mapping[str, Any]) -> levels.Selection:
    """:func:`mlir_amp.policy.select` with types as :func:`name_types` has them."""
    return levels.select(opt_level, name_types(properties))


def _cast(tree: Tree, dtype: FloatType) -> Tree:
    def cast(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype"):  # a number of Python has the type it meets
            return leaf
        floating = jnp.issubdtype(leaf.dtype, jnp.floating)
        return jnp.asarray(leaf, dtype) if floating else leaf

    return jax.tree.map(cast, tree)


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Policy:
    """Three types; a value that `jax.jit` takes as an argument.

    Attributes:
        param_dtype: Of the parameters that the optimizer updates.
        compute_dtype: Of what the model computes with.
        output_dtype: Of what it gives, and of the loss.

    Raises:
        mlir_amp.InvalidArgument: Another type than float32, float16 and bfloat16.
    """

    param_dtype: FloatType = "float32"
    compute_dtype: FloatType = "float32"
    output_dtype: FloatType = "float32"

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            given = getattr(self, field.name)
            name = given if isinstance(given, str) else jnp.dtype(given).name
            object.__setattr__(self, field.name, _read_type(name, name))

    @staticmethod
    def parse(text: str) -> Policy:
        """A policy from its text.

        Args:
            text: ``"params=float32,compute=float16,output=float32"``, also with ``p``,
                ``c``, ``o``, ``f32``, ``f16``, ``bf16``, ``full`` and ``half`` (float16).
                Without ``params`` they are float32; without ``compute`` it is that of
                the parameters, without ``output`` that of the computation. One type
                alone is all three.

        Returns:
            The policy; its ``str`` is the text again, in full.

        Raises:
            mlir_amp.InvalidArgument: Another part or type, or a part twice.

        Example:
            >>> Policy.parse("p=f32,c=bf16")
            Policy(param_dtype='float32', compute_dtype='bfloat16', output_dtype='bfloat16')
        """
        if "=" not in text:
            one = _read_type(text, text)
            return Policy(one, one, one)
        given: dict[str, FloatType] = {}
        for part in text.split(","):
            key, _, value = part.partition("=")
            name = _PARTS.get(key.strip())
            if name is None or name in given:
                raise _refuse(
                    f"policy '{text}': expected the parts params, compute and output, "
                    f"each once, but got '{key.strip()}'"
                )
            given[name] = _read_type(value, text)
        param = given.get("param_dtype", "float32")
        compute = given.get("compute_dtype", param)
        return Policy(param, compute, given.get("output_dtype", compute))

    @staticmethod
    def for_level(opt_level: str, **properties: Any) -> Policy:
        """The policy that a level comes to, where it casts the whole model.

        Args:
            opt_level: ``"O0"``, ``"O2"``, ``"O3"`` or ``"O5"``.
            **properties: Apex's, as :func:`mlir_amp.policy.select` takes them.

        Returns:
            The policy. It has no exception for batch normalisations, which the levels
            O2 and O5 keep in float32: leave their parameters out of the cast.

        Raises:
            mlir_amp.InvalidArgument: A level that chooses types function by function
                (O1, O4).
            RuntimeError, AssertionError, TypeError, ValueError: As ``policy.select``.

        Example:
            >>> str(Policy.for_level("O2"))
            'params=float32,compute=float16,output=float32'
        """
        selection = select_level(opt_level, properties)
        if selection.function_cast:
            raise _refuse(
                f"expected a level that casts the model, but {opt_level} casts functions "
                "one by one; capture_step does that"
            )
        half = selection.model_cast
        if half is None:
            return Policy()
        masters = selection.properties.master_weights
        output = selection.properties.cast_model_outputs or "float32"
        return Policy("float32" if masters else half, half, output)

    def cast_to_param(self, tree: Tree) -> Tree:
        """The tree with its floating arrays in `param_dtype`."""
        return _cast(tree, self.param_dtype)

    def cast_to_compute(self, tree: Tree) -> Tree:
        """The tree with its floating arrays in `compute_dtype`."""
        return _cast(tree, self.compute_dtype)

    def cast_to_output(self, tree: Tree) -> Tree:
        """The tree with its floating arrays in `output_dtype`."""
        return _cast(tree, self.output_dtype)

    def with_output_dtype(self, dtype: Any) -> Policy:
        """The policy with another `output_dtype`: float32 for a softmax, say."""
        return dataclasses.replace(self, output_dtype=dtype)

    def __str__(self) -> str:
        return (
            f"params={self.param_dtype},compute={self.compute_dtype},"
            f"output={self.output_dtype}"
        )
