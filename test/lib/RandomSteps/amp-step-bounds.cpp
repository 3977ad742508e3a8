//===- amp-step-bounds.cpp - What a step may compute ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets the first steps of a module on recorded arrays in f64
// (StepEvaluator), and writes for each result of the last what it is,
// "ROLE/NAME/value", how far a program of an opt level may be off it,
// "ROLE/NAME/error", and what it was before the first, "ROLE/NAME/start". It
// says which operation it does not know, if there is one.
//
//===----------------------------------------------------------------------===//

#include "StepEvaluator.h"

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "amp/Execution/ArrayArchive.h"
#include "amp/InitAllDialects.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

static cl::opt<std::string> moduleFile(cl::Positional, cl::Required,
                                       cl::value_desc("MODULE.mlir"));
static cl::opt<std::string> replayFile("replay", cl::Required,
                                       cl::value_desc("ARRAYS.npz"),
                                       cl::desc("argN, step0_xI"));
static cl::opt<std::string> level("opt-level", cl::init("O0"));
static cl::opt<std::string> resultFile("o", cl::Required,
                                       cl::value_desc("BOUNDS.npz"));

static cl::opt<unsigned> steps("steps", cl::init(1),
                               cl::desc("How many, from the first one on"));
static cl::opt<unsigned>
    samples("samples", cl::init(0),
            cl::desc("Draw roundings instead of adding up their bounds"));

static llvm::Expected<NumberTensor>
readTensor(const ArrayArchive &archive, StringRef name, RankedTensorType type) {
  llvm::Expected<HostArray> array = archive.read(name);
  if (!array)
    return array.takeError();
  if (array->getShape() != type.getShape())
    return llvm::createStringError("expected '" + name +
                                   "' to have the argument's shape");
  NumberTensor tensor;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  for (int64_t k = 0, e = array->getNumElements(); k < e; ++k)
    tensor.elements.push_back({array->getAsDouble(k), 0, false});
  return tensor;
}

/// What the archive has of each argument, and of each step's batch. Batches
/// among the arguments are those of the first step.
static llvm::Error
readArguments(func::FuncOp step, const ArrayArchive &archive,
              std::vector<NumberTensor> &arguments,
              std::vector<std::vector<NumberTensor>> &batches) {
  batches.resize(steps);
  for (unsigned i = 0; i < step.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(step.getArgumentTypes()[i]);
    RoleInfo info = getArgRole(step, i);
    if (info.is(Role::LossSeed)) {
      arguments.push_back({{}, {{1, 0, false}}});
    } else if (info.is(Role::Batch)) {
      std::string name = "_x" + std::to_string(batches.front().size());
      for (auto [k, batch] : llvm::enumerate(batches)) {
        auto array =
            readTensor(archive, "step" + std::to_string(k) + name, type);
        if (!array)
          return array.takeError();
        batch.push_back(std::move(*array));
      }
      arguments.push_back(batches.front().back());
    } else {
      auto array = readTensor(archive, "arg" + std::to_string(i), type);
      if (!array)
        return array.takeError();
      arguments.push_back(std::move(*array));
    }
  }
  return llvm::Error::success();
}

static llvm::Error writeResults(func::FuncOp step,
                                ArrayRef<NumberTensor> arguments,
                                ArrayRef<NumberTensor> results) {
  std::vector<std::pair<std::string, HostArray>> arrays;
  auto add = [&](RoleInfo info, StringRef what, const NumberTensor &tensor,
                 double Number::*field) {
    HostArray array(AMP_RT_ELEMENT_F64, tensor.shape);
    for (auto [i, number] : llvm::enumerate(tensor.elements))
      array.setFromDouble(int64_t(i), number.*field);
    arrays.emplace_back(
        (stringifyRole(*info.role) + "/" + info.name + "/" + what).str(),
        std::move(array));
  };
  for (auto [i, tensor] : llvm::enumerate(results))
    if (RoleInfo info = getResultRole(step, unsigned(i)); info.role) {
      add(info, "value", tensor, &Number::value);
      add(info, "error", tensor, &Number::error);
    }
  for (auto [i, tensor] : llvm::enumerate(arguments))
    if (RoleInfo info = getArgRole(step, unsigned(i)); info.role)
      add(info, "start", tensor, &Number::value);
  NamedArrays named;
  for (auto &[name, array] : arrays)
    named.emplace_back(name, &array);
  return writeArchive(resultFile, named);
}

static int fail(const Twine &text) {
  llvm::errs() << "amp-step-bounds: error: " << text << "\n";
  return 1;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "bounds of a step's results\n");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::amp::registerAllDialects(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(moduleFile, &context);
  if (!module)
    return 1;
  func::FuncOp step;
  for (auto function : module->getOps<func::FuncOp>())
    if (getFunctionKind(function) == FunctionKind::TrainStep)
      step = function;
  if (!step)
    return fail("expected a train step in '" + moduleFile + "'");
  if (steps == 0)
    return fail("expected --steps of at least 1");
  llvm::Expected<ArrayArchive> archive = ArrayArchive::open(replayFile);
  if (!archive)
    return fail(llvm::toString(archive.takeError()));
  std::vector<NumberTensor> arguments;
  std::vector<std::vector<NumberTensor>> batches;
  if (llvm::Error error = readArguments(step, *archive, arguments, batches))
    return fail(llvm::toString(std::move(error)));
  EvaluatorOptions options = getEvaluatorOptions(level);
  options.samples = samples;
  StepEvaluator evaluator(*module, options);
  FailureOr<std::vector<NumberTensor>> results =
      evaluator.train(step, arguments, batches);
  if (failed(results))
    return fail("it does not know " + evaluator.getUnknown());
  if (llvm::Error error = writeResults(step, arguments, *results))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
