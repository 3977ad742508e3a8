//===-- DeviceProgram.h - Programs for a device, in tests -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_TEST_UNITTESTS_RUNTIME_DEVICEPROGRAM_H
#define AMP_TEST_UNITTESTS_RUNTIME_DEVICEPROGRAM_H

#include "amp-rt/Program.h"
#include "amp-rt/Version.h"

#include <deque>
#include <string>
#include <vector>

/// What the compiler describes of a program for a device. Modules and launches
/// are added in their order and may be changed afterwards, until get().
class DeviceProgram {
public:
  explicit DeviceProgram(const char *chip) {
    program.structSize = sizeof(program);
    program.chip = chip;
  }
  DeviceProgram(const DeviceProgram &) = delete;
  DeviceProgram &operator=(const DeviceProgram &) = delete;

  AmpRtProgramModule &addModule(const char *name, const char *image,
                                int32_t operandCount) {
    modules.emplace_back();
    AmpRtProgramModule &module = modules.back().module;
    module.structSize = sizeof(module);
    module.operandCount = operandCount;
    module.name = name;
    module.image = image;
    module.imageBytes = static_cast<int64_t>(std::string(image).size());
    return module;
  }

  /// Of the module that was added last: one block of 32 threads.
  AmpRtProgramLaunch &addLaunch(const char *kernel,
                                std::vector<AmpRtProgramArgument> arguments) {
    launches.emplace_back();
    Launch &added = launches.back();
    added.arguments = std::move(arguments);
    for (const AmpRtProgramArgument &argument : added.arguments)
      added.list.push_back(&argument);
    AmpRtProgramLaunch &launch = added.launch;
    launch.structSize = sizeof(launch);
    for (int i = 0; i < 3; ++i)
      launch.grid[i] = launch.threads[i] = 1;
    launch.threads[0] = 32;
    launch.kernel = kernel;
    launch.arguments = added.list.data();
    launch.argumentCount = static_cast<int32_t>(added.list.size());
    modules.back().list.push_back(&launch);
    modules.back().module.launches = modules.back().list.data();
    modules.back().module.launchCount =
        static_cast<int32_t>(modules.back().list.size());
    return launch;
  }

  AmpRtProgram *get() {
    list.clear();
    for (const Module &module : modules)
      list.push_back(&module.module);
    program.runtimeVersion = AMP_RT_VERSION;
    program.modules = list.data();
    program.moduleCount = static_cast<int32_t>(list.size());
    return &program;
  }

  static AmpRtProgramArgument pointer(int32_t operand) {
    return {sizeof(AmpRtProgramArgument), AMP_RT_ARGUMENT_POINTER, operand, 0,
            nullptr};
  }
  static AmpRtProgramArgument number(int32_t value) {
    return {sizeof(AmpRtProgramArgument), AMP_RT_ARGUMENT_NUMBER, -1, value,
            nullptr};
  }
  static AmpRtProgramArgument table(int32_t operand, int32_t count) {
    return {sizeof(AmpRtProgramArgument), AMP_RT_ARGUMENT_TABLE, operand, count,
            nullptr};
  }
  static AmpRtProgramArgument map(int32_t operand,
                                  const AmpRtTensorMapDescription &map) {
    return {sizeof(AmpRtProgramArgument), AMP_RT_ARGUMENT_TENSOR_MAP, operand,
            0, &map};
  }

private:
  struct Launch {
    AmpRtProgramLaunch launch = {};
    std::vector<AmpRtProgramArgument> arguments;
    std::vector<const AmpRtProgramArgument *> list;
  };
  struct Module {
    AmpRtProgramModule module = {};
    std::vector<const AmpRtProgramLaunch *> list;
  };

  AmpRtProgram program = {};
  std::deque<Module> modules;
  std::deque<Launch> launches;
  std::vector<const AmpRtProgramModule *> list;
};

#endif // AMP_TEST_UNITTESTS_RUNTIME_DEVICEPROGRAM_H
