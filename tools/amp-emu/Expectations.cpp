//===- Expectations.cpp - What the results of a kernel should be ----------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// References in f64, and the place of the worst difference.
//
//===----------------------------------------------------------------------===//

#include "Expectations.h"

#include "amp/Execution/ArrayArchive.h"

#include <cmath>

using namespace mlir;
using namespace mlir::amp;

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {
/// Expected values and what each is allowed to be off by, per tolerance.
struct Reference {
  std::vector<double> values, magnitudes;
};
} // namespace

static llvm::Expected<Reference>
multiply(GivenArguments &arguments, const DeviceArray &result, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  DeviceArray *a = arguments.find(parts[0]);
  DeviceArray *b = parts.size() > 1 ? arguments.find(parts[1]) : nullptr;
  bool ta = llvm::is_contained(parts, "ta"),
       tb = llvm::is_contained(parts, "tb");
  if (!a || !b || a->array.getShape().size() != 2 ||
      b->array.getShape().size() != 2 || result.array.getShape().size() != 2)
    return makeError("expected 'matmul(A,B)' over three matrices, but got "
                     "'matmul(" +
                     text + ")'");
  int64_t m = a->array.getShape()[ta], k = a->array.getShape()[!ta];
  int64_t n = b->array.getShape()[!tb];
  if (b->array.getShape()[tb] != k || result.array.getShape()[0] != m ||
      result.array.getShape()[1] != n)
    return makeError("expected the matrices of 'matmul(" + text +
                     ")' to fit together, but got " + a->array.getTypeString() +
                     ", " + b->array.getTypeString() + " and " +
                     result.array.getTypeString());
  std::vector<double> bs(k * n);
  for (int64_t x = 0; x < k; ++x)
    for (int64_t j = 0; j < n; ++j)
      bs[x * n + j] = b->get(tb ? j * k + x : x * n + j);
  Reference reference{std::vector<double>(m * n), std::vector<double>(m * n)};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t x = 0; x < k; ++x) {
      double scale = a->get(ta ? x * m + i : i * k + x);
      for (int64_t j = 0; j < n; ++j) {
        double product = scale * bs[x * n + j];
        reference.values[i * n + j] += product;
        reference.magnitudes[i * n + j] += std::fabs(product);
      }
    }
  for (double &value : reference.values)
    value = result.round(value);
  return reference;
}

static llvm::Expected<Reference> readReference(const DeviceArray &result,
                                               StringRef path) {
  llvm::Expected<HostArray> array = readArrayFile(path);
  if (!array)
    return array.takeError();
  if (array->getShape() != result.array.getShape())
    return makeError("expected '" + path + "' to have the shape of '" +
                     result.name + "', " + result.array.getTypeString() +
                     ", but got " + array->getTypeString());
  Reference reference;
  for (int64_t i = 0; i < array->getNumElements(); ++i) {
    reference.values.push_back(array->getAsDouble(i));
    reference.magnitudes.push_back(std::fabs(reference.values.back()));
  }
  return reference;
}

llvm::Error mlir::amp::checkExpectation(GivenArguments &arguments,
                                        StringRef text, double tolerance) {
  auto [name, form] = text.split('=');
  DeviceArray *result = arguments.find(name);
  if (!result)
    return makeError("--expect names no buffer: '" + name + "'");
  StringRef inner = form;
  llvm::Expected<Reference> reference =
      inner.consume_front("matmul(") && inner.consume_back(")")
          ? multiply(arguments, *result, inner)
          : readReference(*result, form);
  if (!reference)
    return reference.takeError();
  int64_t wrong = 0, worst = -1;
  double worstExcess = 0;
  for (auto [i, expected] : llvm::enumerate(reference->values)) {
    double got = result->get(i);
    if (got == expected || (got != got && expected != expected))
      continue;
    double excess =
        std::fabs(got - expected) - tolerance * reference->magnitudes[i];
    if (excess <= 0)
      continue;
    ++wrong;
    if (worst < 0 || !(excess <= worstExcess)) {
      worst = i;
      worstExcess = excess;
    }
  }
  if (!wrong)
    return llvm::Error::success();
  std::string place;
  int64_t rest = worst;
  for (int64_t size : llvm::reverse(result->array.getShape())) {
    place = "[" + std::to_string(rest % size) + "]" + place;
    rest /= size;
  }
  std::string message;
  llvm::raw_string_ostream(message)
      << "expected '" << name << "' to be " << form << ", but " << wrong
      << " of " << reference->values.size() << " elements differ, most at "
      << place << ": " << result->get(worst) << " instead of "
      << reference->values[worst];
  return makeError(message);
}
