// RUN: amp-opt %s --amp-mixed-precision="opt-level=O1 verbosity=0" | FileCheck %s

// Movements that use one value twice have 2^n paths through n of them. Each value is
// looked at once.

// CHECK-LABEL: func.func @twice
// CHECK: linalg.matmul
// CHECK-COUNT-40: tensor.insert_slice
// CHECK: return
func.func @twice(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %v0 = linalg.matmul {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v1 = tensor.insert_slice %v0 into %v0[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v2 = tensor.insert_slice %v1 into %v1[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v3 = tensor.insert_slice %v2 into %v2[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v4 = tensor.insert_slice %v3 into %v3[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v5 = tensor.insert_slice %v4 into %v4[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v6 = tensor.insert_slice %v5 into %v5[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v7 = tensor.insert_slice %v6 into %v6[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v8 = tensor.insert_slice %v7 into %v7[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v9 = tensor.insert_slice %v8 into %v8[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v10 = tensor.insert_slice %v9 into %v9[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v11 = tensor.insert_slice %v10 into %v10[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v12 = tensor.insert_slice %v11 into %v11[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v13 = tensor.insert_slice %v12 into %v12[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v14 = tensor.insert_slice %v13 into %v13[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v15 = tensor.insert_slice %v14 into %v14[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v16 = tensor.insert_slice %v15 into %v15[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v17 = tensor.insert_slice %v16 into %v16[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v18 = tensor.insert_slice %v17 into %v17[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v19 = tensor.insert_slice %v18 into %v18[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v20 = tensor.insert_slice %v19 into %v19[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v21 = tensor.insert_slice %v20 into %v20[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v22 = tensor.insert_slice %v21 into %v21[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v23 = tensor.insert_slice %v22 into %v22[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v24 = tensor.insert_slice %v23 into %v23[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v25 = tensor.insert_slice %v24 into %v24[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v26 = tensor.insert_slice %v25 into %v25[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v27 = tensor.insert_slice %v26 into %v26[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v28 = tensor.insert_slice %v27 into %v27[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v29 = tensor.insert_slice %v28 into %v28[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v30 = tensor.insert_slice %v29 into %v29[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v31 = tensor.insert_slice %v30 into %v30[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v32 = tensor.insert_slice %v31 into %v31[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v33 = tensor.insert_slice %v32 into %v32[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v34 = tensor.insert_slice %v33 into %v33[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v35 = tensor.insert_slice %v34 into %v34[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v36 = tensor.insert_slice %v35 into %v35[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v37 = tensor.insert_slice %v36 into %v36[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v38 = tensor.insert_slice %v37 into %v37[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v39 = tensor.insert_slice %v38 into %v38[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  %v40 = tensor.insert_slice %v39 into %v39[0, 0] [4, 4] [1, 1] {amp.function = "torch.nn.functional.linear", amp.scope_id = 1 : i64} : tensor<4x4xf32> into tensor<4x4xf32>
  return %v40 : tensor<4x4xf32>
}
