//===-- LoadedModule.h - A module of a program on a device ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_PROGRAM_LOADEDMODULE_H
#define AMP_RT_SRC_PROGRAM_LOADEDMODULE_H

#include "amp-rt/Load.h"

#include <memory>
#include <mutex>

namespace amp::rt {

/// What is given to the device when the module is first run, and then stays.
/// Everything that a launch needs and that operands do not change is made
/// before; what is left for each time are addresses, and tensor maps of
/// operands that lie elsewhere than the time before.
class LoadedModule {
public:
  /// Copies what `program` says of the module with that number, and refuses
  /// what cannot be run anywhere. Texts and images stay the program's.
  AmpRtStatus read(const char *call, const AmpRtProgram &program,
                   int32_t number);

  /// Runs the launches in their order, or as far as they go.
  AmpRtStatus launch(const char *call, AmpRtDevice &device,
                     void *const *operands);

  AmpRtStatus unload();

private:
  struct Argument {
    AmpRtProgramArgument known;
    /// Of a tensor map: `map` is right for the address in it.
    AmpRtTensorMapDescription description;
    AmpRtTensorMap map;
  };

  struct Launch {
    AmpRtProgramLaunch known;
    /// Its kernel is null until it was found and the grid fits the device.
    AmpRtLaunch ready;
    std::unique_ptr<Argument[]> arguments;
    /// What `ready` points to.
    std::unique_ptr<void *[]> addresses;
    std::unique_ptr<int64_t[]> bytes;
  };

  AmpRtStatus readLaunch(const char *call, int32_t number, Launch &launch);
  AmpRtStatus readArgument(const char *call, int32_t number, Launch &launch);
  AmpRtStatus load(AmpRtDevice &device);
  AmpRtStatus prepare(const char *call, AmpRtDevice &device, Launch &launch);
  AmpRtStatus run(AmpRtDevice &device, Launch &launch, void *const *operands);
  AmpRtStatus failLaunch(AmpRtStatus status, const char *call,
                         const Launch &launch) const;

  /// Of one run of the module, which uses what is prepared here.
  std::mutex mutex;
  AmpRtProgramModule known;
  std::unique_ptr<Launch[]> launches;
  /// Null until the first run.
  AmpRtModule *module = nullptr;
};

} // namespace amp::rt

#endif // AMP_RT_SRC_PROGRAM_LOADEDMODULE_H
