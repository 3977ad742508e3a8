// RUN: amp-opt %s --split-input-file --amp-embed-kernels=chip=sm_90a --verify-diagnostics | FileCheck %s

// The text of kernels is for the emulator, whatever chip was named.
// CHECK: module attributes {amp.chip = "", amp.images = {zero = "module attributes {gpu.container_module} {\0Agpu.module @zero
// CHECK-NOT: gpu.module
// CHECK: func.func @other
module attributes {gpu.container_module} {
  gpu.module @zero {
    llvm.func @zero(%to: !llvm.ptr<1>) attributes {gpu.kernel} {
      llvm.return
    }
  }
  func.func @other() {
    return
  }
}

// -----

// Code is for its chip.
// CHECK: module attributes {amp.chip = "sm_90a", amp.images = {code = "\01\02ABC"}}
// CHECK-NOT: gpu.binary
module attributes {gpu.container_module} {
  gpu.binary @code [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "\01\02ABC">]
}

// -----

// A program without kernels is for a device all the same.
// CHECK: module attributes {amp.chip = "sm_90a", amp.images = {}}
module {
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{expected code for one chip, but got 2 objects; compile for one target}}
  gpu.binary @code [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "A">, #gpu.object<#nvvm.target<chip = "sm_80">, bin = "B">]
}
