//===- KernelOptions.h - Options that passes for kernels share --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options that the passes for products and for convolutions have in common:
// texts become types, tiles, chips and epilogues. What does not fit is an error
// at the module that names the option and what it can be; no option is ever
// taken for another.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_MODULES_KERNELOPTIONS_H
#define AMP_LIB_KERNELS_MODULES_KERNELOPTIONS_H

#include "amp/Kernels/GemmConfig.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

class KernelOptions {
public:
  explicit KernelOptions(ModuleOp module) : module(module) {}

  /// "expected 'option' to be ..., but got 'value'"
  InFlightDiagnostic refuse(StringRef option, StringRef expected,
                            StringRef value);

  LogicalResult readType(StringRef option, StringRef text, Type &type);
  /// `count` numbers with an 'x' between them, or with `separator`.
  LogicalResult readNumbers(StringRef option, StringRef form, StringRef text,
                            char separator, ArrayRef<int64_t *> numbers);
  /// The options that every kernel with a main loop has.
  struct Config {
    StringRef chip, tile;
    int64_t stages, cluster, splitK, rasterGroup;
  };
  /// All of `config` but how matrices are read and written, for operands of
  /// this type.
  LogicalResult readConfig(const Config &options, Type operand,
                           GemmConfig &config);
  /// `text` names a function of the module, or none.
  FailureOr<GemmEpilogue> readEpilogue(StringRef text, Type result);
  /// The name of the kernel's module is new.
  LogicalResult verifyName(StringRef name);

private:
  LogicalResult readChip(StringRef text, Type operand, GemmConfig &config);
  LogicalResult readTile(StringRef text, GemmConfig &config);

  ModuleOp module;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_MODULES_KERNELOPTIONS_H
