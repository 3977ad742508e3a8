//===-- CallArguments.cpp - What a call of a compiled function is given ---===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the memref descriptors of a call with the description of the
// function, before the call: compiled code has extents and strides as constants
// and looks at neither, nor at the offset. One pass over the values, and one
// over their memory in the order of addresses, which finds results that overlap
// something in O(n log n) of the number of values.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/Program.h"

#include "Device/Host/HostHeap.h"
#include "Program/ChooseVersion.h"
#include "Support/Failure.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>

using namespace amp::rt;

namespace {
/// The head of MLIR's memref descriptor; sizes and strides follow it.
struct Descriptor {
  void *allocated, *aligned;
  int64_t offset, numbers[];
};

/// A value in the texts of errors: "argument 1, 'x0' (batch)".
struct ValueText {
  char text[200];
  ValueText(const AmpRtFunction &function, int32_t index) {
    bool isResult = index >= function.argumentCount;
    int32_t number = isResult ? index - function.argumentCount : index;
    const AmpRtValue &value =
        *(isResult ? function.results : function.arguments)[number];
    std::snprintf(text, sizeof(text), "%s %d, '%s' (%s)",
                  isResult ? "result" : "argument", number, value.name,
                  *value.role ? value.role : "no role");
  }
};

/// Numbers in the texts of errors: "[2,3]", with '?' for what the caller
/// chooses.
struct NumbersText {
  char text[200] = "[";
  NumbersText(const int64_t *numbers, int32_t count, bool hasFree = false) {
    size_t used = 1;
    for (int32_t i = 0; i < count && used < sizeof(text) - 32; ++i) {
      const char *comma = i ? "," : "";
      int written = hasFree && numbers[i] < 0
                        ? std::snprintf(text + used, 32, "%s?", comma)
                        : std::snprintf(text + used, 32, "%s%lld", comma,
                                        static_cast<long long>(numbers[i]));
      used += static_cast<size_t>(written);
    }
    std::snprintf(text + used, sizeof(text) - used, "]");
  }
};

/// The bytes of a value.
struct Range {
  uintptr_t begin, end;
  int32_t index;
};

class Checker {
public:
  Checker(const AmpRtFunction &function, void *const *arguments)
      : function(function), arguments(arguments) {}

  AmpRtStatus check(int32_t count);

private:
  AmpRtStatus checkArray(int32_t index, const AmpRtValue &value,
                         const Descriptor &given, int64_t &bytes);
  AmpRtStatus checkOverlaps(Range *ranges, int32_t count);
  /// Whether `result` overwrites an argument and has its memory. Both have the
  /// extents of their descriptions, which are the same.
  bool isOverwritten(int32_t result) const;

  const AmpRtFunction &function;
  void *const *arguments;
};
} // namespace

/// `bytes` becomes the size of the array.
AmpRtStatus Checker::checkArray(int32_t index, const AmpRtValue &value,
                                const Descriptor &given, int64_t &bytes) {
  const int64_t *sizes = given.numbers, *strides = given.numbers + value.rank;
  auto failArray = [&](const char *remedy, const char *format,
                       auto... numbers) {
    char found[300];
    std::snprintf(found, sizeof(found), format, numbers...);
    const char *element = ampRtElementKindName(value.elementKind);
    return fail(AMP_RT_INVALID_ARGUMENT,
                "call of '%s': %s: expected %s%s, row-major, but got %s; %s",
                function.name, ValueText(function, index).text,
                element ? element : "an array ",
                NumbersText(value.extents, value.rank, /*hasFree=*/true).text,
                found, remedy);
  };

  bool fits = true;
  int64_t elements = 1;
  for (int32_t i = 0; i < value.rank; ++i) {
    fits &=
        sizes[i] >= 0 && (value.extents[i] < 0 || sizes[i] == value.extents[i]);
    if (fits && sizes[i] == 0)
      elements = 0;
  }
  // Elements from the innermost dimension on; of an empty array they are none,
  // whatever its other extents are.
  for (int32_t i = 0; fits && elements > 0 && i < value.rank; ++i)
    fits = !__builtin_mul_overflow(elements, sizes[i], &elements);
  // Elements of unknown type take a byte at least.
  int64_t elementBytes =
      std::max<int64_t>(ampRtElementKindSize(value.elementKind), 1);
  if (!fits || __builtin_mul_overflow(elements, elementBytes, &bytes))
    return failArray("the memref descriptor's sizes are to be these",
                     "extents %s", NumbersText(sizes, value.rank).text);
  if (bytes == 0)
    return AMP_RT_OK;

  // The stride of a dimension of one element is never used.
  int64_t stride = 1;
  for (int32_t i = value.rank; i-- > 0; stride *= sizes[i])
    if (sizes[i] != 1 && strides[i] != stride)
      return failArray("pass a copy without gaps", "strides %s",
                       NumbersText(strides, value.rank).text);
  if (given.offset != 0)
    return failArray("let 'aligned' be the address of the first element",
                     "offset %lld", static_cast<long long>(given.offset));
  if (!given.aligned)
    return failArray("let 'aligned' be the address of the first element",
                     "the address %s", "null");
  if (reinterpret_cast<uintptr_t>(given.aligned) % HostHeap::kAlignment != 0)
    return failArray("put it on 64 bytes, as ampRtDeviceAllocate does",
                     "the address %p", given.aligned);
  return AMP_RT_OK;
}

bool Checker::isOverwritten(int32_t result) const {
  auto getMemory = [&](int64_t index) -> const void * {
    return arguments[index]
               ? static_cast<const Descriptor *>(arguments[index])->aligned
               : nullptr;
  };
  const AmpRtValue &value = *function.results[result];
  // Of a program that was compiled before there was such a member.
  if (value.structSize < sizeof(AmpRtValue))
    return false;
  int64_t argument = value.overwrites - 1;
  return argument >= 0 && argument < function.argumentCount &&
         getMemory(argument) == getMemory(function.argumentCount + result);
}

AmpRtStatus Checker::checkOverlaps(Range *ranges, int32_t count) {
  std::sort(ranges, ranges + count, [](const Range &a, const Range &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.index < b.index;
  });
  // Whatever overlaps one before it overlaps the one that reaches furthest, and
  // if it overlaps a result, then the result that reaches furthest.
  const Range *furthest = nullptr, *furthestResult = nullptr;
  for (const Range *range = ranges; range != ranges + count; ++range) {
    bool isResult = range->index >= function.argumentCount;
    const Range *before = isResult ? furthest : furthestResult;
    if (before && range->begin < before->end) {
      const Range *result = isResult ? range : before,
                  *other = isResult ? before : range;
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "call of '%s': %s: expected memory of its own, but it "
                  "overlaps that of %s; results are written before arguments "
                  "were read for the last time",
                  function.name, ValueText(function, result->index).text,
                  ValueText(function, other->index).text);
    }
    if (!furthest || range->end > furthest->end)
      furthest = range;
    if (isResult && (!furthestResult || range->end > furthestResult->end))
      furthestResult = range;
  }
  return AMP_RT_OK;
}

AmpRtStatus Checker::check(int32_t count) {
  int32_t wanted = function.argumentCount + function.resultCount;
  if (count != wanted)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "call of '%s': expected %d arguments and %d results, but got "
                "%d addresses",
                function.name, function.argumentCount, function.resultCount,
                count);
  if (count == 0)
    return AMP_RT_OK;
  if (!arguments)
    return fail(AMP_RT_INVALID_ARGUMENT,
                "call of '%s': expected the addresses of %d arguments and %d "
                "results, but got null",
                function.name, function.argumentCount, function.resultCount);
  std::unique_ptr<Range[]> ranges(new (std::nothrow) Range[count]);
  std::unique_ptr<bool[]> isShared(new (std::nothrow) bool[count]());
  if (!ranges || !isShared)
    return failNoMemory("call of a compiled function", "its checks");
  for (int32_t i = 0; i < function.resultCount; ++i)
    if (isOverwritten(i))
      isShared[function.results[i]->overwrites - 1] = true;
  int32_t numRanges = 0;
  for (int32_t i = 0; i < count; ++i) {
    const AmpRtValue &value =
        i < function.argumentCount
            ? *function.arguments[i]
            : *function.results[i - function.argumentCount];
    bool isArray = value.kind == AMP_RT_VALUE_ARRAY;
    if (!arguments[i])
      return fail(AMP_RT_INVALID_ARGUMENT,
                  "call of '%s': %s: expected the address of %s, but got null",
                  function.name, ValueText(function, i).text,
                  isArray ? "a memref descriptor" : "its value");
    if (!isArray)
      continue;
    const auto &given = *static_cast<const Descriptor *>(arguments[i]);
    int64_t bytes = 0;
    if (AmpRtStatus status = checkArray(i, value, given, bytes))
      return status;
    auto begin = reinterpret_cast<uintptr_t>(given.aligned);
    if (bytes > 0 && !isShared[i])
      ranges[numRanges++] = {begin, begin + static_cast<uintptr_t>(bytes), i};
  }
  return checkOverlaps(ranges.get(), numRanges);
}

AmpRtStatus ampRtProgramCheckArguments(const AmpRtFunction *function,
                                       void *const *arguments, int32_t count) {
  const char *call = "ampRtProgramCheckArguments";
  if (!function)
    return failNull(call, "function");
  if (function->structSize >=
      offsetof(AmpRtFunction, cpuFeatures) + sizeof(function->cpuFeatures))
    if (AmpRtStatus status =
            checkCpu(call, function->name, function->cpuFeatures))
      return status;
  return Checker(*function, arguments).check(count);
}
