//===- AmpKernelOps.cpp - Text and verification of kernel launches --------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is checked against the `amp.launch` attributes of its kernels. They
// are read as attributes alone, so that the dialect depends on no other one
// that has kernels. Rule numbers are those of the operation's description.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/Amp/IR/AmpDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kLaunchAttr = "amp.launch";
static constexpr StringLiteral kLaunchesAttr = "amp.launches";

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `@kernels ins(name = %value, ...) outs(name = %value, ...) : type`, the
/// type that of a function from the operands to the results.
ParseResult LaunchKernelsOp::parse(OpAsmParser &parser,
                                   OperationState &result) {
  Builder &builder = parser.getBuilder();
  FlatSymbolRefAttr kernels;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Attribute> names;
  auto parseList = [&](StringRef keyword) -> ParseResult {
    if (parser.parseKeyword(keyword))
      return failure();
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Paren, [&]() -> ParseResult {
          std::string name;
          if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
              parser.parseOperand(operands.emplace_back()))
            return failure();
          names.push_back(builder.getStringAttr(name));
          return success();
        });
  };
  if (parser.parseAttribute(kernels) || parseList("ins"))
    return failure();
  int32_t numInputs = operands.size();
  SMLoc loc = parser.getCurrentLocation();
  FunctionType type;
  if (parseList("outs") || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.kernels = kernels;
  properties.names = builder.getArrayAttr(names);
  properties.operandSegmentSizes = {numInputs,
                                    int32_t(operands.size()) - numInputs};
  return success();
}

void LaunchKernelsOp::print(OpAsmPrinter &printer) {
  printer << " " << getKernelsAttr();
  unsigned index = 0;
  auto printList = [&](StringRef keyword, OperandRange operands) {
    printer << " " << keyword << "(";
    llvm::interleaveComma(operands, printer, [&](Value operand) {
      printer.printKeywordOrString(getOperandName(index++));
      printer << " = " << operand;
    });
    printer << ")";
  };
  printList("ins", getInputs());
  printList("outs", getOutputs());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getKernelsAttrName(), getNamesAttrName(),
                                 getOperandSegmentSizesAttrName()});
  printer << " : ";
  printer.printFunctionalType(getOperandTypes(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// LaunchKernelsOp
//===----------------------------------------------------------------------===//

void LaunchKernelsOp::build(OpBuilder &builder, OperationState &state,
                            StringRef kernels, ArrayRef<StringRef> names,
                            ValueRange inputs, ValueRange outputs,
                            ArrayRef<StringRef> partial) {
  SmallVector<Type> results;
  for (Type type : outputs.getTypes())
    if (isa<RankedTensorType>(type))
      results.push_back(type);
  build(builder, state, results, kernels, builder.getStrArrayAttr(names),
        inputs, outputs,
        partial.empty() ? ArrayAttr() : builder.getStrArrayAttr(partial));
}

StringRef LaunchKernelsOp::getOperandName(unsigned index) {
  return cast<StringAttr>(getNames()[index]).getValue();
}

bool LaunchKernelsOp::reads(OpOperand &operand) {
  if (isDpsInput(&operand))
    return true;
  StringRef name = getOperandName(operand.getOperandNumber());
  return getPartial() &&
         llvm::is_contained(getPartial()->getAsValueRange<StringAttr>(), name);
}

void LaunchKernelsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input,
                           SideEffects::DefaultResource::get());
  for (OpOperand &output : getOutputsMutable())
    if (isa<MemRefType>(output.get().getType())) {
      if (reads(output))
        effects.emplace_back(MemoryEffects::Read::get(), &output,
                             SideEffects::DefaultResource::get());
      effects.emplace_back(MemoryEffects::Write::get(), &output,
                           SideEffects::DefaultResource::get());
    }
}

/// True for a buffer whose elements follow one another from its offset on.
static bool isContiguous(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) != 1 && strides[dim] != expected)
      return false;
    expected *= type.getDimSize(dim);
  }
  return true;
}

LogicalResult LaunchKernelsOp::verify() {
  bool onTensors = llvm::all_of(
      getOperandTypes(), [](Type type) { return isa<TensorType>(type); });
  for (auto [index, type] : llvm::enumerate(getOperandTypes())) {
    auto shaped = cast<ShapedType>(type);
    if (!onTensors && !isa<MemRefType>(type))
      return emitOpError()
             << "expected tensors alone or buffers alone, but got " << type
             << " beside a buffer"; // Rule 1
    if (!shaped.hasStaticShape())
      return emitOpError() << "expected operand " << index
                           << " to have a static shape, but got "
                           << type; // Rule 1
    auto buffer = dyn_cast<MemRefType>(type);
    if (buffer && (!buffer.isStrided() || !isContiguous(buffer)))
      return emitOpError() << "expected the elements of operand " << index
                           << " to follow one another, but got " << type
                           << "; copy it first"; // Rule 1
  }
  if (getNames().size() != getNumOperands())
    return emitOpError() << "expected a name for each of " << getNumOperands()
                         << " operands, but got " << getNames().size()
                         << " names"; // Rule 2
  llvm::StringSet<> seen;
  for (unsigned i = 0; i < getNumOperands(); ++i)
    if (!seen.insert(getOperandName(i)).second)
      return emitOpError() << "expected one operand for each name, but got '"
                           << getOperandName(i) << "' twice"; // Rule 2
  llvm::StringSet<> outputs;
  for (OpOperand &output : getOutputsMutable())
    outputs.insert(getOperandName(output.getOperandNumber()));
  if (getPartial())
    for (StringRef name : getPartial()->getAsValueRange<StringAttr>())
      if (!outputs.erase(name))
        return emitOpError()
               << "expected 'partial' to name one of outs, but got '" << name
               << "'"; // Rule 7
  return success();
}

/// The launches of all kernels of `module`, compiled or not.
static SmallVector<DictionaryAttr> findLaunches(Operation *module) {
  SmallVector<DictionaryAttr> launches;
  auto add = [&](Attribute attribute) {
    if (auto launch = dyn_cast_or_null<DictionaryAttr>(attribute))
      launches.push_back(launch);
  };
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps())
      add(op.getAttr(kLaunchAttr));
  if (!launches.empty())
    return launches;
  auto recorded =
      module->getParentOp()->getAttrOfType<DictionaryAttr>(kLaunchesAttr);
  StringAttr name = SymbolTable::getSymbolName(module);
  if (auto kernels =
          recorded ? recorded.getAs<DictionaryAttr>(name) : DictionaryAttr())
    for (NamedAttribute kernel : kernels)
      add(kernel.getValue());
  return launches;
}

/// Bytes of the memory that an argument of a kernel points to, or nothing if it
/// is a number.
static std::optional<int64_t> getArgumentBytes(DictionaryAttr argument) {
  auto type = argument.getAs<TypeAttr>("type");
  if (!type || !type.getValue().isIntOrFloat())
    return std::nullopt;
  int64_t element =
      llvm::divideCeil(type.getValue().getIntOrFloatBitWidth(), 8);
  if (auto elements = argument.getAs<IntegerAttr>("elements"))
    return element * elements.getInt();
  auto shape = argument.getAs<DenseI64ArrayAttr>("shape");
  auto strides = argument.getAs<DenseI64ArrayAttr>("strides");
  if (!shape || shape.empty())
    return std::nullopt;
  if (!strides || strides.empty())
    return element * shape[0];
  return strides.asArrayRef().back() * shape.asArrayRef().back();
}

SmallVector<std::pair<StringRef, int64_t>>
mlir::amp::getKernelMemory(Operation *module) {
  llvm::MapVector<StringRef, int64_t> memory;
  auto add = [&](ArrayAttr arguments) {
    for (auto argument : arguments.getAsRange<DictionaryAttr>())
      if (auto name = argument.getAs<StringAttr>("name"))
        if (std::optional<int64_t> bytes = getArgumentBytes(argument))
          memory.insert({name.getValue(), *bytes});
  };
  for (DictionaryAttr launch : findLaunches(module))
    if (auto arguments = launch.getAs<ArrayAttr>("arguments")) {
      add(arguments);
      for (auto argument : arguments.getAsRange<DictionaryAttr>())
        if (auto entries = argument.getAs<ArrayAttr>("entries"))
          add(entries);
    }
  return memory.takeVector();
}

llvm::StringMap<int64_t> mlir::amp::getAccessedBytes(Operation *module) {
  llvm::StringMap<int64_t> accessed;
  for (DictionaryAttr launch : findLaunches(module))
    if (auto arguments = launch.getAs<ArrayAttr>("arguments"))
      for (auto argument : arguments.getAsRange<DictionaryAttr>()) {
        auto some = argument.getAs<IntegerAttr>("accessed");
        auto shape = argument.getAs<DenseI64ArrayAttr>("shape");
        if (!some && !shape)
          continue;
        int64_t count = some ? some.getInt()
                             : ShapedType::getNumElements(shape.asArrayRef());
        Type type = argument.getAs<TypeAttr>("type").getValue();
        int64_t &bytes =
            accessed[argument.getAs<StringAttr>("name").getValue()];
        bytes = std::max<int64_t>(
            bytes, count * llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
      }
  return accessed;
}

SmallVector<StringRef> mlir::amp::getConditionalMemory(Operation *module) {
  SmallVector<StringRef> names;
  for (DictionaryAttr launch : findLaunches(module))
    if (auto arguments = launch.getAs<ArrayAttr>("arguments"))
      for (auto argument : arguments.getAsRange<DictionaryAttr>())
        if (auto entries = argument.getAs<ArrayAttr>("entries"))
          for (auto entry : entries.getAsRange<DictionaryAttr>())
            if (entry.contains("conditional"))
              names.push_back(entry.getAs<StringAttr>("name").getValue());
  return names;
}

/// The name that an entry of a table shares with another argument, or nothing.
static StringAttr findSharedEntry(Operation *module) {
  llvm::SetVector<StringAttr> names, entries;
  StringAttr shared;
  auto addEntry = [&](DictionaryAttr entry) {
    auto name = entry.getAs<StringAttr>("name");
    if (name && !entries.insert(name))
      shared = name;
  };
  for (DictionaryAttr launch : findLaunches(module))
    if (auto arguments = launch.getAs<ArrayAttr>("arguments"))
      for (auto argument : arguments.getAsRange<DictionaryAttr>()) {
        if (auto table = argument.getAs<ArrayAttr>("entries"))
          llvm::for_each(table.getAsRange<DictionaryAttr>(), addEntry);
        else if (auto name = argument.getAs<StringAttr>("name"))
          names.insert(name);
      }
  for (StringAttr name : names)
    if (entries.contains(name))
      shared = name;
  return shared;
}

LogicalResult
LaunchKernelsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *module = symbols.lookupNearestSymbolFrom(*this, getKernelsAttr());
  SmallVector<std::pair<StringRef, int64_t>> wanted;
  if (module)
    wanted = getKernelMemory(module);
  if (wanted.empty())
    return emitOpError() << "expected '" << getKernels()
                         << "' to be a module of kernels that carry '"
                         << kLaunchAttr << "'"; // Rule 3
  if (StringAttr shared = findSharedEntry(module))
    return emitOpError() << "expected a name of its own for each entry of a "
                            "table of the kernels of '"
                         << getKernels() << "', but got '" << shared.getValue()
                         << "' twice"; // Rule 6
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    StringRef name = getOperandName(index);
    auto *argument = llvm::find_if(
        wanted, [&](const auto &entry) { return entry.first == name; });
    if (argument == wanted.end())
      return emitOpError() << "expected the kernels of '" << getKernels()
                           << "' to have an argument '" << name
                           << "'"; // Rule 4
    auto type = cast<ShapedType>(operand.getType());
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    if (bytes != argument->second)
      return emitOpError() << "expected '" << name << "' to have "
                           << argument->second << " bytes, but got " << bytes
                           << " in " << type; // Rule 5
    wanted.erase(argument);
  }
  if (!wanted.empty())
    return emitOpError() << "expected an operand '" << wanted.front().first
                         << "', which the kernels of '" << getKernels()
                         << "' take"; // Rule 4
  return success();
}
