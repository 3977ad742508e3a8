//===- MatrixLoads.cpp - ldmatrix and stmatrix ----------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to four 8x8 matrices of 16-bit elements. Lane i gives the address of row
// i % 8 of matrix i / 8, and is the one that is charged with the access. A
// matrix is one pass over the banks: eight rows of 16 bytes want eight
// different groups of four banks.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Fragments.h"

using namespace amp::emu;

namespace {
/// The row addresses of up to four matrices.
struct MatrixRows {
  char *row[warpSize];
};
} // namespace

static bool collectRows(Cluster &cluster, Gathering &lanes,
                        const Instruction &inst, uint32_t id, Thread *first,
                        AccessKind kind, MatrixRows &rows) {
  bool inside = true;
  for (int i = 0; i < 8 * inst.number; ++i) {
    rows.row[i] = getOperand<char *>(lanes.arguments[i], inst, 0);
    SharedAddress address = cluster.locate(rows.row[i]);
    if (address.offset % 16)
      cluster.report(id, "expected matrix rows at multiples of 16 bytes");
    Actor actor = cluster.genericActor(first[i]);
    actor.epoch.instruction = id;
    inside &= cluster.checkShared(actor, address, 16, kind, id);
  }
  for (int matrix = 0; matrix < inst.number; ++matrix) {
    unsigned used[8] = {}, worst = 0;
    for (int i = 0; i < 8; ++i) {
      uint32_t offset = cluster.locate(rows.row[matrix * 8 + i]).offset;
      worst = std::max(worst, ++used[offset / 16 % 8]);
    }
    ++cluster.statistics.matrixPasses;
    cluster.statistics.matrixConflicts += worst - 1;
  }
  return inside;
}

void Cluster::loadMatrix(Gathering &lanes, const Instruction &inst, uint32_t id,
                         Thread *first) {
  MatrixRows rows;
  if (!collectRows(*this, lanes, inst, id, first, AccessKind::Read, rows))
    return;
  for (int lane = 0; lane < int(warpSize); ++lane)
    for (int matrix = 0; matrix < inst.number; ++matrix)
      for (int h = 0; h < 2; ++h) {
        Element e = getElement8x8(lane, h, inst.transposed);
        memcpy(lanes.results[lane] + 4 * matrix + 2 * h,
               rows.row[matrix * 8 + e.row] + 2 * e.column, 2);
      }
}

void Cluster::storeMatrix(Gathering &lanes, const Instruction &inst,
                          uint32_t id, Thread *first) {
  MatrixRows rows;
  if (!collectRows(*this, lanes, inst, id, first, AccessKind::Write, rows))
    return;
  for (int lane = 0; lane < int(warpSize); ++lane)
    for (int matrix = 0; matrix < inst.number; ++matrix)
      for (int h = 0; h < 2; ++h) {
        Element e = getElement8x8(lane, h, inst.transposed);
        memcpy(rows.row[matrix * 8 + e.row] + 2 * e.column,
               lanes.arguments[lane] + inst.offsets[1 + matrix] + 2 * h, 2);
      }
}
