# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX itself hands to LAPACK, to libraries of Fourier transforms and to Python: refused
before it is lowered, by the name that it has in JAX and the line that asks for it."""

from __future__ import annotations

from typing import Any

from jax import lax
from jax._src import callback, core, debugging, source_info_util

from mlir_amp.errors import NotLowered

__all__ = ["check"]

# Primitives of jax.lax.linalg; jax.numpy.linalg's functions are made of these.
_LAPACK = (
    "cholesky",
    "cholesky_update",
    "eig",
    "eigh",
    "hessenberg",
    "householder_product",
    "lu",
    "ormqr",
    "qr",
    "schur",
    "svd",
    "triangular_solve",
    "tridiagonal",
    "tridiagonal_solve",
)


# By primitive: its name, and what it is.
_REASONS = {
    **{
        getattr(lax.linalg, f"{name}_p"): (
            f"lax.linalg.{name}",
            "is a routine of LAPACK",
        )
        for name in _LAPACK
    },
    lax.fft_p: ("lax.fft", "is a library's Fourier transform"),
    **{
        primitive: (name, "is a function of Python's")
        for primitive, name in (
            (debugging.debug_print_p, "jax.debug.print"),
            (debugging.debug_callback_p, "jax.debug.callback"),
            (callback.io_callback_p, "jax.experimental.io_callback"),
            (callback.pure_callback_p, "jax.pure_callback"),
        )
    },
}


def check(jaxpr: Any, outer: Any = None) -> None:
    """Refuses what no compiled step can call.

    Args:
        jaxpr: Of a function that was traced.
        outer: The line that calls it: JAX's own functions, which it traces once for all
            that call them, know of none.

    Raises:
        NotLowered: There is such a primitive in it, or in a function inside of it.
    """
    for equation in jaxpr.eqns:
        frame = source_info_util.user_frame(equation.source_info.traceback) or outer
        if equation.primitive in _REASONS:
            name, reason = _REASONS[equation.primitive]
            place = f" ({frame.file_name}:{frame.start_line})" if frame else ""
            raise NotLowered(
                f"'{name}'{place} {reason}, which a compiled step cannot call; "
                "compute it outside of the step and give it as a part of the batch or "
                "as a buffer"
            )
        for inner in core.jaxprs_in_params(equation.params):
            check(inner, frame)
