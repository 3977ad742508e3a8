//===- EpilogueOperands.cpp - Parameters of an epilogue -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters are numbered one after the other from the first, so that one index
// finds all of them.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOperands.h"

using namespace mlir;
using namespace mlir::amp;

unsigned mlir::amp::addEpilogueOperands(KernelSignature &signature,
                                        const GemmEpilogue &epilogue,
                                        EpilogueSizes sizes) {
  std::optional<unsigned> first;
  for (auto [i, operand] : llvm::enumerate(epilogue.operands)) {
    if (operand.isIndex())
      continue;
    int64_t elements = 1;
    if (operand.kind == EpilogueOperand::Kind::Column)
      elements = sizes.columns;
    else if (operand.kind == EpilogueOperand::Kind::Row)
      elements = sizes.rows;
    else if (operand.kind == EpilogueOperand::Kind::Matrix)
      elements = sizes.matrix;
    unsigned index = signature.addOperand("operand" + std::to_string(i),
                                          stringifyOperandKind(operand.kind),
                                          operand.type, elements);
    if (!first)
      first = index;
  }
  return first.value_or(0);
}

SmallVector<Value>
mlir::amp::readEpilogueOperands(Block *entry, unsigned first,
                                const GemmEpilogue &epilogue) {
  SmallVector<Value> pointers;
  for (const EpilogueOperand &operand : epilogue.operands)
    pointers.push_back(operand.isIndex() ? Value()
                                         : entry->getArgument(first++));
  return pointers;
}
