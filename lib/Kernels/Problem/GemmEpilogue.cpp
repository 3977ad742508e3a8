//===- GemmEpilogue.cpp - What happens to a product's elements ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a function as an epilogue. What it accepts is what can be cloned onto
// vectors of two elements, the unit in which an emitter's threads hold them.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/GemmEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::amp;

StringRef mlir::amp::stringifyOperandKind(EpilogueOperand::Kind kind) {
  switch (kind) {
  case EpilogueOperand::Kind::Column:
    return "column";
  case EpilogueOperand::Kind::Row:
    return "row";
  case EpilogueOperand::Kind::Matrix:
    return "matrix";
  case EpilogueOperand::Kind::Scalar:
    return "scalar";
  case EpilogueOperand::Kind::RowIndex:
    return "row-index";
  case EpilogueOperand::Kind::ColumnIndex:
    return "column-index";
  }
  llvm_unreachable("unknown kind of operand");
}

StringRef mlir::amp::stringifyOutput(EpilogueOutput output) {
  switch (output) {
  case EpilogueOutput::Amax:
    return "amax";
  case EpilogueOutput::Or:
    return "or";
  case EpilogueOutput::Matrix:
    return "matrix";
  case EpilogueOutput::ColumnSum:
    return "column-sum";
  case EpilogueOutput::RowSum:
    return "row-sum";
  }
  llvm_unreachable("unknown output");
}

static std::optional<EpilogueOperand::Kind> parseKind(Attribute attr) {
  auto text = dyn_cast_or_null<StringAttr>(attr);
  for (auto kind :
       {EpilogueOperand::Kind::Column, EpilogueOperand::Kind::Row,
        EpilogueOperand::Kind::Matrix, EpilogueOperand::Kind::Scalar,
        EpilogueOperand::Kind::RowIndex, EpilogueOperand::Kind::ColumnIndex})
    if (text && text.getValue() == stringifyOperandKind(kind))
      return kind;
  return std::nullopt;
}

static std::optional<EpilogueOutput> parseOutput(Attribute attr) {
  auto text = dyn_cast_or_null<StringAttr>(attr);
  for (auto output :
       {EpilogueOutput::Amax, EpilogueOutput::Or, EpilogueOutput::Matrix,
        EpilogueOutput::ColumnSum, EpilogueOutput::RowSum})
    if (text && text.getValue() == stringifyOutput(output))
      return output;
  return std::nullopt;
}

/// Types with a vector of two in LLVM that loads and stores as two scalars.
static bool isElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(32);
}

static LogicalResult verifyBody(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError() << "expected an epilogue of one block, but got "
                            << func.getBody().getBlocks().size();
  for (Operation &op : func.getBody().front().without_terminator())
    if (op.getNumRegions() || (!OpTrait::hasElementwiseMappableTraits(&op) &&
                               !isa<arith::ConstantOp>(op)))
      return op.emitError() << "expected elementwise operations and constants "
                               "in an epilogue, but got '"
                            << op.getName() << "'";
  return success();
}

/// Whether elements of `type` make `output`, and of which types they may be.
static bool isTypeOf(EpilogueOutput output, Type type) {
  switch (output) {
  case EpilogueOutput::Or:
    return type.isInteger(32);
  case EpilogueOutput::Matrix:
    return type.isF16() || type.isBF16() || type.isF32();
  case EpilogueOutput::Amax:
  case EpilogueOutput::ColumnSum:
  case EpilogueOutput::RowSum:
    return type.isF32();
  }
  llvm_unreachable("unknown output");
}
static StringRef describeTypes(EpilogueOutput output) {
  if (output == EpilogueOutput::Or)
    return "i32";
  return output == EpilogueOutput::Matrix ? "f16, bf16 or f32" : "f32";
}

static LogicalResult readOutputs(func::FuncOp func, GemmEpilogue &epilogue) {
  ArrayRef<Type> results = func.getFunctionType().getResults().drop_front();
  auto kinds = func->getAttrOfType<ArrayAttr>(kEpilogueOutputsAttr);
  if ((kinds ? kinds.size() : 0) != results.size())
    return func.emitError()
           << "expected '" << kEpilogueOutputsAttr
           << "' to name the outputs that the results after the first make, "
           << results.size() << " strings";
  for (auto [i, type] : llvm::enumerate(results)) {
    auto output = parseOutput(kinds[i]);
    if (!output)
      return func.emitError()
             << "expected output " << i << " in '" << kEpilogueOutputsAttr
             << "' to be \"amax\", \"or\", \"matrix\", \"column-sum\" or "
                "\"row-sum\", but got "
             << kinds[i];
    if (!isTypeOf(*output, type))
      return func.emitError()
             << "expected result " << i + 1 << " of an epilogue to be "
             << describeTypes(*output) << ", but got " << type;
    epilogue.outputs.push_back(*output);
  }
  return success();
}

FailureOr<GemmEpilogue> mlir::amp::readGemmEpilogue(func::FuncOp func,
                                                    Type result) {
  FunctionType type = func.getFunctionType();
  if (func.isExternal())
    return func.emitError() << "expected an epilogue with a body";
  if (type.getNumInputs() == 0 || !type.getInput(0).isF32())
    return func.emitError()
           << "expected the first argument of an epilogue to be the sum, f32";
  if (type.getNumResults() == 0 || type.getResult(0) != result)
    return func.emitError() << "expected an epilogue to return an element of "
                               "the result first, "
                            << result << ", but got " << type.getResults();
  GemmEpilogue epilogue;
  auto kinds = func->getAttrOfType<ArrayAttr>(kEpilogueOperandsAttr);
  if ((kinds ? kinds.size() : 0) != type.getNumInputs() - 1)
    return func.emitError()
           << "expected '" << kEpilogueOperandsAttr
           << "' to name the kinds of the arguments after the first, "
           << type.getNumInputs() - 1 << " strings";
  for (unsigned i = 1; i < type.getNumInputs(); ++i) {
    auto kind = parseKind(kinds[i - 1]);
    if (!kind)
      return func.emitError() << "expected the kind of argument " << i
                              << " in '" << kEpilogueOperandsAttr
                              << "' to be \"column\", \"row\", \"matrix\", "
                                 "\"scalar\", \"row-index\" or "
                                 "\"column-index\", but got "
                              << kinds[i - 1];
    if (!isElement(type.getInput(i)))
      return func.emitError() << "expected argument " << i
                              << " of an epilogue to be f16, bf16, f32 or i32, "
                                 "but got "
                              << type.getInput(i);
    epilogue.operands.push_back({*kind, type.getInput(i)});
    if (epilogue.operands.back().isIndex() && !type.getInput(i).isInteger(32))
      return func.emitError()
             << "expected argument " << i
             << " of an epilogue, an index, to be i32, but got "
             << type.getInput(i);
  }
  if (failed(readOutputs(func, epilogue)) || failed(verifyBody(func)))
    return failure();
  epilogue.body = &func.getBody();
  return epilogue;
}
