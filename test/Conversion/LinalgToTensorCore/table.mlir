// A table of measurements overrules the cost model for the problems in it.
// RUN: split-file %s %t
// RUN: amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/table.txt" | FileCheck %s
// RUN: amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/table.txt chip=sm_80" | FileCheck %s --check-prefix=OTHER
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/none.txt" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/short.txt" 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/chip.txt" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/size.txt" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/tile.txt" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/number.txt" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="table=%t/unfit.txt" 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not amp-opt %t/step.mlir --convert-linalg-to-tensor-core="chip=sm_75" 2>&1 | FileCheck %s --check-prefix=TARGET

// Its lines are of dense rows: columns of a larger matrix are another problem, whose rows a cluster could not read.
// RUN: amp-opt %t/columns.mlir --convert-linalg-to-tensor-core="table=%t/clusters.txt" | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: cluster = 1 : i64
// COLUMNS: lda = 260 : i64

// The last line for a problem counts.
// CHECK: amp.launch_kernels @gemm_0 ins({{.*}}) outs(d = %{{.*}}, workspace = %{{.*}})
// CHECK: tile = array<i64: 64, 128, 64>
// Lines of another chip do not.
// OTHER: amp.launch_kernels @gemm_0 ins({{.*}}) outs(d = %{{[^,]*}}) :
// NONE: expected to read the table of kernels '{{.*}}none.txt', but got: {{[Nn]}}o such file
// SHORT: expected 13 words: chip m n k batch layout a b d tile cluster split-k raster-group in line 2 of '{{.*}}short.txt', but got 'sm_90a 512'
// CHIP: expected a chip that kernels are made for in line 1 of '{{.*}}chip.txt', but got 'sm_75'
// SIZE: expected a size in line 1 of '{{.*}}size.txt', but got 'many'
// TILE: expected a tile MxN in line 1 of '{{.*}}tile.txt', but got '128'
// NUMBER: expected a number in line 1 of '{{.*}}number.txt', but got 'x'
// UNFIT: error: expected a kernel that fits in the table '{{.*}}unfit.txt', but got: expected tile 128x256, 128x128, 64x128 or 64x64, but got 32x32
// TARGET: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_75'

//--- step.mlir
func.func @product(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<512x512xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xbf16>, tensor<512x512xbf16>)
      outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
//--- table.txt
# Not measured: what a table looks like.
sm_90a 512 512 512 1 nn bf16 bf16 f32  128x256 2 1 8
sm_90a 512 512 512 1 nn bf16 bf16 f32  64x128 1 2 4   # better
//--- short.txt

sm_90a 512
//--- chip.txt
sm_75 512 512 512 1 nn bf16 bf16 f32  128x256 2 1 8
//--- size.txt
sm_90a 512 many 512 1 nn bf16 bf16 f32  128x256 2 1 8
//--- tile.txt
sm_90a 512 512 512 1 nn bf16 bf16 f32  128 2 1 8
//--- number.txt
sm_90a 512 512 512 1 nn bf16 bf16 f32  128x256 2 x 8
//--- unfit.txt
sm_90a 512 512 512 1 nn bf16 bf16 f32  32x32 1 1 8

//--- clusters.txt
sm_90a 128 256 256 1 nn f16 f16 f32 128x128 2 1 1

//--- columns.mlir
func.func @columns(%x: tensor<128x260xf16>, %b: tensor<256x256xf16>) -> tensor<128x256xf32> {
  %c0 = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[0, 0] [128, 256] [1, 1] : tensor<128x260xf16> to tensor<128x256xf16>
  %e = tensor.empty() : tensor<128x256xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<128x256xf16>, tensor<256x256xf16>) outs(%z : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}
