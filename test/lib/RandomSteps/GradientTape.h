//===- GradientTape.h - A forward pass and its backward pass ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes operations of a forward pass and remembers them, so that the backward
// pass can be written after them: one rule per kind of operation, as an
// automatic differentiator has it. So a random program's gradients are right by
// construction, and any operation may stand anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_RANDOMSTEPS_GRADIENTTAPE_H
#define AMP_TEST_RANDOMSTEPS_GRADIENTTAPE_H

#include "TensorWriter.h"

namespace mlir::amp {

class GradientTape {
public:
  explicit GradientTape(TensorWriter &writer) : writer(writer) {}

  /// Makes `value` known. Gradients go to what needs them.
  int input(Value value, bool needsGradient);
  const Value &get(int id) const { return entries[id].value; }
  const Shape &shape(int id) const { return entries[id].value.shape; }

  // Operations of the forward pass; operands and results are numbers.
  int binary(llvm::StringRef kind, int a, int b);
  int unary(llvm::StringRef kind, int a);
  int relu(int a);
  int scale(int a, double factor);
  int add(int a, double number);
  int matmul(int a, int b, bool transposeB = false);
  int sum(int a, llvm::ArrayRef<int64_t> dimensions);
  int broadcast(int a, llvm::ArrayRef<int64_t> dimensions, const Shape &shape);
  int reshape(int a, const Shape &shape);
  int slice(int a, int64_t first, int64_t count);
  int scaleInLoop(int a, double factor, int64_t rounds);
  int multiplyInLoop(int a, int w, int64_t rounds);
  int scaleInBranch(const Value &flag, int a, double yes, double no);
  int matmulOnto(int a, int b, int onto);
  int gather(int table, const Value &numbers);
  int mask(const Value &mask, int a, double factor);
  int tanhLayer(int a, int w, bool isOpen);
  int recur(int a, int w, int64_t rounds);
  /// max over `dimensions`, as a constant of the backward pass.
  int maximum(int a, llvm::ArrayRef<int64_t> dimensions);

  /// The backward pass from `output`, whose cotangent is `seed`. May be called
  /// for several outputs; gradients add up.
  void addCotangent(int output, const Value &seed);
  void writeBackward();
  /// Null where none arrived.
  const Value *getGradient(int id) const;

  /// Attributes of backward operations for those of their forward operation.
  std::string (*toBackward)(llvm::StringRef origin) = nullptr;

private:
  enum Kind {
    Input,
    Add,
    Sub,
    Mul,
    Div,
    Unary,
    Relu,
    Scale,
    Shift,
    Matmul,
    Sum,
    Broadcast,
    Reshape,
    Slice,
    LoopScale,
    LoopMatmul,
    Branch,
    Maximum,
    MatmulOnto,
    Gather,
    Mask,
    TanhLayer,
    Recur,
  };
  struct Entry {
    Kind kind;
    Value value;
    bool needsGradient;
    int a = -1, b = -1, c = -1;
    double factor = 0, other = 0;
    int64_t number = 0;
    bool transposed = false;
    llvm::SmallVector<int64_t, 2> dimensions;
    std::string text, origin;
    Value flag;
  };
  int push(Kind kind, Value value, int a, int b = -1);
  void contribute(int id, const Value &gradient);
  void writeBackward(const Entry &entry, const Value &gradient, int id);

  TensorWriter &writer;
  std::vector<Entry> entries;
  std::map<int, Value> gradients;
};

} // namespace mlir::amp

#endif // AMP_TEST_RANDOMSTEPS_GRADIENTTAPE_H
