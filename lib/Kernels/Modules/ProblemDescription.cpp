//===- ProblemDescription.cpp - What a module computes --------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epilogue that is a chain of steps from the sum to the result is said as
// those steps; any other is only said to be there.
//
//===----------------------------------------------------------------------===//

#include "ProblemDescription.h"

#include "Products/ConvolutionProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

/// "operand0"... if the value is an operand of the epilogue, or one made wider.
static std::string nameOperand(Value value) {
  if (auto wider = value.getDefiningOp<arith::ExtFOp>())
    value = wider.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getArgNumber() == 0)
    return "";
  return "operand" + std::to_string(argument.getArgNumber() - 1);
}

/// The step that `op` does to `value`, or null.
static DictionaryAttr describeStep(Builder &b, Operation *op, Value value) {
  if (op->getNumOperands() != 2)
    return nullptr;
  Value other = op->getOperand(op->getOperand(0) == value ? 1 : 0);
  NamedAttrList step;
  if (isa<arith::MaximumFOp>(op)) {
    if (!matchPattern(other, m_AnyZeroFloat()))
      return nullptr;
    step.set("op", b.getStringAttr("relu"));
    return step.getDictionary(b.getContext());
  }
  std::string operand = nameOperand(other);
  if (operand.empty() || !isa<arith::AddFOp, arith::MulFOp>(op))
    return nullptr;
  step.set("op", b.getStringAttr(isa<arith::AddFOp>(op) ? "add" : "mul"));
  step.set("operand", b.getStringAttr(operand));
  return step.getDictionary(b.getContext());
}

/// An array of steps, or the text "other".
static Attribute describeEpilogue(Builder &b, Region &body) {
  SmallVector<Attribute> steps;
  Value value = body.getArgument(0);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (user->hasTrait<OpTrait::IsTerminator>())
      return b.getArrayAttr(steps);
    bool isRounded = value.getDefiningOp<arith::TruncFOp>() != nullptr;
    // Rounding in the end is not said: every kernel does it.
    if (!isa<arith::TruncFOp>(user)) {
      DictionaryAttr step = isRounded ? nullptr : describeStep(b, user, value);
      if (!step)
        break;
      steps.push_back(step);
    }
    value = user->getResult(0);
  }
  return b.getStringAttr("other");
}

DictionaryAttr mlir::amp::describeGemm(Builder &b, const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const GemmEpilogue &epilogue) {
  NamedAttrList result;
  auto number = [&](StringRef name, int64_t value) {
    result.set(name, b.getI64IntegerAttr(value));
  };
  result.set("family",
             b.getStringAttr(problem.groups               ? "grouped-gemm"
                             : problem.batchShape.empty() ? "gemm"
                                                          : "strided-gemm"));
  if (problem.groups)
    number("groups", problem.groups);
  number("m", problem.m);
  number("n", problem.n);
  number("k", problem.k);
  number("batch", problem.batch);
  number("lda", problem.lda);
  number("ldb", problem.ldb);
  number("ldd", problem.ldd);
  if (!problem.batchShape.empty())
    for (auto [name, numbers] :
         {std::pair("batch_shape", ArrayRef(problem.batchShape)),
          {"batch_strides_a", ArrayRef(problem.batchStridesA)},
          {"batch_strides_b", ArrayRef(problem.batchStridesB)},
          {"batch_strides_d", ArrayRef(problem.batchStridesD)}})
      result.set(name, b.getDenseI64ArrayAttr(numbers));
  result.set("a", TypeAttr::get(problem.a));
  result.set("b", TypeAttr::get(problem.b));
  result.set("d", TypeAttr::get(problem.d));
  result.set("layout", b.getStringAttr(Twine(problem.transposeA ? "t" : "n") +
                                       (problem.transposeB ? "t" : "n")));
  result.set("tile", b.getDenseI64ArrayAttr(
                         {config.tileM, config.tileN, config.tileK}));
  if (epilogue.body)
    result.set("epilogue", epilogue.outputs.empty()
                               ? describeEpilogue(b, *epilogue.body)
                               : b.getStringAttr("other"));
  return result.getDictionary(b.getContext());
}

DictionaryAttr mlir::amp::describeConvolution(Builder &b,
                                              const ConvolutionProblem &problem,
                                              const GemmConfig &config,
                                              const GemmEpilogue &epilogue) {
  NamedAttrList result;
  auto numbers = [&](StringRef name, ArrayRef<int64_t> values) {
    result.set(name, b.getDenseI64ArrayAttr(values));
  };
  result.set("family", b.getStringAttr("convolution"));
  result.set("direction",
             b.getStringAttr(stringifyConvolutionKind(problem.kind)));
  result.set("format", b.getStringAttr("nhwc"));
  for (auto [name, value] : {std::pair("n", problem.batch),
                             {"h", problem.height},
                             {"w", problem.width},
                             {"c", problem.channels},
                             {"k", problem.filters},
                             {"r", problem.filterHeight},
                             {"s", problem.filterWidth},
                             {"groups", problem.groups}})
    result.set(name, b.getI64IntegerAttr(value));
  numbers("stride", {problem.strideHeight, problem.strideWidth});
  numbers("dilation", {problem.dilationHeight, problem.dilationWidth});
  if (problem.padTop == problem.padBottom &&
      problem.padLeft == problem.padRight)
    numbers("padding", {problem.padTop, problem.padLeft});
  else
    numbers("padding", {problem.padTop, problem.padLeft, problem.padBottom,
                        problem.padRight});
  ConvolutionNames names = getTensorNames(problem.kind);
  result.set(names.a, TypeAttr::get(problem.a));
  result.set(names.b, TypeAttr::get(problem.b));
  result.set(names.d, TypeAttr::get(problem.d));
  if (!problem.isDepthwise())
    numbers("tile", {config.tileM, config.tileN, config.tileK});
  if (epilogue.body)
    result.set("epilogue", describeEpilogue(b, *epilogue.body));
  return result.getDictionary(b.getContext());
}
