//===- KernelOptions.cpp - Options that passes for kernels share ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each form of an option.
//
//===----------------------------------------------------------------------===//

#include "KernelOptions.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::amp;

InFlightDiagnostic KernelOptions::refuse(StringRef option, StringRef expected,
                                         StringRef value) {
  return module.emitError() << "expected '" << option << "' to be " << expected
                            << ", but got '" << value << "'";
}

LogicalResult KernelOptions::readType(StringRef option, StringRef text,
                                      Type &type) {
  {
    // The parser's own message would point into the option.
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) {});
    type = parseType(text, module.getContext());
  }
  if (type && type.isIntOrFloat())
    return success();
  return refuse(option, "the name of a number's type", text);
}

LogicalResult KernelOptions::readNumbers(StringRef option, StringRef form,
                                         StringRef text, char separator,
                                         ArrayRef<int64_t *> numbers) {
  SmallVector<StringRef> parts;
  text.split(parts, separator);
  bool wellFormed = parts.size() == numbers.size();
  for (auto [part, number] : llvm::zip(parts, numbers))
    wellFormed = wellFormed && !part.getAsInteger(10, *number);
  return wellFormed ? success() : refuse(option, form, text);
}

LogicalResult KernelOptions::readConfig(const Config &options, Type operand,
                                        GemmConfig &config) {
  if (failed(readChip(options.chip, operand, config)) ||
      failed(readTile(options.tile, config)))
    return failure();
  config.stages = options.stages;
  config.cluster = options.cluster;
  config.splitK = options.splitK;
  config.rasterGroup = options.rasterGroup;
  return success();
}

LogicalResult KernelOptions::readChip(StringRef text, Type operand,
                                      GemmConfig &config) {
  const Chip *chip = getChip(text);
  if (!chip) {
    std::string names;
    for (const Chip &known : getChips())
      names += (names.empty() ? "" : ", ") + known.name.str();
    return refuse("chip", "one of " + names, text);
  }
  config.setChip(*chip, operand);
  return success();
}

LogicalResult KernelOptions::readTile(StringRef text, GemmConfig &config) {
  StringRef form = "MxN or MxNxK";
  if (text.count('x') == 2)
    return readNumbers("tile", form, text, 'x',
                       {&config.tileM, &config.tileN, &config.tileK});
  return readNumbers("tile", form, text, 'x', {&config.tileM, &config.tileN});
}

FailureOr<GemmEpilogue> KernelOptions::readEpilogue(StringRef text,
                                                    Type result) {
  if (text.empty())
    return GemmEpilogue();
  auto func = module.lookupSymbol<func::FuncOp>(text);
  if (!func)
    return refuse("epilogue", "a function of the module", text), failure();
  return readGemmEpilogue(func, result);
}

LogicalResult KernelOptions::verifyName(StringRef name) {
  if (!module.lookupSymbol(name))
    return success();
  return module.emitError() << "expected a new name for the kernel, but '"
                            << name << "' is in use; set 'name'";
}
