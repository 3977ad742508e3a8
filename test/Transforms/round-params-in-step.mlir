// RUN: amp-opt %s --split-input-file --amp-round-params-in-step | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-round-params-in-step --amp-round-params-in-step | FileCheck %s

// Parameters in f16 and bf16, one whose master stands behind it, and one that has none. Masters are the parameters
// then, states stay what they are, and so do results of other roles.
// CHECK-LABEL: func.func @train_step
// CHECK-SAME:    (%[[W:[^:]+]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}, %[[S:[^:]+]]: tensor<4xf32> {amp.name = "w.momentum", amp.role = "opt_state"},
// CHECK-SAME:    %[[P:[^:]+]]: tensor<4xf16> {amp.name = "plain", amp.role = "param"}, %[[B:[^:]+]]: tensor<4xf32> {amp.name = "b", amp.role = "param"},
// CHECK-SAME:    %{{[^:]+}}: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"})
// CHECK-SAME:    -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<4xf32> {amp.name = "w", amp.role = "param"},
// CHECK-SAME:    tensor<4xf16> {amp.name = "plain", amp.role = "param"}, tensor<4xf32> {amp.name = "b", amp.role = "param"}, tensor<4xf32> {amp.name = "w.momentum", amp.role = "opt_state"})
// CHECK-DAG:     %[[HALF:.+]] = arith.truncf %[[W]] : tensor<4xf32> to tensor<4xf16>
// CHECK-DAG:     %[[HALF2:.+]] = arith.truncf %[[B]] : tensor<4xf32> to tensor<4xbf16>
// CHECK:         arith.extf %[[HALF]]
// CHECK:         arith.extf %[[HALF2]]
// CHECK:         return %{{.+}}, %[[NEW:.+]], %[[P]], %[[NEWB:.+]], %[[S]]
func.func @train_step(%w: tensor<4xf16> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "master", amp.name = "w"},
                      %s: tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"},
                      %p: tensor<4xf16> {amp.role = "param", amp.name = "plain"},
                      %n: tensor<4xf32> {amp.role = "master", amp.name = "b"}, %b: tensor<4xbf16> {amp.role = "param", amp.name = "b"},
                      %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "master", amp.name = "w"},
        tensor<4xf16> {amp.role = "param", amp.name = "plain"},
        tensor<4xf32> {amp.role = "master", amp.name = "b"}, tensor<4xbf16> {amp.role = "param", amp.name = "b"},
        tensor<4xf32> {amp.role = "opt_state", amp.name = "w.momentum"}) {
  %x = arith.extf %w : tensor<4xf16> to tensor<4xf32>
  %y = arith.extf %b : tensor<4xbf16> to tensor<4xf32>
  %new = arith.subf %m, %x : tensor<4xf32>
  %newb = arith.subf %n, %y : tensor<4xf32>
  %half = arith.truncf %new : tensor<4xf32> to tensor<4xf16>
  %halfb = arith.truncf %newb : tensor<4xf32> to tensor<4xbf16>
  return %seed, %half, %new, %p, %newb, %halfb, %s
      : tensor<f32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>
}

// -----

// Each block that returns, and a step that gives no half parameter.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME:    (%[[W:[^:]+]]: tensor<4xf32> {amp.name = "w", amp.role = "param"}, %{{[^:]+}}: i1) -> (tensor<4xf32> {amp.name = "w", amp.role = "param"})
// CHECK:         arith.truncf %[[W]]
// CHECK:         return %[[W]] : tensor<4xf32>
// CHECK:         return %{{.+}} : tensor<4xf32>
func.func @blocks(%m: tensor<4xf32> {amp.role = "master", amp.name = "w"}, %w: tensor<4xbf16> {amp.role = "param", amp.name = "w"}, %skip: i1)
    -> (tensor<4xbf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "master", amp.name = "w"}) {
  cf.cond_br %skip, ^same, ^update
^same:
  return %w, %m : tensor<4xbf16>, tensor<4xf32>
^update:
  %x = arith.extf %w : tensor<4xbf16> to tensor<4xf32>
  %new = arith.subf %m, %x : tensor<4xf32>
  %half = arith.truncf %new : tensor<4xf32> to tensor<4xbf16>
  return %half, %new : tensor<4xbf16>, tensor<4xf32>
}

// -----

// Near misses: a half parameter that has no master (O3), or another one's;
// CHECK-LABEL: func.func @without
// CHECK-NOT:     truncf
// CHECK:         return
func.func @without(%w: tensor<4xf16> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "master", amp.name = "v"})
    -> (tensor<4xf16> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<4xf16>
}

// -----

// a master of another shape;
// CHECK-LABEL: func.func @shape
// CHECK-NOT:     truncf
// CHECK:         return
func.func @shape(%w: tensor<4xf16> {amp.role = "param", amp.name = "w"}, %m: tensor<2x2xf32> {amp.role = "master", amp.name = "w"})
    -> (tensor<4xf16> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<4xf16>
}

// -----

// a parameter in f32;
// CHECK-LABEL: func.func @wide
// CHECK-NOT:     truncf
// CHECK:         return
func.func @wide(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "master", amp.name = "w"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<4xf32>
}

// -----

// and a function that another one calls, or that is only declared.
// CHECK-LABEL: func.func @called
// CHECK-SAME:    tensor<4xf16>
// CHECK-NOT:     truncf
// CHECK-LABEL: func.func private @declared
// CHECK-SAME:    tensor<4xf16>
func.func @called(%w: tensor<4xf16> {amp.role = "param", amp.name = "w"}, %m: tensor<4xf32> {amp.role = "master", amp.name = "w"})
    -> (tensor<4xf16> {amp.role = "param", amp.name = "w"}) {
  return %w : tensor<4xf16>
}
func.func private @declared(tensor<4xf16> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "master", amp.name = "w"})
func.func @caller(%w: tensor<4xf16>, %m: tensor<4xf32>) -> tensor<4xf16> {
  %r = call @called(%w, %m) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
  return %r : tensor<4xf16>
}
