//===- ProgramSignature.h - What a program says of itself -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes that carry a program's signature through the host lowering, from
// the passes that know it to amp-describe-program, which turns it into data of
// the compiled module (amp-rt/Program.h). They are all that is left of the
// contract once roles are stripped.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PROGRAM_PROGRAMSIGNATURE_H
#define AMP_PROGRAM_PROGRAMSIGNATURE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::amp {

/// On an entry point: {kind, arguments, results}; `kind` is
/// "train_step", "evaluate" or "other", the others are lists of {type, role,
/// name, kind, init} with the texts of the contract's attributes. A result that
/// may have an argument's memory says `overwrites`, its number.
constexpr llvm::StringLiteral kSignatureAttr = "amp.signature";
/// Whether the signature of `function`, if it has one, says that it is a train
/// step.
inline bool isTrainStep(Operation *function) {
  auto signature = function->getAttrOfType<DictionaryAttr>(kSignatureAttr);
  auto kind = signature ? signature.getAs<StringAttr>("kind") : StringAttr();
  return kind && kind == "train_step";
}
/// On an entry point: bytes that it allocates besides its results.
constexpr llvm::StringLiteral kWorkspaceAttr = "amp.workspace_bytes";
/// On the module: the attributes of its scalers, in the order of declaration.
constexpr llvm::StringLiteral kScalersAttr = "amp.scalers";
/// On the module: {name, what, source, operations, bytes} of the kernels, by
/// the number with which they say when they begin and end
/// (amp-profile-kernels).
constexpr llvm::StringLiteral kKernelsAttr = "amp.kernels";
/// On the module: {cpu, features, tile_features, versions}: what LLVM calls the
/// CPU that it is compiled for, the features that its code needs
/// (amp-rt/Cpu.h), those that it needs too if it has AMX's tiles, and how many
/// other versions of the program stand before it, as `ampProgram.ampVersion0`
/// and so on.
constexpr llvm::StringLiteral kCpuAttr = "amp.cpu";
/// What the symbols of a version before the last one of a program end with.
inline std::string getVersionSuffix(int64_t number) {
  return ".ampVersion" + std::to_string(number);
}
/// On the module: {kernel: amp.launch} of each module of kernels
/// (amp-record-launches).
constexpr llvm::StringLiteral kLaunchesAttr = "amp.launches";
/// On the module: the image of each module of kernels, and the chip that they
/// are for, empty for the emulator (amp-embed-kernels).
constexpr llvm::StringLiteral kImagesAttr = "amp.images";
constexpr llvm::StringLiteral kChipAttr = "amp.chip";
/// On the module: bytes that a train step has to move however it is fused, and
/// those that its kernels move (amp-count-least-traffic,
/// amp-count-kernel-traffic, for a device amp-count-launch-traffic). For who
/// compiles; a program does not keep them.
constexpr llvm::StringLiteral kLeastTrafficAttr = "amp.least_traffic";
constexpr llvm::StringLiteral kKernelTrafficAttr = "amp.kernel_traffic";
/// Of both, the bytes that no contraction has to read or write; of kernels for
/// a device alone.
constexpr llvm::StringLiteral kLeastMemoryBoundAttr =
    "amp.least_memory_bound_traffic";
constexpr llvm::StringLiteral kKernelMemoryBoundAttr =
    "amp.kernel_memory_bound_traffic";
/// On the module: seconds that a train step is expected to take on the chip
/// that its kernels are for, by a model (amp-estimate-step). As before.
constexpr llvm::StringLiteral kExpectedSecondsAttr = "amp.expected_seconds";

} // namespace mlir::amp

#endif // AMP_PROGRAM_PROGRAMSIGNATURE_H
