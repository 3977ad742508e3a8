#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> ()>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map9 = affine_map<(d0, d1) -> (d1)>
#map10 = affine_map<(d0, d1) -> (d0)>
#map11 = affine_map<(d0, d1) -> (d0, 0)>
#map12 = affine_map<(d0) -> ()>
#map13 = affine_map<(d0, d1) -> (0, d1)>
#map14 = affine_map<(d0, d1) -> ()>
#map15 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map16 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>
#map17 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#map18 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
module {
  func.func @forward_backward(%arg0: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, %arg1: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, %arg2: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, %arg3: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, %arg4: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, %arg5: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, %arg6: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, %arg7: tensor<10x16xf32> {amp.name = "head.weight", amp.role = "param"}, %arg8: tensor<10xf32> {amp.name = "head.bias", amp.role = "param"}, %arg9: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, %arg10: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, %arg11: tensor<i64> {amp.kind = "batch_norm", amp.name = "norm.num_batches_tracked", amp.role = "buffer"}, %arg12: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, %arg13: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}, %arg14: tensor<i64> {amp.kind = "batch_norm", amp.name = "last.num_batches_tracked", amp.role = "buffer"}, %arg15: tensor<4x3x16x16xf32> {amp.name = "x0", amp.role = "batch"}, %arg16: tensor<4xi64> {amp.name = "x1", amp.role = "batch"}, %arg17: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"}) -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "grad"}, tensor<8xf32> {amp.name = "norm.weight", amp.role = "grad"}, tensor<8xf32> {amp.name = "norm.bias", amp.role = "grad"}, tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "grad"}, tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "grad"}, tensor<16xf32> {amp.name = "last.weight", amp.role = "grad"}, tensor<16xf32> {amp.name = "last.bias", amp.role = "grad"}, tensor<10x16xf32> {amp.name = "head.weight", amp.role = "grad"}, tensor<10xf32> {amp.name = "head.bias", amp.role = "grad"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, tensor<i64> {amp.kind = "batch_norm", amp.name = "norm.num_batches_tracked", amp.role = "buffer"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}, tensor<i64> {amp.kind = "batch_norm", amp.name = "last.num_batches_tracked", amp.role = "buffer"}) {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c10 = arith.constant 10 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.0158730158730158 : f64
    %cst_3 = arith.constant 0.000000e+00 : f64
    %cst_4 = arith.constant 1.0009775171065494 : f64
    %cst_5 = arith.constant 9.000000e-01 : f64
    %cst_6 = arith.constant 1.000000e-01 : f64
    %cst_7 = arith.constant 1.000000e-05 : f64
    %cst_8 = arith.constant 9.765625E-4 : f32
    %c-1_i32 = arith.constant -1 : i32
    %cst_9 = arith.constant 1.562500e-02 : f32
    %cst_10 = arith.constant 1.600000e+01 : f32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c-1_i64 = arith.constant -1 : i64
    %cst_11 = arith.constant dense<0> : tensor<i64>
    %padded = tensor.pad %arg15 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %cst : f32
    } : tensor<4x3x16x16xf32> to tensor<4x3x18x18xf32>
    %0 = tensor.empty() : tensor<4x8x16x16xf32>
    %1 = linalg.fill {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64} ins(%cst : f32) outs(%0 : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
    %2 = linalg.conv_2d_nchw_fchw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg0 : tensor<4x3x18x18xf32>, tensor<8x3x3x3xf32>) outs(%1 : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
    %3 = tensor.empty() : tensor<i64>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg11 : tensor<i64>) outs(%3 : tensor<i64>) attrs =  {amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 1 : i64} {
    ^bb0(%in: i64, %out: i64):
      %237 = arith.addi %in, %c1_i64 : i64
      linalg.yield %237 : i64
    } -> tensor<i64>
    %5 = tensor.empty() : tensor<1x8x1x1xf32>
    %6 = linalg.fill {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%5 : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%2 : tensor<4x8x16x16xf32>) outs(%6 : tensor<1x8x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<1x8x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<1x8x1x1xf32>) outs(%5 : tensor<1x8x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_8 : f32
      linalg.yield %237 : f32
    } -> tensor<1x8x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %8 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%10 : tensor<4x8x16x16xf32>) outs(%6 : tensor<1x8x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<1x8x1x1xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x8x1x1xf32>) outs(%5 : tensor<1x8x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_8 : f32
      linalg.yield %237 : f32
    } -> tensor<1x8x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x8x1x1xf32>) outs(%5 : tensor<1x8x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 9.99999974E-6 : f32
      %237 = arith.addf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<1x8x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x8x1x1xf32>) outs(%5 : tensor<1x8x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = math.rsqrt %in : f32
      linalg.yield %237 : f32
    } -> tensor<1x8x1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %14 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %collapsed = tensor.collapse_shape %8 [[0, 1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<8xf32>
    %collapsed_12 = tensor.collapse_shape %14 [[0, 1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<8xf32>
    %16 = tensor.empty() : tensor<8xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 1.000000e-01 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg9 : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 0.899999976 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%17, %18 : tensor<8xf32>, tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %collapsed_13 = tensor.collapse_shape %12 [[0, 1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<8xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_13 : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 1.00097752 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%20 : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 1.000000e-01 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg10 : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 0.899999976 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%21, %22 : tensor<8xf32>, tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %expanded = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %expanded : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %expanded_14 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %expanded_14 : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %26 = tensor.empty() : tensor<4x8x16x16xi1>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<4x8x16x16xf32>) outs(%26 : tensor<4x8x16x16xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 3 : i64} {
    ^bb0(%in: f32, %out: i1):
      %237 = arith.extf %in : f32 to f64
      %cst_90 = arith.constant 0.000000e+00 : f32
      %238 = arith.cmpf olt, %in, %cst_90 : f32
      linalg.yield %238 : i1
    } -> tensor<4x8x16x16xi1>
    %28 = linalg.generic {indexing_maps = [#map1, #map5, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %cst_1, %25 : tensor<4x8x16x16xi1>, tensor<f32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 3 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %29 = tensor.empty() : tensor<256xi64>
    %30 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%29 : tensor<256xi64>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%out: i64):
      %237 = linalg.index 0 : index
      %238 = arith.index_cast %237 : index to i64
      linalg.yield %238 : i64
    } -> tensor<256xi64>
    %expanded_15 = tensor.expand_shape %30 [[0, 1]] output_shape [16, 16] : tensor<256xi64> into tensor<16x16xi64>
    %31 = tensor.empty() : tensor<16x16xi32>
    %32 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_15 : tensor<16x16xi64>) outs(%31 : tensor<16x16xi32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i64, %out: i32):
      %237 = arith.trunci %in : i64 to i32
      linalg.yield %237 : i32
    } -> tensor<16x16xi32>
    %padded_16 = tensor.pad %28 low[0, 0, 0, 1] high[0, 0, 0, 0] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %cst_0 : f32
    } : tensor<4x8x16x16xf32> to tensor<4x8x16x17xf32>
    %extracted_slice = tensor.extract_slice %padded_16[0, 0, 0, 0] [4, 8, 16, 8] [1, 1, 1, 2] : tensor<4x8x16x17xf32> to tensor<4x8x16x8xf32>
    %extracted_slice_17 = tensor.extract_slice %padded_16[0, 0, 0, 1] [4, 8, 16, 8] [1, 1, 1, 2] : tensor<4x8x16x17xf32> to tensor<4x8x16x8xf32>
    %extracted_slice_18 = tensor.extract_slice %padded_16[0, 0, 0, 2] [4, 8, 16, 8] [1, 1, 1, 2] : tensor<4x8x16x17xf32> to tensor<4x8x16x8xf32>
    %padded_19 = tensor.pad %32 low[0, 1] high[0, 0] {
    ^bb0(%arg18: index, %arg19: index):
      tensor.yield %c-1_i32 : i32
    } : tensor<16x16xi32> to tensor<16x17xi32>
    %extracted_slice_20 = tensor.extract_slice %padded_19[0, 0] [16, 8] [1, 2] : tensor<16x17xi32> to tensor<16x8xi32>
    %extracted_slice_21 = tensor.extract_slice %padded_19[0, 1] [16, 8] [1, 2] : tensor<16x17xi32> to tensor<16x8xi32>
    %extracted_slice_22 = tensor.extract_slice %padded_19[0, 2] [16, 8] [1, 2] : tensor<16x17xi32> to tensor<16x8xi32>
    %33 = tensor.empty() : tensor<4x8x16x8xi32>
    %34 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_20 : tensor<16x8xi32>) outs(%33 : tensor<4x8x16x8xi32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x8x16x8xi32>
    %35 = tensor.empty() : tensor<4x8x16x8xi1>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_17, %extracted_slice : tensor<4x8x16x8xf32>, tensor<4x8x16x8xf32>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf ogt, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_17, %extracted_slice_17 : tensor<4x8x16x8xf32>, tensor<4x8x16x8xf32>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf une, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %37 : tensor<4x8x16x8xi1>, tensor<4x8x16x8xi1>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34 : tensor<4x8x16x8xi32>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i32, %out: i1):
      %237 = arith.extsi %in : i32 to i64
      %238 = arith.cmpi slt, %237, %c0_i64 : i64
      linalg.yield %238 : i1
    } -> tensor<4x8x16x8xi1>
    %40 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %39 : tensor<4x8x16x8xi1>, tensor<4x8x16x8xi1>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %41 = tensor.empty() : tensor<4x8x16x8xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %extracted_slice_17, %extracted_slice : tensor<4x8x16x8xi1>, tensor<4x8x16x8xf32>, tensor<4x8x16x8xf32>) outs(%41 : tensor<4x8x16x8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x8xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map7, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %extracted_slice_21, %34 : tensor<4x8x16x8xi1>, tensor<16x8xi32>, tensor<4x8x16x8xi32>) outs(%33 : tensor<4x8x16x8xi32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i32, %in_91: i32, %out: i32):
      %237 = arith.select %in, %in_90, %in_91 : i32
      linalg.yield %237 : i32
    } -> tensor<4x8x16x8xi32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_18, %42 : tensor<4x8x16x8xf32>, tensor<4x8x16x8xf32>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf ogt, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_18, %extracted_slice_18 : tensor<4x8x16x8xf32>, tensor<4x8x16x8xf32>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf une, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %45 : tensor<4x8x16x8xi1>, tensor<4x8x16x8xi1>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43 : tensor<4x8x16x8xi32>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i32, %out: i1):
      %237 = arith.extsi %in : i32 to i64
      %238 = arith.cmpi slt, %237, %c0_i64 : i64
      linalg.yield %238 : i1
    } -> tensor<4x8x16x8xi1>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %47 : tensor<4x8x16x8xi1>, tensor<4x8x16x8xi1>) outs(%35 : tensor<4x8x16x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x16x8xi1>
    %49 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %extracted_slice_18, %42 : tensor<4x8x16x8xi1>, tensor<4x8x16x8xf32>, tensor<4x8x16x8xf32>) outs(%41 : tensor<4x8x16x8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x8xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map7, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %extracted_slice_22, %43 : tensor<4x8x16x8xi1>, tensor<16x8xi32>, tensor<4x8x16x8xi32>) outs(%33 : tensor<4x8x16x8xi32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i32, %in_91: i32, %out: i32):
      %237 = arith.select %in, %in_90, %in_91 : i32
      linalg.yield %237 : i32
    } -> tensor<4x8x16x8xi32>
    %padded_23 = tensor.pad %49 low[0, 0, 1, 0] high[0, 0, 0, 0] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %cst_0 : f32
    } : tensor<4x8x16x8xf32> to tensor<4x8x17x8xf32>
    %extracted_slice_24 = tensor.extract_slice %padded_23[0, 0, 0, 0] [4, 8, 8, 8] [1, 1, 2, 1] : tensor<4x8x17x8xf32> to tensor<4x8x8x8xf32>
    %extracted_slice_25 = tensor.extract_slice %padded_23[0, 0, 1, 0] [4, 8, 8, 8] [1, 1, 2, 1] : tensor<4x8x17x8xf32> to tensor<4x8x8x8xf32>
    %extracted_slice_26 = tensor.extract_slice %padded_23[0, 0, 2, 0] [4, 8, 8, 8] [1, 1, 2, 1] : tensor<4x8x17x8xf32> to tensor<4x8x8x8xf32>
    %padded_27 = tensor.pad %50 low[0, 0, 1, 0] high[0, 0, 0, 0] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %c-1_i32 : i32
    } : tensor<4x8x16x8xi32> to tensor<4x8x17x8xi32>
    %extracted_slice_28 = tensor.extract_slice %padded_27[0, 0, 0, 0] [4, 8, 8, 8] [1, 1, 2, 1] : tensor<4x8x17x8xi32> to tensor<4x8x8x8xi32>
    %extracted_slice_29 = tensor.extract_slice %padded_27[0, 0, 1, 0] [4, 8, 8, 8] [1, 1, 2, 1] : tensor<4x8x17x8xi32> to tensor<4x8x8x8xi32>
    %extracted_slice_30 = tensor.extract_slice %padded_27[0, 0, 2, 0] [4, 8, 8, 8] [1, 1, 2, 1] : tensor<4x8x17x8xi32> to tensor<4x8x8x8xi32>
    %51 = tensor.empty() : tensor<4x8x8x8xi1>
    %52 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_25, %extracted_slice_24 : tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf ogt, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %53 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_25, %extracted_slice_25 : tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf une, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %54 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %53 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xi1>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_28 : tensor<4x8x8x8xi32>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i32, %out: i1):
      %237 = arith.extsi %in : i32 to i64
      %238 = arith.cmpi slt, %237, %c0_i64 : i64
      linalg.yield %238 : i1
    } -> tensor<4x8x8x8xi1>
    %56 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %55 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xi1>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %57 = tensor.empty() : tensor<4x8x8x8xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %extracted_slice_25, %extracted_slice_24 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%57 : tensor<4x8x8x8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x8x8xf32>
    %59 = tensor.empty() : tensor<4x8x8x8xi32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %extracted_slice_29, %extracted_slice_28 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xi32>, tensor<4x8x8x8xi32>) outs(%59 : tensor<4x8x8x8xi32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i32, %in_91: i32, %out: i32):
      %237 = arith.select %in, %in_90, %in_91 : i32
      linalg.yield %237 : i32
    } -> tensor<4x8x8x8xi32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_26, %58 : tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf ogt, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_26, %extracted_slice_26 : tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: i1):
      %237 = arith.cmpf une, %in, %in_90 : f32
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %63 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %62 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xi1>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %64 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%60 : tensor<4x8x8x8xi32>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i32, %out: i1):
      %237 = arith.extsi %in : i32 to i64
      %238 = arith.cmpi slt, %237, %c0_i64 : i64
      linalg.yield %238 : i1
    } -> tensor<4x8x8x8xi1>
    %65 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %64 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xi1>) outs(%51 : tensor<4x8x8x8xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.ori %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x8x8x8xi1>
    %66 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %extracted_slice_26, %58 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%57 : tensor<4x8x8x8xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x8x8xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%65, %extracted_slice_30, %60 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xi32>, tensor<4x8x8x8xi32>) outs(%59 : tensor<4x8x8x8xi32>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: i32, %in_91: i32, %out: i32):
      %237 = arith.select %in, %in_90, %in_91 : i32
      linalg.yield %237 : i32
    } -> tensor<4x8x8x8xi32>
    %68 = tensor.empty() : tensor<4x8x8x8xi64>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<4x8x8x8xi32>) outs(%68 : tensor<4x8x8x8xi64>) attrs =  {amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i32, %out: i64):
      %237 = arith.extsi %in : i32 to i64
      linalg.yield %237 : i64
    } -> tensor<4x8x8x8xi64>
    %padded_31 = tensor.pad %66 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %cst : f32
    } : tensor<4x8x8x8xf32> to tensor<4x8x10x10xf32>
    %70 = tensor.empty() : tensor<4x16x4x4xf32>
    %71 = linalg.fill {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%70 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %72 = linalg.conv_2d_nchw_fchw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_31, %arg3 : tensor<4x8x10x10xf32>, tensor<16x8x3x3xf32>) outs(%71 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %73 = linalg.conv_2d_nchw_fchw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%66, %arg4 : tensor<4x8x8x8xf32>, tensor<16x8x1x1xf32>) outs(%71 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72, %73 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 7 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg14 : tensor<i64>) outs(%3 : tensor<i64>) attrs =  {amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 7 : i64} {
    ^bb0(%in: i64, %out: i64):
      %237 = arith.addi %in, %c1_i64 : i64
      linalg.yield %237 : i64
    } -> tensor<i64>
    %76 = tensor.empty() : tensor<1x16x1x1xf32>
    %77 = linalg.fill {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} ins(%cst : f32) outs(%76 : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %78 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%74 : tensor<4x16x4x4xf32>) outs(%77 : tensor<1x16x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<1x16x1x1xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%78 : tensor<1x16x1x1xf32>) outs(%76 : tensor<1x16x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_9 : f32
      linalg.yield %237 : f32
    } -> tensor<1x16x1x1xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74, %79 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %80 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%81 : tensor<4x16x4x4xf32>) outs(%77 : tensor<1x16x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<1x16x1x1xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82 : tensor<1x16x1x1xf32>) outs(%76 : tensor<1x16x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_9 : f32
      linalg.yield %237 : f32
    } -> tensor<1x16x1x1xf32>
    %84 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%83 : tensor<1x16x1x1xf32>) outs(%76 : tensor<1x16x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 9.99999974E-6 : f32
      %237 = arith.addf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<1x16x1x1xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%84 : tensor<1x16x1x1xf32>) outs(%76 : tensor<1x16x1x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = math.rsqrt %in : f32
      linalg.yield %237 : f32
    } -> tensor<1x16x1x1xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %85 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %collapsed_32 = tensor.collapse_shape %79 [[0, 1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<16xf32>
    %collapsed_33 = tensor.collapse_shape %85 [[0, 1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<16xf32>
    %87 = tensor.empty() : tensor<16xf32>
    %88 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_32 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 1.000000e-01 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %89 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg12 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 0.899999976 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %90 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%88, %89 : tensor<16xf32>, tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %collapsed_34 = tensor.collapse_shape %83 [[0, 1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<16xf32>
    %91 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_34 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 1.01587307 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %92 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%91 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 1.000000e-01 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %93 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg13 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_90 = arith.constant 0.899999976 : f32
      %237 = arith.mulf %in, %cst_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %94 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%92, %93 : tensor<16xf32>, tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %expanded_35 = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %95 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%86, %expanded_35 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %expanded_36 = tensor.expand_shape %arg6 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%95, %expanded_36 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %97 = tensor.empty() : tensor<4x16x4x4xi1>
    %98 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%96 : tensor<4x16x4x4xf32>) outs(%97 : tensor<4x16x4x4xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 9 : i64} {
    ^bb0(%in: f32, %out: i1):
      %237 = arith.extf %in : f32 to f64
      %cst_90 = arith.constant 0.000000e+00 : f32
      %238 = arith.cmpf olt, %in, %cst_90 : f32
      linalg.yield %238 : i1
    } -> tensor<4x16x4x4xi1>
    %99 = linalg.generic {indexing_maps = [#map1, #map5, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%98, %cst_1, %96 : tensor<4x16x4x4xi1>, tensor<f32>, tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 9 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %100 = tensor.empty() : tensor<4x16xf32>
    %101 = linalg.fill {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 10 : i64} ins(%cst : f32) outs(%100 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %102 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%99 : tensor<4x16x4x4xf32>) outs(%101 : tensor<4x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 10 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<4x16xf32>
    %103 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%102 : tensor<4x16xf32>) outs(%100 : tensor<4x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 10 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.divf %in, %cst_10 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16xf32>
    %104 = tensor.empty() : tensor<16x10xf32>
    %transposed = linalg.transpose ins(%arg7 : tensor<10x16xf32>) outs(%104 : tensor<16x10xf32>) permutation = [1, 0]  {amp.phase = "forward", amp.scope = "aten.t", amp.scope_id = 11 : i64}
    %105 = tensor.empty() : tensor<4x10xf32>
    %106 = linalg.fill {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} ins(%cst : f32) outs(%105 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %107 = linalg.matmul {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} ins(%103, %transposed : tensor<4x16xf32>, tensor<16x10xf32>) outs(%106 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %108 = linalg.generic {indexing_maps = [#map6, #map9, #map6], iterator_types = ["parallel", "parallel"]} ins(%107, %arg8 : tensor<4x10xf32>, tensor<10xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %109 = tensor.empty() : tensor<4xi64>
    %110 = linalg.fill {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} ins(%c0_i64 : i64) outs(%109 : tensor<4xi64>) -> tensor<4xi64>
    %111 = tensor.empty() : tensor<4xf32>
    %112 = linalg.fill {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} ins(%cst_0 : f32) outs(%111 : tensor<4xf32>) -> tensor<4xf32>
    %113:2 = linalg.generic {indexing_maps = [#map6, #map10, #map10], iterator_types = ["parallel", "reduction"]} ins(%108 : tensor<4x10xf32>) outs(%112, %110 : tensor<4xf32>, tensor<4xi64>) attrs =  {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %out: f32, %out_90: i64):
      %237 = linalg.index 1 : index
      %238 = arith.index_cast %237 : index to i64
      %239 = arith.maximumf %in, %out : f32
      %240 = arith.cmpf ogt, %in, %out : f32
      %241 = arith.select %240, %238, %out_90 : i64
      linalg.yield %239, %241 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded_37 = tensor.expand_shape %113#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %114 = linalg.generic {indexing_maps = [#map6, #map11, #map6], iterator_types = ["parallel", "parallel"]} ins(%108, %expanded_37 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %115 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%114 : tensor<4x10xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = math.exp %in : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %116 = tensor.empty() : tensor<4x1xf32>
    %117 = linalg.fill {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} ins(%cst : f32) outs(%116 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %118 = linalg.generic {indexing_maps = [#map6, #map11], iterator_types = ["parallel", "reduction"]} ins(%115 : tensor<4x10xf32>) outs(%117 : tensor<4x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<4x1xf32>
    %119 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%118 : tensor<4x1xf32>) outs(%116 : tensor<4x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = math.log %in : f32
      linalg.yield %237 : f32
    } -> tensor<4x1xf32>
    %120 = linalg.generic {indexing_maps = [#map6, #map11, #map6], iterator_types = ["parallel", "parallel"]} ins(%114, %119 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %121 = tensor.empty() : tensor<4xi1>
    %122 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg16 : tensor<4xi64>) outs(%121 : tensor<4xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i64, %out: i1):
      %237 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %237 : i1
    } -> tensor<4xi1>
    %123 = linalg.generic {indexing_maps = [#map3, #map3, #map12, #map3], iterator_types = ["parallel"]} ins(%122, %arg16, %cst_11 : tensor<4xi1>, tensor<4xi64>, tensor<i64>) outs(%109 : tensor<4xi64>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i1, %in_90: i64, %in_91: i64, %out: i64):
      %237 = arith.select %in, %in_90, %in_91 : i64
      linalg.yield %237 : i64
    } -> tensor<4xi64>
    %expanded_38 = tensor.expand_shape %123 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %124 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_38 : tensor<4x1xi64>) outs(%117 : tensor<4x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i64, %out: f32):
      %237 = linalg.index 0 : index
      %238 = arith.index_cast %in : i64 to index
      %239 = arith.cmpi slt, %238, %c10 : index
      cf.assert %239, "index must be smaller than dim size"
      %240 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %240, "index must be larger or equal to 0"
      %extracted = tensor.extract %120[%237, %238] : tensor<4x10xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x1xf32>
    %collapsed_39 = tensor.collapse_shape %124 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %125 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_39 : tensor<4xf32>) outs(%111 : tensor<4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.negf %in : f32
      linalg.yield %237 : f32
    } -> tensor<4xf32>
    %126 = linalg.generic {indexing_maps = [#map3, #map3, #map12, #map3], iterator_types = ["parallel"]} ins(%122, %125, %cst_1 : tensor<4xi1>, tensor<4xf32>, tensor<f32>) outs(%111 : tensor<4xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4xf32>
    %127 = linalg.fill {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} ins(%c0_i64 : i64) outs(%3 : tensor<i64>) -> tensor<i64>
    %128 = linalg.generic {indexing_maps = [#map3, #map12], iterator_types = ["reduction"]} ins(%122 : tensor<4xi1>) outs(%127 : tensor<i64>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i1, %out: i64):
      %237 = arith.extui %in : i1 to i64
      %238 = arith.addi %237, %out : i64
      linalg.yield %238 : i64
    } -> tensor<i64>
    %129 = tensor.empty() : tensor<f32>
    %130 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%128 : tensor<i64>) outs(%129 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i64, %out: f32):
      %237 = arith.sitofp %in : i64 to f32
      linalg.yield %237 : f32
    } -> tensor<f32>
    %131 = linalg.fill {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} ins(%cst : f32) outs(%129 : tensor<f32>) -> tensor<f32>
    %132 = linalg.generic {indexing_maps = [#map3, #map12], iterator_types = ["reduction"]} ins(%126 : tensor<4xf32>) outs(%131 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<f32>
    %133 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%132, %130 : tensor<f32>, tensor<f32>) outs(%129 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.divf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<f32>
    %134 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg17, %130 : tensor<f32>, tensor<f32>) outs(%129 : tensor<f32>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.divf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<f32>
    %135 = tensor.empty() : tensor<10xi64>
    %136 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%135 : tensor<10xi64>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%out: i64):
      %237 = linalg.index 0 : index
      %238 = arith.index_cast %237 : index to i64
      linalg.yield %238 : i64
    } -> tensor<10xi64>
    %expanded_40 = tensor.expand_shape %136 [[0, 1]] output_shape [1, 10] : tensor<10xi64> into tensor<1x10xi64>
    %expanded_41 = tensor.expand_shape %arg16 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %137 = tensor.empty() : tensor<4x10xi1>
    %138 = linalg.generic {indexing_maps = [#map13, #map11, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_40, %expanded_41 : tensor<1x10xi64>, tensor<4x1xi64>) outs(%137 : tensor<4x10xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i64, %in_90: i64, %out: i1):
      %237 = arith.cmpi eq, %in, %in_90 : i64
      linalg.yield %237 : i1
    } -> tensor<4x10xi1>
    %139 = tensor.empty() : tensor<4x1xi1>
    %140 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_41 : tensor<4x1xi64>) outs(%139 : tensor<4x1xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i64, %out: i1):
      %237 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %237 : i1
    } -> tensor<4x1xi1>
    %141 = linalg.generic {indexing_maps = [#map6, #map11, #map6], iterator_types = ["parallel", "parallel"]} ins(%138, %140 : tensor<4x10xi1>, tensor<4x1xi1>) outs(%137 : tensor<4x10xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i1, %in_90: i1, %out: i1):
      %237 = arith.andi %in, %in_90 : i1
      linalg.yield %237 : i1
    } -> tensor<4x10xi1>
    %142 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%134 : tensor<f32>) outs(%129 : tensor<f32>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.negf %in : f32
      linalg.yield %237 : f32
    } -> tensor<f32>
    %143 = linalg.generic {indexing_maps = [#map6, #map14, #map14, #map6], iterator_types = ["parallel", "parallel"]} ins(%141, %142, %cst_1 : tensor<4x10xi1>, tensor<f32>, tensor<f32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 14 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %144 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%120 : tensor<4x10xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = math.exp %in : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %145 = linalg.generic {indexing_maps = [#map6, #map11], iterator_types = ["parallel", "reduction"]} ins(%143 : tensor<4x10xf32>) outs(%117 : tensor<4x1xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<4x1xf32>
    %146 = linalg.generic {indexing_maps = [#map6, #map11, #map6], iterator_types = ["parallel", "parallel"]} ins(%144, %145 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %147 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%143, %146 : tensor<4x10xf32>, tensor<4x10xf32>) outs(%105 : tensor<4x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 13 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x10xf32>
    %148 = linalg.matmul {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} ins(%147, %arg7 : tensor<4x10xf32>, tensor<10x16xf32>) outs(%101 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %149 = tensor.empty() : tensor<10x4xf32>
    %transposed_42 = linalg.transpose ins(%147 : tensor<4x10xf32>) outs(%149 : tensor<10x4xf32>) permutation = [1, 0]  {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64}
    %150 = tensor.empty() : tensor<10x16xf32>
    %151 = linalg.fill {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} ins(%cst : f32) outs(%150 : tensor<10x16xf32>) -> tensor<10x16xf32>
    %152 = linalg.matmul {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} ins(%transposed_42, %103 : tensor<10x4xf32>, tensor<4x16xf32>) outs(%151 : tensor<10x16xf32>) -> tensor<10x16xf32>
    %153 = tensor.empty() : tensor<1x10xf32>
    %154 = linalg.fill {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} ins(%cst : f32) outs(%153 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %155 = linalg.generic {indexing_maps = [#map6, #map13], iterator_types = ["reduction", "parallel"]} ins(%147 : tensor<4x10xf32>) outs(%154 : tensor<1x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 12 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<1x10xf32>
    %collapsed_43 = tensor.collapse_shape %155 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %156 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%148 : tensor<4x16xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 10 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x16x4x4xf32>
    %157 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%156 : tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 10 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.divf %in, %cst_10 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %158 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%99 : tensor<4x16x4x4xf32>) outs(%97 : tensor<4x16x4x4xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 9 : i64} {
    ^bb0(%in: f32, %out: i1):
      %237 = arith.extf %in : f32 to f64
      %cst_90 = arith.constant 0.000000e+00 : f32
      %238 = arith.cmpf ole, %in, %cst_90 : f32
      linalg.yield %238 : i1
    } -> tensor<4x16x4x4xi1>
    %159 = linalg.generic {indexing_maps = [#map1, #map5, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%158, %cst_1, %157 : tensor<4x16x4x4xi1>, tensor<f32>, tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 9 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %160 = linalg.fill {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} ins(%cst : f32) outs(%87 : tensor<16xf32>) -> tensor<16xf32>
    %161 = linalg.generic {indexing_maps = [#map1, #map15], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%159 : tensor<4x16x4x4xf32>) outs(%160 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %162 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%159, %80 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %163 = linalg.generic {indexing_maps = [#map1, #map15], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%162 : tensor<4x16x4x4xf32>) outs(%160 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %164 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%161 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_9 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %expanded_44 = tensor.expand_shape %164 [[0, 1, 2, 3]] output_shape [1, 16, 1, 1] : tensor<16xf32> into tensor<1x16x1x1xf32>
    %165 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%163 : tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_9 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %166 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_33, %collapsed_33 : tensor<16xf32>, tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %167 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%165, %166 : tensor<16xf32>, tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %expanded_45 = tensor.expand_shape %167 [[0, 1, 2, 3]] output_shape [1, 16, 1, 1] : tensor<16xf32> into tensor<1x16x1x1xf32>
    %168 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_33, %arg5 : tensor<16xf32>, tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %expanded_46 = tensor.expand_shape %168 [[0, 1, 2, 3]] output_shape [1, 16, 1, 1] : tensor<16xf32> into tensor<1x16x1x1xf32>
    %169 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80, %expanded_45 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %170 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%159, %169 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %171 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%170, %expanded_44 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %172 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%171, %expanded_46 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%70 : tensor<4x16x4x4xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x16x4x4xf32>
    %173 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%163, %collapsed_33 : tensor<16xf32>, tensor<16xf32>) outs(%87 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<16xf32>
    %174 = tensor.empty() : tensor<8x16x1x1xf32>
    %175 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%174 : tensor<8x16x1x1xf32>) -> tensor<8x16x1x1xf32>
    %176 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%175 : tensor<8x16x1x1xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64} {
    ^bb0(%out: f32):
      %237 = linalg.index 0 : index
      %238 = linalg.index 1 : index
      %extracted = tensor.extract %arg4[%238, %237, %c0, %c0] : tensor<16x8x1x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x16x1x1xf32>
    %177 = tensor.empty() : tensor<4x16x8x8xf32>
    %178 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%177 : tensor<4x16x8x8xf32>) -> tensor<4x16x8x8xf32>
    %inserted_slice = tensor.insert_slice %172 into %178[0, 0, 0, 0] [4, 16, 4, 4] [1, 1, 2, 2] : tensor<4x16x4x4xf32> into tensor<4x16x8x8xf32>
    %179 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%57 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %180 = linalg.conv_2d_nchw_fchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice, %176 : tensor<4x16x8x8xf32>, tensor<8x16x1x1xf32>) outs(%179 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %expanded_47 = tensor.expand_shape %66 [[0], [1, 2], [3], [4]] output_shape [4, 1, 8, 8, 8] : tensor<4x8x8x8xf32> into tensor<4x1x8x8x8xf32>
    %181 = tensor.empty() : tensor<8x1x4x8x8xf32>
    %transposed_48 = linalg.transpose ins(%expanded_47 : tensor<4x1x8x8x8xf32>) outs(%181 : tensor<8x1x4x8x8xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64}
    %collapsed_49 = tensor.collapse_shape %transposed_48 [[0], [1, 2], [3], [4]] : tensor<8x1x4x8x8xf32> into tensor<8x4x8x8xf32>
    %expanded_50 = tensor.expand_shape %172 [[0], [1, 2], [3], [4]] output_shape [4, 1, 16, 4, 4] : tensor<4x16x4x4xf32> into tensor<4x1x16x4x4xf32>
    %182 = tensor.empty() : tensor<1x16x4x4x4xf32>
    %transposed_51 = linalg.transpose ins(%expanded_50 : tensor<4x1x16x4x4xf32>) outs(%182 : tensor<1x16x4x4x4xf32>) permutation = [1, 2, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64}
    %collapsed_52 = tensor.collapse_shape %transposed_51 [[0, 1], [2], [3], [4]] : tensor<1x16x4x4x4xf32> into tensor<16x4x4x4xf32>
    %183 = tensor.empty() : tensor<8x16x2x2xf32>
    %184 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%183 : tensor<8x16x2x2xf32>) -> tensor<8x16x2x2xf32>
    %185 = linalg.conv_2d_nchw_fchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64, dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%collapsed_49, %collapsed_52 : tensor<8x4x8x8xf32>, tensor<16x4x4x4xf32>) outs(%184 : tensor<8x16x2x2xf32>) -> tensor<8x16x2x2xf32>
    %186 = tensor.empty() : tensor<16x8x2x2xf32>
    %transposed_53 = linalg.transpose ins(%185 : tensor<8x16x2x2xf32>) outs(%186 : tensor<16x8x2x2xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 6 : i64}
    %extracted_slice_54 = tensor.extract_slice %transposed_53[0, 0, 0, 0] [16, 8, 1, 2] [1, 1, 1, 1] : tensor<16x8x2x2xf32> to tensor<16x8x1x2xf32>
    %extracted_slice_55 = tensor.extract_slice %extracted_slice_54[0, 0, 0, 0] [16, 8, 1, 1] [1, 1, 1, 1] : tensor<16x8x1x2xf32> to tensor<16x8x1x1xf32>
    %187 = tensor.empty() : tensor<8x16x3x3xf32>
    %188 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%187 : tensor<8x16x3x3xf32>) -> tensor<8x16x3x3xf32>
    %189 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%188 : tensor<8x16x3x3xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} {
    ^bb0(%out: f32):
      %237 = linalg.index 0 : index
      %238 = linalg.index 1 : index
      %239 = linalg.index 2 : index
      %240 = linalg.index 3 : index
      %241 = arith.subi %c2, %239 : index
      %242 = arith.subi %c2, %240 : index
      %extracted = tensor.extract %arg3[%238, %237, %241, %242] : tensor<16x8x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x16x3x3xf32>
    %190 = tensor.empty() : tensor<4x16x10x10xf32>
    %191 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%190 : tensor<4x16x10x10xf32>) -> tensor<4x16x10x10xf32>
    %inserted_slice_56 = tensor.insert_slice %172 into %191[0, 0, 1, 1] [4, 16, 4, 4] [1, 1, 2, 2] : tensor<4x16x4x4xf32> into tensor<4x16x10x10xf32>
    %192 = linalg.conv_2d_nchw_fchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice_56, %189 : tensor<4x16x10x10xf32>, tensor<8x16x3x3xf32>) outs(%179 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %expanded_57 = tensor.expand_shape %padded_31 [[0], [1, 2], [3], [4]] output_shape [4, 1, 8, 10, 10] : tensor<4x8x10x10xf32> into tensor<4x1x8x10x10xf32>
    %193 = tensor.empty() : tensor<8x1x4x10x10xf32>
    %transposed_58 = linalg.transpose ins(%expanded_57 : tensor<4x1x8x10x10xf32>) outs(%193 : tensor<8x1x4x10x10xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64}
    %collapsed_59 = tensor.collapse_shape %transposed_58 [[0], [1, 2], [3], [4]] : tensor<8x1x4x10x10xf32> into tensor<8x4x10x10xf32>
    %194 = tensor.empty() : tensor<8x16x4x4xf32>
    %195 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%194 : tensor<8x16x4x4xf32>) -> tensor<8x16x4x4xf32>
    %196 = linalg.conv_2d_nchw_fchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64, dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%collapsed_59, %collapsed_52 : tensor<8x4x10x10xf32>, tensor<16x4x4x4xf32>) outs(%195 : tensor<8x16x4x4xf32>) -> tensor<8x16x4x4xf32>
    %197 = tensor.empty() : tensor<16x8x4x4xf32>
    %transposed_60 = linalg.transpose ins(%196 : tensor<8x16x4x4xf32>) outs(%197 : tensor<16x8x4x4xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64}
    %extracted_slice_61 = tensor.extract_slice %transposed_60[0, 0, 0, 0] [16, 8, 3, 4] [1, 1, 1, 1] : tensor<16x8x4x4xf32> to tensor<16x8x3x4xf32>
    %extracted_slice_62 = tensor.extract_slice %extracted_slice_61[0, 0, 0, 0] [16, 8, 3, 3] [1, 1, 1, 1] : tensor<16x8x3x4xf32> to tensor<16x8x3x3xf32>
    %198 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%180, %192 : tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%57 : tensor<4x8x8x8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x8x8xf32>
    %padded_63 = tensor.pad %198 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %cst : f32
    } : tensor<4x8x8x8xf32> to tensor<4x8x10x10xf32>
    %199 = tensor.empty() : tensor<4x8x10x2x10x2xf32>
    %200 = linalg.generic {indexing_maps = [#map16, #map17], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%padded_63 : tensor<4x8x10x10xf32>) outs(%199 : tensor<4x8x10x2x10x2xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x8x10x2x10x2xf32>
    %collapsed_64 = tensor.collapse_shape %200 [[0], [1], [2, 3], [4, 5]] : tensor<4x8x10x2x10x2xf32> into tensor<4x8x20x20xf32>
    %padded_65 = tensor.pad %69 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg18: index, %arg19: index, %arg20: index, %arg21: index):
      tensor.yield %c-1_i64 : i64
    } : tensor<4x8x8x8xi64> to tensor<4x8x10x10xi64>
    %201 = tensor.empty() : tensor<4x8x10x2x10x2xi64>
    %202 = linalg.generic {indexing_maps = [#map16, #map17], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%padded_65 : tensor<4x8x10x10xi64>) outs(%201 : tensor<4x8x10x2x10x2xi64>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x8x10x2x10x2xi64>
    %collapsed_66 = tensor.collapse_shape %202 [[0], [1], [2, 3], [4, 5]] : tensor<4x8x10x2x10x2xi64> into tensor<4x8x20x20xi64>
    %expanded_67 = tensor.expand_shape %30 [[0, 1, 2, 3]] output_shape [1, 1, 16, 16] : tensor<256xi64> into tensor<1x1x16x16xi64>
    %extracted_slice_68 = tensor.extract_slice %collapsed_66[0, 0, 3, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xi64> to tensor<4x8x16x20xi64>
    %extracted_slice_69 = tensor.extract_slice %extracted_slice_68[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %203 = linalg.generic {indexing_maps = [#map1, #map18, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_69, %expanded_67 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%26 : tensor<4x8x16x16xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i64, %in_90: i64, %out: i1):
      %237 = arith.cmpi eq, %in, %in_90 : i64
      linalg.yield %237 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_70 = tensor.extract_slice %collapsed_64[0, 0, 3, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xf32> to tensor<4x8x16x20xf32>
    %extracted_slice_71 = tensor.extract_slice %extracted_slice_70[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %204 = linalg.generic {indexing_maps = [#map1, #map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%203, %extracted_slice_71, %cst_1 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %205 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%204 : tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %cst : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %extracted_slice_72 = tensor.extract_slice %extracted_slice_68[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %206 = linalg.generic {indexing_maps = [#map1, #map18, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_72, %expanded_67 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%26 : tensor<4x8x16x16xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i64, %in_90: i64, %out: i1):
      %237 = arith.cmpi eq, %in, %in_90 : i64
      linalg.yield %237 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_73 = tensor.extract_slice %extracted_slice_70[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %207 = linalg.generic {indexing_maps = [#map1, #map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%206, %extracted_slice_73, %cst_1 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %208 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%205, %207 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %extracted_slice_74 = tensor.extract_slice %collapsed_66[0, 0, 1, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xi64> to tensor<4x8x16x20xi64>
    %extracted_slice_75 = tensor.extract_slice %extracted_slice_74[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %209 = linalg.generic {indexing_maps = [#map1, #map18, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_75, %expanded_67 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%26 : tensor<4x8x16x16xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i64, %in_90: i64, %out: i1):
      %237 = arith.cmpi eq, %in, %in_90 : i64
      linalg.yield %237 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_76 = tensor.extract_slice %collapsed_64[0, 0, 1, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xf32> to tensor<4x8x16x20xf32>
    %extracted_slice_77 = tensor.extract_slice %extracted_slice_76[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %210 = linalg.generic {indexing_maps = [#map1, #map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%209, %extracted_slice_77, %cst_1 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %211 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%208, %210 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %extracted_slice_78 = tensor.extract_slice %extracted_slice_74[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %212 = linalg.generic {indexing_maps = [#map1, #map18, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_78, %expanded_67 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%26 : tensor<4x8x16x16xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i64, %in_90: i64, %out: i1):
      %237 = arith.cmpi eq, %in, %in_90 : i64
      linalg.yield %237 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_79 = tensor.extract_slice %extracted_slice_76[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %213 = linalg.generic {indexing_maps = [#map1, #map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%212, %extracted_slice_79, %cst_1 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %214 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%211, %213 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.addf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %215 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<4x8x16x16xf32>) outs(%26 : tensor<4x8x16x16xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 3 : i64} {
    ^bb0(%in: f32, %out: i1):
      %237 = arith.extf %in : f32 to f64
      %cst_90 = arith.constant 0.000000e+00 : f32
      %238 = arith.cmpf ole, %in, %cst_90 : f32
      linalg.yield %238 : i1
    } -> tensor<4x8x16x16xi1>
    %216 = linalg.generic {indexing_maps = [#map1, #map5, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%215, %cst_1, %214 : tensor<4x8x16x16xi1>, tensor<f32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 3 : i64} {
    ^bb0(%in: i1, %in_90: f32, %in_91: f32, %out: f32):
      %237 = arith.select %in, %in_90, %in_91 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %217 = linalg.fill {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%16 : tensor<8xf32>) -> tensor<8xf32>
    %218 = linalg.generic {indexing_maps = [#map1, #map15], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%216 : tensor<4x8x16x16xf32>) outs(%217 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %219 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%216, %9 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %220 = linalg.generic {indexing_maps = [#map1, #map15], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%219 : tensor<4x8x16x16xf32>) outs(%217 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.addf %in, %out : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %221 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%218 : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_8 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %expanded_80 = tensor.expand_shape %221 [[0, 1, 2, 3]] output_shape [1, 8, 1, 1] : tensor<8xf32> into tensor<1x8x1x1xf32>
    %222 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%220 : tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %237 = arith.mulf %in, %cst_8 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %223 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_12, %collapsed_12 : tensor<8xf32>, tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %224 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%222, %223 : tensor<8xf32>, tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %expanded_81 = tensor.expand_shape %224 [[0, 1, 2, 3]] output_shape [1, 8, 1, 1] : tensor<8xf32> into tensor<1x8x1x1xf32>
    %225 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%collapsed_12, %arg1 : tensor<8xf32>, tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %expanded_82 = tensor.expand_shape %225 [[0, 1, 2, 3]] output_shape [1, 8, 1, 1] : tensor<8xf32> into tensor<1x8x1x1xf32>
    %226 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_81 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %227 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%216, %226 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %228 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%227, %expanded_80 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.subf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %229 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%228, %expanded_82 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<4x8x16x16xf32>
    %230 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%220, %collapsed_12 : tensor<8xf32>, tensor<8xf32>) outs(%16 : tensor<8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._native_batch_norm_legit_functional", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_90: f32, %out: f32):
      %237 = arith.mulf %in, %in_90 : f32
      linalg.yield %237 : f32
    } -> tensor<8xf32>
    %expanded_83 = tensor.expand_shape %padded [[0], [1, 2], [3], [4]] output_shape [4, 1, 3, 18, 18] : tensor<4x3x18x18xf32> into tensor<4x1x3x18x18xf32>
    %231 = tensor.empty() : tensor<3x1x4x18x18xf32>
    %transposed_84 = linalg.transpose ins(%expanded_83 : tensor<4x1x3x18x18xf32>) outs(%231 : tensor<3x1x4x18x18xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64}
    %collapsed_85 = tensor.collapse_shape %transposed_84 [[0], [1, 2], [3], [4]] : tensor<3x1x4x18x18xf32> into tensor<3x4x18x18xf32>
    %expanded_86 = tensor.expand_shape %229 [[0], [1, 2], [3], [4]] output_shape [4, 1, 8, 16, 16] : tensor<4x8x16x16xf32> into tensor<4x1x8x16x16xf32>
    %232 = tensor.empty() : tensor<1x8x4x16x16xf32>
    %transposed_87 = linalg.transpose ins(%expanded_86 : tensor<4x1x8x16x16xf32>) outs(%232 : tensor<1x8x4x16x16xf32>) permutation = [1, 2, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64}
    %collapsed_88 = tensor.collapse_shape %transposed_87 [[0, 1], [2], [3], [4]] : tensor<1x8x4x16x16xf32> into tensor<8x4x16x16xf32>
    %233 = tensor.empty() : tensor<3x8x3x3xf32>
    %234 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64} ins(%cst : f32) outs(%233 : tensor<3x8x3x3xf32>) -> tensor<3x8x3x3xf32>
    %235 = linalg.conv_2d_nchw_fchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%collapsed_85, %collapsed_88 : tensor<3x4x18x18xf32>, tensor<8x4x16x16xf32>) outs(%234 : tensor<3x8x3x3xf32>) -> tensor<3x8x3x3xf32>
    %236 = tensor.empty() : tensor<8x3x3x3xf32>
    %transposed_89 = linalg.transpose ins(%235 : tensor<3x8x3x3xf32>) outs(%236 : tensor<8x3x3x3xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64}
    return %133, %transposed_89, %230, %218, %extracted_slice_62, %extracted_slice_55, %173, %161, %152, %collapsed_43, %19, %23, %4, %90, %94, %75 : tensor<f32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<16xf32>, tensor<16xf32>, tensor<i64>
  }
  func.func @optimizer_step(%arg0: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, %arg1: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, %arg2: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, %arg3: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, %arg4: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, %arg5: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, %arg6: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, %arg7: tensor<10x16xf32> {amp.name = "head.weight", amp.role = "param"}, %arg8: tensor<10xf32> {amp.name = "head.bias", amp.role = "param"}, %arg9: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "grad"}, %arg10: tensor<8xf32> {amp.name = "norm.weight", amp.role = "grad"}, %arg11: tensor<8xf32> {amp.name = "norm.bias", amp.role = "grad"}, %arg12: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "grad"}, %arg13: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "grad"}, %arg14: tensor<16xf32> {amp.name = "last.weight", amp.role = "grad"}, %arg15: tensor<16xf32> {amp.name = "last.bias", amp.role = "grad"}, %arg16: tensor<10x16xf32> {amp.name = "head.weight", amp.role = "grad"}, %arg17: tensor<10xf32> {amp.name = "head.bias", amp.role = "grad"}, %arg18: tensor<f64> {amp.name = "lr0", amp.role = "hyper"}) -> (tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, tensor<10x16xf32> {amp.name = "head.weight", amp.role = "param"}, tensor<10xf32> {amp.name = "head.bias", amp.role = "param"}) {
    %cst = arith.constant -1.000000e+00 : f32
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg18 : tensor<f64>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %36 = arith.truncf %in : f64 to f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %2 = tensor.empty() : tensor<8x3x3x3xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg9 : tensor<8x3x3x3xf32>) outs(%2 : tensor<8x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<8x3x3x3xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %1 : tensor<8x3x3x3xf32>, tensor<f32>) outs(%2 : tensor<8x3x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<8x3x3x3xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %4 : tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>) outs(%2 : tensor<8x3x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<8x3x3x3xf32>
    %6 = tensor.empty() : tensor<8xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg10 : tensor<8xf32>) outs(%6 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel"]} ins(%7, %1 : tensor<8xf32>, tensor<f32>) outs(%6 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg1, %8 : tensor<8xf32>, tensor<8xf32>) outs(%6 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg11 : tensor<8xf32>) outs(%6 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel"]} ins(%10, %1 : tensor<8xf32>, tensor<f32>) outs(%6 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg2, %11 : tensor<8xf32>, tensor<8xf32>) outs(%6 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %13 = tensor.empty() : tensor<16x8x3x3xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg12 : tensor<16x8x3x3xf32>) outs(%13 : tensor<16x8x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<16x8x3x3xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %1 : tensor<16x8x3x3xf32>, tensor<f32>) outs(%13 : tensor<16x8x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16x8x3x3xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3, %15 : tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>) outs(%13 : tensor<16x8x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16x8x3x3xf32>
    %17 = tensor.empty() : tensor<16x8x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg13 : tensor<16x8x1x1xf32>) outs(%17 : tensor<16x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<16x8x1x1xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %1 : tensor<16x8x1x1xf32>, tensor<f32>) outs(%17 : tensor<16x8x1x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16x8x1x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4, %19 : tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) outs(%17 : tensor<16x8x1x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16x8x1x1xf32>
    %21 = tensor.empty() : tensor<16xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg14 : tensor<16xf32>) outs(%21 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<16xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel"]} ins(%22, %1 : tensor<16xf32>, tensor<f32>) outs(%21 : tensor<16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg5, %23 : tensor<16xf32>, tensor<16xf32>) outs(%21 : tensor<16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg15 : tensor<16xf32>) outs(%21 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<16xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel"]} ins(%25, %1 : tensor<16xf32>, tensor<f32>) outs(%21 : tensor<16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg6, %26 : tensor<16xf32>, tensor<16xf32>) outs(%21 : tensor<16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<16xf32>
    %28 = tensor.empty() : tensor<10x16xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg16 : tensor<10x16xf32>) outs(%28 : tensor<10x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<10x16xf32>
    %30 = linalg.generic {indexing_maps = [#map6, #map14, #map6], iterator_types = ["parallel", "parallel"]} ins(%29, %1 : tensor<10x16xf32>, tensor<f32>) outs(%28 : tensor<10x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<10x16xf32>
    %31 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg7, %30 : tensor<10x16xf32>, tensor<10x16xf32>) outs(%28 : tensor<10x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<10x16xf32>
    %32 = tensor.empty() : tensor<10xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg17 : tensor<10xf32>) outs(%32 : tensor<10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<10xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map12, #map3], iterator_types = ["parallel"]} ins(%33, %1 : tensor<10xf32>, tensor<f32>) outs(%32 : tensor<10xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.mulf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<10xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg8, %34 : tensor<10xf32>, tensor<10xf32>) outs(%32 : tensor<10xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %36 = arith.addf %in, %in_0 : f32
      linalg.yield %36 : f32
    } -> tensor<10xf32>
    return %5, %9, %12, %16, %20, %24, %27, %31, %35 : tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>
  }
func.func @train_step(%a0: tensor<8x3x3x3xf32> {amp.role = "param", amp.name = "stem.weight"}, %a1: tensor<8xf32> {amp.role = "param", amp.name = "norm.weight", amp.kind = "batch_norm"}, %a2: tensor<8xf32> {amp.role = "param", amp.name = "norm.bias", amp.kind = "batch_norm"}, %a3: tensor<16x8x3x3xf32> {amp.role = "param", amp.name = "block.weight"}, %a4: tensor<16x8x1x1xf32> {amp.role = "param", amp.name = "down.weight"}, %a5: tensor<16xf32> {amp.role = "param", amp.name = "last.weight", amp.kind = "batch_norm"}, %a6: tensor<16xf32> {amp.role = "param", amp.name = "last.bias", amp.kind = "batch_norm"}, %a7: tensor<10x16xf32> {amp.role = "param", amp.name = "head.weight"}, %a8: tensor<10xf32> {amp.role = "param", amp.name = "head.bias"}, %a9: tensor<8xf32> {amp.role = "buffer", amp.name = "norm.running_mean", amp.kind = "batch_norm"}, %a10: tensor<8xf32> {amp.role = "buffer", amp.name = "norm.running_var", amp.kind = "batch_norm"}, %a11: tensor<i64> {amp.role = "buffer", amp.name = "norm.num_batches_tracked", amp.kind = "batch_norm"}, %a12: tensor<16xf32> {amp.role = "buffer", amp.name = "last.running_mean", amp.kind = "batch_norm"}, %a13: tensor<16xf32> {amp.role = "buffer", amp.name = "last.running_var", amp.kind = "batch_norm"}, %a14: tensor<i64> {amp.role = "buffer", amp.name = "last.num_batches_tracked", amp.kind = "batch_norm"}, %a15: tensor<4x3x16x16xf32> {amp.role = "batch", amp.name = "x0"}, %a16: tensor<4xi64> {amp.role = "batch", amp.name = "x1"}, %a17: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %a18: tensor<f64> {amp.role = "hyper", amp.name = "lr0"}) -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<8xf32> {amp.role = "buffer", amp.name = "norm.running_mean", amp.kind = "batch_norm"}, tensor<8xf32> {amp.role = "buffer", amp.name = "norm.running_var", amp.kind = "batch_norm"}, tensor<i64> {amp.role = "buffer", amp.name = "norm.num_batches_tracked", amp.kind = "batch_norm"}, tensor<16xf32> {amp.role = "buffer", amp.name = "last.running_mean", amp.kind = "batch_norm"}, tensor<16xf32> {amp.role = "buffer", amp.name = "last.running_var", amp.kind = "batch_norm"}, tensor<i64> {amp.role = "buffer", amp.name = "last.num_batches_tracked", amp.kind = "batch_norm"}, tensor<8x3x3x3xf32> {amp.role = "param", amp.name = "stem.weight"}, tensor<8xf32> {amp.role = "param", amp.name = "norm.weight", amp.kind = "batch_norm"}, tensor<8xf32> {amp.role = "param", amp.name = "norm.bias", amp.kind = "batch_norm"}, tensor<16x8x3x3xf32> {amp.role = "param", amp.name = "block.weight"}, tensor<16x8x1x1xf32> {amp.role = "param", amp.name = "down.weight"}, tensor<16xf32> {amp.role = "param", amp.name = "last.weight", amp.kind = "batch_norm"}, tensor<16xf32> {amp.role = "param", amp.name = "last.bias", amp.kind = "batch_norm"}, tensor<10x16xf32> {amp.role = "param", amp.name = "head.weight"}, tensor<10xf32> {amp.role = "param", amp.name = "head.bias"}) {
  %forward_backward:16 = func.call @forward_backward(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17) : (tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<16xf32>, tensor<16xf32>, tensor<i64>, tensor<4x3x16x16xf32>, tensor<4xi64>, tensor<f32>) -> (tensor<f32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<16xf32>, tensor<16xf32>, tensor<i64>)
  %optimizer_step:9 = func.call @optimizer_step(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %forward_backward#1, %forward_backward#2, %forward_backward#3, %forward_backward#4, %forward_backward#5, %forward_backward#6, %forward_backward#7, %forward_backward#8, %forward_backward#9, %a18) : (tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<f64>) -> (tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>)
  func.return %forward_backward#0, %forward_backward#10, %forward_backward#11, %forward_backward#12, %forward_backward#13, %forward_backward#14, %forward_backward#15, %optimizer_step#0, %optimizer_step#1, %optimizer_step#2, %optimizer_step#3, %optimizer_step#4, %optimizer_step#5, %optimizer_step#6, %optimizer_step#7, %optimizer_step#8 : tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<i64>, tensor<16xf32>, tensor<16xf32>, tensor<i64>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>
}
}