//===- AmpDialect.h - The amp dialect ---------------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect, attributes and operations. The names of the attributes that make up
// the contract between front ends and passes stand here, once.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPDIALECT_H
#define AMP_DIALECT_AMP_IR_AMPDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "amp/Dialect/Amp/IR/AmpDialect.h.inc"
#include "amp/Dialect/Amp/IR/AmpEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/Amp/IR/AmpAttributes.h.inc"

namespace mlir::amp {

/// Side-effect resource of all loss scalers.
struct ScalerStateResource
    : public SideEffects::Resource::Base<ScalerStateResource> {
  StringRef getName() final { return "amp.scaler_state"; }
};

/// Side-effect resource of taps.
struct TapResource : public SideEffects::Resource::Base<TapResource> {
  StringRef getName() final { return "amp.tap"; }
};

/// What a host is to be told.
struct ReportResource : public SideEffects::Resource::Base<ReportResource> {
  StringRef getName() final { return "amp.report"; }
};

} // namespace mlir::amp

#define GET_OP_CLASSES
#include "amp/Dialect/Amp/IR/AmpOps.h.inc"

namespace mlir::amp {

/// The memory that the kernels of `module` take, in the order of their
/// arguments: the name of each pointer or tensor map, and bytes. Reads
/// `amp.launch` of its functions, or `amp.launches` of the module around it if
/// it was compiled. Empty if it has no kernels.
SmallVector<std::pair<StringRef, int64_t>> getKernelMemory(Operation *module);

/// Names of operands that the kernels of `module` do not read in a step that is
/// not skipped.
SmallVector<StringRef> getConditionalMemory(Operation *module);

/// On the module of a contraction's kernels: names of the arguments that are the
/// contraction's own, and not of what is computed along with it.
constexpr llvm::StringLiteral kContractionAttr = "amp.contraction";

/// Bytes that the kernels of a module access of an argument, for those of which
/// it is said: the rest lies between the matrices that they read or write.
llvm::StringMap<int64_t> getAccessedBytes(Operation *module);

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_IR_AMPDIALECT_H
