//===- amp-step-bounds.cpp - What a step may compute ----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets the first step of a module on recorded arrays in f64
// (StepEvaluator), and writes for each result what it is, "ROLE/NAME/value",
// how far a program of an opt level may be off it, "ROLE/NAME/error", and what
// it was before, "ROLE/NAME/start". It
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

/// The arguments of the first step, as the archive has them.
static llvm::Expected<std::vector<NumberTensor>>
readArguments(func::FuncOp step, const ArrayArchive &archive) {
  std::vector<NumberTensor> arguments;
  unsigned batches = 0;
  for (unsigned i = 0; i < step.getNumArguments(); ++i) {
    NumberTensor tensor;
    auto type = cast<RankedTensorType>(step.getArgumentTypes()[i]);
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    RoleInfo info = getArgRole(step, i);
    if (info.is(Role::LossSeed)) {
      tensor.elements.assign(size_t(type.getNumElements()), {1, 0, false});
      arguments.push_back(std::move(tensor));
      continue;
    }
    std::string name = info.is(Role::Batch)
                           ? "step0_x" + std::to_string(batches++)
                           : "arg" + std::to_string(i);
    llvm::Expected<HostArray> array = archive.read(name);
    if (!array)
      return array.takeError();
    if (array->getShape() != ArrayRef<int64_t>(tensor.shape))
      return llvm::createStringError("expected '" + name +
                                     "' to have the argument's shape");
    for (int64_t k = 0, e = array->getNumElements(); k < e; ++k)
      tensor.elements.push_back({array->getAsDouble(k), 0, false});
    arguments.push_back(std::move(tensor));
  }
  return arguments;
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
  llvm::Expected<ArrayArchive> archive = ArrayArchive::open(replayFile);
  if (!archive)
    return fail(llvm::toString(archive.takeError()));
  auto arguments = readArguments(step, *archive);
  if (!arguments)
    return fail(llvm::toString(arguments.takeError()));
  StepEvaluator evaluator(*module, getEvaluatorOptions(level));
  FailureOr<std::vector<NumberTensor>> results =
      evaluator.call(step, *arguments);
  if (failed(results))
    return fail("it does not know " + evaluator.getUnknown());
  if (llvm::Error error = writeResults(step, *arguments, *results))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
