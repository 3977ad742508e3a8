//===- Execution.cpp - Compile and run behind a flat C ABI ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled functions want memref descriptors of aligned memory without gaps. A
// call fills those that were laid out when the program was loaded; arrays that
// do not fit are staged: copied to memory of the program's own, which is kept
// for the next call. What is given is checked by the runtime, as it arrives
// there: an array that breaks a rule is not staged but handed on.
//
//===----------------------------------------------------------------------===//

#include "amp-c/Execution.h"

#include "RequestedModule.h"
#include "amp-rt/Device.h"
#include "amp-rt/Memory.h"
#include "amp-rt/Run.h"
#include "amp-rt/Version.h"
#include "amp/Execution/HostCode.h"
#include "amp/Execution/PerfMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>

using namespace mlir;
using namespace mlir::amp;

// The layout that programs were compiled against: no hidden padding.
static_assert(sizeof(AmpProgramArray) == 24, "the ABI of version 2");

namespace {

/// What compiled code asks of an array's address.
constexpr uintptr_t kAlignment = 64;

/// Memory of the host that grows when it must.
class StagingMemory {
public:
  StagingMemory() = default;
  StagingMemory(const StagingMemory &) = delete;
  ~StagingMemory() { (void)ampRtDeviceFree(device, data); }

  AmpRtStatus reserve(int64_t bytes) {
    if (bytes <= capacity)
      return AMP_RT_OK;
    if (AmpRtStatus status = ampRtDeviceGet("host", &device))
      return status;
    void *grown = nullptr;
    if (AmpRtStatus status =
            ampRtDeviceAllocate(device, bytes, kAlignment, &grown))
      return status;
    (void)ampRtDeviceFree(device, data);
    data = grown;
    capacity = bytes;
    return AMP_RT_OK;
  }
  char *get() const { return static_cast<char *>(data); }

private:
  AmpRtDevice *device = nullptr;
  void *data = nullptr;
  int64_t capacity = 0;
};

/// An array argument or result, with what it is in the current call.
class ArraySlot {
public:
  explicit ArraySlot(const AmpRtValue &value)
      : value(value), elementSize(ampRtElementKindSize(value.elementKind)),
        descriptor(3 + 2 * value.rank) {}

  /// Fills the descriptor with the caller's array.
  void set(const AmpProgramArray &array);
  bool needsStaging() const { return !fits() ? false : isUnaligned || hasGaps; }
  /// From now on the descriptor is of memory of our own.
  AmpRtStatus stage();
  /// Between the caller's array and the memory of our own.
  void copyIn();
  void copyOut();

  /// False where the runtime is going to refuse the array.
  bool fits() const { return byteCount >= 0 && (given.data || !byteCount); }
  bool isStaged() const { return staged; }
  uintptr_t begin() const { return descriptor[1]; }
  uintptr_t end() const {
    return begin() + static_cast<uintptr_t>(std::max<int64_t>(byteCount, 0));
  }
  void *get() { return descriptor.data(); }

private:
  ArrayRef<int64_t> getExtents() const {
    return ArrayRef(descriptor).slice(3, value.rank);
  }
  ArrayRef<int64_t> getRowMajor() const {
    return ArrayRef(descriptor).take_back(value.rank);
  }
  ArrayRef<int64_t> getStrides() const {
    return given.strides ? ArrayRef(given.strides, value.rank) : getRowMajor();
  }

  const AmpRtValue &value;
  int64_t elementSize;
  /// { T *allocated, *aligned; int64_t offset, sizes[rank], strides[rank]; }
  SmallVector<int64_t, 11> descriptor;
  StagingMemory memory;
  AmpProgramArray given = {};
  /// Negative for extents that are not as described.
  int64_t byteCount = 0;
  bool isUnaligned = false, hasGaps = false, staged = false;
};

/// A function of the program.
class LoadedFunction {
public:
  LoadedFunction(const AmpRtFunction &description,
                 ArrayRef<const AmpRtScaler *> scalers,
                 const AmpRtProgram &program);

  AmpRtStatus call(AmpRtRun *run, ArrayRef<AmpProgramArray> arguments,
                   ArrayRef<AmpProgramArray> results);

private:
  /// Whether the result that overwrites argument `index` has its memory.
  bool isOverwritten(size_t index) const;
  AmpRtStatus stageArguments();
  AmpRtStatus stageResults();

  const AmpRtFunction &description;
  /// In memory that does not move: `packed` has their addresses.
  std::deque<ArraySlot> arguments, results;
  /// For each of `arguments` the result that may have its memory, or null.
  SmallVector<const ArraySlot *> overwriting;
  std::deque<int64_t> handles;
  SmallVector<void *> packed;
  /// Arguments of the current call: where each begins, and how far those up to
  /// there reach.
  SmallVector<std::pair<uintptr_t, uintptr_t>> reach;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

void ArraySlot::set(const AmpProgramArray &array) {
  given = array;
  staged = hasGaps = false;
  descriptor[0] = descriptor[1] = reinterpret_cast<intptr_t>(array.data);
  isUnaligned = descriptor[1] % kAlignment != 0;
  const int64_t *extents = array.extents ? array.extents : value.extents;
  int64_t count = 1;
  for (int32_t i = value.rank; i-- > 0;) {
    descriptor[3 + i] = extents[i];
    descriptor[3 + value.rank + i] = count;
    const bool isDescribed =
        value.extents[i] < 0 ? extents[i] >= 0 : extents[i] == value.extents[i];
    if (array.strides && extents[i] != 1 && array.strides[i] != count)
      hasGaps = true;
    if (count >= 0 &&
        (!isDescribed || llvm::MulOverflow(count, extents[i], count)))
      count = -1;
  }
  if (count < 0 || llvm::MulOverflow(count, elementSize, byteCount))
    byteCount = -1;
  if (byteCount == 0)
    isUnaligned = hasGaps = false;
}

AmpRtStatus ArraySlot::stage() {
  if (AmpRtStatus status = memory.reserve(byteCount))
    return status;
  staged = true;
  descriptor[0] = descriptor[1] = reinterpret_cast<intptr_t>(memory.get());
  return AMP_RT_OK;
}

void ArraySlot::copyIn() {
  ampRtMemoryCopyStrided(elementSize, value.rank, getExtents().data(),
                         given.data, getStrides().data(), memory.get(),
                         getRowMajor().data());
}

void ArraySlot::copyOut() {
  ampRtMemoryCopyStrided(elementSize, value.rank, getExtents().data(),
                         memory.get(), getRowMajor().data(), given.data,
                         getStrides().data());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LoadedFunction::LoadedFunction(const AmpRtFunction &description,
                               ArrayRef<const AmpRtScaler *> scalers,
                               const AmpRtProgram &program)
    : description(description) {
  // Arrays by their numbers among all arguments.
  llvm::SmallDenseMap<int64_t, size_t> arrays;
  for (int32_t i = 0; i < description.argumentCount; ++i) {
    const AmpRtValue &value = *description.arguments[i];
    if (value.kind == AMP_RT_VALUE_ARRAY) {
      arrays[i + 1] = arguments.size();
      packed.push_back(arguments.emplace_back(value).get());
      continue;
    }
    int64_t handle = 0; // of a tap: none
    if (value.kind == AMP_RT_VALUE_SCALER)
      for (int32_t j = 0; j < program.scalerCount; ++j)
        if (StringRef(program.scalers[j]->name) == value.name)
          handle = ampRtScalerHandle(scalers[j]);
    packed.push_back(&handles.emplace_back(handle));
  }
  overwriting.assign(arguments.size(), nullptr);
  for (int32_t i = 0; i < description.resultCount; ++i) {
    const AmpRtValue &value = *description.results[i];
    packed.push_back(results.emplace_back(value).get());
    if (auto array = arrays.find(value.overwrites); array != arrays.end())
      overwriting[array->second] = &results.back();
  }
}

bool LoadedFunction::isOverwritten(size_t index) const {
  const ArraySlot *result = overwriting[index];
  return result && result->begin() == arguments[index].begin() &&
         result->end() == arguments[index].end();
}

AmpRtStatus LoadedFunction::stageArguments() {
  reach.clear();
  for (auto [index, slot] : llvm::enumerate(arguments)) {
    if (!slot.needsStaging()) {
      if (slot.begin() != slot.end() && !isOverwritten(index))
        reach.push_back({slot.begin(), slot.end()});
      continue;
    }
    if (AmpRtStatus status = slot.stage())
      return status;
    slot.copyIn();
  }
  llvm::sort(reach);
  uintptr_t furthest = 0;
  for (auto &[begin, end] : reach)
    furthest = end = std::max(end, furthest);
  return AMP_RT_OK;
}

AmpRtStatus LoadedFunction::stageResults() {
  for (ArraySlot &slot : results) {
    // The last argument that begins before the result ends.
    auto *next = llvm::partition_point(
        reach, [&](auto &range) { return range.first < slot.end(); });
    const bool overlaps =
        next != reach.begin() && std::prev(next)->second > slot.begin();
    if (slot.fits() && (overlaps || slot.needsStaging()))
      if (AmpRtStatus status = slot.stage())
        return status;
  }
  return AMP_RT_OK;
}

AmpRtStatus LoadedFunction::call(AmpRtRun *run,
                                 ArrayRef<AmpProgramArray> givenArguments,
                                 ArrayRef<AmpProgramArray> givenResults) {
  if (givenArguments.size() != arguments.size() ||
      givenResults.size() != results.size())
    return ampRtProgramCheckArguments(&description, packed.data(),
                                      handles.size() + givenArguments.size() +
                                          givenResults.size());
  for (auto [slot, array] : llvm::zip_equal(arguments, givenArguments))
    slot.set(array);
  for (auto [slot, array] : llvm::zip_equal(results, givenResults))
    slot.set(array);
  if (AmpRtStatus status = stageArguments())
    return status;
  if (AmpRtStatus status = stageResults())
    return status;
  if (AmpRtStatus status = description.call(ampRtRunHandle(run), packed.data()))
    return status;
  for (ArraySlot &slot : results)
    if (slot.isStaged())
      slot.copyOut();
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

struct AmpProgram {
  ~AmpProgram() {
    functions.clear();
    for (AmpRtScaler *scaler : scalers)
      ampRtScalerDestroy(scaler);
    ampRtRunDestroy(run);
  }
  AmpCompilerStatus compile(const AmpCompilerRequest *request,
                            uint32_t optimizationLevel);
  AmpRtStatus load();

  AmpCompilerStatus status = AMP_COMPILER_OK;
  std::string diagnostics;
  HostCode code;
  AmpRtRun *run = nullptr;
  SmallVector<AmpRtScaler *> scalers;
  std::deque<LoadedFunction> functions;
  std::mutex calls;
};

/// Names the functions of `code` for perf; kernels say what they compute where
/// the program lists them.
static llvm::Error writePerfMap(const HostCode &code) {
  std::vector<KernelTime> kernels(code.program->kernelCount);
  for (auto [index, kernel] : llvm::enumerate(kernels)) {
    kernel.name = code.program->kernels[index]->name;
    kernel.what = code.program->kernels[index]->what;
  }
  return writePerfMap(getPerfMapPath(), code.functions, kernels);
}

AmpCompilerStatus AmpProgram::compile(const AmpCompilerRequest *request,
                                      uint32_t optimizationLevel) {
  llvm::raw_string_ostream stream(diagnostics);
  if (optimizationLevel > 3) {
    stream << "error: expected 'optimizationLevel' to be 0 to 3\n";
    return AMP_COMPILER_INVALID_ARGUMENT;
  }
  if (request && request->structSize == sizeof(AmpCompilerRequest) &&
      request->outputFormat) {
    stream << "error: expected 'outputFormat' to be 0: a program is not "
              "written out\n";
    return AMP_COMPILER_INVALID_ARGUMENT;
  }
  RequestedModule module(stream);
  if (AmpCompilerStatus failure = module.prepare(request, /*isLinked=*/true))
    return failure;
  if (!module.get().lookupSymbol(AMP_RT_PROGRAM_SYMBOL)) {
    stream << "error: expected a module that amp-to-host has lowered; let the "
              "pipeline end with it\n";
    return AMP_COMPILER_CODE_FAILED;
  }
  llvm::Expected<HostCode> generated =
      generateHostCode(module.get(), optimizationLevel);
  if (!generated) {
    stream << "error: " << llvm::toString(generated.takeError()) << "\n";
    return AMP_COMPILER_CODE_FAILED;
  }
  code = std::move(*generated);
  if (load() != AMP_RT_OK) {
    stream << "error: " << ampRtStatusText() << "\n";
    return AMP_COMPILER_CODE_FAILED;
  }
  if (request->flags & AMP_COMPILER_PERF_MAP)
    if (llvm::Error error = writePerfMap(code)) {
      stream << "error: " << llvm::toString(std::move(error)) << "\n";
      return AMP_COMPILER_CODE_FAILED;
    }
  return AMP_COMPILER_OK;
}

AmpRtStatus AmpProgram::load() {
  if (AmpRtStatus failure = ampRtVersionCheck(code.program->runtimeVersion))
    return failure;
  if (AmpRtStatus failure = ampRtRunCreate(&run))
    return failure;
  for (int32_t i = 0; i < code.program->scalerCount; ++i) {
    const AmpRtProgramScaler &wanted = *code.program->scalers[i];
    AmpRtScaler *scaler = nullptr;
    if (AmpRtStatus failure =
            ampRtScalerCreate(wanted.name, wanted.config, &scaler))
      return failure;
    scalers.push_back(scaler);
  }
  for (int32_t i = 0; i < code.program->functionCount; ++i)
    functions.emplace_back(*code.program->functions[i], scalers, *code.program);
  return AMP_RT_OK;
}

AmpProgram *ampProgramCompile(const AmpCompilerRequest *request,
                              uint32_t optimizationLevel) {
  auto *program = new AmpProgram();
  program->status = program->compile(request, optimizationLevel);
  return program;
}

AmpCompilerStatus ampProgramGetStatus(const AmpProgram *program) {
  return program ? program->status : AMP_COMPILER_INVALID_ARGUMENT;
}

const char *ampProgramGetDiagnostics(const AmpProgram *program) {
  return program ? program->diagnostics.c_str() : "";
}

const AmpRtProgram *ampProgramGetDescription(const AmpProgram *program) {
  return program && program->status == AMP_COMPILER_OK ? program->code.program
                                                       : nullptr;
}

AmpRtScaler *ampProgramGetScaler(AmpProgram *program, int32_t index) {
  if (!program || index < 0 || size_t(index) >= program->scalers.size())
    return nullptr;
  return program->scalers[index];
}

AmpRtStatus ampProgramSetPool(AmpProgram *program, AmpRtPool *pool) {
  if (!program) // the runtime has the words
    return ampRtRunSetPool(nullptr, pool);
  std::lock_guard<std::mutex> lock(program->calls);
  return ampRtRunSetPool(program->run, pool);
}

AmpRtStatus ampProgramCall(AmpProgram *program, int32_t function,
                           const AmpProgramArray *arguments,
                           int32_t argumentCount,
                           const AmpProgramArray *results,
                           int32_t resultCount) {
  // The runtime has the words for what is null.
  if (!program || function < 0 ||
      size_t(function) >= program->functions.size() ||
      (argumentCount && !arguments) || (resultCount && !results))
    return ampRtProgramCheckArguments(nullptr, nullptr, 0);
  std::lock_guard<std::mutex> lock(program->calls);
  return program->functions[function].call(program->run,
                                           ArrayRef(arguments, argumentCount),
                                           ArrayRef(results, resultCount));
}

void ampProgramDestroy(AmpProgram *program) { delete program; }
