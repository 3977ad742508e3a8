//===- ScaledValues.h - Values that carry a loss scale ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of one scaler: which values of a module carry its scale, and which an
// overflow of it may have come into, by the arguments that calls hand over as
// well: of all calls of a function at once, or as one chain of calls enters it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEDVALUES_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEDVALUES_H

#include "amp/Analysis/ScaleDegreeAnalysis.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace mlir::amp {

/// An argument of a function, by number.
using FunctionArgument = std::pair<Operation *, unsigned>;

/// Which scales and arguments come into which arguments by the calls of a
/// module, found once for all scales.
class HandedScales {
public:
  HandedScales(ModuleOp module, const SymbolTable &symbols,
               const ScaleDegreeAnalysis &analysis);

  /// Into what each scale, or each argument, comes.
  struct Targets {
    llvm::DenseMap<unsigned, SmallVector<FunctionArgument, 1>> ofScale;
    llvm::DenseMap<FunctionArgument, SmallVector<FunctionArgument, 1>>
        ofArgument;

    /// The arguments that `scale` comes into, by any number of calls.
    llvm::DenseSet<FunctionArgument> find(unsigned scale) const;
  };
  const Targets &getCarrying() const { return carrying; }
  const Targets &getTouched() const { return touched; }

private:
  /// By powers, and by overflows that may have come into values.
  Targets carrying, touched;
};

class ScaledValues {
public:
  ScaledValues(const HandedScales &handed, const ScaleDegreeAnalysis &analysis,
               unsigned scale)
      : analysis(analysis), scale(scale),
        carrying(handed.getCarrying().find(scale)),
        touched(handed.getTouched().find(scale)) {}

  /// True if `value`, of `function`, carries a power of the scale.
  bool contains(Value value, func::FuncOp function) const;
  DegreeId getDegree(Value value) const { return analysis.lookup(value); }
  /// True if an overflow of the scale may have come into a value of `degree`.
  bool isTouchedBy(DegreeId degree, func::FuncOp function) const;

private:
  const ScaleDegreeAnalysis &analysis;
  unsigned scale;
  /// Arguments that a call gives what carries the scale, and those that it
  /// gives what an overflow of it may have come into.
  llvm::DenseSet<FunctionArgument> carrying, touched;
};

/// A function as one chain of calls enters it.
struct ScaledFrame {
  struct Argument {
    /// The power of the scale; nothing where it is not known.
    std::optional<Rational> power;
    /// Whether an overflow may have come into it.
    bool isTouched;
  };

  func::FuncOp function;
  /// Null, as the caller, where nothing calls the function.
  func::CallOp call;
  const ScaledFrame *caller;
  /// False where calls lead to the function that are not looked at.
  bool isKnown;
  SmallVector<Argument> arguments;
};

/// Frames of one scaler. The same chain of calls has one frame.
class ScaledFrames {
public:
  ScaledFrames(const ScaleDegreeAnalysis &analysis, unsigned scale)
      : analysis(analysis), scale(scale) {}

  /// The frame of `function` where nothing calls it, or, if not `isKnown`, for
  /// any calls at all.
  const ScaledFrame *getOutermost(func::FuncOp function, bool isKnown);
  /// That of `callee` where `call`, in `caller`, enters it.
  const ScaledFrame *enter(const ScaledFrame *caller, func::CallOp call,
                           func::FuncOp callee);

  enum class Carried { Nothing, Overflow, Scale, Unknown };
  Carried getCarried(Value value, const ScaledFrame *frame) const;

private:
  std::optional<Rational> getPower(Value value, const ScaledFrame *frame) const;
  bool isTouched(Value value, const ScaledFrame *frame) const;

  const ScaleDegreeAnalysis &analysis;
  unsigned scale;
  /// By caller and what is entered there: a call, or a function by itself.
  llvm::DenseMap<std::pair<const ScaledFrame *, Operation *>,
                 std::unique_ptr<ScaledFrame>>
      frames, unknown;
};

} // namespace mlir::amp

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_SCALEDVALUES_H
