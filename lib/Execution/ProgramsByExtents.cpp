//===- ProgramsByExtents.cpp - A step for each size of batch --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters and what else a step hands to the next have the same types in all
// programs, and stay on their device from one to the other. So do the scalers,
// which are shared. Only the program that ran last keeps memory of its own.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgramsByExtents.h"

#include "amp/Execution/ArrayBinding.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::amp;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::Twine;

namespace {
class JoinedPrograms : public Program {
public:
  explicit JoinedPrograms(std::vector<std::unique_ptr<Program>> programs)
      : programs(std::move(programs)), step(*this) {}
  Error join() { return step.join(); }

  CompiledFunction &getTrainStep() override { return step; }
  CompiledFunction *getEvaluate() override { return first().getEvaluate(); }
  ArrayRef<ScalerSlot> getScalers() override { return first().getScalers(); }
  void setTap(std::function<void(const Tap &)> callback) override {
    for (auto &program : programs)
      program->setTap(callback);
  }
  bool hasTaps() const override { return programs.front()->hasTaps(); }
  MemoryReport getMemoryReport() const override {
    return programs[last]->getMemoryReport();
  }

private:
  class Step : public CompiledFunction {
  public:
    explicit Step(JoinedPrograms &owner) : owner(owner) {}
    /// Makes the signature.
    Error join();
    Error call(ArrayRef<const HostArray *> given,
               SmallVectorImpl<HostArray> &outputs) override;
    int64_t getWorkspaceBytes() const override;

  private:
    JoinedPrograms &owner;
  };

  Program &first() { return *programs.front(); }

  std::vector<std::unique_ptr<Program>> programs;
  Step step;
  /// Whose step ran last.
  size_t last = 0;
};
} // namespace

/// Whether two arguments or results are the same but for extents, which `a`
/// forgets where they differ, if it may.
static bool join(ValueSpec &a, const ValueSpec &b, bool mayDiffer) {
  if (a.role != b.role || a.name != b.name || a.elementKind != b.elementKind ||
      a.shape.size() != b.shape.size())
    return false;
  for (auto [extent, other] : llvm::zip_equal(a.shape, b.shape)) {
    if (extent != other && extent >= 0 && !mayDiffer)
      return false;
    if (extent != other)
      extent = -1;
  }
  return true;
}

static bool haveSameExtents(ArrayRef<ValueSpec> a, ArrayRef<ValueSpec> b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
    return std::get<0>(pair).shape == std::get<1>(pair).shape;
  });
}

Error JoinedPrograms::Step::join() {
  static_cast<FunctionSignature &>(*this) =
      owner.first().getTrainStep().getSignature();
  for (size_t i = 1; i < owner.programs.size(); ++i) {
    const FunctionSignature &other =
        owner.programs[i]->getTrainStep().getSignature();
    if (arguments.size() != other.arguments.size() ||
        results.size() != other.results.size())
      return createStringError(
          "expected programs of one step, but they differ in the number of "
          "arguments or results");
    for (auto [mine, its] : llvm::zip_equal(arguments, other.arguments))
      if (!::join(mine, its, /*mayDiffer=*/mine.role == "batch"))
        return createStringError(
            Twine("expected programs that differ in extents of batch arguments "
                  "alone, but they differ in ") +
            describeArgument(mine));
    for (auto [mine, its] : llvm::zip_equal(results, other.results))
      if (!::join(mine, its, /*mayDiffer=*/false))
        return createStringError(
            Twine("expected programs that differ in extents of batch arguments "
                  "alone, but they differ in result ") +
            describeArgument(mine));
    for (size_t j = 0; j < i; ++j)
      if (haveSameExtents(owner.programs[j]->getTrainStep().getArguments(),
                          other.arguments))
        return createStringError("expected a program for each size of batch, "
                                 "but two have the same");
  }
  return Error::success();
}

Error JoinedPrograms::Step::call(ArrayRef<const HostArray *> given,
                                 SmallVectorImpl<HostArray> &outputs) {
  std::string batch;
  for (auto [number, program] : llvm::enumerate(owner.programs)) {
    ArrayRef<ValueSpec> specs = program->getTrainStep().getArguments();
    // The program says itself what is wrong with other arguments.
    if (given.size() == specs.size() &&
        !llvm::all_of(llvm::zip_equal(specs, given), [](auto pair) {
          const ValueSpec &spec = std::get<0>(pair);
          return spec.role != "batch" ||
                 fitsShape(spec, std::get<1>(pair)->getShape());
        }))
      continue;
    // A workspace for each would add up to more than the largest.
    if (number != owner.last)
      if (Error error = owner.programs[owner.last]->releaseMemory())
        return error;
    owner.last = number;
    return program->getTrainStep().call(given, outputs);
  }
  for (auto [spec, array] : llvm::zip_equal(arguments, given))
    if (spec.role == "batch")
      batch += (batch.empty() ? "" : ", ") + describeArgument(spec) + " of " +
               array->getTypeString();
  return createStringError(Twine("call of '") + name +
                           "': no program was compiled for " + batch);
}

int64_t JoinedPrograms::Step::getWorkspaceBytes() const {
  int64_t bytes = 0;
  for (auto &program : owner.programs)
    bytes = std::max(bytes, program->getTrainStep().getWorkspaceBytes());
  return bytes;
}

Expected<std::unique_ptr<Program>>
mlir::amp::joinByExtents(std::vector<std::unique_ptr<Program>> programs) {
  assert(!programs.empty() && "a step has a program");
  auto joined = std::make_unique<JoinedPrograms>(std::move(programs));
  if (Error error = joined->join())
    return std::move(error);
  return joined;
}
