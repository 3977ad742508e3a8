//===- GlobalMemory.h - The buffers of a launch -----------------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds, history and atomics of global memory, which all host threads share.
// History is made on demand, a page at a time, under the page's lock.
//
// Atomic locations carry what was released there (Releases.h).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_GLOBALMEMORY_H
#define AMP_LIB_EMULATOR_MACHINE_GLOBALMEMORY_H

#include "Releases.h"
#include "Shadow.h"

#include "amp/Emulator/Launch.h"

#include <mutex>
#include <unordered_map>

namespace amp::emu {

class GlobalMemory {
public:
  explicit GlobalMemory(const std::vector<Buffer> &buffers);

  /// The buffer that holds all these bytes, or null.
  const Buffer *find(const void *address, size_t size) const;

  /// Checks and records an access that lies inside a buffer.
  Finding check(const void *address, size_t size, const Actor &actor,
                AccessKind kind);

  /// See Shadow.h; the bytes lie inside a buffer.
  void handOverReads(const void *address, size_t size, const Epoch &from,
                     const Epoch &to);

  /// Which of the bytes have been written.
  std::vector<bool> getWritten(const void *address, size_t size);
  void forget(const void *address, size_t size);

  /// Calls act(location) for an atomic location, one at a time over all host
  /// threads.
  template <typename Act> void withAtomic(const void *address, Act act) {
    std::lock_guard<std::mutex> guard(atomicsLock);
    act(atomics[reinterpret_cast<uintptr_t>(address)]);
  }

  /// Runs a reduction of a copy, one at a time over all host threads.
  template <typename Act> void reduce(Act act) {
    std::lock_guard<std::mutex> guard(reduceLock);
    act();
  }

private:
  static constexpr size_t pageBytes = 1024;
  struct Page {
    std::mutex lock;
    std::array<Line, pageBytes / 16> lines;
  };
  struct Region {
    Buffer buffer;
    uintptr_t begin, end;
    std::vector<std::unique_ptr<Page>> pages;
  };
  Page &getPage(Region &region, size_t index);
  /// Calls act(line, offset, size) for the lines of a range inside a buffer,
  /// under the locks of their pages.
  template <typename Act>
  void forEachLine(const void *address, size_t size, Act act);

  std::vector<Region> regions; // by address
  std::mutex pagesLock, atomicsLock, reduceLock;
  std::unordered_map<uintptr_t, AtomicLocation> atomics;
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_GLOBALMEMORY_H
