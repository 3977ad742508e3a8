// Where casts are placed: as Apex does, the default and today's only mode.

// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" > %t.default
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0 placement=apex" > %t.apex
// RUN: diff %t.default %t.apex
// RUN: FileCheck %s < %t.apex
// CHECK: amp.cast
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-insert-casts=placement=apex -o /dev/null

// RUN: not amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0 placement=min-cut" 2>&1 | FileCheck %s --check-prefix=MIN-CUT
// RUN: not amp-opt %s --amp-mixed-precision="opt-level=O0 verbosity=0 placement=min-cut" 2>&1 | FileCheck %s --check-prefix=MIN-CUT
// MIN-CUT: error: expected 'placement' to be 'apex', but got 'min-cut', which is not available yet; leave it out, or set 'placement=apex'

// RUN: not amp-opt %s --amp-mixed-precision="opt-level=O1 placement=random" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Cannot find option named 'random'!

func.func @mm(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
