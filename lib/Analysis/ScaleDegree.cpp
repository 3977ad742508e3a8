//===- ScaleDegree.cpp - Powers of a loss scale in a value ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Degrees are units of measure whose one base unit per scaler is its scale, and
// are inferred as such: a sum of two arguments puts a condition on them, an
// equation between linear forms, which a caller's degrees fulfil or not. A
// program has few different degrees, so each is kept once and what two of them
// give is remembered; a condition is kept with the first operation that asked
// for it, for the message.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/ScaleDegree.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Rational
//===----------------------------------------------------------------------===//

std::optional<Rational> Rational::get(int64_t numerator, int64_t denominator) {
  // The one number without a negative.
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  if (denominator == 0 || numerator == kMin || denominator == kMin)
    return std::nullopt;
  int64_t divisor = std::gcd(numerator, denominator);
  if (denominator < 0)
    divisor = -divisor;
  Rational result(numerator / divisor);
  result.denominator = denominator / divisor;
  return result;
}

std::optional<Rational> Rational::get(double number) {
  constexpr double kMaxDenominator = 1 << 20;
  double numerator = number * kMaxDenominator;
  if (!std::isfinite(number) || std::fabs(numerator) > 0x1p52 ||
      numerator != std::floor(numerator))
    return std::nullopt;
  return get(static_cast<int64_t>(numerator),
             static_cast<int64_t>(kMaxDenominator));
}

std::optional<Rational> Rational::add(Rational other) const {
  int64_t left, right, sum, product;
  if (llvm::MulOverflow(numerator, other.denominator, left) ||
      llvm::MulOverflow(other.numerator, denominator, right) ||
      llvm::AddOverflow(left, right, sum) ||
      llvm::MulOverflow(denominator, other.denominator, product))
    return std::nullopt;
  return get(sum, product);
}

std::optional<Rational> Rational::multiply(Rational other) const {
  int64_t above, below;
  if (llvm::MulOverflow(numerator, other.numerator, above) ||
      llvm::MulOverflow(denominator, other.denominator, below))
    return std::nullopt;
  return get(above, below);
}

std::optional<Rational> Rational::invert() const {
  return get(denominator, numerator);
}

void Rational::print(raw_ostream &os) const {
  os << numerator;
  if (denominator != 1)
    os << '/' << denominator;
}

//===----------------------------------------------------------------------===//
// LinearForm
//===----------------------------------------------------------------------===//

LinearForm LinearForm::getAtom(unsigned atom) {
  LinearForm form;
  form.terms.emplace_back(atom, Rational(1));
  return form;
}

Rational LinearForm::getCoefficient(unsigned atom) const {
  const auto *it = llvm::lower_bound(
      terms, atom, [](const Term &term, unsigned a) { return term.first < a; });
  return it != terms.end() && it->first == atom ? it->second : Rational();
}

std::optional<LinearForm> LinearForm::add(const LinearForm &other,
                                          Rational factor) const {
  LinearForm sum;
  const auto *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->first < b->first)) {
      sum.terms.push_back(*a++);
      continue;
    }
    std::optional<Rational> coefficient = b->second.multiply(factor);
    unsigned atom = b++->first;
    if (coefficient && a != terms.end() && a->first == atom)
      coefficient = a++->second.add(*coefficient);
    if (!coefficient)
      return std::nullopt;
    if (!coefficient->isZero())
      sum.terms.emplace_back(atom, *coefficient);
  }
  return sum;
}

std::optional<LinearForm> LinearForm::multiply(Rational factor) const {
  return LinearForm().add(*this, factor);
}

std::optional<LinearForm> LinearForm::substitute(unsigned atom,
                                                 const LinearForm &form) const {
  Rational coefficient = getCoefficient(atom);
  if (coefficient.isZero())
    return *this;
  LinearForm rest = *this;
  llvm::erase_if(rest.terms,
                 [&](const Term &term) { return term.first == atom; });
  return rest.add(form, coefficient);
}

std::optional<LinearForm> LinearForm::normalize() const {
  if (isZero())
    return *this;
  std::optional<Rational> inverse = terms.front().second.invert();
  return inverse ? multiply(*inverse) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// DegreeTable
//===----------------------------------------------------------------------===//

bool mlir::amp::leavesUndecided(DegreeFault fault) {
  switch (fault) {
  case DegreeFault::Mixes:
  case DegreeFault::Distorts:
  case DegreeFault::Enters:
  case DegreeFault::Unscales:
    return false;
  case DegreeFault::Compares:
  case DegreeFault::Meets:
  case DegreeFault::Unknown:
  case DegreeFault::Memory:
  case DegreeFault::Exponent:
  case DegreeFault::Hides:
  case DegreeFault::Chooses:
  case DegreeFault::Endless:
  case DegreeFault::Escapes:
    return true;
  }
  llvm_unreachable("all faults are listed");
}

DegreeTable::DegreeTable(unsigned numScales) : numScales(numScales) {
  ScaleDegree any, zero;
  zero.kind = ScaleDegree::Known;
  intern(any);
  intern(zero);
}

DegreeId DegreeTable::intern(ScaleDegree degree) {
  auto [it, isNew] = numbers.try_emplace(std::move(degree), degrees.size());
  if (isNew)
    degrees.push_back(&it->first);
  return it->second;
}

unsigned DegreeTable::addCause(DegreeCause cause) {
  auto [it, isNew] = causeNumbers.try_emplace(cause, causes.size());
  if (isNew)
    causes.push_back(std::move(cause));
  return it->second;
}

ConditionSetId DegreeTable::addCondition(const LinearForm &normalized,
                                         unsigned cause) {
  unsigned form =
      formNumbers.try_emplace(normalized, forms.size()).first->second;
  if (form == forms.size())
    forms.push_back(normalized);
  unsigned number =
      conditionNumbers.try_emplace({form, cause}, conditions.size())
          .first->second;
  if (number == conditions.size())
    conditions.push_back({form, cause});
  return sets.getSingle(form, number);
}

bool DegreeTable::hasArguments(const LinearForm &form) const {
  return !form.isZero() && form.getTerms().back().first >= numScales;
}

DegreeId DegreeTable::getAtom(unsigned atom) {
  ScaleDegree degree;
  degree.kind = ScaleDegree::Known;
  degree.form = LinearForm::getAtom(atom);
  degree.overflows = sets.getSingle(atom, 0);
  return intern(std::move(degree));
}

DegreeId DegreeTable::getFault(DegreeCause cause) {
  ScaleDegree degree;
  degree.kind =
      leavesUndecided(cause.fault) ? ScaleDegree::Undecided : ScaleDegree::None;
  degree.cause = addCause(std::move(cause));
  return intern(std::move(degree));
}

DegreeId DegreeTable::require(ScaleDegree degree, const LinearForm &difference,
                              DegreeCause cause) {
  if (difference.isZero())
    return intern(std::move(degree));
  std::optional<LinearForm> normalized = difference.normalize();
  if (!normalized || !hasArguments(difference))
    return getFault(std::move(cause));
  degree.conditions = sets.merge(
      degree.conditions, addCondition(*normalized, addCause(std::move(cause))));
  return intern(std::move(degree));
}

DegreeId DegreeTable::join(DegreeId a, DegreeId b, Operation *at,
                           DegreeFault fault) {
  if (a == b || b == kAny)
    return a;
  if (a == kAny)
    return b;
  const ScaleDegree &left = *degrees[a], &right = *degrees[b];
  if (left.isFault() || right.isFault()) {
    // What has certainly no degree says more than what may have one.
    if (!right.isFault() || left.kind == ScaleDegree::None)
      return a;
    return left.isFault() && right.kind != ScaleDegree::None ? a : b;
  }
  if (auto it = joined.find({a, b}); it != joined.end())
    return it->second;
  ScaleDegree degree = left.kind == ScaleDegree::Any ? right : left;
  degree.conditions = sets.merge(left.conditions, right.conditions);
  degree.overflows = sets.merge(left.overflows, right.overflows);
  degree.hidden = sets.merge(left.hidden, right.hidden);
  if (left.kind == ScaleDegree::Any || right.kind == ScaleDegree::Any)
    return joined[{a, b}] = intern(std::move(degree));
  std::optional<LinearForm> difference = left.form.add(right.form, -1);
  DegreeCause cause{at, fault, left.form, right.form, {}};
  if (!difference)
    return getFault(std::move(cause));
  DegreeId result = require(std::move(degree), *difference, std::move(cause));
  if (difference->isZero())
    joined[{a, b}] = result;
  return result;
}

DegreeId DegreeTable::combine(DegreeId a, DegreeId b, Rational factor,
                              Operation *at) {
  const ScaleDegree &left = *degrees[a], &right = *degrees[b];
  // A fault comes before a zero: the sign of what is divided by zero may depend
  // on the scale.
  if (left.isFault() || right.isFault())
    return join(a, b, at, DegreeFault::Mixes);
  auto [it, isNew] = combined.try_emplace({a, b, factor}, kAny);
  if (!isNew)
    return it->second;
  ScaleDegree degree;
  degree.conditions = sets.merge(left.conditions, right.conditions);
  degree.overflows = sets.merge(left.overflows, right.overflows);
  degree.hidden = sets.merge(left.hidden, right.hidden);
  // Zero and infinity stay what they are, whatever they are multiplied by.
  if (left.kind == ScaleDegree::Any || right.kind == ScaleDegree::Any)
    return it->second = intern(std::move(degree));
  degree.kind = ScaleDegree::Known;
  std::optional<LinearForm> sum = left.form.add(right.form, factor);
  if (!sum) {
    combined.erase(it);
    return getFault({at, DegreeFault::Exponent, left.form, right.form, {}});
  }
  degree.form = std::move(*sum);
  return it->second = intern(std::move(degree));
}

DegreeId DegreeTable::multiply(DegreeId a, Rational factor, Operation *at) {
  if (factor.isZero() && !degrees[a]->isFault())
    return control(kZero, a); // 1, of zero and infinity as well
  return combine(kZero, a, factor, at);
}

DegreeId DegreeTable::multiplyByZero(DegreeId a) {
  ScaleDegree degree = *degrees[a];
  if (degree.isFault())
    return a;
  degree.kind = ScaleDegree::Any;
  degree.form = LinearForm();
  return intern(std::move(degree));
}

DegreeId DegreeTable::requireZero(DegreeId a, Operation *at,
                                  DegreeFault fault) {
  const ScaleDegree &degree = *degrees[a];
  if (a == kZero || degree.isFault())
    return a;
  ScaleDegree zero;
  zero.kind = ScaleDegree::Known;
  zero.conditions = degree.conditions;
  zero.overflows = degree.overflows;
  zero.hidden = degree.hidden;
  if (degree.kind == ScaleDegree::Any)
    return intern(std::move(zero)); // a function of what never changes
  return require(std::move(zero), degree.form,
                 {at, fault, degree.form, LinearForm(), {}});
}

SmallVector<const ConditionSets::Node *>
DegreeTable::getLeaves(ConditionSetId set) const {
  SmallVector<const ConditionSets::Node *> leaves;
  SmallVector<ConditionSetId> worklist;
  if (set != ConditionSets::kEmpty)
    worklist.push_back(set);
  while (!worklist.empty()) {
    const ConditionSets::Node &node = sets[worklist.pop_back_val()];
    if (node.isLeaf())
      leaves.push_back(&node);
    else
      worklist.append({node.right, node.left});
  }
  return leaves;
}

SmallVector<unsigned> DegreeTable::getOverflows(DegreeId a) const {
  SmallVector<unsigned> scales;
  for (const ConditionSets::Node *leaf : getLeaves(degrees[a]->overflows))
    if (leaf->form < numScales)
      scales.push_back(leaf->form);
  return scales;
}

SmallVector<unsigned> DegreeTable::getOverflowingArguments(DegreeId a) const {
  SmallVector<unsigned> numbers;
  for (const ConditionSets::Node *leaf : getLeaves(degrees[a]->overflows))
    if (leaf->form >= numScales)
      numbers.push_back(leaf->form - numScales);
  return numbers;
}

ConditionSetId DegreeTable::excludeOverflows(ConditionSetId overflows,
                                             const DegreeCause &cause) {
  /// Each parameter's gradient may be divided by a norm of all.
  constexpr size_t kMany = 16;
  Operation *function = cause.op;
  while (function && !isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  std::tuple key(overflows, function, cause.fault);
  if (auto it = excluded.find(key); it != excluded.end())
    return it->second;
  SmallVector<const ConditionSets::Node *> leaves = getLeaves(overflows);
  ConditionSetId conditions = ConditionSets::kEmpty;
  for (const ConditionSets::Node *leaf : leaves) {
    DegreeCause seen = cause;
    seen.first = LinearForm::getAtom(leaf->form);
    seen.second = LinearForm();
    LinearForm form = seen.first;
    conditions =
        sets.merge(conditions, addCondition(form, addCause(std::move(seen))));
  }
  if (leaves.size() > kMany)
    excluded[key] = conditions;
  return conditions;
}

DegreeId DegreeTable::requireAll(DegreeId a, ConditionSetId all) {
  for (const ConditionSets::Node *leaf : getLeaves(all))
    if (!hasArguments(forms[leaf->form]))
      return getFault(causes[conditions[leaf->condition].cause]);
  ScaleDegree degree = *degrees[a];
  degree.conditions = sets.merge(degree.conditions, all);
  return intern(std::move(degree));
}

DegreeId DegreeTable::requireNoOverflow(DegreeId a, Operation *at,
                                        DegreeFault fault) {
  if (!mayOverflow(a))
    return a;
  DegreeCause cause{at, fault, LinearForm(), LinearForm(), {}};
  return clearOverflow(
      requireAll(a, excludeOverflows(degrees[a]->overflows, cause)));
}

DegreeId DegreeTable::hideOverflow(DegreeId a, Operation *at,
                                   DegreeFault fault) {
  if (!mayOverflow(a))
    return a;
  ScaleDegree degree = *degrees[a];
  DegreeCause cause{at, fault, LinearForm(), LinearForm(), {}};
  degree.hidden =
      sets.merge(degree.hidden, excludeOverflows(degree.overflows, cause));
  return intern(std::move(degree));
}

DegreeId DegreeTable::requireShown(DegreeId a) {
  return requireAll(a, degrees[a]->hidden);
}

DegreeId DegreeTable::clearOverflow(DegreeId a) {
  if (!mayOverflow(a))
    return a;
  ScaleDegree degree = *degrees[a];
  degree.overflows = degree.hidden = ConditionSets::kEmpty;
  return intern(std::move(degree));
}

DegreeId DegreeTable::getOfSize(DegreeId a) {
  return degrees[a]->hidden == ConditionSets::kEmpty ? clearOverflow(a) : a;
}

DegreeId DegreeTable::control(DegreeId value, DegreeId control) {
  const ScaleDegree &chooser = *degrees[control];
  const ScaleDegree &chosen = *degrees[value];
  if (chosen.isFault())
    return value;
  if (chooser.isFault())
    return control;
  if (chooser.conditions == ConditionSets::kEmpty &&
      chooser.overflows == ConditionSets::kEmpty)
    return value;
  ScaleDegree degree = chosen;
  degree.conditions = sets.merge(degree.conditions, chooser.conditions);
  degree.overflows = sets.merge(degree.overflows, chooser.overflows);
  degree.hidden = sets.merge(degree.hidden, chooser.hidden);
  return intern(std::move(degree));
}

void DegreeTable::print(const LinearForm &form, ArrayRef<StringRef> scales,
                        raw_ostream &os) const {
  if (form.isZero()) {
    os << '0';
    return;
  }
  llvm::interleave(
      form.getTerms(), os,
      [&](const LinearForm::Term &term) {
        term.second.print(os);
        if (term.first < numScales)
          os << " in @" << scales[term.first];
        else
          os << " of argument " << term.first - numScales;
      },
      " and ");
}
