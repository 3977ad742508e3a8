//===- EpilogueRegion.cpp - Work that a product's kernel takes over -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may be computed with a contraction is decided by the fusion plan; here
// it becomes a function of one sum, or a part of it does. Readers of the sums
// form a graph, not a chain: a gelu uses its input three times. So the end is
// tried, not found by walking: for each reader, the last first, the scalar
// function from the sum to it is written by going back from it, and the end is
// good if every reader on the way has no use outside, but for one: a kernel has
// a second result, as the backward pass asks for what an activation is the
// function of. Whoever reads that comes behind the end, where the kernel is,
// and products alone read the end: a pass over memory that shares it with
// others would read two tensors instead of one. What is no reader is an
// operand, or is computed again where that is cheap: a widened bias is read
// narrow, a mask is compared from what it was made of, because kernels read no
// i1.
//
// Which element of an operand belongs to an element of D is a walk
// (StridedView) over all elements of D in their order, changed by each
// broadcast, transpose or reshape on the way.
//
//===----------------------------------------------------------------------===//

#include "EpilogueRegion.h"

#include "ElementMovement.h"
#include "amp/Analysis/Fill.h"
#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "amp/Fusion/FusionNode.h"
#include "amp/Kernels/DeviceFunctions.h"
#include "amp/Kernels/GemmEpilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::amp;

/// Operations on the way back to an operand that may be computed again.
static constexpr unsigned kMaxDepth = 64;

//===----------------------------------------------------------------------===//
// What kernels can compute
//===----------------------------------------------------------------------===//

/// Types of values inside an epilogue.
static bool isScalarType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isInteger(1) ||
         type.isInteger(32);
}

/// Types of elements of a result.
static bool isStored(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

/// Types of an operand's elements.
static bool isOperandType(Type type) {
  return isScalarType(type) && !type.isInteger(1);
}

/// Operations on scalars that amp-convert-kernels-to-nvvm lowers.
static bool isScalarOperation(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  // Kernels round to nearest.
  if (auto round = dyn_cast<arith::TruncFOp>(op);
      round && round.getRoundingmode())
    return false;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  // Of floats: epilogues have no functions of whole numbers.
  if (isa<FloatType>(type) && hasDeviceCode(op))
    return true;
  return isa_and_present<arith::ArithDialect>(op->getDialect()) &&
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Elementwise on tensors, or a change of shape.
static bool isElementwise(Operation *op) {
  if (isa<CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getNumParallelLoops() == linalgOp.getNumLoops() &&
           !linalgOp.hasIndexSemantics();
  return isScalarOperation(op);
}

static bool isWidening(Operation *op) {
  auto bits = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  return isa<arith::ExtFOp, CastOp>(op) &&
         bits(op->getOperand(0).getType()) < bits(op->getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// Writing the function
//===----------------------------------------------------------------------===//

namespace {
class RegionWriter {
public:
  RegionWriter(const MatrixProduct &product,
               const DenseSet<Operation *> &readers);

  /// Writes the function whose result is `end`. Fails if it cannot be.
  LogicalResult write(Value end);
  /// The readers on the way.
  const llvm::SetVector<Operation *> &getAbsorbed() const { return absorbed; }
  /// Whether `tensor` was written, an element for each sum in their order, of a
  /// type that kernels store.
  bool mayKeep(Value tensor) const;
  /// The result, with the function unless it only rounds, and a value that is
  /// kept beside it or null.
  EpilogueRegion take(Value end, Value kept = Value());

private:
  struct Known {
    Value tensor;
    StridedView view;
    Value scalar;
  };

  Value writeValue(Value tensor, const StridedView &view, unsigned depth);
  Value writeResult(OpResult result, const StridedView &view, unsigned depth);
  Value writeLinalg(linalg::LinalgOp op, unsigned result,
                    const StridedView &view, unsigned depth);
  Value writeScalarOperation(Operation *op, ValueRange operands);
  Value writeOperand(Value tensor, const StridedView &view);
  Value writeConstant(TypedAttr value);
  /// What was written of `tensor`, walked by `view`, or null.
  Value findKnown(Value tensor, const StridedView &view) const;
  /// The same for each sum in their order.
  Value findKnown(Value tensor) const {
    return findKnown(tensor, product.getResultOrder());
  }
  bool shouldCompute(OpResult result);
  std::optional<EpilogueOperand::Kind> getKind(Value tensor,
                                               const StridedView &view);

  const MatrixProduct &product;
  const DenseSet<Operation *> &readers;
  OwningOpRef<func::FuncOp> function;
  Block *body;
  OpBuilder b;
  SmallVector<Known> known;
  SmallVector<Value> operands;
  SmallVector<Attribute> kinds;
  llvm::SetVector<Operation *> absorbed;
};
} // namespace

RegionWriter::RegionWriter(const MatrixProduct &product,
                           const DenseSet<Operation *> &readers)
    : product(product), readers(readers), b(product.op->getContext()) {
  Location loc = product.op->getLoc();
  Type sum = b.getF32Type();
  function =
      func::FuncOp::create(loc, "epilogue", b.getFunctionType({sum}, {sum}));
  body = function->addEntryBlock();
  b.setInsertionPointToEnd(body);
}

Value RegionWriter::writeConstant(TypedAttr value) {
  if (!isScalarType(value.getType()))
    return {};
  return arith::ConstantOp::create(b, product.op->getLoc(), value);
}

/// Which of the kinds that kernels read `view`, a walk in the kernel's order,
/// is.
std::optional<EpilogueOperand::Kind>
RegionWriter::getKind(Value tensor, const StridedView &view) {
  using Kind = EpilogueOperand::Kind;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto rows = splitView(view, product.batch * product.m);
  if (!rows || !isOperandType(type.getElementType()))
    return std::nullopt;
  auto batch = splitView(rows->first, product.batch);
  if (!batch)
    return std::nullopt;
  auto isConstant = [](const StridedView &view) {
    return llvm::all_of(
        view, [](StridedLoop loop) { return loop.size == 1 || !loop.stride; });
  };
  auto isDense = [&](const StridedView &view, int64_t elements) {
    StridedView merged = mergeLoops(view);
    return type.getNumElements() == elements &&
           (merged.empty() || (merged.size() == 1 && merged[0].stride == 1));
  };
  if (isConstant(view) && type.getNumElements() == 1)
    return Kind::Scalar;
  if (isConstant(rows->first) && isDense(rows->second, product.n))
    return Kind::Column;
  if (isConstant(rows->second) && isConstant(batch->first) &&
      isDense(batch->second, product.m))
    return Kind::Row;
  if (isDense(view, product.batch * product.m * product.n))
    return Kind::Matrix;
  return std::nullopt;
}

Value RegionWriter::writeOperand(Value tensor, const StridedView &view) {
  std::optional<EpilogueOperand::Kind> kind = getKind(tensor, view);
  if (!kind)
    return {};
  operands.push_back(tensor);
  kinds.push_back(b.getStringAttr(stringifyOperandKind(*kind)));
  return body->addArgument(getElementTypeOrSelf(tensor.getType()),
                           product.op->getLoc());
}

/// Whether a value that no reader gives is computed again from what it was made
/// of.
bool RegionWriter::shouldCompute(OpResult result) {
  Operation *op = result.getOwner();
  if (!isElementwise(op))
    return false;
  Type type = getElementTypeOrSelf(result.getType());
  if (type.isInteger(1) || isWidening(op) ||
      isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return true;
  // A broadcast reads less than it writes.
  if (llvm::all_of(op->getOperandTypes(), [&](Type operand) {
        auto tensor = dyn_cast<RankedTensorType>(operand);
        return !tensor ||
               tensor.getNumElements() <
                   cast<RankedTensorType>(result.getType()).getNumElements();
      }))
    return true;
  return result.hasOneUse();
}

Value RegionWriter::writeScalarOperation(Operation *op, ValueRange inputs) {
  if (isa<CastOp>(op)) {
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    if (isWidening(op))
      return arith::ExtFOp::create(b, op->getLoc(), type, inputs[0]);
    return arith::TruncFOp::create(b, op->getLoc(), type, inputs[0]);
  }
  if (!isScalarOperation(op))
    return {};
  IRMapping mapping;
  mapping.map(op->getOperands(), inputs);
  Operation *copy = b.clone(*op, mapping);
  copy->setDiscardableAttrs(b.getDictionaryAttr({}));
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  copy->getResult(0).setType(type);
  return isScalarType(type) ? copy->getResult(0) : Value();
}

Value RegionWriter::writeLinalg(linalg::LinalgOp op, unsigned result,
                                const StridedView &view, unsigned depth) {
  IRMapping mapping;
  auto shape = cast<RankedTensorType>(op->getResult(result).getType());
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    if (op.isDpsInit(&operand))
      return {};
    if (!isa<RankedTensorType>(operand.get().getType())) {
      TypedAttr number = getSplatValue(operand.get());
      Value constant = number ? writeConstant(number) : Value();
      if (!constant)
        return {};
      mapping.map(argument, constant);
      continue;
    }
    std::optional<SmallVector<int64_t>> strides =
        getOperandStrides(op, operand, result);
    if (!strides)
      return {};
    std::optional<StridedView> inner =
        mapView(view, shape.getShape(), *strides);
    Value scalar =
        inner ? writeValue(operand.get(), *inner, depth + 1) : Value();
    if (!scalar)
      return {};
    mapping.map(argument, scalar);
  }
  auto lookUp = [&](Value value) -> Value {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    TypedAttr number = getSplatValue(value);
    Value constant = number ? writeConstant(number) : Value();
    if (constant)
      mapping.map(value, constant);
    return constant;
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>())
      continue; // written where it is used
    SmallVector<Value> inputs;
    for (Value operand : inner.getOperands()) {
      inputs.push_back(lookUp(operand));
      if (!inputs.back())
        return {};
    }
    Value scalar = writeScalarOperation(&inner, inputs);
    if (!scalar)
      return {};
    mapping.map(inner.getResult(0), scalar);
  }
  return lookUp(op.getBlock()->getTerminator()->getOperand(result));
}

Value RegionWriter::writeResult(OpResult result, const StridedView &view,
                                unsigned depth) {
  Operation *op = result.getOwner();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return writeValue(op->getOperand(0), view, depth + 1);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return writeLinalg(linalgOp, result.getResultNumber(), view, depth);
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands()) {
    Value input = isa<RankedTensorType>(operand.getType())
                      ? writeValue(operand, view, depth + 1)
                      : Value();
    if (!input)
      return {};
    inputs.push_back(input);
  }
  return writeScalarOperation(op, inputs);
}

Value RegionWriter::writeValue(Value tensor, const StridedView &walk,
                               unsigned depth) {
  StridedView view = mergeLoops(walk);
  if (tensor == product.op->getResult(0)) {
    if (view != product.getResultOrder())
      return {};
  }
  if (Value scalar = findKnown(tensor, view))
    return scalar;
  auto remember = [&](Value scalar) {
    if (scalar)
      known.push_back({tensor, view, scalar});
    return scalar;
  };
  if (tensor == product.op->getResult(0)) {
    Value sum = body->getArgument(0);
    if (product.init) {
      Value more = writeValue(product.init, view, depth + 1);
      if (!more)
        return {};
      sum = arith::AddFOp::create(b, product.op->getLoc(), sum, more);
    }
    return remember(sum);
  }
  if (depth > kMaxDepth)
    return {};
  if (TypedAttr number = getSplatValue(tensor))
    return remember(writeConstant(number));
  auto result = dyn_cast<OpResult>(tensor);
  if (result && readers.contains(result.getOwner())) {
    absorbed.insert(result.getOwner());
    return remember(writeResult(result, view, depth));
  }
  if (result && shouldCompute(result)) {
    // Back to here if it turns out not to be possible.
    Operation *last = body->empty() ? nullptr : &body->back();
    size_t numOperands = operands.size(), numKnown = known.size();
    if (Value scalar = writeResult(result, view, depth))
      return remember(scalar);
    known.truncate(numKnown);
    while (!body->empty() && &body->back() != last)
      body->back().erase();
    operands.truncate(numOperands);
    kinds.truncate(numOperands);
    body->eraseArguments(numOperands + 1,
                         body->getNumArguments() - numOperands - 1);
  }
  return remember(writeOperand(tensor, view));
}

LogicalResult RegionWriter::write(Value end) {
  Value scalar = writeValue(end, product.getResultOrder(), /*depth=*/0);
  if (!scalar)
    return failure();
  func::ReturnOp::create(b, product.op->getLoc(), scalar);
  SmallVector<Type> types(body->getArgumentTypes());
  function->setFunctionType(b.getFunctionType(types, scalar.getType()));
  if (!kinds.empty())
    function.get()->setAttr(kEpilogueOperandsAttr, b.getArrayAttr(kinds));
  return success();
}

Value RegionWriter::findKnown(Value tensor, const StridedView &view) const {
  for (const Known &entry : known)
    if (entry.tensor == tensor && entry.view == view)
      return entry.scalar;
  return {};
}

bool RegionWriter::mayKeep(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  // Kernels store a second matrix densely, wherever the first goes.
  return product.isResultDense() && isStored(type.getElementType()) &&
         findKnown(tensor) &&
         type.getNumElements() == product.batch * product.m * product.n;
}

EpilogueRegion RegionWriter::take(Value end, Value kept) {
  EpilogueRegion region;
  region.result = end;
  region.operands = operands;
  region.kept = kept;
  llvm::append_range(region.absorbed, absorbed);
  if (kept) {
    region.addOutput(*function, EpilogueOutput::Matrix, findKnown(kept));
    region.function = std::move(function);
    return region;
  }
  Operation *only = &body->front();
  Value returned = body->getTerminator()->getOperand(0);
  // Kernels without an epilogue round.
  bool rounds = isa<arith::TruncFOp>(only) &&
                only->getOperand(0) == body->getArgument(0) &&
                only->getResult(0) == returned;
  if (returned != body->getArgument(0) && !rounds)
    region.function = std::move(function);
  return region;
}

//===----------------------------------------------------------------------===//
// Choosing the end
//===----------------------------------------------------------------------===//

/// What is absorbed and has uses outside, but for `end`.
static SmallVector<Value>
findUsedOutside(Operation *contraction,
                const llvm::SetVector<Operation *> &absorbed, Value end) {
  SmallVector<Value> found;
  auto add = [&](Operation *op) {
    for (Value result : op->getResults())
      if (result != end &&
          !llvm::all_of(result.getUsers(), [&](Operation *user) {
            return absorbed.contains(user);
          }))
        found.push_back(result);
  };
  add(contraction);
  llvm::for_each(absorbed, add);
  return found;
}

/// Whether all that reads `value` and is not absorbed comes after `end`, with
/// which it is computed.
static bool isReadAfter(Value value, Operation *end,
                        const llvm::SetVector<Operation *> &absorbed) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *inBlock = end->getBlock()->findAncestorOpInBlock(*user);
    return absorbed.contains(user) ||
           (inBlock && end->isBeforeInBlock(inBlock));
  });
}

/// Whether products alone read `value`: what else read it might have computed
/// it in a pass over memory of its own.
static bool isReadByProducts(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           if (isReshape(user))
             return isReadByProducts(user->getResult(0));
           auto op = dyn_cast<linalg::LinalgOp>(user);
           return isa<LaunchKernelsOp>(user) ||
                  (op && succeeded(matchContraction(op)));
         });
}

/// The value at which the kernel ends, with its epilogue.
static EpilogueRegion findEnd(const MatrixProduct &product,
                              ArrayRef<Operation *> candidates, bool mayKeep) {
  DenseSet<Operation *> readers(candidates.begin(), candidates.end());
  int64_t elements = product.batch * product.m * product.n;
  for (Operation *op : llvm::reverse(candidates)) {
    for (Value end : op->getResults()) {
      auto type = cast<RankedTensorType>(end.getType());
      Type element = type.getElementType();
      // A value that was rounded is stored before it is made wide again.
      if (type.getNumElements() != elements || isWidening(op) ||
          !isStored(element))
        continue;
      RegionWriter writer(product, readers);
      if (failed(writer.write(end)))
        continue;
      const llvm::SetVector<Operation *> &absorbed = writer.getAbsorbed();
      SmallVector<Value> outside = findUsedOutside(product.op, absorbed, end);
      if (outside.empty())
        return writer.take(end);
      if (mayKeep && outside.size() == 1 && writer.mayKeep(outside.front()) &&
          isReadAfter(outside.front(), op, absorbed) && isReadByProducts(end))
        return writer.take(end, outside.front());
    }
  }
  Value sums = product.op->getResult(0);
  RegionWriter writer(product, readers);
  LogicalResult written = writer.write(sums);
  assert(succeeded(written) &&
         "what is added is a tensor of the result's shape");
  (void)written;
  return writer.take(sums);
}

EpilogueRegion mlir::amp::absorbEpilogue(const MatrixProduct &product,
                                         ArrayRef<Operation *> readers,
                                         bool mayKeep) {
  // The kernel's result is copied into another order: nothing stands between.
  bool isCopied = !product.resultPermutation.empty();
  EpilogueRegion region =
      findEnd(product, isCopied ? ArrayRef<Operation *>() : readers, mayKeep);
  region.findCut(readers);
  return region;
}

void EpilogueRegion::roundTo(Type type) {
  // Without a function it does so anyway.
  if (!function)
    return;
  Operation *end = function->getBody().front().getTerminator();
  OpBuilder b(end);
  end->setOperand(
      0, arith::TruncFOp::create(b, end->getLoc(), type, end->getOperand(0)));
  function->setFunctionType(
      b.getFunctionType(function->getArgumentTypes(), end->getOperandTypes()));
}

void EpilogueRegion::addCheck(linalg::GenericOp op) {
  Block &body = *op.getBlock();
  auto isBits = [](Type type) {
    return isScalarType(type) || type.isInteger(16);
  };
  for (Operation &inner : body.without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>() &&
        (!isScalarOperation(&inner) || !isBits(inner.getResult(0).getType())))
      return;
  Value end = body.getTerminator()->getOperand(0);
  Value soFar = op.getRegionOutputArgs().front();
  Operation *ored = end.getDefiningOp();
  Value bits = ored->getOperand(ored->getOperand(0) == soFar ? 1 : 0);

  Location loc = op.getLoc();
  OpBuilder b(op.getContext());
  Type element = getElementTypeOrSelf(op.getDpsInputs().front().getType());
  if (!function) {
    Type sum = b.getF32Type();
    function =
        func::FuncOp::create(loc, "epilogue", b.getFunctionType({sum}, {sum}));
    b.setInsertionPointToEnd(function->addEntryBlock());
    Value stored = function->getArgument(0);
    if (element != sum)
      stored = arith::TruncFOp::create(b, loc, element, stored);
    func::ReturnOp::create(b, loc, stored);
  }
  Operation *terminator = function->getBody().front().getTerminator();
  b.setInsertionPoint(terminator);
  IRMapping mapping;
  mapping.map(body.getArgument(0), terminator->getOperand(0));
  auto readConstant = [&](Value value) {
    if (!mapping.contains(value))
      mapping.map(value,
                  arith::ConstantOp::create(b, loc, getSplatValue(value)));
  };
  for (Operation &inner : body.without_terminator()) {
    if (&inner == ored)
      continue;
    if (!inner.hasTrait<OpTrait::ConstantLike>())
      llvm::for_each(inner.getOperands(), readConstant);
    b.clone(inner, mapping);
  }
  readConstant(bits);
  addOutput(*function, EpilogueOutput::Or, mapping.lookup(bits));
  check = op;
}

void EpilogueRegion::addOutput(func::FuncOp function, EpilogueOutput output,
                               Value element) {
  Builder b(function.getContext());
  Operation *terminator = function.getBody().front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), element);
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(),
                                             terminator->getOperandTypes()));
  SmallVector<Attribute> outputs;
  if (auto before = function->getAttrOfType<ArrayAttr>(kEpilogueOutputsAttr))
    llvm::append_range(outputs, before);
  outputs.push_back(b.getStringAttr(stringifyOutput(output)));
  function->setAttr(kEpilogueOutputsAttr, b.getArrayAttr(outputs));
}

void EpilogueRegion::findCut(ArrayRef<Operation *> readers) {
  const auto *found = llvm::find_if(readers, [&](Operation *reader) {
    return !isReshape(reader) && !llvm::is_contained(absorbed, reader);
  });
  cut = found == readers.end() ? nullptr : *found;
}

int64_t ResultMovement::countCopies() const {
  return llvm::count_if(moves,
                        [](Operation *move) { return !isReshape(move); });
}

std::optional<ResultMovement>
mlir::amp::findMovement(const MatrixProduct &product, Value result,
                        ArrayRef<Operation *> readers,
                        const DenseSet<Operation *> &ofAll) {
  if (product.result.views.empty())
    return std::nullopt;
  std::optional<ResultMovement> found;
  TensorWalks walks = product.result;
  SmallVector<Operation *> moves;
  // What is inserted is the last move: more of the tensor comes from elsewhere.
  for (Value value = result;
       value.hasOneUse() && !value.getDefiningOp<tensor::InsertSliceOp>();) {
    OpOperand &use = *value.getUses().begin();
    Operation *reader = use.getOwner();
    if ((ofAll.contains(reader) && !llvm::is_contained(readers, reader)) ||
        reader->getBlock() != product.op->getBlock())
      break;
    value = followReader(use, walks);
    if (!value)
      break;
    moves.push_back(reader);
    // Reshapes cost nothing where they are.
    if (isReshape(reader) ||
        !isStart(walks.place, getElementTypeOrSelf(value.getType())))
      continue;
    // What sums begin with lies as the product does.
    if (isWritable(walks))
      found = {moves, value, walks, /*isTransposed=*/false};
    else if (!product.init && isWritable(getTransposed(walks)))
      found = {moves, value, getTransposed(walks), /*isTransposed=*/true};
  }
  return found;
}

std::optional<EpilogueRegion>
mlir::amp::absorbMovement(const ResultMovement &movement,
                          MatrixProduct &product, Value result,
                          ArrayRef<Operation *> readers) {
  MatrixProduct moved =
      movement.isTransposed ? product.getTransposed() : product;
  // What would be kept is read in front of where this kernel stands.
  EpilogueRegion epilogue = absorbEpilogue(moved, readers, /*mayKeep=*/false);
  if (epilogue.result != result)
    return std::nullopt;
  moved.result = movement.result;
  product = std::move(moved);
  Type element = getElementTypeOrSelf(movement.end.getType());
  if (element != getElementTypeOrSelf(result.getType()))
    epilogue.roundTo(element);
  epilogue.result = movement.end;
  llvm::append_range(epilogue.absorbed, movement.moves);
  epilogue.findCut(readers);
  return epilogue;
}
