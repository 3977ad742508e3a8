// RUN: amp-opt %s --amp-round-before-slices --split-input-file | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#at = affine_map<(i, j, k) -> (i, j, k)>

// By way of a slice and a reshape, in order and transposed; one reader computes with what it rounds, twice.
// CHECK-LABEL: func @heads
// CHECK:       %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf16>)
// CHECK:         %[[E:.*]] = math.exp %{{.*}} : f32
// CHECK:         %[[R:.*]] = arith.truncf %[[E]] : f32 to f16
// CHECK:         linalg.yield %[[R]] : f16
// CHECK:       %[[S:.*]] = tensor.extract_slice %[[Y]][0, 0] [4, 4] [1, 1] : tensor<4x8xf16> to tensor<4x4xf16>
// CHECK:       tensor.expand_shape %[[S]] {{.*}} : tensor<4x4xf16> into tensor<4x2x2xf16>
// CHECK:       tensor.extract_slice %[[Y]][0, 4] [4, 4] [1, 1] : tensor<4x8xf16> to tensor<4x4xf16>
// CHECK-NOT:   truncf
// CHECK:       arith.addf %[[A:.*]], %[[A]] : f16
// CHECK-NOT:   truncf
// CHECK:       return
func.func @heads(%x: tensor<4x8xf32>, %e: tensor<4x8xf32>, %h: tensor<4x2x2xbf16>, %g: tensor<4x2x2xf16>, %t: tensor<4x4xf16>)
    -> (tensor<4x2x2xf16>, tensor<4x4xf16>) {
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<4x8xf32>
  %s = tensor.extract_slice %y[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %q = tensor.expand_shape %s [[0], [1, 2]] output_shape [4, 2, 2] : tensor<4x4xf32> into tensor<4x2x2xf32>
  %k = tensor.extract_slice %y[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#at, #at], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<4x2x2xf32>) outs(%g : tensor<4x2x2xf16>) {
  ^bb0(%a: f32, %o: f16):
    %b = arith.truncf %a : f32 to f16
    %c = arith.truncf %a : f32 to f16
    %d = arith.addf %b, %c : f16
    linalg.yield %d : f16
  } -> tensor<4x2x2xf16>
  %r = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<4x4xf32>) outs(%t : tensor<4x4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %b = arith.truncf %a : f32 to f16
    linalg.yield %b : f16
  } -> tensor<4x4xf16>
  return %p, %r : tensor<4x2x2xf16>, tensor<4x4xf16>
}

// -----

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>

// Near misses. A part that is read as it is:
// CHECK-LABEL: func @as_it_is
// CHECK:       outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    linalg.yield
func.func @as_it_is(%x: tensor<8xf32>, %e: tensor<8xf32>, %h: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf32>) {
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<8xf32>
  %s = tensor.extract_slice %y[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %t = tensor.extract_slice %y[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%h : tensor<4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %b = arith.truncf %a : f32 to f16
    linalg.yield %b : f16
  } -> tensor<4xf16>
  return %p, %t : tensor<4xf16>, tensor<4xf32>
}

// Rounded, but also used before:
// CHECK-LABEL: func @used_before
// CHECK:       outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    linalg.yield
func.func @used_before(%x: tensor<8xf32>, %e: tensor<8xf32>, %h: tensor<4xf16>) -> tensor<4xf16> {
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<8xf32>
  %s = tensor.extract_slice %y[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%h : tensor<4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %n = arith.negf %a : f32
    %m = arith.truncf %n : f32 to f16
    %b = arith.truncf %a : f32 to f16
    %c = arith.addf %b, %m : f16
    linalg.yield %c : f16
  } -> tensor<4xf16>
  return %p : tensor<4xf16>
}

// Two types, another mode, a sum, no slice between, and what an operation starts from.
// CHECK-LABEL: func @others
// CHECK-NOT:   outs(%{{.*}} : tensor<8xf16>)
// CHECK:       return
func.func @others(%x: tensor<8xf32>, %m: tensor<8x8xf32>, %e: tensor<8xf32>, %h: tensor<4xf16>, %b: tensor<4xbf16>, %w: tensor<8xf16>)
    -> (tensor<4xf16>, tensor<4xbf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xbf16>, tensor<4xf32>) {
  %two = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %s = tensor.extract_slice %two[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %p = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%h : tensor<4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4xf16>
  %q = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%b : tensor<4xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4xbf16>
  %mode = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp2 %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %t = tensor.extract_slice %mode[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%t : tensor<4xf32>) outs(%h : tensor<4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a toward_zero : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4xf16>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<8x8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %u = tensor.extract_slice %sum[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %v = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%u : tensor<4xf32>) outs(%h : tensor<4xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4xf16>
  %whole = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.sin %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %n = tensor.empty() : tensor<8xbf16>
  %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%whole : tensor<8xf32>) outs(%n : tensor<8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<8xbf16>
  %begun = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.cos %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %c = tensor.extract_slice %begun[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%p : tensor<4xf16>) outs(%c : tensor<4xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.truncf %o : f32 to f16
    %2 = arith.addf %1, %a : f16
    %3 = arith.extf %2 : f16 to f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return %p, %q, %r, %v, %y, %z : tensor<4xf16>, tensor<4xbf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xbf16>, tensor<4xf32>
}
