// The cache: what is there is not compiled again; what is damaged is; processes
// that write at the same time leave whole entries.
// RUN: rm -rf %t && mkdir %t
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa" -o %t/without.mlir
// RUN: FileCheck %s < %t/without.mlir
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/c" -o %t/first.mlir
// RUN: ls %t/c | count 2
// RUN: cmp %t/first.mlir %t/without.mlir
// Read from there: code that was put in its place, with its hash.
// RUN: cp -r %t/c %t/planted
// RUN: %python %S/Inputs/change_entries.py replace %t/planted
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/planted" | FileCheck %s --check-prefix=PLANTED
// Another chip, another format: other entries.
// RUN: amp-opt %s --amp-kernels-to-cubin="chip=sm_80 format=isa cache=%t/planted" | FileCheck %s --check-prefix=OTHER
// RUN: amp-opt %s --amp-kernels-to-cubin="format=llvm cache=%t/planted" | FileCheck %s --check-prefix=OTHER
// RUN: ls %t/planted | count 6
// Cut short, and one bit changed: one warning in all.
// RUN: %python %S/Inputs/change_entries.py damage %t/c
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/c" -o %t/damaged.mlir 2>&1 | FileCheck %s --check-prefix=DAMAGED --implicit-check-not=warning
// RUN: cmp %t/first.mlir %t/damaged.mlir
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/c" -o %t/mended.mlir 2>&1 | count 0
// RUN: cmp %t/first.mlir %t/mended.mlir
// RUN: sh -c 'for file in %t/c/*; do echo cut > $file; break; done'
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/c" -o %t/damaged.mlir 2>&1 | FileCheck %s --check-prefix=SINGLE --implicit-check-not=warning
// RUN: cmp %t/first.mlir %t/damaged.mlir
// RUN: %python %S/Inputs/run_together.py 4 amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/d" -o %t/run-{}.mlir
// RUN: cmp %t/first.mlir %t/run-0.mlir && cmp %t/first.mlir %t/run-3.mlir
// RUN: ls %t/d | count 2
// A folder that cannot be made.
// RUN: touch %t/file
// RUN: amp-opt %s --amp-kernels-to-cubin="format=isa cache=%t/file/below" -o %t/z.mlir 2>&1 | FileCheck %s --check-prefix=WRITE --implicit-check-not=warning
// RUN: cmp %t/first.mlir %t/z.mlir

// PLANTED-COUNT-2: "planted"
// OTHER-NOT: "planted"
// DAMAGED: warning: expected whole code in the cache, but '{{.*}}.kernel' and 1 more are damaged; what is damaged is compiled again
// SINGLE: warning: expected whole code in the cache, but '{{.*}}.kernel' is damaged; what is damaged is compiled again
// WRITE: warning: expected to keep code in the cache, but '{{.*}}.kernel' and 1 more could not be written: {{[Nn]}}ot a directory

// Host code and order stay.
// CHECK: gpu.binary @one
// CHECK: func.func @between
// CHECK: gpu.binary @two
module attributes {gpu.container_module} {
  gpu.module @one {
    llvm.func @one(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.constant(1 : i32) : i32
      llvm.store %0, %p : i32, !llvm.ptr<1>
      llvm.return
    }
  }
  func.func @between() {
    return
  }
  gpu.module @two {
    llvm.func @two(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.mlir.constant(2 : i32) : i32
      llvm.store %0, %p : i32, !llvm.ptr<1>
      llvm.return
    }
  }
}
