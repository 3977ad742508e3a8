//===- GroupKernel.cpp - A block of threads for each tile -----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks walk over the tiles. The threads of a block share the iterations of
// one operation after the other; what an operation of the tile hands to the
// next is in shared memory, with a barrier behind it, and what leaves the tile
// is written when it is computed.
//
// A sum is shared by a team of threads: each adds every so many'th element, in
// order, and the parts are combined in a fixed order. Where elements that
// follow one another in memory belong to one sum, a team is lanes that follow
// one another, which exchange parts by shuffles; else its threads stand apart,
// so that neighbours read neighbours, and leave parts in shared memory. A sum
// whose order matters (FusionNode::summed) has one thread.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/GroupKernel.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GenericBody.h"
#include "amp/Fusion/FusionNode.h"
#include "amp/Kernels/Chip.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kMostThreads = 256, kWarp = 32, kAlignment = 16,
                         kBlocksPerMultiprocessor = 8;

/// Bytes of a number that threads exchange.
static constexpr int64_t kSlot = 8;

//===----------------------------------------------------------------------===//
// Parts of a loop
//===----------------------------------------------------------------------===//

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Whether a view takes the same part of what it views at any time.
static bool isFixedView(Operation *op) {
  if (!isView(op) || !isStaticTensor(op->getOperand(0).getType()) ||
      !isStaticTensor(op->getResult(0).getType()))
    return false;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return !slice ||
         (!llvm::is_contained(slice.getStaticOffsets(), ShapedType::kDynamic) &&
          !llvm::is_contained(slice.getStaticStrides(), ShapedType::kDynamic));
}

/// What lies in memory of a tensor from outside of the loop.
static Value getRoot(Value tensor) {
  while (Operation *view = tensor.getDefiningOp()) {
    if (!isFixedView(view))
      break;
    tensor = view->getOperand(0);
  }
  return tensor;
}

static bool isInside(scf::ForallOp loop, Value value) {
  return loop.getRegion().isAncestor(value.getParentRegion());
}

/// The constant that result `number` of `op` is full of, or null.
static Value getFillValue(linalg::GenericOp op, unsigned number) {
  Value value = op.getBody()->getTerminator()->getOperand(number);
  return isConstant(value) && value.getParentBlock() != op.getBody() ? value
                                                                     : Value();
}

/// The constant that a sum starts from, or null.
static Value getStartValue(linalg::GenericOp op, OpOperand &init) {
  auto fill = init.get().getDefiningOp<linalg::GenericOp>();
  return fill ? getFillValue(fill, cast<OpResult>(init.get()).getResultNumber())
              : Value();
}

/// Whether the elements of an operand are read, not its shape alone.
static bool isRead(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto insertion = dyn_cast<tensor::ParallelInsertSliceOp>(user))
    return use.get() == insertion.getSource();
  auto generic = dyn_cast<linalg::GenericOp>(user);
  return !generic ||
         (generic.payloadUsesValueFromOperand(&use) &&
          (generic.isDpsInput(&use) || !getStartValue(generic, use)));
}

/// Whether something in the loop reads a result, through views too.
static bool isReadInside(Value result) {
  return llvm::any_of(result.getUses(), [](OpOperand &use) {
    return !isa<tensor::ParallelInsertSliceOp>(use.getOwner()) && isRead(use);
  });
}

/// What leaves the loop as it is computed.
static SmallVector<tensor::ParallelInsertSliceOp> getInsertions(Value result) {
  SmallVector<tensor::ParallelInsertSliceOp> insertions;
  for (OpOperand &use : result.getUses())
    if (auto insertion =
            dyn_cast<tensor::ParallelInsertSliceOp>(use.getOwner());
        insertion && insertion.getSource() == result)
      insertions.push_back(insertion);
  return insertions;
}

/// Whether nobody needs what an operation computes: fills that only say what
/// sums start from.
static bool isUnneeded(linalg::GenericOp op) {
  return llvm::all_of(op.getResults(), [](Value result) {
    return !isReadInside(result) && getInsertions(result).empty();
  });
}

/// What combines parts of the results of `op`, if all its sums may be in parts.
static SmallVector<Operation *> getCombiners(linalg::GenericOp op) {
  std::optional<FusionNode> node = FusionNode::get(op);
  if (!node)
    return {};
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && node->extents[i] != 1 &&
        !node->summed[i])
      return {};
  return node->combiners;
}

static int64_t getBytes(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

static int64_t countIterations(linalg::GenericOp op) {
  return ShapedType::getNumElements(op.getStaticLoopRanges());
}

//===----------------------------------------------------------------------===//
// What has a kernel
//===----------------------------------------------------------------------===//

static std::string checkGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() == 0)
    return "expected operations whose results are tensors, but got one without";
  for (Value operand : op->getOperands())
    if (std::string wrong = checkRead(operand); !wrong.empty())
      return wrong;
  if (std::string wrong = checkLoops(op); !wrong.empty())
    return wrong;
  double iterations = 1;
  for (int64_t size : op.getStaticLoopRanges())
    iterations *= double(size);
  if (iterations > INT32_MAX)
    return "expected operations of less than 2^31 iterations, but got more";
  for (Operation &inner : *op.getBody())
    if (!isScalarOperation(inner))
      return llvm::formatv("expected operations on numbers that kernels have "
                           "code for, but got '{0}'",
                           inner.getName());
  return "";
}

/// Arithmetic that says where a tile is.
static bool isArithmetic(Operation &op) {
  return isa<affine::AffineApplyOp>(op) ||
         (isa_and_present<arith::ArithDialect>(op.getDialect()) &&
          op.getNumResults() == 1 && op.getNumRegions() == 0 &&
          op.getResult(0).getType().isIntOrIndexOrFloat());
}

/// What is wrong with an operation of the loop, or nothing.
static std::string checkOperation(Operation &op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return checkGeneric(generic);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (llvm::is_contained(slice.getStaticStrides(), ShapedType::kDynamic))
      return "expected slices with strides that are known, but got another";
  }
  bool isOfTensors = isa<tensor::EmptyOp>(op) || isView(&op);
  if (isOfTensors && isStaticTensor(op.getResult(0).getType()))
    return "";
  if (isArithmetic(op))
    return "";
  return llvm::formatv("expected slices, other shapes, linalg.generic and "
                       "arithmetic of static sizes, but got '{0}'",
                       op.getName());
}

/// What is wrong with the loop itself, or nothing.
static std::string checkLoop(scf::ForallOp loop) {
  auto isStatic = [](ArrayRef<int64_t> numbers) {
    return !llvm::is_contained(numbers, ShapedType::kDynamic);
  };
  if (!isStatic(loop.getStaticLowerBound()) ||
      !isStatic(loop.getStaticUpperBound()) || !isStatic(loop.getStaticStep()))
    return "expected a loop of known bounds and steps, but got another";
  if (loop.getNumResults() == 0)
    return "expected a loop with results, but got one without";
  double tiles = 1;
  for (auto [begin, end, step] :
       llvm::zip_equal(loop.getStaticLowerBound(), loop.getStaticUpperBound(),
                       loop.getStaticStep())) {
    if (begin >= end || step <= 0)
      return "expected a loop with tiles, but got one without";
    if (begin < INT32_MIN || end > INT32_MAX || step > INT32_MAX)
      return "expected bounds and steps of 32 bits, but got larger ones";
    tiles *= double(llvm::divideCeil(end - begin, step));
  }
  if (tiles > INT32_MAX)
    return "expected less than 2^31 tiles, but got more";
  for (OpOperand &out : loop.getOutputsMutable()) {
    if (std::string wrong = checkRead(out.get()); !wrong.empty())
      return wrong;
    if (!out.get().getDefiningOp<tensor::EmptyOp>())
      return "expected results that are written whole, but got one that starts "
             "from a tensor";
  }
  for (BlockArgument argument : loop.getRegionOutArgs())
    for (OpOperand &use : argument.getUses())
      if (!isa<tensor::ParallelInsertSliceOp>(use.getOwner()) || isRead(use))
        return "expected results that are only written, but one is read";
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insertion = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insertion || !isStatic(insertion.getStaticSizes()) ||
        !isStatic(insertion.getStaticStrides()))
      return "expected results to be written in slices of known sizes, but got "
             "another";
  }
  return "";
}

namespace {
/// Places of a tile's tensors in shared memory. A tensor gives its place back
/// behind the last operation that reads it.
class TileMemory {
public:
  explicit TileMemory(scf::ForallOp loop) : body(*loop.getBody()) {
    for (auto [i, op] : llvm::enumerate(body))
      order[&op] = i;
  }

  void add(Value tensor) {
    auto bytes = int64_t(llvm::alignTo(
        getBytes(cast<RankedTensorType>(tensor.getType())), kAlignment));
    Life life{order.lookup(tensor.getDefiningOp()), 0, 0, bytes};
    life.last = findLastUse(tensor, life.first);
    for (bool moved = true; moved;) {
      moved = false;
      for (const Life &other : lives)
        if (other.last >= life.first &&
            other.offset < life.offset + life.bytes &&
            life.offset < other.offset + other.bytes) {
          life.offset = other.offset + other.bytes;
          moved = true;
        }
    }
    lives.push_back(life);
    places[tensor] = life.offset;
    size = std::max(size, life.offset + life.bytes);
  }

  llvm::MapVector<Value, int64_t> places;
  int64_t size = 0;

private:
  struct Life {
    unsigned first, last;
    int64_t offset, bytes;
  };

  unsigned findLastUse(Value tensor, unsigned last) {
    for (Operation *user : tensor.getUsers()) {
      // A result is written as it is computed; views of it are copied at the
      // end of the loop.
      if (isa<tensor::ParallelInsertSliceOp>(user) &&
          isa<linalg::GenericOp>(tensor.getDefiningOp()))
        continue;
      last = std::max(last, order.lookup(body.findAncestorOpInBlock(*user)));
      if (isView(user))
        last = std::max(last, findLastUse(user->getResult(0), last));
    }
    return last;
  }

  Block &body;
  llvm::DenseMap<Operation *, unsigned> order;
  SmallVector<Life> lives;
};
} // namespace

std::optional<GroupKernel>
GroupKernel::match(scf::ForallOp loop, const Chip &chip, std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  if (std::string wrong = checkLoop(loop); !wrong.empty())
    return refuse(wrong);
  int64_t most = 1, exchanged = 0;
  TileMemory memory(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (std::string wrong = checkOperation(op); !wrong.empty())
      return refuse(wrong);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || isUnneeded(generic))
      continue;
    most = std::max(most, countIterations(generic));
    exchanged = std::max<int64_t>(exchanged, getCombiners(generic).size());
    for (Value result : generic.getResults())
      if (isReadInside(result))
        memory.add(result);
  }
  GroupKernel kernel(
      loop, std::clamp<int64_t>(llvm::PowerOf2Ceil(most), kWarp, kMostThreads));
  kernel.tileBytes = memory.size;
  kernel.places = std::move(memory.places);
  kernel.exchangedBytes = exchanged * kernel.threads * kSlot;
  int64_t bytes = kernel.exchangedBytes + memory.size;
  if (bytes > chip.limits.sharedMemory)
    return refuse(llvm::formatv(
        "expected a tile of {0} bytes at most, but got one of {1}",
        chip.limits.sharedMemory, bytes));

  llvm::SetVector<Value> read;
  loop.getRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      bool isTensor = isa<ShapedType>(value.getType());
      // Who reads a view reads what it views.
      if (isTensor && (isView(op) || !isRead(use)))
        continue;
      while (isTensor && isInside(loop, value) && isView(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      if (!isInside(loop, value) && isTensor)
        value = getRoot(value);
      // What reads elements that are not there yet reads any number.
      if (value.getDefiningOp<tensor::EmptyOp>())
        continue;
      if (!isInside(loop, value) && !isConstant(value))
        read.insert(value);
    }
  });
  unsigned tensors = 0, numbers = 0;
  for (Value value : read) {
    if (std::string wrong = checkRead(value); !wrong.empty())
      return refuse(wrong);
    kernel.inputs.push_back({isa<ShapedType>(value.getType())
                                 ? "in" + std::to_string(tensors++)
                                 : "number" + std::to_string(numbers++),
                             value});
  }
  return kernel;
}

SmallVector<std::string> GroupKernel::getOutputNames() const {
  SmallVector<std::string> names;
  for (unsigned i = 0, e = scf::ForallOp(loop).getNumResults(); i < e; ++i)
    names.push_back("out" + std::to_string(i));
  return names;
}

//===----------------------------------------------------------------------===//
// Writing it
//===----------------------------------------------------------------------===//

namespace {
class GroupEmitter {
public:
  /// `places` of tensors begin behind what threads exchange.
  struct Memory {
    const llvm::MapVector<Value, int64_t> &places;
    int64_t tileBytes, exchangedBytes;
  };
  GroupEmitter(DeviceBuilder &b, scf::ForallOp loop, int64_t threads,
               const Memory &memory)
      : b(b), loop(loop), threads(threads), memory(memory) {}

  /// Adds the kernel.
  void emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
            ArrayRef<std::string> outputs);

private:
  using Values = DeviceBuilder::Values;

  Number getIndex(OpFoldResult index);
  SmallVector<Number> getIndices(ArrayRef<OpFoldResult> indices) {
    return llvm::map_to_vector(
        indices, [&](OpFoldResult index) { return getIndex(index); });
  }
  Place getPlace(Value tensor);
  Place getView(Operation *view);
  /// An element of a tensor; any number if there is none yet (tensor.empty).
  Value load(Value tensor, Numbers indices);

  Value load(linalg::GenericOp op, OpOperand &operand,
             const GenericLoops &loops) {
    return load(operand.get(), loops.getIndices(b, op, operand));
  }
  /// What combines two numbers for result `number` of a sum.
  Value combine(linalg::GenericOp op, ArrayRef<Operation *> combiners,
                unsigned number, Value x, Value y);
  Value getStart(linalg::GenericOp op, OpOperand &init,
                 const GenericLoops &iteration);
  Values getStarts(linalg::GenericOp op, const GenericLoops &iteration);
  Values runBody(linalg::GenericOp op, const GenericLoops &iteration,
                 ValueRange results);
  void storeResults(linalg::GenericOp op, const GenericLoops &iteration,
                    ValueRange values);

  void emitNumber(Operation &op);
  void emit(linalg::GenericOp op);
  void emitElements(linalg::GenericOp op, GenericLoops &iteration);
  void emitSums(linalg::GenericOp op, GenericLoops &iteration);
  /// Whether elements that one sum reads follow one another in memory.
  bool isAlongRows(linalg::GenericOp op);
  /// The threads that share sums: each is a member of one of the teams. Of a
  /// team's members, `shuffled` that follow one another exchange by shuffles.
  struct Team {
    int64_t members, teams, shuffled;
    bool areLanes;
    Number member, team;
  };
  /// The whole, as the first member of each team knows it.
  Values combineParts(ArrayRef<Operation *> combiners, linalg::GenericOp op,
                      const Team &team, ValueRange parts);
  void copyOut(tensor::ParallelInsertSliceOp insertion);
  /// Before shared memory that was written is read, and the other way round.
  void wait() {
    if (memory.tileBytes + memory.exchangedBytes > 0)
      sm80::blockBarrier(b);
  }

  DeviceBuilder &b;
  scf::ForallOp loop;
  int64_t threads;
  Memory memory;
  Number thread;
  Value exchange;
  IRMapping numbers;
  llvm::DenseMap<Value, Place> tensors;
  llvm::DenseMap<Operation *, Place> insertions;
};
} // namespace

Number GroupEmitter::getIndex(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return b.number(*constant);
  return b.number(b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(), getNumber(b, cast<Value>(index), numbers)));
}

Place GroupEmitter::getView(Operation *view) {
  Place source = getPlace(view->getOperand(0));
  if (!source)
    return source;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return placeReshape(b, source, expand);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view))
    return placeReshape(b, source, collapse);
  auto slice = cast<tensor::ExtractSliceOp>(view);
  return placeSlice(source, slice, getIndices(slice.getMixedOffsets()),
                    slice.getDroppedDims());
}

Place GroupEmitter::getPlace(Value tensor) {
  if (auto known = tensors.find(tensor); known != tensors.end())
    return known->second;
  Operation *definition = tensor.getDefiningOp();
  return isView(definition) ? getView(definition) : Place();
}

Value GroupEmitter::load(Value tensor, Numbers indices) {
  Place place = getPlace(tensor);
  return place ? loadElement(b, place, indices)
               : b.zero(getElementTypeOrSelf(tensor.getType()));
}

Value GroupEmitter::getStart(linalg::GenericOp op, OpOperand &init,
                             const GenericLoops &iteration) {
  if (!op.payloadUsesValueFromOperand(&init))
    return b.zero(getElementTypeOrSelf(init.get().getType()));
  if (Value constant = getStartValue(op, init))
    return getNumber(b, constant, numbers);
  return load(op, init, iteration);
}

GroupEmitter::Values GroupEmitter::getStarts(linalg::GenericOp op,
                                             const GenericLoops &iteration) {
  Values starts;
  for (OpOperand &init : op.getDpsInitsMutable())
    starts.push_back(getStart(op, init, iteration));
  return starts;
}

GroupEmitter::Values GroupEmitter::runBody(linalg::GenericOp op,
                                           const GenericLoops &iteration,
                                           ValueRange results) {
  return emitBody(
      b, op, iteration, results, numbers,
      {[&](OpOperand &operand) { return load(op, operand, iteration); },
       [&](Value tensor, Numbers indices) { return load(tensor, indices); }});
}

void GroupEmitter::storeResults(linalg::GenericOp op,
                                const GenericLoops &iteration,
                                ValueRange values) {
  for (auto [result, init, value] :
       llvm::zip_equal(op.getResults(), op.getDpsInitsMutable(), values)) {
    SmallVector<Number> indices = iteration.getIndices(b, op, init);
    if (auto inside = tensors.find(result); inside != tensors.end())
      storeElement(b, value, inside->second, indices);
    for (tensor::ParallelInsertSliceOp insertion : getInsertions(result))
      storeElement(b, value, insertions.lookup(insertion), indices);
  }
}

void GroupEmitter::emitElements(linalg::GenericOp op, GenericLoops &iteration) {
  b.loop(thread, b.number(iteration.iterations), b.number(threads),
         [&](Number number) {
           iteration.set(b, iteration.parallel, number);
           storeResults(op, iteration,
                        runBody(op, iteration, getStarts(op, iteration)));
         });
}

bool GroupEmitter::isAlongRows(linalg::GenericOp op) {
  OpOperand *largest = nullptr;
  auto getSize = [](OpOperand *operand) {
    return cast<RankedTensorType>(operand->get().getType()).getNumElements();
  };
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<RankedTensorType>(operand->get().getType()) &&
        (!largest || getSize(operand) > getSize(largest)))
      largest = operand;
  if (!largest)
    return true;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (AffineExpr expression :
       llvm::reverse(op.getMatchingIndexingMap(largest).getResults()))
    for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (sizes[i] > 1 && expression.isFunctionOfDim(i))
        return kind == utils::IteratorType::reduction;
  return true;
}

/// Whether lanes exchange a value by shuffles.
static bool isShuffled(Type type) {
  return type.isF32() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 32);
}

Value GroupEmitter::combine(linalg::GenericOp op,
                            ArrayRef<Operation *> combiners, unsigned number,
                            Value x, Value y) {
  IRMapping mapping;
  for (Value operand : combiners[number]->getOperands())
    mapping.map(operand, operand == op.getRegionOutputArgs()[number] ? x : y);
  return b.clone(*combiners[number], mapping)->getResult(0);
}

GroupEmitter::Values GroupEmitter::combineParts(ArrayRef<Operation *> combiners,
                                                linalg::GenericOp op,
                                                const Team &team,
                                                ValueRange parts) {
  Values whole(parts);
  for (int64_t bit = team.shuffled / 2; bit > 0; bit /= 2)
    for (auto [i, value] : llvm::enumerate(whole)) {
      Type type = value.getType(), word = type.isF32() ? type : b.getI32Type();
      Value sent = type == word
                       ? value
                       : arith::ExtUIOp::create(b, word, value).getResult();
      Value other = sm80::shuffleXor(b, sent, bit);
      if (type != word)
        other = arith::TruncIOp::create(b, type, other);
      value = combine(op, combiners, i, value, other);
    }
  const int64_t left = team.members / team.shuffled;
  if (left == 1)
    return whole;
  // Parts of warps, or of all threads, one behind the other for each result.
  const int64_t width = team.shuffled, slots = threads / width;
  auto getSlot = [&](unsigned result, Number slot) {
    return b.advance(exchange, (slot + result * slots) * kSlot);
  };
  auto load = [&](unsigned result, Number slot) {
    Type type = whole[result].getType();
    return fromStorage(
        b, b.load(getStorage(type), getSlot(result, slot), kSlot), type);
  };
  b.branch(thread % width == 0, [&] {
    for (auto [i, value] : llvm::enumerate(whole))
      b.store(toStorage(b, value), getSlot(i, thread / width), kSlot);
  });
  wait();
  Number first = team.areLanes ? team.team * left : team.team;
  int64_t step = team.areLanes ? 1 : team.teams;
  Values starts;
  for (unsigned i = 0; i < whole.size(); ++i)
    starts.push_back(load(i, first));
  return b.loop(b.number(1), b.number(left), b.number(1), starts,
                [&](Number part, ValueRange carried) {
                  Values next;
                  for (auto [i, value] : llvm::enumerate(carried))
                    next.push_back(combine(op, combiners, i, value,
                                           load(i, first + part * step)));
                  return next;
                });
}

void GroupEmitter::emitSums(linalg::GenericOp op, GenericLoops &iteration) {
  SmallVector<Operation *> combiners = getCombiners(op);
  const bool isShared = !combiners.empty();
  Team team{1, threads, 1, isAlongRows(op), thread, thread};
  auto most = int64_t(llvm::PowerOf2Ceil(iteration.summed));
  if (isShared && team.areLanes)
    team.members =
        std::min({std::max(std::min(kWarp, most),
                           int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(
                               threads / iteration.iterations, 1))))),
                  most, threads});
  else if (isShared)
    team.members = std::min(
        threads / std::min(threads,
                           int64_t(llvm::PowerOf2Ceil(iteration.iterations))),
        most);
  team.teams = threads / team.members;
  if (team.areLanes && llvm::all_of(op.getRegionOutputArgs(), [](Value value) {
        return isShuffled(value.getType());
      }))
    team.shuffled = std::min(team.members, kWarp);
  team.member = team.areLanes ? thread % team.members : thread / team.teams;
  team.team = team.areLanes ? thread / team.members : thread % team.teams;

  // All threads take part in each round: they exchange.
  b.loop(b.number(0), b.number(iteration.iterations), b.number(team.teams),
         [&](Number begin) {
           Number mine = begin + team.team;
           iteration.set(b, iteration.parallel,
                         min(mine, iteration.iterations - 1));
           Values starts = getStarts(op, iteration), parts = starts;
           if (team.members > 1)
             for (auto [i, part] : llvm::enumerate(parts))
               part = arith::ConstantOp::create(
                   b, *arith::getNeutralElement(combiners[i]));
           Number first = team.members > 1 ? team.member : b.number(0);
           parts =
               b.loop(first, b.number(iteration.summed), b.number(team.members),
                      parts, [&](Number number, ValueRange carried) {
                        iteration.set(b, iteration.sums, number);
                        return runBody(op, iteration, carried);
                      });
           if (team.members > 1) {
             parts = combineParts(combiners, op, team, parts);
             for (auto [i, part] : llvm::enumerate(parts))
               part = combine(op, combiners, i, starts[i], part);
           }
           Value writes = mine < iteration.iterations;
           if (team.members > 1)
             writes = b.both(writes, team.member == 0);
           b.branch(writes, [&] { storeResults(op, iteration, parts); });
           // The next round uses the same memory.
           if (team.members > team.shuffled &&
               iteration.iterations > team.teams)
             wait();
         });
}

void GroupEmitter::emitNumber(Operation &op) {
  for (Value operand : op.getOperands())
    if (!numbers.contains(operand))
      numbers.map(operand, getNumber(b, operand, numbers));
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply) {
    b.clone(op, numbers);
    return;
  }
  auto operands = llvm::map_to_vector(
      op.getOperands(), [&](Value value) { return numbers.lookup(value); });
  numbers.map(
      apply.getResult(),
      affine::expandAffineMap(b, b.getLoc(), apply.getAffineMap(), operands)
          ->front());
}

void GroupEmitter::emit(linalg::GenericOp op) {
  if (isUnneeded(op))
    return;
  GenericLoops iteration(op);
  bool hasSums = llvm::is_contained(op.getIteratorTypesArray(),
                                    utils::IteratorType::reduction);
  if (hasSums)
    emitSums(op, iteration);
  else
    emitElements(op, iteration);
  wait();
}

/// What is no result of an operation of the loop, or a view of one.
void GroupEmitter::copyOut(tensor::ParallelInsertSliceOp insertion) {
  Place from = getPlace(insertion.getSource()),
        to = insertions.lookup(insertion);
  if (!from)
    return; // of elements that are not there yet
  RankedTensorType type = insertion.getSourceType();
  b.loop(thread, b.number(type.getNumElements()), b.number(threads),
         [&](Number number) {
           SmallVector<Number> indices =
               delinearize(b, type.getShape(), number);
           storeElement(b, loadElement(b, from, indices), to, indices);
         });
}

void GroupEmitter::emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
                        ArrayRef<std::string> outputs) {
  KernelSignature signature(b);
  for (const ElementKernel::Input &input : inputs)
    addMemory(signature, input.name, input.value.getType());
  for (auto [name, type] : llvm::zip_equal(outputs, loop.getResultTypes()))
    addMemory(signature, name, type);
  SmallVector<int64_t> counts;
  int64_t tiles = 1;
  for (auto [begin, end, step] :
       llvm::zip_equal(loop.getStaticLowerBound(), loop.getStaticUpperBound(),
                       loop.getStaticStep())) {
    counts.push_back(llvm::divideCeil(end - begin, step));
    tiles *= counts.back();
  }
  std::string symbol = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, symbol,
                         Attribute(), kAlignment, /*addrSpace=*/3);
  auto func =
      signature.createKernel(name, {{tiles, kBlocksPerMultiprocessor},
                                    threads,
                                    /*minBlocks=*/1,
                                    /*cluster=*/1,
                                    memory.exchangedBytes + memory.tileBytes,
                                    /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  thread = sm80::threadId(b);
  exchange = LLVM::AddressOfOp::create(b, b.pointer(3), symbol);
  for (auto [input, argument] : llvm::zip(inputs, entry->getArguments())) {
    if (auto type = dyn_cast<RankedTensorType>(input.value.getType()))
      tensors[input.value] = placeTensor(b, argument, type);
    else
      numbers.map(input.value, loadNumber(b, argument, input.value.getType()));
  }
  for (auto [out, argument] :
       llvm::zip_equal(loop.getRegionOutArgs(),
                       entry->getArguments().drop_front(inputs.size())))
    tensors[out] =
        placeTensor(b, argument, cast<RankedTensorType>(out.getType()));
  for (auto [tensor, offset] : memory.places)
    tensors[tensor] =
        placeTensor(b, b.advance(exchange, memory.exchangedBytes + offset),
                    cast<RankedTensorType>(tensor.getType()));

  b.loop(
      sm80::blockId(b), b.number(tiles), sm80::blockCount(b), [&](Number tile) {
        for (auto [variable, at, step, begin] : llvm::zip_equal(
                 loop.getInductionVars(), delinearize(b, counts, tile),
                 loop.getStaticStep(), loop.getStaticLowerBound()))
          numbers.map(variable, b.createOrFold<arith::IndexCastOp>(
                                    b.getIndexType(), at * step + begin));
        // Where results go is known before they are.
        for (Operation &op : loop.getBody()->without_terminator())
          if (isArithmetic(op))
            emitNumber(op);
        auto yielding =
            llvm::make_pointer_range(loop.getTerminator().getYieldingOps());
        for (Operation *op : yielding) {
          auto insertion = cast<tensor::ParallelInsertSliceOp>(op);
          insertions[op] = placeSlice(getPlace(insertion.getDest()), insertion,
                                      getIndices(insertion.getMixedOffsets()),
                                      insertion.getDroppedDims());
        }
        for (auto op : loop.getBody()->getOps<linalg::GenericOp>())
          emit(op);
        for (Operation *op : yielding) {
          auto insertion = cast<tensor::ParallelInsertSliceOp>(op);
          Value source = insertion.getSource();
          if (isInside(loop, source) &&
              source.getDefiningOp<linalg::GenericOp>())
            continue;
          copyOut(insertion);
          // The next tile uses the same memory.
          wait();
        }
      });
  LLVM::ReturnOp::create(b, ValueRange());
}

gpu::GPUModuleOp GroupKernel::emit(OpBuilder &builder, StringRef name) const {
  scf::ForallOp forall = loop;
  auto module = gpu::GPUModuleOp::create(builder, forall.getLoc(), name);
  DeviceBuilder b(forall.getLoc(), builder);
  b.setInsertionPointToStart(module.getBody());
  GroupEmitter(b, forall, threads, {places, tileBytes, exchangedBytes})
      .emit(name, inputs, getOutputNames());
  numberLaunches(module);
  return module;
}
