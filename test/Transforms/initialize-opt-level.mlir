// The policy that each level and each override leaves on the module. What is
// refused stands in initialize-opt-level-invalid.mlir, what is printed in
// initialize-opt-level-printed.mlir.

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 verbosity=0" | FileCheck %s --check-prefix=O0
// O0: module attributes {amp.policy = #amp.policy<O0, cast_model_type = f32, master_weights = false, loss_scale = 1.000000e+00>}

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" | FileCheck %s --check-prefix=O1
// O1: module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>}

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" | FileCheck %s --check-prefix=O2
// O2: module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>}

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O3 verbosity=0" | FileCheck %s --check-prefix=O3
// O3: module attributes {amp.policy = #amp.policy<O3, cast_model_type = f16, keep_batchnorm_fp32 = false, master_weights = false, loss_scale = 1.000000e+00>}

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O4 verbosity=0" | FileCheck %s --check-prefix=O4
// O4: module attributes {amp.policy = #amp.policy<O4, patch_type = bf16, loss_scale = 1.000000e+00>}

// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O5 verbosity=0" | FileCheck %s --check-prefix=O5
// O5: module attributes {amp.policy = #amp.policy<O5, cast_model_type = bf16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = 1.000000e+00>}

// No level given: Apex's default.
// RUN: amp-opt %s --amp-initialize-opt-level="verbosity=0" | FileCheck %s --check-prefix=O1

//===----------------------------------------------------------------------===//
// Overrides
//===----------------------------------------------------------------------===//

// Every property at once, in the words of Python.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0 \
// RUN:     cast-model-type=torch.bfloat16 patch-torch-functions=False keep-batchnorm-fp32=False \
// RUN:     master-weights=False loss-scale=dynamic cast-model-outputs=torch.float16 num-losses=3 \
// RUN:     min-loss-scale=0.5 max-loss-scale=1024.0" | FileCheck %s --check-prefix=ALL
// ALL: #amp.policy<O2, cast_model_type = bf16, keep_batchnorm_fp32 = false, master_weights = false,
// ALL-SAME: loss_scale = dynamic, cast_model_outputs = f16, num_losses = 3,
// ALL-SAME: min_loss_scale = 5.000000e-01, max_loss_scale = 1.024000e+03>

// None is the level's default, not a value.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0 keep-batchnorm-fp32=None \
// RUN:     master-weights=None loss-scale=None cast-model-type=None" | FileCheck %s --check-prefix=O2

// Apex takes a number in a string, and integers.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0 loss-scale='128.0'" | FileCheck %s --check-prefix=STATIC
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0 loss-scale=128" | FileCheck %s --check-prefix=STATIC
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0 loss-scale=1.28e2" | FileCheck %s --check-prefix=STATIC
// STATIC: #amp.policy<O1, patch_type = f16, loss_scale = 1.280000e+02>

// O2 computed in FP32 throughout: the policy has no half type, so no pass casts.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0 cast-model-type=torch.float32" 2>&1 \
// RUN:     | FileCheck %s --check-prefix=O2-F32
// O2-F32: #amp.policy<O2, cast_model_type = f32, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>

//===----------------------------------------------------------------------===//
// Off
//===----------------------------------------------------------------------===//

// enabled=False: the program stays as it is, and nothing is printed or checked,
// not even the level.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 enabled=False" 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=whatever enabled=False" 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: Selected
// OFF: module {
// OFF-NOT: amp.policy

//===----------------------------------------------------------------------===//
// Twice
//===----------------------------------------------------------------------===//

// The same level twice is nothing new, however it was spelled.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" \
// RUN:     --amp-initialize-opt-level="opt-level=O2 verbosity=0 loss-scale=dynamic" | FileCheck %s --check-prefix=O2

// Another level is an error: the program has been rewritten for the first one.
// RUN: not amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" \
// RUN:     --amp-initialize-opt-level="opt-level=O1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=OTHER-LEVEL
// OTHER-LEVEL: error: expected the module's policy to be #amp.policy<O1, patch_type = f16, loss_scale = dynamic>, but it was already compiled for #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>; start from the FP32 module again

// So is another property at the same level.
// RUN: not amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" \
// RUN:     --amp-initialize-opt-level="opt-level=O1 verbosity=0 loss-scale=2.0" 2>&1 | FileCheck %s --check-prefix=OTHER-SCALE
// OTHER-SCALE: error: expected the module's policy to be #amp.policy<O1, patch_type = f16, loss_scale = 2.000000e+00>, but it was already compiled for #amp.policy<O1, patch_type = f16, loss_scale = dynamic>; start from the FP32 module again

// A disabled second run asks for nothing.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" \
// RUN:     --amp-initialize-opt-level="opt-level=O1 enabled=False" | FileCheck %s --check-prefix=O2

module {}
