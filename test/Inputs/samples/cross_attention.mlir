#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, 0, d3, d4)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
#map9 = affine_map<(d0, d1, d2) -> ()>
#map10 = affine_map<() -> ()>
#map11 = affine_map<(d0, d1) -> (0, d1)>
#map12 = affine_map<(d0, d1) -> ()>
#map13 = affine_map<(d0) -> (d0)>
#map14 = affine_map<(d0) -> ()>
module {
  func.func @forward_backward(%arg0: tensor<32x32xf32> {amp.name = "queries.weight", amp.role = "param"}, %arg1: tensor<32xf32> {amp.name = "queries.bias", amp.role = "param"}, %arg2: tensor<32x16xf32> {amp.name = "keys_and_values.weight", amp.role = "param"}, %arg3: tensor<32xf32> {amp.name = "keys_and_values.bias", amp.role = "param"}, %arg4: tensor<32xf32> {amp.name = "norm.weight", amp.role = "param"}, %arg5: tensor<32xf32> {amp.name = "norm.bias", amp.role = "param"}, %arg6: tensor<32x32xf32> {amp.name = "out.weight", amp.role = "param"}, %arg7: tensor<2x12x32xf32> {amp.name = "x0", amp.role = "batch"}, %arg8: tensor<2x10x16xf32> {amp.name = "x1", amp.role = "batch"}, %arg9: tensor<2x1x1x12x10xf32> {amp.name = "x2", amp.role = "batch"}, %arg10: tensor<2x12x32xf32> {amp.name = "x3", amp.role = "batch"}, %arg11: tensor<f32> {amp.name = "loss", amp.role = "loss_seed"}) -> (tensor<f32> {amp.name = "loss", amp.role = "loss"}, tensor<32x32xf32> {amp.name = "queries.weight", amp.role = "grad"}, tensor<32xf32> {amp.name = "queries.bias", amp.role = "grad"}, tensor<32x16xf32> {amp.name = "keys_and_values.weight", amp.role = "grad"}, tensor<32xf32> {amp.name = "keys_and_values.bias", amp.role = "grad"}, tensor<32xf32> {amp.name = "norm.weight", amp.role = "grad"}, tensor<32xf32> {amp.name = "norm.bias", amp.role = "grad"}, tensor<32x32xf32> {amp.name = "out.weight", amp.role = "grad"}) {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 0.35355339059327379 : f64
    %cst_3 = arith.constant 3.125000e-02 : f32
    %cst_4 = arith.constant 7.680000e+02 : f32
    %cst_5 = arith.constant 2.000000e+00 : f32
    %cst_6 = arith.constant 3.200000e+01 : f32
    %collapsed = tensor.collapse_shape %arg7 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %0 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0]  {amp.phase = "forward", amp.scope = "aten.t", amp.scope_id = 1 : i64}
    %1 = tensor.empty() : tensor<24x32xf32>
    %2 = linalg.fill {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 2 : i64} ins(%cst : f32) outs(%1 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %3 = linalg.matmul {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 2 : i64} ins(%collapsed, %transposed : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg1 : tensor<24x32xf32>, tensor<32xf32>) outs(%1 : tensor<24x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.addf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<24x32xf32>
    %collapsed_7 = tensor.collapse_shape %arg8 [[0, 1], [2]] : tensor<2x10x16xf32> into tensor<20x16xf32>
    %5 = tensor.empty() : tensor<16x32xf32>
    %transposed_8 = linalg.transpose ins(%arg2 : tensor<32x16xf32>) outs(%5 : tensor<16x32xf32>) permutation = [1, 0]  {amp.phase = "forward", amp.scope = "aten.t", amp.scope_id = 5 : i64}
    %6 = tensor.empty() : tensor<20x32xf32>
    %7 = linalg.fill {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%6 : tensor<20x32xf32>) -> tensor<20x32xf32>
    %8 = linalg.matmul {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} ins(%collapsed_7, %transposed_8 : tensor<20x16xf32>, tensor<16x32xf32>) outs(%7 : tensor<20x32xf32>) -> tensor<20x32xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %arg3 : tensor<20x32xf32>, tensor<32xf32>) outs(%6 : tensor<20x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.addf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<20x32xf32>
    %expanded = tensor.expand_shape %9 [[0, 1], [2]] output_shape [2, 10, 32] : tensor<20x32xf32> into tensor<2x10x32xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 10, 16] [1, 1, 1] : tensor<2x10x32xf32> to tensor<2x10x16xf32>
    %extracted_slice_9 = tensor.extract_slice %expanded[0, 0, 16] [2, 10, 16] [1, 1, 1] : tensor<2x10x32xf32> to tensor<2x10x16xf32>
    %expanded_10 = tensor.expand_shape %4 [[0, 1], [2, 3, 4, 5]] output_shape [2, 12, 2, 2, 8, 1] : tensor<24x32xf32> into tensor<2x12x2x2x8x1xf32>
    %expanded_11 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3, 4, 5]] output_shape [2, 10, 2, 8, 1, 1] : tensor<2x10x16xf32> into tensor<2x10x2x8x1x1xf32>
    %10 = tensor.empty() : tensor<2x2x2x12x8x1xf32>
    %transposed_12 = linalg.transpose ins(%expanded_10 : tensor<2x12x2x2x8x1xf32>) outs(%10 : tensor<2x2x2x12x8x1xf32>) permutation = [0, 2, 3, 1, 4, 5]  {amp.phase = "forward", amp.scope = "aten.permute", amp.scope_id = 16 : i64}
    %collapsed_13 = tensor.collapse_shape %transposed_12 [[0, 1], [2, 3], [4, 5]] : tensor<2x2x2x12x8x1xf32> into tensor<4x24x8xf32>
    %11 = tensor.empty() : tensor<2x2x8x10x1x1xf32>
    %transposed_14 = linalg.transpose ins(%expanded_11 : tensor<2x10x2x8x1x1xf32>) outs(%11 : tensor<2x2x8x10x1x1xf32>) permutation = [0, 2, 3, 1, 4, 5]  {amp.phase = "forward", amp.scope = "aten.permute", amp.scope_id = 18 : i64}
    %collapsed_15 = tensor.collapse_shape %transposed_14 [[0, 1], [2], [3, 4, 5]] : tensor<2x2x8x10x1x1xf32> into tensor<4x8x10xf32>
    %12 = tensor.empty() : tensor<4x24x10xf32>
    %13 = linalg.fill {amp.phase = "forward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64} ins(%cst : f32) outs(%12 : tensor<4x24x10xf32>) -> tensor<4x24x10xf32>
    %14 = linalg.batch_matmul {amp.phase = "forward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64} ins(%collapsed_13, %collapsed_15 : tensor<4x24x8xf32>, tensor<4x8x10xf32>) outs(%13 : tensor<4x24x10xf32>) -> tensor<4x24x10xf32>
    %expanded_16 = tensor.expand_shape %14 [[0, 1], [2, 3], [4, 5]] output_shape [2, 2, 2, 12, 1, 10] : tensor<4x24x10xf32> into tensor<2x2x2x12x1x10xf32>
    %15 = tensor.empty() : tensor<2x2x2x12x10x1xf32>
    %transposed_17 = linalg.transpose ins(%expanded_16 : tensor<2x2x2x12x1x10xf32>) outs(%15 : tensor<2x2x2x12x10x1xf32>) permutation = [0, 1, 2, 3, 5, 4]  {amp.phase = "forward", amp.scope = "aten.permute", amp.scope_id = 22 : i64}
    %collapsed_18 = tensor.collapse_shape %transposed_17 [[0], [1], [2], [3], [4, 5]] : tensor<2x2x2x12x10x1xf32> into tensor<2x2x2x12x10xf32>
    %16 = tensor.empty() : tensor<2x2x2x12x10xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_18 : tensor<2x2x2x12x10xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mul", amp.scope_id = 24 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_62 = arith.constant 0.353553385 : f32
      %109 = arith.mulf %in, %cst_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%17, %arg9 : tensor<2x2x2x12x10xf32>, tensor<2x1x1x12x10xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 25 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.addf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %19 = tensor.empty() : tensor<2x2x2x12xi64>
    %20 = linalg.fill {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} ins(%c0_i64 : i64) outs(%19 : tensor<2x2x2x12xi64>) -> tensor<2x2x2x12xi64>
    %21 = tensor.empty() : tensor<2x2x2x12xf32>
    %22 = linalg.fill {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} ins(%cst_0 : f32) outs(%21 : tensor<2x2x2x12xf32>) -> tensor<2x2x2x12xf32>
    %23:2 = linalg.generic {indexing_maps = [#map2, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<2x2x2x12x10xf32>) outs(%22, %20 : tensor<2x2x2x12xf32>, tensor<2x2x2x12xi64>) attrs =  {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %out: f32, %out_62: i64):
      %109 = linalg.index 4 : index
      %110 = arith.index_cast %109 : index to i64
      %111 = arith.maximumf %in, %out : f32
      %112 = arith.cmpf ogt, %in, %out : f32
      %113 = arith.select %112, %110, %out_62 : i64
      linalg.yield %111, %113 : f32, i64
    } -> (tensor<2x2x2x12xf32>, tensor<2x2x2x12xi64>)
    %expanded_19 = tensor.expand_shape %23#0 [[0], [1], [2], [3, 4]] output_shape [2, 2, 2, 12, 1] : tensor<2x2x2x12xf32> into tensor<2x2x2x12x1xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_19 : tensor<2x2x2x12x10xf32>, tensor<2x2x2x12x1xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.subf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %25 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x2x2x12x10xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = math.exp %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %26 = tensor.empty() : tensor<2x2x2x12x1xf32>
    %27 = linalg.fill {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} ins(%cst : f32) outs(%26 : tensor<2x2x2x12x1xf32>) -> tensor<2x2x2x12x1xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%25 : tensor<2x2x2x12x10xf32>) outs(%27 : tensor<2x2x2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x1xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<2x2x2x12x10xf32>, tensor<2x2x2x12x1xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.divf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %expanded_20 = tensor.expand_shape %29 [[0], [1], [2], [3], [4, 5]] output_shape [2, 2, 2, 12, 10, 1] : tensor<2x2x2x12x10xf32> into tensor<2x2x2x12x10x1xf32>
    %expanded_21 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3, 4, 5]] output_shape [2, 10, 2, 8, 1, 1] : tensor<2x10x16xf32> into tensor<2x10x2x8x1x1xf32>
    %30 = tensor.empty() : tensor<2x2x12x2x10x1xf32>
    %transposed_22 = linalg.transpose ins(%expanded_20 : tensor<2x2x2x12x10x1xf32>) outs(%30 : tensor<2x2x12x2x10x1xf32>) permutation = [0, 1, 3, 2, 4, 5]  {amp.phase = "forward", amp.scope = "aten.permute", amp.scope_id = 32 : i64}
    %collapsed_23 = tensor.collapse_shape %transposed_22 [[0, 1], [2, 3], [4, 5]] : tensor<2x2x12x2x10x1xf32> into tensor<4x24x10xf32>
    %31 = tensor.empty() : tensor<2x2x10x8x1x1xf32>
    %transposed_24 = linalg.transpose ins(%expanded_21 : tensor<2x10x2x8x1x1xf32>) outs(%31 : tensor<2x2x10x8x1x1xf32>) permutation = [0, 2, 1, 3, 4, 5]  {amp.phase = "forward", amp.scope = "aten.permute", amp.scope_id = 34 : i64}
    %collapsed_25 = tensor.collapse_shape %transposed_24 [[0, 1], [2], [3, 4, 5]] : tensor<2x2x10x8x1x1xf32> into tensor<4x10x8xf32>
    %32 = tensor.empty() : tensor<4x24x8xf32>
    %33 = linalg.fill {amp.phase = "forward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64} ins(%cst : f32) outs(%32 : tensor<4x24x8xf32>) -> tensor<4x24x8xf32>
    %34 = linalg.batch_matmul {amp.phase = "forward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64} ins(%collapsed_23, %collapsed_25 : tensor<4x24x10xf32>, tensor<4x10x8xf32>) outs(%33 : tensor<4x24x8xf32>) -> tensor<4x24x8xf32>
    %expanded_26 = tensor.expand_shape %34 [[0, 1], [2, 3], [4, 5]] output_shape [2, 2, 12, 2, 1, 8] : tensor<4x24x8xf32> into tensor<2x2x12x2x1x8xf32>
    %35 = tensor.empty() : tensor<2x12x2x2x8x1xf32>
    %transposed_27 = linalg.transpose ins(%expanded_26 : tensor<2x2x12x2x1x8xf32>) outs(%35 : tensor<2x12x2x2x8x1xf32>) permutation = [0, 2, 1, 3, 5, 4]  {amp.phase = "forward", amp.scope = "aten.permute", amp.scope_id = 38 : i64}
    %collapsed_28 = tensor.collapse_shape %transposed_27 [[0], [1], [2, 3, 4, 5]] : tensor<2x12x2x2x8x1xf32> into tensor<2x12x32xf32>
    %36 = tensor.empty() : tensor<2x12x1xf32>
    %37 = linalg.fill {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} ins(%cst : f32) outs(%36 : tensor<2x12x1xf32>) -> tensor<2x12x1xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%collapsed_28 : tensor<2x12x32xf32>) outs(%37 : tensor<2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %39 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x12x1xf32>) outs(%36 : tensor<2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.mulf %in, %cst_3 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %40 = tensor.empty() : tensor<2x12x32xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_28, %39 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.subf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %42 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %41 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %43 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%42 : tensor<2x12x32xf32>) outs(%37 : tensor<2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %44 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<2x12x1xf32>) outs(%36 : tensor<2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.mulf %in, %cst_3 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %45 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<2x12x1xf32>) outs(%36 : tensor<2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_62 = arith.constant 9.99999974E-6 : f32
      %109 = arith.addf %in, %cst_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %46 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<2x12x1xf32>) outs(%36 : tensor<2x12x1xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = math.rsqrt %in : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %47 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %46 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %48 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %arg4 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %49 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %arg5 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.addf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %transposed_29 = linalg.transpose ins(%arg6 : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0]  {amp.phase = "forward", amp.scope = "aten.t", amp.scope_id = 42 : i64}
    %collapsed_30 = tensor.collapse_shape %49 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %50 = linalg.matmul {amp.phase = "forward", amp.scope = "aten.mm", amp.scope_id = 44 : i64} ins(%collapsed_30, %transposed_29 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_31 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [2, 12, 32] : tensor<24x32xf32> into tensor<2x12x32xf32>
    %51 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg7, %expanded_31 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.add", amp.scope_id = 46 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.addf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %52 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %arg10 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.sub", amp.scope_id = 47 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.subf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %53 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "forward", amp.scope = "aten.pow", amp.scope_id = 48 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %54 = tensor.empty() : tensor<f32>
    %55 = linalg.fill {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 49 : i64} ins(%cst : f32) outs(%54 : tensor<f32>) -> tensor<f32>
    %56 = linalg.generic {indexing_maps = [#map6, #map9], iterator_types = ["reduction", "reduction", "reduction"]} ins(%53 : tensor<2x12x32xf32>) outs(%55 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 49 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<f32>
    %57 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%56 : tensor<f32>) outs(%54 : tensor<f32>) attrs =  {amp.phase = "forward", amp.scope = "aten.mean", amp.scope_id = 49 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_4 : f32
      linalg.yield %109 : f32
    } -> tensor<f32>
    %58 = linalg.generic {indexing_maps = [#map9, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg11 : tensor<f32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 49 : i64} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12x32xf32>
    %59 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mean", amp.scope_id = 49 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_4 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %60 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.pow", amp.scope_id = 48 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = math.fpowi %in, %c1_i64 : f32, i64
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %61 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.pow", amp.scope_id = 48 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.mulf %in, %cst_5 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %62 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %61 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.pow", amp.scope_id = 48 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %collapsed_32 = tensor.collapse_shape %62 [[0, 1], [2]] : tensor<2x12x32xf32> into tensor<24x32xf32>
    %63 = tensor.empty() : tensor<32x24xf32>
    %transposed_33 = linalg.transpose ins(%collapsed_32 : tensor<24x32xf32>) outs(%63 : tensor<32x24xf32>) permutation = [1, 0]  {amp.phase = "backward", amp.scope = "aten.mm", amp.scope_id = 44 : i64}
    %64 = linalg.fill {amp.phase = "backward", amp.scope = "aten.mm", amp.scope_id = 44 : i64} ins(%cst : f32) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %65 = linalg.matmul {amp.phase = "backward", amp.scope = "aten.mm", amp.scope_id = 44 : i64} ins(%transposed_33, %collapsed_30 : tensor<32x24xf32>, tensor<24x32xf32>) outs(%64 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %66 = linalg.matmul {amp.phase = "backward", amp.scope = "aten.mm", amp.scope_id = 44 : i64} ins(%collapsed_32, %arg6 : tensor<24x32xf32>, tensor<32x32xf32>) outs(%2 : tensor<24x32xf32>) -> tensor<24x32xf32>
    %expanded_34 = tensor.expand_shape %66 [[0, 1], [2]] output_shape [2, 12, 32] : tensor<24x32xf32> into tensor<2x12x32xf32>
    %67 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_34, %arg4 : tensor<2x12x32xf32>, tensor<32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %68 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.mulf %in, %cst_6 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %69 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%67 : tensor<2x12x32xf32>) outs(%37 : tensor<2x12x1xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %70 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %47 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %71 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%70 : tensor<2x12x32xf32>) outs(%37 : tensor<2x12x1xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %72 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %71 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %73 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %69 : tensor<2x12x32xf32>, tensor<2x12x1xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.subf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %74 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %72 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.subf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %75 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<2x12x1xf32>) outs(%36 : tensor<2x12x1xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.divf %in, %cst_6 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x1xf32>
    %76 = linalg.generic {indexing_maps = [#map7, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %74 : tensor<2x12x1xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %77 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_34, %47 : tensor<2x12x32xf32>, tensor<2x12x32xf32>) outs(%40 : tensor<2x12x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x12x32xf32>
    %78 = tensor.empty() : tensor<32xf32>
    %79 = linalg.fill {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} ins(%cst : f32) outs(%78 : tensor<32xf32>) -> tensor<32xf32>
    %80 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["reduction", "reduction", "parallel"]} ins(%77 : tensor<2x12x32xf32>) outs(%79 : tensor<32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<32xf32>
    %81 = linalg.generic {indexing_maps = [#map6, #map8], iterator_types = ["reduction", "reduction", "parallel"]} ins(%expanded_34 : tensor<2x12x32xf32>) outs(%79 : tensor<32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.native_layer_norm", amp.scope_id = 41 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<32xf32>
    %expanded_35 = tensor.expand_shape %76 [[0], [1], [2, 3, 4, 5]] output_shape [2, 12, 2, 2, 8, 1] : tensor<2x12x32xf32> into tensor<2x12x2x2x8x1xf32>
    %82 = tensor.empty() : tensor<2x2x12x2x1x8xf32>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<2x12x2x2x8x1xf32>) outs(%82 : tensor<2x2x12x2x1x8xf32>) permutation = [0, 2, 1, 3, 5, 4]  {amp.phase = "backward", amp.scope = "aten.permute", amp.scope_id = 38 : i64}
    %collapsed_37 = tensor.collapse_shape %transposed_36 [[0, 1], [2, 3], [4, 5]] : tensor<2x2x12x2x1x8xf32> into tensor<4x24x8xf32>
    %83 = tensor.empty() : tensor<4x10x24xf32>
    %transposed_38 = linalg.transpose ins(%collapsed_23 : tensor<4x24x10xf32>) outs(%83 : tensor<4x10x24xf32>) permutation = [0, 2, 1]  {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64}
    %84 = tensor.empty() : tensor<4x10x8xf32>
    %85 = linalg.fill {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64} ins(%cst : f32) outs(%84 : tensor<4x10x8xf32>) -> tensor<4x10x8xf32>
    %86 = linalg.batch_matmul {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64} ins(%transposed_38, %collapsed_37 : tensor<4x10x24xf32>, tensor<4x24x8xf32>) outs(%85 : tensor<4x10x8xf32>) -> tensor<4x10x8xf32>
    %87 = tensor.empty() : tensor<4x8x10xf32>
    %transposed_39 = linalg.transpose ins(%collapsed_25 : tensor<4x10x8xf32>) outs(%87 : tensor<4x8x10xf32>) permutation = [0, 2, 1]  {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64}
    %88 = linalg.batch_matmul {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 36 : i64} ins(%collapsed_37, %transposed_39 : tensor<4x24x8xf32>, tensor<4x8x10xf32>) outs(%13 : tensor<4x24x10xf32>) -> tensor<4x24x10xf32>
    %expanded_40 = tensor.expand_shape %86 [[0, 1], [2], [3, 4, 5]] output_shape [2, 2, 10, 8, 1, 1] : tensor<4x10x8xf32> into tensor<2x2x10x8x1x1xf32>
    %expanded_41 = tensor.expand_shape %88 [[0, 1], [2, 3], [4, 5]] output_shape [2, 2, 12, 2, 10, 1] : tensor<4x24x10xf32> into tensor<2x2x12x2x10x1xf32>
    %89 = tensor.empty() : tensor<2x10x2x8x1x1xf32>
    %transposed_42 = linalg.transpose ins(%expanded_40 : tensor<2x2x10x8x1x1xf32>) outs(%89 : tensor<2x10x2x8x1x1xf32>) permutation = [0, 2, 1, 3, 4, 5]  {amp.phase = "backward", amp.scope = "aten.permute", amp.scope_id = 31 : i64}
    %transposed_43 = linalg.transpose ins(%expanded_41 : tensor<2x2x12x2x10x1xf32>) outs(%15 : tensor<2x2x2x12x10x1xf32>) permutation = [0, 1, 3, 2, 4, 5]  {amp.phase = "backward", amp.scope = "aten.permute", amp.scope_id = 28 : i64}
    %collapsed_44 = tensor.collapse_shape %transposed_43 [[0], [1], [2], [3], [4, 5]] : tensor<2x2x2x12x10x1xf32> into tensor<2x2x2x12x10xf32>
    %90 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%collapsed_44, %29 : tensor<2x2x2x12x10xf32>, tensor<2x2x2x12x10xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %91 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%90 : tensor<2x2x2x12x10xf32>) outs(%27 : tensor<2x2x2x12x1xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x1xf32>
    %92 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29, %91 : tensor<2x2x2x12x10xf32>, tensor<2x2x2x12x1xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.mulf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %93 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%90, %92 : tensor<2x2x2x12x10xf32>, tensor<2x2x2x12x10xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten._softmax", amp.scope_id = 26 : i64} {
    ^bb0(%in: f32, %in_62: f32, %out: f32):
      %109 = arith.subf %in, %in_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %94 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%93 : tensor<2x2x2x12x10xf32>) outs(%16 : tensor<2x2x2x12x10xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.mul", amp.scope_id = 24 : i64} {
    ^bb0(%in: f32, %out: f32):
      %cst_62 = arith.constant 0.353553385 : f32
      %109 = arith.mulf %in, %cst_62 : f32
      linalg.yield %109 : f32
    } -> tensor<2x2x2x12x10xf32>
    %expanded_45 = tensor.expand_shape %94 [[0], [1], [2], [3], [4, 5]] output_shape [2, 2, 2, 12, 10, 1] : tensor<2x2x2x12x10xf32> into tensor<2x2x2x12x10x1xf32>
    %95 = tensor.empty() : tensor<2x2x2x12x1x10xf32>
    %transposed_46 = linalg.transpose ins(%expanded_45 : tensor<2x2x2x12x10x1xf32>) outs(%95 : tensor<2x2x2x12x1x10xf32>) permutation = [0, 1, 2, 3, 5, 4]  {amp.phase = "backward", amp.scope = "aten.permute", amp.scope_id = 22 : i64}
    %collapsed_47 = tensor.collapse_shape %transposed_46 [[0, 1], [2, 3], [4, 5]] : tensor<2x2x2x12x1x10xf32> into tensor<4x24x10xf32>
    %96 = tensor.empty() : tensor<4x8x24xf32>
    %transposed_48 = linalg.transpose ins(%collapsed_13 : tensor<4x24x8xf32>) outs(%96 : tensor<4x8x24xf32>) permutation = [0, 2, 1]  {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64}
    %97 = linalg.fill {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64} ins(%cst : f32) outs(%87 : tensor<4x8x10xf32>) -> tensor<4x8x10xf32>
    %98 = linalg.batch_matmul {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64} ins(%transposed_48, %collapsed_47 : tensor<4x8x24xf32>, tensor<4x24x10xf32>) outs(%97 : tensor<4x8x10xf32>) -> tensor<4x8x10xf32>
    %transposed_49 = linalg.transpose ins(%collapsed_15 : tensor<4x8x10xf32>) outs(%84 : tensor<4x10x8xf32>) permutation = [0, 2, 1]  {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64}
    %99 = linalg.batch_matmul {amp.phase = "backward", amp.scope = "aten.bmm", amp.scope_id = 20 : i64} ins(%collapsed_47, %transposed_49 : tensor<4x24x10xf32>, tensor<4x10x8xf32>) outs(%33 : tensor<4x24x8xf32>) -> tensor<4x24x8xf32>
    %expanded_50 = tensor.expand_shape %98 [[0, 1], [2], [3, 4, 5]] output_shape [2, 2, 8, 10, 1, 1] : tensor<4x8x10xf32> into tensor<2x2x8x10x1x1xf32>
    %expanded_51 = tensor.expand_shape %99 [[0, 1], [2, 3], [4, 5]] output_shape [2, 2, 2, 12, 8, 1] : tensor<4x24x8xf32> into tensor<2x2x2x12x8x1xf32>
    %transposed_52 = linalg.transpose ins(%expanded_50 : tensor<2x2x8x10x1x1xf32>) outs(%89 : tensor<2x10x2x8x1x1xf32>) permutation = [0, 3, 1, 2, 4, 5]  {amp.phase = "backward", amp.scope = "aten.permute", amp.scope_id = 15 : i64}
    %transposed_53 = linalg.transpose ins(%expanded_51 : tensor<2x2x2x12x8x1xf32>) outs(%35 : tensor<2x12x2x2x8x1xf32>) permutation = [0, 3, 1, 2, 4, 5]  {amp.phase = "backward", amp.scope = "aten.permute", amp.scope_id = 12 : i64}
    %collapsed_54 = tensor.collapse_shape %transposed_42 [[0], [1], [2, 3, 4, 5]] : tensor<2x10x2x8x1x1xf32> into tensor<2x10x16xf32>
    %collapsed_55 = tensor.collapse_shape %transposed_52 [[0], [1], [2, 3, 4, 5]] : tensor<2x10x2x8x1x1xf32> into tensor<2x10x16xf32>
    %concat = tensor.concat dim(2) %collapsed_55, %collapsed_54 : (tensor<2x10x16xf32>, tensor<2x10x16xf32>) -> tensor<2x10x32xf32>
    %collapsed_56 = tensor.collapse_shape %concat [[0, 1], [2]] : tensor<2x10x32xf32> into tensor<20x32xf32>
    %100 = tensor.empty() : tensor<32x20xf32>
    %transposed_57 = linalg.transpose ins(%collapsed_56 : tensor<20x32xf32>) outs(%100 : tensor<32x20xf32>) permutation = [1, 0]  {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64}
    %101 = tensor.empty() : tensor<32x16xf32>
    %102 = linalg.fill {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%101 : tensor<32x16xf32>) -> tensor<32x16xf32>
    %103 = linalg.matmul {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} ins(%transposed_57, %collapsed_7 : tensor<32x20xf32>, tensor<20x16xf32>) outs(%102 : tensor<32x16xf32>) -> tensor<32x16xf32>
    %104 = tensor.empty() : tensor<1x32xf32>
    %105 = linalg.fill {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} ins(%cst : f32) outs(%104 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %106 = linalg.generic {indexing_maps = [#map, #map11], iterator_types = ["reduction", "parallel"]} ins(%collapsed_56 : tensor<20x32xf32>) outs(%105 : tensor<1x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 6 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<1x32xf32>
    %collapsed_58 = tensor.collapse_shape %106 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    %collapsed_59 = tensor.collapse_shape %transposed_53 [[0, 1], [2, 3, 4, 5]] : tensor<2x12x2x2x8x1xf32> into tensor<24x32xf32>
    %transposed_60 = linalg.transpose ins(%collapsed_59 : tensor<24x32xf32>) outs(%63 : tensor<32x24xf32>) permutation = [1, 0]  {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 2 : i64}
    %107 = linalg.matmul {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 2 : i64} ins(%transposed_60, %collapsed : tensor<32x24xf32>, tensor<24x32xf32>) outs(%64 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %108 = linalg.generic {indexing_maps = [#map, #map11], iterator_types = ["reduction", "parallel"]} ins(%collapsed_59 : tensor<24x32xf32>) outs(%105 : tensor<1x32xf32>) attrs =  {amp.phase = "backward", amp.scope = "aten.addmm", amp.scope_id = 2 : i64} {
    ^bb0(%in: f32, %out: f32):
      %109 = arith.addf %in, %out : f32
      linalg.yield %109 : f32
    } -> tensor<1x32xf32>
    %collapsed_61 = tensor.collapse_shape %108 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    return %57, %107, %collapsed_61, %103, %collapsed_58, %80, %81, %65 : tensor<f32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>
  }
  func.func @optimizer_step(%arg0: tensor<32x32xf32> {amp.name = "queries.weight", amp.role = "param"}, %arg1: tensor<32xf32> {amp.name = "queries.bias", amp.role = "param"}, %arg2: tensor<32x16xf32> {amp.name = "keys_and_values.weight", amp.role = "param"}, %arg3: tensor<32xf32> {amp.name = "keys_and_values.bias", amp.role = "param"}, %arg4: tensor<32xf32> {amp.name = "norm.weight", amp.role = "param"}, %arg5: tensor<32xf32> {amp.name = "norm.bias", amp.role = "param"}, %arg6: tensor<32x32xf32> {amp.name = "out.weight", amp.role = "param"}, %arg7: tensor<32x32xf32> {amp.name = "queries.weight", amp.role = "grad"}, %arg8: tensor<32xf32> {amp.name = "queries.bias", amp.role = "grad"}, %arg9: tensor<32x16xf32> {amp.name = "keys_and_values.weight", amp.role = "grad"}, %arg10: tensor<32xf32> {amp.name = "keys_and_values.bias", amp.role = "grad"}, %arg11: tensor<32xf32> {amp.name = "norm.weight", amp.role = "grad"}, %arg12: tensor<32xf32> {amp.name = "norm.bias", amp.role = "grad"}, %arg13: tensor<32x32xf32> {amp.name = "out.weight", amp.role = "grad"}, %arg14: tensor<32x32xf32> {amp.name = "queries.weight.momentum_buffer", amp.of = "queries.weight", amp.role = "opt_state"}, %arg15: tensor<32xf32> {amp.name = "queries.bias.momentum_buffer", amp.of = "queries.bias", amp.role = "opt_state"}, %arg16: tensor<32x16xf32> {amp.name = "keys_and_values.weight.momentum_buffer", amp.of = "keys_and_values.weight", amp.role = "opt_state"}, %arg17: tensor<32xf32> {amp.name = "keys_and_values.bias.momentum_buffer", amp.of = "keys_and_values.bias", amp.role = "opt_state"}, %arg18: tensor<32xf32> {amp.name = "norm.weight.momentum_buffer", amp.of = "norm.weight", amp.role = "opt_state"}, %arg19: tensor<32xf32> {amp.name = "norm.bias.momentum_buffer", amp.of = "norm.bias", amp.role = "opt_state"}, %arg20: tensor<32x32xf32> {amp.name = "out.weight.momentum_buffer", amp.of = "out.weight", amp.role = "opt_state"}, %arg21: tensor<f64> {amp.name = "lr0", amp.role = "hyper"}, %arg22: tensor<f64> {amp.name = "momentum.0", amp.role = "hyper"}) -> (tensor<32x32xf32> {amp.name = "queries.weight", amp.role = "param"}, tensor<32xf32> {amp.name = "queries.bias", amp.role = "param"}, tensor<32x16xf32> {amp.name = "keys_and_values.weight", amp.role = "param"}, tensor<32xf32> {amp.name = "keys_and_values.bias", amp.role = "param"}, tensor<32xf32> {amp.name = "norm.weight", amp.role = "param"}, tensor<32xf32> {amp.name = "norm.bias", amp.role = "param"}, tensor<32x32xf32> {amp.name = "out.weight", amp.role = "param"}, tensor<32x32xf32> {amp.name = "queries.weight.momentum_buffer", amp.of = "queries.weight", amp.role = "opt_state"}, tensor<32xf32> {amp.name = "queries.bias.momentum_buffer", amp.of = "queries.bias", amp.role = "opt_state"}, tensor<32x16xf32> {amp.name = "keys_and_values.weight.momentum_buffer", amp.of = "keys_and_values.weight", amp.role = "opt_state"}, tensor<32xf32> {amp.name = "keys_and_values.bias.momentum_buffer", amp.of = "keys_and_values.bias", amp.role = "opt_state"}, tensor<32xf32> {amp.name = "norm.weight.momentum_buffer", amp.of = "norm.weight", amp.role = "opt_state"}, tensor<32xf32> {amp.name = "norm.bias.momentum_buffer", amp.of = "norm.bias", amp.role = "opt_state"}, tensor<32x32xf32> {amp.name = "out.weight.momentum_buffer", amp.of = "out.weight", amp.role = "opt_state"}) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = arith.constant 1.000000e+00 : f64
    %cst_2 = arith.constant 9.9999999999999995E-7 : f64
    %cst_3 = arith.constant 2.000000e+00 : f32
    %cst_4 = arith.constant 5.000000e-01 : f32
    %cst_5 = arith.constant 2.500000e-01 : f32
    %cst_6 = arith.constant -1.000000e+00 : f32
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %2 = linalg.generic {indexing_maps = [#map, #map12], iterator_types = ["reduction", "reduction"]} ins(%arg7 : tensor<32x32xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %3 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%2 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %4 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["reduction"]} ins(%arg8 : tensor<32xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %5 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%4 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %6 = linalg.generic {indexing_maps = [#map, #map12], iterator_types = ["reduction", "reduction"]} ins(%arg9 : tensor<32x16xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %7 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%6 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %8 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["reduction"]} ins(%arg10 : tensor<32xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %9 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%8 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %10 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["reduction"]} ins(%arg11 : tensor<32xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %11 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%10 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %12 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["reduction"]} ins(%arg12 : tensor<32xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %13 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%12 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map, #map12], iterator_types = ["reduction", "reduction"]} ins(%arg13 : tensor<32x32xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %15 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%14 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %expanded = tensor.expand_shape %3 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %expanded_7 = tensor.expand_shape %5 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %expanded_8 = tensor.expand_shape %7 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %expanded_9 = tensor.expand_shape %9 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %expanded_10 = tensor.expand_shape %11 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %expanded_11 = tensor.expand_shape %13 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %expanded_12 = tensor.expand_shape %15 [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %concat = tensor.concat dim(0) %expanded, %expanded_7, %expanded_8, %expanded_9, %expanded_10, %expanded_11, %expanded_12 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<7xf32>
    %16 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["reduction"]} ins(%concat : tensor<7xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.absf %in : f32
      %71 = math.powf %70, %cst_3 : f32
      %72 = arith.addf %71, %out : f32
      linalg.yield %72 : f32
    } -> tensor<f32>
    %17 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%16 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = math.powf %in, %cst_4 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %18 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%17 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_13 = arith.constant 9.99999997E-7 : f32
      %70 = arith.addf %in, %cst_13 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %19 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = []} ins(%cst_0, %18 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.divf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %20 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%19 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_5 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %21 = tensor.empty() : tensor<i1>
    %22 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%20 : tensor<f32>) outs(%21 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %70 = arith.extf %in : f32 to f64
      %cst_13 = arith.constant 1.000000e+00 : f32
      %71 = arith.cmpf ogt, %in, %cst_13 : f32
      linalg.yield %71 : i1
    } -> tensor<i1>
    %23 = linalg.generic {indexing_maps = [#map10, #map10, #map10, #map10], iterator_types = []} ins(%22, %cst_0, %20 : tensor<i1>, tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i1, %in_13: f32, %in_14: f32, %out: f32):
      %70 = arith.select %in, %in_13, %in_14 : f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %24 = tensor.empty() : tensor<32x32xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7, %23 : tensor<32x32xf32>, tensor<f32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %26 = tensor.empty() : tensor<32xf32>
    %27 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg8, %23 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %28 = tensor.empty() : tensor<32x16xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%arg9, %23 : tensor<32x16xf32>, tensor<f32>) outs(%28 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x16xf32>
    %30 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg10, %23 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %31 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg11, %23 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %32 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg12, %23 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%arg13, %23 : tensor<32x32xf32>, tensor<f32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%arg14, %arg22 : tensor<32x32xf32>, tensor<f64>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32x32xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%34, %25 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %36 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%arg21 : tensor<f64>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %70 = arith.truncf %in : f64 to f32
      linalg.yield %70 : f32
    } -> tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<32x32xf32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%37, %36 : tensor<32x32xf32>, tensor<f32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %38 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %40 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg15, %arg22 : tensor<32xf32>, tensor<f64>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32xf32>
    %41 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%40, %27 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %42 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel"]} ins(%41 : tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %43 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%42, %36 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %44 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%arg1, %43 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%arg16, %arg22 : tensor<32x16xf32>, tensor<f64>) outs(%28 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32x16xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%45, %29 : tensor<32x16xf32>, tensor<32x16xf32>) outs(%28 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x16xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%46 : tensor<32x16xf32>) outs(%28 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32x16xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%47, %36 : tensor<32x16xf32>, tensor<f32>) outs(%28 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x16xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2, %48 : tensor<32x16xf32>, tensor<32x16xf32>) outs(%28 : tensor<32x16xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x16xf32>
    %50 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg17, %arg22 : tensor<32xf32>, tensor<f64>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32xf32>
    %51 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%50, %30 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %52 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel"]} ins(%51 : tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %53 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%52, %36 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %54 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%arg3, %53 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %55 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg18, %arg22 : tensor<32xf32>, tensor<f64>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32xf32>
    %56 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%55, %31 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %57 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel"]} ins(%56 : tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %58 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%57, %36 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %59 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%arg4, %58 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %60 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%arg19, %arg22 : tensor<32xf32>, tensor<f64>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32xf32>
    %61 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%60, %32 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %62 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel"]} ins(%61 : tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %63 = linalg.generic {indexing_maps = [#map13, #map14, #map13], iterator_types = ["parallel"]} ins(%62, %36 : tensor<32xf32>, tensor<f32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %64 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel"]} ins(%arg5, %63 : tensor<32xf32>, tensor<32xf32>) outs(%26 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%arg20, %arg22 : tensor<32x32xf32>, tensor<f64>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f64, %out: f32):
      %70 = arith.truncf %in_13 : f64 to f32
      %71 = arith.mulf %in, %70 : f32
      linalg.yield %71 : f32
    } -> tensor<32x32xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%65, %33 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%66 : tensor<32x32xf32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %70 = arith.mulf %in, %cst_6 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map12, #map], iterator_types = ["parallel", "parallel"]} ins(%67, %36 : tensor<32x32xf32>, tensor<f32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.mulf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6, %68 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_13: f32, %out: f32):
      %70 = arith.addf %in, %in_13 : f32
      linalg.yield %70 : f32
    } -> tensor<32x32xf32>
    return %39, %44, %49, %54, %59, %64, %69, %35, %41, %46, %51, %56, %61, %66 : tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>
  }
func.func @train_step(%a0: tensor<32x32xf32> {amp.role = "param", amp.name = "queries.weight"}, %a1: tensor<32xf32> {amp.role = "param", amp.name = "queries.bias"}, %a2: tensor<32x16xf32> {amp.role = "param", amp.name = "keys_and_values.weight"}, %a3: tensor<32xf32> {amp.role = "param", amp.name = "keys_and_values.bias"}, %a4: tensor<32xf32> {amp.role = "param", amp.name = "norm.weight"}, %a5: tensor<32xf32> {amp.role = "param", amp.name = "norm.bias"}, %a6: tensor<32x32xf32> {amp.role = "param", amp.name = "out.weight"}, %a7: tensor<2x12x32xf32> {amp.role = "batch", amp.name = "x0"}, %a8: tensor<2x10x16xf32> {amp.role = "batch", amp.name = "x1"}, %a9: tensor<2x1x1x12x10xf32> {amp.role = "batch", amp.name = "x2"}, %a10: tensor<2x12x32xf32> {amp.role = "batch", amp.name = "x3"}, %a11: tensor<f32> {amp.role = "loss_seed", amp.name = "loss"}, %a12: tensor<32x32xf32> {amp.role = "opt_state", amp.name = "queries.weight.momentum_buffer", amp.of = "queries.weight"}, %a13: tensor<32xf32> {amp.role = "opt_state", amp.name = "queries.bias.momentum_buffer", amp.of = "queries.bias"}, %a14: tensor<32x16xf32> {amp.role = "opt_state", amp.name = "keys_and_values.weight.momentum_buffer", amp.of = "keys_and_values.weight"}, %a15: tensor<32xf32> {amp.role = "opt_state", amp.name = "keys_and_values.bias.momentum_buffer", amp.of = "keys_and_values.bias"}, %a16: tensor<32xf32> {amp.role = "opt_state", amp.name = "norm.weight.momentum_buffer", amp.of = "norm.weight"}, %a17: tensor<32xf32> {amp.role = "opt_state", amp.name = "norm.bias.momentum_buffer", amp.of = "norm.bias"}, %a18: tensor<32x32xf32> {amp.role = "opt_state", amp.name = "out.weight.momentum_buffer", amp.of = "out.weight"}, %a19: tensor<f64> {amp.role = "hyper", amp.name = "lr0"}, %a20: tensor<f64> {amp.role = "hyper", amp.name = "momentum.0"}) -> (tensor<f32> {amp.role = "loss", amp.name = "loss"}, tensor<32x32xf32> {amp.role = "param", amp.name = "queries.weight"}, tensor<32xf32> {amp.role = "param", amp.name = "queries.bias"}, tensor<32x16xf32> {amp.role = "param", amp.name = "keys_and_values.weight"}, tensor<32xf32> {amp.role = "param", amp.name = "keys_and_values.bias"}, tensor<32xf32> {amp.role = "param", amp.name = "norm.weight"}, tensor<32xf32> {amp.role = "param", amp.name = "norm.bias"}, tensor<32x32xf32> {amp.role = "param", amp.name = "out.weight"}, tensor<32x32xf32> {amp.role = "opt_state", amp.name = "queries.weight.momentum_buffer", amp.of = "queries.weight"}, tensor<32xf32> {amp.role = "opt_state", amp.name = "queries.bias.momentum_buffer", amp.of = "queries.bias"}, tensor<32x16xf32> {amp.role = "opt_state", amp.name = "keys_and_values.weight.momentum_buffer", amp.of = "keys_and_values.weight"}, tensor<32xf32> {amp.role = "opt_state", amp.name = "keys_and_values.bias.momentum_buffer", amp.of = "keys_and_values.bias"}, tensor<32xf32> {amp.role = "opt_state", amp.name = "norm.weight.momentum_buffer", amp.of = "norm.weight"}, tensor<32xf32> {amp.role = "opt_state", amp.name = "norm.bias.momentum_buffer", amp.of = "norm.bias"}, tensor<32x32xf32> {amp.role = "opt_state", amp.name = "out.weight.momentum_buffer", amp.of = "out.weight"}) {
  %forward_backward:8 = func.call @forward_backward(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11) : (tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<2x12x32xf32>, tensor<2x10x16xf32>, tensor<2x1x1x12x10xf32>, tensor<2x12x32xf32>, tensor<f32>) -> (tensor<f32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>)
  %optimizer_step:14 = func.call @optimizer_step(%a0, %a1, %a2, %a3, %a4, %a5, %a6, %forward_backward#1, %forward_backward#2, %forward_backward#3, %forward_backward#4, %forward_backward#5, %forward_backward#6, %forward_backward#7, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20) : (tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<f64>, tensor<f64>) -> (tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>)
  func.return %forward_backward#0, %optimizer_step#0, %optimizer_step#1, %optimizer_step#2, %optimizer_step#3, %optimizer_step#4, %optimizer_step#5, %optimizer_step#6, %optimizer_step#7, %optimizer_step#8, %optimizer_step#9, %optimizer_step#10, %optimizer_step#11, %optimizer_step#12, %optimizer_step#13 : tensor<f32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>
}
}