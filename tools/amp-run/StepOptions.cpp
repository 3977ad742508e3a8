//===- StepOptions.cpp - Options of tools that compile a step -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOptions.h"

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Error PrecisionOptions::checkNames() const {
  for (const TextOption &option : options)
    if (option.getNumOccurrences() && option.empty())
      return makeError("expected --" + option.ArgStr + " to be given a " +
                       option.ValueStr + ", but got an empty value");
  return llvm::Error::success();
}

NamedValues PrecisionOptions::getGiven() const {
  NamedValues given;
  for (const TextOption &option : options)
    if (option.getNumOccurrences())
      given.emplace_back(option.ArgStr, option.getValue());
  return given;
}

llvm::Error mlir::amp::setPrecision(MixedPrecisionOptions &pipeline,
                                    const NamedValues &given,
                                    raw_ostream &screen) {
  std::string text;
  for (const auto &[name, value] : given) {
    if (StringRef(value).find_first_of(" \t\n{}") != StringRef::npos)
      return makeError("expected the value of --" + name +
                       " to be one word, but got '" + value + "'");
    text += name + "=" + value + " ";
  }
  if (failed(pipeline.parseFromString(text)))
    return makeError("options of the precision cannot be read: " + text);
  pipeline.screen = &screen;
  return llvm::Error::success();
}

void mlir::amp::setBlas(HostLoweringOptions &lowering, const BlasReport &blas) {
  // Without a library, calls of one would only cost time.
  lowering.blas = blas.library ? BlasUse::Auto : BlasUse::Off;
  if (!blas.library)
    return;
  lowering.blasMinWork = std::max(kBlasMinWork, blas.library->f32MinWork);
  lowering.blasMinBf16Work = std::max(kBlasMinWork, blas.library->bf16MinWork);
}

void mlir::amp::freeThreads() {
  auto taken = cl::getRegisteredOptions().find("threads");
  if (taken != cl::getRegisteredOptions().end())
    taken->second->setArgStr("lto-threads");
}

llvm::Error mlir::amp::checkOccurrences(const cl::Option *list) {
  const cl::Option *repeated = nullptr;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (option->getNumOccurrences() > 1 && option != list &&
        (!repeated || option->ArgStr < repeated->ArgStr))
      repeated = option;
  if (!repeated)
    return llvm::Error::success();
  return makeError("expected --" + repeated->ArgStr + " once, but got it " +
                   Twine(repeated->getNumOccurrences()) +
                   " times; leave one value");
}
