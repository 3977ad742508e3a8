// What a user sees of the selection, word for word as apex.amp.initialize prints
// it: compared with text that Apex itself has printed.

// RUN: %python %S/Inputs/printed_selection.py %inputs/oracles/special_cases.json print-O0 > %t.apex
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O0" 2> %t.ours
// RUN: diff %t.apex %t.ours

// RUN: %python %S/Inputs/printed_selection.py %inputs/oracles/special_cases.json print-O1 > %t.apex
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1" 2> %t.ours
// RUN: diff %t.apex %t.ours

// RUN: %python %S/Inputs/printed_selection.py %inputs/oracles/special_cases.json print-O2 > %t.apex
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2" 2> %t.ours
// RUN: diff %t.apex %t.ours

// The line after "Pure FP16 training." is not empty at O3: Apex's own slip.
// RUN: %python %S/Inputs/printed_selection.py %inputs/oracles/special_cases.json print-O3 > %t.apex
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O3" 2> %t.ours
// RUN: diff %t.apex %t.ours

// Defaults first, then what overrides made of them.
// RUN: %python %S/Inputs/printed_selection.py %inputs/oracles/special_cases.json print-O1-128 > %t.apex
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 loss-scale=128.0" 2> %t.ours
// RUN: diff %t.apex %t.ours

// RUN: %python %S/Inputs/printed_selection.py %inputs/oracles/special_cases.json print-O2-kbnFalse > %t.apex
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 keep-batchnorm-fp32=False" 2> %t.ours
// RUN: diff %t.apex %t.ours

// ROCm's levels have one option more, and a wider column for its name.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O4" 2>&1 \
// RUN:     | FileCheck %s --check-prefix=O4 --strict-whitespace --match-full-lines
//      O4:Selected optimization level O4:  Insert automatic casts around Pytorch functions and Tensor methods.
// O4-EMPTY:
// O4-NEXT:Defaults for this optimization level are:
// O4-NEXT:enabled                    : True
// O4-NEXT:opt_level                  : O4
// O4-NEXT:cast_model_type            : None
// O4-NEXT:patch_torch_functions      : True
// O4-NEXT:patch_torch_functions_type : torch.bfloat16
// O4-NEXT:keep_batchnorm_fp32        : None
// O4-NEXT:master_weights             : None
// O4-NEXT:loss_scale                 : 1.0
// O4-NEXT:Processing user overrides (additional kwargs that are not None)...
// O4-NEXT:After processing overrides, optimization options are:
// O4-NEXT:enabled                    : True

// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O5" 2>&1 \
// RUN:     | FileCheck %s --check-prefix=O5 --strict-whitespace --match-full-lines
//      O5:Selected optimization level O5:  BFLOAT16 training with FP32 batchnorm and FP32 master weights.
// O5-EMPTY:
// O5-NEXT:Defaults for this optimization level are:
// O5-NEXT:enabled                    : True
// O5-NEXT:opt_level                  : O5
// O5-NEXT:cast_model_type            : torch.bfloat16
// O5-NEXT:patch_torch_functions      : None
// O5-NEXT:patch_torch_functions_type : None
// O5-NEXT:keep_batchnorm_fp32        : True
// O5-NEXT:master_weights             : True
// O5-NEXT:loss_scale                 : 1.0

// At O1 the column widens as soon as ROCm's option is given.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 patch-torch-functions-type=torch.float16" 2>&1 \
// RUN:     | FileCheck %s --check-prefix=O1-TYPED --strict-whitespace --match-full-lines
// O1-TYPED:patch_torch_functions_type : torch.float16

// Silence.
// RUN: amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O2 verbosity=0" 2>&1 | count 0

// A refused selection is not announced.
// RUN: not amp-opt %s -o /dev/null --amp-initialize-opt-level="opt-level=O1 master-weights=True" 2>&1 \
// RUN:     | FileCheck %s --check-prefix=REFUSED
// REFUSED-NOT: Selected

// Standard output is the module and nothing else, so tools can stand in a pipe.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2" 2>/dev/null | amp-opt --amp-initialize-opt-level="opt-level=O2" 2>/dev/null | FileCheck %s --check-prefix=PIPE
// PIPE-NOT: Selected
// PIPE: module attributes {amp.policy = #amp.policy<O2,

module {}
