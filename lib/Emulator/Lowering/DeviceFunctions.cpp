//===- DeviceFunctions.cpp - Mathematics and other functions that kernels call
//-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of libdevice that MLIR's lowerings emit, with the host's libm
// behind them, and vprintf. The fast forms are the exact ones here: a GPU
// rounds them differently.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "Instructions.h"

#include "amp/Emulator/Launch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

template <typename T> static T rsqrtOf(T x) { return T(1) / std::sqrt(x); }
template <typename T> static T exp10Of(T x) { return std::pow(T(10), x); }

static const llvm::StringMap<void *> &getFunctions() {
  static const llvm::StringMap<void *> table = [] {
    llvm::StringMap<void *> t;
    auto f32 = [&](StringRef name, float (*f)(float)) {
      t[("__nv_" + name + "f").str()] = reinterpret_cast<void *>(f);
    };
    auto f64 = [&](StringRef name, double (*f)(double)) {
      t[("__nv_" + name).str()] = reinterpret_cast<void *>(f);
    };
#define UNARY(NAME)                                                            \
  f32(#NAME, [](float x) { return std::NAME(x); });                            \
  f64(#NAME, [](double x) { return std::NAME(x); })
    UNARY(exp);
    UNARY(exp2);
    UNARY(expm1);
    UNARY(log);
    UNARY(log2);
    UNARY(log10);
    UNARY(log1p);
    UNARY(sqrt);
    UNARY(cbrt);
    UNARY(sin);
    UNARY(cos);
    UNARY(tan);
    UNARY(asin);
    UNARY(acos);
    UNARY(atan);
    UNARY(sinh);
    UNARY(cosh);
    UNARY(tanh);
    UNARY(asinh);
    UNARY(acosh);
    UNARY(atanh);
    UNARY(erf);
    UNARY(erfc);
    UNARY(fabs);
    UNARY(floor);
    UNARY(ceil);
    UNARY(trunc);
    UNARY(round);
    UNARY(rint);
#undef UNARY
    f32("rsqrt", rsqrtOf<float>);
    f64("rsqrt", rsqrtOf<double>);
    f32("exp10", exp10Of<float>);
    f64("exp10", exp10Of<double>);
    f32("fast_exp", [](float x) { return std::exp(x); });
    f32("fast_exp10", exp10Of<float>);
    f32("fast_log", [](float x) { return std::log(x); });
    f32("fast_log2", [](float x) { return std::log2(x); });
    f32("fast_log10", [](float x) { return std::log10(x); });
    f32("fast_sin", [](float x) { return std::sin(x); });
    f32("fast_cos", [](float x) { return std::cos(x); });
    f32("fast_tan", [](float x) { return std::tan(x); });
    auto f32x2 = [&](StringRef name, float (*f)(float, float)) {
      t[("__nv_" + name + "f").str()] = reinterpret_cast<void *>(f);
    };
    auto f64x2 = [&](StringRef name, double (*f)(double, double)) {
      t[("__nv_" + name).str()] = reinterpret_cast<void *>(f);
    };
#define BINARY(NAME)                                                           \
  f32x2(#NAME, [](float x, float y) { return std::NAME(x, y); });              \
  f64x2(#NAME, [](double x, double y) { return std::NAME(x, y); })
    BINARY(pow);
    BINARY(atan2);
    BINARY(fmod);
    BINARY(fmax);
    BINARY(fmin);
    BINARY(copysign);
    BINARY(hypot);
#undef BINARY
    f32x2("fast_pow", [](float x, float y) { return std::pow(x, y); });
    t["__nv_fmaf"] = reinterpret_cast<void *>(
        +[](float a, float b, float c) { return std::fma(a, b, c); });
    t["__nv_fma"] = reinterpret_cast<void *>(
        +[](double a, double b, double c) { return std::fma(a, b, c); });
    t["vprintf"] = reinterpret_cast<void *>(&ampEmuPrint);
    t["__assertfail"] = reinterpret_cast<void *>(&ampEmuAssert);
    return t;
  }();
  return table;
}

bool mlir::amp::hasDeviceFunction(StringRef name) {
  return getFunctions().count(name);
}

void mlir::amp::forEachDeviceFunction(
    llvm::function_ref<void(StringRef, void *)> act) {
  for (const auto &entry : getFunctions())
    act(entry.getKey(), entry.getValue());
}
