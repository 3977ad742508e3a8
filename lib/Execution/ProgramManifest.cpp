//===- ProgramManifest.cpp - A program for readers of JSON ----------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgramManifest.h"

#include "amp-rt/Cpu.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::amp;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
namespace json = llvm::json;

static json::Value makeText(StringRef text) { return json::fixUTF8(text); }

static StringRef getKind(const AmpRtValue &value) {
  switch (value.kind) {
  case AMP_RT_VALUE_ARRAY:
    return "array";
  case AMP_RT_VALUE_SCALER:
    return "scaler";
  case AMP_RT_VALUE_TAP:
    return "tap";
  default:
    return "other";
  }
}

static StringRef getKind(const AmpRtFunction &function) {
  switch (function.kind) {
  case AMP_RT_FUNCTION_TRAIN_STEP:
    return "train_step";
  case AMP_RT_FUNCTION_EVALUATE:
    return "evaluate";
  default:
    return "other";
  }
}

/// Values in their order. A shape has null where the caller chooses.
static json::Array makeValues(ArrayRef<const AmpRtValue *> values) {
  json::Array list;
  for (const AmpRtValue *value : values) {
    json::Object object{{"kind", getKind(*value)},
                        {"role", makeText(value->role)},
                        {"name", makeText(value->name)}};
    if (value->kind == AMP_RT_VALUE_ARRAY) {
      const char *type = ampRtElementKindName(value->elementKind);
      object["type"] = type ? json::Value(type) : json::Value(nullptr);
      json::Array shape;
      for (int64_t extent : ArrayRef(value->extents, value->rank))
        shape.push_back(extent < 0 ? json::Value(nullptr)
                                   : json::Value(extent));
      object["shape"] = std::move(shape);
    }
    list.push_back(std::move(object));
  }
  return list;
}

static json::Array makeFunctions(const AmpRtProgram &program) {
  json::Array list;
  for (const AmpRtFunction *function :
       ArrayRef(program.functions, program.functionCount))
    list.push_back(json::Object{
        {"name", makeText(function->name)},
        {"kind", getKind(*function)},
        {"arguments",
         makeValues(ArrayRef(function->arguments, function->argumentCount))},
        {"results",
         makeValues(ArrayRef(function->results, function->resultCount))},
        {"workspace_bytes", function->workspaceBytes}});
  return list;
}

static json::Array makeScalers(const AmpRtProgram &program) {
  json::Array list;
  for (const AmpRtProgramScaler *scaler :
       ArrayRef(program.scalers, program.scalerCount))
    list.push_back(
        json::Object{{"name", makeText(scaler->name)},
                     {"dynamic", scaler->config->mode == AMP_RT_SCALER_DYNAMIC},
                     {"initial_scale", scaler->config->initialScale}});
  return list;
}

/// Modules with their launches.
static json::Array makeKernels(const AmpRtProgram &program) {
  json::Array list;
  for (const AmpRtProgramModule *module :
       ArrayRef(program.modules, program.moduleCount)) {
    json::Array launches;
    for (const AmpRtProgramLaunch *launch :
         ArrayRef(module->launches, module->launchCount))
      launches.push_back(json::Object{
          {"kernel", makeText(launch->kernel)},
          {"grid", json::Array(launch->grid)},
          {"threads", json::Array(launch->threads)},
          {"cluster", json::Array(launch->cluster)},
          {"shared_bytes", static_cast<int64_t>(launch->sharedBytes)}});
    list.push_back(json::Object{{"module", makeText(module->name)},
                                {"image_bytes", module->imageBytes},
                                {"launches", std::move(launches)}});
  }
  return list;
}

/// The CPUs that there is code for, as one takes the first that it can run, and
/// what each needs.
static json::Array makeCpus(const AmpRtProgram &program) {
  SmallVector<const AmpRtProgram *> versions(
      ArrayRef(program.versions, program.versionCount));
  versions.push_back(&program);
  json::Array list;
  for (const AmpRtProgram *version : versions) {
    json::Array features;
    for (int32_t number = 0; number < 64; ++number)
      if (version->cpuFeatures >> number & 1)
        features.push_back(makeText(ampRtCpuFeatureName(number)));
    list.push_back(json::Object{{"name", makeText(version->cpu)},
                                {"features", std::move(features)}});
  }
  return list;
}

json::Value mlir::amp::makeManifest(const AmpRtProgram &program,
                                    StringRef target) {
  const uint32_t version = program.runtimeVersion;
  return json::Object{
      {"program", "step.so"},
      {"runtime", "libamp-rt.so.0"},
      {"runtime_version", llvm::formatv("{0}.{1}.{2}", version >> 16,
                                        version >> 8 & 0xff, version & 0xff)
                              .str()},
      {"target", makeText(target)},
      {"chip", program.chip ? makeText(program.chip) : json::Value(nullptr)},
      {"cpus", makeCpus(program)},
      {"functions", makeFunctions(program)},
      {"scalers", makeScalers(program)},
      {"kernels", makeKernels(program)}};
}
