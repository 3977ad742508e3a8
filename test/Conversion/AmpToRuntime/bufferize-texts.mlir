// Texts stand in the order of their names, each once, whichever function is bufferized first.
// RUN: amp-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s
// RUN: amp-opt %s --one-shot-bufferize | FileCheck %s

// CHECK:      llvm.mlir.global internal constant @"amp_text_a row"("a row")
// CHECK-NEXT: llvm.mlir.global internal constant @"amp_text_no column"("no column")
// CHECK-NEXT: llvm.mlir.global internal constant @"amp_text_no row"("no row")
// CHECK-NEXT: llvm.mlir.global internal constant @"amp_text_the row"("the row")
// CHECK-NOT:  amp_text_{{.*}}(
// CHECK:      func.func @first
func.func @first(%v: tensor<i1>) {
  amp.report_violation %v, "no row"
  amp.report_violation %v, "the row"
  return
}
func.func @second(%v: tensor<i1>) {
  amp.report_violation %v, "no column"
  amp.report_violation %v, "no row"
  amp.report_violation %v, "a row"
  return
}
