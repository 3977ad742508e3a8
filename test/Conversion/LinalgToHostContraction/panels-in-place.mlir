// RUN: amp-opt %s --convert-linalg-to-host-contraction="vector-bits=256" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=256 threads=2 part-work=1" --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=THREADS
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=512" --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=WIDE

// B lies in panels of the micro-kernel's width: it is not packed, and no BLAS would be as fast.
// CHECK-LABEL: func.func @panels
// CHECK:         call @amp_host_panel_product_f32(
// CHECK-LABEL: func.func private @amp_host_panel_product_f32
// The first column of a part begins a panel.
// CHECK:         %[[AT:.+]] = memref.load
// CHECK:         %[[FIRST:.+]] = arith.addi %arg3, %[[AT]]
// CHECK:         scf.for {{.*}} step %c192
// CHECK:           scf.for %[[L:.+]] = %c0
// A panel has all steps of the sum, of which a block begins here.
// CHECK:             %[[WORDS:.+]] = arith.muli %[[L]], %c16
// CHECK:             %[[B:.+]] = arith.addi %[[FIRST]], %[[WORDS]]
// CHECK:             call @amp_host_pack_f32(%arg0
// CHECK-NOT:         amp_host_pack
// CHECK:             call @amp_host_tiles_of_panels(%{{.+}}, %{{.+}}, %arg2, %[[B]], {{.*}}, %arg15) :
// Two threads have whole panels each.
// THREADS-LABEL: func.func @panels
// THREADS:         scf.parallel
// THREADS:           arith.muli %{{.+}}, %c32
// THREADS:           call @amp_host_panel_product_f32(
// Panels of another width are columns like others.
// WIDE-LABEL:  func.func @panels
// WIDE:          call @amp_host_product_f32_f32(
func.func @panels(%a: memref<32x500xf32>, %b: memref<4x500x16xf32>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xf32>, memref<4x500x16xf32>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// In a loop over tiles, tables are filled in front of it, and nothing is packed there.
// CHECK-LABEL: func.func @in_tiles
// CHECK:         call @amp_host_fill_offsets
// CHECK-NOT:     amp_host_pack
// CHECK:         scf.for
// CHECK-NOT:       fill_offsets
// CHECK:           call @amp_host_panel_product_f32({{.*}}, %true)
// CHECK:         return
func.func @in_tiles(%a: memref<96x64xf32>, %b: memref<4x64x16xf32>, %c: memref<96x4x16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<32x4x16xf32>
  scf.for %i = %c0 to %c96 step %c32 {
    %ap = memref.subview %a[%i, 0] [32, 64] [1, 1] : memref<96x64xf32> to memref<32x64xf32, strided<[64, 1], offset: ?>>
    %cp = memref.subview %c[%i, 0, 0] [32, 4, 16] [1, 1, 1] : memref<96x4x16xf32> to memref<32x4x16xf32, strided<[64, 16, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%t : memref<32x4x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%ap, %b : memref<32x64xf32, strided<[64, 1], offset: ?>>, memref<4x64x16xf32>) outs(%t : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
    memref.copy %t, %cp : memref<32x4x16xf32> to memref<32x4x16xf32, strided<[64, 16, 1], offset: ?>>
  }
  memref.dealloc %t : memref<32x4x16xf32>
  return
}

// -----

// Rows of A are widened as they are packed.
// CHECK-LABEL: func.func @halves_of_a
// CHECK:         call @amp_host_panel_product_bf16(
func.func @halves_of_a(%a: memref<32x500xbf16>, %b: memref<4x500x16xf32>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xbf16>, memref<4x500x16xf32>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: bf16, %y: f32, %z: f32):
    %u = arith.extf %x : bf16 to f32
    %p = arith.mulf %u, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near miss: words of panels are f32.
// CHECK-LABEL: func.func @panels_of_halves
// CHECK-NOT:     panel_product
func.func @panels_of_halves(%a: memref<32x500xf32>, %b: memref<4x500x16xbf16>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xf32>, memref<4x500x16xbf16>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %x, %v : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near miss: half of a panel.
// CHECK-LABEL: func.func @narrow_panels
// CHECK-NOT:     panel_product
func.func @narrow_panels(%a: memref<32x500xf32>, %b: memref<8x500x8xf32>, %c: memref<32x8x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xf32>, memref<8x500x8xf32>) outs(%c : memref<32x8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near miss: steps of the sum that are 32 words apart.
// CHECK-LABEL: func.func @distant_rows
// CHECK-NOT:     panel_product
func.func @distant_rows(%a: memref<32x500xf32>, %b: memref<4x500x16xf32, strided<[16000, 32, 1]>>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xf32>, memref<4x500x16xf32, strided<[16000, 32, 1]>>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near miss: a gap between panels.
// CHECK-LABEL: func.func @distant_panels
// CHECK-NOT:     panel_product
func.func @distant_panels(%a: memref<32x500xf32>, %b: memref<4x500x16xf32, strided<[8016, 16, 1]>>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xf32>, memref<4x500x16xf32, strided<[8016, 16, 1]>>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near miss: columns that are no neighbours.
// CHECK-LABEL: func.func @every_other_column
// CHECK-NOT:     panel_product
func.func @every_other_column(%a: memref<32x500xf32>, %b: memref<4x500x16xf32, strided<[16000, 32, 2]>>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x500xf32>, memref<4x500x16xf32, strided<[16000, 32, 2]>>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Near miss: how long a panel is, only a run knows.
// CHECK-LABEL: func.func @unknown_steps
// CHECK-NOT:     panel_product
func.func @unknown_steps(%a: memref<32x?xf32>, %b: memref<4x?x16xf32>, %c: memref<32x4x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, p, n, k) -> (m, k)>, affine_map<(m, p, n, k) -> (p, k, n)>, affine_map<(m, p, n, k) -> (m, p, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<32x?xf32>, memref<4x?x16xf32>) outs(%c : memref<32x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}
