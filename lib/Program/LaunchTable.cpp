//===- LaunchTable.cpp - The kernels of a program by numbers --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules are numbered as the dictionary has them, by name.
//
//===----------------------------------------------------------------------===//

#include "amp/Program/LaunchTable.h"

#include "amp/Program/ProgramSignature.h"

using namespace mlir;
using namespace mlir::amp;

template <typename Range>
static std::optional<unsigned> findName(StringRef name, const Range &range) {
  for (auto [index, known] : llvm::enumerate(range))
    if (known.getValue() == name)
      return index;
  return std::nullopt;
}

LaunchTable::LaunchTable(ModuleOp module) {
  auto recorded = module->getAttrOfType<DictionaryAttr>(kLaunchesAttr);
  if (!recorded)
    return;
  for (NamedAttribute entry : recorded) {
    Module &known = modules.emplace_back();
    known.name = entry.getName();
    for (NamedAttribute kernel : cast<DictionaryAttr>(entry.getValue()))
      known.launches.push_back(
          {kernel.getName(), cast<DictionaryAttr>(kernel.getValue())});
    llvm::sort(known.launches, [](const Launch &a, const Launch &b) {
      auto getOrder = [](const Launch &launch) {
        return launch.description.getAs<IntegerAttr>("order").getInt();
      };
      return getOrder(a) < getOrder(b);
    });
    for (const Launch &launch : known.launches)
      for (auto argument : launch.description.getAs<ArrayAttr>("arguments")
                               .getAsRange<DictionaryAttr>()) {
        StringRef kind = argument.getAs<StringAttr>("kind").getValue();
        auto name = argument.getAs<StringAttr>("name");
        if (kind == "table")
          // Nobody else's, so that they follow one another.
          for (auto entry : argument.getAs<ArrayAttr>("entries")
                                .getAsRange<DictionaryAttr>())
            known.operands.push_back(entry.getAs<StringAttr>("name"));
        else if (kind != "number" && !llvm::is_contained(known.operands, name))
          known.operands.push_back(name);
      }
  }
}

std::optional<unsigned>
LaunchTable::Module::findOperand(StringRef operand) const {
  return findName(operand, operands);
}

std::optional<unsigned> LaunchTable::find(StringRef name) const {
  return findName(name, llvm::map_range(modules, [](const Module &module) {
                    return module.name;
                  }));
}
