// RUN: amp-opt %s --split-input-file --verify-diagnostics --amp-describe-program

// expected-error@+1 {{expected 'amp.cpu' to be {cpu = "NAME", features = N : i64, tile_features = N : i64, versions = N : i64}, with at most 64 versions, but got 5 : i64; leave it to amp-compile}}
module attributes {amp.cpu = 5 : i64} {
}

// -----

// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", versions = 0 : i64}; leave it to amp-compile}}
module attributes {amp.cpu = {cpu = "znver4", versions = 0 : i64}} {
}

// -----

// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", features = 0 : i64, tile_features = 0 : i64, versions = 65 : i64}; leave it to amp-compile}}
module attributes {amp.cpu = {cpu = "znver4", features = 0 : i64, tile_features = 0 : i64, versions = 65 : i64}} {
}

// -----

// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", features = 0 : i64, tile_features = 0 : i64, versions = -1 : i64}; leave it to amp-compile}}
module attributes {amp.cpu = {cpu = "znver4", features = 0 : i64, tile_features = 0 : i64, versions = -1 : i64}} {
}

// -----

// One member is missing, one is no i64.
// expected-error@+1 {{with at most 64 versions, but got {cpu = "znver4", features = 0 : i64, tile_features = 0 : i32, versions = 0 : i64}}}
module attributes {amp.cpu = {cpu = "znver4", features = 0 : i64, tile_features = 0 : i32, versions = 0 : i64}} {
}

// -----

// Near miss: as many versions as there may be.
module attributes {amp.cpu = {cpu = "x86-64", features = -1 : i64, tile_features = 0 : i64, versions = 64 : i64}} {
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

// A signature that lacks the type of a result. Near miss: describe-program.mlir.
// expected-error@+1 {{expected 'amp.signature' to have a kind, and the types of all arguments and results, but got {arguments = [], kind = "train_step", results = [{role = "loss"}]}; leave it to amp-mark-entry-points}}
llvm.func @step(%run: i64) -> i32 attributes {amp.signature = {kind = "train_step", arguments = [], results = [{role = "loss"}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @_mlir_ciface_step(%run: i64) -> i32 attributes {amp.signature = {}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error@+1 {{to have a kind, and the types of all arguments and results, but got {kind = "train_step"}}}
llvm.func @step(%run: i64) -> i32 attributes {amp.signature = {kind = "train_step"}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @_mlir_ciface_step(%run: i64) -> i32 attributes {amp.signature = {}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
