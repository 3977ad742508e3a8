// Helpers of several blocks are not inlined: each is copied for each context that it is
// called in.
//
// RUN: amp-opt %s --split-input-file --amp-specialize-helpers | FileCheck %s
// RUN: amp-opt %s --split-input-file --amp-annotate-precision --amp-insert-casts | FileCheck %s --check-prefix=PLAIN
// RUN: amp-opt %s --split-input-file --amp-specialize-helpers --amp-annotate-precision --amp-insert-casts | FileCheck %s --check-prefix=CASTS
// RUN: amp-opt %s --split-input-file --amp-specialize-helpers --amp-specialize-helpers | FileCheck %s

// One product for the model, forward and backward, and for the optimizer.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  // CHECK-LABEL: func.func @forward_backward(
  // CHECK: call @product(%{{.*}}) {amp.context = {arguments = ["batch float in_model into_model forward", "param float in_model into_model forward"], results = ["param batch float in_model into_loss forward"]}}
  // CHECK: call @[[BACK:product_[0-9]+]](%{{.*}}) {amp.context = {arguments = ["batch seed float
  // CASTS-LABEL: func.func @forward_backward(
  func.func @forward_backward(%w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"},
      %s: tensor<f32> {amp.role = "loss_seed", amp.name = "l"})
      -> (tensor<4x4xf32> {amp.role = "grad", amp.name = "w"}, tensor<f32> {amp.role = "loss", amp.name = "l"}) {
    %y = call @product(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %z = arith.constant dense<0.0> : tensor<f32>
    %l = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%y : tensor<4x4xf32>) outs(%z : tensor<f32>) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    } -> tensor<f32>
    %e = tensor.empty() : tensor<4x4xf32>
    %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4x4xf32>) dimensions = [0, 1]
    %t = arith.mulf %b, %x : tensor<4x4xf32>
    %g = call @product(%t, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %g, %l : tensor<4x4xf32>, tensor<f32>
  }
  // CHECK-LABEL: func.func @step(
  // CHECK: call @[[STEP:product_[0-9]+]](%{{.*}}) {amp.context = {{.*}}optimizer
  func.func @step(%w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
      %g: tensor<4x4xf32> {amp.role = "grad", amp.name = "w"})
      -> (tensor<4x4xf32> {amp.role = "param", amp.name = "w"}) {
    %p = call @product(%w, %g) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %p : tensor<4x4xf32>
  }
  // The first of the two is handed the batch, and the second what the model computed.
  // CHECK-LABEL: func.func @evaluate(
  // CHECK: %[[Y:.*]] = call @[[EVALUATE:product_[0-9]+]](%
  // CHECK: call @[[INNER:product_[0-9]+]](%[[Y]],
  func.func @evaluate(%w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"})
      -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
    %y = call @product(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %z = call @product(%y, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %z : tensor<4x4xf32>
  }
  // Half for the model, FP32 for the optimizer. Without contexts it is in no model.
  // CASTS: func.func private @product(
  // CASTS: linalg.matmul {amp.class = #amp.class<low, unit = {{.*}}, "inside the model">} ins({{.*}} : tensor<4x4xf16>, tensor<4x4xf16>)
  // CASTS: linalg.matmul {amp.class = #amp.class<low, unit = {{.*}}, backward, "inside the model">} ins({{.*}} : tensor<4x4xf16>, tensor<4x4xf16>)
  // CASTS: linalg.matmul {amp.class = #amp.class<high, unit = {{.*}}, "optimizer on master weights">} ins({{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
  // CASTS-NOT: amp.context
  // PLAIN: linalg.matmul {amp.class = #amp.class<high, unit = {{.*}}, "after the model's end">} ins({{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
  func.func private @product(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %z = arith.constant dense<0.0> : tensor<4x4xf32>
    %p = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    cf.br ^end
  ^end:
    return %p : tensor<4x4xf32>
  }
}

// -----

// At O1 what is stored decides: a sum of half values is half, another is not.
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>} {
  // CASTS-LABEL: func.func @stored(
  // CASTS: call @sum(
  // CASTS: call @[[HALF:sum_[0-9]+]](
  // CASTS: func.func private @sum(
  // CASTS-NEXT: %[[S:.*]] = arith.addf
  // CASTS-NEXT: cf.br
  // CASTS: return %[[S]]
  // CASTS: func.func private @[[HALF]](
  // CASTS-NEXT: %[[S:.*]] = arith.addf
  // CASTS-NEXT: %[[H:.*]] = amp.cast %[[S]] : tensor<4x4xf32> to tensor<4x4xf16>
  // CASTS-NEXT: %[[R:.*]] = amp.cast %[[H]] : tensor<4x4xf16> to tensor<4x4xf32>
  // CASTS: return %[[R]]
  // CASTS-NOT: func.func private
  func.func @stored(%w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"})
      -> (tensor<4x4xf32> {amp.role = "output", amp.name = "y0"}) {
    %z = arith.constant dense<0.0> : tensor<4x4xf32>
    %a = call @sum(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %p = linalg.matmul ins(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    %b = call @sum(%p) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %b : tensor<4x4xf32>
  }
  func.func private @sum(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %s = arith.addf %a, %a : tensor<4x4xf32>
    cf.br ^end
  ^end:
    return %s : tensor<4x4xf32>
  }
}

// -----

// Near misses. What others may call stays as it is beside its copy; what nobody with
// roles calls is left alone; a function that calls itself has a copy that calls itself.
module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16, keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {
  // CHECK-LABEL: func.func @others(
  // CASTS-LABEL: func.func @others(
  // CHECK: call @[[SEEN:public_[0-9]+]](%{{.*}}) {amp.context
  // CHECK: call @again(%{{.*}}) {amp.context
  func.func @others(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}, %n: index)
      -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
    %y = call @public(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = call @again(%y, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
    return %z : tensor<4xf32>
  }
  // CHECK: func.func @public(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: func.func private @[[SEEN]]({{.*}}attributes {amp.context
  func.func @public(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.mulf %x, %w : tensor<4xf32>
    cf.br ^end
  ^end:
    return %y : tensor<4xf32>
  }
  // CHECK: func.func private @again({{.*}}attributes {amp.context
  // CHECK: call @again(%{{.*}}) {amp.context
  // CHECK-NOT: func.func private @again
  func.func private @again(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = arith.subi %n, %c1 : index
    %done = arith.cmpi eq, %n, %c0 : index
    cf.cond_br %done, ^end(%x : tensor<4xf32>), ^more
  ^more:
    %e = math.exp %x : tensor<4xf32>
    %y = call @again(%e, %m) : (tensor<4xf32>, index) -> tensor<4xf32>
    cf.br ^end(%y : tensor<4xf32>)
  ^end(%r: tensor<4xf32>):
    return %r : tensor<4xf32>
  }
  // CHECK: func.func private @alone(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
  func.func private @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
    cf.br ^end
  ^end:
    return %x : tensor<4xf32>
  }
}

// -----

// O0 decides nothing.
module attributes {amp.policy = #amp.policy<O0, loss_scale = 1.0>} {
  // CHECK-LABEL: func.func @at_o0(
  // CHECK-NOT: amp.context
  func.func @at_o0(%w: tensor<4xf32> {amp.role = "param", amp.name = "w"},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
      -> (tensor<4xf32> {amp.role = "output", amp.name = "y0"}) {
    %y = call @first(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  func.func private @first(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
    cf.br ^end
  ^end:
    return %x : tensor<4xf32>
  }
}
