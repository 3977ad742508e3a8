#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
#map6 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map8 = affine_map<(d0) -> (d0)>
#map9 = affine_map<(d0) -> ()>
module {
  func.func @forward_backward(%arg0: tensor<16x2x3x3xf32> {amp.name = "0.weight", amp.role = "param"}, %arg1: tensor<16x1x3x3xf32> {amp.name = "2.weight", amp.role = "param"}, %arg2: tensor<32x1x3x3xf32> {amp.name = "3.weight", amp.role = "param"}, %arg3: tensor<16x16x3x3xf32> {amp.name = "5.weight", amp.role = "param"}, %arg4: tensor<16xf32> {amp.name = "5.bias", amp.role = "param"}, %arg5: tensor<4x4x12x12xf32> {amp.name = "x0", amp.role = "batch"}, %arg6: tensor<4x16xf32> {amp.name = "x1", amp.role = "batch"}, %arg7: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"}) -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<16x2x3x3xf32> {amp.name = "0.weight", amp.role = "grad"}, tensor<16x1x3x3xf32> {amp.name = "2.weight", amp.role = "grad"}, tensor<32x1x3x3xf32> {amp.name = "3.weight", amp.role = "grad"}, tensor<16x16x3x3xf32> {amp.name = "5.weight", amp.role = "grad"}, tensor<16xf32> {amp.name = "5.bias", amp.role = "grad"}) {
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<4x16x14x14xf32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<4x16x14x6xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant 0.000000e+00 : f64
    %cst_4 = arith.constant 9.000000e+00 : f32
    %cst_5 = arith.constant 6.400000e+01 : f32
    %cst_6 = arith.constant 2.000000e+00 : f32
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %padded = tensor.pad %arg5 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst : f32
    } : tensor<4x4x12x12xf32> to tensor<4x4x14x14xf32>
    %0 = tensor.empty() : tensor<4x16x12x12xf32>
    %expanded = tensor.expand_shape %padded [[0], [1, 2], [3], [4]] output_shape [4, 2, 2, 14, 14] : tensor<4x4x14x14xf32> into tensor<4x2x2x14x14xf32>
    %expanded_7 = tensor.expand_shape %arg0 [[0, 1], [2], [3], [4]] output_shape [2, 8, 2, 3, 3] : tensor<16x2x3x3xf32> into tensor<2x8x2x3x3xf32>
    %expanded_8 = tensor.expand_shape %0 [[0], [1, 2], [3], [4]] output_shape [4, 2, 8, 12, 12] : tensor<4x16x12x12xf32> into tensor<4x2x8x12x12xf32>
    %1 = linalg.fill {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64} ins(%cst : f32) outs(%expanded_8 : tensor<4x2x8x12x12xf32>) -> tensor<4x2x8x12x12xf32>
    %2 = linalg.conv_2d_ngchw_gfchw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded, %expanded_7 : tensor<4x2x2x14x14xf32>, tensor<2x8x2x3x3xf32>) outs(%1 : tensor<4x2x8x12x12xf32>) -> tensor<4x2x8x12x12xf32>
    %collapsed = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<4x2x8x12x12xf32> into tensor<4x16x12x12xf32>
    %3 = tensor.empty() : tensor<4x16x12x12xi1>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed : tensor<4x16x12x12xf32>) outs(%3 : tensor<4x16x12x12xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 1 : i64} {
    ^bb0(%in: f32, %out: i1):
      %83 = arith.extf %in : f32 to f64
      %cst_58 = arith.constant 0.000000e+00 : f32
      %84 = arith.cmpf olt, %in, %cst_58 : f32
      linalg.yield %84 : i1
    } -> tensor<4x16x12x12xi1>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %cst_2, %collapsed : tensor<4x16x12x12xi1>, tensor<f32>, tensor<4x16x12x12xf32>) outs(%0 : tensor<4x16x12x12xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 1 : i64} {
    ^bb0(%in: i1, %in_58: f32, %in_59: f32, %out: f32):
      %83 = arith.select %in, %in_58, %in_59 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16x12x12xf32>
    %padded_9 = tensor.pad %5 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst : f32
    } : tensor<4x16x12x12xf32> to tensor<4x16x14x14xf32>
    %6 = tensor.empty() : tensor<4x16x6x6xf32>
    %7 = linalg.fill {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%6 : tensor<4x16x6x6xf32>) -> tensor<4x16x6x6xf32>
    %collapsed_10 = tensor.collapse_shape %arg1 [[0, 1], [2], [3]] : tensor<16x1x3x3xf32> into tensor<16x3x3xf32>
    %8 = linalg.depthwise_conv_2d_nchw_chw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_9, %collapsed_10 : tensor<4x16x14x14xf32>, tensor<16x3x3xf32>) outs(%7 : tensor<4x16x6x6xf32>) -> tensor<4x16x6x6xf32>
    %padded_11 = tensor.pad %8 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst : f32
    } : tensor<4x16x6x6xf32> to tensor<4x16x8x8xf32>
    %9 = tensor.empty() : tensor<4x32x6x6xf32>
    %expanded_12 = tensor.expand_shape %padded_11 [[0], [1, 2], [3], [4]] output_shape [4, 16, 1, 8, 8] : tensor<4x16x8x8xf32> into tensor<4x16x1x8x8xf32>
    %expanded_13 = tensor.expand_shape %arg2 [[0, 1], [2], [3], [4]] output_shape [16, 2, 1, 3, 3] : tensor<32x1x3x3xf32> into tensor<16x2x1x3x3xf32>
    %expanded_14 = tensor.expand_shape %9 [[0], [1, 2], [3], [4]] output_shape [4, 16, 2, 6, 6] : tensor<4x32x6x6xf32> into tensor<4x16x2x6x6xf32>
    %10 = linalg.fill {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64} ins(%cst : f32) outs(%expanded_14 : tensor<4x16x2x6x6xf32>) -> tensor<4x16x2x6x6xf32>
    %11 = linalg.conv_2d_ngchw_gfchw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded_12, %expanded_13 : tensor<4x16x1x8x8xf32>, tensor<16x2x1x3x3xf32>) outs(%10 : tensor<4x16x2x6x6xf32>) -> tensor<4x16x2x6x6xf32>
    %collapsed_15 = tensor.collapse_shape %11 [[0], [1, 2], [3], [4]] : tensor<4x16x2x6x6xf32> into tensor<4x32x6x6xf32>
    %12 = tensor.empty() : tensor<4x32x6x6xi1>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_15 : tensor<4x32x6x6xf32>) outs(%12 : tensor<4x32x6x6xi1>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %out: i1):
      %83 = arith.extf %in : f32 to f64
      %cst_58 = arith.constant 0.000000e+00 : f32
      %84 = arith.cmpf olt, %in, %cst_58 : f32
      linalg.yield %84 : i1
    } -> tensor<4x32x6x6xi1>
    %14 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %cst_2, %collapsed_15 : tensor<4x32x6x6xi1>, tensor<f32>, tensor<4x32x6x6xf32>) outs(%9 : tensor<4x32x6x6xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_58: f32, %in_59: f32, %out: f32):
      %83 = arith.select %in, %in_58, %in_59 : f32
      linalg.yield %83 : f32
    } -> tensor<4x32x6x6xf32>
    %padded_16 = tensor.pad %14 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst : f32
    } : tensor<4x32x6x6xf32> to tensor<4x32x8x8xf32>
    %15 = tensor.empty() : tensor<4x16x3x3xf32>
    %broadcasted = linalg.broadcast ins(%arg4 : tensor<16xf32>) outs(%15 : tensor<4x16x3x3xf32>) dimensions = [0, 2, 3]  {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64}
    %expanded_17 = tensor.expand_shape %padded_16 [[0], [1, 2], [3], [4]] output_shape [4, 2, 16, 8, 8] : tensor<4x32x8x8xf32> into tensor<4x2x16x8x8xf32>
    %expanded_18 = tensor.expand_shape %arg3 [[0, 1], [2], [3], [4]] output_shape [2, 8, 16, 3, 3] : tensor<16x16x3x3xf32> into tensor<2x8x16x3x3xf32>
    %expanded_19 = tensor.expand_shape %broadcasted [[0], [1, 2], [3], [4]] output_shape [4, 2, 8, 3, 3] : tensor<4x16x3x3xf32> into tensor<4x2x8x3x3xf32>
    %16 = linalg.conv_2d_ngchw_gfchw {amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%expanded_17, %expanded_18 : tensor<4x2x16x8x8xf32>, tensor<2x8x16x3x3xf32>) outs(%expanded_19 : tensor<4x2x8x3x3xf32>) -> tensor<4x2x8x3x3xf32>
    %collapsed_20 = tensor.collapse_shape %16 [[0], [1, 2], [3], [4]] : tensor<4x2x8x3x3xf32> into tensor<4x16x3x3xf32>
    %17 = tensor.empty() : tensor<4x16xf32>
    %18 = linalg.fill {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%17 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%collapsed_20 : tensor<4x16x3x3xf32>) outs(%18 : tensor<4x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.addf %in, %out : f32
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.divf %in, %cst_4 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%20, %arg6 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.sub", amp.scope_id = 7 : i64} {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %83 = arith.subf %in, %in_58 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.pow", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %23 = tensor.empty() : tensor<f32>
    %24 = linalg.fill {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 9 : i64} ins(%cst : f32) outs(%23 : tensor<f32>) -> tensor<f32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction", "reduction"]} ins(%22 : tensor<4x16xf32>) outs(%24 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 9 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.addf %in, %out : f32
      linalg.yield %83 : f32
    } -> tensor<f32>
    %26 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%25 : tensor<f32>) outs(%23 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 9 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.divf %in, %cst_5 : f32
      linalg.yield %83 : f32
    } -> tensor<f32>
    %27 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<f32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 9 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x16xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 9 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.divf %in, %cst_5 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.pow", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = math.fpowi %in, %c1_i64 : f32, i64
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.pow", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.mulf %in, %cst_6 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%28, %30 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%17 : tensor<4x16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.pow", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %83 = arith.mulf %in, %in_58 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31 : tensor<4x16xf32>) outs(%15 : tensor<4x16x3x3xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x16x3x3xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<4x16x3x3xf32>) outs(%15 : tensor<4x16x3x3xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.divf %in, %cst_4 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16x3x3xf32>
    %34 = tensor.empty() : tensor<16xf32>
    %35 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%34 : tensor<16xf32>) -> tensor<16xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map6], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%33 : tensor<4x16x3x3xf32>) outs(%35 : tensor<16xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = arith.addf %in, %out : f32
      linalg.yield %83 : f32
    } -> tensor<16xf32>
    %37 = tensor.empty() : tensor<2x16x8x3x3xf32>
    %38 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%37 : tensor<2x16x8x3x3xf32>) -> tensor<2x16x8x3x3xf32>
    %39 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%38 : tensor<2x16x8x3x3xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} {
    ^bb0(%out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 1 : index
      %85 = linalg.index 2 : index
      %86 = linalg.index 3 : index
      %87 = linalg.index 4 : index
      %88 = arith.subi %c2, %86 : index
      %89 = arith.subi %c2, %87 : index
      %extracted = tensor.extract %expanded_18[%83, %85, %84, %88, %89] : tensor<2x8x16x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x16x8x3x3xf32>
    %40 = tensor.empty() : tensor<4x16x8x8xf32>
    %41 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%40 : tensor<4x16x8x8xf32>) -> tensor<4x16x8x8xf32>
    %inserted_slice = tensor.insert_slice %33 into %41[0, 0, 1, 1] [4, 16, 3, 3] [1, 1, 2, 2] : tensor<4x16x3x3xf32> into tensor<4x16x8x8xf32>
    %expanded_21 = tensor.expand_shape %inserted_slice [[0], [1, 2], [3], [4]] output_shape [4, 2, 8, 8, 8] : tensor<4x16x8x8xf32> into tensor<4x2x8x8x8xf32>
    %expanded_22 = tensor.expand_shape %9 [[0], [1, 2], [3], [4]] output_shape [4, 2, 16, 6, 6] : tensor<4x32x6x6xf32> into tensor<4x2x16x6x6xf32>
    %42 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%expanded_22 : tensor<4x2x16x6x6xf32>) -> tensor<4x2x16x6x6xf32>
    %43 = linalg.conv_2d_ngchw_gfchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded_21, %39 : tensor<4x2x8x8x8xf32>, tensor<2x16x8x3x3xf32>) outs(%42 : tensor<4x2x16x6x6xf32>) -> tensor<4x2x16x6x6xf32>
    %collapsed_23 = tensor.collapse_shape %43 [[0], [1, 2], [3], [4]] : tensor<4x2x16x6x6xf32> into tensor<4x32x6x6xf32>
    %44 = tensor.empty() : tensor<16x2x4x8x8xf32>
    %transposed = linalg.transpose ins(%expanded_17 : tensor<4x2x16x8x8xf32>) outs(%44 : tensor<16x2x4x8x8xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64}
    %expanded_24 = tensor.expand_shape %33 [[0], [1, 2], [3], [4]] output_shape [4, 2, 8, 3, 3] : tensor<4x16x3x3xf32> into tensor<4x2x8x3x3xf32>
    %45 = tensor.empty() : tensor<2x8x4x3x3xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<4x2x8x3x3xf32>) outs(%45 : tensor<2x8x4x3x3xf32>) permutation = [1, 2, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64}
    %46 = tensor.empty() : tensor<16x16x4x4xf32>
    %expanded_26 = tensor.expand_shape %46 [[0], [1, 2], [3], [4]] output_shape [16, 2, 8, 4, 4] : tensor<16x16x4x4xf32> into tensor<16x2x8x4x4xf32>
    %47 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64} ins(%cst : f32) outs(%expanded_26 : tensor<16x2x8x4x4xf32>) -> tensor<16x2x8x4x4xf32>
    %48 = linalg.conv_2d_ngchw_gfchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64, dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%transposed, %transposed_25 : tensor<16x2x4x8x8xf32>, tensor<2x8x4x3x3xf32>) outs(%47 : tensor<16x2x8x4x4xf32>) -> tensor<16x2x8x4x4xf32>
    %collapsed_27 = tensor.collapse_shape %48 [[0], [1, 2], [3], [4]] : tensor<16x2x8x4x4xf32> into tensor<16x16x4x4xf32>
    %transposed_28 = linalg.transpose ins(%collapsed_27 : tensor<16x16x4x4xf32>) outs(%46 : tensor<16x16x4x4xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 5 : i64}
    %extracted_slice = tensor.extract_slice %transposed_28[0, 0, 0, 0] [16, 16, 3, 4] [1, 1, 1, 1] : tensor<16x16x4x4xf32> to tensor<16x16x3x4xf32>
    %extracted_slice_29 = tensor.extract_slice %extracted_slice[0, 0, 0, 0] [16, 16, 3, 3] [1, 1, 1, 1] : tensor<16x16x3x4xf32> to tensor<16x16x3x3xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<4x32x6x6xf32>) outs(%12 : tensor<4x32x6x6xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 4 : i64} {
    ^bb0(%in: f32, %out: i1):
      %83 = arith.extf %in : f32 to f64
      %cst_58 = arith.constant 0.000000e+00 : f32
      %84 = arith.cmpf ole, %in, %cst_58 : f32
      linalg.yield %84 : i1
    } -> tensor<4x32x6x6xi1>
    %50 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %cst_2, %collapsed_23 : tensor<4x32x6x6xi1>, tensor<f32>, tensor<4x32x6x6xf32>) outs(%9 : tensor<4x32x6x6xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 4 : i64} {
    ^bb0(%in: i1, %in_58: f32, %in_59: f32, %out: f32):
      %83 = arith.select %in, %in_58, %in_59 : f32
      linalg.yield %83 : f32
    } -> tensor<4x32x6x6xf32>
    %51 = tensor.empty() : tensor<16x1x2x3x3xf32>
    %52 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64} ins(%cst : f32) outs(%51 : tensor<16x1x2x3x3xf32>) -> tensor<16x1x2x3x3xf32>
    %53 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%52 : tensor<16x1x2x3x3xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64} {
    ^bb0(%out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 2 : index
      %85 = linalg.index 3 : index
      %86 = linalg.index 4 : index
      %87 = arith.subi %c2, %85 : index
      %88 = arith.subi %c2, %86 : index
      %extracted = tensor.extract %expanded_13[%83, %84, %c0, %87, %88] : tensor<16x2x1x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<16x1x2x3x3xf32>
    %54 = tensor.empty() : tensor<4x32x8x8xf32>
    %55 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64} ins(%cst : f32) outs(%54 : tensor<4x32x8x8xf32>) -> tensor<4x32x8x8xf32>
    %inserted_slice_30 = tensor.insert_slice %50 into %55[0, 0, 1, 1] [4, 32, 6, 6] [1, 1, 1, 1] : tensor<4x32x6x6xf32> into tensor<4x32x8x8xf32>
    %expanded_31 = tensor.expand_shape %inserted_slice_30 [[0], [1, 2], [3], [4]] output_shape [4, 16, 2, 8, 8] : tensor<4x32x8x8xf32> into tensor<4x16x2x8x8xf32>
    %expanded_32 = tensor.expand_shape %6 [[0], [1, 2], [3], [4]] output_shape [4, 16, 1, 6, 6] : tensor<4x16x6x6xf32> into tensor<4x16x1x6x6xf32>
    %56 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64} ins(%cst : f32) outs(%expanded_32 : tensor<4x16x1x6x6xf32>) -> tensor<4x16x1x6x6xf32>
    %57 = linalg.conv_2d_ngchw_gfchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded_31, %53 : tensor<4x16x2x8x8xf32>, tensor<16x1x2x3x3xf32>) outs(%56 : tensor<4x16x1x6x6xf32>) -> tensor<4x16x1x6x6xf32>
    %collapsed_33 = tensor.collapse_shape %57 [[0], [1, 2], [3], [4]] : tensor<4x16x1x6x6xf32> into tensor<4x16x6x6xf32>
    %expanded_34 = tensor.expand_shape %padded_11 [[0], [1], [2, 3], [4]] output_shape [4, 16, 1, 8, 8] : tensor<4x16x8x8xf32> into tensor<4x16x1x8x8xf32>
    %58 = tensor.empty() : tensor<1x16x4x8x8xf32>
    %transposed_35 = linalg.transpose ins(%expanded_34 : tensor<4x16x1x8x8xf32>) outs(%58 : tensor<1x16x4x8x8xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64}
    %expanded_36 = tensor.expand_shape %50 [[0], [1, 2], [3], [4]] output_shape [4, 16, 2, 6, 6] : tensor<4x32x6x6xf32> into tensor<4x16x2x6x6xf32>
    %59 = tensor.empty() : tensor<16x2x4x6x6xf32>
    %transposed_37 = linalg.transpose ins(%expanded_36 : tensor<4x16x2x6x6xf32>) outs(%59 : tensor<16x2x4x6x6xf32>) permutation = [1, 2, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64}
    %60 = tensor.empty() : tensor<1x32x3x3xf32>
    %expanded_38 = tensor.expand_shape %60 [[0], [1, 2], [3], [4]] output_shape [1, 16, 2, 3, 3] : tensor<1x32x3x3xf32> into tensor<1x16x2x3x3xf32>
    %61 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64} ins(%cst : f32) outs(%expanded_38 : tensor<1x16x2x3x3xf32>) -> tensor<1x16x2x3x3xf32>
    %62 = linalg.conv_2d_ngchw_gfchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%transposed_35, %transposed_37 : tensor<1x16x4x8x8xf32>, tensor<16x2x4x6x6xf32>) outs(%61 : tensor<1x16x2x3x3xf32>) -> tensor<1x16x2x3x3xf32>
    %collapsed_39 = tensor.collapse_shape %62 [[0], [1, 2], [3], [4]] : tensor<1x16x2x3x3xf32> into tensor<1x32x3x3xf32>
    %63 = tensor.empty() : tensor<32x1x3x3xf32>
    %transposed_40 = linalg.transpose ins(%collapsed_39 : tensor<1x32x3x3xf32>) outs(%63 : tensor<32x1x3x3xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 3 : i64}
    %64 = tensor.empty() : tensor<16x1x3x3xf32>
    %65 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%64 : tensor<16x1x3x3xf32>) -> tensor<16x1x3x3xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<16x1x3x3xf32>) outs(%65 : tensor<16x1x3x3xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %83 = linalg.index 0 : index
      %84 = linalg.index 2 : index
      %85 = linalg.index 3 : index
      %86 = arith.subi %c2, %84 : index
      %87 = arith.subi %c2, %85 : index
      %extracted = tensor.extract %arg1[%83, %c0, %86, %87] : tensor<16x1x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<16x1x3x3xf32>
    %inserted_slice_41 = tensor.insert_slice %collapsed_33 into %cst_1[0, 0, 1, 0] [4, 16, 6, 6] [1, 1, 2, 1] : tensor<4x16x6x6xf32> into tensor<4x16x14x6xf32>
    %inserted_slice_42 = tensor.insert_slice %inserted_slice_41 into %cst_0[0, 0, 0, 1] [4, 16, 14, 6] [1, 1, 1, 2] : tensor<4x16x14x6xf32> into tensor<4x16x14x14xf32>
    %67 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%0 : tensor<4x16x12x12xf32>) -> tensor<4x16x12x12xf32>
    %collapsed_43 = tensor.collapse_shape %66 [[0, 1], [2], [3]] : tensor<16x1x3x3xf32> into tensor<16x3x3xf32>
    %68 = linalg.depthwise_conv_2d_nchw_chw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice_42, %collapsed_43 : tensor<4x16x14x14xf32>, tensor<16x3x3xf32>) outs(%67 : tensor<4x16x12x12xf32>) -> tensor<4x16x12x12xf32>
    %expanded_44 = tensor.expand_shape %padded_9 [[0], [1], [2, 3], [4]] output_shape [4, 16, 1, 14, 14] : tensor<4x16x14x14xf32> into tensor<4x16x1x14x14xf32>
    %69 = tensor.empty() : tensor<1x16x4x14x14xf32>
    %transposed_45 = linalg.transpose ins(%expanded_44 : tensor<4x16x1x14x14xf32>) outs(%69 : tensor<1x16x4x14x14xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64}
    %70 = tensor.empty() : tensor<16x1x4x6x6xf32>
    %transposed_46 = linalg.transpose ins(%57 : tensor<4x16x1x6x6xf32>) outs(%70 : tensor<16x1x4x6x6xf32>) permutation = [1, 2, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64}
    %71 = tensor.empty() : tensor<1x16x4x4xf32>
    %expanded_47 = tensor.expand_shape %71 [[0], [1, 2], [3], [4]] output_shape [1, 16, 1, 4, 4] : tensor<1x16x4x4xf32> into tensor<1x16x1x4x4xf32>
    %72 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%expanded_47 : tensor<1x16x1x4x4xf32>) -> tensor<1x16x1x4x4xf32>
    %73 = linalg.conv_2d_ngchw_gfchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64, dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%transposed_45, %transposed_46 : tensor<1x16x4x14x14xf32>, tensor<16x1x4x6x6xf32>) outs(%72 : tensor<1x16x1x4x4xf32>) -> tensor<1x16x1x4x4xf32>
    %collapsed_48 = tensor.collapse_shape %73 [[0], [1, 2], [3], [4]] : tensor<1x16x1x4x4xf32> into tensor<1x16x4x4xf32>
    %74 = tensor.empty() : tensor<16x1x4x4xf32>
    %transposed_49 = linalg.transpose ins(%collapsed_48 : tensor<1x16x4x4xf32>) outs(%74 : tensor<16x1x4x4xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 2 : i64}
    %extracted_slice_50 = tensor.extract_slice %transposed_49[0, 0, 0, 0] [16, 1, 3, 4] [1, 1, 1, 1] : tensor<16x1x4x4xf32> to tensor<16x1x3x4xf32>
    %extracted_slice_51 = tensor.extract_slice %extracted_slice_50[0, 0, 0, 0] [16, 1, 3, 3] [1, 1, 1, 1] : tensor<16x1x3x4xf32> to tensor<16x1x3x3xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<4x16x12x12xf32>) outs(%3 : tensor<4x16x12x12xi1>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 1 : i64} {
    ^bb0(%in: f32, %out: i1):
      %83 = arith.extf %in : f32 to f64
      %cst_58 = arith.constant 0.000000e+00 : f32
      %84 = arith.cmpf ole, %in, %cst_58 : f32
      linalg.yield %84 : i1
    } -> tensor<4x16x12x12xi1>
    %76 = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %cst_2, %68 : tensor<4x16x12x12xi1>, tensor<f32>, tensor<4x16x12x12xf32>) outs(%0 : tensor<4x16x12x12xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 1 : i64} {
    ^bb0(%in: i1, %in_58: f32, %in_59: f32, %out: f32):
      %83 = arith.select %in, %in_58, %in_59 : f32
      linalg.yield %83 : f32
    } -> tensor<4x16x12x12xf32>
    %77 = tensor.empty() : tensor<2x2x4x14x14xf32>
    %transposed_52 = linalg.transpose ins(%expanded : tensor<4x2x2x14x14xf32>) outs(%77 : tensor<2x2x4x14x14xf32>) permutation = [2, 1, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64}
    %expanded_53 = tensor.expand_shape %76 [[0], [1, 2], [3], [4]] output_shape [4, 2, 8, 12, 12] : tensor<4x16x12x12xf32> into tensor<4x2x8x12x12xf32>
    %78 = tensor.empty() : tensor<2x8x4x12x12xf32>
    %transposed_54 = linalg.transpose ins(%expanded_53 : tensor<4x2x8x12x12xf32>) outs(%78 : tensor<2x8x4x12x12xf32>) permutation = [1, 2, 0, 3, 4]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64}
    %79 = tensor.empty() : tensor<2x16x3x3xf32>
    %expanded_55 = tensor.expand_shape %79 [[0], [1, 2], [3], [4]] output_shape [2, 2, 8, 3, 3] : tensor<2x16x3x3xf32> into tensor<2x2x8x3x3xf32>
    %80 = linalg.fill {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64} ins(%cst : f32) outs(%expanded_55 : tensor<2x2x8x3x3xf32>) -> tensor<2x2x8x3x3xf32>
    %81 = linalg.conv_2d_ngchw_gfchw {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%transposed_52, %transposed_54 : tensor<2x2x4x14x14xf32>, tensor<2x8x4x12x12xf32>) outs(%80 : tensor<2x2x8x3x3xf32>) -> tensor<2x2x8x3x3xf32>
    %collapsed_56 = tensor.collapse_shape %81 [[0], [1, 2], [3], [4]] : tensor<2x2x8x3x3xf32> into tensor<2x16x3x3xf32>
    %82 = tensor.empty() : tensor<16x2x3x3xf32>
    %transposed_57 = linalg.transpose ins(%collapsed_56 : tensor<2x16x3x3xf32>) outs(%82 : tensor<16x2x3x3xf32>) permutation = [1, 0, 2, 3]  {amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64}
    return %26, %transposed_57, %extracted_slice_51, %transposed_40, %extracted_slice_29, %36 : tensor<f32>, tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>
  }
  func.func @optimizer_step(%arg0: tensor<16x2x3x3xf32> {amp.name = "0.weight", amp.role = "param"}, %arg1: tensor<16x1x3x3xf32> {amp.name = "2.weight", amp.role = "param"}, %arg2: tensor<32x1x3x3xf32> {amp.name = "3.weight", amp.role = "param"}, %arg3: tensor<16x16x3x3xf32> {amp.name = "5.weight", amp.role = "param"}, %arg4: tensor<16xf32> {amp.name = "5.bias", amp.role = "param"}, %arg5: tensor<16x2x3x3xf32> {amp.name = "0.weight", amp.role = "grad"}, %arg6: tensor<16x1x3x3xf32> {amp.name = "2.weight", amp.role = "grad"}, %arg7: tensor<32x1x3x3xf32> {amp.name = "3.weight", amp.role = "grad"}, %arg8: tensor<16x16x3x3xf32> {amp.name = "5.weight", amp.role = "grad"}, %arg9: tensor<16xf32> {amp.name = "5.bias", amp.role = "grad"}, %arg10: tensor<f64> {amp.name = "lr0", amp.role = "hyper"}) -> (tensor<16x2x3x3xf32> {amp.name = "0.weight", amp.role = "param"}, tensor<16x1x3x3xf32> {amp.name = "2.weight", amp.role = "param"}, tensor<32x1x3x3xf32> {amp.name = "3.weight", amp.role = "param"}, tensor<16x16x3x3xf32> {amp.name = "5.weight", amp.role = "param"}, tensor<16xf32> {amp.name = "5.bias", amp.role = "param"}) {
    %cst = arith.constant -1.000000e+00 : f32
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%arg10 : tensor<f64>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %22 = arith.truncf %in : f64 to f32
      linalg.yield %22 : f32
    } -> tensor<f32>
    %2 = tensor.empty() : tensor<16x2x3x3xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg5 : tensor<16x2x3x3xf32>) outs(%2 : tensor<16x2x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.mulf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<16x2x3x3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %1 : tensor<16x2x3x3xf32>, tensor<f32>) outs(%2 : tensor<16x2x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.mulf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16x2x3x3xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %4 : tensor<16x2x3x3xf32>, tensor<16x2x3x3xf32>) outs(%2 : tensor<16x2x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.addf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16x2x3x3xf32>
    %6 = tensor.empty() : tensor<16x1x3x3xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg6 : tensor<16x1x3x3xf32>) outs(%6 : tensor<16x1x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.mulf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<16x1x3x3xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %1 : tensor<16x1x3x3xf32>, tensor<f32>) outs(%6 : tensor<16x1x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.mulf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16x1x3x3xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1, %8 : tensor<16x1x3x3xf32>, tensor<16x1x3x3xf32>) outs(%6 : tensor<16x1x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.addf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16x1x3x3xf32>
    %10 = tensor.empty() : tensor<32x1x3x3xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg7 : tensor<32x1x3x3xf32>) outs(%10 : tensor<32x1x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.mulf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<32x1x3x3xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %1 : tensor<32x1x3x3xf32>, tensor<f32>) outs(%10 : tensor<32x1x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.mulf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<32x1x3x3xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2, %12 : tensor<32x1x3x3xf32>, tensor<32x1x3x3xf32>) outs(%10 : tensor<32x1x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.addf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<32x1x3x3xf32>
    %14 = tensor.empty() : tensor<16x16x3x3xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg8 : tensor<16x16x3x3xf32>) outs(%14 : tensor<16x16x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.mulf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<16x16x3x3xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %1 : tensor<16x16x3x3xf32>, tensor<f32>) outs(%14 : tensor<16x16x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.mulf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16x16x3x3xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3, %16 : tensor<16x16x3x3xf32>, tensor<16x16x3x3xf32>) outs(%14 : tensor<16x16x3x3xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.addf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16x16x3x3xf32>
    %18 = tensor.empty() : tensor<16xf32>
    %19 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%arg9 : tensor<16xf32>) outs(%18 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.mulf %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<16xf32>
    %20 = linalg.generic {indexing_maps = [#map8, #map9, #map8], iterator_types = ["parallel"]} ins(%19, %1 : tensor<16xf32>, tensor<f32>) outs(%18 : tensor<16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.mulf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16xf32>
    %21 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel"]} ins(%arg4, %20 : tensor<16xf32>, tensor<16xf32>) outs(%18 : tensor<16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %22 = arith.addf %in, %in_0 : f32
      linalg.yield %22 : f32
    } -> tensor<16xf32>
    return %5, %9, %13, %17, %21 : tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>
  }
func.func @train_step(%a0: tensor<16x2x3x3xf32> {amp.role = "param", amp.name = "0.weight"}, %a1: tensor<16x1x3x3xf32> {amp.role = "param", amp.name = "2.weight"}, %a2: tensor<32x1x3x3xf32> {amp.role = "param", amp.name = "3.weight"}, %a3: tensor<16x16x3x3xf32> {amp.role = "param", amp.name = "5.weight"}, %a4: tensor<16xf32> {amp.role = "param", amp.name = "5.bias"}, %a5: tensor<4x4x12x12xf32> {amp.role = "batch", amp.name = "x0"}, %a6: tensor<4x16xf32> {amp.role = "batch", amp.name = "x1"}, %a7: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %a8: tensor<f64> {amp.role = "hyper", amp.name = "lr0"}) -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<16x2x3x3xf32> {amp.role = "param", amp.name = "0.weight"}, tensor<16x1x3x3xf32> {amp.role = "param", amp.name = "2.weight"}, tensor<32x1x3x3xf32> {amp.role = "param", amp.name = "3.weight"}, tensor<16x16x3x3xf32> {amp.role = "param", amp.name = "5.weight"}, tensor<16xf32> {amp.role = "param", amp.name = "5.bias"}) {
  %forward_backward:6 = func.call @forward_backward(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7) : (tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>, tensor<4x4x12x12xf32>, tensor<4x16xf32>, tensor<f32>) -> (tensor<f32>, tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>)
  %optimizer_step:5 = func.call @optimizer_step(%a0, %a1, %a2, %a3, %a4, %forward_backward#1, %forward_backward#2, %forward_backward#3, %forward_backward#4, %forward_backward#5, %a8) : (tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>, tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>, tensor<f64>) -> (tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>)
  func.return %forward_backward#0, %optimizer_step#0, %optimizer_step#1, %optimizer_step#2, %optimizer_step#3, %optimizer_step#4 : tensor<f32>, tensor<16x2x3x3xf32>, tensor<16x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>
}
}