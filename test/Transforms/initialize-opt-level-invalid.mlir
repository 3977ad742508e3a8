// What amp-initialize-opt-level refuses and remarks, each text literally. First
// Apex's own refusals, then ours; a near miss beside each.

// Unknown levels; the second is the digit zero for the letter O.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O9 verbosity=0" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: Unexpected optimization level O9. Options are 'O0', 'O1', 'O2', 'O3', 'O4', 'O5'.  Note that in `O0`, `O1`, etc., the prefix O is the letter O, not the number zero.

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=02 verbosity=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: Unexpected optimization level 02. Options are 'O0', 'O1', 'O2', 'O3', 'O4', 'O5'.  Note that in `O0`, `O1`, etc., the prefix O is the letter O, not the number zero.

//===----------------------------------------------------------------------===//
// Apex's refusals, with its texts and its order of checks
//===----------------------------------------------------------------------===//

// A patched program keeps its weights; at O4 the text names more levels.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 cast-model-type=torch.float16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1-CAST
// O1-CAST: error: O1 inserts casts around Torch functions rather than model weights, so with O1, the model weights themselves should remain FP32. If you wish to cast the model to a different type, use opt_level='O2' or 'O3'. cast_model_type was torch.float16

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O4 cast-model-type=torch.bfloat16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O4-CAST
// O4-CAST: error: O4 inserts casts around Torch functions rather than model weights, so with O4, the model weights themselves should remain FP32. If you wish to cast the model to a different type, use opt_level='O2', 'O3' or 'O5'. cast_model_type was torch.bfloat16

// Near miss: float32 and False are what O1 does anyway.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 cast-model-type=torch.float32 verbosity=0"

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 cast-model-type=False verbosity=0"

// Functions are patched by choosing a level that patches.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 patch-torch-functions=True verbosity=0" 2>&1 | FileCheck %s --check-prefix=O2-PATCH
// O2-PATCH: error: Currently, patch_torch_functions=True should only be set by selecting opt_level='O1'.

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O5 patch-torch-functions=True verbosity=0" 2>&1 | FileCheck %s --check-prefix=O5-PATCH
// O5-PATCH: error: Currently, patch_torch_functions=True should only be set by selecting opt_level='O1' or 'O4'.

// Near miss: at O1 it is the default.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 patch-torch-functions=True verbosity=0"

// ROCm's option belongs to O1 and O4, each with the type it has.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 patch-torch-functions-type=torch.float16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O2-TYPE
// O2-TYPE: error: Currently, patch_torch_functions_type should only be set by selecting opt_level='O1' or 'O4'.

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 patch-torch-functions-type=torch.bfloat16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1-TYPE
// O1-TYPE: error: patch_torch_functions_type should only be set to torch.float16 for opt_level='O1'.

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O4 patch-torch-functions-type=torch.float16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O4-TYPE
// O4-TYPE: error: patch_torch_functions_type should only be set to torch.bfloat16 for opt_level='O4'.

// The words of Apex's message are wrong (batch norm follows its input at O1), and stay.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 keep-batchnorm-fp32=True verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1-NORM
// O1-NORM: error: With opt_level O1, batchnorm functions are automatically patched to run in FP32, so keep_batchnorm_fp32 should be None. keep_batchnorm_fp32 was True

// Elsewhere a bool, or a bool in a string, but no other truth value.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 keep-batchnorm-fp32=1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=NORM
// NORM: error: keep_batchnorm_fp32 must be a boolean, the string 'True' or 'False', or None, found keep_batchnorm_fp32=1

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 keep-batchnorm-fp32='False' verbosity=0"

// Even False is refused at O1.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 master-weights=False verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1-MASTERS
// O1-MASTERS: error: It doesn't make sense to use master_weights with O1. With O1, your model weights themselves should be FP32.

// Python's own errors.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=junk verbosity=0" 2>&1 | FileCheck %s --check-prefix=JUNK
// JUNK: error: could not convert string to float: 'junk'

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=torch.float16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: float() argument must be a string or a real number, not 'torch.dtype'

// Two faults: the one that Apex meets first is reported.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 master-weights=True cast-model-type=torch.float16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1-CAST

// Apex's fault comes before ours.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 num-losses=0 master-weights=True verbosity=0" 2>&1 | FileCheck %s --check-prefix=O1-MASTERS

//===----------------------------------------------------------------------===//
// Our refusals: what Apex takes and cannot mean
//===----------------------------------------------------------------------===//

// A scale that turns every gradient into zero, infinity or NaN.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=0 verbosity=0" 2>&1 | FileCheck %s --check-prefix=SCALE-0
// SCALE-0: error: expected 'loss_scale' to be a finite number greater than 0, but got '0'; use a power of two such as 128.0, or 'dynamic'

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=-1.0 verbosity=0" 2>&1 | FileCheck %s --check-prefix=SCALE-NEG
// SCALE-NEG: error: expected 'loss_scale' to be a finite number greater than 0, but got '-1.0'; use a power of two such as 128.0, or 'dynamic'

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=inf verbosity=0" 2>&1 | FileCheck %s --check-prefix=SCALE-INF
// SCALE-INF: error: expected 'loss_scale' to be a finite number greater than 0, but got 'inf'; use a power of two such as 128.0, or 'dynamic'

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=nan verbosity=0" 2>&1 | FileCheck %s --check-prefix=SCALE-NAN
// SCALE-NAN: error: expected 'loss_scale' to be a finite number greater than 0, but got 'nan'; use a power of two such as 128.0, or 'dynamic'

// Near miss: small is legal.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=5e-324 verbosity=0"

// The bounds of a dynamic scale.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 min-loss-scale=-1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MIN-NEG
// MIN-NEG: error: expected 'min_loss_scale' to be a finite number of at least 0, but got '-1'; leave it out for no floor

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 max-loss-scale=0 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MAX-0
// MAX-0: error: expected 'max_loss_scale' to be a number greater than 0, but got '0'; leave it out for 16777216.0

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 max-loss-scale=nan verbosity=0" 2>&1 | FileCheck %s --check-prefix=MAX-NAN
// MAX-NAN: error: expected 'max_loss_scale' to be a number greater than 0, but got 'nan'; leave it out for 16777216.0

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 min-loss-scale=4 max-loss-scale=2 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MIN-MAX
// MIN-MAX: error: expected 'min_loss_scale' to be at most 'max_loss_scale', but got 4.0 above 2.0; lower 'min_loss_scale' or raise 'max_loss_scale'

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 min-loss-scale=131072 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MIN-START
// MIN-START: error: expected 'min_loss_scale' to be at most the initial loss scale, but got 131072.0 above 65536.0; lower 'min_loss_scale' to 65536.0 or less

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=8 min-loss-scale=16 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MIN-FIXED
// MIN-FIXED: error: expected 'min_loss_scale' to be at most the initial loss scale, but got 16.0 above 8.0; lower 'min_loss_scale' to 8.0 or less

// A scale that the level fixes is nobody's number: the floor is idle, see the remarks
// in this file. One that the user fixes contradicts his floor.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O0 loss-scale=1 min-loss-scale=2 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MIN-O0
// MIN-O0: error: expected 'min_loss_scale' to be at most the initial loss scale, but got 2.0 above 1.0; lower 'min_loss_scale' to 1.0 or less

// Near misses: equal bounds, a floor at the start, no ceiling.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 min-loss-scale=2 max-loss-scale=2 verbosity=0"

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 min-loss-scale=65536 verbosity=0"

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 max-loss-scale=inf verbosity=0"

// Values that are of no type the property has.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 cast-model-type=int8 verbosity=0" 2>&1 | FileCheck %s --check-prefix=CAST-INT
// CAST-INT: error: expected 'cast_model_type' to be float32, float16, bfloat16, False or None, but got 'int8'; leave it out to take the default of the level

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 cast-model-type=torch.float64 verbosity=0" 2>&1 | FileCheck %s --check-prefix=CAST-F64
// CAST-F64: error: expected 'cast_model_type' to be float32, float16, bfloat16, False or None, but got 'torch.float64'; leave it out to take the default of the level

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 cast-model-outputs=int8 verbosity=0" 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: expected 'cast_model_outputs' to be float32, float16, bfloat16 or None, but got 'int8'; leave it out for the usual type of the outputs

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 master-weights=1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=MASTERS
// MASTERS: error: expected 'master_weights' to be True, False or None, but got '1'; leave it out to take the default of the level

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 patch-torch-functions=0 verbosity=0" 2>&1 | FileCheck %s --check-prefix=PATCH
// PATCH: error: expected 'patch_torch_functions' to be True, False or None, but got '0'; leave it out to take the default of the level

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 num-losses=0 verbosity=0" 2>&1 | FileCheck %s --check-prefix=LOSSES-0
// LOSSES-0: error: expected 'num_losses' to be a whole number of at least 1, but got '0'; give the number of losses with a scale of their own

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 num-losses=-1 verbosity=0" 2>&1 | FileCheck %s --check-prefix=LOSSES-NEG
// LOSSES-NEG: error: expected 'num_losses' to be a whole number of at least 1, but got '-1'; give the number of losses with a scale of their own

// More than the policy's 32 bits hold, and than 64: neither wraps.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 num-losses=4294967297 verbosity=0" 2>&1 | FileCheck %s --check-prefix=LOSSES-MANY
// LOSSES-MANY: error: expected 'num_losses' to be at most 4294967295, but got '4294967297'; give the number of losses with a scale of their own
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 num-losses=18446744073709551617 verbosity=0" 2>&1 | FileCheck %s --check-prefix=LOSSES-MORE
// LOSSES-MORE: error: expected 'num_losses' to be a whole number of at least 1, but got '1.8446744073709552e+19'; give the number of losses with a scale of their own

// Near miss: the largest.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 num-losses=4294967295 verbosity=0" | amp-opt | FileCheck %s --check-prefix=LOSSES-MOST
// LOSSES-MOST: num_losses = 4294967295>

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 num-losses=1.5 verbosity=0" 2>&1 | FileCheck %s --check-prefix=LOSSES-HALF
// LOSSES-HALF: error: expected 'num_losses' to be a whole number of at least 1, but got '1.5'; give the number of losses with a scale of their own

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 verbosity=loud" 2>&1 | FileCheck %s --check-prefix=VERBOSITY
// VERBOSITY: error: expected 'verbosity' to be a whole number, but got 'loud'; use 0 to print nothing

// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 enabled=maybe verbosity=0" 2>&1 | FileCheck %s --check-prefix=ENABLED
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 enabled=2 verbosity=0" 2>&1 | FileCheck %s --check-prefix=NOFLAG
// NOFLAG: error: expected 'enabled' to be True, False or None, but got '2'; leave it out for True
// ENABLED: error: expected 'enabled' to be True, False or None, but got 'maybe'; leave it out for True

//===----------------------------------------------------------------------===//
// Remarks: accepted as Apex does, but said
//===----------------------------------------------------------------------===//

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 patch-torch-functions=False verbosity=0" 2>&1 | FileCheck %s --check-prefix=R-PATCH
// R-PATCH: remark: 'patch_torch_functions=False' at opt_level 'O1' leaves every function in the type of its inputs; use opt_level 'O0' to say so

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O0 master-weights=True verbosity=0" 2>&1 | FileCheck %s --check-prefix=R-MASTERS
// R-MASTERS: remark: 'master_weights=True' at opt_level 'O0' makes no copies, because the model is not cast to half ('cast_model_type' is torch.float32)

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O0 keep-batchnorm-fp32=True verbosity=0" 2>&1 | FileCheck %s --check-prefix=R-NORM
// R-NORM: remark: 'keep_batchnorm_fp32=True' at opt_level 'O0' has no effect, because the model is not cast to half ('cast_model_type' is torch.float32)

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 min-loss-scale=0 verbosity=0" 2>&1 | FileCheck %s --check-prefix=R-MIN-0
// R-MIN-0: remark: 'min_loss_scale' 0 counts as no floor

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=8 min-loss-scale=2 verbosity=0" 2>&1 | FileCheck %s --check-prefix=R-MIN-FIXED
// R-MIN-FIXED: remark: 'min_loss_scale' 2 has no effect, because the loss scale is fixed at 8.0

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=8 max-loss-scale=4 verbosity=0" 2>&1 | FileCheck %s --check-prefix=R-MAX-FIXED
// R-MAX-FIXED: remark: 'max_loss_scale' 4 has no effect, because the loss scale is fixed at 8.0

// Also above a scale that the level fixes, for a script may give its bounds at every
// level. What has no effect is left out of the policy, which parses back.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 min-loss-scale=2 max-loss-scale=64 verbosity=0" 2> %t.remarks | amp-opt | FileCheck %s --check-prefix=IDLE-O0
// IDLE-O0: #amp.policy<O0, cast_model_type = f32, master_weights = false, loss_scale = 1.000000e+00>}
// RUN: FileCheck %s --check-prefix=R-IDLE < %t.remarks
// R-IDLE: remark: 'min_loss_scale' 2 has no effect, because the loss scale is fixed at 1.0
// R-IDLE: remark: 'max_loss_scale' 64 has no effect, because the loss scale is fixed at 1.0
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O4 min-loss-scale=2 verbosity=0" 2> /dev/null | amp-opt | FileCheck %s --check-prefix=IDLE-O4
// IDLE-O4: #amp.policy<O4, patch_type = bf16, loss_scale = 1.000000e+00>}

// The second run agrees with the first.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O4 min-loss-scale=2 verbosity=0" --amp-initialize-opt-level="opt-level=O4 min-loss-scale=2 verbosity=0" 2> /dev/null | FileCheck %s --check-prefix=IDLE-O4

// Near miss: at a level without scaling a dynamic scale has its bounds.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O4 loss-scale=dynamic min-loss-scale=2 max-loss-scale=64 verbosity=0" | amp-opt | FileCheck %s --check-prefix=BOUNDS-O4
// BOUNDS-O4: loss_scale = dynamic, min_loss_scale = 2.000000e+00, max_loss_scale = 6.400000e+01>}

// Near miss: nothing to remark where everything has an effect.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 keep-batchnorm-fp32=True min-loss-scale=1 verbosity=0" 2>&1 | count 0

module {}
