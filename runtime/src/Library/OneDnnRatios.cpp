//===-- OneDnnRatios.cpp - Where oneDNN was measured to win ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The policy is the table: a oneDNN is used by itself where a measurement says
// that it wins by more than noise and by enough, and nowhere else. A CPU or a
// version without rows counts as lost, and a class that is won below one that
// is lost too, so that products have one threshold for each type.
//
//===----------------------------------------------------------------------===//

#include "Library/OneDnnRatios.h"

#include "amp-rt/Blas.h"

#include <algorithm>
#include <cstdio>

using namespace amp::rt;

static constexpr OneDnnRatio storedRatios[] = {
#define AMP_ONEDNN_RATIO(cpu, major, type, fromWork, ratio, noise)             \
  {CpuClass::cpu, major, ProductType::type, fromWork, ratio, noise},
#include "Library/OneDnnRatios.def"
};

OneDnnRatios amp::rt::getStoredRatios() {
  return {storedRatios, sizeof(storedRatios) / sizeof(storedRatios[0])};
}

int64_t amp::rt::getWonWork(OneDnnRatios ratios, CpuClass cpu, int major,
                            ProductType type) {
  auto isOfThis = [&](const OneDnnRatio &row) {
    return row.cpu == cpu && row.major == major && row.type == type;
  };
  // The start of the classes above the last one that is lost.
  int64_t lost = -1, won = AMP_RT_BLAS_NEVER;
  for (size_t i = 0; i < ratios.count; ++i)
    if (isOfThis(ratios.rows[i]) && !ratios.rows[i].isWon())
      lost = std::max(lost, ratios.rows[i].fromWork);
  for (size_t i = 0; i < ratios.count; ++i)
    if (isOfThis(ratios.rows[i]) && ratios.rows[i].fromWork > lost)
      won = std::min(won, ratios.rows[i].fromWork);
  return won;
}

bool amp::rt::isAnythingWon(OneDnnRatios ratios, CpuClass cpu) {
  for (size_t i = 0; i < ratios.count; ++i) {
    const OneDnnRatio &row = ratios.rows[i];
    if (row.cpu == cpu &&
        getWonWork(ratios, cpu, row.major, row.type) != AMP_RT_BLAS_NEVER)
      return true;
  }
  return false;
}

void amp::rt::describeRatios(OneDnnRatios ratios, CpuClass cpu, int major,
                             char *text, size_t size) {
  const struct {
    ProductType type;
    const char *name;
  } types[] = {{ProductType::F32, "f32"}, {ProductType::Bf16, "bf16"}};
  size_t length = 0;
  for (const auto &[type, name] : types) {
    double least = 0, most = 0;
    for (size_t i = 0; i < ratios.count; ++i) {
      const OneDnnRatio &row = ratios.rows[i];
      if (row.cpu != cpu || row.major != major || row.type != type)
        continue;
      least = most == 0 ? row.ratio : std::min(least, row.ratio);
      most = std::max(most, row.ratio);
    }
    if (most == 0 || length >= size)
      continue;
    length += std::snprintf(
        text + length, size - length, "%s%.2f to %.2f in %s",
        length == 0 ? "measured at " : " and ", least, most, name);
  }
  if (length == 0)
    std::snprintf(text, size, "not measured on this CPU (%s)",
                  getCpuClassName(cpu));
  else if (length < size)
    std::snprintf(text + length, size - length,
                  " of what computes otherwise on this CPU (%s)",
                  getCpuClassName(cpu));
}
