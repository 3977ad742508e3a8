//===- HostMachineTest.cpp - Which arithmetic is chosen for a CPU ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/HostMachine.h"
#include "amp/Support/RegisterRates.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace mlir::amp;

namespace {

TEST(HostMachine, TableOfCpus) {
  EXPECT_EQ(HostMachine::get("znver4")->bf16, Bf16Products::Avx512);
  // AMX's tiles are faster than either.
  EXPECT_EQ(HostMachine::get("sapphirerapids")->bf16, Bf16Products::Amx);
  // Has no such instruction.
  EXPECT_EQ(HostMachine::get("znver3")->bf16, Bf16Products::Widened);
  EXPECT_FALSE(HostMachine::get("znver3")->hasAvx512Bf16);
  EXPECT_FALSE(HostMachine::get("no-such-cpu"));
}

/// What is not in the table is not measured on another CPU than the one that is
/// asked for.
TEST(HostMachine, OtherCpusAreNotMeasured) {
  for (const char *cpu : {"cooperlake", "znver5"}) {
    const HostMachine machine = *HostMachine::get(cpu);
    EXPECT_TRUE(machine.hasAvx512Bf16) << cpu;
    EXPECT_EQ(machine.bf16, Bf16Products::Widened) << cpu;
    EXPECT_FALSE(machine.measuredBf16Gain) << cpu;
  }
}

TEST(HostMachine, ChoosesByWhatWasMeasured) {
  HostMachine machine = *HostMachine::get("znver5");
  EXPECT_EQ(machine.describe(), "vectors of 512 bits, bf16 widened to f32, f16 "
                                "widened to f32");
  machine.chooseByGain(1.96);
  EXPECT_EQ(machine.bf16, Bf16Products::Avx512);
  EXPECT_EQ(machine.describe(),
            "vectors of 512 bits, bf16 by vdpbf16ps (measured: 2.0 times f32), "
            "f16 widened to f32");
  for (double gain : {1.04, 0.5, 0.0}) {
    machine.chooseByGain(gain);
    EXPECT_EQ(machine.bf16, Bf16Products::Widened) << gain;
  }
  EXPECT_EQ(machine.describe(),
            "vectors of 512 bits, bf16 widened to f32 (vdpbf16ps measured: 0.0 "
            "times f32), f16 widened to f32");
}

/// The measurement and the table agree on a CPU that the table has, each time.
TEST(HostMachine, MeasuresWhatTheTableSays) {
  const HostMachine machine = *HostMachine::get("native");
  for (int turn = 0; turn < 3; ++turn) {
    const double gain = measureBf16Gain();
    if (!machine.hasAvx512Bf16) {
      EXPECT_EQ(gain, 0);
      continue;
    }
    EXPECT_GT(gain, 0.3);
    EXPECT_LT(gain, 2.7);
    HostMachine measured = machine;
    measured.chooseByGain(gain);
    if (!machine.hasAmxBf16)
      EXPECT_EQ(measured.bf16, machine.bf16) << gain;
  }
  const bool isInTable = llvm::sys::getHostCPUName() == "znver4";
  if (machine.hasAvx512Bf16 && !machine.hasAmxBf16)
    EXPECT_EQ(machine.measuredBf16Gain.has_value(), !isInTable);
}

} // namespace
