//===-- CudaGraph.cpp - Calls that the driver repeats ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one thread asks for while it captures goes to a stream of its own, in
// the driver's thread-local mode, so that other threads' work is neither noted
// nor refused. The graph is launched on the device's one stream.
//
//===----------------------------------------------------------------------===//

#include "Device/Cuda/CudaDevice.h"
#include "Support/Failure.h"

#include <new>

namespace amp::rt::cuda {

class CudaGraph final : public AmpRtGraph {
public:
  CudaGraph(CudaDevice &owner, GraphExec graph) : owner(owner), graph(graph) {
    ++owner.liveObjects;
  }

  AmpRtStatus destroy(const char *call) override;
  AmpRtStatus launch(const char *call) override;

private:
  CudaDevice &owner;
  GraphExec graph;
};

} // namespace amp::rt::cuda

using namespace amp::rt;
using namespace amp::rt::cuda;

AmpRtStatus CudaGraph::destroy(const char *call) {
  CudaDevice &device = owner;
  GraphExec handle = graph;
  --device.liveObjects;
  delete this;
  Scope scope(device, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  Result result = device.driver.GraphExecDestroy(handle);
  return result == kSuccess
             ? AMP_RT_OK
             : device.driver.fail(result, call, "cuGraphExecDestroy");
}

AmpRtStatus CudaGraph::launch(const char *call) {
  if (owner.isCapturing())
    return owner.refuseInCapture(call, "another graph");
  Scope scope(owner, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  Result result = owner.driver.GraphLaunch(graph, owner.stream);
  return result == kSuccess ? AMP_RT_OK
                            : owner.driver.fail(result, call, "cuGraphLaunch");
}

AmpRtStatus CudaDevice::refuseInCapture(const char *call,
                                        const char *what) const {
  return fail(AMP_RT_INVALID_ARGUMENT,
              "%s: device 'cuda': expected a call that can be captured as a "
              "graph, but it asks for %s; make the same call once before, or "
              "do not capture it",
              call, what);
}

void CudaDevice::dropCapture() {
  Stream dropped = abandoned.exchange(nullptr);
  if (!dropped)
    return;
  Graph noted = nullptr;
  if (driver.StreamEndCapture(dropped, &noted) == kSuccess)
    driver.GraphDestroy(noted);
  driver.StreamDestroy(dropped);
}

AmpRtStatus CudaDevice::beginCapture(const char *call) {
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK)
    return scope.status;
  std::thread::id nobody;
  if (!capturing.compare_exchange_strong(nobody, std::this_thread::get_id()))
    return fail(AMP_RT_INVALID_ARGUMENT,
                "%s: device 'cuda': expected no other capture; let one thread "
                "capture at a time",
                call);
  Result result = driver.StreamCreate(&captureStream, kStreamNonBlocking);
  if (result != kSuccess) {
    captureStream = nullptr;
    capturing = std::thread::id();
    return driver.fail(result, call, "cuStreamCreate");
  }
  result = driver.StreamBeginCapture(captureStream, kCaptureModeThreadLocal);
  if (result == kSuccess)
    return AMP_RT_OK;
  driver.StreamDestroy(captureStream);
  captureStream = nullptr;
  capturing = std::thread::id();
  return driver.fail(result, call, "cuStreamBeginCapture");
}

AmpRtStatus CudaDevice::endCapture(const char *call, AmpRtGraph *&graph) {
  capturing = std::thread::id();
  Scope scope(*this, call);
  if (scope.status != AMP_RT_OK) {
    // What is asked of the driver next ends it.
    abandoned = captureStream;
    captureStream = nullptr;
    return scope.status;
  }
  Graph noted = nullptr;
  Result ended = driver.StreamEndCapture(captureStream, &noted);
  driver.StreamDestroy(captureStream);
  captureStream = nullptr;
  if (ended != kSuccess)
    return driver.fail(ended, call, "cuStreamEndCapture");
  GraphExec executable = nullptr;
  Result result =
      driver.GraphInstantiateWithFlags(&executable, noted, /*flags=*/0);
  driver.GraphDestroy(noted);
  if (result != kSuccess)
    return driver.fail(result, call, "cuGraphInstantiateWithFlags");
  auto *object = new (std::nothrow) CudaGraph(*this, executable);
  if (!object) {
    driver.GraphExecDestroy(executable);
    return failNoMemory(call, "a graph");
  }
  graph = object;
  return AMP_RT_OK;
}
