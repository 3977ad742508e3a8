//===- Fiber.cpp - A stack of its own for every GPU thread ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switch itself, for x86-64 in assembly: six registers pushed on one stack,
// popped from the other. A new stack is laid out as if it had been left by a
// switch just before its first instruction.
//
// AddressSanitizer is told of each switch, whose stack it would otherwise take
// for a wild pointer.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstdint>
#include <sys/mman.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#ifdef AMP_EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

using namespace amp::emu;

#ifdef AMP_EMU_ASAN
static thread_local Fiber *previous = nullptr;

static void leave(Fiber &from, Fiber &to) {
  previous = &from;
  __sanitizer_start_switch_fiber(&from.fakeStack, to.bottom, to.size);
}

/// The stack of a host thread is known once a fiber was entered from it.
static void arrive(void *fakeStack) {
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(fakeStack, &bottom, &size);
  if (!previous->bottom) {
    previous->bottom = bottom;
    previous->size = size;
  }
}

static void arrive(Fiber &fiber) { arrive(fiber.fakeStack); }

void amp::emu::enterFiber() { arrive(nullptr); }

static void noteStack(Fiber &fiber, char *stack, size_t size) {
  __asan_unpoison_memory_region(stack, size); // of frames that were left
  fiber = Fiber();
  fiber.bottom = stack;
  fiber.size = size;
}
#else
static void leave(Fiber &, Fiber &) {}
static void arrive(Fiber &) {}
void amp::emu::enterFiber() {}
static void noteStack(Fiber &, char *, size_t) {}
#endif

#if defined(__x86_64__)

extern "C" void ampEmuSwitch(void **save, void *load);

asm(R"(
.text
.globl ampEmuSwitch
.hidden ampEmuSwitch
.type ampEmuSwitch,@function
ampEmuSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ampEmuSwitch, .-ampEmuSwitch
)");

void amp::emu::switchFiber(Fiber &from, Fiber &to) {
  leave(from, to);
  ampEmuSwitch(&from.stackPointer, to.stackPointer);
  arrive(from);
}

void amp::emu::prepareFiber(Fiber &fiber, char *stack, size_t size,
                            void (*start)()) {
  noteStack(fiber, stack, size);
  // The return address lies where rsp is 8 below a multiple of 16, as after a
  // call.
  void **top = reinterpret_cast<void **>(stack + size) - 2;
  *top = reinterpret_cast<void *>(start);
  for (int i = 0; i < 6; ++i)
    *--top = nullptr;
  fiber.stackPointer = top;
}

#else

void amp::emu::switchFiber(Fiber &from, Fiber &to) {
  if (!from.stackPointer)
    from.stackPointer = new ucontext_t; // the scheduler's own, once per thread
  leave(from, to);
  swapcontext(static_cast<ucontext_t *>(from.stackPointer),
              static_cast<ucontext_t *>(to.stackPointer));
  arrive(from);
}

void amp::emu::prepareFiber(Fiber &fiber, char *stack, size_t size,
                            void (*start)()) {
  noteStack(fiber, stack, size);
  // The context lies at the foot of its stack.
  auto *context = reinterpret_cast<ucontext_t *>(stack);
  getcontext(context);
  size_t used = (sizeof(ucontext_t) + 63) / 64 * 64;
  context->uc_stack.ss_sp = stack + used;
  context->uc_stack.ss_size = size - used;
  context->uc_link = nullptr;
  makecontext(context, start, 0);
  fiber.stackPointer = context;
}

#endif

FiberStacks::FiberStacks(size_t count) : bytes(count * stackBytes) {
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped != MAP_FAILED)
    memory = static_cast<char *>(mapped);
}

FiberStacks::~FiberStacks() {
  if (!memory)
    return;
  reset();
  munmap(memory, bytes);
}

void FiberStacks::reset() {
#ifdef AMP_EMU_ASAN
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

std::unique_ptr<FiberStacks> StackPool::take(size_t count) {
  {
    std::lock_guard<std::mutex> guard(lock);
    while (!resting.empty()) {
      std::unique_ptr<FiberStacks> stacks = std::move(resting.back());
      resting.pop_back();
      if (stacks->count() >= count)
        return stacks;
    }
  }
  return std::make_unique<FiberStacks>(count);
}

void StackPool::giveBack(std::unique_ptr<FiberStacks> stacks) {
  if (!stacks->areMapped())
    return;
  stacks->reset();
  std::lock_guard<std::mutex> guard(lock);
  resting.push_back(std::move(stacks));
}
