//===- StepSplitter.h - One fused step in two functions ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `amp-split-train-step` does with one train step that computes gradients
// and update itself: finds the gradients, by marks, by results with role 'grad'
// or by degrees, and cuts there.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_STEPSPLITTER_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_STEPSPLITTER_H

#include "amp/Analysis/UnmarkedGradients.h"
#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {

/// Splits one train step.
class StepSplitter {
public:
  StepSplitter(func::FuncOp step, SymbolTable &symbols)
      : step(step), arguments(step), symbols(symbols),
        body(step.getBody().front()) {}

  /// Finds the gradients. `anyMark` says whether there was one at all.
  LogicalResult findGradients(bool &anyMark);
  /// Finds them in a step without marks, by the powers of a scale that values
  /// would carry if the loss had one.
  LogicalResult inferGradients();
  /// Puts calls of the two functions in the place of the step's operations.
  LogicalResult split();

private:
  /// One function to be made, as values of the train step.
  struct Part {
    /// Operations to copy into it.
    llvm::DenseSet<Operation *> ops;
    /// Values it takes and gives, each with its attributes.
    llvm::MapVector<Value, DictionaryAttr> inputs, outputs;
  };

  Value giveParameterType(const UnmarkedGradient &gradient);
  LogicalResult addGradient(Location loc, StringRef name, Value value);
  void findDependences();
  bool hasEffects(Operation *op);
  const ScaleDegreeAnalysis &getDegrees();
  bool isOfBackwardPass(Value gradient);
  LogicalResult chooseResults();
  LogicalResult collectBackward();
  LogicalResult refuseRead(Location loc);
  Operation *findReader(Value value, const Part &part);
  LogicalResult collect(ArrayRef<Value> roots, Part &part);
  Value findArgument(Role role, StringRef name);
  void addArguments(Part &part);
  func::CallOp outline(Part &part, StringRef suffix, OpBuilder &builder);

  /// What an operation of the body depends on.
  struct Dependence {
    bool data = false, seed = false, gradient = false;
    void join(Dependence other) {
      data |= other.data;
      seed |= other.seed;
      gradient |= other.gradient;
    }
  };
  Dependence getDependence(Value value) {
    return gradientName.count(value) ? Dependence{true, true, true}
                                     : dependence.lookup(value);
  }

  func::FuncOp step;
  ArgumentIndex arguments;
  SymbolTable &symbols;
  Block &body;
  /// Gradients with their parameters' names, in the order of the program.
  llvm::MapVector<Value, std::string> gradientName;
  llvm::StringMap<Value> gradientOf;
  llvm::DenseMap<Value, Dependence> dependence;
  /// Operations of the body, and functions that they call, that do more than
  /// give values.
  llvm::DenseSet<Operation *> effects;
  llvm::DenseMap<Operation *, bool> functionEffects;
  /// As if the seed were scaled; made where it is asked for.
  std::optional<ScaleDegreeAnalysis> degrees;
  Part backward, update;
  /// Returned values that neither part computes.
  llvm::SetVector<Value> rest;
  llvm::DenseSet<Operation *> restOps;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_STEPSPLITTER_H
