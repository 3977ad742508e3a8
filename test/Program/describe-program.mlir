// RUN: amp-opt %s --split-input-file --amp-describe-program | FileCheck %s

// The structs of amp-rt/Program.h; test/Integration/Host/ahead-of-time.test reads
// them from C.

// CHECK-NOT: amp.s
// CHECK: llvm.func @_mlir_ciface_step(
module attributes {amp.scalers = [{name = "loss0", initial_scale = 65536.0 : f64,
    growth_factor = 2.0 : f64, backoff_factor = 0.5 : f64, growth_interval = 2000 : i64,
    hysteresis = 1 : i32, min_scale = 0.0 : f64, max_scale = 16777216.0 : f64},
    {name = "config_loss0", initial_scale = 2.0 : f64, growth_factor = 2.0 : f64,
    backoff_factor = 0.5 : f64, growth_interval = 2000 : i64, hysteresis = 1 : i32,
    min_scale = 0.0 : f64, max_scale = 16777216.0 : f64}]} {
  llvm.func internal @step(%run: i64, %x: !llvm.ptr, %scaler: i64) -> i32
      attributes {amp.workspace_bytes = 128 : i64, amp.signature = {kind = "train_step",
        arguments = [{type = tensor<?x3xbf16>, role = "batch", name = "x0"},
                     {type = i64, role = "scaler_state", name = "loss0"}],
        results = [{type = tensor<f32>, role = "loss", name = "loss"}]}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
  llvm.func @_mlir_ciface_step(%run: i64, %x: !llvm.ptr, %scaler: i64, %loss: !llvm.ptr) -> i32
      attributes {amp.workspace_bytes = 128 : i64, amp.signature = {}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
}

// Extents that the caller chooses are -1, and so are strides that depend on them.
// CHECK: llvm.mlir.global internal constant @amp_text_{{.*}}("step\00")
// CHECK: llvm.mlir.global internal constant @[[EXTENTS:amp_extents_[0-9]+]]()
// CHECK: llvm.mlir.constant(-1 : i64)
// CHECK: llvm.mlir.constant(3 : i64)
// CHECK: llvm.mlir.global internal constant @[[STRIDES:amp_extents_[0-9]+]]()
// CHECK: llvm.mlir.constant(3 : i64)
// CHECK: llvm.mlir.constant(1 : i64)
// CHECK: llvm.mlir.global internal constant @[[X:amp_value_[0-9]+]]()
// CHECK-SAME: !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr, i32, i32, ptr, ptr, i64)>
// CHECK: llvm.mlir.constant(72 : i32)
// CHECK: llvm.mlir.addressof @[[EXTENTS]]
// CHECK: llvm.mlir.addressof @[[STRIDES]]

// A handle has no extents.
// CHECK: llvm.mlir.global internal constant @[[SCALER:amp_value_[0-9]+]]()
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.mlir.global internal constant @amp_arguments_step()
// CHECK: llvm.mlir.addressof @[[X]]
// CHECK: llvm.mlir.addressof @[[SCALER]]

// Arrays go by the address of their descriptor, handles by value.
// CHECK-LABEL: llvm.func internal @amp_call_step(
// CHECK-SAME: %[[OWNER:.*]]: i64, %[[ARGUMENTS:.*]]: !llvm.ptr) -> i32
// What they point at is compared with the description first.
// CHECK-NOT: llvm.load
// CHECK: %[[FUNCTION:.*]] = llvm.mlir.addressof @amp_function_step
// CHECK-NEXT: %[[COUNT:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-NEXT: %[[STATUS:.*]] = llvm.call @ampRtProgramCheckArguments(%[[FUNCTION]], %[[ARGUMENTS]], %[[COUNT]])
// CHECK-SAME: (!llvm.ptr, !llvm.ptr, i32) -> i32
// CHECK: llvm.cond_br %{{.*}}, ^[[REFUSED:.*]], ^[[ACCEPTED:.*]]
// CHECK: ^[[REFUSED]]:
// CHECK-NEXT: llvm.return %[[STATUS]] : i32
// CHECK: ^[[ACCEPTED]]:
// CHECK: llvm.getelementptr %[[ARGUMENTS]][0]
// CHECK: %[[ARRAY:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[ARGUMENTS]][1]
// CHECK: %[[PLACE:.*]] = llvm.load
// CHECK: %[[HANDLE:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> i64
// CHECK: llvm.call @_mlir_ciface_step(%[[OWNER]], %[[ARRAY]], %[[HANDLE]], %{{.*}})

// CHECK: llvm.mlir.global internal constant @amp_function_step()
// CHECK: llvm.mlir.addressof @amp_call_step
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: llvm.mlir.global internal constant @amp_config_loss0()
// CHECK: llvm.mlir.constant(6.553600e+04 : f64)
// CHECK: llvm.mlir.global internal constant @amp_scaler_loss0()
// CHECK: llvm.mlir.addressof @amp_config_loss0
// The name of no scaler is that of another's struct.
// CHECK: llvm.mlir.global internal constant @amp_config_config_loss0()
// CHECK: llvm.mlir.global internal constant @amp_scaler_config_loss0()
// CHECK: llvm.mlir.global external constant @ampProgram()
// CHECK: llvm.mlir.addressof @amp_functions
// CHECK: llvm.mlir.addressof @amp_scalers
// Which says nothing of CPUs: members 13 to 15 are null, 0 and null.
// CHECK: llvm.insertvalue %{{.+}}, %{{.+}}[12]
// CHECK-NEXT: %[[NONE:.+]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT: llvm.insertvalue %[[NONE]], %{{.+}}[13]
// CHECK-NEXT: %[[NOTHING:.+]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.insertvalue %[[NOTHING]], %{{.+}}[14]
// CHECK-NEXT: %[[ALONE:.+]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT: llvm.insertvalue %[[ALONE]], %{{.+}}[15]

// -----

// The last of three versions: what its code needs, and where the others are described.
// Without tiles it needs nothing for them.
// CHECK-NOT: amp.cpu
// CHECK: llvm.mlir.global internal constant @amp_function_step()
// CHECK: llvm.mlir.constant(1029 : i64)
// CHECK: llvm.mlir.global internal constant @[[CPU:amp_text_[0-9]+]]("x86-64-v3\00")
// CHECK: llvm.mlir.global external hidden constant @ampProgram.ampVersion0()
// CHECK: llvm.mlir.global external hidden constant @ampProgram.ampVersion1()
// CHECK: llvm.mlir.global internal constant @amp_versions()
// CHECK: llvm.mlir.addressof @ampProgram.ampVersion0
// CHECK: llvm.mlir.addressof @ampProgram.ampVersion1
// CHECK: llvm.mlir.global external constant @ampProgram()
// CHECK: llvm.mlir.addressof @[[CPU]]
// CHECK: llvm.mlir.constant(1029 : i64)
// CHECK: llvm.mlir.addressof @amp_versions
// CHECK: llvm.mlir.constant(2 : i32)
module attributes {amp.cpu = {cpu = "x86-64-v3", features = 1029 : i64, tile_features = 2048 : i64, versions = 2 : i64}} {
  llvm.func internal @step(%run: i64) -> i32 attributes {amp.signature = {kind = "train_step", arguments = [], results = []}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
  llvm.func @_mlir_ciface_step(%run: i64) -> i32 attributes {amp.signature = {}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
}

// -----

// With tiles it does.
// CHECK: llvm.mlir.global internal constant @amp_function_step()
// CHECK: llvm.mlir.constant(3077 : i64)
// CHECK: llvm.mlir.global external constant @ampProgram()
// CHECK: llvm.mlir.constant(3077 : i64)
module attributes {amp.cpu = {cpu = "sapphirerapids", features = 1029 : i64, tile_features = 2048 : i64, versions = 0 : i64}} {
  llvm.func internal @step(%run: i64) -> i32 attributes {amp.signature = {kind = "train_step", arguments = [], results = []}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
  llvm.func @_mlir_ciface_step(%run: i64) -> i32 attributes {amp.signature = {}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
  llvm.func internal @tiles() {
    %rows = llvm.mlir.constant(16 : i16) : i16
    %zero = llvm.call_intrinsic "llvm.x86.tilezero.internal"(%rows, %rows) : (i16, i16) -> !llvm.x86_amx
    llvm.return
  }
}

// -----

// Of a result the number of the argument that it overwrites, from 1 on; of an argument 0.
// CHECK: llvm.mlir.global internal constant @[[OLD:amp_value_[0-9]+]]()
// CHECK: llvm.mlir.constant(0 : i64)
// CHECK: llvm.mlir.global internal constant @amp_arguments_update()
// CHECK: llvm.mlir.global internal constant @[[NEW:amp_value_[0-9]+]]()
// CHECK: llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT: llvm.insertvalue
// CHECK-NEXT: llvm.return
// CHECK: llvm.mlir.global internal constant @amp_results_update()
module {
  llvm.func internal @update(%run: i64, %w: !llvm.ptr) -> i32
      attributes {amp.signature = {kind = "other",
        arguments = [{type = tensor<4xf32>, role = "param", name = "w"}],
        results = [{type = tensor<4xf32>, role = "param", name = "w", overwrites = 0 : i64}]}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
  llvm.func @_mlir_ciface_update(%run: i64, %w: !llvm.ptr, %new: !llvm.ptr) -> i32
      attributes {amp.signature = {}} {
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.return %0 : i32
  }
}
