//===- CallContext.cpp - What a call tells a helper, and back -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As an attribute a context is a dictionary of one text for each argument and
// result, of the words below. A text that is no context any more, because the
// signature has another length, is as none.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/CallContext.h"

#include "amp/Dialect/Amp/IR/AmpRoles.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kArguments = "arguments", kResults = "results",
                               kOptimizer = "optimizer";

/// The words of `value`, in the order of its bits.
static constexpr StringLiteral kWords[] = {
    "param",      "batch_norm", "batch",    "seed",
    "gradient",   "float",      "in_model", "input",
    "into_model", "into_loss",  "forward",  "unrounded"};

static unsigned encode(const PassedValue &value) {
  const Origins &from = value.origins;
  bool bits[] = {from.param,     from.batchNorm,    from.batch,
                 from.seed,      from.gradient,     from.floating,
                 value.inModel,  value.modelInput,  value.intoModel,
                 value.intoLoss, value.readForward, value.isUnrounded};
  unsigned code = 0;
  for (auto [index, bit] : llvm::enumerate(bits))
    code |= unsigned(bit) << index;
  return code;
}

static PassedValue decode(unsigned code) {
  auto has = [&](unsigned index) { return (code >> index & 1) != 0; };
  PassedValue value;
  value.origins.param = has(0);
  value.origins.batchNorm = has(1);
  value.origins.batch = has(2);
  value.origins.seed = has(3);
  value.origins.gradient = has(4);
  value.origins.floating = has(5);
  value.inModel = has(6);
  value.modelInput = has(7);
  value.intoModel = has(8);
  value.intoLoss = has(9);
  value.readForward = has(10);
  value.isUnrounded = has(11);
  return value;
}

static ArrayAttr getTexts(MLIRContext *context, ArrayRef<PassedValue> values) {
  SmallVector<Attribute> texts;
  for (const PassedValue &value : values) {
    SmallVector<StringRef> words;
    unsigned code = encode(value);
    for (auto [index, word] : llvm::enumerate(kWords))
      if (code >> index & 1)
        words.push_back(word);
    texts.push_back(StringAttr::get(context, llvm::join(words, " ")));
  }
  return ArrayAttr::get(context, texts);
}

/// The values of `given`, or failure where these are not `size` texts.
static FailureOr<SmallVector<PassedValue>> readTexts(Attribute given,
                                                     unsigned size) {
  auto texts = dyn_cast_if_present<ArrayAttr>(given);
  if (!texts || texts.size() != size)
    return failure();
  SmallVector<PassedValue> values;
  for (Attribute text : texts) {
    auto words = dyn_cast<StringAttr>(text);
    if (!words)
      return failure();
    unsigned code = 0;
    for (StringRef word : llvm::split(words.getValue(), ' '))
      for (auto [index, known] : llvm::enumerate(kWords))
        if (word == known)
          code |= 1u << index;
    values.push_back(decode(code));
  }
  return values;
}

static std::optional<CallContext> read(Operation *op, unsigned numArguments,
                                       unsigned numResults) {
  auto given = op->getAttrOfType<DictionaryAttr>(kContextAttr);
  if (!given)
    return std::nullopt;
  auto arguments = readTexts(given.get(kArguments), numArguments);
  auto results = readTexts(given.get(kResults), numResults);
  if (failed(arguments) || failed(results))
    return std::nullopt;
  CallContext context;
  context.isOptimizer = given.contains(kOptimizer);
  context.arguments = std::move(*arguments);
  context.results = std::move(*results);
  return context;
}

std::optional<CallContext> CallContext::get(func::CallOp call) {
  return read(call, call.getNumOperands(), call.getNumResults());
}

std::optional<CallContext> CallContext::get(FunctionOpInterface function) {
  return read(function, function.getNumArguments(), function.getNumResults());
}

DictionaryAttr CallContext::getAttr(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<NamedAttribute> entries{
      builder.getNamedAttr(kArguments, getTexts(context, arguments)),
      builder.getNamedAttr(kResults, getTexts(context, results))};
  if (isOptimizer)
    entries.push_back(builder.getNamedAttr(kOptimizer, builder.getUnitAttr()));
  return builder.getDictionaryAttr(entries);
}

std::vector<unsigned> CallContext::getKey() const {
  std::vector<unsigned> key{isOptimizer};
  for (PassedValue value : arguments) {
    value.intoModel = value.intoLoss = value.readForward = false;
    key.push_back(encode(value));
  }
  for (PassedValue value : results) {
    value.origins = Origins();
    value.inModel = value.modelInput = false;
    key.push_back(encode(value));
  }
  return key;
}
