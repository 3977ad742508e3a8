//===- GroupEmitter.cpp - A plan for a tile as code -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum is shared by a team of threads: each adds every so many'th group of
// elements, in order, and the parts are combined in a fixed order. Where
// elements that follow one another in memory belong to one sum, a team is lanes
// that follow one another. They exchange parts by shuffles, in the same order
// for all, and those of several warps through shared memory, so that each
// member knows the whole. Else a team's threads stand apart, so that neighbours
// read neighbours: those of one warp exchange parts by shuffles, too, and one
// of each warp leaves them in shared memory. A sum whose order matters
// (FusionNode::summed) has one thread.
//
// In a phase of rows, a thread whose columns are beyond the last computes the
// last ones again, and one without a row the last row: what it computes is
// neither added nor written.
//
//===----------------------------------------------------------------------===//

#include "Elements/GroupEmitter.h"

#include "Device/Sm80Instructions.h"
#include "Elements/ElementRules.h"
#include "Elements/GroupParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"

#include <tuple>

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kBlocksPerMultiprocessor = 8;

/// Rounds of a loop that are written one behind the other.
static constexpr int64_t kRoundsAtOnce = 4;

namespace {
class GroupEmitter {
public:
  GroupEmitter(DeviceBuilder &b, scf::ForallOp loop, const GroupPlan &plan)
      : b(b), loop(loop), plan(plan) {}

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

  /// What `lanes` of an operation read of an operand in memory; any number if
  /// there is none yet (tensor.empty).
  Values load(linalg::GenericOp op, OpOperand &operand,
              const GenericLoops &loops, const Lanes &lanes);
  /// What a result of an operation starts from, where `read` has elements.
  Values getStart(linalg::GenericOp op, OpOperand &init, int64_t width,
                  function_ref<Values(OpOperand &)> read);
  /// Those of all results: of the first lane, of the second and so on.
  Values getStarts(linalg::GenericOp op, int64_t width,
                   function_ref<Values(OpOperand &)> read);
  /// The results of the first lane, of the second and so on.
  Values runBody(linalg::GenericOp op, const GenericLoops &loops,
                 const Lanes &lanes, ValueRange results,
                 function_ref<Values(OpOperand &)> read, bool areCarried);
  /// Writes what leaves the tile, or its phase.
  void store(linalg::GenericOp op, const GenericLoops &loops,
             const Lanes &lanes, ValueRange results);
  bool isStored(linalg::GenericOp op);

  /// Rounds from `first` up to `count` in this step, of which `first` is below
  /// it: several at once, so that their loads are under way together.
  Values emitRounds(
      Number first, int64_t count, int64_t step, ValueRange starts,
      function_ref<Values(ArrayRef<Number> rounds, ValueRange carried)> emit);
  void emitNumber(Operation &op);
  void emitPhase(const GroupPhase &phase);
  void emitElements(const GroupPhase &phase);
  void emitSums(const GroupPhase &phase);
  void copyOut(tensor::ParallelInsertSliceOp insertion);

  /// What combines two numbers for result `number` of a sum.
  Value combine(linalg::GenericOp op, unsigned number, Value x, Value y);
  Values getNeutral(linalg::GenericOp op, int64_t width);
  /// Combines what threads left in memory: `count` parts from slot `first` on,
  /// `step` apart.
  Values combineSlots(linalg::GenericOp op, const ExchangeLayout &layout,
                      int64_t begin, Number first, int64_t count, int64_t step);
  void leaveInSlot(linalg::GenericOp op, const ExchangeLayout &layout,
                   int64_t begin, Number slot, ValueRange values);

  /// Combines the parts of so many lanes, that far apart, so that each has the
  /// whole.
  Values combineLanes(linalg::GenericOp op, int64_t lanes, int64_t apart,
                      ValueRange parts);

  /// A row of a phase, as a thread sees it.
  struct Row {
    const GroupPhase &phase;
    Number index, member;
    /// Whether it is one; null if it always is.
    Value exists;
    /// Sums of the phase that went through shared memory.
    int64_t exchanges = 0;
  };
  /// Columns that a thread takes at once.
  struct Chunk {
    /// The number of it in the thread, if that is known.
    int64_t number;
    /// The first column, in units of the width, and whether it is one.
    Number group;
    Value exists;
  };
  void emitRows(const GroupPhase &phase);
  Chunk getChunk(const Row &row, int64_t number);
  GenericLoops getLoops(const Row &row, const GroupOperation &operation,
                        const Chunk *chunk);
  Lanes getLanes(const Row &row, const GroupOperation &operation);
  /// The elements of an operand: from registers, or from memory, which is read
  /// once.
  Values read(const Row &row, const GroupOperation &operation,
              OpOperand &operand, const GenericLoops &loops,
              const Chunk *chunk);
  void emitSumOfRow(Row &row, const GroupOperation &operation);
  void emitElementsOfRow(const Row &row, const GroupOperation &operation);
  Values combineRow(Row &row, linalg::GenericOp op, ValueRange parts);
  void branchIf(Value x, Value y, function_ref<void()> then);

  void wait() { sm80::blockBarrier(b); }

  DeviceBuilder &b;
  scf::ForallOp loop;
  const GroupPlan &plan;
  Number thread;
  Value memory;
  IRMapping numbers;
  llvm::DenseMap<Value, Place> tensors;
  llvm::DenseMap<Operation *, Place> insertions;
  /// Of the row in work: results, one for each column of the thread or one, and
  /// what was read, by tensor and steps along rows and columns.
  llvm::DenseMap<Value, Values> registers;
  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, SmallVector<Values>>
      loaded;
};
} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

GroupEmitter::Values GroupEmitter::load(linalg::GenericOp op,
                                        OpOperand &operand,
                                        const GenericLoops &loops,
                                        const Lanes &lanes) {
  Place place = getPlace(operand.get());
  if (!place)
    return Values(lanes.width,
                  b.zero(getElementTypeOrSelf(operand.get().getType())));
  return loadLanes(b, op, operand, loops, lanes, place,
                   getTileLayout(loop, operand.get()));
}

GroupEmitter::Values
GroupEmitter::getStart(linalg::GenericOp op, OpOperand &init, int64_t width,
                       function_ref<Values(OpOperand &)> read) {
  if (!op.payloadUsesValueFromOperand(&init))
    return Values(width, b.zero(getElementTypeOrSelf(init.get().getType())));
  if (Value constant = getStartValue(op, init))
    return Values(width, getNumber(b, constant, numbers));
  return read(init);
}

GroupEmitter::Values
GroupEmitter::getStarts(linalg::GenericOp op, int64_t width,
                        function_ref<Values(OpOperand &)> read) {
  const unsigned results = op.getNumResults();
  Values starts(results * width);
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
    for (auto [lane, start] : llvm::enumerate(getStart(op, init, width, read)))
      starts[lane * results + i] = start;
  return starts;
}

GroupEmitter::Values
GroupEmitter::runBody(linalg::GenericOp op, const GenericLoops &loops,
                      const Lanes &lanes, ValueRange results,
                      function_ref<Values(OpOperand &)> read, bool areCarried) {
  llvm::DenseMap<OpOperand *, Values> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<RankedTensorType>(operand->get().getType()) && isRead(*operand))
      inputs[operand] = read(*operand);
  const unsigned count = op.getNumResults();
  Values next, last(results.take_front(count));
  for (int64_t lane = 0; lane < lanes.width; ++lane) {
    if (!areCarried)
      last.assign(results.begin() + lane * count,
                  results.begin() + (lane + 1) * count);
    last =
        emitBody(b, op, lanes.at(b, loops, lane), last, numbers,
                 {[&](OpOperand &operand) { return inputs[&operand][lane]; },
                  [&](Value tensor, Numbers indices) -> Value {
                    Place place = getPlace(tensor);
                    return place
                               ? loadElement(b, place, indices)
                               : b.zero(getElementTypeOrSelf(tensor.getType()));
                  }});
    if (!areCarried)
      llvm::append_range(next, last);
  }
  return areCarried ? last : next;
}

bool GroupEmitter::isStored(linalg::GenericOp op) {
  return llvm::any_of(op.getResults(), [&](Value result) {
    return tensors.contains(result) || !getInsertions(result).empty();
  });
}

void GroupEmitter::store(linalg::GenericOp op, const GenericLoops &loops,
                         const Lanes &lanes, ValueRange results) {
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    Value result = op.getResult(i);
    Values values;
    for (int64_t lane = 0; lane < lanes.width; ++lane)
      values.push_back(results[lane * op.getNumResults() + i]);
    if (auto inside = tensors.find(result); inside != tensors.end())
      storeLanes(
          b, op, init, loops, lanes, inside->second,
          ElementLayout::getWhole(cast<RankedTensorType>(result.getType())),
          values);
    for (tensor::ParallelInsertSliceOp insertion : getInsertions(result))
      storeLanes(b, op, init, loops, lanes, insertions.lookup(insertion),
                 ElementLayout::getWhole(insertion.getDestType())
                     .slice(insertion, insertion.getSourceType()),
                 values);
  }
}

void GroupEmitter::emitElements(const GroupPhase &phase) {
  linalg::GenericOp op = phase.operations.front().op;
  GenericLoops loops(op);
  Lanes lanes{loops.parallel.empty() ? 0 : loops.parallel.back(), phase.width};
  auto readOperand = [&](OpOperand &operand) {
    return load(op, operand, loops, lanes);
  };
  emitRounds(thread, loops.iterations / phase.width, plan.threads, {},
             [&](ArrayRef<Number> rounds, ValueRange) {
               // What is written may be what the next round reads, for all that
               // a compiler knows.
               SmallVector<Values> written;
               for (Number number : rounds) {
                 loops.set(b, loops.parallel, number, phase.width);
                 Values starts = getStarts(op, phase.width, readOperand);
                 written.push_back(runBody(op, loops, lanes, starts,
                                           readOperand,
                                           /*areCarried=*/false));
               }
               for (auto [number, values] : llvm::zip_equal(rounds, written)) {
                 loops.set(b, loops.parallel, number, phase.width);
                 store(op, loops, lanes, values);
               }
               return Values();
             });
}

GroupEmitter::Values GroupEmitter::emitRounds(
    Number first, int64_t count, int64_t step, ValueRange starts,
    function_ref<Values(ArrayRef<Number>, ValueRange)> emit) {
  const int64_t rounds = count / step, rest = rounds % kRoundsAtOnce;
  auto emitSome = [&](Number from, int64_t some, ValueRange carried) {
    SmallVector<Number> numbers;
    for (int64_t round = 0; round < some; ++round)
      numbers.push_back(from + round * step);
    return emit(numbers, carried);
  };
  Values carried(starts);
  if (rounds - rest == kRoundsAtOnce)
    carried = emitSome(first, kRoundsAtOnce, carried);
  else if (rounds > rest)
    carried = b.loop(first, b.number((rounds - rest) * step),
                     b.number(kRoundsAtOnce * step), carried,
                     [&](Number from, ValueRange values) {
                       return emitSome(from, kRoundsAtOnce, values);
                     });
  if (rest > 0)
    carried = emitSome(first + (rounds - rest) * step, rest, carried);
  if (count % step == 0)
    return carried;
  return b.loop(first + rounds * step, b.number(count), b.number(step), carried,
                [&](Number from, ValueRange values) {
                  return emitSome(from, 1, values);
                });
}

/// What is no result of an operation of the loop, or a view of one.
void GroupEmitter::copyOut(tensor::ParallelInsertSliceOp insertion) {
  Place from = getPlace(insertion.getSource()),
        to = insertions.lookup(insertion);
  if (!from)
    return; // of elements that are not there yet
  RankedTensorType type = insertion.getSourceType();
  b.loop(thread, b.number(type.getNumElements()), b.number(plan.threads),
         [&](Number number) {
           SmallVector<Number> indices =
               delinearize(b, type.getShape(), number);
           storeElement(b, loadElement(b, from, indices), to, indices);
         });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value GroupEmitter::combine(linalg::GenericOp op, unsigned number, Value x,
                            Value y) {
  Operation *combiner = getCombiners(op)[number];
  IRMapping mapping;
  for (Value operand : combiner->getOperands())
    mapping.map(operand, operand == op.getRegionOutputArgs()[number] ? x : y);
  return b.clone(*combiner, mapping)->getResult(0);
}

GroupEmitter::Values GroupEmitter::getNeutral(linalg::GenericOp op,
                                              int64_t width) {
  Values values;
  for (int64_t lane = 0; lane < width; ++lane)
    for (Operation *combiner : getCombiners(op))
      values.push_back(
          arith::ConstantOp::create(b, *arith::getNeutralElement(combiner)));
  return values;
}

void GroupEmitter::leaveInSlot(linalg::GenericOp op,
                               const ExchangeLayout &layout, int64_t begin,
                               Number slot, ValueRange values) {
  const unsigned count = op.getNumResults();
  for (auto [i, value] : llvm::enumerate(values)) {
    int64_t size = layout.sizes[i % count];
    b.store(
        toStorage(b, value),
        b.advance(memory, slot * size +
                              (begin + layout.getOffset(i % count, i / count))),
        size);
  }
}

GroupEmitter::Values GroupEmitter::combineSlots(linalg::GenericOp op,
                                                const ExchangeLayout &layout,
                                                int64_t begin, Number first,
                                                int64_t count, int64_t step) {
  const unsigned results = op.getNumResults();
  auto loadPart = [&](unsigned i, Number slot) {
    Type type = op.getRegionOutputArgs()[i % results].getType();
    int64_t size = layout.sizes[i % results];
    Value address = b.advance(
        memory,
        slot * size + (begin + layout.getOffset(i % results, i / results)));
    return fromStorage(b, b.load(getStorage(type), address, size), type);
  };
  Values starts;
  for (unsigned i = 0; i < results * layout.width; ++i)
    starts.push_back(loadPart(i, first));
  return b.loop(b.number(1), b.number(count), b.number(1), starts,
                [&](Number part, ValueRange carried) {
                  Values next;
                  for (auto [i, value] : llvm::enumerate(carried))
                    next.push_back(combine(op, i % results, value,
                                           loadPart(i, first + part * step)));
                  return next;
                });
}

void GroupEmitter::emitSums(const GroupPhase &phase) {
  linalg::GenericOp op = phase.operations.front().op;
  GenericLoops loops(op);
  const unsigned results = op.getNumResults();
  const int64_t groups = loops.iterations / phase.width,
                teams = plan.threads / phase.members;
  Lanes lanes{loops.parallel.empty() ? 0 : loops.parallel.back(), phase.width};
  Number member = thread / teams, team = thread % teams;
  auto readOperand = [&](OpOperand &operand) {
    return load(op, operand, loops, lanes);
  };
  // All threads take part in each round: they exchange.
  b.loop(b.number(0), b.number(groups), b.number(teams), [&](Number begin) {
    Number mine = begin + team;
    loops.set(b, loops.parallel, min(mine, groups - 1), phase.width);
    Values starts = getStarts(op, phase.width, readOperand);
    Values parts = phase.members > 1 ? getNeutral(op, phase.width) : starts;
    parts = emitRounds(phase.members > 1 ? member : b.number(0), loops.summed,
                       phase.members, parts,
                       [&](ArrayRef<Number> rounds, ValueRange carried) {
                         Values values(carried);
                         for (Number number : rounds) {
                           loops.set(b, loops.sums, number);
                           values = runBody(op, loops, lanes, values,
                                            readOperand, /*areCarried=*/false);
                         }
                         return values;
                       });
    Value writes = mine < groups;
    if (phase.members > 1) {
      const int64_t shuffled = countShuffled(op, phase.members, teams),
                    left = phase.members / shuffled, lanes = shuffled * teams;
      parts = combineLanes(op, shuffled, teams, parts);
      if (left > 1) {
        ExchangeLayout layout(op, phase.width, plan.threads / shuffled);
        Number slot = thread / lanes * teams + team;
        auto leave = [&] { leaveInSlot(op, layout, 0, slot, parts); };
        if (shuffled > 1)
          b.branch(thread % lanes < teams, leave);
        else
          leave();
        wait();
        // Again by lanes that follow one another.
        const int64_t sharers = countShuffled(op, left, teams);
        Number first = team + thread / teams % sharers * teams;
        parts =
            combineSlots(op, layout, 0, first, left / sharers, sharers * teams);
        parts = combineLanes(op, sharers, teams, parts);
      }
      for (auto [i, part] : llvm::enumerate(parts))
        part = combine(op, i % results, starts[i], part);
      writes = b.both(writes, member == 0);
    }
    b.branch(writes, [&] { store(op, loops, lanes, parts); });
    if (phase.waitsEachRound)
      wait();
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void GroupEmitter::branchIf(Value x, Value y, function_ref<void()> then) {
  if (!x || !y)
    x = x ? x : y;
  else
    x = b.both(x, y);
  if (x)
    b.branch(x, then);
  else
    then();
}

GroupEmitter::Chunk GroupEmitter::getChunk(const Row &row, int64_t number) {
  const GroupPhase &phase = row.phase;
  const int64_t groups = phase.columns / phase.width;
  Number group = row.member + number * phase.members;
  if ((number + 1) * phase.members <= groups)
    return {number, group, Value()};
  return {number, min(group, groups - 1), group < groups};
}

GenericLoops GroupEmitter::getLoops(const Row &row,
                                    const GroupOperation &operation,
                                    const Chunk *chunk) {
  GenericLoops loops(operation.op);
  loops.set(b, operation.rows, row.index);
  if (chunk)
    loops.set(b, operation.columns, chunk->group, row.phase.width);
  return loops;
}

Lanes GroupEmitter::getLanes(const Row &row, const GroupOperation &operation) {
  if (operation.columns.empty())
    return {};
  return {operation.columns.back(), row.phase.width};
}

GroupEmitter::Values GroupEmitter::read(const Row &row,
                                        const GroupOperation &operation,
                                        OpOperand &operand,
                                        const GenericLoops &loops,
                                        const Chunk *chunk) {
  linalg::GenericOp op = operation.op;
  Lanes lanes = chunk ? getLanes(row, operation) : Lanes();
  if (auto known = registers.find(getViewed(loop, operand.get()));
      known != registers.end()) {
    ArrayRef<Value> values = known->second;
    if (values.size() == 1 || !chunk)
      return Values(lanes.width, values.front());
    return Values(values.slice(chunk->number * lanes.width, lanes.width));
  }
  std::optional<ElementNumber> number = ElementNumber::get(
      op.getMatchingIndexingMap(&operand), getTileLayout(loop, operand.get()));
  auto getStep = [&](ArrayRef<unsigned> along) {
    return along.empty() ? 0 : number->steps[along.back()];
  };
  // A chunk whose number is known at run time alone is read when it is.
  bool isKept = number && number->start == 0 && row.phase.isUnrolled;
  if (!isKept || !hasSteps(operation, loops.sizes, *number,
                           getStep(operation.rows), getStep(operation.columns)))
    return load(op, operand, loops, lanes);
  int64_t perColumn = getStep(operation.columns);
  SmallVector<Values> &kept =
      loaded[{operand.get(), getStep(operation.rows), perColumn}];
  unsigned place = perColumn && chunk ? chunk->number : 0;
  if (place >= kept.size())
    kept.resize(place + 1);
  if (kept[place].empty()) {
    Values values = load(op, operand, loops, lanes);
    loaded[{operand.get(), getStep(operation.rows), perColumn}][place] = values;
    return values;
  }
  if (perColumn == 0)
    return Values(lanes.width, kept[place].front());
  return kept[place];
}

GroupEmitter::Values GroupEmitter::combineLanes(linalg::GenericOp op,
                                                int64_t lanes, int64_t apart,
                                                ValueRange parts) {
  Values whole(parts);
  for (int64_t bit = lanes / 2 * apart; bit >= apart; bit /= 2)
    for (auto [i, value] : llvm::enumerate(whole)) {
      Type type = value.getType(), word = type.isF32() ? type : b.getI32Type();
      Value sent = type == word
                       ? value
                       : arith::ExtUIOp::create(b, word, value).getResult();
      Value other = sm80::shuffleXor(b, sent, bit);
      if (type != word)
        other = arith::TruncIOp::create(b, type, other);
      value = combine(op, i % op.getNumResults(), value, other);
    }
  return whole;
}

GroupEmitter::Values GroupEmitter::combineRow(Row &row, linalg::GenericOp op,
                                              ValueRange parts) {
  const int64_t members = row.phase.members,
                shuffled = countShuffled(op, members);
  Values whole = combineLanes(op, shuffled, 1, parts);
  if (shuffled == members)
    return whole;
  // Sums of a phase take turns with two parts of memory: who still reads one
  // has not come to the barrier of the other.
  ExchangeLayout layout(op, 1, plan.threads / shuffled);
  int64_t begin = row.exchanges++ % 2 ? plan.exchangedBytes / 2 : 0;
  b.branch(thread % shuffled == 0,
           [&] { leaveInSlot(op, layout, begin, thread / shuffled, whole); });
  wait();
  int64_t left = members / shuffled;
  return combineSlots(op, layout, begin, thread / members * left, left, 1);
}

void GroupEmitter::emitSumOfRow(Row &row, const GroupOperation &operation) {
  linalg::GenericOp op = operation.op;
  const GroupPhase &phase = row.phase;
  GenericLoops loops = getLoops(row, operation, nullptr);
  Values starts = getStarts(op, 1, [&](OpOperand &operand) {
    return read(row, operation, operand, loops, nullptr);
  });
  auto add = [&](const Chunk &chunk, ValueRange carried) {
    GenericLoops inside = getLoops(row, operation, &chunk);
    Values next = runBody(
        op, inside, getLanes(row, operation), carried,
        [&](OpOperand &operand) {
          return read(row, operation, operand, inside, &chunk);
        },
        /*areCarried=*/true);
    if (chunk.exists)
      for (auto [value, last] : llvm::zip_equal(next, carried))
        value = b.createOrFold<arith::SelectOp>(chunk.exists, value, last);
    return next;
  };
  Values parts = getNeutral(op, 1);
  if (phase.isUnrolled) {
    for (int64_t number = 0; number < phase.chunks; ++number)
      parts = add(getChunk(row, number), parts);
  } else {
    parts = b.loop(row.member, b.number(phase.columns / phase.width),
                   b.number(phase.members), parts,
                   [&](Number group, ValueRange carried) {
                     return add({0, group, Value()}, carried);
                   });
  }
  if (phase.members > 1)
    parts = combineRow(row, op, parts);
  for (auto [i, part] : llvm::enumerate(parts)) {
    part = combine(op, i, starts[i], part);
    registers[op.getResult(i)] = {part};
  }
  if (isStored(op))
    branchIf(row.exists, phase.members > 1 ? Value(row.member == 0) : Value(),
             [&] { store(op, loops, Lanes(), parts); });
}

void GroupEmitter::emitElementsOfRow(const Row &row,
                                     const GroupOperation &operation) {
  linalg::GenericOp op = operation.op;
  const unsigned count = op.getNumResults();
  const bool hasColumns = !operation.columns.empty();
  SmallVector<Values> kept(count);
  for (int64_t number = 0, e = hasColumns ? row.phase.chunks : 1; number < e;
       ++number) {
    Chunk chunk = getChunk(row, number);
    const Chunk *at = hasColumns ? &chunk : nullptr;
    GenericLoops loops = getLoops(row, operation, at);
    Lanes lanes = getLanes(row, operation);
    auto readOperand = [&](OpOperand &operand) {
      return read(row, operation, operand, loops, at);
    };
    Values starts = getStarts(op, lanes.width, readOperand);
    Values values = runBody(op, loops, lanes, starts, readOperand,
                            /*areCarried=*/false);
    for (auto [i, value] : llvm::enumerate(values))
      kept[i % count].push_back(value);
    if (!isStored(op))
      continue;
    Value writes = chunk.exists;
    if (!hasColumns)
      writes = row.phase.members > 1 ? Value(row.member == 0) : Value();
    branchIf(row.exists, writes, [&] { store(op, loops, lanes, values); });
  }
  for (auto [result, values] : llvm::zip_equal(op.getResults(), kept))
    registers[result] = values;
}

void GroupEmitter::emitRows(const GroupPhase &phase) {
  const int64_t teams = plan.threads / phase.members;
  Number member = thread % phase.members, team = thread / phase.members;
  // All threads take part in each round: they exchange.
  b.loop(b.number(0), b.number(phase.rows), b.number(teams), [&](Number begin) {
    Number mine = begin + team;
    Row row{phase, mine, member, Value()};
    if (phase.rows % teams != 0) {
      row.index = min(mine, phase.rows - 1);
      row.exists = mine < phase.rows;
    }
    registers.clear();
    loaded.clear();
    for (const GroupOperation &operation : phase.operations) {
      if (operation.isSum)
        emitSumOfRow(row, operation);
      else
        emitElementsOfRow(row, operation);
    }
    if (phase.waitsEachRound)
      wait();
  });
  registers.clear();
  loaded.clear();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void GroupEmitter::emitPhase(const GroupPhase &phase) {
  if (phase.waits)
    wait();
  switch (phase.form) {
  case GroupPhase::Form::Rows:
    return emitRows(phase);
  case GroupPhase::Form::Elements:
    return emitElements(phase);
  case GroupPhase::Form::Sums:
    return emitSums(phase);
  }
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

void GroupEmitter::emit(StringRef name, ArrayRef<ElementKernel::Input> inputs,
                        ArrayRef<std::string> outputs) {
  KernelSignature signature(b);
  for (const ElementKernel::Input &input : inputs)
    addMemory(signature, input.name, input.value.getType());
  for (auto [name, type] : llvm::zip_equal(outputs, loop.getResultTypes()))
    addMemory(signature, name, type);
  std::string symbol = (name + "_memory").str();
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External, symbol,
                         Attribute(), kWideBytes, /*addrSpace=*/3);
  auto func =
      signature.createKernel(name, {{plan.tiles, kBlocksPerMultiprocessor},
                                    plan.threads,
                                    /*minBlocks=*/1,
                                    /*cluster=*/1,
                                    plan.exchangedBytes + plan.tileBytes,
                                    /*order=*/0});
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  thread = sm80::threadId(b);
  memory = LLVM::AddressOfOp::create(b, b.pointer(3), symbol);
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
  for (auto [tensor, offset] : plan.places)
    tensors[tensor] =
        placeTensor(b, b.advance(memory, plan.exchangedBytes + offset),
                    cast<RankedTensorType>(tensor.getType()));

  b.loop(sm80::blockId(b), b.number(plan.tiles), sm80::blockCount(b),
         [&](Number tile) {
           for (auto [variable, at, step, begin] : llvm::zip_equal(
                    loop.getInductionVars(), delinearize(b, plan.counts, tile),
                    loop.getStaticStep(), loop.getStaticLowerBound()))
             numbers.map(variable, b.createOrFold<arith::IndexCastOp>(
                                       b.getIndexType(), at * step + begin));
           // Where results go is known before they are.
           for (Operation &op : loop.getBody()->without_terminator())
             if (!isa<linalg::GenericOp, tensor::EmptyOp>(op) && !isView(&op))
               emitNumber(op);
           auto yielding =
               llvm::make_pointer_range(loop.getTerminator().getYieldingOps());
           for (Operation *op : yielding) {
             auto insertion = cast<tensor::ParallelInsertSliceOp>(op);
             insertions[op] =
                 placeSlice(getPlace(insertion.getDest()), insertion,
                            getIndices(insertion.getMixedOffsets()),
                            insertion.getDroppedDims());
           }
           for (const GroupPhase &phase : plan.phases)
             emitPhase(phase);
           if (plan.waitsForViews)
             wait();
           for (Operation *op : yielding) {
             auto insertion = cast<tensor::ParallelInsertSliceOp>(op);
             Value source = insertion.getSource();
             if (!isInside(loop, source) ||
                 !source.getDefiningOp<linalg::GenericOp>())
               copyOut(insertion);
           }
           // The next tile uses the same memory.
           if (plan.waitsAtEnd)
             wait();
         });
  LLVM::ReturnOp::create(b, ValueRange());
}

void mlir::amp::emitGroup(DeviceBuilder &b, scf::ForallOp loop,
                          const GroupPlan &plan, StringRef name,
                          ArrayRef<ElementKernel::Input> inputs,
                          ArrayRef<std::string> outputs) {
  GroupEmitter(b, loop, plan).emit(name, inputs, outputs);
}
