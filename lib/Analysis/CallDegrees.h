//===- CallDegrees.h - Degrees of the results of a call ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Degrees of a function's results are in terms of its arguments; here those of
// one call's are put in their place, and the conditions on them looked at.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_ANALYSIS_CALLDEGREES_H
#define AMP_LIB_ANALYSIS_CALLDEGREES_H

#include "amp/Analysis/ScaleDegree.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mlir::amp {

class CallDegrees {
public:
  /// `arguments` are the degrees that `call` hands over; `fixed`, of which the
  /// callee has degree 0 whatever it is handed. They stay where they are.
  CallDegrees(DegreeTable &table, ArrayRef<DegreeId> arguments,
              const llvm::BitVector &fixed, Operation *call);

  /// `result` of the callee, as this call has it. `reaches` tells on which
  /// arguments the result depends.
  DegreeId get(DegreeId result, llvm::function_ref<bool(unsigned)> reaches);

private:
  /// What has become of the callee's conditions.
  struct Outcome {
    /// Of one that does not hold.
    std::optional<DegreeId> fault;
    /// On the arguments of the function that calls.
    ConditionSetId conditions = ConditionSets::kEmpty;
    /// Those of the callee's that speak of unknowns.
    ConditionSetId open = ConditionSets::kEmpty;
  };
  /// To be put in the place of unknowns, in this order.
  using Values = SmallVector<std::pair<unsigned, LinearForm>>;
  /// What open conditions say of unknowns.
  struct Solution {
    std::optional<DegreeId> fault;
    ConditionSetId conditions = ConditionSets::kEmpty;
    Values values;
  };

  /// What comes into a set of the callee's scales and arguments here.
  struct Overflows {
    ConditionSetId overflows = ConditionSets::kEmpty;
    ConditionSetId hidden = ConditionSets::kEmpty;
  };

  static unsigned getUnknown(unsigned argument);
  bool isUnknown(unsigned atom) const;
  bool hasUnknowns(const LinearForm &form) const;
  std::optional<LinearForm> express(const LinearForm &form) const;
  DegreeId getTooLarge() const;
  DegreeCause getCause(unsigned condition, const Values &values) const;
  /// Of two faults, the one that says more.
  void keepWorse(std::optional<DegreeId> &fault,
                 std::optional<DegreeId> other) const;
  /// `form`, of the callee's `condition`, has to be 0, and has no unknowns but
  /// those of `values`.
  Outcome require(const LinearForm &form, unsigned condition,
                  const Values &values = {}) const;
  /// The callee's `condition`, if it says that no overflow comes into what it
  /// names, for all that comes into that here.
  ConditionSetId excludeOverflows(unsigned condition) const;
  const Overflows &getOverflows(ConditionSetId set);
  ConditionSetId getHidden(ConditionSetId set);
  const Outcome &check(ConditionSetId conditions);
  const Solution &solve(ConditionSetId open);
  Solution eliminate(ArrayRef<unsigned> conditions) const;

  DegreeTable &table;
  ArrayRef<DegreeId> arguments;
  const llvm::BitVector &fixed;
  Operation *call;
  /// The arguments that bring conditions or a fault along.
  SmallVector<unsigned> conditional;
  llvm::DenseMap<ConditionSetId, Overflows> overflowsOf;
  llvm::DenseMap<ConditionSetId, ConditionSetId> hiddenOf;
  llvm::DenseMap<ConditionSetId, Outcome> outcomes;
  llvm::DenseMap<ConditionSetId, Solution> solutions;
};

} // namespace mlir::amp

#endif // AMP_LIB_ANALYSIS_CALLDEGREES_H
