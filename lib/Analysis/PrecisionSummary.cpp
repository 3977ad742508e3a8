//===- PrecisionSummary.cpp - What was decided, in numbers ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk. Only the functions that a train step runs are counted; an evaluate
// function repeats the model.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/PrecisionSummary.h"

#include "amp/Analysis/ComputeKind.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Support/Quantities.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static int64_t getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
}

PrecisionSummary::PrecisionSummary(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    FunctionKind kind = getFunctionKind(function);
    if (kind == FunctionKind::Evaluate)
      continue;
    if (kind == FunctionKind::TrainStep)
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
        masters += getArgRole(function, i).is(Role::Master);
    function->walk([&](Operation *op) {
      if (isa<CastOp, MasterCopyOp>(op)) {
        ++casts;
        castBytes += getBytes(op->getResult(0).getType());
      }
      auto cls = op->getAttrOfType<ClassAttr>(kClassAttr);
      if (!cls)
        return;
      ComputeKind compute = getComputeKind(op);
      if (compute == ComputeKind::Contraction) {
        ++contractions;
        halfContractions +=
            !getElementTypeOrSelf(op->getOperand(0).getType()).isF32();
      }
      // A half transpose is no longer an f32 operation, so its kind cannot be
      // asked for; its reason can.
      StringRef reason = cls.getReason() ? cls.getReason().getValue() : "";
      if (reason != "moves elements")
        ++classes[{stringifyPrecisionClass(cls.getValue()).str(),
                   reason.str()}];
    });
  }
  scalers = llvm::range_size(module.getOps<ScalerOp>());
}

void PrecisionSummary::print(llvm::raw_ostream &os) const {
  if (classes.empty())
    return;
  os << "Decided:\n";
  for (const auto &[key, count] : classes)
    os << llvm::formatv("  {0,5} operations {1,-7} : {2}\n", count, key.first,
                        key.second);
  os << llvm::formatv(
      "  {0} of {1} contractions take half operands; {2} casts write "
      "{3} a step\n",
      halfContractions, contractions, casts, formatBytes(castBytes));
  if (masters || scalers)
    os << llvm::formatv("  {0} master weights, {1} loss scaler{2}\n", masters,
                        scalers, scalers == 1 ? "" : "s");
}
