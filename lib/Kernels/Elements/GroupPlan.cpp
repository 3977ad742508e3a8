//===- GroupPlan.cpp - Who computes what of a tile ------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first sum along rows says how many rows and columns there are; what has
// as many joins it, in the order of the loop, unless it reads what is not there
// yet. An operation may read what another of its phase computed only at its own
// row and column: those are in the thread's registers. Operations that do not
// join come later, by the same rules, each alone if nothing else helps.
//
// Tensors are in shared memory from the phase that computes them to the last
// one that reads them, and share it with others before and after. A barrier
// stands before a phase that touches what was written since the last one, or
// that writes what was read.
//
//===----------------------------------------------------------------------===//

#include "Elements/GroupPlan.h"

#include "Elements/ElementRules.h"
#include "Elements/GroupParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kMostThreads = 256;
/// Of so few tiles that most multiprocessors have none, as long as each thread
/// has some rounds; more threads would leave each 64 registers.
static constexpr int64_t kFewTiles = 64, kMostOfFew = 512, kLeastRounds = 4;

/// Elements of a tensor that a thread has in registers: so many before more
/// threads share a row, and at most.
static constexpr int64_t kGoodElements = 16, kMostElements = 32;

static int64_t getBytes(Type element) {
  return llvm::divideCeil(getStorage(element).getIntOrFloatBitWidth(), 8);
}

/// Whether lanes exchange a value by shuffles.
static bool isShuffled(Type type) {
  return type.isF32() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() <= 32);
}

int64_t mlir::amp::countShuffled(linalg::GenericOp op, int64_t members,
                                 int64_t apart) {
  bool areShuffled = llvm::all_of(op.getRegionOutputArgs(), [](Value value) {
    return isShuffled(value.getType());
  });
  return areShuffled && apart < GroupPlan::kWarp
             ? std::min(members, GroupPlan::kWarp / apart)
             : 1;
}

ExchangeLayout::ExchangeLayout(linalg::GenericOp op, int64_t width,
                               int64_t slots)
    : width(width), slots(slots), bytes(0) {
  for (BlockArgument result : op.getRegionOutputArgs()) {
    sizes.push_back(getBytes(result.getType()));
    offsets.push_back(bytes);
    bytes += llvm::alignTo(sizes.back() * width * slots, kWideBytes);
  }
}

int64_t ExchangeLayout::getOffset(unsigned result, int64_t lane) const {
  return offsets[result] + lane * slots * sizes[result];
}

bool mlir::amp::hasSteps(const GroupOperation &operation,
                         ArrayRef<int64_t> sizes, const ElementNumber &number,
                         int64_t perRow, int64_t perColumn) {
  auto check = [&](ArrayRef<unsigned> loops, int64_t step) {
    for (unsigned loop : llvm::reverse(loops)) {
      if (sizes[loop] > 1 && number.steps[loop] != step)
        return false;
      step *= sizes[loop];
    }
    return true;
  };
  return check(operation.rows, perRow) && check(operation.columns, perColumn);
}

/// Whether elements that one sum reads follow one another in memory.
static bool isAlongRows(linalg::GenericOp op) {
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

namespace {
/// Rows and columns, once a sum has said how many.
struct Shape {
  int64_t rows, columns;
};

class Planner {
public:
  Planner(scf::ForallOp loop, GroupPlan &plan);

  void run();

private:
  bool isSumOfRows(linalg::GenericOp op);
  std::optional<GroupOperation> view(linalg::GenericOp op, Shape shape);
  /// Whether results of operations of the phase are read where they are.
  bool readsInPlace(const GroupOperation &operation, Shape shape);
  /// Adds results that threads have in registers.
  void addInPlace(const GroupOperation &operation, Shape shape);

  GroupPhase makeRows(Shape shape, ArrayRef<linalg::GenericOp> left);
  GroupPhase makeAlone(linalg::GenericOp op);
  /// What a thread could take several columns of at once.
  LaneLoop getLanes(const GroupOperation &operation);
  /// Threads that a phase can use.
  int64_t countThreads(const GroupPhase &phase);

  void shareThreads();
  void placeTensors();
  void placeBarriers();
  /// Bytes of each exchange of a round, and of the memory for them.
  SmallVector<int64_t> getExchanges(const GroupPhase &phase);
  int64_t countExchanged(const GroupPhase &phase);
  /// Whether a round begins with the memory that the last one ended with.
  bool reusesExchange(const GroupPhase &phase);
  /// The phase that reads a result last, if one that is not its own does.
  std::optional<unsigned> findLastReader(Value result, unsigned own);

  scf::ForallOp loop;
  GroupPlan &plan;
  SmallVector<linalg::GenericOp> left;
  /// Results of the phase in work: with a column each, or one for a row.
  llvm::DenseMap<Value, bool> inPlace;
  llvm::DenseMap<Operation *, unsigned> phaseOf;
};
} // namespace

Planner::Planner(scf::ForallOp loop, GroupPlan &plan) : loop(loop), plan(plan) {
  for (auto op : loop.getBody()->getOps<linalg::GenericOp>())
    if (!isUnneeded(op))
      left.push_back(op);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

bool Planner::isSumOfRows(linalg::GenericOp op) {
  return !GenericLoops(op).sums.empty() && !getCombiners(op).empty() &&
         isAlongRows(op);
}

std::optional<GroupOperation> Planner::view(linalg::GenericOp op, Shape shape) {
  GenericLoops loops(op);
  GroupOperation result{op, loops.parallel, {}, false};
  if (!loops.sums.empty()) {
    if (!isSumOfRows(op) || loops.iterations != shape.rows ||
        loops.summed != shape.columns)
      return std::nullopt;
    result.columns = loops.sums;
    result.isSum = true;
    return result;
  }
  if (loops.iterations == shape.rows)
    return result;
  if (loops.iterations != shape.rows * shape.columns)
    return std::nullopt;
  int64_t rows = 1;
  unsigned outer = 0;
  while (rows < shape.rows)
    rows *= loops.sizes[loops.parallel[outer++]];
  if (rows != shape.rows)
    return std::nullopt;
  result.rows.assign(loops.parallel.begin(), loops.parallel.begin() + outer);
  result.columns.assign(loops.parallel.begin() + outer, loops.parallel.end());
  return result;
}

static bool isAt(const GroupOperation &operation, AffineMap map,
                 const ElementLayout &layout, Shape shape, bool hasColumns) {
  std::optional<ElementNumber> number = ElementNumber::get(map, layout);
  linalg::GenericOp op = operation.op;
  return number && number->start == 0 && number->unit == 0 &&
         hasSteps(operation, op.getStaticLoopRanges(), *number,
                  hasColumns ? shape.columns : 1, hasColumns ? 1 : 0);
}

bool Planner::readsInPlace(const GroupOperation &operation, Shape shape) {
  linalg::GenericOp op = operation.op;
  auto isLater = [&](Value tensor) {
    auto producer = tensor.getDefiningOp<linalg::GenericOp>();
    return producer && isInside(loop, tensor) && !phaseOf.contains(producer);
  };
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) || !isRead(operand))
      continue;
    Value viewed = getViewed(loop, operand.get());
    if (!isLater(viewed))
      continue;
    auto known = inPlace.find(viewed);
    if (known == inPlace.end() ||
        (known->second && operation.columns.empty() && shape.columns > 1) ||
        !isAt(operation, op.getMatchingIndexingMap(&operand),
              getTileLayout(loop, operand.get()), shape, known->second))
      return false;
  }
  WalkResult walk = op.getRegion().walk([&](tensor::ExtractOp extract) {
    return isLater(getViewed(loop, extract.getTensor()))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

void Planner::addInPlace(const GroupOperation &operation, Shape shape) {
  linalg::GenericOp op = operation.op;
  const bool hasColumns = !operation.columns.empty() && !operation.isSum;
  for (auto [result, init] :
       llvm::zip_equal(op.getResults(), op.getDpsInitsMutable()))
    if (isAt(operation, op.getMatchingIndexingMap(&init),
             ElementLayout::getWhole(cast<RankedTensorType>(result.getType())),
             shape, hasColumns))
      inPlace[result] = hasColumns;
}

LaneLoop Planner::getLanes(const GroupOperation &operation) {
  linalg::GenericOp op = operation.op;
  LaneLoop lanes{op, operation.columns.back(), {}};
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) && isRead(operand) &&
        !inPlace.contains(getViewed(loop, operand.get())))
      lanes.operands.push_back({&operand, getTileLayout(loop, operand.get())});
  if (operation.isSum)
    return lanes;
  for (auto [result, init] :
       llvm::zip_equal(op.getResults(), op.getDpsInitsMutable()))
    for (tensor::ParallelInsertSliceOp insertion : getInsertions(result))
      lanes.operands.push_back(
          {&init, ElementLayout::getWhole(insertion.getDestType())
                      .slice(insertion, insertion.getSourceType())});
  return lanes;
}

GroupPhase Planner::makeRows(Shape shape, ArrayRef<linalg::GenericOp> left) {
  GroupPhase phase;
  phase.form = GroupPhase::Form::Rows;
  phase.rows = shape.rows;
  phase.columns = shape.columns;
  inPlace.clear();
  SmallVector<LaneLoop> lanes;
  for (linalg::GenericOp op : left) {
    std::optional<GroupOperation> operation = view(op, shape);
    if (!operation || !readsInPlace(*operation, shape))
      continue;
    if (!operation->columns.empty())
      lanes.push_back(getLanes(*operation));
    addInPlace(*operation, shape);
    phase.operations.push_back(*operation);
  }
  phase.width = chooseWidth(lanes);
  const int64_t groups = shape.columns / phase.width,
                most =
                    std::min(kMostThreads, int64_t(llvm::PowerOf2Ceil(groups)));
  auto countElements = [&]() -> int64_t {
    return llvm::divideCeil(groups, phase.members) * phase.width;
  };
  phase.members = std::min(most, GroupPlan::kWarp);
  while (countElements() > kGoodElements && phase.members < most)
    phase.members *= 2;
  phase.chunks = llvm::divideCeil(groups, phase.members);
  phase.isUnrolled = countElements() <= kMostElements;
  return phase;
}

GroupPhase Planner::makeAlone(linalg::GenericOp op) {
  GenericLoops loops(op);
  GroupPhase phase;
  phase.operations.push_back({op, loops.parallel, {}, false});
  inPlace.clear();
  if (!loops.sums.empty())
    phase.form = GroupPhase::Form::Sums;
  if (!loops.parallel.empty())
    phase.width = chooseWidth(getLanes({op, {}, loops.parallel, false}));
  return phase;
}

int64_t Planner::countThreads(const GroupPhase &phase) {
  if (phase.form == GroupPhase::Form::Rows)
    return phase.rows * phase.members;
  GenericLoops loops(phase.operations.front().op);
  return loops.iterations * loops.summed / phase.width;
}

void Planner::run() {
  while (!left.empty()) {
    auto sum = llvm::find_if(
        left, [&](linalg::GenericOp op) { return isSumOfRows(op); });
    GroupPhase phase;
    if (sum != left.end()) {
      GenericLoops loops(*sum);
      Shape shape{loops.iterations, loops.summed};
      phase = makeRows(shape, left);
      // Too long for registers: sums, each by itself.
      if (!phase.isUnrolled)
        phase = isSumOfRows(left.front())
                    ? makeRows({GenericLoops(left.front()).iterations,
                                GenericLoops(left.front()).summed},
                               left.front())
                    : GroupPhase();
    }
    bool isFirst = !phase.operations.empty() &&
                   phase.operations.front().op == left.front();
    if (!isFirst)
      phase = makeAlone(left.front());
    for (const GroupOperation &operation : phase.operations)
      phaseOf[operation.op] = plan.phases.size();
    llvm::erase_if(left,
                   [&](linalg::GenericOp op) { return phaseOf.contains(op); });
    plan.phases.push_back(std::move(phase));
  }
  shareThreads();
  placeTensors();
  placeBarriers();
}

void Planner::shareThreads() {
  int64_t most = GroupPlan::kWarp;
  for (const GroupPhase &phase : plan.phases)
    most = std::max(most, countThreads(phase));
  int64_t limit = kMostThreads;
  if (plan.tiles <= kFewTiles)
    limit = std::clamp(int64_t(llvm::PowerOf2Ceil(most / kLeastRounds)),
                       kMostThreads, kMostOfFew);
  plan.threads = std::min(int64_t(llvm::PowerOf2Ceil(most)), limit);
  for (GroupPhase &phase : plan.phases) {
    linalg::GenericOp op = phase.operations.front().op;
    if (phase.form != GroupPhase::Form::Sums || getCombiners(op).empty())
      continue;
    GenericLoops loops(op);
    int64_t sums = llvm::PowerOf2Ceil(loops.iterations / phase.width);
    phase.members = std::min(plan.threads / std::min(plan.threads, sums),
                             int64_t(llvm::PowerOf2Ceil(loops.summed)));
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {
/// Places of a tile's tensors. A tensor gives its place back behind the last
/// phase that reads it.
class TileMemory {
public:
  int64_t add(unsigned first, unsigned last, int64_t bytes) {
    Life life{first, last, 0, int64_t(llvm::alignTo(bytes, kWideBytes))};
    for (bool moved = true; moved;) {
      moved = false;
      for (const Life &other : lives)
        if (other.last >= life.first && other.first <= life.last &&
            other.offset < life.offset + life.bytes &&
            life.offset < other.offset + other.bytes) {
          life.offset = other.offset + other.bytes;
          moved = true;
        }
    }
    lives.push_back(life);
    size = std::max(size, life.offset + life.bytes);
    return life.offset;
  }

  int64_t size = 0;

private:
  struct Life {
    unsigned first, last;
    int64_t offset, bytes;
  };
  SmallVector<Life> lives;
};

/// Bytes of shared memory.
struct Range {
  int64_t begin, end;
};

/// What was touched since the last barrier.
class Touched {
public:
  bool needBarrier(ArrayRef<Range> reads, ArrayRef<Range> writes) const {
    return meet(written, reads) || meet(written, writes) || meet(read, writes);
  }
  void add(ArrayRef<Range> reads, ArrayRef<Range> writes) {
    llvm::append_range(read, reads);
    llvm::append_range(written, writes);
  }
  void clear() {
    read.clear();
    written.clear();
  }
  bool isEmpty() const { return read.empty() && written.empty(); }

private:
  static bool meet(ArrayRef<Range> xs, ArrayRef<Range> ys) {
    return llvm::any_of(xs, [&](Range x) {
      return llvm::any_of(
          ys, [&](Range y) { return x.begin < y.end && y.begin < x.end; });
    });
  }

  SmallVector<Range> read, written;
};
} // namespace

std::optional<unsigned> Planner::findLastReader(Value result, unsigned own) {
  std::optional<unsigned> last;
  auto add = [&](unsigned phase) { last = std::max(last.value_or(0), phase); };
  SmallVector<Value> views{result};
  while (!views.empty()) {
    Value value = views.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isView(user)) {
        views.push_back(user->getResult(0));
      } else if (isa<tensor::ParallelInsertSliceOp>(user)) {
        // A result is written as it is computed; views are copied at the end.
        if (value != result && isRead(use))
          add(plan.phases.size());
      } else if (isRead(use)) {
        while (!isa<linalg::GenericOp>(user))
          user = user->getParentOp();
        auto reader = phaseOf.find(user);
        if (reader != phaseOf.end() && reader->second != own)
          add(reader->second);
      }
    }
  }
  return last;
}

SmallVector<int64_t> Planner::getExchanges(const GroupPhase &phase) {
  if (phase.members == 1)
    return {};
  if (phase.form == GroupPhase::Form::Sums) {
    linalg::GenericOp op = phase.operations.front().op;
    int64_t shuffled =
        countShuffled(op, phase.members, plan.threads / phase.members);
    if (shuffled == phase.members)
      return {};
    return {ExchangeLayout(op, phase.width, plan.threads / shuffled).bytes};
  }
  SmallVector<int64_t> exchanges;
  for (const GroupOperation &operation : phase.operations) {
    if (!operation.isSum)
      continue;
    int64_t shuffled = countShuffled(operation.op, phase.members);
    if (shuffled != phase.members)
      exchanges.push_back(
          ExchangeLayout(operation.op, 1, plan.threads / shuffled).bytes);
  }
  return exchanges;
}

int64_t Planner::countExchanged(const GroupPhase &phase) {
  SmallVector<int64_t> exchanges = getExchanges(phase);
  if (exchanges.empty())
    return 0;
  // Those of a row take turns with two parts of memory.
  return *llvm::max_element(exchanges) * (exchanges.size() > 1 ? 2 : 1);
}

bool Planner::reusesExchange(const GroupPhase &phase) {
  bool isRows = phase.form == GroupPhase::Form::Rows;
  int64_t rounds =
      (isRows ? phase.rows
              : GenericLoops(phase.operations.front().op).iterations /
                    phase.width);
  return getExchanges(phase).size() % 2 != 0 &&
         rounds > plan.threads / phase.members;
}

void Planner::placeTensors() {
  TileMemory memory;
  for (auto [i, phase] : llvm::enumerate(plan.phases)) {
    plan.exchangedBytes = std::max(plan.exchangedBytes, countExchanged(phase));
    for (const GroupOperation &operation : phase.operations)
      for (Value result : linalg::GenericOp(operation.op).getResults())
        if (std::optional<unsigned> last = findLastReader(result, i)) {
          auto type = cast<RankedTensorType>(result.getType());
          plan.places[result] = memory.add(i, *last,
                                           type.getNumElements() *
                                               getBytes(type.getElementType()));
        }
  }
  plan.tileBytes = memory.size;
}

void Planner::placeBarriers() {
  auto getRange = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t begin = plan.exchangedBytes + plan.places.lookup(tensor);
    return Range{begin, begin + type.getNumElements() *
                                    getBytes(type.getElementType())};
  };
  Touched touched;
  auto pass = [&](ArrayRef<Range> reads, ArrayRef<Range> writes) {
    bool waits = touched.needBarrier(reads, writes);
    if (waits)
      touched.clear();
    touched.add(reads, writes);
    return waits;
  };
  for (unsigned i = 0; i < plan.phases.size(); ++i) {
    GroupPhase &phase = plan.phases[i];
    SmallVector<Range> reads, writes;
    for (const GroupOperation &operation : phase.operations) {
      for (Value result : linalg::GenericOp(operation.op).getResults())
        if (plan.places.contains(result))
          writes.push_back(getRange(result));
      operation.op->walk([&](Operation *op) {
        for (Value operand : op->getOperands()) {
          if (!isa<RankedTensorType>(operand.getType()))
            continue;
          Value viewed = getViewed(loop, operand);
          if (plan.places.contains(viewed) &&
              phaseOf.lookup(viewed.getDefiningOp()) != i)
            reads.push_back(getRange(viewed));
        }
      });
    }
    if (!getExchanges(phase).empty()) {
      reads.push_back({0, plan.exchangedBytes});
      writes.push_back({0, plan.exchangedBytes});
    }
    phase.waits = pass(reads, writes);
    phase.waitsEachRound = reusesExchange(phase);
    if (phase.waitsEachRound)
      touched.clear();
  }
  SmallVector<Range> copied;
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    Value source = cast<tensor::ParallelInsertSliceOp>(op).getSource();
    Value viewed = getViewed(loop, source);
    if (viewed != source && plan.places.contains(viewed))
      copied.push_back(getRange(viewed));
  }
  plan.waitsForViews = pass(copied, {});
  // The next tile uses the same memory.
  plan.waitsAtEnd = !touched.isEmpty() && plan.tiles > 1;
}

GroupPlan::GroupPlan(scf::ForallOp loop) {
  for (auto [begin, end, step] :
       llvm::zip_equal(loop.getStaticLowerBound(), loop.getStaticUpperBound(),
                       loop.getStaticStep())) {
    counts.push_back(llvm::divideCeil(end - begin, step));
    tiles *= counts.back();
  }
  Planner(loop, *this).run();
}
