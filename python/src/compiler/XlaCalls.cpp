//===- XlaCalls.cpp - Programs called from jitted functions of JAX --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One entry of XLA's foreign function interface for all programs: a jitted
// function has the program's number, its function's, and the arrays. XLA owns
// the memory of both, and calls from threads of its own.
//
// The loss scaler is an argument and a result there, not a state behind the
// function: two numbers come in and are put into the program's scaler; after
// the call four go out, of which two are counts of this call. All under one
// lock, for two threads may run one jitted function.
//
// A program whose Python object is gone is an error of the call, not a crash:
// jitted functions live in caches that outlast what they were made of.
//
// The interface's headers come with jaxlib; without it at build time this file
// has no entry, and Python calls programs itself.
//
//===----------------------------------------------------------------------===//

#include "LoadedProgram.h"

#include "amp-rt/Scaler.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

using namespace amp::python;

#ifndef AMP_XLA_FFI

bool amp::python::hasXlaEntry() { return false; }
void *amp::python::getXlaEntry() { return nullptr; }
int64_t
amp::python::numberForXla(const std::shared_ptr<LoadedProgram> & /*program*/) {
  return -1;
}

#else

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {
struct Registry {
  std::mutex mutex;
  int64_t next = 0;
  std::unordered_map<int64_t, std::weak_ptr<LoadedProgram>> programs;
};
} // namespace

static Registry &getRegistry() {
  // Never destroyed: XLA's threads may outlive this module's statics.
  static Registry *registry = new Registry;
  return *registry;
}

int64_t
amp::python::numberForXla(const std::shared_ptr<LoadedProgram> &program) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (auto it = registry.programs.begin(); it != registry.programs.end();) {
    std::shared_ptr<LoadedProgram> known = it->second.lock();
    if (known == program)
      return it->first;
    it = known ? std::next(it) : registry.programs.erase(it);
  }
  registry.programs.emplace(registry.next, program);
  return registry.next++;
}

static std::shared_ptr<LoadedProgram> findProgram(int64_t number) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto it = registry.programs.find(number);
  return it == registry.programs.end() ? nullptr : it->second.lock();
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

static ffi::Error refuse(const std::string &text) {
  return ffi::Error(ffi::ErrorCode::kInvalidArgument, "mlir-amp: " + text);
}

/// XLA's array for what the function describes; it checks the extents itself.
static ffi::Error unpack(const ffi::AnyBuffer &buffer, const AmpRtValue &value,
                         AmpProgramArray &array) {
  if (int64_t(ffi::ByteWidth(buffer.element_type())) !=
          ampRtElementKindSize(value.elementKind) ||
      int32_t(buffer.dimensions().size()) != value.rank)
    return refuse(std::string("expected '") + value.name + "' (" + value.role +
                  ") to be of rank " + std::to_string(value.rank) +
                  " with elements of " +
                  ampRtElementKindName(value.elementKind));
  array = {buffer.untyped_data(), buffer.dimensions().begin(), nullptr};
  return ffi::Error::Success();
}

/// What a scaler counts of one call.
static AmpRtScalerState readState(AmpRtScaler *scaler) {
  AmpRtScalerState state = {};
  state.structSize = sizeof(state);
  ampRtScalerGetState(scaler, &state);
  return state;
}

static ffi::Error callProgram(int64_t number, int64_t index,
                              ffi::RemainingArgs arguments,
                              ffi::RemainingRets results) {
  std::shared_ptr<LoadedProgram> loaded = findProgram(number);
  if (!loaded)
    return refuse("the step of this compiled function is gone; keep it as long "
                  "as functions that were jitted with it");
  AmpProgram *program = loaded->program.get();
  const AmpRtProgram &described = *ampProgramGetDescription(program);
  if (index < 0 || index >= described.functionCount)
    return refuse("no function of that number");
  const AmpRtFunction &function = *described.functions[index];
  AmpRtScaler *scaler =
      described.scalerCount == 1 ? ampProgramGetScaler(program, 0) : nullptr;

  std::vector<const AmpRtValue *> taken;
  for (int32_t i = 0; i < function.argumentCount; ++i)
    if (function.arguments[i]->kind == AMP_RT_VALUE_ARRAY)
      taken.push_back(function.arguments[i]);
  size_t given = size_t(function.resultCount);
  if (arguments.size() != taken.size() + (scaler ? 2 : 0) ||
      results.size() != given + (scaler ? 4 : 0))
    return refuse("another number of arrays than the function has");

  std::vector<AmpProgramArray> in(taken.size()), out(given);
  for (size_t i = 0; i < in.size(); ++i) {
    auto buffer = arguments.get<ffi::AnyBuffer>(i);
    if (buffer.has_error())
      return buffer.error();
    if (ffi::Error error = unpack(*buffer, *taken[i], in[i]); error.failure())
      return error;
  }
  for (size_t i = 0; i < given; ++i) {
    auto buffer = results.get<ffi::AnyBuffer>(i);
    if (buffer.has_error())
      return buffer.error();
    if (ffi::Error error = unpack(**buffer, *function.results[i], out[i]);
        error.failure())
      return error;
  }

  std::lock_guard<std::mutex> lock(loaded->mutex);
  AmpRtScalerState before = {};
  if (scaler) {
    auto scale = arguments.get<ffi::BufferR0<ffi::F32>>(in.size());
    auto unskipped = arguments.get<ffi::BufferR0<ffi::S32>>(in.size() + 1);
    if (scale.has_error())
      return scale.error();
    if (unskipped.has_error())
      return unskipped.error();
    if (ampRtScalerLoad(scaler, *scale->typed_data(),
                        *unskipped->typed_data()) != AMP_RT_OK)
      return refuse(ampRtStatusText());
    before = readState(scaler);
  }
  AmpRtStatus status =
      ampProgramCall(program, int32_t(index), in.data(), int32_t(in.size()),
                     out.data(), int32_t(out.size()));
  if (status != AMP_RT_OK)
    return refuse(ampRtStatusText());
  if (!scaler)
    return ffi::Error::Success();

  AmpRtScalerState after = readState(scaler);
  auto scale = results.get<ffi::BufferR0<ffi::F32>>(given);
  if (scale.has_error())
    return scale.error();
  // As LossScaleState holds it.
  *(*scale)->typed_data() =
      float(std::min(std::max(after.scale, 0x1p-126), 0x1p126));
  const int64_t counts[] = {after.unskipped, after.skipped - before.skipped,
                            after.overflows - before.overflows};
  for (size_t i = 0; i < 3; ++i) {
    auto count = results.get<ffi::BufferR0<ffi::S32>>(given + 1 + i);
    if (count.has_error())
      return count.error();
    *(*count)->typed_data() = int32_t(std::min<int64_t>(counts[i], INT32_MAX));
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(callProgramFromXla, callProgram,
                       ffi::Ffi::Bind()
                           .Attr<int64_t>("program")
                           .Attr<int64_t>("function")
                           .RemainingArgs()
                           .RemainingRets());

bool amp::python::hasXlaEntry() { return true; }
void *amp::python::getXlaEntry() {
  return reinterpret_cast<void *>(
      static_cast<XLA_FFI_Handler *>(callProgramFromXla));
}

#endif // AMP_XLA_FFI
