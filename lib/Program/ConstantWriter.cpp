//===- ConstantWriter.cpp - Structs of C as constants of a module ---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct is one global of a literal struct type, whose initializer inserts
// the members one by one.
//
//===----------------------------------------------------------------------===//

#include "ConstantWriter.h"

using namespace mlir;
using namespace mlir::amp;

std::string ConstantWriter::addStruct(StringRef name, ArrayRef<Field> fields,
                                      bool isVisible) {
  Location loc = module.getLoc();
  SmallVector<Type> types;
  for (const Field &field : fields)
    types.push_back(field.kind == Field::I32   ? builder.getI32Type()
                    : field.kind == Field::I64 ? builder.getI64Type()
                    : field.kind == Field::F64 ? Type(builder.getF64Type())
                                               : pointer);
  auto type = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  builder.setInsertionPointToEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       isVisible ? LLVM::Linkage::External
                                                 : LLVM::Linkage::Internal,
                                       name, Attribute());
  builder.createBlock(&global.getInitializer());
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, field] : llvm::enumerate(fields)) {
    Value member;
    if (field.kind == Field::Address && field.symbol.empty())
      member = LLVM::ZeroOp::create(builder, loc, pointer);
    else if (field.kind == Field::Address)
      member = LLVM::AddressOfOp::create(builder, loc, pointer, field.symbol);
    else if (field.kind == Field::F64)
      member = LLVM::ConstantOp::create(builder, loc, types[index],
                                        builder.getF64FloatAttr(field.number));
    else
      member = LLVM::ConstantOp::create(
          builder, loc, types[index],
          builder.getIntegerAttr(types[index], field.integer));
    value = LLVM::InsertValueOp::create(builder, loc, value, member,
                                        ArrayRef<int64_t>(index));
  }
  LLVM::ReturnOp::create(builder, loc, value);
  return name.str();
}

std::string ConstantWriter::addText(StringRef text) {
  std::string &symbol = texts[text];
  if (!symbol.empty())
    return symbol;
  symbol = "amp_text_" + std::to_string(texts.size() - 1);
  std::string bytes = text.str();
  bytes.push_back('\0');
  builder.setInsertionPointToEnd(module.getBody());
  LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
      builder.getStringAttr(bytes));
  return symbol;
}

std::string ConstantWriter::addBytes(StringRef name, StringRef bytes) {
  constexpr unsigned kAlignment = 64;
  builder.setInsertionPointToEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name,
      builder.getStringAttr(bytes));
  global.setAlignment(kAlignment);
  return name.str();
}

std::string ConstantWriter::addIntegers(ArrayRef<int64_t> values) {
  if (values.empty())
    return "";
  SmallVector<Field> fields;
  for (int64_t value : values)
    fields.push_back(Field::i64(value));
  return addStruct(makeName("amp_extents"), fields);
}

std::string ConstantWriter::addPointers(StringRef name,
                                        ArrayRef<std::string> symbols) {
  if (symbols.empty())
    return "";
  SmallVector<Field> fields;
  for (const std::string &symbol : symbols)
    fields.push_back(Field::address(symbol));
  return addStruct(name, fields);
}
