// Every option of the pipeline reaches amp-initialize-opt-level under its own name.

// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 verbosity=0 cast-model-type=torch.bfloat16 \
// RUN:     patch-torch-functions=False keep-batchnorm-fp32=False master-weights=False loss-scale=dynamic \
// RUN:     cast-model-outputs=torch.float16 num-losses=3 min-loss-scale=0.5 max-loss-scale=1024.0" | FileCheck %s
// CHECK: #amp.policy<O2, cast_model_type = bf16, keep_batchnorm_fp32 = false, master_weights = false,
// CHECK-SAME: loss_scale = dynamic, cast_model_outputs = f16, num_losses = 3,
// CHECK-SAME: min_loss_scale = 5.000000e-01, max_loss_scale = 1.024000e+03>

// RUN: amp-opt %s --amp-mixed-precision="opt-level=O4 patch-torch-functions-type=torch.bfloat16" 2>&1 | FileCheck %s --check-prefix=O4
// O4: Selected optimization level O4
// O4: amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.000000e+00>

// Apex's default level.
// RUN: amp-opt %s --amp-mixed-precision="verbosity=0" | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: #amp.policy<O1,

// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 enabled=False" | FileCheck %s --check-prefix=OFF
// RUN: amp-opt %s --amp-mixed-precision="opt-level=O2 enabled=0" | FileCheck %s --check-prefix=OFF
// OFF-NOT: amp.

// A refusal is the pipeline's.
// RUN: not amp-opt %s --amp-mixed-precision="opt-level=O2 num-losses=0" 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: expected 'num_losses' to be a whole number of at least 1, but got '0'; give the number of losses with a scale of their own

// An option that does not exist.
// RUN: not amp-opt %s --amp-mixed-precision="opt-level=O2 loss-scaler=3" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no such option loss-scaler

module {}
