#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d1)>
#map9 = affine_map<(d0, d1) -> (d0)>
#map10 = affine_map<(d0, d1) -> (d0, 0)>
#map11 = affine_map<(d0) -> ()>
#map12 = affine_map<() -> ()>
#map13 = affine_map<(d0, d1) -> (0, d1)>
#map14 = affine_map<(d0, d1) -> ()>
#map15 = affine_map<(d0, d1, d2, d3) -> ()>
#map16 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map17 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>
#map18 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#map19 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
module {
  func.func @forward_backward(%arg0: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, %arg1: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, %arg2: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, %arg3: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, %arg4: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, %arg5: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, %arg6: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, %arg7: tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "param"}, %arg8: tensor<10xf32> {amp.name = "fc.bias", amp.role = "param"}, %arg9: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, %arg10: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, %arg11: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, %arg12: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}, %arg13: tensor<4x3x16x16xf32> {amp.name = "x0", amp.role = "batch"}, %arg14: tensor<4xi64> {amp.name = "x1", amp.role = "batch"}, %arg15: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"}) -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "grad"}, tensor<8xf32> {amp.name = "norm.weight", amp.role = "grad"}, tensor<8xf32> {amp.name = "norm.bias", amp.role = "grad"}, tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "grad"}, tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "grad"}, tensor<16xf32> {amp.name = "last.weight", amp.role = "grad"}, tensor<16xf32> {amp.name = "last.bias", amp.role = "grad"}, tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "grad"}, tensor<10xf32> {amp.name = "fc.bias", amp.role = "grad"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}) {
    %cst = arith.constant 1.01587307 : f32
    %cst_0 = arith.constant 1.00097752 : f32
    %cst_1 = arith.constant 0.899999976 : f32
    %cst_2 = arith.constant 1.000000e-01 : f32
    %cst_3 = arith.constant 9.99999974E-6 : f32
    %c-100_i64 = arith.constant -100 : i64
    %c-1_i64 = arith.constant -1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst_4 = arith.constant 0.000000e+00 : f32
    %cst_5 = arith.constant 0xFF800000 : f32
    %c10 = arith.constant 10 : index
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = arith.constant 9.765625E-4 : f32
    %c16 = arith.constant 16 : index
    %cst_8 = arith.constant 1.562500e-02 : f32
    %cst_9 = arith.constant 1.600000e+01 : f32
    %c0 = arith.constant 0 : index
    %cst_10 = arith.constant dense<0> : tensor<i64>
    %padded = tensor.pad %arg13 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_4 : f32
    } : tensor<4x3x16x16xf32> to tensor<4x3x18x18xf32>
    %0 = tensor.empty() : tensor<4x8x16x16xf32>
    %1 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64} ins(%cst_4 : f32) outs(%0 : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
    %2 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg0 : tensor<4x3x18x18xf32>, tensor<8x3x3x3xf32>) outs(%1 : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
    %3 = tensor.empty() : tensor<1x8x1x1xf32>
    %4 = linalg.fill {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} ins(%cst_4 : f32) outs(%3 : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%2 : tensor<4x8x16x16xf32>) outs(%4 : tensor<1x8x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<1x8x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<1x8x1x1xf32>) outs(%3 : tensor<1x8x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_7 : f32
      linalg.yield %200 : f32
    } -> tensor<1x8x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %6 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %7 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%8 : tensor<4x8x16x16xf32>) outs(%4 : tensor<1x8x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<1x8x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<1x8x1x1xf32>) outs(%3 : tensor<1x8x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_7 : f32
      linalg.yield %200 : f32
    } -> tensor<1x8x1x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<1x8x1x1xf32>) outs(%3 : tensor<1x8x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %cst_3 : f32
      linalg.yield %200 : f32
    } -> tensor<1x8x1x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x8x1x1xf32>) outs(%3 : tensor<1x8x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = math.rsqrt %in : f32
      linalg.yield %200 : f32
    } -> tensor<1x8x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %12 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %collapsed = tensor.collapse_shape %6 [[0, 1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<8xf32>
    %collapsed_11 = tensor.collapse_shape %12 [[0, 1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<8xf32>
    %14 = tensor.empty() : tensor<8xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%collapsed : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_2 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg9 : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_1 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%15, %16 : tensor<8xf32>, tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %collapsed_12 = tensor.collapse_shape %10 [[0, 1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<8xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_12 : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_0 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %19 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%18 : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_2 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg10 : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_1 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%19, %20 : tensor<8xf32>, tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %expanded = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %expanded : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %expanded_13 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_13 : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.cmpf ugt, %in, %cst_4 : f32
      %201 = arith.select %200, %in, %cst_4 : f32
      linalg.yield %201 : f32
    } -> tensor<4x8x16x16xf32>
    %padded_14 = tensor.pad %24 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_5 : f32
    } : tensor<4x8x16x16xf32> to tensor<4x8x18x18xf32>
    %25 = tensor.empty() : tensor<4x8x8x8xf32>
    %26 = linalg.fill {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} ins(%cst_5 : f32) outs(%25 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %27 = tensor.empty() : tensor<3x3xf32>
    %28 = linalg.pooling_nchw_max {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_14, %27 : tensor<4x8x18x18xf32>, tensor<3x3xf32>) outs(%26 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %29 = tensor.empty() : tensor<4x8x8x8xi64>
    %30 = linalg.fill {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} ins(%c-1_i64 : i64) outs(%29 : tensor<4x8x8x8xi64>) -> tensor<4x8x8x8xi64>
    %31 = tensor.empty() : tensor<3x3xi64>
    %32 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%28, %31 : tensor<4x8x8x8xf32>, tensor<3x3xi64>) outs(%30 : tensor<4x8x8x8xi64>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: f32, %in_64: i64, %out: i64):
      %200 = linalg.index 0 : index
      %201 = linalg.index 1 : index
      %202 = linalg.index 2 : index
      %203 = linalg.index 4 : index
      %204 = arith.muli %202, %c2 : index
      %205 = arith.addi %204, %203 : index
      %206 = linalg.index 3 : index
      %207 = linalg.index 5 : index
      %208 = arith.muli %206, %c2 : index
      %209 = arith.addi %208, %207 : index
      %extracted = tensor.extract %padded_14[%200, %201, %205, %209] : tensor<4x8x18x18xf32>
      %210 = arith.cmpf oeq, %extracted, %in : f32
      %211 = arith.subi %209, %c1 : index
      %212 = arith.subi %205, %c1 : index
      %213 = arith.muli %212, %c16 : index
      %214 = arith.addi %211, %213 : index
      %215 = arith.index_cast %214 : index to i64
      %216 = arith.select %210, %215, %out : i64
      %217 = arith.cmpi eq, %out, %c-1_i64 : i64
      %218 = arith.select %217, %216, %out : i64
      linalg.yield %218 : i64
    } -> tensor<4x8x8x8xi64>
    %padded_15 = tensor.pad %28 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_4 : f32
    } : tensor<4x8x8x8xf32> to tensor<4x8x10x10xf32>
    %33 = tensor.empty() : tensor<4x16x4x4xf32>
    %34 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64} ins(%cst_4 : f32) outs(%33 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %35 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_15, %arg3 : tensor<4x8x10x10xf32>, tensor<16x8x3x3xf32>) outs(%34 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %36 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%28, %arg4 : tensor<4x8x8x8xf32>, tensor<16x8x1x1xf32>) outs(%34 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35, %36 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.Tensor.add", amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 18 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %38 = tensor.empty() : tensor<1x16x1x1xf32>
    %39 = linalg.fill {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} ins(%cst_4 : f32) outs(%38 : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%37 : tensor<4x16x4x4xf32>) outs(%39 : tensor<1x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<1x16x1x1xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<1x16x1x1xf32>) outs(%38 : tensor<1x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_8 : f32
      linalg.yield %200 : f32
    } -> tensor<1x16x1x1xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %41 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %42 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%43 : tensor<4x16x4x4xf32>) outs(%39 : tensor<1x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<1x16x1x1xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<1x16x1x1xf32>) outs(%38 : tensor<1x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_8 : f32
      linalg.yield %200 : f32
    } -> tensor<1x16x1x1xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45 : tensor<1x16x1x1xf32>) outs(%38 : tensor<1x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %cst_3 : f32
      linalg.yield %200 : f32
    } -> tensor<1x16x1x1xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<1x16x1x1xf32>) outs(%38 : tensor<1x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = math.rsqrt %in : f32
      linalg.yield %200 : f32
    } -> tensor<1x16x1x1xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %47 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %collapsed_16 = tensor.collapse_shape %41 [[0, 1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<16xf32>
    %collapsed_17 = tensor.collapse_shape %47 [[0, 1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<16xf32>
    %49 = tensor.empty() : tensor<16xf32>
    %50 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_16 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_2 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %51 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg11 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_1 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %52 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%50, %51 : tensor<16xf32>, tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %collapsed_18 = tensor.collapse_shape %45 [[0, 1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<16xf32>
    %53 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_18 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %54 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%53 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_2 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg12 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_1 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %56 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%54, %55 : tensor<16xf32>, tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %expanded_19 = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %expanded_19 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %expanded_20 = tensor.expand_shape %arg6 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57, %expanded_20 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 28 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.cmpf ugt, %in, %cst_4 : f32
      %201 = arith.select %200, %in, %cst_4 : f32
      linalg.yield %201 : f32
    } -> tensor<4x16x4x4xf32>
    %60 = tensor.empty() : tensor<4x16xf32>
    %61 = linalg.fill {amp.function = "torch.Tensor.mean", amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 29 : i64} ins(%cst_4 : f32) outs(%60 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map6], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%59 : tensor<4x16x4x4xf32>) outs(%61 : tensor<4x16xf32>) attrs =  {amp.function = "torch.Tensor.mean", amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 29 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<4x16xf32>
    %63 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%62 : tensor<4x16xf32>) outs(%60 : tensor<4x16xf32>) attrs =  {amp.function = "torch.Tensor.mean", amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 29 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.divf %in, %cst_9 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16xf32>
    %64 = tensor.empty() : tensor<16x10xf32>
    %transposed = linalg.transpose ins(%arg7 : tensor<10x16xf32>) outs(%64 : tensor<16x10xf32>) permutation = [1, 0]  {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.t", amp.scope_id = 30 : i64}
    %65 = tensor.empty() : tensor<4x10xf32>
    %66 = linalg.fill {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} ins(%cst_4 : f32) outs(%65 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %67 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} ins(%63, %transposed : tensor<4x16xf32>, tensor<16x10xf32>) outs(%66 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %68 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel"]} ins(%67, %arg8 : tensor<4x10xf32>, tensor<10xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %69 = tensor.empty() : tensor<4xi64>
    %70 = linalg.fill {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} ins(%c0_i64 : i64) outs(%69 : tensor<4xi64>) -> tensor<4xi64>
    %71 = tensor.empty() : tensor<4xf32>
    %72 = linalg.fill {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} ins(%cst_5 : f32) outs(%71 : tensor<4xf32>) -> tensor<4xf32>
    %73:2 = linalg.generic {indexing_maps = [#map7, #map9, #map9], iterator_types = ["parallel", "reduction"]} ins(%68 : tensor<4x10xf32>) outs(%72, %70 : tensor<4xf32>, tensor<4xi64>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %out: f32, %out_64: i64):
      %200 = linalg.index 1 : index
      %201 = arith.index_cast %200 : index to i64
      %202 = arith.maximumf %in, %out : f32
      %203 = arith.cmpf ogt, %in, %out : f32
      %204 = arith.select %203, %201, %out_64 : i64
      linalg.yield %202, %204 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded_21 = tensor.expand_shape %73#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %74 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%68, %expanded_21 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %75 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%74 : tensor<4x10xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = math.exp %in : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %76 = tensor.empty() : tensor<4x1xf32>
    %77 = linalg.fill {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} ins(%cst_4 : f32) outs(%76 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %78 = linalg.generic {indexing_maps = [#map7, #map10], iterator_types = ["parallel", "reduction"]} ins(%75 : tensor<4x10xf32>) outs(%77 : tensor<4x1xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<4x1xf32>
    %79 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%78 : tensor<4x1xf32>) outs(%76 : tensor<4x1xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = math.log %in : f32
      linalg.yield %200 : f32
    } -> tensor<4x1xf32>
    %80 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%74, %79 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %81 = tensor.empty() : tensor<4xi1>
    %82 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg14 : tensor<4xi64>) outs(%81 : tensor<4xi1>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i64, %out: i1):
      %200 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %200 : i1
    } -> tensor<4xi1>
    %83 = linalg.generic {indexing_maps = [#map2, #map2, #map11, #map2], iterator_types = ["parallel"]} ins(%82, %arg14, %cst_10 : tensor<4xi1>, tensor<4xi64>, tensor<i64>) outs(%69 : tensor<4xi64>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i1, %in_64: i64, %in_65: i64, %out: i64):
      %200 = arith.select %in, %in_64, %in_65 : i64
      linalg.yield %200 : i64
    } -> tensor<4xi64>
    %expanded_22 = tensor.expand_shape %83 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %84 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%expanded_22 : tensor<4x1xi64>) outs(%77 : tensor<4x1xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i64, %out: f32):
      %200 = linalg.index 0 : index
      %201 = arith.index_cast %in : i64 to index
      %202 = arith.cmpi slt, %201, %c10 : index
      cf.assert %202, "index must be smaller than dim size"
      %203 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %203, "index must be larger or equal to 0"
      %extracted = tensor.extract %80[%200, %201] : tensor<4x10xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x1xf32>
    %collapsed_23 = tensor.collapse_shape %84 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %85 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_23 : tensor<4xf32>) outs(%71 : tensor<4xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.negf %in : f32
      linalg.yield %200 : f32
    } -> tensor<4xf32>
    %86 = linalg.generic {indexing_maps = [#map2, #map2, #map11, #map2], iterator_types = ["parallel"]} ins(%82, %85, %cst_6 : tensor<4xi1>, tensor<4xf32>, tensor<f32>) outs(%71 : tensor<4xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4xf32>
    %87 = tensor.empty() : tensor<i64>
    %88 = linalg.fill {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} ins(%c0_i64 : i64) outs(%87 : tensor<i64>) -> tensor<i64>
    %89 = linalg.generic {indexing_maps = [#map2, #map11], iterator_types = ["reduction"]} ins(%82 : tensor<4xi1>) outs(%88 : tensor<i64>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i1, %out: i64):
      %200 = arith.extui %in : i1 to i64
      %201 = arith.addi %200, %out : i64
      linalg.yield %201 : i64
    } -> tensor<i64>
    %90 = tensor.empty() : tensor<f32>
    %91 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = []} ins(%89 : tensor<i64>) outs(%90 : tensor<f32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i64, %out: f32):
      %200 = arith.sitofp %in : i64 to f32
      linalg.yield %200 : f32
    } -> tensor<f32>
    %92 = linalg.fill {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} ins(%cst_4 : f32) outs(%90 : tensor<f32>) -> tensor<f32>
    %93 = linalg.generic {indexing_maps = [#map2, #map11], iterator_types = ["reduction"]} ins(%86 : tensor<4xf32>) outs(%92 : tensor<f32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<f32>
    %94 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = []} ins(%93, %91 : tensor<f32>, tensor<f32>) outs(%90 : tensor<f32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "forward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.divf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<f32>
    %95 = linalg.generic {indexing_maps = [#map12, #map12, #map12], iterator_types = []} ins(%arg15, %91 : tensor<f32>, tensor<f32>) outs(%90 : tensor<f32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.divf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<f32>
    %96 = tensor.empty() : tensor<10xi64>
    %97 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%96 : tensor<10xi64>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%out: i64):
      %200 = linalg.index 0 : index
      %201 = arith.index_cast %200 : index to i64
      linalg.yield %201 : i64
    } -> tensor<10xi64>
    %expanded_24 = tensor.expand_shape %97 [[0, 1]] output_shape [1, 10] : tensor<10xi64> into tensor<1x10xi64>
    %expanded_25 = tensor.expand_shape %arg14 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %98 = tensor.empty() : tensor<4x10xi1>
    %99 = linalg.generic {indexing_maps = [#map13, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%expanded_24, %expanded_25 : tensor<1x10xi64>, tensor<4x1xi64>) outs(%98 : tensor<4x10xi1>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %200 = arith.cmpi eq, %in, %in_64 : i64
      linalg.yield %200 : i1
    } -> tensor<4x10xi1>
    %100 = tensor.empty() : tensor<4x1xi1>
    %101 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%expanded_25 : tensor<4x1xi64>) outs(%100 : tensor<4x1xi1>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i64, %out: i1):
      %200 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %200 : i1
    } -> tensor<4x1xi1>
    %102 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%99, %101 : tensor<4x10xi1>, tensor<4x1xi1>) outs(%98 : tensor<4x10xi1>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i1, %in_64: i1, %out: i1):
      %200 = arith.andi %in, %in_64 : i1
      linalg.yield %200 : i1
    } -> tensor<4x10xi1>
    %103 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = []} ins(%95 : tensor<f32>) outs(%90 : tensor<f32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.negf %in : f32
      linalg.yield %200 : f32
    } -> tensor<f32>
    %104 = linalg.generic {indexing_maps = [#map7, #map14, #map14, #map7], iterator_types = ["parallel", "parallel"]} ins(%102, %103, %cst_6 : tensor<4x10xi1>, tensor<f32>, tensor<f32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten.nll_loss_forward", amp.scope_id = 33 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %105 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%80 : tensor<4x10xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = math.exp %in : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %106 = linalg.generic {indexing_maps = [#map7, #map10], iterator_types = ["parallel", "reduction"]} ins(%104 : tensor<4x10xf32>) outs(%77 : tensor<4x1xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<4x1xf32>
    %107 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%105, %106 : tensor<4x10xf32>, tensor<4x1xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %108 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%104, %107 : tensor<4x10xf32>, tensor<4x10xf32>) outs(%65 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.cross_entropy", amp.phase = "backward", amp.scope = "aten._log_softmax", amp.scope_id = 32 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x10xf32>
    %109 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} ins(%108, %arg7 : tensor<4x10xf32>, tensor<10x16xf32>) outs(%61 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %110 = tensor.empty() : tensor<10x4xf32>
    %transposed_26 = linalg.transpose ins(%108 : tensor<4x10xf32>) outs(%110 : tensor<10x4xf32>) permutation = [1, 0]  {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64}
    %111 = tensor.empty() : tensor<10x16xf32>
    %112 = linalg.fill {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} ins(%cst_4 : f32) outs(%111 : tensor<10x16xf32>) -> tensor<10x16xf32>
    %113 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} ins(%transposed_26, %63 : tensor<10x4xf32>, tensor<4x16xf32>) outs(%112 : tensor<10x16xf32>) -> tensor<10x16xf32>
    %114 = tensor.empty() : tensor<1x10xf32>
    %115 = linalg.fill {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} ins(%cst_4 : f32) outs(%114 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %116 = linalg.generic {indexing_maps = [#map7, #map13], iterator_types = ["reduction", "parallel"]} ins(%108 : tensor<4x10xf32>) outs(%115 : tensor<1x10xf32>) attrs =  {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 31 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<1x10xf32>
    %collapsed_27 = tensor.collapse_shape %116 [[0, 1]] : tensor<1x10xf32> into tensor<10xf32>
    %117 = linalg.generic {indexing_maps = [#map6, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%109 : tensor<4x16xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.Tensor.mean", amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 29 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x16x4x4xf32>
    %118 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%117 : tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.Tensor.mean", amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 29 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.divf %in, %cst_9 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %119 = tensor.empty() : tensor<4x16x4x4xi1>
    %120 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<4x16x4x4xf32>) outs(%119 : tensor<4x16x4x4xi1>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 28 : i64} {
    ^bb0(%in: f32, %out: i1):
      %200 = arith.cmpf ole, %in, %cst_4 : f32
      linalg.yield %200 : i1
    } -> tensor<4x16x4x4xi1>
    %121 = linalg.generic {indexing_maps = [#map, #map15, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%120, %cst_6, %118 : tensor<4x16x4x4xi1>, tensor<f32>, tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 28 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %122 = linalg.fill {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} ins(%cst_4 : f32) outs(%49 : tensor<16xf32>) -> tensor<16xf32>
    %123 = linalg.generic {indexing_maps = [#map, #map16], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%121 : tensor<4x16x4x4xf32>) outs(%122 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %124 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%121, %42 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %125 = linalg.generic {indexing_maps = [#map, #map16], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%124 : tensor<4x16x4x4xf32>) outs(%122 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %126 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%123 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_8 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %expanded_28 = tensor.expand_shape %126 [[0, 1, 2, 3]] output_shape [1, 16, 1, 1] : tensor<16xf32> into tensor<1x16x1x1xf32>
    %127 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%125 : tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_8 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %128 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_17, %collapsed_17 : tensor<16xf32>, tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %129 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%127, %128 : tensor<16xf32>, tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %expanded_29 = tensor.expand_shape %129 [[0, 1, 2, 3]] output_shape [1, 16, 1, 1] : tensor<16xf32> into tensor<1x16x1x1xf32>
    %130 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_17, %arg5 : tensor<16xf32>, tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %expanded_30 = tensor.expand_shape %130 [[0, 1, 2, 3]] output_shape [1, 16, 1, 1] : tensor<16xf32> into tensor<1x16x1x1xf32>
    %131 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %expanded_29 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %132 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%121, %131 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %133 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%132, %expanded_28 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %134 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%133, %expanded_30 : tensor<4x16x4x4xf32>, tensor<1x16x1x1xf32>) outs(%33 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x16x4x4xf32>
    %135 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%125, %collapsed_17 : tensor<16xf32>, tensor<16xf32>) outs(%49 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<16xf32>
    %136 = tensor.empty() : tensor<8x16x1x1xf32>
    %137 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64} ins(%cst_4 : f32) outs(%136 : tensor<8x16x1x1xf32>) -> tensor<8x16x1x1xf32>
    %138 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%137 : tensor<8x16x1x1xf32>) attrs =  {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64} {
    ^bb0(%out: f32):
      %200 = linalg.index 0 : index
      %201 = linalg.index 1 : index
      %extracted = tensor.extract %arg4[%201, %200, %c0, %c0] : tensor<16x8x1x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x16x1x1xf32>
    %139 = tensor.empty() : tensor<4x16x8x8xf32>
    %140 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64} ins(%cst_4 : f32) outs(%139 : tensor<4x16x8x8xf32>) -> tensor<4x16x8x8xf32>
    %inserted_slice = tensor.insert_slice %134 into %140[0, 0, 0, 0] [4, 16, 4, 4] [1, 1, 2, 2] : tensor<4x16x4x4xf32> into tensor<4x16x8x8xf32>
    %141 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64} ins(%cst_4 : f32) outs(%25 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %142 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice, %138 : tensor<4x16x8x8xf32>, tensor<8x16x1x1xf32>) outs(%141 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %143 = tensor.empty() : tensor<8x4x8x8xf32>
    %transposed_31 = linalg.transpose ins(%28 : tensor<4x8x8x8xf32>) outs(%143 : tensor<8x4x8x8xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64}
    %144 = tensor.empty() : tensor<16x4x4x4xf32>
    %transposed_32 = linalg.transpose ins(%134 : tensor<4x16x4x4xf32>) outs(%144 : tensor<16x4x4x4xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64}
    %145 = tensor.empty() : tensor<8x16x2x2xf32>
    %146 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64} ins(%cst_4 : f32) outs(%145 : tensor<8x16x2x2xf32>) -> tensor<8x16x2x2xf32>
    %147 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64, dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%transposed_31, %transposed_32 : tensor<8x4x8x8xf32>, tensor<16x4x4x4xf32>) outs(%146 : tensor<8x16x2x2xf32>) -> tensor<8x16x2x2xf32>
    %148 = tensor.empty() : tensor<16x8x2x2xf32>
    %transposed_33 = linalg.transpose ins(%147 : tensor<8x16x2x2xf32>) outs(%148 : tensor<16x8x2x2xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 17 : i64}
    %extracted_slice = tensor.extract_slice %transposed_33[0, 0, 0, 0] [16, 8, 1, 2] [1, 1, 1, 1] : tensor<16x8x2x2xf32> to tensor<16x8x1x2xf32>
    %extracted_slice_34 = tensor.extract_slice %extracted_slice[0, 0, 0, 0] [16, 8, 1, 1] [1, 1, 1, 1] : tensor<16x8x1x2xf32> to tensor<16x8x1x1xf32>
    %149 = tensor.empty() : tensor<8x16x3x3xf32>
    %150 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64} ins(%cst_4 : f32) outs(%149 : tensor<8x16x3x3xf32>) -> tensor<8x16x3x3xf32>
    %151 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%150 : tensor<8x16x3x3xf32>) attrs =  {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64} {
    ^bb0(%out: f32):
      %200 = linalg.index 0 : index
      %201 = linalg.index 1 : index
      %202 = linalg.index 2 : index
      %203 = linalg.index 3 : index
      %204 = arith.subi %c2, %202 : index
      %205 = arith.subi %c2, %203 : index
      %extracted = tensor.extract %arg3[%201, %200, %204, %205] : tensor<16x8x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x16x3x3xf32>
    %152 = tensor.empty() : tensor<4x16x10x10xf32>
    %153 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64} ins(%cst_4 : f32) outs(%152 : tensor<4x16x10x10xf32>) -> tensor<4x16x10x10xf32>
    %inserted_slice_35 = tensor.insert_slice %134 into %153[0, 0, 1, 1] [4, 16, 4, 4] [1, 1, 2, 2] : tensor<4x16x4x4xf32> into tensor<4x16x10x10xf32>
    %154 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice_35, %151 : tensor<4x16x10x10xf32>, tensor<8x16x3x3xf32>) outs(%141 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %padded_36 = tensor.pad %transposed_31 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_4 : f32
    } : tensor<8x4x8x8xf32> to tensor<8x4x10x10xf32>
    %155 = tensor.empty() : tensor<8x16x4x4xf32>
    %156 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64} ins(%cst_4 : f32) outs(%155 : tensor<8x16x4x4xf32>) -> tensor<8x16x4x4xf32>
    %157 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64, dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_36, %transposed_32 : tensor<8x4x10x10xf32>, tensor<16x4x4x4xf32>) outs(%156 : tensor<8x16x4x4xf32>) -> tensor<8x16x4x4xf32>
    %158 = tensor.empty() : tensor<16x8x4x4xf32>
    %transposed_37 = linalg.transpose ins(%157 : tensor<8x16x4x4xf32>) outs(%158 : tensor<16x8x4x4xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 16 : i64}
    %extracted_slice_38 = tensor.extract_slice %transposed_37[0, 0, 0, 0] [16, 8, 3, 4] [1, 1, 1, 1] : tensor<16x8x4x4xf32> to tensor<16x8x3x4xf32>
    %extracted_slice_39 = tensor.extract_slice %extracted_slice_38[0, 0, 0, 0] [16, 8, 3, 3] [1, 1, 1, 1] : tensor<16x8x3x4xf32> to tensor<16x8x3x3xf32>
    %159 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%142, %154 : tensor<4x8x8x8xf32>, tensor<4x8x8x8xf32>) outs(%25 : tensor<4x8x8x8xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x8x8xf32>
    %padded_40 = tensor.pad %159 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_4 : f32
    } : tensor<4x8x8x8xf32> to tensor<4x8x10x10xf32>
    %160 = tensor.empty() : tensor<4x8x10x2x10x2xf32>
    %161 = linalg.generic {indexing_maps = [#map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%padded_40 : tensor<4x8x10x10xf32>) outs(%160 : tensor<4x8x10x2x10x2xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x8x10x2x10x2xf32>
    %collapsed_41 = tensor.collapse_shape %161 [[0], [1], [2, 3], [4, 5]] : tensor<4x8x10x2x10x2xf32> into tensor<4x8x20x20xf32>
    %padded_42 = tensor.pad %32 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %c-1_i64 : i64
    } : tensor<4x8x8x8xi64> to tensor<4x8x10x10xi64>
    %162 = tensor.empty() : tensor<4x8x10x2x10x2xi64>
    %163 = linalg.generic {indexing_maps = [#map17, #map18], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%padded_42 : tensor<4x8x10x10xi64>) outs(%162 : tensor<4x8x10x2x10x2xi64>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x8x10x2x10x2xi64>
    %collapsed_43 = tensor.collapse_shape %163 [[0], [1], [2, 3], [4, 5]] : tensor<4x8x10x2x10x2xi64> into tensor<4x8x20x20xi64>
    %164 = tensor.empty() : tensor<256xi64>
    %165 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%164 : tensor<256xi64>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%out: i64):
      %200 = linalg.index 0 : index
      %201 = arith.index_cast %200 : index to i64
      linalg.yield %201 : i64
    } -> tensor<256xi64>
    %expanded_44 = tensor.expand_shape %165 [[0, 1, 2, 3]] output_shape [1, 1, 16, 16] : tensor<256xi64> into tensor<1x1x16x16xi64>
    %extracted_slice_45 = tensor.extract_slice %collapsed_43[0, 0, 3, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xi64> to tensor<4x8x16x20xi64>
    %extracted_slice_46 = tensor.extract_slice %extracted_slice_45[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %166 = tensor.empty() : tensor<4x8x16x16xi1>
    %167 = linalg.generic {indexing_maps = [#map, #map19, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_46, %expanded_44 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%166 : tensor<4x8x16x16xi1>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %200 = arith.cmpi eq, %in, %in_64 : i64
      linalg.yield %200 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_47 = tensor.extract_slice %collapsed_41[0, 0, 3, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xf32> to tensor<4x8x16x20xf32>
    %extracted_slice_48 = tensor.extract_slice %extracted_slice_47[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %168 = linalg.generic {indexing_maps = [#map, #map, #map15, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%167, %extracted_slice_48, %cst_6 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %extracted_slice_49 = tensor.extract_slice %extracted_slice_45[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %169 = linalg.generic {indexing_maps = [#map, #map19, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_49, %expanded_44 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%166 : tensor<4x8x16x16xi1>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %200 = arith.cmpi eq, %in, %in_64 : i64
      linalg.yield %200 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_50 = tensor.extract_slice %extracted_slice_47[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %170 = linalg.generic {indexing_maps = [#map, #map, #map15, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%169, %extracted_slice_50, %cst_6 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %171 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%168, %170 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %extracted_slice_51 = tensor.extract_slice %collapsed_43[0, 0, 1, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xi64> to tensor<4x8x16x20xi64>
    %extracted_slice_52 = tensor.extract_slice %extracted_slice_51[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %172 = linalg.generic {indexing_maps = [#map, #map19, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_52, %expanded_44 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%166 : tensor<4x8x16x16xi1>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %200 = arith.cmpi eq, %in, %in_64 : i64
      linalg.yield %200 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_53 = tensor.extract_slice %collapsed_41[0, 0, 1, 0] [4, 8, 16, 20] [1, 1, 1, 1] : tensor<4x8x20x20xf32> to tensor<4x8x16x20xf32>
    %extracted_slice_54 = tensor.extract_slice %extracted_slice_53[0, 0, 0, 3] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %173 = linalg.generic {indexing_maps = [#map, #map, #map15, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%172, %extracted_slice_54, %cst_6 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %174 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%171, %173 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %extracted_slice_55 = tensor.extract_slice %extracted_slice_51[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xi64> to tensor<4x8x16x16xi64>
    %175 = linalg.generic {indexing_maps = [#map, #map19, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_55, %expanded_44 : tensor<4x8x16x16xi64>, tensor<1x1x16x16xi64>) outs(%166 : tensor<4x8x16x16xi1>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i64, %in_64: i64, %out: i1):
      %200 = arith.cmpi eq, %in, %in_64 : i64
      linalg.yield %200 : i1
    } -> tensor<4x8x16x16xi1>
    %extracted_slice_56 = tensor.extract_slice %extracted_slice_53[0, 0, 0, 1] [4, 8, 16, 16] [1, 1, 1, 1] : tensor<4x8x16x20xf32> to tensor<4x8x16x16xf32>
    %176 = linalg.generic {indexing_maps = [#map, #map, #map15, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%175, %extracted_slice_56, %cst_6 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf32>, tensor<f32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %177 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%174, %176 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "backward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 15 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.addf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %178 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<4x8x16x16xf32>) outs(%166 : tensor<4x8x16x16xi1>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: i1):
      %200 = arith.cmpf ole, %in, %cst_4 : f32
      linalg.yield %200 : i1
    } -> tensor<4x8x16x16xi1>
    %179 = linalg.generic {indexing_maps = [#map, #map15, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%178, %cst_6, %177 : tensor<4x8x16x16xi1>, tensor<f32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "backward", amp.scope = "aten.relu", amp.scope_id = 14 : i64} {
    ^bb0(%in: i1, %in_64: f32, %in_65: f32, %out: f32):
      %200 = arith.select %in, %in_64, %in_65 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %180 = linalg.fill {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} ins(%cst_4 : f32) outs(%14 : tensor<8xf32>) -> tensor<8xf32>
    %181 = linalg.generic {indexing_maps = [#map, #map16], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%179 : tensor<4x8x16x16xf32>) outs(%180 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %182 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%179, %7 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %183 = linalg.generic {indexing_maps = [#map, #map16], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%182 : tensor<4x8x16x16xf32>) outs(%180 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.addf %in, %out : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %184 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%181 : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_7 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %expanded_57 = tensor.expand_shape %184 [[0, 1, 2, 3]] output_shape [1, 8, 1, 1] : tensor<8xf32> into tensor<1x8x1x1xf32>
    %185 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%183 : tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %200 = arith.mulf %in, %cst_7 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %186 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_11, %collapsed_11 : tensor<8xf32>, tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %187 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%185, %186 : tensor<8xf32>, tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %expanded_58 = tensor.expand_shape %187 [[0, 1, 2, 3]] output_shape [1, 8, 1, 1] : tensor<8xf32> into tensor<1x8x1x1xf32>
    %188 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%collapsed_11, %arg1 : tensor<8xf32>, tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %expanded_59 = tensor.expand_shape %188 [[0, 1, 2, 3]] output_shape [1, 8, 1, 1] : tensor<8xf32> into tensor<1x8x1x1xf32>
    %189 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_58 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %190 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%179, %189 : tensor<4x8x16x16xf32>, tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %191 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%190, %expanded_57 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.subf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %192 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%191, %expanded_59 : tensor<4x8x16x16xf32>, tensor<1x8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<4x8x16x16xf32>
    %193 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%183, %collapsed_11 : tensor<8xf32>, tensor<8xf32>) outs(%14 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "backward", amp.scope = "aten.native_batch_norm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_64: f32, %out: f32):
      %200 = arith.mulf %in, %in_64 : f32
      linalg.yield %200 : f32
    } -> tensor<8xf32>
    %194 = tensor.empty() : tensor<3x4x16x16xf32>
    %transposed_60 = linalg.transpose ins(%arg13 : tensor<4x3x16x16xf32>) outs(%194 : tensor<3x4x16x16xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64}
    %195 = tensor.empty() : tensor<8x4x16x16xf32>
    %transposed_61 = linalg.transpose ins(%192 : tensor<4x8x16x16xf32>) outs(%195 : tensor<8x4x16x16xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64}
    %padded_62 = tensor.pad %transposed_60 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst_4 : f32
    } : tensor<3x4x16x16xf32> to tensor<3x4x18x18xf32>
    %196 = tensor.empty() : tensor<3x8x3x3xf32>
    %197 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64} ins(%cst_4 : f32) outs(%196 : tensor<3x8x3x3xf32>) -> tensor<3x8x3x3xf32>
    %198 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded_62, %transposed_61 : tensor<3x4x18x18xf32>, tensor<8x4x16x16xf32>) outs(%197 : tensor<3x8x3x3xf32>) -> tensor<3x8x3x3xf32>
    %199 = tensor.empty() : tensor<8x3x3x3xf32>
    %transposed_63 = linalg.transpose ins(%198 : tensor<3x8x3x3xf32>) outs(%199 : tensor<8x3x3x3xf32>) permutation = [1, 0, 2, 3]  {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "backward", amp.scope = "aten.convolution", amp.scope_id = 4 : i64}
    return %94, %transposed_63, %193, %181, %extracted_slice_39, %extracted_slice_34, %135, %123, %113, %collapsed_27, %17, %21, %52, %56 : tensor<f32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>
  }
  func.func @optimizer_step(%arg0: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, %arg1: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, %arg2: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, %arg3: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, %arg4: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, %arg5: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, %arg6: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, %arg7: tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "param"}, %arg8: tensor<10xf32> {amp.name = "fc.bias", amp.role = "param"}, %arg9: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "grad"}, %arg10: tensor<8xf32> {amp.name = "norm.weight", amp.role = "grad"}, %arg11: tensor<8xf32> {amp.name = "norm.bias", amp.role = "grad"}, %arg12: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "grad"}, %arg13: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "grad"}, %arg14: tensor<16xf32> {amp.name = "last.weight", amp.role = "grad"}, %arg15: tensor<16xf32> {amp.name = "last.bias", amp.role = "grad"}, %arg16: tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "grad"}, %arg17: tensor<10xf32> {amp.name = "fc.bias", amp.role = "grad"}, %arg18: tensor<8x3x3x3xf32> {amp.name = "stem.weight.momentum", amp.role = "opt_state"}, %arg19: tensor<8xf32> {amp.name = "norm.weight.momentum", amp.role = "opt_state"}, %arg20: tensor<8xf32> {amp.name = "norm.bias.momentum", amp.role = "opt_state"}, %arg21: tensor<16x8x3x3xf32> {amp.name = "block.weight.momentum", amp.role = "opt_state"}, %arg22: tensor<16x8x1x1xf32> {amp.name = "down.weight.momentum", amp.role = "opt_state"}, %arg23: tensor<16xf32> {amp.name = "last.weight.momentum", amp.role = "opt_state"}, %arg24: tensor<16xf32> {amp.name = "last.bias.momentum", amp.role = "opt_state"}, %arg25: tensor<10x16xf32> {amp.name = "fc.weight.momentum", amp.role = "opt_state"}, %arg26: tensor<10xf32> {amp.name = "fc.bias.momentum", amp.role = "opt_state"}) -> (tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "param"}, tensor<10xf32> {amp.name = "fc.bias", amp.role = "param"}, tensor<8x3x3x3xf32> {amp.name = "stem.weight.momentum", amp.role = "opt_state"}, tensor<8xf32> {amp.name = "norm.weight.momentum", amp.role = "opt_state"}, tensor<8xf32> {amp.name = "norm.bias.momentum", amp.role = "opt_state"}, tensor<16x8x3x3xf32> {amp.name = "block.weight.momentum", amp.role = "opt_state"}, tensor<16x8x1x1xf32> {amp.name = "down.weight.momentum", amp.role = "opt_state"}, tensor<16xf32> {amp.name = "last.weight.momentum", amp.role = "opt_state"}, tensor<16xf32> {amp.name = "last.bias.momentum", amp.role = "opt_state"}, tensor<10x16xf32> {amp.name = "fc.weight.momentum", amp.role = "opt_state"}, tensor<10xf32> {amp.name = "fc.bias.momentum", amp.role = "opt_state"}) {
    %cst = arith.constant 5.000000e-02 : f32
    %cst_0 = arith.constant 0.899999976 : f32
    %0 = tensor.empty() : tensor<8x3x3x3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg18 : tensor<8x3x3x3xf32>) outs(%0 : tensor<8x3x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<8x3x3x3xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg9 : tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>) outs(%0 : tensor<8x3x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<8x3x3x3xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<8x3x3x3xf32>) outs(%0 : tensor<8x3x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<8x3x3x3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>) outs(%0 : tensor<8x3x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<8x3x3x3xf32>
    %5 = tensor.empty() : tensor<8xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg19 : tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%6, %arg10 : tensor<8xf32>, tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%7 : tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%arg1, %8 : tensor<8xf32>, tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg20 : tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%10, %arg11 : tensor<8xf32>, tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%11 : tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%arg2, %12 : tensor<8xf32>, tensor<8xf32>) outs(%5 : tensor<8xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<8xf32>
    %14 = tensor.empty() : tensor<16x8x3x3xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg21 : tensor<16x8x3x3xf32>) outs(%14 : tensor<16x8x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x3x3xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %arg12 : tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>) outs(%14 : tensor<16x8x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x3x3xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<16x8x3x3xf32>) outs(%14 : tensor<16x8x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x3x3xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg3, %17 : tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>) outs(%14 : tensor<16x8x3x3xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x3x3xf32>
    %19 = tensor.empty() : tensor<16x8x1x1xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg22 : tensor<16x8x1x1xf32>) outs(%19 : tensor<16x8x1x1xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x1x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %arg13 : tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) outs(%19 : tensor<16x8x1x1xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<16x8x1x1xf32>) outs(%19 : tensor<16x8x1x1xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x1x1xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg4, %22 : tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) outs(%19 : tensor<16x8x1x1xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16x8x1x1xf32>
    %24 = tensor.empty() : tensor<16xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg23 : tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%25, %arg14 : tensor<16xf32>, tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%26 : tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%arg5, %27 : tensor<16xf32>, tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg24 : tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%29, %arg15 : tensor<16xf32>, tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %31 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%30 : tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%arg6, %31 : tensor<16xf32>, tensor<16xf32>) outs(%24 : tensor<16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<16xf32>
    %33 = tensor.empty() : tensor<10x16xf32>
    %34 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg25 : tensor<10x16xf32>) outs(%33 : tensor<10x16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<10x16xf32>
    %35 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%34, %arg16 : tensor<10x16xf32>, tensor<10x16xf32>) outs(%33 : tensor<10x16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<10x16xf32>
    %36 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<10x16xf32>) outs(%33 : tensor<10x16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<10x16xf32>
    %37 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg7, %36 : tensor<10x16xf32>, tensor<10x16xf32>) outs(%33 : tensor<10x16xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<10x16xf32>
    %38 = tensor.empty() : tensor<10xf32>
    %39 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg26 : tensor<10xf32>) outs(%38 : tensor<10xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst_0 : f32
      linalg.yield %43 : f32
    } -> tensor<10xf32>
    %40 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%39, %arg17 : tensor<10xf32>, tensor<10xf32>) outs(%38 : tensor<10xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.add"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.addf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<10xf32>
    %41 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%40 : tensor<10xf32>) outs(%38 : tensor<10xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.mul"} {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.mulf %in, %cst : f32
      linalg.yield %43 : f32
    } -> tensor<10xf32>
    %42 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%arg8, %41 : tensor<10xf32>, tensor<10xf32>) outs(%38 : tensor<10xf32>) attrs =  {amp.phase = "optimizer", amp.scope = "aten.sub"} {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %43 = arith.subf %in, %in_1 : f32
      linalg.yield %43 : f32
    } -> tensor<10xf32>
    return %4, %9, %13, %18, %23, %28, %32, %37, %42, %2, %7, %11, %16, %21, %26, %30, %35, %40 : tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>
  }
  func.func @evaluate(%arg0: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, %arg1: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, %arg2: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, %arg3: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, %arg4: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, %arg5: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, %arg6: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, %arg7: tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "param"}, %arg8: tensor<10xf32> {amp.name = "fc.bias", amp.role = "param"}, %arg9: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, %arg10: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, %arg11: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, %arg12: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}, %arg13: tensor<4x3x16x16xf32> {amp.name = "x0", amp.role = "batch"}) -> (tensor<4x10xf32> {amp.name = "y0", amp.role = "output"}) {
    %cst = arith.constant 9.99999974E-6 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 0xFF800000 : f32
    %cst_3 = arith.constant 1.600000e+01 : f32
    %padded = tensor.pad %arg13 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_0 : f32
    } : tensor<4x3x16x16xf32> to tensor<4x3x18x18xf32>
    %0 = tensor.empty() : tensor<4x8x16x16xf32>
    %1 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64} ins(%cst_0 : f32) outs(%0 : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
    %2 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "stem", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 0 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg0 : tensor<4x3x18x18xf32>, tensor<8x3x3x3xf32>) outs(%1 : tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf32>
    %3 = tensor.empty() : tensor<8xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg10 : tensor<8xf32>) outs(%3 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %cst : f32
      linalg.yield %39 : f32
    } -> tensor<8xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%4 : tensor<8xf32>) outs(%3 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = math.sqrt %in : f32
      linalg.yield %39 : f32
    } -> tensor<8xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%5 : tensor<8xf32>) outs(%3 : tensor<8xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.cmpf one, %in, %cst_0 : f32
      cf.assert %39, "unimplemented: tensor with zero element"
      %40 = arith.divf %cst_1, %in : f32
      linalg.yield %40 : f32
    } -> tensor<8xf32>
    %expanded = tensor.expand_shape %arg9 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %expanded_4 = tensor.expand_shape %6 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %expanded : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.subf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x16x16xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_4 : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.mulf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x16x16xf32>
    %expanded_5 = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_5 : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.mulf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x16x16xf32>
    %expanded_6 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [8, 1, 1] : tensor<8xf32> into tensor<8x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_6 : tensor<4x8x16x16xf32>, tensor<8x1x1xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "norm", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.addf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x8x16x16xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<4x8x16x16xf32>) outs(%0 : tensor<4x8x16x16xf32>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 8 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.cmpf ugt, %in, %cst_0 : f32
      %40 = arith.select %39, %in, %cst_0 : f32
      linalg.yield %40 : f32
    } -> tensor<4x8x16x16xf32>
    %padded_7 = tensor.pad %11 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_2 : f32
    } : tensor<4x8x16x16xf32> to tensor<4x8x18x18xf32>
    %12 = tensor.empty() : tensor<4x8x8x8xf32>
    %13 = linalg.fill {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 9 : i64} ins(%cst_2 : f32) outs(%12 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %14 = tensor.empty() : tensor<3x3xf32>
    %15 = linalg.pooling_nchw_max {amp.function = "torch.nn.functional.max_pool2d", amp.layer = "pool", amp.phase = "forward", amp.scope = "aten.max_pool2d_with_indices", amp.scope_id = 9 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_7, %14 : tensor<4x8x18x18xf32>, tensor<3x3xf32>) outs(%13 : tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf32>
    %padded_8 = tensor.pad %15 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg14: index, %arg15: index, %arg16: index, %arg17: index):
      tensor.yield %cst_0 : f32
    } : tensor<4x8x8x8xf32> to tensor<4x8x10x10xf32>
    %16 = tensor.empty() : tensor<4x16x4x4xf32>
    %17 = linalg.fill {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 10 : i64} ins(%cst_0 : f32) outs(%16 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %18 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "block", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 10 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_8, %arg3 : tensor<4x8x10x10xf32>, tensor<16x8x3x3xf32>) outs(%17 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %19 = linalg.conv_2d_nchw_fchw {amp.function = "torch.nn.functional.conv2d", amp.layer = "down", amp.phase = "forward", amp.scope = "aten.convolution", amp.scope_id = 11 : i64, dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%15, %arg4 : tensor<4x8x8x8xf32>, tensor<16x8x1x1xf32>) outs(%17 : tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %19 : tensor<4x16x4x4xf32>, tensor<4x16x4x4xf32>) outs(%16 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.Tensor.add", amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 12 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.addf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x16x4x4xf32>
    %21 = tensor.empty() : tensor<16xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%arg12 : tensor<16xf32>) outs(%21 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %cst : f32
      linalg.yield %39 : f32
    } -> tensor<16xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%22 : tensor<16xf32>) outs(%21 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = math.sqrt %in : f32
      linalg.yield %39 : f32
    } -> tensor<16xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%23 : tensor<16xf32>) outs(%21 : tensor<16xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.cmpf one, %in, %cst_0 : f32
      cf.assert %39, "unimplemented: tensor with zero element"
      %40 = arith.divf %cst_1, %in : f32
      linalg.yield %40 : f32
    } -> tensor<16xf32>
    %expanded_9 = tensor.expand_shape %arg11 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %expanded_10 = tensor.expand_shape %24 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %expanded_9 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%16 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.subf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x16x4x4xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %expanded_10 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%16 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.mulf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x16x4x4xf32>
    %expanded_11 = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %expanded_11 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%16 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.mulf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x16x4x4xf32>
    %expanded_12 = tensor.expand_shape %arg6 [[0, 1, 2]] output_shape [16, 1, 1] : tensor<16xf32> into tensor<16x1x1xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %expanded_12 : tensor<4x16x4x4xf32>, tensor<16x1x1xf32>) outs(%16 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.batch_norm", amp.layer = "last", amp.phase = "forward", amp.scope = "aten.native_batch_norm", amp.scope_id = 14 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.addf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x16x4x4xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<4x16x4x4xf32>) outs(%16 : tensor<4x16x4x4xf32>) attrs =  {amp.function = "torch.nn.functional.relu", amp.phase = "forward", amp.scope = "aten.relu", amp.scope_id = 20 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.cmpf ugt, %in, %cst_0 : f32
      %40 = arith.select %39, %in, %cst_0 : f32
      linalg.yield %40 : f32
    } -> tensor<4x16x4x4xf32>
    %30 = tensor.empty() : tensor<4x16xf32>
    %31 = linalg.fill {amp.function = "torch.Tensor.mean", amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 21 : i64} ins(%cst_0 : f32) outs(%30 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map6], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%29 : tensor<4x16x4x4xf32>) outs(%31 : tensor<4x16xf32>) attrs =  {amp.function = "torch.Tensor.mean", amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 21 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<4x16xf32>
    %33 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<4x16xf32>) outs(%30 : tensor<4x16xf32>) attrs =  {amp.function = "torch.Tensor.mean", amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 21 : i64} {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst_3 : f32
      linalg.yield %39 : f32
    } -> tensor<4x16xf32>
    %34 = tensor.empty() : tensor<16x10xf32>
    %transposed = linalg.transpose ins(%arg7 : tensor<10x16xf32>) outs(%34 : tensor<16x10xf32>) permutation = [1, 0]  {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.t", amp.scope_id = 22 : i64}
    %35 = tensor.empty() : tensor<4x10xf32>
    %36 = linalg.fill {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 23 : i64} ins(%cst_0 : f32) outs(%35 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %37 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 23 : i64} ins(%33, %transposed : tensor<4x16xf32>, tensor<16x10xf32>) outs(%36 : tensor<4x10xf32>) -> tensor<4x10xf32>
    %38 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel"]} ins(%37, %arg8 : tensor<4x10xf32>, tensor<10xf32>) outs(%35 : tensor<4x10xf32>) attrs =  {amp.function = "torch.nn.functional.linear", amp.layer = "fc", amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 23 : i64} {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %39 = arith.addf %in, %in_13 : f32
      linalg.yield %39 : f32
    } -> tensor<4x10xf32>
    return %38 : tensor<4x10xf32>
  }
  func.func @train_step(%arg0: tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, %arg1: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, %arg2: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, %arg3: tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, %arg4: tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, %arg5: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, %arg6: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, %arg7: tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "param"}, %arg8: tensor<10xf32> {amp.name = "fc.bias", amp.role = "param"}, %arg9: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, %arg10: tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, %arg11: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, %arg12: tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}, %arg13: tensor<8x3x3x3xf32> {amp.name = "stem.weight.momentum", amp.role = "opt_state"}, %arg14: tensor<8xf32> {amp.name = "norm.weight.momentum", amp.role = "opt_state"}, %arg15: tensor<8xf32> {amp.name = "norm.bias.momentum", amp.role = "opt_state"}, %arg16: tensor<16x8x3x3xf32> {amp.name = "block.weight.momentum", amp.role = "opt_state"}, %arg17: tensor<16x8x1x1xf32> {amp.name = "down.weight.momentum", amp.role = "opt_state"}, %arg18: tensor<16xf32> {amp.name = "last.weight.momentum", amp.role = "opt_state"}, %arg19: tensor<16xf32> {amp.name = "last.bias.momentum", amp.role = "opt_state"}, %arg20: tensor<10x16xf32> {amp.name = "fc.weight.momentum", amp.role = "opt_state"}, %arg21: tensor<10xf32> {amp.name = "fc.bias.momentum", amp.role = "opt_state"}, %arg22: tensor<4x3x16x16xf32> {amp.name = "x0", amp.role = "batch"}, %arg23: tensor<4xi64> {amp.name = "x1", amp.role = "batch"}, %arg24: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"}) -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<8x3x3x3xf32> {amp.name = "stem.weight", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.weight", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.bias", amp.role = "param"}, tensor<16x8x3x3xf32> {amp.name = "block.weight", amp.role = "param"}, tensor<16x8x1x1xf32> {amp.name = "down.weight", amp.role = "param"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.weight", amp.role = "param"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.bias", amp.role = "param"}, tensor<10x16xf32> {amp.name = "fc.weight", amp.role = "param"}, tensor<10xf32> {amp.name = "fc.bias", amp.role = "param"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_mean", amp.role = "buffer"}, tensor<8xf32> {amp.kind = "batch_norm", amp.name = "norm.running_var", amp.role = "buffer"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_mean", amp.role = "buffer"}, tensor<16xf32> {amp.kind = "batch_norm", amp.name = "last.running_var", amp.role = "buffer"}, tensor<8x3x3x3xf32> {amp.name = "stem.weight.momentum", amp.role = "opt_state"}, tensor<8xf32> {amp.name = "norm.weight.momentum", amp.role = "opt_state"}, tensor<8xf32> {amp.name = "norm.bias.momentum", amp.role = "opt_state"}, tensor<16x8x3x3xf32> {amp.name = "block.weight.momentum", amp.role = "opt_state"}, tensor<16x8x1x1xf32> {amp.name = "down.weight.momentum", amp.role = "opt_state"}, tensor<16xf32> {amp.name = "last.weight.momentum", amp.role = "opt_state"}, tensor<16xf32> {amp.name = "last.bias.momentum", amp.role = "opt_state"}, tensor<10x16xf32> {amp.name = "fc.weight.momentum", amp.role = "opt_state"}, tensor<10xf32> {amp.name = "fc.bias.momentum", amp.role = "opt_state"}) {
    %0:14 = call @forward_backward(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12, %arg22, %arg23, %arg24) : (tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<4x3x16x16xf32>, tensor<4xi64>, tensor<f32>) -> (tensor<f32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>)
    %1:18 = call @optimizer_step(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %arg19, %arg20, %arg21) : (tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>) -> (tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>)
    return %0#0, %1#0, %1#1, %1#2, %1#3, %1#4, %1#5, %1#6, %1#7, %1#8, %0#10, %0#11, %0#12, %0#13, %1#9, %1#10, %1#11, %1#12, %1#13, %1#14, %1#15, %1#16, %1#17 : tensor<f32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x16xf32>, tensor<10xf32>
  }
}

