// RUN: amp-opt %s --amp-annotate-precision | FileCheck %s

// Where the model ends and the loss begins (O2). Inside everything is low, after it
// FP32; the reason names the side that was taken.

module attributes {amp.policy = #amp.policy<O2, cast_model_type = f16,
    keep_batchnorm_fp32 = true, master_weights = true, loss_scale = dynamic>} {

//===----------------------------------------------------------------------===//
// Without origin: the last operation that combines weights with activations
//===----------------------------------------------------------------------===//

// A linear model and a sum of squared errors, forward and backward, from data flow
// alone. The target meets the model's output and no weight: that is the loss.
// CHECK-LABEL: func.func @linear_model
func.func @linear_model(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<8x4xf32> {amp.role = "grad", amp.name = "w"}) {
  // A function of the input alone that feeds the model is in it.
  // CHECK: math.absf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %xa = math.absf %x : tensor<2x8xf32>
  %e0 = tensor.empty() : tensor<2x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">}
  %p = linalg.matmul ins(%xa, %w : tensor<2x8xf32>, tensor<8x4xf32>)
                     outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  // What only the loss reads is the loss, a function of the output included.
  // CHECK: math.tanh {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %t = math.tanh %p : tensor<2x4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %d = arith.subf %t, %y : tensor<2x4xf32>
  %e1 = tensor.empty() : tensor<f32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %l = linalg.reduce ins(%d : tensor<2x4xf32>) outs(%e1 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  // Backward: what reads the loss's values only differentiates the loss.
  %e2 = tensor.empty() : tensor<2x4xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e2 : tensor<2x4xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = {{[0-9]+}}, backward, "after the model's end">
  %gd = arith.mulf %g, %d : tensor<2x4xf32>
  // What reads a value from inside the model differentiates the model.
  %e4 = tensor.empty() : tensor<8x4xf32>
  // CHECK: linalg.matmul {{.*}}{amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">}
  %gw = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>,
                                       affine_map<(m, n, k) -> (k, n)>,
                                       affine_map<(m, n, k) -> (m, n)>]
      ins(%xa, %gd : tensor<2x8xf32>, tensor<2x4xf32>) outs(%e4 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %l, %gw : tensor<f32>, tensor<8x4xf32>
}

// An activation between two weights is inside, and so is a norm of one's own making:
// Apex casts layer norm with the model.
// CHECK-LABEL: func.func @layer_norm_inside
func.func @layer_norm_inside(
    %w: tensor<8x8xf32> {amp.role = "param", amp.name = "w"},
    %gamma: tensor<8xf32> {amp.role = "param", amp.name = "ln.weight"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x8xf32>, tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %e0 = tensor.empty() : tensor<2x8xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %e2 = tensor.empty() : tensor<f32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">}
  %h = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x8xf32>)
                     outs(%e0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<low, {{.*}}"inside the model">
  %v = linalg.reduce ins(%h : tensor<2x8xf32>) outs(%e1 : tensor<2xf32>) dimensions = [1]
      (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  // CHECK: math.rsqrt {{.*}}#amp.class<low, {{.*}}"inside the model">
  %r = math.rsqrt %v : tensor<2xf32>
  %rb = linalg.broadcast ins(%r : tensor<2xf32>) outs(%e0 : tensor<2x8xf32>) dimensions = [1]
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %n = arith.mulf %h, %rb : tensor<2x8xf32>
  %gb = linalg.broadcast ins(%gamma : tensor<8xf32>) outs(%e0 : tensor<2x8xf32>) dimensions = [0]
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %o = arith.mulf %n, %gb : tensor<2x8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %l = linalg.reduce ins(%o : tensor<2x8xf32>) outs(%e2 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  return %o, %l, %seed : tensor<2x8xf32>, tensor<f32>, tensor<f32>
}

// A view that only the backward pass reads is the activation that it shows: the weight
// gradient, written with an explicit transpose, differentiates the model.
// CHECK-LABEL: func.func @transposed_activation
func.func @transposed_activation(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32>, tensor<8x4xf32> {amp.role = "grad", amp.name = "w"}) {
  %xa = math.absf %x : tensor<2x8xf32>
  %e0 = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%xa, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e0 : tensor<2x4xf32>) dimensions = [0, 1]
  %e1 = tensor.empty() : tensor<8x2xf32>
  %xt = linalg.transpose ins(%xa : tensor<2x8xf32>) outs(%e1 : tensor<8x2xf32>) permutation = [1, 0]
  %e2 = tensor.empty() : tensor<8x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">}
  %gw = linalg.matmul ins(%xt, %g : tensor<8x2xf32>, tensor<2x4xf32>) outs(%e2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %p, %gw : tensor<2x4xf32>, tensor<8x4xf32>
}

// So is a product that is saved for it.
// CHECK-LABEL: func.func @saved_product
func.func @saved_product(
    %w: tensor<2x8xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x8xf32>, tensor<2x8xf32> {amp.role = "grad", amp.name = "w"}) {
  %xa = math.absf %x : tensor<2x8xf32>
  %p = arith.mulf %xa, %w : tensor<2x8xf32>
  // CHECK: arith.addf {{.*}}#amp.class<low, unit = {{[0-9]+}}, "inside the model">
  %twice = arith.addf %xa, %xa : tensor<2x8xf32>
  %e0 = tensor.empty() : tensor<2x8xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e0 : tensor<2x8xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">
  %gw = arith.mulf %g, %twice : tensor<2x8xf32>
  return %p, %gw : tensor<2x8xf32>, tensor<2x8xf32>
}

// Near miss: a view of the model's output shows what the loss works on.
// CHECK-LABEL: func.func @transposed_output
func.func @transposed_output(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32>, tensor<4x2xf32> {amp.role = "grad", amp.name = "w"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  %e1 = tensor.empty() : tensor<4x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %t = math.tanh %p : tensor<2x4xf32>
  %pt = linalg.transpose ins(%p : tensor<2x4xf32>) outs(%e1 : tensor<4x2xf32>) permutation = [1, 0]
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e1 : tensor<4x2xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = {{[0-9]+}}, backward, "after the model's end">
  %gp = arith.mulf %g, %pt : tensor<4x2xf32>
  return %t, %gp : tensor<2x4xf32>, tensor<4x2xf32>
}

// The gradient of the first weight reads the batch itself, or rows that an embedding
// gave; so does that of a scale.
// CHECK-LABEL: func.func @weight_gradient_of_input
func.func @weight_gradient_of_input(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %table: tensor<9x8xf32> {amp.role = "param", amp.name = "table"},
    %scale: tensor<2x8xf32> {amp.role = "param", amp.name = "scale"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %ids: tensor<2xindex> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x8xf32>,
        tensor<8x4xf32> {amp.role = "grad", amp.name = "w"}, tensor<8x4xf32>,
        tensor<2x8xf32> {amp.role = "grad", amp.name = "scale"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  %e1 = tensor.empty() : tensor<8x2xf32>
  %e2 = tensor.empty() : tensor<8x4xf32>
  %e3 = tensor.empty() : tensor<2x8xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<2xindex>) outs(%e3 : tensor<2x8xf32>) {
  ^bb0(%id: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%id, %j] : tensor<9x8xf32>
    linalg.yield %v : f32
  } -> tensor<2x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %q = linalg.matmul ins(%rows, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = arith.mulf %x, %scale : tensor<2x8xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e0 : tensor<2x4xf32>) dimensions = [0, 1]
  %xt = linalg.transpose ins(%x : tensor<2x8xf32>) outs(%e1 : tensor<8x2xf32>) permutation = [1, 0]
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">}
  %gw = linalg.matmul ins(%xt, %g : tensor<8x2xf32>, tensor<2x4xf32>) outs(%e2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %rt = linalg.transpose ins(%rows : tensor<2x8xf32>) outs(%e1 : tensor<8x2xf32>) permutation = [1, 0]
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">}
  %gr = linalg.matmul ins(%rt, %g : tensor<8x2xf32>, tensor<2x4xf32>) outs(%e2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %gb = linalg.broadcast ins(%seed : tensor<f32>) outs(%e3 : tensor<2x8xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">
  %gs = arith.mulf %gb, %x : tensor<2x8xf32>
  return %p, %q, %s, %gw, %gr, %gs : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<2x8xf32>
}

// Near miss: the input of an autoencoder is its target too. The contraction
// differentiates the model, the product the loss (x * log y).
// CHECK-LABEL: func.func @input_is_target
func.func @input_is_target(
    %w: tensor<8x8xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x8xf32>, tensor<8x8xf32> {amp.role = "grad", amp.name = "w"}) {
  %e0 = tensor.empty() : tensor<2x8xf32>
  %e1 = tensor.empty() : tensor<8x2xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x8xf32>) outs(%e0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %log = math.log %y : tensor<2x8xf32>
  %loss = arith.mulf %x, %log : tensor<2x8xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e0 : tensor<2x8xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = {{[0-9]+}}, backward, "after the model's end">
  %glog = arith.mulf %g, %x : tensor<2x8xf32>
  // CHECK: arith.divf {{.*}}#amp.class<high, unit = {{[0-9]+}}, backward, "after the model's end">
  %gy = arith.divf %glog, %y : tensor<2x8xf32>
  %xt = linalg.transpose ins(%x : tensor<2x8xf32>) outs(%e1 : tensor<8x2xf32>) permutation = [1, 0]
  // CHECK: linalg.matmul {amp.class = #amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">}
  %gw = linalg.matmul ins(%xt, %gy : tensor<8x2xf32>, tensor<2x8xf32>) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %loss, %gw : tensor<2x8xf32>, tensor<8x8xf32>
}

// Memory and constants that model and loss share say nothing about either, nor does
// the size of an activation.
// CHECK-LABEL: func.func @shared_constants
func.func @shared_constants(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<?x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<?x4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<?x4xf32>, tensor<?x4xf32> {amp.role = "grad", amp.name = "w"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %d = arith.subf %p, %y : tensor<?x4xf32>
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e : tensor<?x4xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %gd = arith.mulf %g, %d : tensor<?x4xf32>
  // CHECK: arith.addf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %gf = arith.addf %gd, %f : tensor<?x4xf32>
  return %d, %gf : tensor<?x4xf32>, tensor<?x4xf32>
}

// What depends on parameters alone is neither here nor there: weight decay in the
// loss meets no activation, so it is not the model.
// CHECK-LABEL: func.func @weight_penalty
func.func @weight_penalty(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<2x4xf32>, tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">}
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>)
                     outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %e1 = tensor.empty() : tensor<f32>
  %l = linalg.reduce ins(%w : tensor<8x4xf32>) outs(%e1 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  return %p, %l, %seed : tensor<2x4xf32>, tensor<f32>, tensor<f32>
}

// The evaluate function is all model: there is no loss in it.
// CHECK-LABEL: func.func @evaluate
func.func @evaluate(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<2x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>)
                     outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<low, {{.*}}"inside the model">
  %t = math.tanh %p : tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// A function that returns its loss beside its output is no evaluation: what follows the
// model is the loss. Near miss: the output alone.
// CHECK-LABEL: func.func @loss_and_output
func.func @loss_and_output(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<2x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  %e1 = tensor.empty() : tensor<f32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">}
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>)
                     outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %d = arith.subf %p, %y : tensor<2x4xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %l = linalg.reduce ins(%d : tensor<2x4xf32>) outs(%e1 : tensor<f32>) dimensions = [0, 1]
      (%a: f32, %acc: f32) {
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %q, %acc : f32
        linalg.yield %s : f32
      }
  return %l, %p : tensor<f32>, tensor<2x4xf32>
}

// An evaluation that returns a loss as an output: the front end says which it is. What
// follows from it is no model either; what a weight meets is.
// CHECK-LABEL: func.func @loss_as_output
func.func @loss_as_output(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %v: tensor<2x4xf32> {amp.role = "param", amp.name = "v"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<2x4xf32> {amp.role = "batch", amp.name = "x1"})
    -> (tensor<2x4xf32> {amp.role = "output", amp.name = "y0"},
        tensor<2x4xf32> {amp.role = "output", amp.name = "y1"},
        tensor<2x4xf32> {amp.role = "output", amp.name = "y2"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>)
                     outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<low, {{.*}}"inside the model">
  %t = math.tanh %p : tensor<2x4xf32>
  // CHECK: arith.subf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %d = arith.subf %t, %y {amp.function = "torch.nn.functional.mse_loss", amp.scope_id = 7 : i64} : tensor<2x4xf32>
  // CHECK: math.absf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %a = math.absf %d : tensor<2x4xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %m = arith.mulf %d, %v : tensor<2x4xf32>
  return %t, %a, %m : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// An evaluation whose output is marked ends there.
// CHECK-LABEL: func.func @marked_evaluation
func.func @marked_evaluation(
    %w: tensor<8x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<2x8xf32> {amp.role = "batch", amp.name = "x0"})
    -> (tensor<2x4xf32> {amp.role = "output", amp.name = "y0"}) {
  %e0 = tensor.empty() : tensor<2x4xf32>
  // CHECK: linalg.matmul {amp.class = #amp.class<low, {{.*}}"inside the model">, amp.model_output}
  %p = linalg.matmul {amp.model_output} ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>)
                     outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: math.tanh {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %t = math.tanh %p : tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

//===----------------------------------------------------------------------===//
// With origin
//===----------------------------------------------------------------------===//

// The forward operation decides for its backward ones, whatever those read: the
// gradient of the model's last operation reads only the loss's gradient.
// CHECK-LABEL: func.func @paired_by_id
func.func @paired_by_id(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<8xf32> {amp.role = "grad", amp.name = "w"}) {
  %e1 = tensor.empty() : tensor<f32>
  %e2 = tensor.empty() : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, unit = [[MUL:[0-9]+]], "inside the model">
  %p = arith.mulf %x, %w {amp.phase = "forward", amp.scope_id = 0 : i64} : tensor<8xf32>
  // CHECK: linalg.reduce {{.*}}#amp.class<high, unit = [[SUM:[0-9]+]], "after the model's end">
  %l = linalg.reduce ins(%p : tensor<8xf32>) outs(%e1 : tensor<f32>) dimensions = [0]
      {amp.phase = "forward", amp.scope_id = 1 : i64} (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  %g = linalg.broadcast ins(%seed : tensor<f32>) outs(%e2 : tensor<8xf32>) dimensions = [0]
  // CHECK: arith.addf {{.*}}#amp.class<high, unit = [[SUM]], backward, "after the model's end">
  %gl = arith.addf %g, %g {amp.phase = "backward", amp.scope_id = 1 : i64} : tensor<8xf32>
  // CHECK: arith.negf {{.*}}#amp.class<low, unit = [[MUL]], backward, "inside the model">
  %gp = arith.negf %gl {amp.phase = "backward", amp.scope_id = 0 : i64} : tensor<8xf32>
  return %p, %l, %gp : tensor<8xf32>, tensor<f32>, tensor<8xf32>
}

// A loss function is the loss even where it has weights of its own (class weights).
// CHECK-LABEL: func.func @loss_function_with_weights
func.func @loss_function_with_weights(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %cw: tensor<8xf32> {amp.role = "buffer", amp.name = "class_weight"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<f32> {amp.role = "loss", amp.name = "loss"},
        tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %p = arith.mulf %x, %w {amp.function = "torch.Tensor.mul", amp.scope_id = 0 : i64} : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %q = arith.mulf %p, %cw {amp.function = "torch.nn.functional.cross_entropy", amp.scope_id = 1 : i64} : tensor<8xf32>
  %e1 = tensor.empty() : tensor<f32>
  %l = linalg.reduce ins(%q : tensor<8xf32>) outs(%e1 : tensor<f32>) dimensions = [0]
      (%a: f32, %acc: f32) {
        %s = arith.addf %a, %acc : f32
        linalg.yield %s : f32
      }
  return %l, %seed : tensor<f32>, tensor<f32>
}

// Near miss: the same operations without the name are a model with one more weight.
// CHECK-LABEL: func.func @unnamed_weights
func.func @unnamed_weights(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %cw: tensor<8xf32> {amp.role = "buffer", amp.name = "class_weight"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %p = arith.mulf %x, %w {amp.function = "torch.Tensor.mul", amp.scope_id = 0 : i64} : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %q = arith.mulf %p, %cw {amp.function = "torch.Tensor.mul", amp.scope_id = 1 : i64} : tensor<8xf32>
  return %q, %seed : tensor<8xf32>, tensor<f32>
}

//===----------------------------------------------------------------------===//
// Several blocks: what a branch hands over is what the block is given
//===----------------------------------------------------------------------===//

// Activations, the seed and a weight go through block arguments; one block stands
// before the block that it comes after.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%c: i1,
    %w: tensor<4x4xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<4x4xf32> {amp.role = "batch", amp.name = "x0"},
    %y: tensor<4x4xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<4x4xf32>, tensor<4x4xf32> {amp.role = "grad", amp.name = "w"}) {
  %e = tensor.empty() : tensor<4x4xf32>
  cf.cond_br %c, ^model(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>), ^first
^loss(%out: tensor<4x4xf32>, %s: tensor<f32>):
  // The target meets the model's output: the loss, and its gradient.
  // CHECK: arith.subf {{.*}}#amp.class<high, unit = {{[0-9]+}}, "after the model's end">
  %d = arith.subf %out, %y : tensor<4x4xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<4x4xf32>) dimensions = [0, 1]
  // CHECK: arith.mulf {{.*}}#amp.class<high, unit = {{[0-9]+}}, backward, "after the model's end">
  %gd = arith.mulf %b, %d : tensor<4x4xf32>
  // CHECK: linalg.matmul {{.*}}#amp.class<low, unit = {{[0-9]+}}, backward, "inside the model">
  %g = linalg.matmul ins(%x, %gd : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d, %g : tensor<4x4xf32>, tensor<4x4xf32>
^first:
  // A function of the input alone that a branch hands to the model.
  // CHECK: math.absf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %a = math.absf %x : tensor<4x4xf32>
  cf.br ^model(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>)
^model(%h: tensor<4x4xf32>, %v: tensor<4x4xf32>):
  // CHECK: linalg.matmul {{.*}}#amp.class<low, unit = {{[0-9]+}}, "inside the model">
  %p = linalg.matmul ins(%h, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  cf.br ^loss(%p, %seed : tensor<4x4xf32>, tensor<f32>)
}

// A loop of blocks: what is handed back to the block with the weight feeds the model,
// what leaves it does not.
// CHECK-LABEL: func.func @loop_of_blocks
func.func @loop_of_blocks(%c: i1,
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  cf.br ^body(%x : tensor<8xf32>)
^body(%h: tensor<8xf32>):
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %p = arith.mulf %h, %w : tensor<8xf32>
  // CHECK: math.absf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %t = math.absf %p : tensor<8xf32>
  // CHECK: arith.negf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %n = arith.negf %t : tensor<8xf32>
  cf.cond_br %c, ^body(%t : tensor<8xf32>), ^end
^end:
  return %n, %seed : tensor<8xf32>, tensor<f32>
}

//===----------------------------------------------------------------------===//
// Override
//===----------------------------------------------------------------------===//

// amp.model_output: a head after the last weight belongs to the model because its
// author says so.
// CHECK-LABEL: func.func @marked_after_last_weight
func.func @marked_after_last_weight(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %p = arith.mulf %x, %w : tensor<8xf32>
  // CHECK: math.tanh {{.*}}#amp.class<low, {{.*}}"inside the model">
  %t = math.tanh %p {amp.model_output} : tensor<8xf32>
  // CHECK: arith.negf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %n = arith.negf %t : tensor<8xf32>
  return %n, %seed : tensor<8xf32>, tensor<f32>
}

// The other way: what comes after the mark is the loss, weights or not.
// CHECK-LABEL: func.func @marked_before_last_weight
func.func @marked_before_last_weight(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %v: tensor<8xf32> {amp.role = "param", amp.name = "v"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %p = arith.mulf %x, %w {amp.model_output} : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %q = arith.mulf %p, %v : tensor<8xf32>
  return %q, %seed : tensor<8xf32>, tensor<f32>
}

// A buffer of the step's own is no weight: what meets it is not the model. Near miss: an
// average of a weight, which a model may compute with.
// CHECK-LABEL: func.func @buffers_of_the_step
func.func @buffers_of_the_step(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %own: tensor<8xf32> {amp.role = "buffer", amp.name = "own", amp.of = ""},
    %average: tensor<8xf32> {amp.role = "buffer", amp.name = "average", amp.of = "w"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  // CHECK: arith.addf {{.*}}#amp.class<high, {{.*}}"after the model's end">
  %p = arith.addf %x, %own : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %q = arith.mulf %x, %average : tensor<8xf32>
  return %p, %q, %seed : tensor<8xf32>, tensor<8xf32>, tensor<f32>
}

// What is computed from integers alone is no value of the model's yet: Apex casts the
// inputs and the parameters, and forward() makes f32 of its integers. It is rounded
// where it meets the model.
// CHECK-LABEL: func.func @integers
func.func @integers(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %ids: tensor<8xi64> {amp.role = "batch", amp.name = "x0"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x1"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  // CHECK: arith.sitofp {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %f = arith.sitofp %ids : tensor<8xi64> to tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %h = arith.mulf %f, %half : tensor<8xf32>
  // CHECK: arith.fptosi {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %i = arith.fptosi %h : tensor<8xf32> to tensor<8xi64>
  // So with integers that come from the model itself, a mask or a maximum's place.
  // CHECK: arith.cmpf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %positive = arith.cmpf ogt, %x, %half : tensor<8xf32>
  // CHECK: arith.uitofp {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %mask = arith.uitofp %positive : tensor<8xi1> to tensor<8xf32>
  // CHECK: arith.sitofp {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %p = arith.sitofp %i : tensor<8xi64> to tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %m = arith.mulf %p, %mask : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %y = arith.mulf %w, %m : tensor<8xf32>
  return %y, %seed : tensor<8xf32>, tensor<f32>
}

// Near miss: the same arithmetic on a floating input, which Apex casts.
// CHECK-LABEL: func.func @floating_input
func.func @floating_input(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %f: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %h = arith.mulf %f, %half : tensor<8xf32>
  // CHECK: arith.fptosi {{.*}}#amp.class<low, {{.*}}"inside the model">
  %i = arith.fptosi %h : tensor<8xf32> to tensor<8xi64>
  // CHECK: arith.sitofp {{.*}}#amp.class<high, {{.*}}"computed from integers alone">
  %p = arith.sitofp %i : tensor<8xi64> to tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">
  %y = arith.mulf %w, %p : tensor<8xf32>
  return %y, %seed : tensor<8xf32>, tensor<f32>
}

// A loss function before the mark is the model's: its author says where that ends.
// CHECK-LABEL: func.func @marked_after_loss_function
func.func @marked_after_loss_function(
    %w: tensor<8xf32> {amp.role = "param", amp.name = "w"},
    %x: tensor<8xf32> {amp.role = "batch", amp.name = "x0"},
    %seed: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"})
    -> (tensor<8xf32>, tensor<f32> {amp.role = "grad", amp.name = "w"}) {
  %p = arith.mulf %x, %w : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<low, {{.*}}"inside the model">, amp.function = "torch.nn.functional.mse_loss"
  %q = arith.mulf %p, %p {amp.function = "torch.nn.functional.mse_loss", amp.scope_id = 1 : i64} : tensor<8xf32>
  // CHECK: math.tanh {{.*}}#amp.class<low, {{.*}}"inside the model">
  %t = math.tanh %q {amp.model_output} : tensor<8xf32>
  // CHECK: arith.mulf {{.*}}#amp.class<high, {{.*}}"after the model's end">, amp.function = "torch.nn.functional.mse_loss"
  %l = arith.mulf %t, %t {amp.function = "torch.nn.functional.mse_loss", amp.scope_id = 2 : i64} : tensor<8xf32>
  return %l, %seed : tensor<8xf32>, tensor<f32>
}

} // module
