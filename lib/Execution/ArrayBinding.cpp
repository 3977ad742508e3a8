//===- ArrayBinding.cpp - Arrays that fit an argument ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ArrayBinding.h"

#include "amp-rt/StartValue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
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

AmpRtValue mlir::amp::toRuntimeValue(const ValueSpec &spec) {
  AmpRtValue value = {};
  value.structSize = sizeof(value);
  value.kind = AMP_RT_VALUE_ARRAY;
  value.role = spec.role.c_str();
  value.name = spec.name.c_str();
  value.label = spec.kind.c_str();
  value.init = spec.init.c_str();
  value.elementKind = int32_t(spec.elementKind);
  value.rank = int32_t(spec.shape.size());
  value.extents = spec.shape.data();
  return value;
}

bool mlir::amp::overflows(double value, const ValueSpec &spec) {
  const AmpRtValue argument = toRuntimeValue(spec);
  return !ampRtStartValueFits(&argument, value);
}

Error mlir::amp::checkElementKind(const ArrayType &type, const ValueSpec &spec,
                                  StringRef origin) {
  const bool toFloat = isFloatKind(spec.elementKind);
  if (isFloatKind(type.kind) == toFloat)
    return Error::success();
  return createStringError(
      Twine("expected ") + origin + " to hold " +
      (toFloat ? "floating-point elements" : "integers") + " for " +
      describeArgument(spec) + " (" + getElementName(spec.elementKind) +
      "), but got " + getElementName(type.kind) +
      "; scale and convert it before it is saved, e.g. with .astype('" +
      (toFloat ? "float32" : "int64") + "')");
}

/// The text of an element: all digits of an integer, six of a number.
static std::string getElementText(const HostArray &array, int64_t index) {
  if (!isFloatKind(array.getKind()))
    return std::to_string(array.getAsInteger(index));
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%g", array.getAsDouble(index));
  return text;
}

Expected<HostArray> mlir::amp::convertToArgument(const HostArray &array,
                                                 const ValueSpec &spec,
                                                 StringRef origin) {
  if (Error error = checkElementKind(getType(array), spec, origin))
    return error;
  const bool isSame = array.getKind() == spec.elementKind;
  for (int64_t i = 0, e = isSame ? 0 : array.getNumElements(); i < e; ++i)
    if (overflows(array.getAsDouble(i), spec))
      return createStringError(
          Twine("expected ") + origin + " to fit " +
          getElementName(spec.elementKind) + " of " + describeArgument(spec) +
          ", but got " + getElementText(array, i) + getIndexText(array, i));
  return array.convertTo(spec.elementKind);
}

bool mlir::amp::fitsShape(const ValueSpec &spec,
                          llvm::ArrayRef<int64_t> shape) {
  bool fits = shape.size() == spec.shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = spec.shape[d] < 0 || spec.shape[d] == shape[d];
  return fits;
}

Error mlir::amp::checkShape(const ArrayType &type, const ValueSpec &spec,
                            StringRef origin) {
  if (fitsShape(spec, type.shape))
    return Error::success();
  return createStringError(Twine("expected ") + origin +
                           " to have the shape of " + describeArgument(spec) +
                           ", " + getTypeString(spec.elementKind, spec.shape) +
                           ", but got " + type.getText());
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

Expected<ArrayType> mlir::amp::readArgumentType(const ArrayArchive &archive,
                                                StringRef name,
                                                const ValueSpec &spec) {
  const std::string origin = archive.describe(name);
  Expected<ArrayType> type = archive.readType(name);
  if (!type)
    return type.takeError();
  if (Error error = checkShape(*type, spec, origin))
    return error;
  if (Error error = checkElementKind(*type, spec, origin))
    return error;
  return type;
}

Expected<HostArray> mlir::amp::readArgument(const ArrayArchive &archive,
                                            StringRef name,
                                            const ValueSpec &spec,
                                            NonFinite rule) {
  const std::string origin = archive.describe(name);
  Expected<ArrayType> type = readArgumentType(archive, name, spec);
  if (!type)
    return type.takeError();
  Expected<HostArray> array = archive.read(name);
  if (!array)
    return array.takeError();
  if (Error error = checkFinite(*array, rule, origin))
    return error;
  if (array->getKind() == spec.elementKind)
    return array;
  return convertToArgument(*array, spec, origin);
}
