//===- Chip.cpp - What is known of a chip ---------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table. Multiprocessors, clock and memory are those of one product with
// the chip.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/Chip.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr unsigned kSm80 = Chip::WarpProducts | Chip::AsyncCopies;
static constexpr unsigned kSm90 = kSm80 | Chip::CopyEngine | Chip::Clusters;
static constexpr unsigned kSm90a = kSm90 | Chip::WarpgroupProducts;

static constexpr Chip kChips[] = {
    // name, also runs kernels for, features,
    //   {shared memory of a block, registers, line},
    //   {product, multiprocessors, clock, half, eight, plain, warp share,
    //    memory, l2, bytes of the L2 cache}
    // clang-format off
    {"sm_80",  "",      kSm80,  {166912, 65536, 32},
     {"A100 40GB",            108, 1.41e9,  2048, 0,    128, 1,    1.555e12,  5120,     40 << 20}},
    {"sm_86",  "",      kSm80,  {101376, 65536, 32},
     {"A10",                  72,  1.695e9, 1024, 0,    256, 1,    0.6e12,    72 * 40,   6 << 20}},
    {"sm_87",  "",      kSm80,  {166912, 65536, 32},
     {"Jetson AGX Orin 64GB", 16,  1.3e9,   2048, 0,    256, 1,    0.2048e12, 16 * 40,   4 << 20}},
    {"sm_89",  "",      kSm80,  {101376, 65536, 32},
     {"L40",                  142, 2.49e9,  512,  1024, 256, 1,    0.864e12,  142 * 40, 96 << 20}},
    {"sm_90",  "",      kSm90,  {232448, 65536, 32},
     {"H100 SXM",             132, 1.83e9,  4096, 8192, 256, 0.63, 3.35e12,   132 * 52, 50 << 20}},
    {"sm_90a", "sm_90", kSm90a, {232448, 65536, 32},
     {"H100 SXM",             132, 1.83e9,  4096, 8192, 256, 0.63, 3.35e12,   132 * 52, 50 << 20}},
    // clang-format on
};

ArrayRef<Chip> mlir::amp::getChips() { return kChips; }

const Chip *mlir::amp::getChip(StringRef name) {
  const Chip *chip = llvm::find_if(
      kChips, [&](const Chip &chip) { return chip.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

const Chip *mlir::amp::readChip(StringRef name,
                                function_ref<InFlightDiagnostic()> emitError) {
  if (const Chip *chip = getChip(name))
    return chip;
  InFlightDiagnostic diagnostic = emitError()
                                  << "expected 'chip' to be one of ";
  llvm::interleaveComma(getChips(), diagnostic,
                        [&](const Chip &known) { diagnostic << known.name; });
  diagnostic << ", but got '" << name << "'";
  return nullptr;
}
