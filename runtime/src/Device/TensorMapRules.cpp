//===-- TensorMapRules.cpp - What a tensor map may describe ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col,
// checked before the driver is asked: its answer to each of them is the same
// "invalid argument". The numbers are those of the CUDA 13.0 driver API's
// documentation.
//
//===----------------------------------------------------------------------===//

#include "Device/Device.h"
#include "Support/Failure.h"

#include <cstdio>

using namespace amp::rt;

namespace {

using Description = AmpRtTensorMapDescription;

struct TypeInfo {
  int64_t bytes;
  bool isFloat;
};

/// By AmpRtTensorMapType.
const TypeInfo types[] = {{1, false}, {2, false}, {4, false}, {4, false},
                          {8, false}, {8, false}, {2, true},  {4, true},
                          {8, true},  {2, true},  {4, true},  {4, true},
                          {4, true}};
constexpr int kTypes = sizeof(types) / sizeof(types[0]);

class Checker {
public:
  Checker(const char *call, const char *device, const Description &map)
      : call(call), device(device), map(map) {}

  AmpRtStatus check() {
    bool isRight =
        checkNumbers() && checkRank() && checkAddress() && checkTensor() &&
        checkSteps() &&
        (map.kind == AMP_RT_TENSOR_MAP_TILED ? checkBox()
                                             : checkCorners() && checkPixels());
    if (isRight && map.fill == AMP_RT_TENSOR_MAP_FILL_NAN &&
        !types[map.elementType].isFloat)
      expected("'fill' to be zero for elements that are no floats",
               map.elementType, "take AMP_RT_TENSOR_MAP_FILL_ZERO");
    return status;
  }

private:
  bool checkNumbers();
  bool checkRank();
  bool checkAddress();
  bool checkTensor();
  bool checkSteps();
  bool checkBox();
  bool checkCorners();
  bool checkPixels();
  bool checkInner(const char *member, int64_t elements);

  bool range(const char *member, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high)
      return true;
    status = fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected '%s' to be from %lld to %lld, but "
                  "got %lld",
                  call, device, member, static_cast<long long>(low),
                  static_cast<long long>(high), static_cast<long long>(value));
    return false;
  }
  bool element(const char *member, int i, int64_t value, int64_t low,
               int64_t high) {
    char text[32];
    std::snprintf(text, sizeof(text), "%s[%d]", member, i);
    return range(text, value, low, high);
  }
  bool expected(const char *rule, int64_t value, const char *remedy) {
    status = fail(AMP_RT_INVALID_ARGUMENT,
                  "%s: device '%s': expected %s, but got %lld; %s", call,
                  device, rule, static_cast<long long>(value), remedy);
    return false;
  }
  /// Of the address and of strides.
  int64_t alignment() const {
    return map.interleave == AMP_RT_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  }

  const char *call;
  const char *device;
  const Description &map;
  AmpRtStatus status = AMP_RT_OK;
};

} // namespace

bool Checker::checkNumbers() {
  return range("kind", map.kind, 0, AMP_RT_TENSOR_MAP_IM2COL) &&
         range("elementType", map.elementType, 0, kTypes - 1) &&
         range("interleave", map.interleave, 0,
               AMP_RT_TENSOR_MAP_INTERLEAVE_32B) &&
         range("swizzle", map.swizzle, 0, AMP_RT_TENSOR_MAP_SWIZZLE_128B) &&
         range("promotion", map.promotion, 0, AMP_RT_TENSOR_MAP_PROMOTE_256B) &&
         range("fill", map.fill, 0, AMP_RT_TENSOR_MAP_FILL_NAN);
}

bool Checker::checkRank() {
  if (!range("rank", map.rank, 1, 5))
    return false;
  if (map.kind == AMP_RT_TENSOR_MAP_IM2COL && map.rank < 3)
    return expected("'rank' to be at least 3 for im2col", map.rank,
                    "add dimensions of size 1");
  if (map.interleave != AMP_RT_TENSOR_MAP_NOT_INTERLEAVED && map.rank < 3)
    return expected("'rank' to be at least 3 for an interleaved layout",
                    map.rank, "add dimensions of size 1");
  if (map.interleave == AMP_RT_TENSOR_MAP_INTERLEAVE_32B &&
      map.swizzle != AMP_RT_TENSOR_MAP_SWIZZLE_32B)
    return expected("'swizzle' to be 32 bytes with an interleave of 32 bytes",
                    map.swizzle, "take AMP_RT_TENSOR_MAP_SWIZZLE_32B");
  return true;
}

bool Checker::checkAddress() {
  if (!map.address) {
    status = failNull(call, "description->address");
    return false;
  }
  auto address = reinterpret_cast<uintptr_t>(map.address);
  if (address % static_cast<uintptr_t>(alignment()) == 0)
    return true;
  status = fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device '%s': expected 'address' to be a multiple of %lld, "
                "but got %p; align the tensor",
                call, device, static_cast<long long>(alignment()), map.address);
  return false;
}

bool Checker::checkTensor() {
  for (int i = 0; i < map.rank; ++i)
    if (!element("sizes", i, map.sizes[i], 1, INT64_C(1) << 32))
      return false;
  for (int i = 0; i + 1 < map.rank; ++i) {
    if (!element("strides", i, map.strides[i], 0, (INT64_C(1) << 40) - 1))
      return false;
    if (map.strides[i] % alignment() == 0)
      continue;
    char rule[64];
    std::snprintf(rule, sizeof(rule), "'strides[%d]' to be a multiple of %lld",
                  i, static_cast<long long>(alignment()));
    return expected(rule, map.strides[i],
                    "pad the rows, or use a kernel that copies by threads");
  }
  return true;
}

bool Checker::checkSteps() {
  // Without interleave the driver ignores the first; a number other than 1
  // would be an intention that does not come true.
  if (map.interleave == AMP_RT_TENSOR_MAP_NOT_INTERLEAVED &&
      map.elementSteps[0] != 1)
    return expected(
        "'elementSteps[0]' to be 1 without interleave", map.elementSteps[0],
        "tensor maps take every element of the innermost dimension");
  for (int i = 0; i < map.rank; ++i)
    if (!element("elementSteps", i, map.elementSteps[i], 1, 8))
      return false;
  return true;
}

/// The innermost extent of a copy, in shared memory.
bool Checker::checkInner(const char *member, int64_t elements) {
  if (map.interleave != AMP_RT_TENSOR_MAP_NOT_INTERLEAVED)
    return true;
  int64_t bytes = elements * types[map.elementType].bytes;
  char rule[96];
  if (bytes % 16 != 0) {
    std::snprintf(rule, sizeof(rule), "'%s' to take a multiple of 16 bytes",
                  member);
    return expected(rule, bytes, "copy more elements");
  }
  if (map.swizzle == AMP_RT_TENSOR_MAP_NOT_SWIZZLED)
    return true;
  int64_t limit = INT64_C(16) << map.swizzle;
  if (bytes <= limit)
    return true;
  std::snprintf(rule, sizeof(rule),
                "'%s' to take at most the %lld bytes of the swizzle", member,
                static_cast<long long>(limit));
  return expected(rule, bytes, "split the box into several copies");
}

bool Checker::checkBox() {
  for (int i = 0; i < map.rank; ++i)
    if (!element("box", i, map.box[i], 1, 256))
      return false;
  return checkInner("box[0]", map.box[0]);
}

bool Checker::checkCorners() {
  // 16, 8 or 5 bits for each of 1, 2 or 3 offsets.
  const int64_t limits[] = {32768, 128, 16};
  int64_t limit = limits[map.rank - 3];
  for (int i = 0; i < map.rank - 2; ++i) {
    if (!element("lowerCorner", i, map.lowerCorner[i], -limit, limit - 1) ||
        !element("upperCorner", i, map.upperCorner[i], -limit, limit - 1))
      return false;
    int64_t extent = map.sizes[i + 1] + map.upperCorner[i] - map.lowerCorner[i];
    if (extent >= 1)
      continue;
    char rule[80];
    std::snprintf(rule, sizeof(rule),
                  "the box between the corners to have pixels in dimension %d",
                  i + 1);
    return expected(rule, extent, "the filter is larger than the padded image");
  }
  return true;
}

bool Checker::checkPixels() {
  return range("channels", map.channels, 1, 256) &&
         range("pixels", map.pixels, 1, 1024) &&
         checkInner("channels", map.channels);
}

AmpRtStatus
amp::rt::checkTensorMap(const char *call, const char *device,
                        const AmpRtTensorMapDescription &description,
                        AmpRtTensorMapDescription &normal) {
  AmpRtStatus status = Checker(call, device, description).check();
  if (status != AMP_RT_OK)
    return status;
  normal = description;
  bool isTiled = description.kind == AMP_RT_TENSOR_MAP_TILED;
  for (int i = description.rank; i < 5; ++i)
    normal.sizes[i] = normal.elementSteps[i] = 0;
  for (int i = description.rank - 1; i < 4; ++i)
    normal.strides[i] = 0;
  for (int i = isTiled ? description.rank : 0; i < 5; ++i)
    normal.box[i] = 0;
  for (int i = isTiled ? 0 : description.rank - 2; i < 3; ++i)
    normal.lowerCorner[i] = normal.upperCorner[i] = 0;
  if (isTiled)
    normal.channels = normal.pixels = 0;
  return AMP_RT_OK;
}
