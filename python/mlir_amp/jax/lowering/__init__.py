# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From functions of JAX to programs of this project's compiler, by the lowering from
StableHLO to linalg that jaxlib carries."""
