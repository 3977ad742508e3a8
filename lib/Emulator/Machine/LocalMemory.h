//===- LocalMemory.h - Variables of one thread ------------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel allocates on its stack is local memory: nobody else's, so
// nothing can race, but it has ends, and its bytes are uninitialised until they
// are written. Each thread of a cluster has a window of addresses of its own.
// Between two variables lies a gap, and no variable is aligned better than it
// asks to be, so that who steps over an end or hopes for alignment is found.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_LOCALMEMORY_H
#define AMP_LIB_EMULATOR_MACHINE_LOCALMEMORY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amp::emu {

struct LocalVariable {
  char *begin;
  size_t size;
  uint32_t instruction; // that made it
  std::vector<bool> initialised;

  bool holds(const char *address, size_t bytes) const {
    return address >= begin && size_t(address - begin) <= size &&
           bytes <= size - size_t(address - begin);
  }
};

/// Of the threads of a cluster, by their index.
class LocalMemory {
public:
  /// Of a thread, on every chip since sm_20.
  static constexpr size_t limit = 512 << 10;

  LocalMemory() = default;
  ~LocalMemory();
  LocalMemory(const LocalMemory &) = delete;
  LocalMemory &operator=(const LocalMemory &) = delete;

  /// A new variable, or null when the thread's memory has no room for it, or
  /// the host no addresses for the memory. The alignment is at most 16.
  char *allocate(unsigned thread, unsigned threads, size_t size,
                 unsigned alignment, uint32_t instruction);
  bool isMapped() const { return memory; }
  size_t mark(unsigned thread) const {
    return memory ? variables[thread].size() : 0;
  }
  /// Ends the variables that came after the mark.
  void release(unsigned thread, size_t mark) {
    if (memory)
      variables[thread].erase(variables[thread].begin() + mark,
                              variables[thread].end());
  }

  /// The thread in whose window an address lies, or -1.
  int getOwner(const void *address) const {
    size_t offset = size_t(static_cast<const char *>(address) - memory);
    return memory && offset < variables.size() * windowBytes
               ? int(offset / windowBytes)
               : -1;
  }
  /// The variable of a thread that begins last before the address, or the first
  /// one; null if the thread has none.
  LocalVariable *getNearest(unsigned thread, const void *address);

private:
  static constexpr size_t windowBytes = 1 << 20, gap = 64;

  char *memory = nullptr;
  std::vector<std::vector<LocalVariable>> variables; // by thread and address
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_LOCALMEMORY_H
