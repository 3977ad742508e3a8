//===- GlobalMemory.cpp - The buffers of a launch -------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages begin at multiples of their size, so that lines are aligned as the
// hardware aligns its sectors, whatever the buffer's own address.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

using namespace amp::emu;

GlobalMemory::GlobalMemory(const std::vector<Buffer> &buffers) {
  for (const Buffer &buffer : buffers) {
    Region region;
    region.buffer = buffer;
    region.begin = reinterpret_cast<uintptr_t>(buffer.data);
    region.end = region.begin + buffer.size;
    size_t first = region.begin / pageBytes;
    region.pages.resize((region.end + pageBytes - 1) / pageBytes - first);
    regions.push_back(std::move(region));
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region &a, const Region &b) { return a.begin < b.begin; });
}

const Buffer *GlobalMemory::find(const void *address, size_t size) const {
  uintptr_t p = reinterpret_cast<uintptr_t>(address);
  auto it = std::upper_bound(
      regions.begin(), regions.end(), p,
      [](uintptr_t p, const Region &region) { return p < region.begin; });
  if (it == regions.begin())
    return nullptr;
  --it;
  // Not by the end of the access, which may wrap.
  return p <= it->end && size <= it->end - p ? &it->buffer : nullptr;
}

GlobalMemory::Page &GlobalMemory::getPage(Region &region, size_t index) {
  std::lock_guard<std::mutex> guard(pagesLock);
  std::unique_ptr<Page> &page = region.pages[index];
  if (!page) {
    page = std::make_unique<Page>();
    for (Line &line : page->lines)
      line.whole.initialised = region.buffer.initialised;
  }
  return *page;
}

template <typename Act>
void GlobalMemory::forEachLine(const void *address, size_t size, Act act) {
  uintptr_t p = reinterpret_cast<uintptr_t>(address), end = p + size;
  auto it = std::upper_bound(
      regions.begin(), regions.end(), p,
      [](uintptr_t p, const Region &region) { return p < region.begin; });
  Region &region = *--it;
  while (p < end) {
    Page &page = getPage(region, p / pageBytes - region.begin / pageBytes);
    std::lock_guard<std::mutex> guard(page.lock);
    uintptr_t pageEnd = std::min(end, (p / pageBytes + 1) * pageBytes);
    for (uintptr_t next; p < pageEnd; p = next) {
      next = std::min(pageEnd, (p / 16 + 1) * 16);
      act(page.lines[p % pageBytes / 16], p % 16, next - p);
    }
  }
}

Finding GlobalMemory::check(const void *address, size_t size,
                            const Actor &actor, AccessKind kind) {
  Finding finding;
  forEachLine(address, size, [&](Line &line, unsigned offset, unsigned bytes) {
    Finding one = checkLine(line, offset, bytes, actor, globalSpace, kind);
    if (!finding.rule)
      finding = one;
  });
  return finding;
}

std::vector<bool> GlobalMemory::getWritten(const void *address, size_t size) {
  std::vector<bool> written;
  forEachLine(address, size, [&](Line &line, unsigned offset, unsigned bytes) {
    unsigned bits = emu::getWritten(line) >> offset;
    for (unsigned i = 0; i < bytes; ++i)
      written.push_back(bits >> i & 1);
  });
  return written;
}

void GlobalMemory::forget(const void *address, size_t size) {
  forEachLine(address, size, [&](Line &line, unsigned offset, unsigned bytes) {
    emu::forget(line, offset, bytes);
  });
}

void GlobalMemory::handOverReads(const void *address, size_t size,
                                 const Epoch &from, const Epoch &to) {
  forEachLine(address, size, [&](Line &line, unsigned offset, unsigned bytes) {
    emu::handOverReads(line, offset, bytes, from, to);
  });
}
