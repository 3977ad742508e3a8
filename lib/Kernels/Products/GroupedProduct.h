//===- GroupedProduct.h - Products that share the rows of A -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each group has a run of the rows of A and D, which the kernel finds in
// memory, and its own B. Tiles are of one group each: a kernel before this one
// writes a table that says for each tile of rows its group, its first row and
// where the group's rows end. The table has room for a partly filled tile of
// each group; entries that are left over have no rows.
//
// A tile at the end of a group loads rows of the next group, and computes from
// them what is not stored.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_KERNELS_PRODUCTS_GROUPEDPRODUCT_H
#define AMP_LIB_KERNELS_PRODUCTS_GROUPEDPRODUCT_H

#include "GemmProduct.h"

namespace mlir::amp {

class GroupedProduct : public GemmProduct {
public:
  GroupedProduct(DeviceBuilder &b, const GemmProblem &problem,
                 const GemmConfig &config, const GemmEpilogue &epilogue)
      : GemmProduct(b, problem, config, epilogue) {
    order = 1;
  }

  StageRange stagesOf(WorkItem item) override;
  void beginTile(WorkItem item, Number row, Number column, Number thread,
                 int64_t threads) override;

protected:
  void addParameters(KernelSignature &signature) override;
  void readParameters(Block *entry) override;
  ResultMatrix placeResult(WorkItem item) override;

private:
  /// An entry of the table.
  struct Tile {
    Number group, firstRow, endRow;
  };
  Tile lookUp(WorkItem item);

  unsigned tilesIndex = 0, groupsIndex = 0;
  Value tiles;
};

/// Adds the kernel that writes the table.
void emitTilesOfGroups(DeviceBuilder &b, StringRef name,
                       const GemmProblem &problem, const GemmConfig &config);

} // namespace mlir::amp

#endif // AMP_LIB_KERNELS_PRODUCTS_GROUPEDPRODUCT_H
