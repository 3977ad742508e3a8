//===- UnmarkedGradients.cpp - Gradients that nobody named ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Degrees are computed as if the seed were scaled. From a new parameter
// backwards, the first values met that carry the scale are where it enters the
// update: the gradient itself (w - g), a multiple (w - rate * g), or several
// things made of it (Adam's 0.1 * g and g * g). Several are replaced, the last
// one in the program first, by what they are computed from, until one value of
// degree 1 is left; one that is computed from another of them is left out. Only
// values of the parameter's type count, there as well: a gradient norm brings
// the scale in too, but it is computed from gradients, and becomes right with
// them; amp-split-train-step refuses what does not. Through such a norm
// gradients of other parameters are reached, so it is followed only where
// values of the parameter's type alone lead to none.
//
// Where none of that type is met, as in an update of flattened or wider
// numbers, values of as many elements count. What they view or widen is
// followed back, to a value of the parameter's type if there is one.
//
// A multiple by what depends on no data, a rate, is the update's: the backward
// pass would compute it in half.
//
// Linear in operations and uses, for each parameter the operations of its own
// update, and for a scalar that is clipped by a norm those from its gradient to
// the norm.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/UnmarkedGradients.h"

#include "amp/Analysis/ValueOrigins.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class GradientFinder {
public:
  GradientFinder(func::FuncOp step, const ScaleDegreeAnalysis &degrees)
      : step(step), degrees(degrees), origins(step) {}

  /// The gradient in the update of parameter `name` to `updated`; null if the
  /// seed does not reach it.
  FailureOr<UnmarkedGradient> find(StringRef name, Value updated);

private:
  const ScaleDegree &getDegree(Value value) const {
    return degrees.getTable()[degrees.lookup(value)];
  }
  bool isScaled(Value value) const {
    const ScaleDegree &degree = getDegree(value);
    return degree.kind == ScaleDegree::Known && !degree.form.isZero();
  }
  bool isMadeUnknown(Value value) const;
  /// True if `value` may stand for a gradient of the type of `updated`.
  bool fits(Value value, Value updated) const;
  FailureOr<llvm::SetVector<Value>> findEntries(StringRef name, Value updated,
                                                bool throughItsTypeOnly);
  Value getViewed(Value value) const;
  Value getMultiplied(Value value) const;
  LogicalResult refuse(StringRef name, Value first, Value second);

  func::FuncOp step;
  const ScaleDegreeAnalysis &degrees;
  ValueOrigins origins;
  /// As many elements are enough.
  bool anyShape = false;
};
} // namespace

bool GradientFinder::fits(Value value, Value updated) const {
  if (value.getType() == updated.getType() || !anyShape)
    return value.getType() == updated.getType();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto expected = dyn_cast<RankedTensorType>(updated.getType());
  return type && expected && isa<FloatType>(type.getElementType()) &&
         type.hasStaticShape() && expected.hasStaticShape() &&
         type.getNumElements() == expected.getNumElements();
}

/// The scaled value that `value` shows in another shape, or in a wider type.
Value GradientFinder::getViewed(Value value) const {
  Operation *def = value.getDefiningOp();
  if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                       tensor::CastOp, tensor::ReshapeOp, arith::ExtFOp>(def))
    return {};
  Value viewed = def->getOperand(0);
  return getDegree(viewed).isOnce() ? viewed : Value();
}

/// True if `value` is what an operation that the analysis does not know makes
/// of a scaled one: it may be the backward pass.
bool GradientFinder::isMadeUnknown(Value value) const {
  const ScaleDegree &degree = getDegree(value);
  if (degree.kind != ScaleDegree::Undecided)
    return false;
  const DegreeCause &cause = degrees.getTable().getCause(degree.cause);
  return cause.op == value.getDefiningOp() && cause.calls.empty() &&
         (cause.fault == DegreeFault::Unknown ||
          cause.fault == DegreeFault::Memory);
}

/// The values of the type of `updated` that bring the scale into it.
FailureOr<llvm::SetVector<Value>>
GradientFinder::findEntries(StringRef name, Value updated,
                            bool throughItsTypeOnly) {
  llvm::SetVector<Value> entries;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{updated};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (isScaled(value)) {
      if (fits(value, updated))
        entries.insert(value);
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (!def)
      continue;
    if (isMadeUnknown(value))
      return def->emitError()
             << "expected an operation whose result is known to carry the loss "
                "scale or not, to find the gradient of '"
             << name << "' in fused train step '@" << step.getName()
             << "'; put 'amp.grad = [\"" << name
             << "\"]' on the operation that computes the gradient";
    for (Value read : getReadValues(def))
      if (!throughItsTypeOnly || fits(read, updated))
        worklist.push_back(read);
  }
  return entries;
}

/// The value of the same type that `value` is an elementwise multiple of, by
/// constants, rates and states; null if it is none.
Value GradientFinder::getMultiplied(Value value) const {
  Operation *def = value.getDefiningOp();
  if (!def || def->getNumResults() != 1)
    return {};
  ComputeKind kind = origins.getKind(def);
  if (kind != ComputeKind::Promote && kind != ComputeKind::Follow)
    return {};
  Value multiplied;
  for (Value read : getReadValues(def)) {
    if (origins.lookup(read).isConstant())
      continue;
    if ((multiplied && multiplied != read) ||
        read.getType() != value.getType() || !getDegree(read).isOnce())
      return {};
    multiplied = read;
  }
  return multiplied;
}

static bool isBefore(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return second && (!first || first->isBeforeInBlock(second));
}

/// Looks at the operations from `source` on, a part of the step.
static bool isComputedFrom(Value value, Value source) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value last = worklist.pop_back_val();
    if (last == source)
      return true;
    if (seen.insert(last).second && isBefore(source, last))
      llvm::append_range(worklist, getReadValues(last.getDefiningOp()));
  }
  return false;
}

FailureOr<UnmarkedGradient> GradientFinder::find(StringRef name,
                                                 Value updated) {
  FailureOr<llvm::SetVector<Value>> found = llvm::SetVector<Value>();
  for (auto [shapes, throughItsTypeOnly] :
       {std::pair(false, true), std::pair(false, false), std::pair(true, true),
        std::pair(true, false)}) {
    if (failed(found) || !found->empty())
      break;
    anyShape = shapes;
    found = findEntries(name, updated, throughItsTypeOnly);
  }
  if (failed(found))
    return failure();
  llvm::SetVector<Value> &entries = *found;
  if (entries.empty())
    return UnmarkedGradient{name, {}, {}};
  while (entries.size() > 1 || !getDegree(entries.front()).isOnce()) {
    Value last = *llvm::max_element(entries, isBefore);
    entries.remove(last);
    if (llvm::any_of(entries,
                     [&](Value entry) { return isComputedFrom(last, entry); }))
      continue;
    SmallVector<Value> made;
    if (Operation *def = last.getDefiningOp())
      llvm::copy_if(getReadValues(def), std::back_inserter(made),
                    [&](Value value) { return isScaled(value); });
    if (made.empty())
      return refuse(name, last, entries.empty() ? last : entries.front());
    Value reached = made.front();
    llvm::erase_if(made, [&](Value value) { return !fits(value, updated); });
    entries.insert_range(made);
    if (entries.empty())
      return refuse(name, last, reached);
    // Two gradients, of this parameter and of another one of its type.
    if (made.empty() && getDegree(last).isOnce())
      return refuse(name, last, entries.front());
  }
  UnmarkedGradient gradient{name, entries.front(), {}};
  while (true) {
    bool isItsType = gradient.value.getType() == updated.getType();
    if (Value multiplied = getMultiplied(gradient.value)) {
      gradient.value = multiplied;
      gradient.views.clear();
    } else if (Value viewed = isItsType ? Value() : getViewed(gradient.value)) {
      gradient.views.push_back(gradient.value.getDefiningOp());
      gradient.value = viewed;
    } else {
      if (isItsType)
        gradient.views.clear();
      std::reverse(gradient.views.begin(), gradient.views.end());
      return gradient;
    }
  }
}

LogicalResult GradientFinder::refuse(StringRef name, Value first,
                                     Value second) {
  InFlightDiagnostic diagnostic =
      emitError(first.getLoc())
      << "expected one value that brings the loss scale into the update of '"
      << name << "' in fused train step '@" << step.getName()
      << "', to take it for the gradient, but found two; put 'amp.grad = [\""
      << name << "\"]' on the operation that computes the gradient";
  auto note = [&](Value value, StringRef which) {
    std::string text;
    llvm::raw_string_ostream os(text);
    getDegree(value).form.getTerms().front().second.print(os);
    diagnostic.attachNote(value.getLoc())
        << "the " << which << " one is here; it carries the scale to the power "
        << text;
  };
  note(first, "first");
  note(second, "second");
  return diagnostic;
}

FailureOr<SmallVector<UnmarkedGradient>>
mlir::amp::findUnmarkedGradients(func::FuncOp step,
                                 const ScaleDegreeAnalysis &degrees) {
  GradientFinder finder(step, degrees);
  SmallVector<UnmarkedGradient> gradients;
  Operation *end = step.getBody().front().getTerminator();
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i) {
    RoleInfo info = getResultRole(step, i);
    if (!info.is(Role::Param) && !info.is(Role::Master))
      continue;
    FailureOr<UnmarkedGradient> gradient =
        finder.find(info.name, end->getOperand(i));
    if (failed(gradient))
      return failure();
    if (gradient->value)
      gradients.push_back(std::move(*gradient));
  }
  return gradients;
}
