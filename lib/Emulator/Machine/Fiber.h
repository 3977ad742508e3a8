//===- Fiber.h - A stack of its own for every GPU thread --------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A switch saves the callee-saved registers of the host's calling convention
// (x86-64 System V in a few instructions; elsewhere through ucontext) and takes
// another stack. Stacks are address space only until they are touched, so that
// 16 blocks of 1024 threads cost what they use.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_FIBER_H
#define AMP_LIB_EMULATOR_MACHINE_FIBER_H

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace amp::emu {

#if defined(__SANITIZE_ADDRESS__)
#define AMP_EMU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AMP_EMU_ASAN 1
#endif
#endif

struct Fiber {
  void *stackPointer = nullptr;
#ifdef AMP_EMU_ASAN
  void *fakeStack = nullptr; // what AddressSanitizer keeps while it rests
  const void *bottom = nullptr;
  size_t size = 0;
#endif
};

/// Saves the running context in `from` and continues `to`.
void switchFiber(Fiber &from, Fiber &to);

/// The first call of what a fiber begins with.
void enterFiber();

/// Makes a fiber that begins with `start`, which must never return.
void prepareFiber(Fiber &fiber, char *stack, size_t size, void (*start)());

/// The stacks of a cluster's threads.
class FiberStacks {
public:
#ifdef AMP_EMU_ASAN
  static constexpr size_t stackBytes = 1 << 20; // frames have red zones
#else
  static constexpr size_t stackBytes = 256 << 10;
#endif
  explicit FiberStacks(size_t count);
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  /// False where the host has no addresses for them.
  bool areMapped() const { return memory; }
  size_t count() const { return bytes / stackBytes; }
  char *get(size_t index) const { return memory + index * stackBytes; }
  /// Makes stacks that threads left in the midst of a call as good as new ones.
  void reset();

private:
  char *memory = nullptr;
  size_t bytes;
};

/// Stacks of clusters that have ended, for those that begin: the first touch of
/// a page costs as much as some hundred instructions of a kernel. Any thread
/// may call it.
class StackPool {
public:
  /// At least `count` stacks, in use before or not.
  std::unique_ptr<FiberStacks> take(size_t count);
  void giveBack(std::unique_ptr<FiberStacks> stacks);

private:
  std::mutex lock;
  std::vector<std::unique_ptr<FiberStacks>> resting;
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_FIBER_H
