//===- ConstantWriter.h - Structs of C as constants of a module -*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants with the layout of C structs, added to a module from the inside
// out: each call gives the symbol that an outer struct has the address of.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_PROGRAM_CONSTANTWRITER_H
#define AMP_LIB_PROGRAM_CONSTANTWRITER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

/// A member of a struct: an i32, an i64, an f64, or the address of a symbol
/// (null for an empty one).
struct Field {
  enum Kind { I32, I64, F64, Address } kind;
  int64_t integer = 0;
  double number = 0;
  std::string symbol;

  static Field i32(int64_t value) { return {I32, value, 0, {}}; }
  static Field i64(int64_t value) { return {I64, value, 0, {}}; }
  static Field f64(double value) { return {F64, 0, value, {}}; }
  static Field address(StringRef symbol) {
    return {Address, 0, 0, symbol.str()};
  }
};

class ConstantWriter {
public:
  explicit ConstantWriter(ModuleOp module)
      : module(module), builder(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  /// A constant with the C layout of `fields`. Returns its symbol.
  std::string addStruct(StringRef name, ArrayRef<Field> fields,
                        bool isVisible = false);
  /// A text that ends with 0; equal ones are there once.
  std::string addText(StringRef text);
  /// Bytes without an end, aligned for what reads images.
  std::string addBytes(StringRef name, StringRef bytes);
  /// An array of int64_t, "" for an empty one.
  std::string addIntegers(ArrayRef<int64_t> values);
  /// An array of addresses, "" for an empty one.
  std::string addPointers(StringRef name, ArrayRef<std::string> symbols);
  /// A name that no constant has.
  std::string makeName(StringRef prefix) {
    return (prefix + "_" + Twine(numbered++)).str();
  }

protected:
  ModuleOp module;
  OpBuilder builder;
  Type pointer;

private:
  llvm::StringMap<std::string> texts;
  unsigned numbered = 0;
};

} // namespace mlir::amp

#endif // AMP_LIB_PROGRAM_CONSTANTWRITER_H
