//===- BatchedKernel.cpp - Several launches of a kernel as one ------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel is copied as it is. Its launches lie behind one another in the
// grid, each with as many blocks as have work, and a block has the number
// that it would have in its own launch. So it runs what it would run there,
// and no block has work of two launches, whose shared memory would meet. The
// addresses are a table among the parameters, a row for each launch.
//
// The naive version would let a smaller grid walk over all blocks: a kernel
// waits only where it uses its own shared memory again.
//
//===----------------------------------------------------------------------===//

#include "amp/Kernels/BatchedKernel.h"

#include "Device/KernelSignature.h"
#include "Device/Sm80Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t kPointerBytes = 8;

static DictionaryAttr getLaunch(LLVM::LLVMFuncOp kernel) {
  return kernel->getAttrOfType<DictionaryAttr>("amp.launch");
}

static auto getArguments(DictionaryAttr launch) {
  return launch.getAs<ArrayAttr>("arguments").getAsRange<DictionaryAttr>();
}

static int64_t getAlongX(DictionaryAttr launch, StringRef name) {
  return launch.getAs<DenseI64ArrayAttr>(name)[0];
}

static bool isAlongX(DictionaryAttr launch, StringRef name) {
  return llvm::all_of(
      launch.getAs<DenseI64ArrayAttr>(name).asArrayRef().drop_front(),
      [](int64_t extent) { return extent == 1; });
}

static int64_t getNumber(DictionaryAttr launch, StringRef name) {
  return launch.getAs<IntegerAttr>(name).getInt();
}

std::optional<BatchedKernel> BatchedKernel::match(gpu::GPUModuleOp module,
                                                  std::string &reason) {
  auto refuse = [&](const Twine &text) {
    reason = text.str();
    return std::nullopt;
  };
  auto kernels = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  if (kernels.size() != 1 || !kernels[0].getBody().hasOneBlock())
    return refuse("expected one kernel without branches, but got others");
  DictionaryAttr launch = getLaunch(kernels[0]);
  for (DictionaryAttr argument : getArguments(launch)) {
    // What a launcher has to do before says an entry of its own.
    StringRef kind = argument.getAs<StringAttr>("kind").getValue();
    if (kind != "buffer" || argument.size() != 4)
      return refuse(llvm::formatv(
          "expected arguments that are memory alone, but got '{0}'",
          argument.getAs<StringAttr>("name").getValue()));
  }
  if (getAlongX(launch, "cluster") != 1 || !isAlongX(launch, "cluster") ||
      !isAlongX(launch, "grid") || !isAlongX(launch, "block") ||
      !sm80::readsBlockIdsAlone(kernels[0]))
    return refuse("expected blocks that know of each other by their number "
                  "alone, but got others");
  return BatchedKernel(module);
}

int64_t BatchedKernel::getMostLaunches(int64_t bytes) const {
  LLVM::LLVMFuncOp kernel =
      *gpu::GPUModuleOp(module).getOps<LLVM::LLVMFuncOp>().begin();
  return bytes / kPointerBytes / std::max(1u, kernel.getNumArguments());
}

std::string BatchedKernel::getName(StringRef name, int64_t launch) {
  return llvm::formatv("{0}_{1}", name, launch).str();
}

gpu::GPUModuleOp BatchedKernel::emit(OpBuilder &builder, StringRef name,
                                     int64_t launches) const {
  gpu::GPUModuleOp original = module;
  LLVM::LLVMFuncOp kernel = *original.getOps<LLVM::LLVMFuncOp>().begin();
  DictionaryAttr launch = getLaunch(kernel);
  const int64_t blocks = getAlongX(launch, "grid"),
                arguments = kernel.getNumArguments();
  auto batch = gpu::GPUModuleOp::create(builder, kernel.getLoc(), name);
  DeviceBuilder b(kernel.getLoc(), builder);
  b.setInsertionPointToStart(batch.getBody());
  for (auto memory : original.getOps<LLVM::GlobalOp>())
    b.clone(*memory);
  SmallVector<KernelSignature::TableEntry> entries;
  for (int64_t i = 0; i < launches; ++i)
    for (DictionaryAttr argument : getArguments(launch))
      entries.push_back(
          {getName(argument.getAs<StringAttr>("name").getValue(), i),
           argument.getAs<TypeAttr>("type").getValue(),
           getNumber(argument, "elements"), /*isConditional=*/false});
  KernelSignature signature(b);
  signature.addTable("launches", entries);
  auto minBlocks = kernel->getAttrOfType<IntegerAttr>("nvvm.minctasm");
  auto func = signature.createKernel(name, {{launches * blocks},
                                            getAlongX(launch, "block"),
                                            minBlocks ? minBlocks.getInt() : 1,
                                            /*cluster=*/1,
                                            getNumber(launch, "shared_memory"),
                                            /*order=*/0});
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Number block = sm80::blockId(b), row = block / blocks * arguments;
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(kernel.getArguments())) {
    Value place = b.element(entry->getArgument(0), b.pointer(1), b.number(0),
                            b.number(0), row + i);
    mapping.map(argument, b.load(b.pointer(1), place, kPointerBytes));
  }
  Number own = block % blocks, count = b.number(blocks);
  SmallVector<Operation *> copies;
  for (Operation &op : kernel.getBody().front())
    copies.push_back(b.clone(op, mapping));
  for (Operation *copy : copies)
    sm80::replaceBlockIds(copy, own, count);
  numberLaunches(batch);
  return batch;
}
