//===- Product.h - What a kernel multiplies, and where it is ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A main loop knows how tiles of A and B in shared memory become sums, and
// nothing of where they come from. That is a Product's part: the kernel's
// parameters, how a tile is loaded, which stages of K belong to a tile of D,
// and where its elements go. Each main loop serves every product: GemmProduct
// has matrices, ConvolutionProduct images and filters.
//
// A product emits operations where the builder stands. What depends on the tile
// of D alone is emitted by `beginTile`, before the loop over K, and kept until
// the next tile begins.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_PRODUCTS_PRODUCT_H
#define AMP_LIB_KERNELS_PRODUCTS_PRODUCT_H

#include "Epilogue/EpilogueBuilder.h"
#include "Epilogue/EpilogueOperands.h"
#include "Operands/OperandTile.h"
#include "TileScheduler.h"

namespace mlir::amp {

/// The two operands.
enum class Side { A, B };

class Product {
public:
  /// `problem` is the matrix product; its `batch` counts all that
  /// WorkItem::batch tells apart. `config` and `epilogue` outlive the product.
  Product(DeviceBuilder &b, const GemmProblem &problem,
          const GemmConfig &config, const GemmEpilogue &epilogue)
      : b(b), problem(problem), config(config), epilogue(epilogue),
        tileA(problem.a, config.tileM, problem.transposeA),
        tileB(problem.b, config.tileN, !problem.transposeB),
        shareOfB(problem.b, config.tileN / config.cluster,
                 !problem.transposeB) {}
  virtual ~Product();

  /// Adds the kernel, and its dynamic shared memory `<name>_memory`, and goes
  /// to the beginning of its body.
  void enterKernel(StringRef name);
  /// The address of that memory.
  Value sharedMemory() const {
    return LLVM::AddressOfOp::create(b, b.pointer(3), memory);
  }

  TileScheduler scheduler() const {
    return {b,
            {config.tileM * config.cluster, config.tileN, config.rasterGroup,
             config.splitK},
            m,
            n,
            batches};
  }

  /// The stages of K that belong to a work item.
  virtual StageRange stagesOf(WorkItem item) = 0;

  /// Before the loop over K: the tiles of A that begin at `row` and those of B
  /// (in a cluster, this block's share of them) that begin at `column`. With
  /// loads by threads, `thread` is the number of this one of `threads`.
  virtual void beginTile(WorkItem item, Number row, Number column,
                         Number thread, int64_t threads) = 0;
  /// Loads or copies a stage's tile, with all the threads.
  virtual void loadByThreads(Side side, Value shared, Number stage) = 0;
  /// Has the copy engine load it, by one thread.
  virtual void loadByTma(Side side, Value shared, Number stage, Value barrier,
                         Value multicast) = 0;

  /// Where the sums of a work item go: to D, after the epilogue, or with a
  /// split K as they are to the workspace. With TMA, the pointer is a map.
  ResultMatrix resultOf(WorkItem item);
  EpilogueBuilder makeEpilogue(const ResultMatrix &matrix) const {
    return EpilogueBuilder(b, split() ? none : epilogue, operands, matrix.shape,
                           split() ? b.getF32Type() : problem.d);
  }

  /// Where the outputs of a work item's epilogue go, which `lane` of each warp
  /// has a share of. A split K has them in its second kernel.
  EpilogueOutputs makeOutputs(const ResultMatrix &matrix, WorkItem item,
                              Number lane) const {
    return {b,
            split() ? none.outputs : epilogue.outputs,
            outputs,
            matrix.shape,
            getWarpPart(problem, config),
            lane,
            item.batch,
            config};
  }

  bool split() const { return config.splitK > 1; }
  bool batched() const { return problem.batch > 1; }
  /// The sums leave by TMA.
  bool storesByTma() const {
    return config.schedule->storer == Schedule::Storer::CopyEngine &&
           (split() || config.storeD == MatrixAccess::Tma);
  }

protected:
  /// Adds the parameters, D's or the workspace's with addResult.
  virtual void addParameters(KernelSignature &signature) = 0;
  /// Sets m, n and batches, and the operands of the epilogue.
  virtual void readParameters(Block *entry) = 0;
  /// Where elements go without a split K.
  virtual ResultMatrix placeResult(WorkItem item) = 0;

  /// The workspace of a split K.
  void addWorkspace(KernelSignature &signature);

  DeviceBuilder &b;

public:
  const GemmProblem problem;
  const GemmConfig &config;
  const GemmEpilogue &epilogue;
  const OperandTile tileA, tileB;
  /// A block's share of B in a cluster.
  const OperandTile shareOfB;

protected:
  Number m, n, batches;
  /// D, or the workspace.
  Value result;
  /// Of the epilogue.
  SmallVector<Value> operands, outputs;
  /// Place among the kernels of the module.
  int64_t order = 0;
  /// Index of the parameter `result`.
  unsigned resultIndex = 0;

private:
  std::string memory;
  GemmEpilogue none;
};

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_PRODUCTS_PRODUCT_H
