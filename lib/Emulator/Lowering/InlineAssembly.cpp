//===- InlineAssembly.cpp - Inline PTX ------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that have no operation in the NVVM dialect, or that other
// compilers write as text. Their text is fixed by PTX:
//
//   wgmma.mma_async.sync.aligned.m64nNkK.D.A.B {d...}, {a...}, b-desc,
//       scale-d, imm-scale-a, imm-scale-b[, imm-trans-b];
//   mma.sync.aligned.mMn8kK.row.col.D.A.B.C {d...}, {a...}, {b...}, {c...};
//   prmt.b32[.mode] d, a, b, c;
//
// the first with A in registers, and optionally with a setp.ne.b32 before it
// that makes the predicate of scale-d; the second is how 8-bit floats multiply
// on sm_89. Everything else is refused.
//
// A placeholder is an output ($0 and following), then an input. An accumulator
// that is both is an output in the text, and an input whose constraint is the
// output's number.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::amp;

static const char *const kRefusal =
    "inline PTX other than wgmma with A in registers, mma.sync and prmt.b32";

namespace {
/// Placeholders and what they stand for.
class Operands {
public:
  Operands(StringRef constraints, unsigned numOutputs)
      : numOutputs(numOutputs) {
    SmallVector<StringRef> all;
    constraints.split(all, ',');
    unsigned input = 0;
    for (StringRef constraint : all) {
      unsigned output;
      if (constraint.starts_with("=") || constraint.starts_with("~"))
        continue;
      if (!constraint.getAsInteger(10, output))
        tied[output] = input;
      ++input;
    }
  }

  /// The input of a list "{$4, $5}" or of a single "$4"; nothing if one of them
  /// is none.
  std::optional<SmallVector<unsigned>> getInputs(StringRef list) const {
    SmallVector<unsigned> inputs;
    for (unsigned place : getPlaces(list)) {
      auto it = tied.find(place);
      if (place >= numOutputs)
        inputs.push_back(place - numOutputs);
      else if (it != tied.end())
        inputs.push_back(it->second);
      else
        return std::nullopt;
    }
    if (inputs.empty())
      return std::nullopt;
    return inputs;
  }

  /// Whether the list is all outputs, in their order.
  bool areOutputs(StringRef list) const {
    SmallVector<unsigned> places = getPlaces(list);
    return places.size() == numOutputs &&
           llvm::equal(places, llvm::seq<unsigned>(0, numOutputs));
  }

private:
  static SmallVector<unsigned> getPlaces(StringRef list) {
    SmallVector<StringRef> parts;
    list.trim("{} \t\n").split(parts, ',');
    SmallVector<unsigned> places;
    for (StringRef part : parts) {
      unsigned place;
      part = part.trim();
      if (!part.consume_front("$") || part.getAsInteger(10, place))
        return {};
      places.push_back(place);
    }
    return places;
  }

  unsigned numOutputs;
  llvm::DenseMap<unsigned, unsigned> tied;
};
} // namespace

static std::string describeWgmma(StringRef text, const Operands &places,
                                 unsigned numOutputs,
                                 AssemblyInstruction &assembly) {
  static const llvm::Regex pattern(
      "wgmma\\.mma_async\\.sync\\.aligned\\.m64n([0-9]+)k([0-9]+)\\.([a-z0-9]+)"
      "\\.([a-z0-9]+)\\.([a-z0-9]+)[[:space:]]*\\{([^}]*)\\}[[:space:]]*,"
      "[[:space:]]*\\{([^}]*)\\}[[:space:]]*,[[:space:]]*(\\$[0-9]+)[[:space:]]*"
      ",[[:space:]]*([a-z0-9]+)[[:space:]]*,[[:space:]]*(-?1)[[:space:]]*,"
      "[[:space:]]*(-?1)([[:space:]]*,[[:space:]]*([01]))?[[:space:]]*;");
  SmallVector<StringRef> parts;
  if (!pattern.match(text, &parts))
    return kRefusal;
  Instruction &inst = assembly.inst;
  MatrixQualifiers given;
  given.m = 64;
  parts[1].getAsInteger(10, given.n);
  parts[2].getAsInteger(10, given.k);
  given.d = parts[3];
  given.a = parts[4];
  given.b = parts[5];
  if (std::string unknown = setWgmma(given, inst); !unknown.empty())
    return unknown;
  inst.registersA = true;
  inst.negateA = parts[10] == "-1";
  inst.negateB = parts[11] == "-1";
  inst.transposedB = parts[13] == "1";
  // What the accumulators start as are the first inputs.
  assembly.operands.push_back(
      llvm::to_vector(llvm::seq<unsigned>(0, numOutputs)));
  auto registers = places.getInputs(parts[7]);
  auto descriptor = places.getInputs(parts[8]);
  if (!registers || !descriptor)
    return kRefusal;
  assembly.operands.push_back(*registers);
  assembly.operands.push_back(*descriptor);
  if (parts[9] == "0") {
    inst.zeroAccumulator = true;
  } else if (parts[9] != "1") {
    static const llvm::Regex setp(
        "setp\\.ne\\.b32[[:space:]]+([a-z0-9]+)[[:space:]]*,[[:space:]]*"
        "(\\$[0-9]+)[[:space:]]*,[[:space:]]*0[[:space:]]*;");
    SmallVector<StringRef> test;
    if (!setp.match(text, &test) || test[1] != parts[9])
      return kRefusal;
    auto scale = places.getInputs(test[2]);
    if (!scale)
      return kRefusal;
    inst.optional[1] = int(assembly.operands.size());
    assembly.operands.push_back(*scale);
  }
  return "";
}

static std::string describeMma(StringRef text, const Operands &places,
                               AssemblyInstruction &assembly) {
  static const llvm::Regex pattern(
      "^[[:space:]]*mma\\.sync\\.aligned\\.m([0-9]+)n8k([0-9]+)\\.row\\.col"
      "\\.([a-z0-9]+)\\.([a-z0-9]+)\\.([a-z0-9]+)\\.([a-z0-9]+)[[:space:]]*"
      "(\\{[^}]*\\}|\\$[0-9]+)[[:space:]]*,[[:space:]]*"
      "(\\{[^}]*\\}|\\$[0-9]+)[[:space:]]*,[[:space:]]*"
      "(\\{[^}]*\\}|\\$[0-9]+)[[:space:]]*,[[:space:]]*"
      "(\\{[^}]*\\}|\\$[0-9]+)[[:space:]]*;[[:space:]]*$");
  SmallVector<StringRef> parts;
  if (!pattern.match(text, &parts))
    return kRefusal;
  Instruction &inst = assembly.inst;
  MatrixQualifiers given;
  given.n = 8;
  parts[1].getAsInteger(10, given.m);
  parts[2].getAsInteger(10, given.k);
  given.d = parts[3];
  given.a = parts[4];
  given.b = parts[5];
  if (parts[6] != parts[3])
    return "mma.sync of this shape and these types";
  if (std::string unknown = setMma(given, inst); !unknown.empty())
    return unknown;
  inst.firstB = 1;
  inst.firstAccumulator = 2;
  auto [a, b, accumulator] = countMmaRegisters(inst);
  size_t expected[] = {a, b, accumulator};
  if (!places.areOutputs(parts[7]))
    return kRefusal;
  for (unsigned i = 0; i < 3; ++i) {
    auto inputs = places.getInputs(parts[8 + i]);
    if (!inputs || inputs->size() != expected[i])
      return "mma.sync with these registers";
    assembly.operands.push_back(*inputs);
  }
  return "";
}

static std::string describePermute(StringRef text, const Operands &places,
                                   AssemblyInstruction &assembly) {
  static const llvm::Regex pattern(
      "^[[:space:]]*prmt\\.b32(\\.[a-z0-9]+)?[[:space:]]+\\$0[[:space:]]*,"
      "[[:space:]]*(\\$[0-9]+)[[:space:]]*,[[:space:]]*(\\$[0-9]+)[[:space:]]*,"
      "[[:space:]]*(\\$[0-9]+)[[:space:]]*;[[:space:]]*$");
  SmallVector<StringRef> parts;
  if (!pattern.match(text, &parts))
    return kRefusal;
  Instruction &inst = assembly.inst;
  if (std::string unknown = setPermute(parts[1].ltrim('.'), inst);
      !unknown.empty())
    return unknown;
  inst.number = 3;
  for (unsigned i = 2; i < 5; ++i) {
    auto inputs = places.getInputs(parts[i]);
    if (!inputs)
      return kRefusal;
    assembly.operands.push_back(*inputs);
  }
  return "";
}

std::string mlir::amp::describeInlineAssembly(StringRef text,
                                              StringRef constraints,
                                              unsigned numOutputs,
                                              AssemblyInstruction &assembly) {
  Operands places(constraints, numOutputs);
  if (text.contains("wgmma.mma_async"))
    return describeWgmma(text, places, numOutputs, assembly);
  if (text.contains("mma.sync"))
    return describeMma(text, places, assembly);
  if (text.contains("prmt.b32"))
    return describePermute(text, places, assembly);
  return kRefusal;
}
