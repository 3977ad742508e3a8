//===- ArrayBinding.cpp - Arrays that fit an argument ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ArrayBinding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

std::string mlir::amp::describeArgument(const ValueSpec &spec) {
  return (Twine(spec.role) + " '" + spec.name + "'").str();
}

/// "[3, 0]" for flat index `index`; "" in a scalar.
static std::string getIndexText(const HostArray &array, int64_t index) {
  if (array.getShape().empty())
    return "";
  llvm::SmallVector<int64_t, 4> indices;
  for (int64_t extent : llvm::reverse(array.getShape())) {
    indices.push_back(index % extent);
    index /= extent;
  }
  std::string text = " at [";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(llvm::reverse(indices), os);
  os << ']';
  return text;
}

/// Integers are copied exactly or not at all.
static Expected<HostArray> convertIntegers(const HostArray &array,
                                           const ValueSpec &spec,
                                           StringRef origin) {
  HostArray result = array.convertTo(spec.elementKind);
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    if (result.getAsDouble(i) != array.getAsDouble(i))
      return createStringError(Twine("expected ") + origin + " to fit " +
                               getElementName(spec.elementKind) + " of " +
                               describeArgument(spec) + ", but got " +
                               Twine(int64_t(array.getAsDouble(i))) +
                               getIndexText(array, i));
  return result;
}

Expected<HostArray> mlir::amp::convertToArgument(HostArray array,
                                                 const ValueSpec &spec,
                                                 StringRef origin) {
  if (array.getKind() == spec.elementKind)
    return array;
  const bool toFloat = isFloatKind(spec.elementKind);
  if (isFloatKind(array.getKind()) != toFloat)
    return createStringError(
        Twine("expected ") + origin + " to hold " +
        (toFloat ? "floating-point elements" : "integers") + " for " +
        describeArgument(spec) + " (" + getElementName(spec.elementKind) +
        "), but got " + getElementName(array.getKind()) +
        "; scale and convert it before it is saved, e.g. with .astype('" +
        (toFloat ? "float32" : "int64") + "')");
  if (!toFloat)
    return convertIntegers(array, spec, origin);
  return array.convertTo(spec.elementKind);
}

Error mlir::amp::checkShape(const HostArray &array, const ValueSpec &spec,
                            StringRef origin) {
  llvm::ArrayRef<int64_t> shape = array.getShape();
  bool fits = shape.size() == spec.shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = spec.shape[d] < 0 || spec.shape[d] == shape[d];
  if (fits)
    return Error::success();
  return createStringError(Twine("expected ") + origin +
                           " to have the shape of " + describeArgument(spec) +
                           ", " + getTypeString(spec.elementKind, spec.shape) +
                           ", but got " + array.getTypeString());
}

Error mlir::amp::checkFinite(const HostArray &array, NonFinite rule,
                             StringRef origin) {
  if (!isFloatKind(array.getKind()))
    return Error::success();
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    const double value = array.getAsDouble(i);
    if (std::isfinite(value))
      continue;
    if (std::isinf(value) && rule == NonFinite::AllowInfinity)
      continue;
    return createStringError(Twine("expected finite values in ") + origin +
                             ", but got " +
                             (std::isnan(value) ? "NaN"
                              : value > 0       ? "inf"
                                                : "-inf") +
                             getIndexText(array, i));
  }
  return Error::success();
}
