# Part of the mlir-amp project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From graphs of ATen operations to programs of this project's compiler.

torch-mlir (``pip install torch-mlir``) turns a graph into MLIR; it is imported when the
first graph is lowered.
"""
