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
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

using namespace amp::emu;

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
  ampEmuSwitch(&from.stackPointer, to.stackPointer);
}

void amp::emu::prepareFiber(Fiber &fiber, char *stack, size_t size,
                            void (*start)()) {
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
  swapcontext(static_cast<ucontext_t *>(from.stackPointer),
              static_cast<ucontext_t *>(to.stackPointer));
}

void amp::emu::prepareFiber(Fiber &fiber, char *stack, size_t size,
                            void (*start)()) {
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
  if (mapped == MAP_FAILED)
    abort(); // no address space: nothing can go on
  memory = static_cast<char *>(mapped);
}

FiberStacks::~FiberStacks() { munmap(memory, bytes); }
