//===- SameOwner.cpp - The updates of one owner ---------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block's threads look at the owners of all updates, neighbours at
// neighbours, and each warp leaves a bit for each of its 32 in shared memory:
// whether the owner is that of the block's update. Behind a barrier, a warp
// reads 32 words at once, so that a vote tells which of 1,024 updates to look
// at. Bits before the update end it: another block runs them all. Else no word
// before its own has any, and the walk begins there. Every warp walks over the
// same bits.
//
// Costs a load for each update and thread of a block, however they are spread:
// all blocks together look at the square of how many updates there are.
//
//===----------------------------------------------------------------------===//

#include "Elements/SameOwner.h"

#include "Device/Sm80Instructions.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kWarp = 32, kWordBytes = 4;
/// Loads of a thread that are on their way together.
static constexpr int64_t kRounds = 4;

static int64_t countWords(int64_t updates) {
  return llvm::divideCeil(updates, kWarp);
}

int64_t mlir::amp::getOwnedUpdatesBytes(int64_t count) {
  return countWords(count) * kWordBytes;
}

/// for each bit that is set, from the lowest on: run(bit)
static void forEachBit(DeviceBuilder &b, Number bits,
                       function_ref<void(Number)> run) {
  Type word = b.getI32Type();
  scf::WhileOp::create(
      b, TypeRange(word), ValueRange{bits},
      [&](OpBuilder &, Location, ValueRange left) {
        Value isAny = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                            left[0], b.number(0));
        scf::ConditionOp::create(b, isAny, left);
      },
      [&](OpBuilder &, Location, ValueRange left) {
        Number bits = b.number(left[0]);
        run(b.number(LLVM::CountTrailingZerosOp::create(
            b, word, bits, /*isZeroPoison=*/true)));
        scf::YieldOp::create(b, ValueRange{bits & (bits - 1)});
      });
}

namespace {
class SameOwner {
public:
  SameOwner(DeviceBuilder &b, const OwnedUpdates &updates)
      : b(b), updates(updates), words(countWords(updates.count)),
        thread(sm80::threadId(b)), lane(thread % kWarp) {}

  /// Leaves a bit for each update: whether it has the owner.
  void mark(Number owner);
  /// Whether a bit before that of the update is set.
  Value isAnyBefore(Number update);
  /// Runs those whose bits are set, from the word of `update` on.
  void walk(Number update, function_ref<void(Number)> run);

private:
  Value getAddress(Number word) {
    return b.advance(updates.memory, word * kWordBytes);
  }
  /// The word `lane` after `word`, 0 from `end` on.
  Number loadWord(Number word, Number end) {
    Number own = word + lane;
    return b.number(
        b.loadIf(own < end, b.getI32Type(), getAddress(own), kWordBytes));
  }
  Number vote(Number bits) {
    return sm80::ballot(b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                                 bits, b.number(0)));
  }

  DeviceBuilder &b;
  const OwnedUpdates &updates;
  const int64_t words;
  Number thread, lane;
};
} // namespace

void SameOwner::mark(Number owner) {
  const bool isWhole = updates.count % kWarp == 0;
  const int64_t end = words * kWarp, threads = updates.threads;
  Value isOwned = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, owner,
                                        b.number(kNobody));
  // Updates `threads` apart: all owners before the first vote, which would
  // wait for one.
  auto markSome = [&](Number first, int64_t rounds) {
    SmallVector<Number> owners;
    auto getUpdate = [&](int64_t round) { return first + round * threads; };
    for (int64_t round = 0; round < rounds; ++round)
      owners.push_back(
          updates.getOwner(isWhole ? getUpdate(round)
                                   : min(getUpdate(round), updates.count - 1)));
    for (auto [round, other] : llvm::enumerate(owners)) {
      Number update = getUpdate(round);
      Value isSame = b.both(isOwned, other == owner);
      if (!isWhole)
        isSame = b.both(isSame, update < updates.count);
      Number bits = sm80::ballot(b, isSame);
      b.branch(lane == 0,
               [&] { b.store(bits, getAddress(update / kWarp), kWordBytes); });
    }
  };
  const int64_t many = end - end % (kRounds * threads);
  if (many > 0)
    b.loop(thread, b.number(many), b.number(kRounds * threads),
           [&](Number first) { markSome(first, kRounds); });
  if (many < end)
    b.loop(thread + many, b.number(end), b.number(threads),
           [&](Number first) { markSome(first, 1); });
}

Value SameOwner::isAnyBefore(Number update) {
  Number own = update / kWarp, end = own + 1,
         below = b.number(arith::ShLIOp::create(b, b.number(1), update % kWarp)
                              .getResult()) -
                 1;
  Value any =
      b.loop(b.number(0), end, b.number(kWarp), ValueRange{b.number(0)},
             [&](Number word, ValueRange seen) -> DeviceBuilder::Values {
               Number bits = loadWord(word, end);
               bits = b.select(word + lane == own, bits & below, bits);
               return {arith::OrIOp::create(b, seen[0], bits)};
             })[0];
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, vote(b.number(any)),
                               b.number(0));
}

void SameOwner::walk(Number update, function_ref<void(Number)> run) {
  Number end = b.number(words);
  b.loop(update / kWarp, end, b.number(kWarp), [&](Number first) {
    forEachBit(b, vote(loadWord(first, end)), [&](Number at) {
      Number word = first + at,
             bits =
                 b.number(b.load(b.getI32Type(), getAddress(word), kWordBytes));
      forEachBit(b, bits, [&](Number bit) { run(word * kWarp + bit); });
    });
  });
}

void mlir::amp::runSameOwner(DeviceBuilder &b, const OwnedUpdates &updates,
                             Number update, Number owner,
                             function_ref<void(Number)> run) {
  SameOwner same(b, updates);
  same.mark(owner);
  sm80::blockBarrier(b);
  b.branch(same.isAnyBefore(update), [] {}, [&] { same.walk(update, run); });
  // The next update of the block uses the same memory.
  sm80::blockBarrier(b);
}
