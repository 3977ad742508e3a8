//===- StartValues.h - What a training run starts from ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A start value is, in this order: the given one (from a file); what the
// argument's `amp.init` says; the default by role. The last two, and how
// numbers follow from a seed, are the runtime's (amp-rt/StartValue.h), so that
// a program ahead of time starts from the same.
//
// Where the step has a `master` NAME, the value binds to the master, and
// `param` NAME is its copy, rounded. Where the given values have both, the
// master is the one that counts, also for a step that has `param` NAME alone.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_STARTVALUES_H
#define AMP_EXECUTION_STARTVALUES_H

#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/Program.h"

#include <map>
#include <memory>
#include <optional>

namespace mlir::amp {

/// Role and name of a value.
using ValueKey = std::pair<std::string, std::string>;

/// Everything that a step takes and gives back, and what stays constant beside
/// it (frozen parameters, hyperparameters).
using TrainingState = std::map<ValueKey, HostArray>;

/// True for the roles that make up a state.
bool isStateRole(llvm::StringRef role);

/// Given start values.
class GivenValues {
public:
  /// An array of a file, not yet read.
  struct Value {
    const ArrayArchive *archive;
    std::string name;
  };

  virtual ~GivenValues();
  /// The value for an argument of this role and name, or none. Asked with the
  /// roles "master" and "param" for either of the two.
  virtual std::optional<Value> find(llvm::StringRef role,
                                    llvm::StringRef name) = 0;
  /// Fails if an argument of this role must be given but is not; success means
  /// that the default is wanted.
  virtual llvm::Error explainMissing(const ValueSpec &spec) = 0;
};

/// Given values from an .npz file (`--init`). Arrays are called ROLE/NAME, as
/// writeState calls them, or plain NAME for parameters, masters and buffers.
/// All parameters must be there; other values may be missing.
llvm::Expected<std::unique_ptr<GivenValues>> openInitFile(llvm::StringRef path);

/// Start values for all state arguments among `arguments`. `given` may be null.
llvm::Expected<TrainingState>
makeStartValues(llvm::ArrayRef<ValueSpec> arguments, GivenValues *given,
                uint64_t seed);

/// Fails as makeStartValues does, but keeps nothing: for the arguments of a
/// step that is still to be compiled.
llvm::Error checkStartValues(llvm::ArrayRef<ValueSpec> arguments,
                             GivenValues *given);

/// Writes a state as openInitFile reads it.
llvm::Error writeState(llvm::StringRef path, const TrainingState &state);

} // namespace mlir::amp

#endif // AMP_EXECUTION_STARTVALUES_H
