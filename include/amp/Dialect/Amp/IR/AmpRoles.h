//===- AmpRoles.h - Roles and origins of values and operations --*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between front ends and passes: which attributes say what a value
// is for and where an operation came from, and which functions follow from
// them. A function is recognised by its roles, never by its name.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPROLES_H
#define AMP_DIALECT_AMP_IR_AMPROLES_H

#include "mlir/IR/Attributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mlir::amp {

// Attributes of arguments and results.
constexpr llvm::StringLiteral kRoleAttr = "amp.role";
constexpr llvm::StringLiteral kNameAttr = "amp.name";
constexpr llvm::StringLiteral kKindAttr = "amp.kind";
constexpr llvm::StringLiteral kInitAttr = "amp.init";
constexpr llvm::StringLiteral kOfAttr = "amp.of";
/// The only value of `amp.kind`.
constexpr llvm::StringLiteral kBatchNormKind = "batch_norm";

// Attributes of operations: their origin.
constexpr llvm::StringLiteral kScopeAttr = "amp.scope";
constexpr llvm::StringLiteral kScopeIdAttr = "amp.scope_id";
constexpr llvm::StringLiteral kFunctionAttr = "amp.function";
constexpr llvm::StringLiteral kLayerAttr = "amp.layer";
constexpr llvm::StringLiteral kPhaseAttr = "amp.phase";
constexpr llvm::StringLiteral kSelfAttr = "amp.self";

// Attributes that passes write.
constexpr llvm::StringLiteral kClassAttr = "amp.class";
constexpr llvm::StringLiteral kPolicyAttr = "amp.policy";
/// On the module: amp-insert-casts has run. What it left cannot be told from an
/// FP32 program with casts of its own, so a second run must know.
constexpr llvm::StringLiteral kCastsInsertedAttr = "amp.casts_inserted";
/// On an operation: its result is the model's output, whatever the analysis
/// would say.
constexpr llvm::StringLiteral kModelOutputAttr = "amp.model_output";
/// On a helper and the calls of it: what the one tells the other (CallContext).
constexpr llvm::StringLiteral kContextAttr = "amp.context";
/// On a call with a loss seed, Apex's arguments of the same names: its
/// gradients stay scaled; its overflow is left to the scaler's next unscaling.
constexpr llvm::StringLiteral kDelayUnscaleAttr = "amp.delay_unscale";
constexpr llvm::StringLiteral kDelayOverflowCheckAttr =
    "amp.delay_overflow_check";
/// On a train step: its batch has been divided by so many.
constexpr llvm::StringLiteral kMicroBatchesAttr = "amp.micro_batches";
/// On a train step: its updates have been guarded against overflows.
constexpr llvm::StringLiteral kUpdatesGuardedAttr = "amp.updates_guarded";
/// On an operation of a fused train step: the names of the parameters whose
/// gradients its results are.
constexpr llvm::StringLiteral kGradAttr = "amp.grad";

/// True if `op` has the flag `name`: a unit attribute, or `true`.
bool isFlagSet(Operation *op, StringRef name);

/// What a value is for.
enum class Role {
  Param,
  Master,
  Buffer,
  OptState,
  Batch,
  LossSeed,
  Loss,
  Grad,
  Output,
  Accumulator,
  ScalerState,
  Rng,
  Hyper,
};

std::optional<Role> parseRole(StringRef text);
StringRef stringifyRole(Role role);

/// A value's role, name and kind as its attributes have them, and what it is
/// of.
struct RoleInfo {
  std::optional<Role> role;
  StringRef name;
  bool isBatchNorm = false;
  /// The parameter that a state belongs to; empty: no parameter.
  std::optional<StringRef> of = std::nullopt;

  bool is(Role other) const { return role == other; }
};

/// Role of argument or result `index`; empty where it has none.
RoleInfo getArgRole(FunctionOpInterface function, unsigned index);
RoleInfo getResultRole(FunctionOpInterface function, unsigned index);

/// The arguments of a function by role and name. For those who ask about each
/// of many: reading every argument's role again for each of them takes time
/// that grows with the square of their number. Valid while the arguments, their
/// roles and names stay.
class ArgumentIndex {
public:
  explicit ArgumentIndex(FunctionOpInterface function);

  /// Numbers of the arguments with this role and name, in order.
  llvm::ArrayRef<unsigned> find(std::optional<Role> role, StringRef name) const;

private:
  llvm::DenseMap<std::pair<int, StringRef>, llvm::SmallVector<unsigned, 1>>
      numbers;
};

/// Attribute dictionary for an argument or result with this role.
DictionaryAttr getRoleAttrs(MLIRContext *context, Role role, StringRef name,
                            bool isBatchNorm = false);

/// What a function is, by its roles.
enum class FunctionKind {
  ForwardBackward, ///< `loss_seed` argument, `grad` results
  Forward,         ///< `loss` result, neither seed nor gradients
  OptimizerStep,   ///< `grad` arguments, `param` (or `master`) results
  TrainStep,       ///< `loss_seed` argument, `param` results
  Evaluate,        ///< `param` and `batch` arguments, `output` result
  Other,           ///< no roles, or none of the above
};
FunctionKind getFunctionKind(FunctionOpInterface function);

/// True if any argument or result has a role.
bool hasRoles(FunctionOpInterface function);

enum class Phase { Forward, Backward, Optimizer };

/// `amp.phase`, where it is given and known.
std::optional<Phase> getPhase(Operation *op);

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_IR_AMPROLES_H
