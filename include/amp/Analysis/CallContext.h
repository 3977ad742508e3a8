//===- CallContext.h - What a call tells a helper, and back -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function without roles says nothing about its values; its callers do. The
// context of a call is what the decisions about the callee's operations depend
// on: whether the optimizer calls, what the arguments are computed from, and
// where the results go. The flow is what the caller's decisions depend on in
// return. Both stand as `amp.context` on the call and on the callee, between
// `amp-specialize-helpers`, which finds them, and `amp-insert-casts`.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_CALLCONTEXT_H
#define AMP_ANALYSIS_CALLCONTEXT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace mlir::amp {

/// A join semilattice: a set of sources, joined by union.
struct Origins {
  bool param : 1;     ///< a parameter, master or buffer
  bool batchNorm : 1; ///< one of those with kind batch_norm
  bool batch : 1;    ///< the batch, a random state, or an argument without role
  bool seed : 1;     ///< the cotangent of a loss
  bool gradient : 1; ///< a `grad` argument
  /// One of them by way of floating values alone: what is computed from
  /// integers, wherever they come from, is no value of the model's yet.
  bool floating : 1;

  Origins()
      : param(false), batchNorm(false), batch(false), seed(false),
        gradient(false), floating(false) {}
  /// True if that adds a source.
  bool join(Origins other) {
    Origins before = *this;
    param |= other.param;
    batchNorm |= other.batchNorm;
    batch |= other.batch;
    seed |= other.seed;
    gradient |= other.gradient;
    floating |= other.floating;
    return param != before.param || batchNorm != before.batchNorm ||
           batch != before.batch || seed != before.seed ||
           gradient != before.gradient || floating != before.floating;
  }
  /// A weight, or a view of weights.
  bool isParameterOnly() const { return param && !batch && !seed && !gradient; }
  bool isConstant() const { return !param && !batch && !seed && !gradient; }
};

/// Of one argument or result of a call.
struct PassedValue {
  /// Arguments: known before; results: what they are computed from.
  Origins origins;
  /// It was computed by an operation of the model.
  bool inModel = false;
  /// Arguments: the model reads it, and the loss may as well.
  bool modelInput = false;
  /// A forward operation of the model reads it, or what is computed from it.
  bool intoModel = false;
  /// A forward operation outside of the model reads it.
  bool intoLoss = false;
  /// A forward operation reads it.
  bool readForward = false;
  /// Results: returned as a gradient or buffer, and nothing else: no rounding
  /// of the framework's stands there.
  bool isUnrounded = false;
};

struct CallContext {
  /// The optimizer calls: whatever is computed is of its phase.
  bool isOptimizer = false;
  llvm::SmallVector<PassedValue> arguments, results;

  /// That of a call or of a helper; none where there is none, or where it does
  /// not fit the signature.
  static std::optional<CallContext> get(func::CallOp call);
  static std::optional<CallContext> get(FunctionOpInterface function);

  DictionaryAttr getAttr(MLIRContext *context) const;

  /// What distinguishes a copy of the callee: what goes into it.
  std::vector<unsigned> getKey() const;
};

/// Where calls say nothing yet: finds their flows.
class CallFlowSource {
public:
  virtual ~CallFlowSource() = default;
  /// Fills in the origins of the results; false if `call` is of no helper.
  virtual bool findOrigins(func::CallOp call, CallContext &context) = 0;
  /// Fills in the rest of the flow.
  virtual void findFlow(func::CallOp call, CallContext &context) = 0;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_CALLCONTEXT_H
