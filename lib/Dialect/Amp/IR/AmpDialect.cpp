//===- AmpDialect.cpp - Registration and attribute contract of amp --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers operations and attributes, and verifies the discardable attributes
// that make up the contract with front ends: roles on arguments and results,
// origins on operations. Rule numbers are those of the dialect's description.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::amp;

#include "amp/Dialect/Amp/IR/AmpDialect.cpp.inc"

namespace {
/// Operations of the dialect may stand in any function: what they refer to is
/// the module's. What is called in a region of another policy keeps its own.
struct AmpInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *into, Region *, bool, IRMapping &) const final {
    return !isa<AutocastOp>(into->getParentOp());
  }
};
} // namespace

void AmpDialect::initialize() {
  addInterfaces<AmpInliner>();
  addOperations<
#define GET_OP_LIST
#include "amp/Dialect/Amp/IR/AmpOps.cpp.inc"
      >();
  registerAttributes();
}

Operation *AmpDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The name in `known` that is the fewest edits away from `name`.
static StringRef findNearest(StringRef name, ArrayRef<StringRef> known) {
  return *llvm::min_element(known, [&](StringRef a, StringRef b) {
    return name.edit_distance(a) < name.edit_distance(b);
  });
}

/// Discardable attributes that an argument or result may have.
static constexpr StringRef kValueAttrs[] = {kRoleAttr, kNameAttr, kKindAttr,
                                            kOfAttr, kInitAttr};
/// Those that an operation may have and whose values rule 12 checks.
static constexpr StringRef kFlagAttrs[] = {
    kDelayUnscaleAttr, kDelayOverflowCheckAttr, kModelOutputAttr,
    kCastsInsertedAttr, kUpdatesGuardedAttr};
/// On the call of one round of a parallel loop, and on what makes such calls.
static constexpr StringLiteral kParallelAttr = "amp.parallel";
/// The others: origins and decisions, what a step was split at and divided by,
/// and what lowerings write for the programs and kernels that they make.
static constexpr StringRef kOperationAttrs[] = {kScopeAttr,
                                                kScopeIdAttr,
                                                kFunctionAttr,
                                                kLayerAttr,
                                                kPhaseAttr,
                                                kSelfAttr,
                                                kClassAttr,
                                                kPolicyAttr,
                                                kContextAttr,
                                                kGradAttr,
                                                kMicroBatchesAttr,
                                                "amp.signature",
                                                "amp.workspace_bytes",
                                                "amp.scalers",
                                                "amp.kernels",
                                                "amp.cpu",
                                                "amp.least_traffic",
                                                "amp.kernel_traffic",
                                                "amp.least_memory_bound_traffic",
                                                "amp.kernel_memory_bound_traffic",
                                                "amp.expected_seconds",
                                                kParallelAttr,
                                                "amp.contraction",
                                                "amp.launch",
                                                "amp.launches",
                                                "amp.images",
                                                "amp.chip",
                                                "amp.own_memory",
                                                "amp.problem",
                                                "amp.problems",
                                                "amp.epilogue",
                                                "amp.epilogue_outputs",
                                                "amp.cost",
                                                "amp.fusion_group",
                                                "amp.fusion_bytes"};

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Rules 4 and 5: what type a value of this role may have.
static LogicalResult verifyRoleType(Operation *op, Role role, StringRef where,
                                    unsigned index, Type type) {
  auto refuse = [&](StringRef expected) {
    return op->emitOpError() << "expected " << where << " " << index
                             << " with role '" << stringifyRole(role)
                             << "' to be " << expected << ", but got " << type;
  };
  switch (role) {
  case Role::Param:
  case Role::Buffer:
  case Role::Grad:
  case Role::Accumulator:
  case Role::Output:
    if (!isa<RankedTensorType>(type))
      return refuse("a ranked tensor"); // Rule 4
    return success();
  case Role::LossSeed:
  case Role::Loss: {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Type element = tensor ? tensor.getElementType() : Type();
    if (!tensor || tensor.getRank() != 0 ||
        !(element.isF32() || element.isF16() || element.isBF16()))
      return refuse("a rank-0 tensor of f32, f16 or bf16"); // Rule 4
    return success();
  }
  case Role::Master: {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getElementType().isF32())
      return refuse("a ranked f32 tensor"); // Rule 5
    return success();
  }
  case Role::OptState:
  case Role::Batch:
  case Role::ScalerState:
  case Role::Rng:
  case Role::Hyper:
    return success();
  }
  llvm_unreachable("every role is handled");
}

/// Rule 3, of all arguments or results at once, when the first of them that has
/// a name is verified: one by one would take quadratic time.
static LogicalResult verifyNamesDiffer(FunctionOpInterface function,
                                       unsigned index, bool isArg) {
  auto getRole = [&](unsigned value) {
    return isArg ? getArgRole(function, value) : getResultRole(function, value);
  };
  for (unsigned before = 0; before < index; ++before)
    if (!getRole(before).name.empty())
      return success();
  llvm::DenseMap<std::pair<StringRef, unsigned>, unsigned> seen;
  unsigned end = isArg ? function.getNumArguments() : function.getNumResults();
  for (unsigned value = index; value != end; ++value) {
    RoleInfo info = getRole(value);
    if (!info.role)
      continue;
    auto [it, isNew] =
        seen.try_emplace({info.name, static_cast<unsigned>(*info.role)}, value);
    if (!isNew)
      return function->emitOpError()
             << (isArg ? "argument" : "result") << "s " << it->second << " and "
             << value << " share role '" << stringifyRole(*info.role)
             << "' and name '" << info.name << "'";
  }
  return success();
}

/// Rules 1, 2, 3, 6 and 13 for one attribute of an argument (`isArg`) or
/// result.
static LogicalResult verifyValueAttribute(Operation *op, unsigned index,
                                          NamedAttribute attr, bool isArg) {
  StringRef where = isArg ? "argument" : "result";
  StringRef name = attr.getName();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError()
           << "expected '" << name
           << "' on an argument or result of a function"; // Rule 2

  auto text = dyn_cast<StringAttr>(attr.getValue());
  if (!text)
    return op->emitOpError()
           << "expected '" << name << "' of " << where << " " << index
           << " to be a string, but got " << attr.getValue(); // Rule 1
  auto get = [&](StringRef beside) {
    return isArg ? function.getArgAttr(index, beside)
                 : function.getResultAttr(index, beside);
  };

  if (name == kRoleAttr) {
    std::optional<Role> role = parseRole(text.getValue());
    if (!role)
      return op->emitOpError()
             << "unknown role '" << text.getValue() << "' of " << where << " "
             << index
             << "; expected one of param, master, buffer, opt_state, batch, "
                "loss_seed, loss, grad, output, accumulator, scaler_state, rng, "
                "hyper"; // Rule 1
    if (!get(kNameAttr))
      return op->emitOpError() << "expected 'amp.name' beside 'amp.role' of "
                               << where << " " << index; // Rule 2
    Type type = isArg ? function.getArgumentTypes()[index]
                      : function.getResultTypes()[index];
    return verifyRoleType(op, *role, where, index, type);
  }
  if (name == kNameAttr) {
    if (!get(kRoleAttr))
      return op->emitOpError() << "expected 'amp.role' beside 'amp.name' of "
                               << where << " " << index; // Rule 2
    return verifyNamesDiffer(function, index, isArg);
  }
  if (name == kKindAttr) {
    if (text.getValue() != kBatchNormKind)
      return op->emitOpError() << "expected 'amp.kind' of " << where << " "
                               << index << " to be 'batch_norm', but got '"
                               << text.getValue() << "'"; // Rule 6
    auto role = dyn_cast_if_present<StringAttr>(get(kRoleAttr));
    if (!role ||
        !llvm::is_contained({"param", "master", "buffer"}, role.getValue()))
      return op->emitOpError()
             << "expected 'amp.kind' of " << where << " " << index
             << " beside role 'param', 'master' or 'buffer'"; // Rule 6
    return success();
  }
  if (name == kOfAttr) {
    auto role = dyn_cast_if_present<StringAttr>(get(kRoleAttr));
    if (!role || !llvm::is_contained({"opt_state", "buffer"}, role.getValue()))
      return op->emitOpError()
             << "expected 'amp.of' of " << where << " " << index
             << " beside role 'opt_state' or 'buffer'"; // Rule 13
    return success();
  }
  if (name == kInitAttr)
    return success(); // read by amp-run, which knows its grammar
  return op->emitOpError()
         << "unknown attribute '" << name << "' of " << where << " " << index
         << "; expected amp.role, amp.name, amp.kind, amp.of or amp.init; did you mean '"
         << findNearest(name, kValueAttrs) << "'?"; // Rule 11
}

LogicalResult AmpDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attr) {
  return verifyValueAttribute(op, argIndex, attr, /*isArg=*/true);
}

LogicalResult AmpDialect::verifyRegionResultAttribute(Operation *op,
                                                      unsigned regionIndex,
                                                      unsigned resultIndex,
                                                      NamedAttribute attr) {
  return verifyValueAttribute(op, resultIndex, attr, /*isArg=*/false);
}

//===----------------------------------------------------------------------===//
// Origins and decisions
//===----------------------------------------------------------------------===//

/// Rule 14: what carries the attribute `name`, in words; empty where any
/// operation may, or where `op` does.
static StringRef getOtherPlace(Operation *op, StringRef name) {
  bool isCall = isa<CallOpInterface>(op);
  bool isFunction = isa<FunctionOpInterface>(op);
  if (name == kPolicyAttr)
    return isa<ModuleOp>(op)
               ? ""
               : "a module; a region with a policy of its own is an amp.autocast";
  if (name == kCastsInsertedAttr)
    return isa<ModuleOp>(op) ? "" : "a module";
  if (name == kMicroBatchesAttr || name == kUpdatesGuardedAttr)
    return isFunction ? "" : "a function";
  if (name == kDelayUnscaleAttr || name == kDelayOverflowCheckAttr)
    return isCall ? "" : "the call of a function with a loss seed";
  if (name == kContextAttr || name == kParallelAttr)
    return isCall || isFunction ? "" : "a function or a call";
  if (name == kModelOutputAttr)
    return op->getNumResults() != 0 ? "" : "an operation with a result";
  return "";
}

/// The part of rule 8 that is about `amp.context`.
static bool isContext(Attribute attr) {
  auto context = dyn_cast<DictionaryAttr>(attr);
  auto areStrings = [&](StringRef key) {
    auto texts = context.getAs<ArrayAttr>(key);
    return texts && llvm::all_of(texts, llvm::IsaPred<StringAttr>);
  };
  return context && areStrings("arguments") && areStrings("results");
}

/// The part of rule 8 that is about `amp.signature`.
static bool isSignature(Attribute attr) {
  auto signature = dyn_cast<DictionaryAttr>(attr);
  if (!signature)
    return false;
  auto isListOrAbsent = [&](StringRef key) {
    auto values = signature.getAs<ArrayAttr>(key);
    return values ? llvm::all_of(values, llvm::IsaPred<DictionaryAttr>)
                  : !signature.contains(key);
  };
  Attribute kind = signature.get("kind");
  return (!kind || isa<StringAttr>(kind)) && isListOrAbsent("arguments") &&
         isListOrAbsent("results");
}

LogicalResult AmpDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  StringRef name = attr.getName();
  auto expect = [&](bool holds, StringRef expected) -> LogicalResult {
    if (holds)
      return success();
    return op->emitOpError() << "expected '" << name << "' to be " << expected
                             << ", but got " << attr.getValue();
  };
  if (name == kRoleAttr || name == kNameAttr || name == kKindAttr ||
      name == kOfAttr)
    return op->emitOpError()
           << "expected '" << name
           << "' on an argument or result of a function"; // Rule 2
  if (StringRef place = getOtherPlace(op, name); !place.empty())
    return op->emitOpError()
           << "expected '" << name << "' on " << place; // Rule 14
  // Rule 7
  if (name == kScopeAttr || name == kFunctionAttr || name == kLayerAttr)
    return expect(isa<StringAttr>(attr.getValue()), "a string");
  if (name == kPhaseAttr) {
    auto text = dyn_cast<StringAttr>(attr.getValue());
    return expect(text &&
                      llvm::is_contained({"forward", "backward", "optimizer"},
                                         text.getValue()),
                  "\"forward\", \"backward\" or \"optimizer\"");
  }
  if (name == kScopeIdAttr) {
    auto number = dyn_cast<IntegerAttr>(attr.getValue());
    return expect(number && number.getType().isSignlessInteger(64), "an i64");
  }
  // Rule 8
  if (name == kPolicyAttr)
    return expect(isa<PolicyAttr>(attr.getValue()), "a #amp.policy");
  if (name == kClassAttr)
    return expect(isa<ClassAttr>(attr.getValue()), "a #amp.class");
  if (name == kContextAttr)
    return expect(isContext(attr.getValue()),
                  "a dictionary with 'arguments' and 'results', arrays of "
                  "strings, as amp-specialize-helpers writes it");
  if (name == "amp.signature")
    return expect(isSignature(attr.getValue()),
                  "a dictionary, of which 'kind' is a string, and 'arguments' "
                  "and 'results' are arrays of dictionaries, as "
                  "amp-mark-entry-points writes it");
  if (name == kSelfAttr) { // Rule 9
    auto number = dyn_cast<IntegerAttr>(attr.getValue());
    return expect(
        number && number.getType().isSignlessInteger(64) &&
            number.getValue().ult(op->getNumOperands()) &&
            isa<RankedTensorType>(op->getOperand(number.getInt()).getType()),
        "the number (i64) of an operand that is a ranked tensor");
  }
  if (name == kMicroBatchesAttr) { // Rule 10
    auto number = dyn_cast<IntegerAttr>(attr.getValue());
    return expect(number && number.getType().isSignlessInteger(64) &&
                      number.getInt() >= 1,
                  "an i64 of at least 1");
  }
  if (name == kGradAttr) { // Rule 15
    auto names = dyn_cast<ArrayAttr>(attr.getValue());
    return expect(names && names.size() == op->getNumResults() &&
                      llvm::all_of(names, llvm::IsaPred<StringAttr>),
                  ("an array of " + Twine(op->getNumResults()) +
                   " strings, one for each result (empty for one that is no "
                   "gradient)")
                      .str());
  }
  if (name == kParallelAttr) // Rule 12
    return expect(isa<UnitAttr>(attr.getValue()), "a unit attribute");
  if (llvm::is_contained(kFlagAttrs, name)) // Rule 12
    return expect(isa<UnitAttr, BoolAttr>(attr.getValue()),
                  "a unit attribute, true or false");
  if (llvm::is_contained(kOperationAttrs, name))
    return success();
  SmallVector<StringRef> known(std::begin(kOperationAttrs),
                               std::end(kOperationAttrs));
  llvm::append_range(known, kFlagAttrs);
  return op->emitOpError() << "unknown attribute '" << name
                           << "'; did you mean '" << findNearest(name, known)
                           << "'?"; // Rule 11
}
