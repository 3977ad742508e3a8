//===- StateOwners.h - What the states of a step belong to ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state is stored as what it belongs to: momentum as its parameter, running
// statistics as the model. A count of steps and an average of weights belong to
// neither, and stick where they are rounded to half: 2048 + 1 is 2048. `amp.of`
// says what a state belongs to; where it is missing, this is guessed from what
// the state is computed from, and from its name.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_STATEOWNERS_H
#define AMP_ANALYSIS_STATEOWNERS_H

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

/// What one `opt_state` or `buffer` belongs to.
struct StateOwner {
  enum class Kind {
    Parameter, ///< an optimizer state, made as `parameter` is
    Model,     ///< a buffer of the model
    Nobody,    ///< a count, or an average that the step keeps for itself
    Unknown,   ///< an optimizer state of some parameter
  };
  /// What `kind` was read off.
  enum class Basis {
    Given, ///< `amp.of`, or a role and kind that leave no choice
    Flow,  ///< what the state is computed from
    Name,  ///< the name of a parameter in the state's
    Shape, ///< one element, unlike any parameter of that name
  };
  Kind kind;
  Basis basis;
  /// The parameter's name, where `kind` is Parameter.
  StringRef parameter;
  /// True if a function returns another value for it than it was given.
  bool isUpdated = false;
  /// Where it is first met as an argument or a result.
  Location loc;
};

class StateOwners {
public:
  /// Linear in the operations of `module`, and in the length of names times the
  /// number of different lengths that names of parameters have. Without
  /// `ofOptimizer`, what an optimizer's states belong to is not looked for.
  explicit StateOwners(ModuleOp module, bool ofOptimizer = true);

  /// Null for a value that is no state.
  const StateOwner *lookup(const RoleInfo &info) const;

  /// All states, in the order of the module, by role and name.
  using Key = std::pair<Role, StringRef>;
  const llvm::MapVector<Key, StateOwner> &getStates() const { return states; }

private:
  StringRef guessByName(StringRef state, ArrayRef<int64_t> shape) const;

  llvm::MapVector<Key, StateOwner> states;
  /// Shapes of parameters.
  llvm::StringMap<ArrayRef<int64_t>> parameters;
  /// The lengths that their names have, in growing order.
  llvm::SmallVector<size_t> nameLengths;
};

/// An error for each `amp.of` of `module` that names no parameter, or that says
/// of one state what another does not.
LogicalResult verifyStateOwners(ModuleOp module);

} // namespace mlir::amp

#endif // AMP_ANALYSIS_STATEOWNERS_H
