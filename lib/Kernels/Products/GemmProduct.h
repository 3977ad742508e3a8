//===- GemmProduct.h - The product of two matrices in memory ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B with matrices that lie in memory row by row. Sizes and row strides
// are parameters of the kernel, loops over a batch and their strides are not.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_PRODUCTS_GEMMPRODUCT_H
#define AMP_LIB_KERNELS_PRODUCTS_GEMMPRODUCT_H

#include "Product.h"

namespace mlir::amp {

class GemmProduct : public Product {
public:
  using Product::Product;

  /// What the operands are called in `amp.launch`.
  StringRef nameOfA = "a", nameOfB = "b";

  StageRange stagesOf(WorkItem item) override {
    return getStages(b, item, ceilDiv(k, config.tileK), config.splitK);
  }
  void beginTile(WorkItem item, Number row, Number column, Number thread,
                 int64_t threads) override;
  void loadByThreads(Side side, Value shared, Number stage) override;
  void loadByTma(Side side, Value shared, Number stage, Value barrier,
                 Value multicast) override;

protected:
  void addParameters(KernelSignature &signature) override;
  void readParameters(Block *entry) override;
  ResultMatrix placeResult(WorkItem item) override;

  /// One of the matrices of an operand.
  struct Matrix {
    /// Among those that follow one another; null if there is only one.
    Value number;
    /// Where they do not: by TMA its coordinates in the tensor map behind the
    /// first two, by threads its address.
    SmallVector<Value, 3> coordinates;
    Value pointer;
  };
  /// Where the loads of the current tile are.
  struct Position {
    Number row, column, thread;
    int64_t threads;
    Matrix a, b;
  };
  Position position = {};
  OperandSource sourceA, sourceB;
  Number resultStride;

  /// Rows of D are chunks of 16 bytes, which warps can store.
  bool hasWholeChunks() const {
    return config.schedule->storer == Schedule::Storer::Everyone && !split() &&
           isTmaStride(problem.n, problem.d) &&
           isTmaStride(problem.strideOfD(), problem.d) &&
           areTmaStrides(problem.batchStridesD, problem.d);
  }

private:
  /// Indices of the kernel's parameters.
  struct Parameters {
    unsigned a, b, operands, outputs, m, n, k, batch, lda, ldb, ldd;
  };
  /// A matrix as it lies in memory: `outer` rows of `inner` elements, `stride`
  /// apart. `count` of them follow one another, unless loops over them have
  /// `strides`.
  struct StoredMatrix {
    Type type;
    int64_t inner, outer, stride, count;
    ArrayRef<int64_t> strides;
    /// Elements of the memory.
    int64_t elements;
  };
  unsigned addMatrix(KernelSignature &signature, StringRef name,
                     const StoredMatrix &matrix, MatrixAccess access,
                     int64_t boxColumns, int64_t boxRows);
  /// That of A or B which `item` reads.
  Matrix locate(WorkItem item, const OperandSource &source, Type type,
                ArrayRef<int64_t> strides);
  Parameters index = {};
  Number k;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_PRODUCTS_GEMMPRODUCT_H
