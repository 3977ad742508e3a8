//===- ProgramFile.cpp - Programs in shared objects -----------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgramFile.h"

#include "amp-rt/Version.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <dlfcn.h>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using Elf = llvm::object::ELF64LEFile;

static constexpr llvm::StringLiteral kRemedy =
    "; name a step as MLIR, or what amp-compile made of one";

bool mlir::amp::isSharedObject(StringRef path) {
  llvm::file_magic magic;
  return !llvm::identify_magic(path, magic) && magic.is_object() &&
         magic != llvm::file_magic::bitcode;
}

/// Fails for a file that ends before what its tables speak of.
static Error checkWhole(const Elf &elf, StringRef path) {
  auto fail = [&](Error reason) {
    return createStringError(Twine("'") + path +
                             "' is no whole shared object (" +
                             llvm::toString(std::move(reason)) +
                             "); compile it again, or copy it again");
  };
  auto segments = elf.program_headers();
  if (!segments)
    return fail(segments.takeError());
  for (const Elf::Elf_Phdr &segment : *segments)
    if (segment.p_offset > elf.getBufSize() ||
        segment.p_filesz > elf.getBufSize() - segment.p_offset)
      return fail(createStringError("a segment ends behind the file"));
  // They stand at its end.
  auto sections = elf.sections();
  return sections ? Error::success() : fail(sections.takeError());
}

/// The address in the file of what `ampProgram` names; null if there is no such
/// symbol.
static Expected<const uint8_t *> findProgram(const Elf &elf) {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto symbols = elf.symbols(&section);
    if (!symbols)
      return symbols.takeError();
    auto names = elf.getStringTableForSymtab(section);
    if (!names)
      return names.takeError();
    for (const Elf::Elf_Sym &symbol : *symbols) {
      Expected<StringRef> name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      if (*name == AMP_RT_PROGRAM_SYMBOL && symbol.isDefined() &&
          symbol.st_size >= 2 * sizeof(uint32_t))
        return elf.toMappedAddr(symbol.st_value);
    }
  }
  return nullptr;
}

/// Fails for a file that is no program for this runtime.
static Error check(StringRef path, StringRef bytes) {
  auto refuse = [&](const Twine &reason) {
    return createStringError(Twine("expected '") + path +
                             "' to be a program, but " + reason + kRemedy);
  };
  if (bytes.size() < llvm::ELF::EI_NIDENT ||
      bytes[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      bytes[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return refuse("it is no object of this machine");
  Expected<Elf> elf = Elf::create(bytes);
  if (!elf)
    return createStringError(Twine("'") + path +
                             "' is no whole shared object (" +
                             llvm::toString(elf.takeError()) +
                             "); compile it again, or copy it again");
  if (elf->getHeader().e_type != llvm::ELF::ET_DYN)
    return refuse("it is no shared object");
  if (Error error = checkWhole(*elf, path))
    return error;
  Expected<const uint8_t *> program = findProgram(*elf);
  if (!program)
    return refuse("it cannot be read (" + llvm::toString(program.takeError()) +
                  ")");
  if (!*program)
    return refuse("it has no '" AMP_RT_PROGRAM_SYMBOL "'");
  uint32_t version = 0; // behind structSize
  std::memcpy(&version, *program + sizeof(uint32_t), sizeof(version));
  if (ampRtVersionCheck(version) != AMP_RT_OK)
    return createStringError(
        Twine("expected '") + path + "' to be for libamp-rt " +
        ampRtVersionText() + ", but it was compiled for " +
        Twine(version >> 16) + "." + Twine(version >> 8 & 0xff) + "." +
        Twine(version & 0xff) +
        "; compile the step again (amp-compile), or run it with the amp-run of "
        "that version");
  return Error::success();
}

/// Whether what the library calls is the runtime that this process calls.
static bool sharesRuntime(void *library) {
  auto *theirs = reinterpret_cast<decltype(&ampRtVersionText)>(
      dlsym(library, "ampRtVersionText"));
  return theirs && theirs() == ampRtVersionText();
}

Expected<ProgramFile> mlir::amp::loadProgramFile(StringRef path) {
  auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError(Twine("cannot open '") + path +
                             "': " + bytes.getError().message());
  if (Error error = check(path, (*bytes)->getBuffer()))
    return std::move(error);
  // A name without a folder would be looked for elsewhere.
  const bool isName = llvm::sys::path::parent_path(path).empty();
  const std::string file = (isName ? "./" + path : path).str();
  std::shared_ptr<void> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL),
                                [](void *handle) {
                                  if (handle)
                                    dlclose(handle);
                                });
  if (!library)
    return createStringError(Twine("cannot load '") + path + "': " + dlerror());
  if (!sharesRuntime(library.get()))
    return createStringError(
        Twine("expected '") + path +
        "' to use the runtime of this program, but this one has a runtime of "
        "its own; run it with the amp-run of the compiler's own build");
  auto *program = static_cast<const AmpRtProgram *>(
      dlsym(library.get(), AMP_RT_PROGRAM_SYMBOL));
  return ProgramFile{std::move(library), program};
}
