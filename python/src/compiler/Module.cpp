//===- Module.cpp - mlir_amp._compiler ------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python over amp-c/Compiler.h and amp-c/Execution.h. A module apart from
// _native, for it is large: who uses levels and scalers alone never loads it.
//
//===----------------------------------------------------------------------===//

#include "../Errors.h"
#include "LoadedProgram.h"
#include "Tools.h"

#include "amp-c/Execution.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace amp::python;

/// Raises the mlir_amp.CompileError of a status, with the compiler's own text.
[[noreturn]] static void raiseCompileError(AmpCompilerStatus status,
                                           const char *diagnostics) {
  nb::object error = nb::module_::import_("mlir_amp.errors")
                         .attr("compile_error_of")(int(status), diagnostics);
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

namespace {
/// A request, with the text that it points to.
class Request {
public:
  Request(const nb::bytes &module, const std::string &pipeline,
          const std::string &name, bool writesPerfMap = false)
      : pipeline(pipeline), name(name) {
    request.structSize = sizeof(request);
    request.module = module.c_str();
    request.moduleSize = module.size();
    request.moduleName = this->name.c_str();
    request.pipeline = this->pipeline.c_str();
    request.flags = writesPerfMap ? AMP_COMPILER_PERF_MAP : 0;
  }
  AmpCompilerRequest request = {};

private:
  std::string pipeline, name;
};

struct DestroyResult {
  void operator()(AmpCompilerResult *result) const {
    ampCompilerResultDestroy(result);
  }
};

/// The pool of `threads` threads that the programs of this process share, made
/// for the first of them; null for one thread, and where there are none.
std::shared_ptr<AmpRtPool> getPool(int32_t threads) {
  static std::mutex mutex;
  static std::map<int32_t, std::weak_ptr<AmpRtPool>> pools;
  if (threads <= 1)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<AmpRtPool> pool = pools[threads].lock();
  AmpRtPool *made = nullptr;
  if (!pool && ampRtPoolCreate(threads, &made) == AMP_RT_OK) {
    pool.reset(made, ampRtPoolDestroy);
    pools[threads] = pool;
  }
  return pool;
}

/// mlir_amp._compiler.Program
class Program {
public:
  Program(const nb::bytes &module, const std::string &pipeline,
          const std::string &name, unsigned optimizationLevel, int32_t threads,
          bool writesPerfMap) {
    Request request(module, pipeline, name, writesPerfMap);
    {
      nb::gil_scoped_release release;
      loaded->program.reset(
          ampProgramCompile(&request.request, optimizationLevel));
      loaded->pool = getPool(threads);
    }
    AmpCompilerStatus status = ampProgramGetStatus(get());
    if (status != AMP_COMPILER_OK)
      raiseCompileError(status, ampProgramGetDiagnostics(get()));
    description = ampProgramGetDescription(get());
    if (threads > 1 &&
        (!loaded->pool || ampProgramSetPool(get(), loaded->pool.get())))
      throw std::runtime_error(ampRtStatusText());
  }

  const char *getDiagnostics() const { return ampProgramGetDiagnostics(get()); }
  int64_t getXlaNumber() const { return numberForXla(loaded); }
  nb::list getFunctions() const;
  void call(int32_t function, const std::vector<nb::ndarray<nb::ro>> &arguments,
            const std::vector<nb::ndarray<>> &results);
  void callAddresses(int32_t function, nb::list arguments, nb::list results);
  nb::list getScalers() const;
  nb::dict getScalerState(int32_t index) const;
  void setScalerState(int32_t index, double scale, int64_t unskipped);
  void copyScalerState(int32_t index, const Program &source,
                       int32_t sourceIndex);

private:
  AmpProgram *get() const { return loaded->program.get(); }
  const AmpRtFunction &getFunction(int32_t index) const;
  AmpRtScaler *getScaler(int32_t index) const;
  AmpRtScalerState readScaler(int32_t index) const;
  void run(int32_t function, const std::vector<AmpProgramArray> &arguments,
           const std::vector<AmpProgramArray> &results);
  /// Calls what gives a status once no other thread is in the program; other
  /// threads of Python go on meanwhile. Raises what the status says.
  template <typename Call> void callAlone(Call call) const {
    AmpRtStatus status;
    {
      nb::gil_scoped_release release;
      std::lock_guard<std::mutex> lock(loaded->mutex);
      status = call();
    }
    check(status);
  }

  std::shared_ptr<LoadedProgram> loaded = std::make_shared<LoadedProgram>();
  const AmpRtProgram *description = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static nb::dict describe(const AmpRtValue &value) {
  nb::list shape;
  for (int32_t i = 0; i < value.rank; ++i)
    shape.append(value.extents[i]);
  nb::dict dict;
  dict["role"] = value.role;
  dict["name"] = value.name;
  dict["kind"] = value.label;
  dict["element"] = ampRtElementKindName(value.elementKind);
  dict["shape"] = nb::tuple(shape);
  return dict;
}

nb::list Program::getFunctions() const {
  static const char *const kinds[] = {"other", "train_step", "evaluate"};
  nb::list list;
  for (int32_t i = 0; i < description->functionCount; ++i) {
    const AmpRtFunction &function = *description->functions[i];
    nb::list arguments, results;
    for (int32_t j = 0; j < function.argumentCount; ++j)
      if (function.arguments[j]->kind == AMP_RT_VALUE_ARRAY)
        arguments.append(describe(*function.arguments[j]));
    for (int32_t j = 0; j < function.resultCount; ++j)
      results.append(describe(*function.results[j]));
    nb::dict dict;
    dict["name"] = function.name;
    dict["kind"] = kinds[function.kind];
    dict["arguments"] = arguments;
    dict["results"] = results;
    dict["workspace_bytes"] = function.workspaceBytes;
    list.append(dict);
  }
  return list;
}

const AmpRtFunction &Program::getFunction(int32_t index) const {
  if (index < 0 || index >= description->functionCount)
    throw nb::index_error("no function of that number");
  return *description->functions[index];
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Program::run(int32_t function,
                  const std::vector<AmpProgramArray> &arguments,
                  const std::vector<AmpProgramArray> &results) {
  callAlone([&] {
    return ampProgramCall(get(), function, arguments.data(),
                          int32_t(arguments.size()), results.data(),
                          int32_t(results.size()));
  });
}

/// How DLPack has an element type.
static nb::dlpack::dtype getType(int32_t elementKind) {
  using Code = nb::dlpack::dtype_code;
  auto make = [](Code code, int bits) {
    return nb::dlpack::dtype{uint8_t(code), uint8_t(bits), 1};
  };
  switch (elementKind) {
  case AMP_RT_ELEMENT_F16:
    return make(Code::Float, 16);
  case AMP_RT_ELEMENT_BF16:
    return make(Code::Bfloat, 16);
  case AMP_RT_ELEMENT_F32:
    return make(Code::Float, 32);
  case AMP_RT_ELEMENT_F64:
    return make(Code::Float, 64);
  case AMP_RT_ELEMENT_I1:
    return make(Code::Bool, 8);
  case AMP_RT_ELEMENT_I8:
    return make(Code::Int, 8);
  case AMP_RT_ELEMENT_I16:
    return make(Code::Int, 16);
  case AMP_RT_ELEMENT_I32:
    return make(Code::Int, 32);
  default:
    return make(Code::Int, 64);
  }
}

/// The caller's array, whose type and rank are those described. `data` is not
/// written where it is an argument.
template <typename Array>
static AmpProgramArray unpack(const Array &array, const AmpRtValue &value,
                              const AmpRtFunction &function) {
  if (array.dtype() != getType(value.elementKind) ||
      int32_t(array.ndim()) != value.rank || array.device_type() != 1)
    throw nb::type_error(("call of '" + std::string(function.name) +
                          "': expected '" + value.name + "' (" + value.role +
                          ") to be an array in host memory of rank " +
                          std::to_string(value.rank) + " with elements of " +
                          ampRtElementKindName(value.elementKind))
                             .c_str());
  AmpProgramArray unpacked;
  unpacked.data = const_cast<void *>(static_cast<const void *>(array.data()));
  unpacked.extents = array.shape_ptr();
  unpacked.strides = array.stride_ptr();
  return unpacked;
}

/// The arguments that a caller gives, in their order.
static std::vector<const AmpRtValue *>
getArrays(const AmpRtFunction &function) {
  std::vector<const AmpRtValue *> arrays;
  for (int32_t i = 0; i < function.argumentCount; ++i)
    if (function.arguments[i]->kind == AMP_RT_VALUE_ARRAY)
      arrays.push_back(function.arguments[i]);
  return arrays;
}

void Program::call(int32_t index,
                   const std::vector<nb::ndarray<nb::ro>> &arguments,
                   const std::vector<nb::ndarray<>> &results) {
  const AmpRtFunction &function = getFunction(index);
  std::vector<const AmpRtValue *> described = getArrays(function);
  std::vector<AmpProgramArray> given(arguments.size()), taken(results.size());
  // Other counts are refused by the call.
  for (size_t i = 0; i < std::min(given.size(), described.size()); ++i)
    given[i] = unpack(arguments[i], *described[i], function);
  for (size_t i = 0; i < std::min(taken.size(), size_t(function.resultCount));
       ++i)
    taken[i] = unpack(results[i], *function.results[i], function);
  run(index, given, taken);
}

static std::vector<AmpProgramArray> readAddresses(const nb::list &addresses) {
  std::vector<AmpProgramArray> arrays;
  arrays.reserve(addresses.size());
  for (nb::handle address : addresses)
    arrays.push_back({reinterpret_cast<void *>(nb::cast<uintptr_t>(address)),
                      nullptr, nullptr});
  return arrays;
}

void Program::callAddresses(int32_t index, nb::list arguments,
                            nb::list results) {
  getFunction(index);
  run(index, readAddresses(arguments), readAddresses(results));
}

//===----------------------------------------------------------------------===//
// Loss scalers
//===----------------------------------------------------------------------===//

nb::list Program::getScalers() const {
  nb::list names;
  for (int32_t i = 0; i < description->scalerCount; ++i)
    names.append(description->scalers[i]->name);
  return names;
}

AmpRtScaler *Program::getScaler(int32_t index) const {
  AmpRtScaler *scaler = ampProgramGetScaler(get(), index);
  if (!scaler)
    throw nb::index_error("no scaler of that number");
  return scaler;
}

AmpRtScalerState Program::readScaler(int32_t index) const {
  AmpRtScaler *scaler = getScaler(index);
  AmpRtScalerState state = {};
  state.structSize = sizeof(state);
  callAlone([&] { return ampRtScalerGetState(scaler, &state); });
  return state;
}

nb::dict Program::getScalerState(int32_t index) const {
  const AmpRtScalerState state = readScaler(index);
  nb::dict dict;
  dict["scale"] = state.scale;
  dict["unskipped"] = state.unskipped;
  dict["steps"] = state.steps;
  dict["skipped"] = state.skipped;
  dict["overflows"] = state.overflows;
  return dict;
}

void Program::setScalerState(int32_t index, double scale, int64_t unskipped) {
  AmpRtScaler *scaler = getScaler(index);
  callAlone([&] { return ampRtScalerLoad(scaler, scale, unskipped); });
}

void Program::copyScalerState(int32_t index, const Program &source,
                              int32_t sourceIndex) {
  AmpRtScaler *scaler = getScaler(index);
  const AmpRtScalerState state = source.readScaler(sourceIndex);
  callAlone([&] { return ampRtScalerSetState(scaler, &state); });
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static nb::tuple runPipeline(const nb::bytes &module,
                             const std::string &pipeline,
                             const std::string &name, int format) {
  Request request(module, pipeline, name);
  request.request.outputFormat = uint32_t(format);
  std::unique_ptr<AmpCompilerResult, DestroyResult> result;
  {
    nb::gil_scoped_release release;
    result.reset(ampCompilerRun(&request.request));
  }
  const char *diagnostics = ampCompilerResultGetDiagnostics(result.get());
  AmpCompilerStatus status = ampCompilerResultGetStatus(result.get());
  if (status != AMP_COMPILER_OK)
    raiseCompileError(status, diagnostics);
  size_t size = 0;
  const char *output = ampCompilerResultGetOutput(result.get(), &size);
  return nb::make_tuple(nb::bytes(output, size), diagnostics);
}

/// A tool's main function with these words, the first of which is its name.
static int runTool(int (*tool)(int, char **), std::vector<std::string> words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return tool(int(words.size()), pointers.data());
}

/// What jax.ffi.register_ffi_target takes; None without the interface.
static nb::object makeXlaEntry() {
  if (!hasXlaEntry())
    return nb::none();
  return nb::capsule(getXlaEntry());
}

NB_MODULE(_compiler, module) {
  using namespace nb::literals;
  // Programs that others keep until the interpreter ends are no mistake.
  nb::set_leak_warnings(false);
  module.doc() = "The compiler of mlir-amp; use mlir_amp.compiler instead.";
  module.def("version", &ampCompilerGetVersion);
  module.def("run", &runPipeline, "module"_a, "pipeline"_a, "name"_a,
             "format"_a);
  module.def("xla_entry", &makeXlaEntry);
  module.def(
      "amp_opt",
      [](std::vector<std::string> words) { return runTool(runAmpOpt, words); },
      "words"_a);
  module.def(
      "amp_run",
      [](std::vector<std::string> words) { return runTool(runAmpRun, words); },
      "words"_a);
  nb::class_<Program>(module, "Program")
      .def(nb::init<const nb::bytes &, const std::string &, const std::string &,
                    unsigned, int32_t, bool>(),
           "module"_a, "pipeline"_a, "name"_a, "optimization_level"_a,
           "threads"_a, "perf_map"_a)
      .def_prop_ro("diagnostics", &Program::getDiagnostics)
      .def_prop_ro("xla_number", &Program::getXlaNumber)
      .def_prop_ro("functions", &Program::getFunctions)
      .def_prop_ro("scalers", &Program::getScalers)
      .def("call", &Program::call, "function"_a, "arguments"_a, "results"_a)
      .def("call_addresses", &Program::callAddresses, "function"_a,
           "arguments"_a, "results"_a)
      .def("scaler_state", &Program::getScalerState, "scaler"_a)
      .def("set_scaler_state", &Program::setScalerState, "scaler"_a, "scale"_a,
           "unskipped"_a)
      .def("copy_scaler_state", &Program::copyScalerState, "scaler"_a,
           "source"_a, "source_scaler"_a);
}
