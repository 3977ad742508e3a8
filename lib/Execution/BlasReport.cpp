//===- BlasReport.cpp - Which BLAS computes a run's products --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/BlasReport.h"
#include "amp-rt/Blas.h"

using namespace mlir::amp;

static AmpRtStatus getInfo(AmpRtBlasInfo &info) {
  info = {};
  info.structSize = sizeof(info);
  return ampRtBlasGetInfo(nullptr, &info);
}

llvm::Expected<BlasReport> mlir::amp::chooseBlas(llvm::StringRef library,
                                                 llvm::StringRef origin) {
  AmpRtBlasInfo info;
  if ((!library.empty() &&
       ampRtBlasSetLibrary(nullptr, library.str().c_str(),
                           origin.str().c_str()) != AMP_RT_OK) ||
      getInfo(info) != AMP_RT_OK)
    return llvm::createStringError(llvm::Twine(ampRtStatusText()));
  BlasReport report;
  report.reason = info.reason;
  if (info.path)
    report.library = BlasReport::Library{
        info.path,    info.config,     info.core ? info.core : "",
        info.threads, info.f32MinWork, info.bf16MinWork};
  return report;
}

void mlir::amp::printBlasFailure(llvm::raw_ostream &os) {
  AmpRtBlasInfo info;
  if (getInfo(info) == AMP_RT_OK && info.failure)
    os << "BLAS: generated kernels computed what the library did not; "
       << info.failure << "\n";
}

void mlir::amp::printBlas(llvm::raw_ostream &os, const BlasReport &blas) {
  os << "BLAS: ";
  if (blas.library)
    os << blas.library->path << ", " << blas.library->threads
       << (blas.library->threads == 1 ? " thread" : " threads");
  else
    os << "none";
  os << "; " << blas.reason << "\n";
}

llvm::json::Value mlir::amp::toJson(const BlasReport &blas) {
  if (!blas.library)
    return nullptr;
  const BlasReport::Library &library = *blas.library;
  using llvm::json::fixUTF8;
  llvm::json::Value core = nullptr;
  if (!library.core.empty())
    core = fixUTF8(library.core);
  return llvm::json::Object{{"library", fixUTF8(library.path)},
                            {"config", fixUTF8(library.config)},
                            {"core", std::move(core)},
                            {"reason", fixUTF8(blas.reason)},
                            {"threads", library.threads}};
}
