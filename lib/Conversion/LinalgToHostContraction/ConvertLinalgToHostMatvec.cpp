//===- ConvertLinalgToHostMatvec.cpp - Products of a matrix and a vector --===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of one column uses each element of its matrix once, or, in a
// depthwise convolution, once for each element of a small window: copying it
// into panels takes longer than multiplying with it where it is. So operands
// are read in place, a vector at a time, along the one loop (the lanes) that
// walks them so:
//
//   lanes of C       a loop of C, along which an operand is a vector or one
//                    number: pixels of a row, channels that lie next to each
//                    other, rows of a matrix in columns. Sums are scattered
//                    where C has another stride than 1: every other pixel, of
//                    a transposed convolution
//   lanes of a sum   a reduction with the same strides, each element of C the
//                    sum of a vector's lanes: the gradient of
//                    a filter, rows of a matrix in rows
//
// Sums of several vectors of C (a block) are in registers at once, of such that
// share an operand: the filter's number for neighbouring pixels, the gradient's
// vector for all numbers of a filter.
//
//   for each position outside of blocks
//     for each block: sums = C, or zero
//       for each step of the sum: sums += a * b
//       C = sums
//
// Steps are written out up to kMostSteps; a longer sum has loops, and a sum of
// more than kChain additions is one of partial sums, one for each iteration of
// its outermost loop.
//
// A loop of lanes that no vector divides ends with a vector that begins earlier
// than where the last one ended. Its lanes that were computed before stay as
// they are: in C, or out of the sum.
//
// With several threads the outermost loop of C is cut in pieces. Each element
// is the same sum, in whatever block and piece it is computed.
//
//===----------------------------------------------------------------------===//

#include "PackElements.h"
#include "amp/Analysis/Contraction.h"
#include "amp/Conversion/Host/Passes.h"
#include "amp/Conversion/LinalgToHostContraction.h"
#include "amp/Conversion/StridedNest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTLINALGTOHOSTMATVECPASS
#include "amp/Conversion/Host/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Lanes from which vectors are worth it.
static constexpr int64_t kFewestLanes = 4;

/// Steps of a sum that are written out, vectors of lanes included.
static constexpr int64_t kMostSteps = 16;

/// Vectors of neighbouring lanes in a block, where they share an operand; a
/// second loop of C may share it too.
static constexpr int64_t kLaneVectors = 4;

/// Registers of a block's sums: the others hold what is multiplied.
static constexpr int64_t kSumsOf16Registers = 12, kSumsOf32Registers = 24;

/// Additions to one lane that are one chain.
static constexpr int64_t kChain = 2048;

/// Steps of a part of a long loop, at least.
static constexpr int64_t kShortestPart = 256;

namespace {
/// The operands, in the order of the operation.
enum Operand : unsigned { kA, kB, kC };
constexpr unsigned kNumOperands = 3;

/// Elements of each operand from some place on.
using Offsets = std::array<int64_t, kNumOperands>;

/// Where a vector of lanes is.
struct Point {
  Offsets offsets{};
  /// Lanes that belong to the vector before.
  int64_t overlap = 0;
};

/// A loop as a kernel runs it: `unroll` of its iterations are one of a loop,
/// those that are left are written out behind it.
struct Level {
  Offsets step{};
  int64_t size = 1;
  /// A vector behind the others that overlaps the last of them.
  std::optional<Point> last;
  int64_t unroll = 1;

  int64_t countAll() const { return size + last.has_value(); }
  /// Iterations from `first` on, the last one too if they are all.
  SmallVector<Point> getPoints(int64_t first, int64_t count) const;
};

/// A product of one column: loops by what they are to its kernel.
struct Matvec {
  StridedNest nest;
  NestLoop lane;
  /// Lanes of a vector.
  int64_t width;
  /// Loops of C, those of a block last, and of the sum, outermost first.
  SmallVector<Level> positions, steps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

static Offsets operator+(const Offsets &x, const Offsets &y) {
  Offsets sum;
  for (unsigned i = 0; i < kNumOperands; ++i)
    sum[i] = x[i] + y[i];
  return sum;
}

static Offsets operator*(const Offsets &x, int64_t times) {
  Offsets product;
  for (unsigned i = 0; i < kNumOperands; ++i)
    product[i] = x[i] * times;
  return product;
}

static Offsets getStep(const NestLoop &loop) {
  Offsets step;
  llvm::copy(loop.strides, step.begin());
  return step;
}

SmallVector<Point> Level::getPoints(int64_t first, int64_t count) const {
  SmallVector<Point> points;
  for (int64_t i = first; i < std::min(first + count, size); ++i)
    points.push_back({step * (i - first), 0});
  if (last && first + count > size)
    points.push_back({last->offsets + step * -first, last->overlap});
  return points;
}

static Level makeLevel(const NestLoop &loop) {
  return {getStep(loop), loop.extent, std::nullopt};
}

/// The vectors of `lane`.
static Level makeLaneLevel(const NestLoop &lane, int64_t width) {
  Offsets step = getStep(lane);
  Level level{step * width, lane.extent / width, std::nullopt};
  if (int64_t rest = lane.extent % width)
    level.last = Point{step * (lane.extent - width), width - rest};
  return level;
}

/// The most lanes, up to those of a register, that vectors along `loop` can
/// have; 0 where it is no loop of lanes.
static int64_t getLanes(const NestLoop &loop, int64_t lanesOfRegister) {
  auto isVectorOrNumber = [](int64_t stride) {
    return stride >= 0 && stride <= 2;
  };
  int64_t a = loop.strides[kA], b = loop.strides[kB];
  if (!isVectorOrNumber(a) || !isVectorOrNumber(b))
    return 0;
  int64_t lanes = std::min<int64_t>(llvm::bit_floor<uint64_t>(loop.extent),
                                    lanesOfRegister);
  return lanes >= kFewestLanes ? lanes : 0;
}

/// The better one of two loops of lanes first.
static bool areBetterLanes(const NestLoop &x, const NestLoop &y,
                           int64_t lanesOfRegister) {
  auto rate = [&](const NestLoop &loop) {
    int64_t lanes = getLanes(loop, lanesOfRegister);
    // A loop of C needs no sum of lanes, but one store for each where they are
    // apart; strides of 2 take two loads.
    int64_t stride = std::max(loop.strides[kA], loop.strides[kB]);
    bool hasNeighbours = !loop.isReduction && loop.strides[kC] == 1;
    return std::tuple(lanes, hasNeighbours, loop.isReduction, -stride,
                      loop.extent);
  };
  return rate(x) > rate(y);
}

/// Whether the iterations of a loop of C use the same elements of an input.
static bool sharesInput(const NestLoop &loop) {
  return !loop.isReduction && (loop.strides[kA] == 0 || loop.strides[kB] == 0);
}

/// Levels of the loops of C. Those that share an input are unrolled, innermost
/// first, until their sums fill the registers.
static SmallVector<Level> makePositions(ArrayRef<NestLoop> inOrder,
                                        const NestLoop &lane, int64_t width,
                                        int64_t mostSums) {
  SmallVector<NestLoop> loops(
      llvm::make_filter_range(inOrder, std::not_fn(sharesInput)));
  llvm::append_range(loops, llvm::make_filter_range(inOrder, sharesInput));
  SmallVector<Level> levels = llvm::map_to_vector(loops, makeLevel);
  if (!lane.isReduction) {
    bool areAlone = llvm::none_of(loops, sharesInput);
    levels.push_back(makeLaneLevel(lane, width));
    levels.back().unroll = sharesInput(lane)
                               ? std::min(levels.back().countAll(),
                                          areAlone ? mostSums : kLaneVectors)
                               : 1;
    mostSums /= levels.back().unroll;
  }
  for (auto [loop, level] : llvm::reverse(llvm::zip_equal(
           loops, MutableArrayRef(levels).take_front(loops.size())))) {
    if (!sharesInput(loop))
      break;
    level.unroll = std::min(level.size, mostSums);
    mostSums /= level.unroll;
  }
  return levels;
}

/// Cuts the outermost loop of a sum in equal parts, if it alone is a long chain
/// and has some.
static void cutLongChain(SmallVectorImpl<Level> &steps) {
  Level &whole = steps.front();
  if (whole.size <= kChain || whole.last)
    return;
  for (int64_t length = kChain; length >= kShortestPart; --length) {
    if (whole.size % length != 0)
      continue;
    Level parts{whole.step * length, whole.size / length, std::nullopt};
    whole.size = length;
    steps.insert(steps.begin(), parts);
    return;
  }
}

/// Levels of the loops of the sum, the innermost ones unrolled.
static SmallVector<Level> makeSteps(ArrayRef<NestLoop> loops,
                                    const NestLoop &lane, int64_t width) {
  SmallVector<Level> levels = llvm::map_to_vector(loops, makeLevel);
  if (lane.isReduction)
    levels.push_back(makeLaneLevel(lane, width));
  if (!levels.empty())
    cutLongChain(levels);
  int64_t most = kMostSteps;
  for (Level &level : llvm::reverse(levels)) {
    if (level.countAll() > most)
      break;
    level.unroll = level.countAll();
    most /= level.unroll;
  }
  // Lanes of a long sum still wait for less.
  if (!levels.empty() && levels.back().unroll == 1 && lane.isReduction)
    levels.back().unroll = kLaneVectors;
  return levels;
}

/// How to run `op` in place, if it is a product of one column whose shape is
/// known and that has lanes.
static std::optional<Matvec> matchMatvec(linalg::LinalgOp op,
                                         const HostMachine &machine) {
  if (!isHostContraction(op))
    return std::nullopt;
  FailureOr<StridedNest> nest = StridedNest::get(op, /*allowsBackwards=*/true);
  if (failed(nest) || !nest->isInjective(kC) || !isOnStridedBuffers(op))
    return std::nullopt;
  bool hasRows = false, hasColumns = false;
  SmallVector<NestLoop> positions, sums;
  for (const NestLoop &loop : nest->loops) {
    if (loop.extent < 1)
      return std::nullopt;
    hasRows |= !loop.isReduction && loop.strides[kB] == 0;
    hasColumns |= !loop.isReduction && loop.strides[kA] == 0;
    (loop.isReduction ? sums : positions).push_back(loop);
  }
  if (hasRows && hasColumns)
    return std::nullopt;

  sortByStride(positions,
               [](const NestLoop &loop) { return loop.strides[kC]; });
  nest->loops = std::move(positions);
  nest->loops.append(sums);
  nest->mergeLoops();

  int64_t lanesOfRegister = machine.vectorBits / 32;
  auto *lane =
      llvm::max_element(nest->loops, [&](const NestLoop &x, const NestLoop &y) {
        return areBetterLanes(y, x, lanesOfRegister);
      });
  if (lane == nest->loops.end() || getLanes(*lane, lanesOfRegister) == 0)
    return std::nullopt;
  Matvec matvec;
  matvec.lane = *lane;
  matvec.width = getLanes(*lane, lanesOfRegister);
  nest->loops.erase(lane);
  positions.clear();
  sums.clear();
  for (const NestLoop &loop : nest->loops)
    (loop.isReduction ? sums : positions).push_back(loop);
  matvec.positions = makePositions(
      positions, matvec.lane, matvec.width,
      machine.vectorBits >= 512 ? kSumsOf32Registers : kSumsOf16Registers);
  matvec.steps = makeSteps(sums, matvec.lane, matvec.width);
  matvec.nest = std::move(*nest);
  return matvec;
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

namespace {
/// Writes the code of one product.
class MatvecEmitter {
public:
  MatvecEmitter(linalg::LinalgOp op, const Matvec &matvec, unsigned threads,
                int64_t partWork)
      : op(op), matvec(matvec), threads(threads), partWork(partWork),
        b(op.getLoc(), op) {}

  /// Erases the operation, and a fill with zeros in front of it.
  void emit();

private:
  using Values = SmallVector<Value>;
  using Places = std::array<Index, kNumOperands>;
  using Points = SmallVector<Point>;
  /// What is done at `points` from `places` on, with what iterations hand on.
  using Body = function_ref<Values(const Places &places, const Points &points,
                                   ValueRange carried)>;

  /// The loops of `levels` around `body`, with the points of a block. Threads
  /// share the outermost one in so many `pieces`.
  Values emitLevels(ArrayRef<Level> levels, const Places &places,
                    const Points &points, ValueRange carried, Body body,
                    int64_t pieces = 1);
  /// The outermost loop from iteration `begin` to `end`.
  Values emitLoop(ArrayRef<Level> levels, Index begin, Index end,
                  const Places &places, const Points &points,
                  ValueRange carried, Body body);
  int64_t countPieces();

  void emitBlock(const Places &places, const Points &points);
  /// The sums of `block`, from `sums` on.
  Values emitSums(const Places &places, const Points &block, ValueRange sums);
  /// A vector of f32 at `place`, of lanes or of one number.
  Value load(Operand operand, Index place);
  /// Where lanes of C are, from the first one on, if they are no neighbours.
  Value getDistances();
  /// True for the lanes that do not overlap the vector before.
  Value getNewLanes(const Point &point);
  /// `value`, in the lanes that overlap `other`.
  Value keepOverlap(const Point &point, Value value, Value other);
  Value sumLanes(Value vector);

  linalg::LinalgOp op;
  const Matvec &matvec;
  unsigned threads;
  int64_t partWork;
  HostBuilder b;
  std::array<Value, kNumOperands> buffers;
  bool fromZero = false;
};
} // namespace

MatvecEmitter::Values MatvecEmitter::emitLoop(ArrayRef<Level> levels,
                                              Index begin, Index end,
                                              const Places &places,
                                              const Points &points,
                                              ValueRange carried, Body body) {
  const Level &level = levels.front();
  return b.loop(begin, end, b.number(level.unroll), carried,
                [&](Index iv, ValueRange soFar) {
                  Places here = places;
                  for (auto [place, step] : llvm::zip_equal(here, level.step))
                    place = place + iv * step;
                  return emitLevels(levels.drop_front(), here, points, soFar,
                                    body);
                });
}

/// Each of `points`, seen from each of `iterations`.
static SmallVector<Point> combine(ArrayRef<Point> points,
                                  ArrayRef<Point> iterations) {
  SmallVector<Point> all;
  for (const Point &iteration : iterations)
    for (const Point &point : points)
      all.push_back({point.offsets + iteration.offsets,
                     std::max(point.overlap, iteration.overlap)});
  return all;
}

MatvecEmitter::Values MatvecEmitter::emitLevels(ArrayRef<Level> levels,
                                                const Places &places,
                                                const Points &points,
                                                ValueRange carried, Body body,
                                                int64_t pieces) {
  if (levels.empty())
    return body(places, points, carried);
  const Level &level = levels.front();
  int64_t looped = level.countAll() == level.unroll
                       ? 0
                       : llvm::alignDown(level.size, level.unroll);
  Values values(carried);
  Points unrolled = combine(points, level.getPoints(0, level.unroll));
  pieces = std::min(pieces, std::max<int64_t>(looped / level.unroll, 1));
  if (pieces > 1) {
    int64_t length =
        llvm::alignTo(llvm::divideCeil(looped, pieces), level.unroll);
    scf::ParallelOp::create(
        b, ValueRange{b.number(0)},
        ValueRange{b.number(llvm::divideCeil(looped, length))},
        ValueRange{b.number(1)}, [&](OpBuilder &, Location, ValueRange iv) {
          Index begin = b.number(iv.front()) * length;
          emitLoop(levels, begin, min(begin + length, looped), places, unrolled,
                   carried, body);
        });
  } else if (looped != 0) {
    values = emitLoop(levels, b.number(0), b.number(looped), places, unrolled,
                      values, body);
  }
  int64_t left = level.countAll() - looped;
  if (left == 0)
    return values;
  Places here = places;
  for (auto [place, step] : llvm::zip_equal(here, level.step))
    place = place + step * looped;
  return emitLevels(levels.drop_front(), here,
                    combine(points, level.getPoints(looped, left)), values,
                    body, looped == 0 ? pieces : 1);
}

int64_t MatvecEmitter::countPieces() {
  int64_t work = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    work *= extent;
  // What runs in pieces already is not cut again.
  if (threads < 2 || op->getParentOfType<scf::ParallelOp>())
    return 1;
  return std::clamp<int64_t>(work / partWork, 1, threads * kPiecesPerThread);
}

Value MatvecEmitter::load(Operand operand, Index place) {
  Value buffer = buffers[operand];
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t width = matvec.width, stride = matvec.lane.strides[operand];
  if (stride == 0)
    return b.splat(widen(b, element, asMoved(b, b.load(buffer, place))), width);
  if (operand == kC && stride > 1) {
    auto type = VectorType::get(width, element);
    return vector::GatherOp::create(b, type, buffer, ValueRange{place},
                                    getDistances(), getNewLanes(Point()),
                                    b.zero(type));
  }
  Value vector = asMoved(b, b.loadVector(width, buffer, place));
  if (stride == 2) {
    // The last element is the last lane: nothing is read behind it.
    Value upper = asMoved(b, b.loadVector(width, buffer, place + (width - 1)));
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(lane * 2 < width ? lane * 2 : lane * 2 + 1);
    vector = vector::ShuffleOp::create(b, vector, upper, lanes);
  }
  return widen(b, element, vector);
}

Value MatvecEmitter::getDistances() {
  SmallVector<int64_t> distances;
  for (int64_t lane = 0; lane < matvec.width; ++lane)
    distances.push_back(lane * matvec.lane.strides[kC]);
  return b.indexVector(distances);
}

Value MatvecEmitter::getNewLanes(const Point &point) {
  SmallVector<bool> isNew(matvec.width, true);
  std::fill_n(isNew.begin(), point.overlap, false);
  auto type = VectorType::get(matvec.width, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, isNew));
}

Value MatvecEmitter::keepOverlap(const Point &point, Value value, Value other) {
  return arith::SelectOp::create(b, getNewLanes(point), value, other);
}

Value MatvecEmitter::sumLanes(Value vector) {
  for (int64_t lanes = matvec.width / 2; lanes >= 1; lanes /= 2) {
    auto half = [&](int64_t begin) {
      return vector::ExtractStridedSliceOp::create(
          b, vector, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{lanes},
          ArrayRef<int64_t>{1});
    };
    vector = arith::AddFOp::create(b, half(0), half(lanes));
  }
  return vector::ExtractOp::create(b, vector, 0);
}

MatvecEmitter::Values MatvecEmitter::emitSums(const Places &places,
                                              const Points &block,
                                              ValueRange sums) {
  auto multiply = [&](const Places &here, const Points &steps,
                      ValueRange soFar) {
    llvm::SmallDenseMap<std::pair<unsigned, int64_t>, Value> loaded;
    auto get = [&](Operand operand, const Offsets &offsets) {
      Value &vector = loaded[{operand, offsets[operand]}];
      if (!vector)
        vector = load(operand, here[operand] + offsets[operand]);
      return vector;
    };
    // Fused where the target can.
    auto contract = arith::FastMathFlags::contract;
    Values values(soFar);
    for (const Point &step : steps)
      for (auto [point, sum] : llvm::zip_equal(block, values)) {
        Offsets offsets = point.offsets + step.offsets;
        Value product = arith::MulFOp::create(b, get(kA, offsets),
                                              get(kB, offsets), contract);
        Value next = arith::AddFOp::create(b, sum, product, contract);
        sum = step.overlap != 0 ? keepOverlap(step, next, sum) : next;
      }
    return values;
  };
  ArrayRef<Level> steps = matvec.steps;
  int64_t chain = 1;
  for (const Level &level : steps)
    chain *= level.countAll();
  if (chain <= kChain || steps.size() < 2)
    return emitLevels(steps, places, {Point()}, sums, multiply);
  auto addPartialSums = [&](const Places &here, const Points &,
                            ValueRange soFar) {
    Values zeros(sums.size(), b.zero(sums.front().getType()));
    Values parts =
        emitLevels(steps.drop_front(), here, {Point()}, zeros, multiply);
    for (auto [part, sum] : llvm::zip_equal(parts, soFar))
      part = arith::AddFOp::create(b, sum, part);
    return parts;
  };
  return emitLevels(steps.front(), places, {Point()}, sums, addPartialSums);
}

void MatvecEmitter::emitBlock(const Places &places, const Points &points) {
  bool sumsLanes = matvec.lane.isReduction;
  auto getPlace = [&](const Point &point) {
    return places[kC] + point.offsets[kC];
  };
  Value zero = b.zero(VectorType::get(matvec.width, b.getF32Type()));
  Values sums;
  for (const Point &point : points)
    sums.push_back(sumsLanes || fromZero ? zero : load(kC, getPlace(point)));
  sums = emitSums(places, points, sums);
  for (auto [point, sum] : llvm::zip_equal(points, sums)) {
    Index place = getPlace(point);
    if (sumsLanes) {
      Value total = sumLanes(sum);
      if (!fromZero)
        total = arith::AddFOp::create(b, b.load(buffers[kC], place), total);
      b.store(total, buffers[kC], place);
      continue;
    }
    if (matvec.lane.strides[kC] > 1) {
      vector::ScatterOp::create(b, Type(), buffers[kC], ValueRange{place},
                                getDistances(), getNewLanes(point), sum);
      continue;
    }
    if (point.overlap != 0 && !fromZero)
      sum = keepOverlap(point, sum, load(kC, place));
    b.storeVector(sum, buffers[kC], place);
  }
}

void MatvecEmitter::emit() {
  fromZero = eraseFillInFront(op);
  for (auto [buffer, access] : llvm::zip_equal(buffers, matvec.nest.operands))
    buffer = access.flatten(b, b.getLoc());
  Places places;
  for (auto [place, access] : llvm::zip_equal(places, matvec.nest.operands))
    place = b.number(access.first);
  emitLevels(
      matvec.positions, places, {Point()}, ValueRange(),
      [&](const Places &here, const Points &points, ValueRange) {
        emitBlock(here, points);
        return Values();
      },
      countPieces());
  op->erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertLinalgToHostMatvecPass
    : public amp::impl::ConvertLinalgToHostMatvecPassBase<
          ConvertLinalgToHostMatvecPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    return failed(checkThreadOptions(context, threads, partWork)) ||
                   failed(machine.choose(context, cpu, vectorBits))
               ? failure()
               : success();
  }

  void runOnOperation() override {
    std::vector<std::pair<linalg::LinalgOp, Matvec>> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<Matvec> matvec = matchMatvec(op, machine))
        products.emplace_back(op, std::move(*matvec));
    });
    for (auto &[op, matvec] : products)
      MatvecEmitter(op, matvec, threads, partWork).emit();
  }

  HostMachine machine;
};
} // namespace
