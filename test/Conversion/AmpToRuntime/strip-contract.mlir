// RUN: amp-opt %s --amp-strip-contract | FileCheck %s

// Everything that begins with "amp." goes, wherever it stands, but for what
// amp-describe-program makes data of; the rest stays.

// CHECK: module attributes {amp.cpu = {cpu = "znver4"}, amp.scalers = [], other.policy = 1 : i32} {
module attributes {amp.policy = #amp.policy<O1, patch_type = f16, loss_scale = dynamic>,
                   amp.casts_inserted, amp.cpu = {cpu = "znver4"}, amp.scalers = [], other.policy = 1 : i32} {
  // CHECK-LABEL: func.func @step(
  // CHECK-SAME: %[[W:.*]]: tensor<4xf32> {bufferization.writable = false}, %[[X:.*]]: tensor<4xf32>)
  // CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32> {other.result})
  // CHECK-SAME: attributes {amp.signature = {
  // CHECK-SAME:   arguments = [{kind = "batch_norm", name = "w", role = "param", type = tensor<4xf32>}, {name = "x0", role = "batch", type = tensor<4xf32>}],
  // CHECK-SAME:   kind = "evaluate",
  // CHECK-SAME:   results = [{name = "w", role = "param", type = tensor<4xf32>}, {name = "y0", role = "output", type = tensor<4xf32>}]},
  // CHECK-SAME:   llvm.emit_c_interface} {
  func.func @step(
      %w: tensor<4xf32> {amp.role = "param", amp.name = "w", amp.kind = "batch_norm", bufferization.writable = false},
      %x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"})
      -> (tensor<4xf32> {amp.role = "param", amp.name = "w"}, tensor<4xf32> {amp.role = "output", amp.name = "y0", other.result})
      attributes {llvm.emit_c_interface} {
    // CHECK: %[[E:.*]] = math.exp %[[X]] : tensor<4xf32>
    %0 = math.exp %x {amp.class = #amp.class<high, unit = 0, "why">, amp.scope = "aten.exp",
                      amp.function = "torch.exp", amp.phase = "forward", amp.scope_id = 1 : i64,
                      amp.layer = "l", amp.model_output} : tensor<4xf32>
    // In regions too.
    // CHECK: linalg.generic
    // CHECK-SAME: outs(%{{.*}} : tensor<4xf32>) {
    // CHECK: math.absf %{{.*}} : f32
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%0 : tensor<4xf32>) outs(%w : tensor<4xf32>) attrs = {amp.scope = "aten.abs"} {
    ^bb0(%a: f32, %o: f32):
      %2 = math.absf %a {amp.scope = "aten.abs"} : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    // Near miss: an attribute of another dialect, and one whose name only looks alike.
    // CHECK: arith.negf %{{.*}} {amplitude = 2 : i32, other.scope = "x"}
    %3 = arith.negf %1 {amplitude = 2 : i32, other.scope = "x"} : tensor<4xf32>
    return %w, %3 : tensor<4xf32>, tensor<4xf32>
  }

  // Nobody calls it from outside, so it has no signature.
  // CHECK: func.func @inner(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
  func.func @inner(%x: tensor<4xf32> {amp.role = "batch", amp.name = "x0"}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
