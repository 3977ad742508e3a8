// What printf and assert of a kernel read: formats, texts and the block of arguments, by
// the rules of any access. A text may lie in constant, global, shared or local memory; one
// that leaves it, that nobody wrote, or that has no end is reported at the call, as is a
// conversion that the device's printf does not have.
// REQUIRES: amp-emu
// RUN: %python -B %S/Inputs/verify_findings.py %s
gpu.module @m {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
  llvm.mlir.global internal constant @text("<%s>\0A\00")
  llvm.mlir.global internal constant @cut("<%.3s>\0A\00")
  llvm.mlir.global internal constant @wide("<%6s|%-6s|%5.1f|%x|%c|%lld|%%>\0A\00")
  llvm.mlir.global internal constant @count("%n\00")
  llvm.mlir.global internal constant @star("%*d\00")
  llvm.mlir.global internal constant @broad("%99999d\00")
  llvm.mlir.global internal constant @two("%d and %d\0A\00")
  llvm.mlir.global internal constant @word("word\00")
  llvm.mlir.global internal constant @endless("word")
  llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>

  llvm.func @constant() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: <word>
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %w = llvm.mlir.addressof @word : !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  // options: --arg=T=i8:5:65
  llvm.func @global(%t: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: <AAAA>
    %c0 = llvm.mlir.constant(0 : i8) : i8
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %end = llvm.getelementptr %t[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    llvm.store %c0, %end : i8, !llvm.ptr<1>
    %w = llvm.addrspacecast %t : !llvm.ptr<1> to !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @shared() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: <AB>
    %ab = llvm.mlir.constant(16961 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %t = llvm.mlir.addressof @s : !llvm.ptr<3>
    llvm.store %ab, %t : i32, !llvm.ptr<3>
    %w = llvm.addrspacecast %t : !llvm.ptr<3> to !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @precision() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: <wor>
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @cut : !llvm.ptr
    %w = llvm.mlir.addressof @endless : !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @conversions() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    // clean
    // prints: <  word|word  |  2.5|ffffffff|A|-1|%>
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %A = llvm.mlir.constant(65 : i32) : i32
    %m1 = llvm.mlir.constant(-1 : i32) : i32
    %l1 = llvm.mlir.constant(-1 : i64) : i64
    %half = llvm.mlir.constant(2.5 : f64) : f64
    %f = llvm.mlir.addressof @wide : !llvm.ptr
    %w = llvm.mlir.addressof @word : !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.struct<(ptr, ptr, f64, i32, i32, i64)> : (i32) -> !llvm.ptr
    %a1 = llvm.getelementptr %a[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %a2 = llvm.getelementptr %a[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %a3 = llvm.getelementptr %a[24] : (!llvm.ptr) -> !llvm.ptr, i8
    %a4 = llvm.getelementptr %a[28] : (!llvm.ptr) -> !llvm.ptr, i8
    %a5 = llvm.getelementptr %a[32] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    llvm.store %w, %a1 : !llvm.ptr, !llvm.ptr
    llvm.store %half, %a2 : f64, !llvm.ptr
    llvm.store %m1, %a3 : i32, !llvm.ptr
    llvm.store %A, %a4 : i32, !llvm.ptr
    llvm.store %l1, %a5 : i64, !llvm.ptr
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }

  llvm.func @no_zero() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %w = llvm.mlir.addressof @endless : !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    // error+1: access outside of global memory: byte 4 of 'endless' with 4
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @nowhere() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %w = llvm.mlir.constant(4096 : i64) : i64
    %a = llvm.alloca %c1 x i64 : (i32) -> !llvm.ptr
    llvm.store %w, %a : i64, !llvm.ptr
    // error+1: access outside of global memory
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @unwritten() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %t = llvm.mlir.addressof @s : !llvm.ptr<3>
    %w = llvm.addrspacecast %t : !llvm.ptr<3> to !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    // error+1: read of uninitialised shared memory
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  // options: --arg=T=i8:70000:65
  llvm.func @no_end(%t: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @text : !llvm.ptr
    %w = llvm.addrspacecast %t : !llvm.ptr<1> to !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %w, %a : !llvm.ptr, !llvm.ptr
    // error+1: expected a text of printf to end within 65536 bytes
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @format_nowhere() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %none = llvm.mlir.zero : !llvm.ptr
    // error+1: access outside of global memory
    %r = llvm.call @vprintf(%none, %none) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  // options: --arg=T=i8:70000:65
  llvm.func @format_no_end(%t: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %f = llvm.addrspacecast %t : !llvm.ptr<1> to !llvm.ptr
    %none = llvm.mlir.zero : !llvm.ptr
    // error+1: expected the format of printf to end within 65536 bytes
    %r = llvm.call @vprintf(%f, %none) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @too_few_arguments() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @two : !llvm.ptr
    // note+1: the variable is here
    %a = llvm.alloca %c1 x i32 : (i32) -> !llvm.ptr
    llvm.store %c1, %a : i32, !llvm.ptr
    // error+1: access outside of local memory: 4 bytes at 4 of 4
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @counting() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @count : !llvm.ptr
    %a = llvm.alloca %c1 x !llvm.ptr : (i32) -> !llvm.ptr
    llvm.store %f, %a : !llvm.ptr, !llvm.ptr
    // error+1: expected a conversion that printf has on the device, but got '%n'
    %r = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @star_width() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %none = llvm.mlir.zero : !llvm.ptr
    %f = llvm.mlir.addressof @star : !llvm.ptr
    // error+1: expected a conversion that printf has on the device, but got '%*'
    %r = llvm.call @vprintf(%f, %none) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @broad_width() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %none = llvm.mlir.zero : !llvm.ptr
    %f = llvm.mlir.addressof @broad : !llvm.ptr
    // error+1: expected a conversion that printf has on the device, but got '%99999d'
    %r = llvm.call @vprintf(%f, %none) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
  llvm.func @assert_nowhere() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %none = llvm.mlir.zero : !llvm.ptr
    %w = llvm.mlir.addressof @word : !llvm.ptr
    %line = llvm.mlir.constant(7 : i32) : i32
    %size = llvm.mlir.constant(1 : i64) : i64
    // error+1: access outside of global memory
    llvm.call @__assertfail(%w, %none, %line, %w, %size) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
    llvm.return
  }
  // options: --arg=T=i8:70000:65
  llvm.func @assert_no_end(%t: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
    %f = llvm.addrspacecast %t : !llvm.ptr<1> to !llvm.ptr
    %w = llvm.mlir.addressof @word : !llvm.ptr
    %line = llvm.mlir.constant(7 : i32) : i32
    %size = llvm.mlir.constant(1 : i64) : i64
    // error+1: expected a text of an assertion to end within 65536 bytes
    llvm.call @__assertfail(%w, %w, %line, %f, %size) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
    llvm.return
  }
}
