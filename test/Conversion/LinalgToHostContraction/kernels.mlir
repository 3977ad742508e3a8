// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=256" --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: amp-opt %s --convert-linalg-to-host-contraction="blas=off vector-bits=512" --canonicalize --cse | FileCheck %s --check-prefix=WIDE
// RUN: amp-opt %t.mlir --pass-pipeline="builtin.module(%to_llvm)" | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 | llc -O2 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 \
// RUN:   | FileCheck %s --check-prefix=ASM

// What the kernels' speed hangs on.
func.func @matmul(%a: memref<32x64xf16>, %b: memref<64x128xbf16>, %c: memref<32x128xf32>) {
  linalg.matmul ins(%a, %b : memref<32x64xf16>, memref<64x128xbf16>) outs(%c : memref<32x128xf32>)
  return
}

// bf16 widens by a shift of integers, many at once, f16 by arith.extf. Columns that are
// neighbours are moved 32 at a time, into as many panels as they make, and ask for the line
// of the next 32; where the rows are
// neighbours a square is loaded, of 8 by 8 words or 16 by 16.
// CHECK-LABEL: func.func private @amp_host_pack_f16
// CHECK:         arith.extf %{{.+}} : vector<8xf16> to vector<8xf32>
// CHECK-LABEL: func.func private @amp_host_pack_bf16
// CHECK:         %[[NEXT:.+]] = arith.addi %[[AT:.+]], %c32
// CHECK-NEXT:    memref.prefetch %{{.+}}[%[[NEXT]]], read, locality<3>, data : memref<?xbf16>
// CHECK-NOT:     memref.prefetch
// CHECK:         %[[LINE:.+]] = vector.load %{{.+}}[%[[AT]]] : memref<?xbf16>, vector<32xbf16>
// CHECK-COUNT-4: vector.extract_strided_slice {{.*}} : vector<32xf32> to vector<8xf32>
// CHECK:         } else {
// CHECK-COUNT-8: vector.load {{.*}} : memref<?xbf16>, vector<8xbf16>
// CHECK:         vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK:         %[[X:.+]] = vector.load {{.*}} : memref<?xbf16>, vector<8xbf16>
// CHECK-NEXT:    %[[BITS:.+]] = arith.bitcast %[[X]] : vector<8xbf16> to vector<8xi16>
// CHECK-NEXT:    %[[LONG:.+]] = arith.extui %[[BITS]] : vector<8xi16> to vector<8xi32>
// CHECK-NEXT:    %[[UP:.+]] = arith.shli %[[LONG]], %{{.+}} : vector<8xi32>
// CHECK-NEXT:    arith.bitcast %[[UP]] : vector<8xi32> to vector<8xf32>

// The full tile: 12 accumulators of 8 lanes, one load of each element.
// CHECK-LABEL: func.func private @amp_host_tiles
// Sums that start from zero are loaded from one row of zeros.
// CHECK-SAME:    %[[FROM_ZERO:[^ ]+]]: i1)
// CHECK:         memref.alloca() {{.*}} : memref<128xf32>
// CHECK:         memref.alloca() {{.*}} : memref<16xf32>
// CHECK:         arith.select %[[FROM_ZERO]], %{{.+}}, %{{.+}} : memref<?xf32>
// CHECK:         scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-2: vector.load {{.*}} vector<8xf32>
// CHECK-NOT:     vector.load
// CHECK-COUNT-6: vector.broadcast %{{.+}} : f32 to vector<8xf32>
// CHECK-NOT:     vector.broadcast
// CHECK:         scf.yield

// With 512 bits, squares and 8 rows of 2 x 16 lanes.
// WIDE-LABEL: func.func private @amp_host_pack_bf16
// WIDE:          vector<32xbf16>
// WIDE-COUNT-16: vector.load {{.*}} : memref<?xbf16>, vector<16xbf16>
// WIDE:          vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// WIDE-LABEL: func.func private @amp_host_tiles
// WIDE:         scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)

// No call of a conversion, no accumulator in memory.
// ASM-LABEL: amp_host_pack_f16:
// ASM-NOT:     call{{.*}}extend
// ASM:         vcvtph2ps {{.*}}, %ymm
// ASM-LABEL: amp_host_pack_bf16:
// ASM-NOT:     call{{.*}}extend
// ASM:         vpmovzxwd {{.*}}, %ymm
// ASM:         vpslld $16, %ymm
// ASM-LABEL: amp_host_tiles:
// ASM-COUNT-12: vfmadd231ps {{.*}}%ymm
