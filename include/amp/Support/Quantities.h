//===- Quantities.h - Bytes, times and rates for people ---------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One spelling of quantities wherever a person reads them: in the unit that
// leaves one to four digits before the point, so that neither "0.0 steps/s" nor
// "69632191.0 KiB" is ever printed. What programs read (logs, tables) has fixed
// units and does not come from here.
//
// The standard library alone, so that any part of the project can use it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_QUANTITIES_H
#define AMP_SUPPORT_QUANTITIES_H

#include <cstdint>
#include <string>

namespace mlir::amp {

/// "100 B", "1.5 KiB", "66.4 GiB"; units are powers of 1024 up to EiB.
std::string formatBytes(int64_t bytes);

/// "850 us", "12.5 ms", "1.25 s", "3600 s": three digits, or all before the
/// point.
std::string formatSeconds(double seconds);

/// How fast `count` of something were done: "2733 steps/s", "1.50 steps/s", and
/// where one takes more than a second "12.5 s/step". `what` is the singular.
/// "? steps/s" where nothing was done or no time has passed.
std::string formatRate(double count, double seconds, const std::string &what);

} // namespace mlir::amp

#endif // AMP_SUPPORT_QUANTITIES_H
