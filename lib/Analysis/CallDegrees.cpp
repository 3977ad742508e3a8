//===- CallDegrees.cpp - Degrees of the results of a call -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition of the callee holds, or becomes one on the arguments of the
// function that calls, or is the call's fault. What becomes of a set is found
// once for each part of it: the results of an optimizer step share nearly all
// of theirs.
//
// An argument that fits any degree (a zero) leaves its degree open: it is an
// unknown, for which the conditions are solved by elimination. Where nothing
// determines it the result scales with every power at once, so it fits any
// degree as well.
//
//===----------------------------------------------------------------------===//

#include "CallDegrees.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::amp;

CallDegrees::CallDegrees(DegreeTable &table, ArrayRef<DegreeId> arguments,
                         const llvm::BitVector &fixed, Operation *call)
    : table(table), arguments(arguments), fixed(fixed), call(call) {
  for (auto [index, id] : llvm::enumerate(arguments))
    if (table[id].isFault() || table[id].conditions != ConditionSets::kEmpty ||
        (fixed.test(index) && table.mayOverflow(id)))
      conditional.push_back(index);
}

/// Unknowns are numbered from the top.
unsigned CallDegrees::getUnknown(unsigned argument) {
  return std::numeric_limits<unsigned>::max() - argument;
}

bool CallDegrees::isUnknown(unsigned atom) const {
  return getUnknown(atom) < arguments.size();
}

bool CallDegrees::hasUnknowns(const LinearForm &form) const {
  return !form.isZero() && isUnknown(form.getTerms().back().first);
}

/// A form of the callee in the atoms of the function that calls, and unknowns;
/// nothing where a coefficient does not fit.
std::optional<LinearForm> CallDegrees::express(const LinearForm &form) const {
  std::optional<LinearForm> sum = LinearForm();
  for (auto [atom, coefficient] : form.getTerms()) {
    LinearForm value = LinearForm::getAtom(atom);
    if (atom >= table.numScales) {
      unsigned index = atom - table.numScales;
      const ScaleDegree &argument = table[arguments[index]];
      value = argument.kind == ScaleDegree::Any
                  ? LinearForm::getAtom(getUnknown(index))
                  : argument.form;
    }
    sum = sum->add(value, coefficient);
    if (!sum)
      return std::nullopt;
  }
  return sum;
}

DegreeId CallDegrees::getTooLarge() const {
  return table.getFault({call, DegreeFault::Exponent, {}, {}, {}});
}

void CallDegrees::keepWorse(std::optional<DegreeId> &fault,
                            std::optional<DegreeId> other) const {
  if (!fault || (other && table[*fault].kind == ScaleDegree::Undecided &&
                 table[*other].kind == ScaleDegree::None))
    fault = other;
}

/// The cause of a condition, as the function that calls sees it. An unknown
/// that nothing determines counts as 0.
DegreeCause CallDegrees::getCause(unsigned condition,
                                  const Values &values) const {
  DegreeCause cause = table.getCause(table.conditions[condition].cause);
  cause.calls.push_back(call);
  auto solve = [&](const LinearForm &form) {
    std::optional<LinearForm> solved = express(form);
    for (auto &[unknown, value] : values)
      if (solved)
        solved = solved->substitute(unknown, value);
    while (solved && hasUnknowns(*solved))
      solved =
          solved->substitute(solved->getTerms().back().first, LinearForm());
    return solved;
  };
  std::optional<LinearForm> first = solve(cause.first);
  std::optional<LinearForm> second = solve(cause.second);
  if (first && second) {
    cause.first = std::move(*first);
    cause.second = std::move(*second);
  }
  return cause;
}

CallDegrees::Outcome CallDegrees::require(const LinearForm &form,
                                          unsigned condition,
                                          const Values &values) const {
  Outcome outcome;
  if (form.isZero())
    return outcome;
  std::optional<LinearForm> normalized = form.normalize();
  if (!normalized)
    outcome.fault = getTooLarge();
  else if (!table.hasArguments(form))
    outcome.fault = table.getFault(getCause(condition, values));
  else
    outcome.conditions = table.addCondition(
        *normalized, table.addCause(getCause(condition, values)));
  return outcome;
}

/// A condition that says that no overflow comes into an argument holds for what
/// no longer carries a scale as well.
ConditionSetId CallDegrees::excludeOverflows(unsigned condition) const {
  DegreeCause cause = table.getCause(table.conditions[condition].cause);
  if (cause.fault != DegreeFault::Hides &&
      cause.fault != DegreeFault::Chooses &&
      cause.fault != DegreeFault::Endless &&
      cause.fault != DegreeFault::Escapes)
    return ConditionSets::kEmpty;
  cause.calls.push_back(call);
  const LinearForm form = table.forms[table.conditions[condition].form];
  ConditionSetId excluded = ConditionSets::kEmpty;
  for (auto [atom, coefficient] : form.getTerms()) {
    ConditionSetId overflows =
        atom < table.numScales
            ? table.sets.getSingle(atom, 0)
            : table[arguments[atom - table.numScales]].overflows;
    excluded =
        table.sets.merge(excluded, table.excludeOverflows(overflows, cause));
  }
  return excluded;
}

const CallDegrees::Overflows &CallDegrees::getOverflows(ConditionSetId set) {
  if (auto it = overflowsOf.find(set); it != overflowsOf.end())
    return it->second;
  Overflows brought;
  if (set != ConditionSets::kEmpty) {
    const ConditionSets::Node &node = table.sets[set];
    if (!node.isLeaf()) {
      brought = getOverflows(node.left);
      const Overflows &right = getOverflows(node.right);
      brought.overflows = table.sets.merge(brought.overflows, right.overflows);
      brought.hidden = table.sets.merge(brought.hidden, right.hidden);
    } else if (node.form < table.numScales) {
      brought.overflows = set;
    } else {
      const ScaleDegree &argument =
          table[arguments[node.form - table.numScales]];
      brought = {argument.overflows, argument.hidden};
    }
  }
  return overflowsOf[set] = brought;
}

ConditionSetId CallDegrees::getHidden(ConditionSetId set) {
  if (set == ConditionSets::kEmpty)
    return set;
  if (auto it = hiddenOf.find(set); it != hiddenOf.end())
    return it->second;
  const ConditionSets::Node &node = table.sets[set];
  ConditionSetId hidden =
      node.isLeaf()
          ? excludeOverflows(node.condition)
          : table.sets.merge(getHidden(node.left), getHidden(node.right));
  return hiddenOf[set] = hidden;
}

const CallDegrees::Outcome &CallDegrees::check(ConditionSetId conditions) {
  if (auto it = outcomes.find(conditions); it != outcomes.end())
    return it->second;
  Outcome outcome;
  if (conditions != ConditionSets::kEmpty) {
    const ConditionSets::Node &node = table.sets[conditions];
    if (!node.isLeaf()) {
      outcome = check(node.left);
      const Outcome &right = check(node.right);
      keepWorse(outcome.fault, right.fault);
      outcome.conditions =
          table.sets.merge(outcome.conditions, right.conditions);
      outcome.open = table.sets.merge(outcome.open, right.open);
    } else if (DegreeId none = table.requireAll(
                   DegreeTable::kZero,
                   outcome.conditions = excludeOverflows(node.condition));
               table[none].isFault()) {
      outcome.fault = none;
    } else if (std::optional<LinearForm> form = express(table.forms[node.form]);
               !form) {
      outcome.fault = getTooLarge();
    } else if (hasUnknowns(*form)) {
      outcome.open = conditions;
    } else {
      Outcome required = require(*form, node.condition);
      outcome.fault = required.fault;
      outcome.conditions =
          table.sets.merge(outcome.conditions, required.conditions);
    }
  }
  return outcomes[conditions] = outcome;
}

const CallDegrees::Solution &CallDegrees::solve(ConditionSetId open) {
  if (auto it = solutions.find(open); it != solutions.end())
    return it->second;
  SmallVector<unsigned> conditions;
  SmallVector<ConditionSetId> worklist;
  if (open != ConditionSets::kEmpty)
    worklist.push_back(open);
  while (!worklist.empty()) {
    const ConditionSets::Node &node = table.sets[worklist.pop_back_val()];
    if (node.isLeaf())
      conditions.push_back(node.condition);
    else
      worklist.append({node.right, node.left});
  }
  return solutions[open] = eliminate(conditions);
}

/// Gaussian elimination of the unknowns.
CallDegrees::Solution
CallDegrees::eliminate(ArrayRef<unsigned> conditions) const {
  Solution solution;
  SmallVector<LinearForm> equations;
  for (unsigned condition : conditions)
    equations.push_back(
        *express(table.forms[table.conditions[condition].form]));
  for (unsigned i = 0; i < equations.size(); ++i) {
    if (!hasUnknowns(equations[i]))
      continue;
    auto [unknown, coefficient] = equations[i].getTerms().back();
    std::optional<Rational> inverse = coefficient.invert();
    std::optional<Rational> factor =
        inverse ? inverse->multiply(-1) : std::nullopt;
    std::optional<LinearForm> rest =
        equations[i].substitute(unknown, LinearForm());
    std::optional<LinearForm> value =
        factor && rest ? rest->multiply(*factor) : std::nullopt;
    for (LinearForm &equation : equations) {
      if (equation.getCoefficient(unknown).isZero())
        continue;
      std::optional<LinearForm> solved =
          value ? equation.substitute(unknown, *value) : std::nullopt;
      if (!solved) {
        solution.fault = getTooLarge();
        return solution;
      }
      equation = std::move(*solved);
    }
    solution.values.emplace_back(unknown, std::move(*value));
  }
  for (auto [equation, condition] : llvm::zip_equal(equations, conditions)) {
    Outcome outcome = require(equation, condition, solution.values);
    keepWorse(solution.fault, outcome.fault);
    solution.conditions =
        table.sets.merge(solution.conditions, outcome.conditions);
  }
  return solution;
}

DegreeId CallDegrees::get(DegreeId result,
                          llvm::function_ref<bool(unsigned)> reaches) {
  const ScaleDegree &inside = table[result];
  if (inside.isFault()) {
    DegreeCause cause = table.getCause(inside.cause);
    cause.calls.push_back(call);
    return table.getFault(std::move(cause));
  }

  // What the arguments bring along, cancelled or not.
  ScaleDegree degree;
  degree.kind = inside.kind;
  std::optional<DegreeId> fault;
  for (unsigned index : conditional) {
    if (!reaches(index))
      continue;
    const ScaleDegree &argument = table[arguments[index]];
    if (argument.isFault())
      keepWorse(fault, arguments[index]);
    else
      degree.conditions =
          table.sets.merge(degree.conditions, argument.conditions);
    // The callee takes it for a value that never was scaled.
    if (fixed.test(index)) {
      degree.overflows = table.sets.merge(degree.overflows, argument.overflows);
      degree.hidden = table.sets.merge(degree.hidden, argument.hidden);
    }
  }

  if (fault)
    return *fault;
  const Outcome &outcome = check(inside.conditions);
  fault = outcome.fault;
  const Solution &solution = solve(outcome.open);
  keepWorse(fault, solution.fault);
  if (fault)
    return *fault;
  for (ConditionSetId conditions : {outcome.conditions, solution.conditions})
    degree.conditions = table.sets.merge(degree.conditions, conditions);

  const Overflows &brought = getOverflows(inside.overflows);
  degree.overflows = table.sets.merge(degree.overflows, brought.overflows);
  degree.hidden = table.sets.merge(degree.hidden, brought.hidden);
  degree.hidden = table.sets.merge(degree.hidden, getHidden(inside.hidden));

  std::optional<LinearForm> form = express(inside.form);
  for (auto &[unknown, value] : solution.values)
    if (form)
      form = form->substitute(unknown, value);
  bool isOpen = false;
  while (form && hasUnknowns(*form)) {
    isOpen = true;
    form = form->substitute(form->getTerms().back().first, LinearForm());
  }
  if (!form)
    return getTooLarge();
  if (isOpen)
    degree.kind = ScaleDegree::Any;
  else
    degree.form = std::move(*form);
  return table.intern(std::move(degree));
}
