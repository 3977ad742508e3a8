//===- InlineAssembly.cpp - Inline PTX ------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction has no operation in the NVVM dialect: wgmma with A in
// registers. Its text is fixed by PTX,
//
//   wgmma.mma_async.sync.aligned.m64nNkK.D.A.B {d...}, {a...}, b-desc,
//       scale-d, imm-scale-a, imm-scale-b[, imm-trans-b];
//
// optionally with a setp.ne.b32 before it that makes the predicate of scale-d.
// Everything else is refused.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Format;
using ::amp::emu::Opcode;

static std::optional<Format> getFormat(StringRef name) {
  using Result = std::optional<Format>;
  return llvm::StringSwitch<Result>(name)
      .Case("f16", Format::F16)
      .Case("bf16", Format::BF16)
      .Case("tf32", Format::TF32)
      .Case("f32", Format::F32)
      .Case("e4m3", Format::E4M3)
      .Case("e5m2", Format::E5M2)
      .Default(std::nullopt);
}

std::string mlir::amp::describeInlineAssembly(StringRef text,
                                              unsigned numOutputs,
                                              RegisterMultiply &multiply) {
  std::string refusal = "inline PTX other than a wgmma with A in registers";
  static const llvm::Regex pattern(
      "wgmma\\.mma_async\\.sync\\.aligned\\.m64n([0-9]+)k([0-9]+)\\.([a-z0-9]+)"
      "\\.([a-z0-9]+)\\.([a-z0-9]+)[[:space:]]*\\{([^}]*)\\}[[:space:]]*,"
      "[[:space:]]*\\{([^}]*)\\}[[:space:]]*,[[:space:]]*\\$([0-9]+)[[:space:]]*"
      ",[[:space:]]*([a-z0-9]+)[[:space:]]*,[[:space:]]*(-?1)[[:space:]]*,"
      "[[:space:]]*(-?1)([[:space:]]*,[[:space:]]*([01]))?[[:space:]]*;");
  SmallVector<StringRef> parts;
  if (!pattern.match(text, &parts))
    return refusal;
  Instruction &inst = multiply.inst;
  inst.opcode = Opcode::WarpgroupMultiply;
  inst.name = "wgmma.mma_async";
  inst.m = 64;
  parts[1].getAsInteger(10, inst.n);
  parts[2].getAsInteger(10, inst.k);
  auto d = getFormat(parts[3]), a = getFormat(parts[4]),
       b = getFormat(parts[5]);
  if (!d || !a || !b)
    return "wgmma of these types";
  inst.formatAccumulator = *d;
  inst.formatA = *a;
  inst.formatB = *b;
  inst.registersA = true;
  inst.firstB = 2;
  auto input = [&](StringRef placeholder) {
    unsigned index = 0;
    placeholder.trim().drop_front().getAsInteger(10, index);
    return index - numOutputs;
  };
  multiply.numAccumulators = numOutputs;
  multiply.firstA = input(parts[7].split(',').first);
  multiply.descriptorB = input("$" + parts[8].str());
  inst.negateA = parts[10] == "-1";
  inst.negateB = parts[11] == "-1";
  inst.transposedB = parts[13] == "1";
  if (parts[9] == "0") {
    inst.zeroAccumulator = true;
  } else if (parts[9] != "1") {
    static const llvm::Regex setp(
        "setp\\.ne\\.b32[[:space:]]+([a-z0-9]+)[[:space:]]*,[[:space:]]*"
        "\\$([0-9]+)[[:space:]]*,[[:space:]]*0[[:space:]]*;");
    SmallVector<StringRef> test;
    if (!setp.match(text, &test) || test[1] != parts[9])
      return refusal;
    multiply.scale = int(input("$" + test[2].str()));
  }
  return "";
}
