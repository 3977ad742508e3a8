// What has no kernel with a block for each tile stays as it is; `report` says why. Beside each
// stands what has one: functions named near_*, of which each has a launch.
// RUN: amp-opt %s --split-input-file --verify-diagnostics --convert-fusion-groups-to-kernels=report | FileCheck %s
// RUN: not amp-opt %s --split-input-file --convert-fusion-groups-to-kernels=chip=sm_10 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected 'chip' to be one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, but got 'sm_10'

// CHECK-LABEL: func @unknown_bound
// CHECK:       scf.forall
// CHECK-LABEL: func @near_bound
// CHECK:       amp.launch_kernels
func.func @unknown_bound(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected a loop of known bounds and steps, but got another}}
  %0 = scf.forall (%i) in (%n) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %r[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
func.func @near_bound(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = scf.forall (%i) in (8) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %r[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @without_results() {
  // expected-remark @+1 {{not a kernel: expected a loop with results, but got one without}}
  scf.forall (%i) in (8) {
  }
  return
}

// -----

// CHECK-LABEL: func @without_tiles
// CHECK:       scf.forall
func.func @without_tiles(%x: tensor<1xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected a loop with tiles, but got one without}}
  %0 = scf.forall (%i) = (4) to (4) step (1) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @large_bound
// CHECK:       scf.forall
// CHECK-LABEL: func @near_large
// CHECK:       amp.launch_kernels
func.func @large_bound(%x: tensor<1xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected bounds and steps of 32 bits, but got larger ones}}
  %0 = scf.forall (%i) = (0) to (2147483648) step (2147483647) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[0] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
func.func @near_large(%x: tensor<1xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = scf.forall (%i) = (0) to (2147483647) step (2147483647) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[0] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @many_tiles(%x: tensor<1xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected at most 2^31 - 2^20 tiles, but got more}}
  %0 = scf.forall (%i, %j) in (65536, 32768) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[0] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// Rules of tensors are those of convert-linalg-to-element-kernels (declined.mlir): of results,
func.func @strange_result(%x: tensor<1xi7>) -> tensor<8xi7> {
  %e = tensor.empty() : tensor<8xi7>
  // expected-remark @+1 {{not a kernel: expected tensors of static shape with elements of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got tensor<8xi7>}}
  %0 = scf.forall (%i) in (8) shared_outs(%r = %e) -> (tensor<8xi7>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[%i] [1] [1] : tensor<1xi7> into tensor<8xi7>
    }
  }
  return %0 : tensor<8xi7>
}

// -----

// of operands of operations, of numbers,
func.func @index_number(%n: index) -> tensor<8xi64> {
  %e = tensor.empty() : tensor<8xi64>
  // expected-remark @+1 {{not a kernel: expected numbers of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got one of index}}
  %0 = scf.forall (%i) in (8) shared_outs(%r = %e) -> (tensor<8xi64>) {
    %p = tensor.empty() : tensor<1xi64>
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : tensor<1xi64>) {
    ^bb0(%o: i64):
      %v = arith.index_cast %n : index to i64
      linalg.yield %v : i64
    } -> tensor<1xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[%i] [1] [1] : tensor<1xi64> into tensor<8xi64>
    }
  }
  return %0 : tensor<8xi64>
}

// -----

// and of loops and bodies.
func.func @whole_power(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected operations on numbers that kernels have code for, but got 'math.ipowi'}}
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %whole = arith.fptosi %a : f32 to i32
      %n = arith.index_cast %whole : i32 to index
      %p = math.ipowi %n, %n : index
      %power = arith.index_cast %p : index to i32
      %v = arith.sitofp %power : i32 to f32
      linalg.yield %v : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @quotient(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected indices that are sums of loops, but got quotients}}
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @starts_from_tensor
// CHECK:       scf.forall
func.func @starts_from_tensor(%x: tensor<1xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{not a kernel: expected results that are written whole, but got one that starts from a tensor}}
  %0 = scf.forall (%i) in (8) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @reads_result() -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected results that are only written, but one is read}}
  %0 = scf.forall (%i) in (8) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %r[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %r[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @inserts_result() -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected results that are only written, but one is read}}
  %0:2 = scf.forall (%i) in (1) shared_outs(%r = %e, %q = %e) -> (tensor<8xf32>, tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %r[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func @unknown_stride
// CHECK-LABEL: func @near_stride
// CHECK:       amp.launch_kernels
func.func @unknown_stride(%x: tensor<2xf32>, %n: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected results to be written in slices of known sizes, but got another}}
  %0 = scf.forall (%i) in (4) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[%i] [2] [%n] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
func.func @near_stride(%x: tensor<2xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = scf.forall (%i) in (4) shared_outs(%r = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %r[%i] [2] [4] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// What is inserted is copied: it may be a slice at any offset, but of a known stride.
func.func @unknown_stride_of_slice(%x: tensor<16xf32>, %n: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected slices with strides that are known, but got another}}
  %0 = scf.forall (%i) in (4) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %x[0] [2] [%n] : tensor<16xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %r[%i] [2] [4] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @other_operation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected slices, other shapes, linalg.generic and arithmetic of static sizes, but got 'linalg.exp'}}
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @buffers(%x: memref<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %c = arith.constant dense<0.0> : tensor<8xf32>
  // expected-remark @+1 {{not a kernel: expected operations whose results are tensors, but got one without}}
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<8xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
    ^bb0(%o: f32):
      linalg.yield %o : f32
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %r[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// What a pass reads of two tensors may be more than either.
func.func @many_iterations(%x: tensor<65536xi32>, %y: tensor<32768xi32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  // expected-remark @+1 {{not a kernel: expected operations of less than 2^31 iterations, but got more}}
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<i32>) {
    %z = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%e : tensor<i32>) {
    ^bb0(%o: i32):
      linalg.yield %zero : i32
    } -> tensor<i32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
        ins(%x, %y : tensor<65536xi32>, tensor<32768xi32>) outs(%z : tensor<i32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %m = arith.xori %a, %b : i32
      %s = arith.addi %o, %m : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[] [] [] : tensor<i32> into tensor<i32>
    }
  }
  return %0 : tensor<i32>
}

// -----

// No reason: a sum that starts from elements that are not there yet starts from any number
// (a maximum's body may choose not to look at it).
// CHECK-LABEL: func @starts_from_nothing
// CHECK:       amp.launch_kernels @group_0 ins(in0 = %{{[^,]*}}) outs
func.func @starts_from_nothing(%x: tensor<2x8xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %0 = scf.forall (%i) in (2) shared_outs(%r = %e) -> (tensor<2xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<1x8xf32>
    %start = tensor.extract_slice %e[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%row : tensor<1x8xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %0 : tensor<2xf32>
}

// -----

// Of an empty tensor that is not read, the shape says how large a window is.
// CHECK-LABEL: func @inserts_nothing
// CHECK:       amp.launch_kernels @group_{{[0-9]}} ins() outs
// CHECK-LABEL: func @near_window
// CHECK:       amp.launch_kernels @group_1 ins(in0 = %{{[^,]*}}) outs
func.func @inserts_nothing() -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<2xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %r[0] [2] [1] : tensor<2xf32> into tensor<2xf32>
    }
  }
  return %0 : tensor<2xf32>
}
func.func @near_window(%x: tensor<9xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8xf32>
  %window = tensor.empty() : tensor<2xf32>
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<8xf32>) {
    %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
    ^bb0(%o: f32):
      linalg.yield %least : f32
    } -> tensor<8xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%x, %window : tensor<9xf32>, tensor<2xf32>) outs(%z : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.maximumf %o, %a : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %r[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

// -----

// A tile of 227 KiB; one with 16 bytes less.
// CHECK-LABEL: func @large_tile
// CHECK:       scf.forall
// CHECK-LABEL: func @near_large_tile
// CHECK:       amp.launch_kernels
func.func @large_tile(%x: tensor<58116xf32>) -> tensor<58116xf32> {
  %e = tensor.empty() : tensor<58116xf32>
  // expected-remark @+1 {{not a kernel: expected a tile of 232448 bytes at most, but got one of 232464}}
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<58116xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<58116xf32>) outs(%e : tensor<58116xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<58116xf32>
    %all = tensor.extract_slice %1[0] [58116] [1] : tensor<58116xf32> to tensor<58116xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %all into %r[0] [58116] [1] : tensor<58116xf32> into tensor<58116xf32>
    }
  }
  return %0 : tensor<58116xf32>
}
func.func @near_large_tile(%x: tensor<58112xf32>) -> tensor<58112xf32> {
  %e = tensor.empty() : tensor<58112xf32>
  %0 = scf.forall (%i) in (1) shared_outs(%r = %e) -> (tensor<58112xf32>) {
    %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<58112xf32>) outs(%e : tensor<58112xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<58112xf32>
    %all = tensor.extract_slice %1[0] [58112] [1] : tensor<58112xf32> to tensor<58112xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %all into %r[0] [58112] [1] : tensor<58112xf32> into tensor<58112xf32>
    }
  }
  return %0 : tensor<58112xf32>
}
