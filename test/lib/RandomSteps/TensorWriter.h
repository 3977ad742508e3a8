//===- TensorWriter.h - Text of operations on tensors -----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes what a front end could have written for one operation on tensors, in
// one of the forms that there are for it: arith on tensors, a named operation,
// a linalg.generic, a linalg.map, a call of a helper. Text and no builders: the
// modules are read by people where something goes wrong, and take the way
// through the parser that a user's take.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_TENSORWRITER_H
#define AMP_TEST_RANDOMSTEPS_TENSORWRITER_H

#include "Random.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <string>
#include <vector>

namespace mlir::amp {

using Shape = llvm::SmallVector<int64_t, 3>;

/// A value of a function that is being written.
struct Value {
  std::string name;
  Shape shape;
  std::string element = "f32";
  /// Backward passes whose gradients it is computed from, a bit for each: what
  /// a guard must know.
  uint64_t overflows = 0;
  /// Backward passes whose skipping changes it in any way.
  uint64_t changes = 0;
  /// Line of its body that defines it and can carry attributes, or -1.
  int line = -1;

  std::string type() const;
};

/// "tensor<2x3xf32>"
std::string getTensorType(llvm::ArrayRef<int64_t> shape,
                          llvm::StringRef element = "f32");
/// A number as MLIR reads it, exactly.
std::string getNumber(double value);

/// Functions without roles that bodies call, by name.
using HelperFunctions = std::map<std::string, std::string>;

/// The operations of one region, line by line.
class TensorWriter {
public:
  TensorWriter(Random &random, HelperFunctions &helpers)
      : random(random), helpers(helpers) {}

  /// Attributes of the operations to come, without braces; empty for none.
  std::string origin;
  /// Share of operations that are written in a form of linalg.
  unsigned percentLinalg = 50;
  /// Share of unary operations that a helper computes.
  unsigned percentHelpers = 5;

  Value constant(double value, const Shape &shape);
  Value binary(llvm::StringRef kind, const Value &a, const Value &b);
  Value unary(llvm::StringRef kind, const Value &a);
  Value scale(const Value &a, double factor);
  Value add(const Value &a, double number);
  Value matmul(const Value &a, const Value &b, bool transposeA = false,
               bool transposeB = false);
  /// onto + a b, in one operation.
  Value matmulOnto(const Value &a, const Value &b, const Value &onto);
  /// In f32, of another floating-point type.
  Value widen(const Value &a);
  /// Rows of `table` by number.
  Value gather(const Value &table, const Value &numbers);
  /// yes where `mask`, a tensor of i1, holds, and no elsewhere.
  Value select(const Value &mask, const Value &yes, const Value &no);
  /// tanh(a w), as a function without roles, and its gradients.
  Value tanhLayer(const Value &a, const Value &w, bool isOpen);
  std::pair<Value, Value> tanhLayerGradient(const Value &a, const Value &w,
                                            const Value &y, const Value &g,
                                            bool isOpen);
  /// tanh(... tanh(a w) ... w), in a loop, with what it gave in each round
  /// below each other, and its gradients.
  std::pair<Value, Value> recur(const Value &a, const Value &w, int64_t rounds);
  std::pair<Value, Value> recurGradient(const Value &a, const Value &w,
                                        const Value &states, const Value &g,
                                        int64_t rounds);
  /// `kind` is arith.addf or arith.maximumf.
  Value reduce(llvm::StringRef kind, const Value &a,
               llvm::ArrayRef<int64_t> dimensions);
  /// `dimensions` are those of `shape` that `a` lacks.
  Value broadcast(const Value &a, llvm::ArrayRef<int64_t> dimensions,
                  const Shape &shape);
  Value transpose(const Value &a);
  /// Between [m, n] and [m * n].
  Value reshape(const Value &a, const Shape &shape);
  /// Rows of `a`.
  Value slice(const Value &a, int64_t first, int64_t count);
  /// Zeros of `shape` with `a` as its rows from `first` on.
  Value place(const Value &a, int64_t first, const Shape &shape);
  /// yes where test > 0, no elsewhere.
  Value selectPositive(const Value &test, const Value &yes, const Value &no);
  /// `factor` to the power `rounds` times `a`, in a loop.
  Value scaleInLoop(const Value &a, double factor, int64_t rounds);
  /// a w^rounds, in a loop.
  Value multiplyInLoop(const Value &a, const Value &w, int64_t rounds,
                       bool transposed);
  /// a * yes or a * no, by `flag`, a tensor<i1>.
  Value scaleInBranch(const Value &flag, const Value &a, double yes, double no);
  /// One-hot rows of `count` columns of the integers `labels`.
  Value oneHot(const Value &labels, int64_t count);
  Value toFloat(const Value &integer);

  std::string fresh();
  void write(const llvm::Twine &line);
  /// A line that defines one value; \x01 is where its attributes may stand in
  /// braces, \x02 where as `attrs = {...}`.
  Value define(const llvm::Twine &text, const Shape &shape,
               llvm::ArrayRef<const Value *> from, unsigned results = 1);
  /// Puts an attribute on what defines `value`; false if that takes none.
  bool mark(const Value &value, llvm::StringRef attribute);
  /// What a value is computed from, for a value that was written by hand.
  static void inherit(Value &value, llvm::ArrayRef<const Value *> from);
  /// All lines, each with `indent` spaces.
  std::string print(unsigned indent) const;

  Random &random;

private:
  struct Line {
    std::string text, attributes;
  };
  /// A linalg.generic over `ins` whose scalar body is `body`: it defines %r
  /// from %a, %b and so on.
  Value generic(llvm::ArrayRef<const Value *> ins,
                llvm::ArrayRef<std::string> maps, llvm::StringRef iterators,
                const Value &out, const std::string &body);
  std::string identityMap(size_t rank) const;
  Value empty(const Shape &shape);
  Value callHelper(llvm::StringRef kind, const Value &a);

  HelperFunctions &helpers;
  std::vector<Line> lines;
  unsigned count = 0;

public:
  /// Names go on from here, so that regions of one function differ.
  unsigned &counter() { return count; }
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_TENSORWRITER_H
