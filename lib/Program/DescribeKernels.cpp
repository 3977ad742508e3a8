//===- DescribeKernels.cpp - A program's kernels as data ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp.launch` dictionaries as structs of amp-rt/Program.h. Maps have their
// arrays innermost dimension first, as the runtime has them, and what the
// dictionary leaves out is what a driver takes for "no matter".
//
//===----------------------------------------------------------------------===//

#include "DescribeKernels.h"

#include "amp-rt/Program.h"
#include "amp/Program/LaunchTable.h"
#include "amp/Program/ProgramSignature.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::amp;

static AmpRtTensorMapType getMapType(Type type) {
  if (type.isF16())
    return AMP_RT_TENSOR_MAP_FLOAT16;
  if (type.isBF16())
    return AMP_RT_TENSOR_MAP_BFLOAT16;
  if (type.isF32())
    return AMP_RT_TENSOR_MAP_FLOAT32;
  return AMP_RT_TENSOR_MAP_UINT8; // of 8 bits, whatever they mean
}

static AmpRtTensorMapSwizzle getSwizzle(int64_t bytes) {
  switch (bytes) {
  case 32:
    return AMP_RT_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return AMP_RT_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return AMP_RT_TENSOR_MAP_SWIZZLE_128B;
  default:
    return AMP_RT_TENSOR_MAP_NOT_SWIZZLED;
  }
}

static int64_t getInt(DictionaryAttr from, StringRef name,
                      int64_t otherwise = 0) {
  auto number = from.getAs<IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}

static ArrayRef<int64_t> getInts(DictionaryAttr from, StringRef name) {
  auto numbers = from.getAs<DenseI64ArrayAttr>(name);
  return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
}

/// AmpRtTensorMapDescription.
static std::string addMap(ConstantWriter &writer, DictionaryAttr map) {
  constexpr unsigned kMaxRank = 5, kMaxSpatial = 3;
  const bool isTiled = map.getAs<StringAttr>("kind").getValue() == "tensor-map";
  SmallVector<int64_t> sizes(getInts(map, "shape")),
      steps(getInts(map, "steps"));
  const unsigned rank = sizes.size();
  for (int64_t &size : sizes)
    size = std::max<int64_t>(size, 1); // of none, nothing is read
  if (steps.empty())
    steps.assign(rank, 1);
  SmallVector<Field> fields = {
      Field::i32(sizeof(AmpRtTensorMapDescription)),
      Field::i32(isTiled ? AMP_RT_TENSOR_MAP_TILED : AMP_RT_TENSOR_MAP_IM2COL),
      Field::i32(getMapType(map.getAs<TypeAttr>("type").getValue())),
      Field::i32(rank),
      Field::i32(AMP_RT_TENSOR_MAP_NOT_INTERLEAVED),
      Field::i32(getSwizzle(getInt(map, "swizzle"))),
      Field::i32(AMP_RT_TENSOR_MAP_PROMOTE_256B),
      Field::i32(AMP_RT_TENSOR_MAP_FILL_ZERO),
      Field::address("")};
  auto add = [&](auto make, ArrayRef<int64_t> values, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      fields.push_back(make(i < values.size() ? values[i] : 0));
  };
  add(Field::i64, sizes, kMaxRank);
  add(Field::i64, getInts(map, "strides"), kMaxRank - 1);
  add(Field::i32, steps, kMaxRank);
  add(Field::i32, getInts(map, "box"), kMaxRank);
  add(Field::i32, getInts(map, "lower"), kMaxSpatial);
  add(Field::i32, getInts(map, "upper"), kMaxSpatial);
  fields.push_back(Field::i32(getInt(map, "channels")));
  fields.push_back(Field::i32(getInt(map, "pixels")));
  return writer.addStruct(writer.makeName("amp_map"), fields);
}

/// AmpRtProgramArgument.
static std::string addArgument(ConstantWriter &writer,
                               const LaunchTable::Module &module,
                               DictionaryAttr argument) {
  auto entries = argument.getAs<ArrayAttr>("entries"); // of a table
  const auto kind = llvm::StringSwitch<AmpRtArgumentKind>(
                        argument.getAs<StringAttr>("kind").getValue())
                        .Case("buffer", AMP_RT_ARGUMENT_POINTER)
                        .Case("number", AMP_RT_ARGUMENT_NUMBER)
                        .Case("table", AMP_RT_ARGUMENT_TABLE)
                        .Default(AMP_RT_ARGUMENT_TENSOR_MAP);
  DictionaryAttr named = entries ? cast<DictionaryAttr>(entries[0]) : argument;
  std::optional<unsigned> operand =
      module.findOperand(named.getAs<StringAttr>("name").getValue());
  std::string map = kind == AMP_RT_ARGUMENT_TENSOR_MAP
                        ? addMap(writer, argument)
                        : std::string();
  return writer.addStruct(writer.makeName("amp_argument"),
                          {Field::i32(sizeof(AmpRtProgramArgument)),
                           Field::i32(kind),
                           Field::i32(operand ? int64_t(*operand) : -1),
                           Field::i32(entries ? int64_t(entries.size())
                                              : getInt(argument, "value")),
                           Field::address(map)});
}

/// AmpRtProgramLaunch.
static std::string addLaunch(ConstantWriter &writer,
                             const LaunchTable::Module &module,
                             const LaunchTable::Launch &launch) {
  SmallVector<std::string> arguments;
  for (auto argument : launch.description.getAs<ArrayAttr>("arguments")
                           .getAsRange<DictionaryAttr>())
    arguments.push_back(addArgument(writer, module, argument));
  std::string name = writer.addText(launch.kernel.getValue()),
              list = writer.addPointers(writer.makeName("amp_arguments"),
                                        arguments);
  SmallVector<Field> fields = {
      Field::i32(sizeof(AmpRtProgramLaunch)),
      Field::i32(getInt(launch.description, "shared_memory"))};
  for (StringRef extents : {"grid", "block", "cluster"})
    for (int64_t extent : getInts(launch.description, extents))
      fields.push_back(Field::i64(extent));
  fields.append(
      {Field::i64(getInt(launch.description, "blocks_per_multiprocessor")),
       Field::i64(getInt(launch.description, "grid_multiple", 1)),
       Field::address(name), Field::address(list), Field::i32(arguments.size()),
       Field::i32(0)});
  return writer.addStruct(writer.makeName("amp_launch"), fields);
}

/// AmpRtProgramModule.
static std::string addModule(ConstantWriter &writer,
                             const LaunchTable::Module &module,
                             StringRef image) {
  SmallVector<std::string> launches;
  for (const LaunchTable::Launch &launch : module.launches)
    launches.push_back(addLaunch(writer, module, launch));
  std::string name = writer.addText(module.name.getValue()),
              bytes = writer.addBytes(writer.makeName("amp_image"), image),
              list =
                  writer.addPointers(writer.makeName("amp_launches"), launches);
  return writer.addStruct(writer.makeName("amp_module"),
                          {Field::i32(sizeof(AmpRtProgramModule)),
                           Field::i32(module.operands.size()),
                           Field::address(name), Field::address(bytes),
                           Field::i64(image.size()), Field::address(list),
                           Field::i32(launches.size()), Field::i32(0)});
}

KernelDescription mlir::amp::describeKernels(ConstantWriter &writer,
                                             ModuleOp module) {
  KernelDescription description;
  auto images = module->getAttrOfType<DictionaryAttr>(kImagesAttr);
  auto chip = module->getAttrOfType<StringAttr>(kChipAttr);
  if (!images || !chip)
    return description;
  LaunchTable table(module);
  SmallVector<std::string> modules;
  for (const LaunchTable::Module &entry : table.getModules())
    modules.push_back(addModule(
        writer, entry, images.getAs<StringAttr>(entry.name).getValue()));
  description.chip = writer.addText(chip.getValue());
  description.modules = writer.addPointers("amp_modules", modules);
  description.count = modules.size();
  for (StringRef name : {kImagesAttr, kChipAttr, kLaunchesAttr})
    module->removeAttr(name);
  return description;
}
