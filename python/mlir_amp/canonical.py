"""MLIR's canonicalizer without what it gets wrong.

Programs of PyTorch and JAX pass through the canonicalizers of torch-mlir, jaxlib and
this project. MLIR 22's has a pattern that makes ``insert_slice(pad(x), fill)`` an
insertion of ``x`` and forgets the strides of the insertion: a padded tensor in front of a
transposed convolution lies shifted then. Another makes a loop whose tensor shrinks carry
one that does not, and one gives a masked sum over an extent of 1 the elements that are
masked off.
"""

__all__ = ["CANONICALIZE", "without_wrong_patterns"]

# As Clang and as GCC spell the name of an anonymous namespace.
_SPELLINGS = ("{anonymous}::", "(anonymous namespace)::")
_WRONG = (
    "FoldInsertPadIntoFill",
    "ForOpTensorCastFolder",
    "ElideUnitDimsInMultiDimReduction",
)
_OPTION = "disable-patterns={%s}" % ",".join(
    spelling + name for name in _WRONG for spelling in _SPELLINGS
)

#: The pass, as pipelines name it.
CANONICALIZE = f"canonicalize{{{_OPTION}}}"


def without_wrong_patterns(pipeline: str) -> str:
    """Leaves these patterns out of each canonicalizer of a pipeline.

    Args:
        pipeline: As MLIR prints one: with the options of each pass.

    Returns:
        The pipeline, to be parsed.
    """
    return pipeline.replace("canonicalize{", f"canonicalize{{{_OPTION} ")
