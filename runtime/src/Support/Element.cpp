//===-- Element.cpp - Types of the elements of arrays ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Element.h"

namespace {
struct Element {
  const char *name;
  int64_t bytes;
};
} // namespace

/// By AmpRtElementKind.
static const Element elements[] = {
    {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}, {"i1", 1},
    {"i8", 1},  {"i16", 2},  {"i32", 4}, {"i64", 8},
};

static const Element *find(int32_t kind) {
  constexpr int32_t count = sizeof(elements) / sizeof(elements[0]);
  return kind >= 0 && kind < count ? &elements[kind] : nullptr;
}

int64_t ampRtElementKindSize(int32_t kind) {
  const Element *element = find(kind);
  return element ? element->bytes : 0;
}

const char *ampRtElementKindName(int32_t kind) {
  const Element *element = find(kind);
  return element ? element->name : nullptr;
}
