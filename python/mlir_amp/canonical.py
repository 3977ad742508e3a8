"""MLIR's canonicalizer without what it gets wrong.

Programs of PyTorch and JAX pass through the canonicalizers of torch-mlir, jaxlib and
this project. MLIR 22's has a pattern that makes ``insert_slice(pad(x), fill)`` an
insertion of ``x`` and forgets the strides of the insertion: a padded tensor in front of a
transposed convolution lies shifted then.
"""

__all__ = ["CANONICALIZE", "without_wrong_patterns"]

# As Clang and as GCC spell the name of an anonymous namespace.
_OPTION = (
    "disable-patterns={{anonymous}::FoldInsertPadIntoFill,"
    "(anonymous namespace)::FoldInsertPadIntoFill}"
)

#: The pass, as pipelines name it.
CANONICALIZE = f"canonicalize{{{_OPTION}}}"


def without_wrong_patterns(pipeline: str) -> str:
    """Leaves the pattern out of each canonicalizer of a pipeline.

    Args:
        pipeline: As MLIR prints one: with the options of each pass.

    Returns:
        The pipeline, to be parsed.
    """
    return pipeline.replace("canonicalize{", f"canonicalize{{{_OPTION} ")
