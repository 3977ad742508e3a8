// RUN: amp-opt %s --amp-verify-once="pipeline=amp-initialize-opt-level{opt-level=O0 verbosity=0},canonicalize" | FileCheck %s
// RUN: amp-opt %s --amp-verify-once | FileCheck %s --check-prefix=NONE
// RUN: not amp-opt %s --amp-verify-once="pipeline=amp-no-such-pass" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Each pass of the pipeline is seen, and printed as it was given.
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" --mlir-print-ir-after=amp-annotate-precision -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0 verify-each=true" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: not amp-opt %s --amp-to-host --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not amp-opt %s --amp-to-host="verify-each=true" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=HOST-EACH

// CHECK: amp.policy = #amp.policy<O0
// CHECK: func.func @f(%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = arith.negf %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// NONE: arith.negf

// UNKNOWN: expected 'pipeline' to be passes over a module separated by commas, but
// UNKNOWN-SAME: 'amp-no-such-pass' does not refer to a registered pass or pass pipeline

// AFTER: IR Dump After AnnotatePrecision
// AFTER: amp.class

// DUMP: amp-verify-once{pipeline=amp-initialize-opt-level{
// DUMP-SAME: amp-annotate-precision
// DUMP-SAME: amp-guard-updates
// DUMP: amp-verify-scaling

// EACH-NOT: amp-verify-once
// EACH: amp-initialize-opt-level{
// EACH: amp-guard-updates

// HOST: amp-mark-entry-points
// HOST: amp-verify-once{pipeline=
// HOST: one-shot-bufferize

// HOST-EACH-NOT: amp-verify-once
// HOST-EACH: one-shot-bufferize
