//===- KernelFolder.cpp - Kernels as files with an index ------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFolder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace json = llvm::json;
using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Attributes as JSON
//===----------------------------------------------------------------------===//

static json::Value toJson(Attribute attribute) {
  return TypeSwitch<Attribute, json::Value>(attribute)
      .Case([](DictionaryAttr dictionary) {
        json::Object object;
        for (NamedAttribute member : dictionary)
          object[member.getName().getValue()] = toJson(member.getValue());
        return object;
      })
      .Case([](ArrayAttr array) {
        json::Array values;
        for (Attribute value : array)
          values.push_back(toJson(value));
        return values;
      })
      .Case<DenseI64ArrayAttr>([](DenseI64ArrayAttr array) {
        return json::Array(array.asArrayRef());
      })
      .Case([](IntegerAttr number) { return number.getInt(); })
      .Case([](StringAttr text) { return text.getValue(); })
      .Default([](Attribute other) {
        std::string text;
        llvm::raw_string_ostream os(text);
        other.print(os, /*elideType=*/true);
        return text;
      });
}

/// The launches of a module's kernels in their order.
static json::Array describeLaunches(DictionaryAttr launches) {
  SmallVector<std::pair<int64_t, NamedAttribute>> ordered;
  for (NamedAttribute kernel : launches) {
    IntegerAttr order;
    if (auto launch = dyn_cast<DictionaryAttr>(kernel.getValue()))
      order = launch.getAs<IntegerAttr>("order");
    ordered.push_back({order ? order.getInt() : 0, kernel});
  }
  llvm::sort(ordered, llvm::less_first());
  json::Array result;
  for (auto &[order, kernel] : ordered) {
    json::Value launch = toJson(kernel.getValue());
    if (json::Object *object = launch.getAsObject()) {
      object->erase("order");
      (*object)["kernel"] = kernel.getName().getValue();
    }
    result.push_back(std::move(launch));
  }
  return result;
}

LogicalResult KernelFolder::addKernels(Operation *op, StringRef name,
                                       Attribute problem,
                                       DictionaryAttr launches, Image image) {
  auto described = dyn_cast_or_null<DictionaryAttr>(problem);
  auto family =
      described ? described.getAs<StringAttr>("family") : StringAttr();
  if (!launches || !family)
    return op->emitError("expected kernels with 'amp.launch' and a module with "
                         "'amp.problem', but '")
           << name << "' lacks "
           << (launches ? "'amp.problem'" : "'amp.launch'")
           << "; generate it with --amp-generate-gemm, and record both with "
              "--amp-record-launches before it is compiled";
  if (family != "gemm" && family != "convolution")
    return op->emitError("expected a product of matrices in order, or a "
                         "convolution, but '")
           << name << "' is of the family '" << family.getValue()
           << "', which amp-kernel-bench cannot check";
  json::Value value = toJson(described);
  json::Object &members = *value.getAsObject();
  json::Object entry{{"name", name},
                     {"image", image.name},
                     {"family", family.getValue()},
                     {"launches", describeLaunches(launches)}};
  members.erase("family");
  for (StringRef key : {"tile", "epilogue"})
    if (json::Value *member = members.get(key)) {
      entry[key] = std::move(*member);
      members.erase(key);
    }
  if (entry.getString("epilogue"))
    return op->emitError("expected an epilogue of additions, multiplications "
                         "and relu, but that of '")
           << name << "' is another, which amp-kernel-bench cannot check";
  entry["problem"] = std::move(value);
  entries.push_back(std::move(entry));
  images.push_back(std::move(image));
  return success();
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// The module's text, if only the emulator's dialects are left in it.
static FailureOr<std::string> printModule(gpu::GPUModuleOp module) {
  Operation *other = nullptr;
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (!other && dialect != "llvm" && dialect != "nvvm" && dialect != "gpu")
      other = op;
  });
  if (other)
    return other->emitError("expected kernels in the LLVM and NVVM dialects, "
                            "but got '")
           << other->getName() << "'; run --amp-kernels-to-nvvm first";
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().useLocalScope());
  os << "\n";
  return text;
}

/// Ending and bytes of the first object in a form that drivers load.
static FailureOr<std::pair<StringRef, std::string>>
findObject(gpu::BinaryOp binary) {
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    StringRef bytes = object.getObject().getValue();
    switch (object.getFormat()) {
    case gpu::CompilationTarget::Binary:
      return std::pair<StringRef, std::string>(".cubin", bytes);
    case gpu::CompilationTarget::Fatbin:
      return std::pair<StringRef, std::string>(".fatbin", bytes);
    case gpu::CompilationTarget::Assembly:
      return std::pair<StringRef, std::string>(".ptx", bytes.rtrim('\0'));
    default:
      break;
    }
  }
  return binary.emitError("expected a cubin, a fatbin or PTX in '")
         << binary.getName()
         << "', but got another form; compile it with --amp-kernels-to-cubin "
            "and format=bin or format=isa";
}

//===----------------------------------------------------------------------===//
// KernelFolder
//===----------------------------------------------------------------------===//

static DictionaryAttr getRecorded(ModuleOp module, StringRef attribute,
                                  StringRef name) {
  auto all = module->getAttrOfType<DictionaryAttr>(attribute);
  return all ? all.getAs<DictionaryAttr>(name) : nullptr;
}

LogicalResult KernelFolder::add(ModuleOp module) {
  for (auto binary : module.getOps<gpu::BinaryOp>()) {
    auto object = findObject(binary);
    StringRef name = binary.getName();
    if (failed(object) ||
        failed(addKernels(
            binary, name, getRecorded(module, "amp.problems", name),
            getRecorded(module, "amp.launches", name),
            {name.str() + object->first.str(), std::move(object->second)})))
      return failure();
  }
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    FailureOr<std::string> text = printModule(kernels);
    if (failed(text))
      return failure();
    NamedAttrList launches;
    for (auto func : kernels.getOps<LLVM::LLVMFuncOp>())
      if (Attribute launch = func->getAttr("amp.launch"))
        launches.set(func.getName(), launch);
    StringRef name = kernels.getName();
    DictionaryAttr all = launches.getDictionary(module.getContext());
    if (failed(addKernels(kernels, name, kernels->getAttr("amp.problem"),
                          all.empty() ? nullptr : all,
                          {name.str() + ".mlir", std::move(*text)})))
      return failure();
  }
  if (entries.empty())
    return module.emitError("expected a module with a gpu.module or a "
                            "gpu.binary, but got none; generate kernels with "
                            "--amp-generate-gemm");
  return success();
}

static llvm::Error writeFile(StringRef folder, StringRef name,
                             StringRef bytes) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (!code) {
    file << bytes;
    file.flush();
    code = file.error();
    file.clear_error();
  }
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError("cannot write '" + path.str() +
                                 "': " + code.message());
}

llvm::Error KernelFolder::write() {
  if (std::error_code code = llvm::sys::fs::create_directories(path))
    return llvm::createStringError("cannot make the folder '" + path +
                                   "': " + code.message());
  for (const Image &image : images)
    if (llvm::Error error = writeFile(path, image.name, image.bytes))
      return error;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"version\": 1, \"kernels\": [";
  for (const json::Value &entry : entries)
    os << (&entry == &entries.front() ? "\n" : ",\n") << entry;
  os << "\n]}\n";
  return writeFile(path, "index.json", text);
}
