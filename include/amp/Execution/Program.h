//===- Program.h - A compiled training step, ready to call ------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a driver needs of compiled code and nothing more: functions found by
// their roles, each with typed arguments and results that carry role and name,
// and the loss scalers whose state lives between calls. Where the code came
// from (a JIT today, a shared object later) is the implementation's business,
// and no compiler header is included here.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_PROGRAM_H
#define AMP_EXECUTION_PROGRAM_H

#include "amp/Execution/HostArray.h"

#include "llvm/Support/Error.h"

#include <functional>

struct AmpRtScaler;

namespace mlir::amp {

/// One argument or result of a compiled function.
struct ValueSpec {
  /// `amp.role`: "param", "master", "buffer", "opt_state", "batch",
  /// "loss_seed", "loss", "grad", "output", "accumulator", "rng", "hyper".
  std::string role;
  /// `amp.name`, unique inside a role.
  std::string name;
  /// `amp.kind`: "batch_norm" or empty.
  std::string kind;
  /// `amp.init`: how `amp-run` makes a start value, or empty (the default by
  /// rank and kind).
  std::string init;
  ElementKind elementKind = AMP_RT_ELEMENT_F32;
  /// Extents; negative where the extent is dynamic.
  llvm::SmallVector<int64_t, 4> shape;
};

/// What a function takes and gives. Arguments that a program supplies itself
/// (scaler handles, the tap context) are not listed.
struct FunctionSignature {
  std::string name;
  llvm::SmallVector<ValueSpec> arguments;
  llvm::SmallVector<ValueSpec> results;
};

/// A function of a compiled program.
class CompiledFunction : protected FunctionSignature {
public:
  virtual ~CompiledFunction() = default;
  const FunctionSignature &getSignature() const { return *this; }
  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<ValueSpec> getArguments() const { return arguments; }
  llvm::ArrayRef<ValueSpec> getResults() const { return results; }

  /// Runs the function. Arguments are never written. Results are allocated by
  /// the call and moved into `results`. Fails if the number, shape or type of
  /// an argument differs from its spec (the error names the argument), or if an
  /// assertion of the program failed (the error carries its message).
  virtual llvm::Error call(llvm::ArrayRef<const HostArray *> arguments,
                           llvm::SmallVectorImpl<HostArray> &results) = 0;

  /// Bytes that a call takes besides arguments and results, as far as they are
  /// known before it.
  virtual int64_t getWorkspaceBytes() const { return 0; }
};

/// A tensor that the program shows while it runs: the scaled gradients before
/// unscaling (point "scaled_grad") and the FP32 gradients after it (point
/// "grad"). The callback may overwrite elements.
struct Tap {
  llvm::StringRef point;
  llvm::StringRef name;
  ElementKind elementKind;
  void *data;
  int64_t numElements;
};

/// A kernel of a program that was compiled to be profiled, and what its calls
/// took together.
struct KernelTime {
  /// As in AmpRtProgramKernel (amp-rt/Program.h).
  std::string name, what, source;
  int64_t operations = -1, bytes = -1;
  int64_t calls = 0;
  double seconds = 0;
};

/// One call of kernel number `kernel`, in nanoseconds of a clock.
struct KernelCall {
  int32_t kernel;
  int64_t begin, end;
};

/// A compiled module.
class Program {
public:
  virtual ~Program() = default;
  /// The function with a `loss_seed` argument and `param` results.
  virtual CompiledFunction &getTrainStep() = 0;
  /// The function with an `output` result, or null where there is none.
  virtual CompiledFunction *getEvaluate() = 0;

  /// The loss scalers, in the order of their names' first use. Empty where the
  /// program does not scale its loss (O0 and O3 as Apex has them).
  struct ScalerSlot {
    std::string name;
    AmpRtScaler *scaler;
  };
  virtual llvm::ArrayRef<ScalerSlot> getScalers() = 0;

  /// Called during each train step; only programs compiled with taps call it.
  virtual void setTap(std::function<void(const Tap &)> callback) = 0;
  /// Whether it does.
  virtual bool hasTaps() const { return true; }

  /// Peak bytes of intermediate buffers during the last call, and what the
  /// arguments and results take.
  struct MemoryReport {
    int64_t peakBytes = 0;
    int64_t argumentBytes = 0;
    int64_t resultBytes = 0;
    /// The most that was live in the memory of the program's device during the
    /// call, by the device's own count; 0 on the host.
    int64_t deviceBytes = 0;

    /// The most that the call held at one time. Arguments and results are there
    /// all the while; a device also has what the runtime keeps there:
    /// constants, scalers, and blocks that the next call takes.
    int64_t getTotalPeak() const {
      return deviceBytes ? deviceBytes
                         : peakBytes + argumentBytes + resultBytes;
    }
  };
  virtual MemoryReport getMemoryReport() const = 0;
  /// Gives back what a call has left for the next one. Waits for what a device
  /// has to do.
  virtual llvm::Error releaseMemory() { return llvm::Error::success(); }

  /// The kernels by their numbers; none unless the program was compiled to list
  /// them, and without calls unless to be profiled.
  virtual std::vector<KernelTime> getKernelTimes() const { return {}; }
  /// The first calls, as many as are kept.
  virtual std::vector<KernelCall> getKernelCalls() const { return {}; }
  /// Forgets the times and calls so far.
  virtual void resetKernelTimes() {}
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_PROGRAM_H
