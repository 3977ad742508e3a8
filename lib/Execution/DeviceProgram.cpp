//===- DeviceProgram.cpp - Compile a training step for a device -----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator takes kernels as text, whatever chip they are for; a GPU takes
// code for its own.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/DeviceProgram.h"

#include "ProgramCompilation.h"
#include "amp-rt/Device.h"
#include "amp/Execution/TemporaryFolder.h"
#include "amp/Kernels/Chip.h"
#include "amp/Pipelines/DeviceLowering.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kEmulator = "emulator";

static std::string listChips() {
  std::string list;
  for (const Chip &chip : getChips())
    list += (list.empty() ? "" : ", ") + chip.name.str();
  return list;
}

/// The chip of a compute capability: where there are two, the one that may use
/// what is of this capability alone.
static const Chip *findChip(const AmpRtDeviceProperties &properties) {
  std::string name = "sm_" + std::to_string(properties.computeMajor) +
                     std::to_string(properties.computeMinor);
  if (const Chip *chip = getChip(name + "a"))
    return chip;
  return getChip(name);
}

llvm::Error mlir::amp::checkChip(StringRef chip) {
  if (getChip(chip))
    return llvm::Error::success();
  return llvm::createStringError("expected a chip of " + listChips() +
                                 ", but got '" + chip + "'");
}

llvm::Error mlir::amp::completeTarget(DeviceTarget &target) {
  AmpRtDevice *device = nullptr;
  AmpRtDeviceProperties properties = {};
  properties.structSize = sizeof(properties);
  if (ampRtDeviceGet(target.device.c_str(), &device) != AMP_RT_OK ||
      ampRtDeviceGetProperties(device, &properties) != AMP_RT_OK)
    return llvm::createStringError(ampRtStatusText());
  if (!target.chip.empty())
    return checkChip(target.chip);
  if (target.device == kEmulator) {
    target.chip = "sm_90a";
    return llvm::Error::success();
  }
  const Chip *chip = findChip(properties);
  if (!chip)
    return llvm::createStringError(
        Twine("expected a GPU of ") + listChips() + ", but '" +
        properties.model + "' has compute capability " +
        Twine(properties.computeMajor) + "." + Twine(properties.computeMinor) +
        "; run on the host, or name the chip whose code it runs");
  target.chip = chip->name.str();
  return llvm::Error::success();
}

/// What ptxas is given and gives back goes through files, which upstream leaves
/// when the process is ended.
static llvm::Error begin(OwnTemporaryFiles &files, const DeviceTarget &target) {
  return target.device == kEmulator ? llvm::Error::success()
                                    : files.begin("amp-ptxas");
}

static void setLowering(DeviceLoweringOptions &lowering,
                        const DeviceTarget &target) {
  lowering.chip = target.chip;
  lowering.format =
      target.device == kEmulator ? KernelFormat::NVVM : KernelFormat::Cubin;
  lowering.toolkit = target.toolkit;
  lowering.cache = target.cache;
  lowering.tf32 = target.tf32;
  lowering.countTraffic = target.countTraffic;
}

llvm::Expected<std::unique_ptr<Program>>
mlir::amp::compileForDevice(ModuleOp module,
                            const MixedPrecisionOptions &precision,
                            const DeviceTarget &target,
                            const JitOptions &options, CompileReport *report) {
  OwnTemporaryFiles files;
  if (llvm::Error error = begin(files, target))
    return std::move(error);
  DeviceLoweringOptions lowering;
  setLowering(lowering, target);
  ProgramOptions resources;
  resources.device = target.device;
  resources.scalers = options.scalers;
  return compileProgram(
      module, precision,
      [&](OpPassManager &pm) { buildDeviceLoweringPipeline(pm, lowering); },
      "device", options, resources, report);
}

llvm::Expected<std::vector<ObjectCode>> mlir::amp::compileToDeviceObjects(
    ModuleOp module, const MixedPrecisionOptions &precision,
    const DeviceTarget &target, const ObjectOptions &options,
    CompileReport &report) {
  OwnTemporaryFiles files;
  if (llvm::Error error = begin(files, target))
    return std::move(error);
  DeviceLoweringOptions lowering;
  setLowering(lowering, target);
  return compileToObjects(
      module, precision,
      [&](OpPassManager &pm, StringRef) {
        buildDeviceLoweringPipeline(pm, lowering);
      },
      "device", options, report);
}
