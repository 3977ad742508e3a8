// RUN: amp-opt %s --amp-record-launches | FileCheck %s

// Kernels by module; a function that is none, and a module without any, leave nothing.
// CHECK: module attributes {amp.launches = {one = {first = {order = 0 : i64}, second = {order = 1 : i64}}}, amp.problems = {one = {family = "gemm"}}}
gpu.module @one attributes {amp.problem = {family = "gemm"}} {
  llvm.func @first() attributes {amp.launch = {order = 0 : i64}} {
    llvm.return
  }
  llvm.func @helper() {
    llvm.return
  }
  llvm.func @second() attributes {amp.launch = {order = 1 : i64}} {
    llvm.return
  }
}
gpu.module @none {
}
