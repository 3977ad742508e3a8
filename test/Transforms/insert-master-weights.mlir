// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" --amp-cast-model --amp-insert-master-weights | FileCheck %s
// Twice is as once.
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O2 verbosity=0" --amp-cast-model --amp-insert-master-weights > %t.once
// RUN: amp-opt %t.once --amp-insert-master-weights | diff %t.once -
// Nothing to do without master weights (O3) or without a model in half (O1, and O0
// that asks for them).
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O3 verbosity=0" --amp-cast-model --amp-insert-master-weights | FileCheck %s --check-prefix=NONE
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O1 verbosity=0" --amp-cast-model --amp-insert-master-weights | FileCheck %s --check-prefix=NONE
// RUN: amp-opt %s --amp-initialize-opt-level="opt-level=O0 master-weights=True verbosity=0" --amp-cast-model --amp-insert-master-weights 2>/dev/null | FileCheck %s --check-prefix=NONE
// NONE-NOT: amp.master_copy
// NONE-NOT: amp.role = "master"

// FP32 masters beside half parameters, each half copy made once, by the step that
// changes it.

func.func private @forward_backward(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %b: tensor<2xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"},
        tensor<2xf32> {amp.role = "grad", amp.name = "bn.weight"}) {
  return %w, %b : tensor<4xf32>, tensor<2xf32>
}

// The optimizer's parameter is the master, and gives its half copy as a further
// result. Batch norm is FP32 in the model and needs none.
// CHECK-LABEL: func.func @optimizer_step(
// CHECK-SAME:  tensor<4xf32> {amp.name = "w", amp.role = "master"}
// CHECK-SAME:  tensor<2xf32> {amp.name = "bn.weight", amp.role = "param"}
// CHECK-SAME:  -> (tensor<4xf32> {amp.name = "w", amp.role = "master"}
// CHECK-SAME:      tensor<2xf32> {amp.name = "bn.weight", amp.role = "param"}
// CHECK-SAME:      tensor<4xf16> {amp.name = "w", amp.role = "param"})
func.func @optimizer_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %b: tensor<2xf32> {amp.role = "param", amp.name = "bn.weight"},
    %gw: tensor<4xf32> {amp.role = "grad", amp.name = "w"},
    %gb: tensor<2xf32> {amp.role = "grad", amp.name = "bn.weight"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<2xf32> {amp.role = "param", amp.name = "bn.weight"}) {
  // CHECK: %[[NW:.*]] = arith.subf {{.*}} : tensor<4xf32>
  // CHECK: %[[NB:.*]] = arith.subf {{.*}} : tensor<2xf32>
  // CHECK: %[[COPY:.*]] = amp.master_copy %[[NW]] : tensor<4xf32> to tensor<4xf16>
  // CHECK-NOT: amp.master_copy
  // CHECK: return %[[NW]], %[[NB]], %[[COPY]]
  %nw = arith.subf %w, %gw : tensor<4xf32>
  %nb = arith.subf %b, %gb : tensor<2xf32>
  return %nw, %nb : tensor<4xf32>, tensor<2xf32>
}

// The train step takes and returns both; the model reads the copy it was given, the
// optimizer the master.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME:  %[[M:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "master"}
// CHECK-SAME:  %[[B:[a-z0-9]+]]: tensor<2xf32> {amp.kind = "batch_norm", amp.name = "bn.weight", amp.role = "param"}
// CHECK-SAME:  %[[COPY:[a-z0-9]+]]: tensor<4xf16> {amp.name = "w", amp.role = "param"}
// CHECK-SAME:  -> (tensor<4xf32> {amp.name = "w", amp.role = "master"}
// CHECK-SAME:      tensor<2xf32> {amp.kind = "batch_norm", amp.name = "bn.weight", amp.role = "param"}
// CHECK-SAME:      tensor<4xf16> {amp.name = "w", amp.role = "param"})
func.func @train_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %b: tensor<2xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<2xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"}) {
  // CHECK-NOT: amp.cast %[[M]]
  // CHECK: call @forward_backward(%[[COPY]], %[[B]],
  // CHECK: %[[NEW:.*]]:3 = call @optimizer_step(%[[M]], %[[B]],
  // CHECK-NOT: amp.master_copy
  // CHECK: return %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2
  %g:2 = call @forward_backward(%w, %b, %seed)
      : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<2xf32>)
  %n:2 = call @optimizer_step(%w, %b, %g#0, %g#1)
      : (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %n#0, %n#1 : tensor<4xf32>, tensor<2xf32>
}

// A new parameter that no optimizer step made (an average of weights) is copied where
// it is returned.
// CHECK-LABEL: func.func @changed_in_train_step(
// CHECK-SAME:  %[[M:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "master"}
func.func @changed_in_train_step(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: %[[N:.*]] = arith.addf %[[M]], %[[M]]
  // CHECK: %[[COPY:.*]] = amp.master_copy %[[N]] : tensor<4xf32> to tensor<4xf16>
  // CHECK: return %[[N]], %[[COPY]]
  %n = arith.addf %w, %w : tensor<4xf32>
  return %n : tensor<4xf32>
}

// A frozen parameter has no gradient and no new value: half in the model, and no
// master of it (Apex leaves such parameters alone).
func.func private @model_with_frozen(
    %f: tensor<3xf32> {amp.role = "param", amp.name = "frozen"},
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "grad", amp.name = "w"}) {
  return %w : tensor<4xf32>
}
// CHECK-LABEL: func.func @frozen(
// CHECK-SAME:  %[[F:[a-z0-9]+]]: tensor<3xf16> {amp.name = "frozen", amp.role = "param"}
// CHECK-SAME:  tensor<4xf32> {amp.name = "w", amp.role = "master"}
// CHECK-SAME:  %[[COPY:[a-z0-9]+]]: tensor<4xf16> {amp.name = "w", amp.role = "param"}
func.func @frozen(
    %f: tensor<3xf32> {amp.role = "param", amp.name = "frozen"},
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}) {
  // CHECK: call @model_with_frozen(%[[F]], %[[COPY]],
  %g = call @model_with_frozen(%f, %w, %seed) : (tensor<3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// A loop over batches knows nothing of masters: what it has are the masters, each call
// takes copies of them, and the copies that come back are of no use.
// CHECK-LABEL: func.func @epoch(
// CHECK-SAME: %{{.*}}: tensor<3xf32>, %[[START:.*]]: tensor<4xf32>,
// CHECK: scf.for {{.*}} iter_args(%[[W:.*]] = %[[START]]) -> (tensor<4xf32>)
// CHECK-DAG: %[[F:.*]] = amp.cast %{{.*}} : tensor<3xf32> to tensor<3xf16>
// CHECK-DAG: %[[H:.*]] = amp.master_copy %[[W]] : tensor<4xf32> to tensor<4xf16>
// CHECK: %[[NEW:.*]]:2 = func.call @frozen(%[[F]], %[[W]], %{{.*}}, %[[H]])
// CHECK: scf.yield %[[NEW]]#0 : tensor<4xf32>
func.func @epoch(%f: tensor<3xf32>, %w: tensor<4xf32>, %seed: tensor<f32>, %steps: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %steps step %c1 iter_args(%v = %w) -> tensor<4xf32> {
    %n = func.call @frozen(%f, %v, %seed) : (tensor<3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// The model that is called after the step takes the copy that the step made. What the
// train step makes of the step's master has a copy of its own.
// CHECK-LABEL: func.func @averaged(
// CHECK-SAME:  %[[M:[a-z0-9]+]]: tensor<4xf32> {amp.name = "w", amp.role = "master"}
func.func @averaged(
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %b: tensor<2xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"},
        tensor<2xf32> {amp.role = "param", amp.name = "bn.weight", amp.kind = "batch_norm"}) {
  // CHECK: %[[NEW:.*]]:3 = call @optimizer_step(%[[M]],
  // CHECK-NOT: amp.cast %[[NEW]]#0
  // CHECK: call @forward_backward(%[[NEW]]#2,
  // CHECK: %[[SUM:.*]] = arith.addf %[[M]], %[[NEW]]#0
  // CHECK: %[[COPY:.*]] = amp.master_copy %[[SUM]]
  // CHECK: return %[[SUM]], %[[NEW]]#1, %[[COPY]]
  %g:2 = call @forward_backward(%w, %b, %seed)
      : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<2xf32>)
  %n:2 = call @optimizer_step(%w, %b, %g#0, %g#1)
      : (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  %h:2 = call @forward_backward(%n#0, %n#1, %seed)
      : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<2xf32>)
  %sum = arith.addf %w, %n#0 : tensor<4xf32>
  return %sum, %n#1 : tensor<4xf32>, tensor<2xf32>
}

// A frozen parameter that the train step computes with is widened there.
// CHECK-LABEL: func.func @frozen_is_read(
// CHECK-SAME:  %[[F:[a-z0-9]+]]: tensor<3xf16> {amp.name = "frozen", amp.role = "param"}
func.func @frozen_is_read(
    %f: tensor<3xf32> {amp.role = "param", amp.name = "frozen"},
    %w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<3xf32> {amp.role = "output", amp.name = "y0"}) {
  // CHECK: %[[WIDE:.*]] = amp.cast %[[F]] : tensor<3xf16> to tensor<3xf32>
  // CHECK: call @model_with_frozen(%[[F]],
  // CHECK: arith.addf %[[WIDE]], %[[WIDE]]
  %g = call @model_with_frozen(%f, %w, %seed) : (tensor<3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %y = arith.addf %f, %f : tensor<3xf32>
  return %g, %y : tensor<4xf32>, tensor<3xf32>
}
