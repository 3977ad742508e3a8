//===- LinalgToTensorCore.cpp - Contractions to generated kernels ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion plan of each block says which operations are computed with which
// contraction. Then one contraction after the other, in program order: view it
// as a product, make an epilogue of what is planned with it, choose a kernel,
// and put the launch where the epilogue ends. There all operands are defined,
// whatever the order in which the program computed them.
//
// Each operand has several tensors from which it could be read. The first pair
// that a kernel takes is used, those without a copy first. A pair is refused by
// the kernel's own rules (types that do not go together, layouts that 8-bit
// operands do not have) and by nothing here, so the rules stand in one place.
// Rows at no multiple of 16 bytes are loaded and stored element by element;
// where copies to and from rows that are take less, there are these.
//
//===----------------------------------------------------------------------===//

#include "Concatenations.h"
#include "ConvolutionMatch.h"
#include "EpilogueRegion.h"
#include "ImageGradient.h"
#include "KernelModules.h"
#include "MatrixProduct.h"
#include "ProductChecks.h"
#include "ProductReaders.h"
#include "amp/Conversion/Device/Passes.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Kernels/Chip.h"
#include "amp/Kernels/KernelChoice.h"
#include "amp/Support/ShapedBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

#define DEBUG_TYPE "convert-linalg-to-tensor-core"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLINALGTOTENSORCOREPASS
#include "amp/Conversion/Device/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Bytes of a tensor of known shape.
static int64_t getBytes(Value tensor) {
  return countShapedBytes(cast<RankedTensorType>(tensor.getType()),
                          /*unknownExtent=*/1);
}

namespace {
/// What was decided for one contraction.
struct Plan {
  MatrixSource a, b;
  GemmProblem problem;
  KernelChoice choice;
  /// As that of MatrixProduct.
  int64_t paddedStride = 0;

  /// With the copies of its operands and its result.
  double getSeconds() const {
    double seconds = choice.cost.seconds;
    auto addCopy = [&](double bytes) {
      seconds += estimateMemoryPass(2 * bytes, *choice.config.chip);
    };
    for (const MatrixSource &source : {a, b})
      if (source.isCopy())
        addCopy(getBytes(source.value));
    if (paddedStride)
      addCopy(double(problem.m) * problem.n * problem.batch *
              getElementBytes(problem.d));
    return seconds;
  }
};

/// The same for a convolution.
struct ConvolutionPlan {
  ConvolutionProblem problem;
  KernelChoice choice;
  /// Null, or the view as the gradient of another one's image.
  const ImageGradient *gradient;
  /// With copies that it needs and another view does not.
  double seconds;
};

struct ConvertLinalgToTensorCore
    : public amp::impl::ConvertLinalgToTensorCorePassBase<
          ConvertLinalgToTensorCore> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  LogicalResult convert(linalg::LinalgOp op, ArrayRef<Operation *> readers,
                        KernelModules &modules, std::string &reason);
  FailureOr<Plan> choosePlan(const MatrixProduct &product,
                             const EpilogueRegion &epilogue,
                             std::string &reason);
  /// The best that a kernel takes, of operands as they are or of f32 ones as
  /// tf32.
  FailureOr<Plan> findPlan(const MatrixProduct &product,
                           const EpilogueRegion &epilogue, bool asTf32,
                           std::string &reason);
  /// Replaces a plan by one with rows that the copy engine takes, if that takes
  /// less with the copies.
  void padRowsOf(Plan &plan, const MatrixProduct &product,
                 const EpilogueRegion &epilogue);
  /// Whether tf32, which takes `fast` seconds, is better than f32, which takes
  /// `wide` or has no kernel. Notes why not.
  bool isTf32Better(double fast, std::optional<double> wide);
  LogicalResult convertProduct(const Contraction &contraction,
                               ArrayRef<Operation *> readers,
                               KernelModules &modules, std::string &reason);
  /// As findPlan. `gradients` are other views of the convolution.
  FailureOr<ConvolutionPlan> findConvolutionPlan(
      const ConvolutionMatch &match, ArrayRef<ImageGradient> gradients,
      const EpilogueRegion &epilogue, bool asTf32, std::string &reason);
  FailureOr<ConvolutionPlan>
  chooseConvolutionPlan(const ConvolutionMatch &match,
                        ArrayRef<ImageGradient> gradients,
                        const EpilogueRegion &epilogue, std::string &reason);
  LogicalResult convertConvolution(const Contraction &contraction,
                                   ArrayRef<Operation *> readers,
                                   KernelModules &modules, std::string &reason);
  /// What the kernel is given of a source: so many elements of it.
  Value readSource(OpBuilder &b, Location loc, const MatrixSource &source,
                   int64_t elements);
  Value readFilters(OpBuilder &b, const ConvolutionMatch &match);
  Value buildFilters(OpBuilder &b, const FilterMove &move);
  void reportChoice(const MatrixProduct &product,
                    const EpilogueRegion &epilogue, gpu::GPUModuleOp kernels,
                    const KernelChoice &choice);
  /// Puts the launch where the epilogue ends. The kernels' arguments are
  /// `operandNames`, for what `makeOperands` gives, and `resultName`.
  void emitLaunch(const MatrixProduct &product, const EpilogueRegion &epilogue,
                  gpu::GPUModuleOp kernels, const KernelChoice &choice,
                  ArrayRef<StringRef> operandNames, StringRef resultName,
                  function_ref<SmallVector<Value>(OpBuilder &)> makeOperands);

  const Chip *target = nullptr;
  ProductChecks checks;
  /// What is planned with any product; operations may be gone by now.
  DenseSet<Operation *> readersOfAll;
  /// Why the contraction at hand is computed in f32 although tf32 was asked
  /// for; empty if it is not.
  std::string keptWide;
  KernelTable measured;
  bool isTableWrong = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// As EpilogueWork says.
static EpilogueWork getWork(const EpilogueRegion &epilogue) {
  EpilogueWork work;
  if (epilogue.kept)
    work.bytes += getBytes(epilogue.kept);
  for (Value operand : epilogue.operands)
    work.bytes += getBytes(operand);
  if (epilogue.function)
    work.instructions =
        countElementInstructions(epilogue.function.get().getBody());
  return work;
}

FailureOr<Plan>
ConvertLinalgToTensorCore::findPlan(const MatrixProduct &product,
                                    const EpilogueRegion &epilogue, bool asTf32,
                                    std::string &reason) {
  Type type = getElementTypeOrSelf(epilogue.result.getType());
  const EpilogueWork work = getWork(epilogue);
  SmallVector<std::pair<const MatrixSource *, const MatrixSource *>> pairs;
  for (int copies = 0; copies <= 2; ++copies)
    for (const MatrixSource &a : product.a)
      for (const MatrixSource &b : product.b)
        if (a.isCopy() + b.isCopy() == copies)
          pairs.push_back({&a, &b});
  for (auto [a, b] : pairs) {
    std::optional<GemmProblem> problem = product.getProblem(*a, *b, type);
    if (!problem) {
      if (reason.empty())
        reason = "the matrices of its batch are no loops of kernels";
      continue;
    }
    if (asTf32) {
      if (!problem->a.isF32() || !problem->b.isF32())
        continue;
      problem->a = problem->b = FloatTF32Type::get(&getContext());
    }
    std::string refusal;
    FailureOr<KernelChoice> choice =
        chooseGemm(*problem, *target, work, measured, refusal);
    if (succeeded(choice)) {
      Plan plan{*a, *b, *problem, *choice};
      padRowsOf(plan, product, epilogue);
      return plan;
    }
    if (measured.find(*problem, *target)) {
      product.op->emitError() << "expected a kernel that fits in the table '"
                              << table << "', but got: " << refusal;
      isTableWrong = true;
      return failure();
    }
    if (reason.empty())
      reason = refusal; // of the sources that are best otherwise
  }
  return failure();
}

void ConvertLinalgToTensorCore::padRowsOf(Plan &plan,
                                          const MatrixProduct &product,
                                          const EpilogueRegion &epilogue) {
  auto areThreads = [](MatrixAccess access) {
    return access == MatrixAccess::Threads;
  };
  const GemmConfig &config = plan.choice.config;
  const GemmProblem &problem = plan.problem;
  // What was measured to be good is not compared with what is expected.
  if (measured.find(problem, *target))
    return;
  SmallVector<MatrixSource, 2> ofA = {plan.a}, ofB = {plan.b};
  auto addPadded = [&](SmallVectorImpl<MatrixSource> &sources,
                       MatrixAccess access, int64_t row) {
    if (!areThreads(access))
      return;
    if (std::optional<MatrixSource> padded = padRows(sources[0], row))
      sources.push_back(*padded);
  };
  addPadded(ofA, config.loadA, problem.rowOfA());
  addPadded(ofB, config.loadB, problem.rowOfB());
  SmallVector<int64_t, 2> ofD = {0};
  const int64_t stride = getPaddedStride(problem.n, problem.d);
  if (areThreads(config.storeD) &&
      config.schedule->alignedStore() != MatrixAccess::Threads &&
      stride != problem.n && product.isResultDense() &&
      product.resultPermutation.empty() && problem.batchShape.empty() &&
      !epilogue.kept &&
      countDimsBeforeRow(
          cast<RankedTensorType>(epilogue.result.getType()).getShape(),
          problem.n) &&
      !epilogue.result.getDefiningOp<tensor::InsertSliceOp>())
    ofD.push_back(stride);
  std::optional<Plan> best;
  for (const MatrixSource &a : ofA)
    for (const MatrixSource &b : ofB)
      for (int64_t ldd : ofD) {
        std::optional<GemmProblem> padded = product.getProblem(a, b, problem.d);
        if (!padded || (!a.paddedRow && !b.paddedRow && !ldd))
          continue;
        padded->a = problem.a;
        padded->b = problem.b;
        if (ldd)
          padded->ldd = ldd;
        std::string refusal;
        FailureOr<KernelChoice> choice =
            chooseGemm(*padded, *target, getWork(epilogue), measured, refusal);
        if (failed(choice))
          continue;
        Plan other{a, b, *padded, *choice, ldd};
        if (other.getSeconds() < (best ? *best : plan).getSeconds())
          best = std::move(other);
      }
  if (best)
    plan = std::move(*best);
}

bool ConvertLinalgToTensorCore::isTf32Better(double fast,
                                             std::optional<double> wide) {
  keptWide.clear();
  if (!wide || always || fast < *wide)
    return true;
  keptWide = llvm::formatv("it is expected to take {0:f1} us with its "
                           "copies, in f32 {1:f1} us",
                           fast * 1e6, *wide * 1e6);
  return false;
}

FailureOr<Plan>
ConvertLinalgToTensorCore::choosePlan(const MatrixProduct &product,
                                      const EpilogueRegion &epilogue,
                                      std::string &reason) {
  FailureOr<Plan> plan = findPlan(product, epilogue, /*asTf32=*/false, reason);
  // What is narrow loses nothing; it is read as it is.
  if (tf32 && !isTableWrong && (failed(plan) || plan->problem.a.isF32())) {
    FailureOr<Plan> fast =
        findPlan(product, epilogue, /*asTf32=*/true, keptWide);
    std::optional<double> wide;
    if (succeeded(plan))
      wide = plan->getSeconds();
    if (succeeded(fast) && isTf32Better(fast->getSeconds(), wide))
      plan = fast;
  }
  if (failed(plan) || isTableWrong)
    return failure();
  double plain = estimatePlainGemm(plan->problem, *target, getWork(epilogue));
  double seconds = plan->choice.cost.seconds;
  if (!always && plain * kPlainMargin < seconds) {
    reason = llvm::formatv("a plain kernel is expected to take {0:f1} us, "
                           "this one {1:f1} us",
                           plain * 1e6, seconds * 1e6); // Rule 5
    return failure();
  }
  return plan;
}

FailureOr<ConvolutionPlan> ConvertLinalgToTensorCore::findConvolutionPlan(
    const ConvolutionMatch &match, ArrayRef<ImageGradient> gradients,
    const EpilogueRegion &epilogue, bool asTf32, std::string &reason) {
  // Zeros between pixels are written by who reads them, where another view does
  // without.
  auto estimateZeros = [&](Value image) {
    if (gradients.empty() || gradients[0].output == image)
      return 0.0;
    return estimateMemoryPass(getBytes(image) + getBytes(gradients[0].output),
                              *target);
  };
  FailureOr<ConvolutionPlan> best = failure();
  auto consider = [&](ConvolutionProblem problem, const ImageGradient *gradient,
                      double copies) {
    problem.d = getElementTypeOrSelf(epilogue.result.getType());
    if (asTf32)
      problem.a = problem.b = FloatTF32Type::get(&getContext());
    FailureOr<KernelChoice> choice =
        chooseConvolution(problem, *target, getWork(epilogue), reason);
    if (failed(choice))
      return;
    double seconds = choice->cost.seconds + copies;
    if (failed(best) || seconds < best->seconds)
      best = ConvolutionPlan{problem, *choice, gradient, seconds};
  };
  for (const ImageGradient &gradient : gradients)
    consider(gradient.problem, &gradient, estimateZeros(gradient.output));
  // With copies it may be better where parts of K fill a chip, and for tf32,
  // which wgmma reads with K innermost only.
  double copies = estimateZeros(match.image);
  if (!gradients.empty())
    copies += estimateMemoryPass(2 * getBytes(match.other), *target);
  consider(match.problem, nullptr, copies);
  return best;
}

FailureOr<ConvolutionPlan> ConvertLinalgToTensorCore::chooseConvolutionPlan(
    const ConvolutionMatch &match, ArrayRef<ImageGradient> gradients,
    const EpilogueRegion &epilogue, std::string &reason) {
  FailureOr<ConvolutionPlan> plan =
      findConvolutionPlan(match, gradients, epilogue, /*asTf32=*/false, reason);
  if (!tf32 || !match.problem.a.isF32() || !match.problem.b.isF32())
    return plan;
  FailureOr<ConvolutionPlan> fast = findConvolutionPlan(
      match, gradients, epilogue, /*asTf32=*/true, keptWide);
  std::optional<double> wide;
  if (succeeded(plan))
    wide = plan->seconds;
  return succeeded(fast) && isTf32Better(fast->seconds, wide) ? fast : plan;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

static Value transpose(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  Value init = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(b, loc, value, init, permutation)
      ->getResult(0);
}

namespace {
/// Elements of a tensor that follow one another in its order.
class ElementRun {
public:
  ElementRun(Value tensor, int64_t first, int64_t count)
      : type(cast<RankedTensorType>(tensor.getType())), line(tensor),
        first(first), count(count) {}

  Value read(OpBuilder &b, Location loc) {
    if (isWhole())
      return line;
    if (type.getRank() > 1)
      line = tensor::CollapseShapeOp::create(b, loc, line, getDims());
    return tensor::ExtractSliceOp::create(b, loc, line, index(first),
                                          index(count), index(1));
  }
  /// The tensor with `run` instead of them, once they are read.
  Value replace(OpBuilder &b, Location loc, Value run) const {
    if (isWhole())
      return run;
    Value replaced = tensor::InsertSliceOp::create(
        b, loc, run, line, index(first), index(count), index(1));
    if (type.getRank() > 1)
      replaced =
          tensor::ExpandShapeOp::create(b, loc, type, replaced, getDims());
    return replaced;
  }

private:
  bool isWhole() const { return type.getNumElements() == count; }
  SmallVector<OpFoldResult> index(int64_t number) const {
    return {Builder(type.getContext()).getIndexAttr(number)};
  }
  SmallVector<ReassociationIndices> getDims() const {
    return {llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))};
  }

  RankedTensorType type;
  /// The tensor, in one dimension once it is read in part.
  Value line;
  int64_t first, count;
};
} // namespace

/// The part of a tensor of two dimensions that is its rows' first `row`
/// elements: offsets, sizes and strides.
static std::array<SmallVector<OpFoldResult>, 3>
getRowSlice(OpBuilder &b, int64_t rows, int64_t row) {
  auto pair = [&](int64_t x, int64_t y) -> SmallVector<OpFoldResult> {
    return {b.getIndexAttr(x), b.getIndexAttr(y)};
  };
  return {pair(0, 0), pair(rows, row), pair(1, 1)};
}

/// The dimensions of a shape in two groups: rows of `row` elements, and those
/// before.
static SmallVector<ReassociationIndices> getRowDims(ArrayRef<int64_t> shape,
                                                    int64_t row) {
  const int64_t before = *countDimsBeforeRow(shape, row), rank = shape.size();
  return {llvm::to_vector<2>(llvm::seq(int64_t(0), before)),
          llvm::to_vector<2>(llvm::seq(before, rank))};
}

/// A copy of a tensor with rows that are `stride` elements apart. What lies
/// between is undefined.
static Value copyToPaddedRows(OpBuilder &b, Location loc, Value tensor,
                              int64_t row, int64_t stride) {
  auto type = cast<RankedTensorType>(tensor.getType());
  const int64_t rows = type.getNumElements() / row;
  if (type.getRank() > 2)
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor,
                                             getRowDims(type.getShape(), row));
  Value padded =
      tensor::EmptyOp::create(b, loc, {rows, stride}, type.getElementType());
  auto [offsets, sizes, strides] = getRowSlice(b, rows, row);
  return tensor::InsertSliceOp::create(b, loc, tensor, padded, offsets, sizes,
                                       strides);
}

/// The rows of such a copy, as a tensor of `type`.
static Value takeRows(OpBuilder &b, Location loc, Value padded,
                      RankedTensorType type, int64_t row) {
  auto [offsets, sizes, strides] =
      getRowSlice(b, type.getNumElements() / row, row);
  Value taken =
      tensor::ExtractSliceOp::create(b, loc, padded, offsets, sizes, strides);
  if (type.getRank() == 2)
    return taken;
  return tensor::ExpandShapeOp::create(b, loc, type, taken,
                                       getRowDims(type.getShape(), row));
}

Value ConvertLinalgToTensorCore::readSource(OpBuilder &b, Location loc,
                                            const MatrixSource &source,
                                            int64_t elements) {
  if (source.isCopy())
    ++numCopies;
  if (source.paddedRow)
    // Without what is behind the last row, where matrices are walked by
    // strides.
    return ElementRun(copyToPaddedRows(b, loc, source.value, source.paddedRow,
                                       source.stride),
                      /*first=*/0, elements)
        .read(b, loc);
  if (source.isCopy())
    return transpose(b, loc, source.value, source.permutation);
  return ElementRun(source.value, source.place, elements).read(b, loc);
}

Value ConvertLinalgToTensorCore::readFilters(OpBuilder &b,
                                             const ConvolutionMatch &match) {
  if (match.otherMove)
    return buildFilters(b, *match.otherMove);
  if (match.otherPermutation.empty())
    return match.other;
  ++numCopies;
  return transpose(b, match.product.op->getLoc(), match.other,
                   match.otherPermutation);
}

Value ConvertLinalgToTensorCore::buildFilters(OpBuilder &b,
                                              const FilterMove &move) {
  if (!move.isReshape())
    ++numCopies;
  return move.build(b);
}

/// Has the kernel make the check of its result, if there is one. What is
/// inserted is checked with more than the kernel computes.
static void addCheck(EpilogueRegion &epilogue) {
  if (epilogue.result.getDefiningOp<tensor::InsertSliceOp>())
    return;
  if (linalg::GenericOp check = ProductChecks::find(epilogue.result))
    epilogue.addCheck(check);
}

void ConvertLinalgToTensorCore::emitLaunch(
    const MatrixProduct &product, const EpilogueRegion &epilogue,
    gpu::GPUModuleOp kernels, const KernelChoice &choice,
    ArrayRef<StringRef> operandNames, StringRef resultName,
    function_ref<SmallVector<Value>(OpBuilder &)> makeOperands) {
  Location loc = product.op->getLoc();
  Builder builder(&getContext());
  kernels->setAttr("amp.cost", describeCost(builder, *choice.config.chip,
                                            choice.cost, &choice.config));
  if (report)
    reportChoice(product, epilogue, kernels, choice);
  OpBuilder b(epilogue.result.getDefiningOp());
  SmallVector<std::string> texts(operandNames.begin(), operandNames.end());
  SmallVector<Value> inputs = makeOperands(b);
  for (auto [index, operand] : llvm::enumerate(epilogue.operands)) {
    texts.push_back("operand" + std::to_string(index));
    inputs.push_back(operand);
  }

  texts.push_back(resultName.str());
  SmallVector<Value> outputs;
  // What is inserted is written where it is to be.
  std::optional<ElementRun> target;
  SmallVector<StringRef> partial;
  if (auto insertion = epilogue.result.getDefiningOp<tensor::InsertSliceOp>()) {
    const int64_t span = product.getResultSpan();
    if (span > product.batch * product.m * product.n)
      partial.push_back(resultName);
    target.emplace(insertion.getDest(), product.result.place, span);
    outputs.push_back(target->read(b, loc));
  } else {
    auto type = cast<RankedTensorType>(epilogue.result.getType());
    if (!product.resultPermutation.empty())
      type = type.clone(product.resultShape);
    SmallVector<int64_t> shape(type.getShape());
    if (product.paddedStride)
      shape = {product.batch * product.m, product.paddedStride};
    outputs.push_back(
        tensor::EmptyOp::create(b, loc, shape, type.getElementType()));
  }
  // Outputs of the epilogue, in its order.
  auto addOutput = [&](ArrayRef<int64_t> shape, Type element) {
    texts.push_back("output" + std::to_string(outputs.size() - 1));
    outputs.push_back(tensor::EmptyOp::create(b, loc, shape, element));
  };
  if (epilogue.kept) {
    auto type = cast<RankedTensorType>(epilogue.kept.getType());
    addOutput(type.getShape(), type.getElementType());
  }
  unsigned checkOutput = outputs.size();
  std::string checkName;
  if (epilogue.check) {
    addOutput({}, b.getI32Type());
    checkName = texts.back(); // which grows
    partial.push_back(checkName);
  }
  // What else the kernels write is memory that nobody reads afterwards.
  for (auto [name, bytes] : getKernelMemory(kernels)) {
    if (llvm::is_contained(texts, name))
      continue;
    bool isSums = name == "workspace";
    Type element = isSums ? Type(b.getF32Type()) : Type(b.getI8Type());
    texts.push_back(name.str());
    outputs.push_back(
        tensor::EmptyOp::create(b, loc, {isSums ? bytes / 4 : bytes}, element));
  }
  SmallVector<StringRef> names(texts.begin(), texts.end());
  auto launch = LaunchKernelsOp::create(b, loc, kernels.getName(), names,
                                        inputs, outputs, partial);
  SmallVector<StringRef> own;
  llvm::copy_if(names, std::back_inserter(own), [](StringRef name) {
    return !name.starts_with("operand") && !name.starts_with("output");
  });
  kernels->setAttr(kContractionAttr, b.getStrArrayAttr(own));
  Value result = launch.getResult(0);
  if (target)
    result = target->replace(b, loc, result);
  if (product.paddedStride) {
    result =
        takeRows(b, loc, result,
                 cast<RankedTensorType>(epilogue.result.getType()), product.n);
    ++numCopies;
  }
  if (!product.resultPermutation.empty()) {
    result = transpose(b, loc, result, product.resultPermutation);
    ++numCopies;
  }
  Value replaced = epilogue.result;
  replaced.replaceAllUsesWith(result);
  if (Value kept = epilogue.kept) {
    kept.replaceAllUsesWith(launch.getResult(1));
    ++numKept;
  }
  if (epilogue.check) {
    checks.add(epilogue.check, launch, checkOutput);
    ++numChecks;
  }

  SmallVector<Operation *> dead(epilogue.absorbed);
  llvm::sort(dead,
             [](Operation *x, Operation *y) { return y->isBeforeInBlock(x); });
  for (Operation *op : dead)
    op->erase();
  product.op->erase();
  numAbsorbed += dead.size();
}

void ConvertLinalgToTensorCore::reportChoice(const MatrixProduct &product,
                                             const EpilogueRegion &epilogue,
                                             gpu::GPUModuleOp kernels,
                                             const KernelChoice &choice) {
  const KernelCost &cost = choice.cost;
  std::string tiles =
      cost.items == 1 ? "1 tile" : llvm::formatv("{0} tiles", cost.items).str();
  std::string way =
      cost.hasTiles() ? llvm::formatv("in {0} of {1}x{2}", tiles,
                                      choice.config.tileM, choice.config.tileN)
                            .str()
                      : "each channel by itself";
  InFlightDiagnostic remark = product.op->emitRemark(llvm::formatv(
      "runs as '{0}': {1}x{2}x{3} {4}, {5} operations "
      "absorbed, expected {6:f1} us, {7:f0} % of peak, bound by {8}",
      kernels.getName(), product.m, product.n, product.k, way,
      epilogue.absorbed.size(), cost.seconds * 1e6, cost.shareOfPeak() * 100,
      stringifyKernelBound(cost.bound)));
  if (!keptWide.empty())
    remark.attachNote() << "not in tf32: " << keptWide;
  if (epilogue.cut)
    remark.attachNote(epilogue.cut->getLoc())
        << "'" << epilogue.cut->getName()
        << "' is planned with it, but is not part of its kernel";
}

LogicalResult ConvertLinalgToTensorCore::convertProduct(
    const Contraction &contraction, ArrayRef<Operation *> readers,
    KernelModules &modules, std::string &reason) {
  FailureOr<MatrixProduct> product = matchMatrixProduct(contraction, reason);
  if (failed(product))
    return failure();
  EpilogueRegion epilogue = absorbEpilogue(*product, readers);
  FailureOr<Plan> plan = choosePlan(*product, epilogue, reason);
  if (isTableWrong)
    return failure();
  // Where the result is moved to, if a kernel writes it there in less time than
  // this one and the copies take.
  MatrixProduct moved = *product;
  std::optional<ResultMovement> movement =
      findMovement(moved, epilogue.result, readers, readersOfAll);
  std::optional<EpilogueRegion> there;
  if (movement)
    there = absorbMovement(*movement, moved, epilogue.result, readers);
  if (there) {
    std::string notThere, keptBefore = keptWide;
    FailureOr<Plan> directly = choosePlan(moved, *there, notThere);
    if (isTableWrong)
      return failure();
    double copied = movement->countCopies() *
                    estimateMemoryPass(2 * getBytes(epilogue.result), *target);
    if (succeeded(directly) &&
        (failed(plan) ||
         directly->getSeconds() <= plan->getSeconds() + copied)) {
      plan = std::move(directly);
      product = std::move(moved);
      epilogue = std::move(*there);
    } else {
      keptWide = keptBefore;
    }
  }
  if (failed(plan))
    return failure();
  addCheck(epilogue);
  const GemmProblem &problem = plan->problem;
  product->paddedStride = plan->paddedStride;
  Location loc = product->op->getLoc();
  func::FuncOp function = epilogue.function ? *epilogue.function : nullptr;
  FailureOr<gpu::GPUModuleOp> kernels =
      modules.getGemm(loc, plan->problem, plan->choice.config, function);
  if (failed(kernels))
    return failure();
  emitLaunch(*product, epilogue, *kernels, plan->choice, {"a", "b"}, "d",
             [&](OpBuilder &b) {
               Value left = readSource(b, loc, plan->a, problem.memoryOfA());
               return SmallVector<Value>{
                   left, readSource(b, loc, plan->b, problem.memoryOfB())};
             });
  return success();
}

LogicalResult ConvertLinalgToTensorCore::convertConvolution(
    const Contraction &contraction, ArrayRef<Operation *> readers,
    KernelModules &modules, std::string &reason) {
  FailureOr<ConvolutionMatch> match = matchConvolution(contraction, reason);
  if (failed(match))
    return failure();
  // Depthwise kernels have one result.
  const bool isDepthwise = match->problem.isDepthwise();
  EpilogueRegion epilogue =
      absorbEpilogue(match->product, readers, /*mayKeep=*/!isDepthwise);
  SmallVector<ImageGradient, 2> gradients = matchImageGradients(*match);
  FailureOr<ConvolutionPlan> plan =
      chooseConvolutionPlan(*match, gradients, epilogue, reason);
  if (failed(plan))
    return failure();
  const ConvolutionProblem &problem = plan->problem;
  if (!isDepthwise)
    addCheck(epilogue);
  func::FuncOp function = epilogue.function ? *epilogue.function : nullptr;
  FailureOr<gpu::GPUModuleOp> kernels =
      modules.getConvolution(match->product.op->getLoc(), problem,
                             plan->choice.config, function, reason);
  if (failed(kernels))
    return failure();
  ConvolutionNames names = getTensorNames(problem.kind);
  emitLaunch(match->product, epilogue, *kernels, plan->choice,
             {names.a, names.b}, names.d,
             [&](OpBuilder &b) -> SmallVector<Value> {
               if (const ImageGradient *gradient = plan->gradient)
                 return {gradient->output, buildFilters(b, gradient->filters)};
               if (problem.kind == ConvolutionKind::WeightGradient)
                 return {match->other, match->image};
               return {match->image, readFilters(b, *match)};
             });
  return success();
}

LogicalResult ConvertLinalgToTensorCore::convert(linalg::LinalgOp op,
                                                 ArrayRef<Operation *> readers,
                                                 KernelModules &modules,
                                                 std::string &reason) {
  keptWide.clear();
  // Only now: the launches before have replaced values.
  FailureOr<Contraction> contraction = matchContraction(op);
  if (failed(verifyContraction(*contraction, reason)))
    return failure();
  if (!always && isMatrixVector(*contraction)) { // Rule 5
    reason = "it is a product of a matrix and a vector, a sum that waits for "
             "memory";
    return failure();
  }
  return isConvolution(*contraction)
             ? convertConvolution(*contraction, readers, modules, reason)
             : convertProduct(*contraction, readers, modules, reason);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

LogicalResult ConvertLinalgToTensorCore::initialize(MLIRContext *context) {
  auto error = [&] { return emitError(UnknownLoc::get(context)); };
  target = readChip(chip, error);
  if (!target)
    return failure();
  return table.empty() ? success() : measured.read(table, error);
}

void ConvertLinalgToTensorCore::runOnOperation() {
  // Values of blocks that nothing reaches may be made of themselves, and would
  // be followed for ever.
  IRRewriter rewriter(&getContext());
  for (auto function : getOperation().getOps<func::FuncOp>())
    (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  SmallVector<linalg::LinalgOp> ops;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A nested symbol table could not name our kernels.
    if (op != getOperation() && op->hasTrait<OpTrait::SymbolTable>())
      return WalkResult::skip();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && linalgOp.hasPureTensorSemantics() &&
        succeeded(matchContraction(linalgOp)))
      ops.push_back(linalgOp);
    return WalkResult::advance();
  });

  FusionTarget fusion = getFusionTarget(*target);
  fusion.forms.vectorsAsSums = !always;
  insertConcatenated(ops);
  ProductReaders readers(ops, fusion);
  KernelModules modules(getOperation());
  readersOfAll.clear();
  checks = ProductChecks();
  for (linalg::LinalgOp op : ops)
    readersOfAll.insert_range(readers.get(op));
  for (linalg::LinalgOp op : ops) {
    std::string reason;
    if (succeeded(convert(op, readers.get(op), modules, reason))) {
      ++numConverted;
      continue;
    }
    if (isTableWrong)
      return signalPassFailure();
    ++numDeclined;
    if (report)
      op->emitRemark() << "not for Tensor Cores: " << reason;
  }
  checks.finish();
  numKernels += modules.size();
}
