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
// Atomic locations carry the view of the last release (as C11 defines it, with
// release sequences: a relaxed read-modify-write keeps what is there).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_GLOBALMEMORY_H
#define AMP_LIB_EMULATOR_MACHINE_GLOBALMEMORY_H

#include "Shadow.h"

#include "amp/Emulator/Launch.h"

#include <mutex>
#include <unordered_map>

namespace amp::emu {

/// A release that an acquire of the same location synchronises with.
struct Released {
  uint32_t cluster = 0;
  View view;
};

class GlobalMemory {
public:
  explicit GlobalMemory(const std::vector<Buffer> &buffers);

  /// The buffer that holds all these bytes, or null.
  const Buffer *find(const void *address, size_t size) const;

  /// Checks and records an access that lies inside a buffer.
  Finding check(const void *address, size_t size, const Actor &actor,
                AccessKind kind);

  /// Publishes a view at an atomic location; `extend` keeps the one there.
  void release(const void *address, uint32_t cluster, const View &view,
               bool extend);
  /// What has been released there by anyone.
  std::vector<Released> acquire(const void *address);

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

  std::vector<Region> regions; // by address
  std::mutex pagesLock, releasesLock, reduceLock;
  std::unordered_map<uintptr_t, std::vector<Released>> releases;
};

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_GLOBALMEMORY_H
