//===- SharedObject.cpp - Linked programs ---------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker is given the libraries that this process has loaded, by their
// files: nothing but a linker need be installed, no headers and no compiler's
// own libraries. A call of anything else is an error of the link.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/SharedObject.h"

#include "amp-rt/Version.h"
#include "amp/Execution/TemporaryFolder.h"
#include "amp/Execution/WholeFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <link.h>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

Expected<std::string> mlir::amp::findRuntimeLibrary() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(ampRtVersionText()), &info) ||
      !info.dli_fname ||
      !path::filename(info.dli_fname).starts_with("libamp-rt.so"))
    return createStringError(
        "expected the runtime to be a library of its own, libamp-rt.so, but it "
        "is part of this program; use the amp-compile of the compiler's build");
  return std::string(info.dli_fname);
}

/// The file behind the soname of a library of the system.
static Expected<std::string> findLibrary(const char *soname) {
  link_map *map = nullptr;
  void *library = dlopen(soname, RTLD_NOW);
  if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return createStringError(Twine("cannot find ") + soname + ": " + dlerror());
  // It stays loaded, as libraries that this program uses do.
  return std::string(map->l_name);
}

Expected<std::string> mlir::amp::findLinker() {
  const std::string version =
      StringRef(LLVM_VERSION_STRING).split('.').first.str();
  for (const std::string &name :
       {std::string("ld.lld"), "ld.lld-" + version, std::string("cc"),
        std::string("gcc"), std::string("clang")})
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return createStringError("expected a linker in PATH, ld.lld or cc, but found "
                           "none; install lld (Debian: lld-" +
                           version + ") or a C compiler");
}

static Error writeBytes(StringRef path, llvm::ArrayRef<char> bytes) {
  std::error_code failure;
  llvm::raw_fd_ostream file(path, failure);
  if (!failure) {
    file.write(bytes.data(), bytes.size());
    file.close();
    failure = file.error();
    file.clear_error();
  }
  if (failure)
    return createStringError("cannot write '" + path +
                             "': " + failure.message());
  return Error::success();
}

/// What the linker is told, in its own words or in those of a compiler.
static std::vector<std::string> getArguments(bool isCompiler) {
  std::vector<std::string> arguments = {"-shared"};
  if (isCompiler)
    arguments.push_back("-nostdlib");
  for (StringRef option : {"--no-undefined", "--gc-sections", "--build-id=none",
                           "--enable-new-dtags", "-rpath=$ORIGIN"})
    arguments.push_back(((isCompiler ? "-Wl," : "") + option).str());
  return arguments;
}

/// Runs the linker; its own words are the error.
static Error runLinker(StringRef linker, llvm::ArrayRef<std::string> arguments,
                       StringRef messages) {
  llvm::SmallVector<StringRef> line = {linker};
  llvm::append_range(line, arguments);
  std::string reason;
  const std::optional<StringRef> redirects[] = {StringRef(""), messages,
                                                messages};
  const int code = llvm::sys::ExecuteAndWait(
      linker, line, /*Env=*/std::nullopt, redirects,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &reason);
  if (code == 0)
    return Error::success();
  if (auto text = llvm::MemoryBuffer::getFile(messages))
    reason += (*text)->getBuffer().trim();
  return createStringError("'" + linker +
                           "' cannot link the program: " + reason);
}

Error mlir::amp::linkSharedObject(StringRef linker,
                                  llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                                  StringRef output) {
  TemporaryFolder folder;
  if (Error error = folder.createInSystem("amp-compile"))
    return error;
  const bool isCompiler = !path::filename(linker).starts_with("ld");
  std::vector<std::string> arguments = getArguments(isCompiler);
  const std::string linked = folder.getFile("program.so");
  arguments.insert(arguments.end(), {"-o", linked});
  for (auto [index, object] : llvm::enumerate(objects)) {
    arguments.push_back(folder.getFile(Twine(index) + ".o"));
    if (Error error = writeBytes(arguments.back(), object))
      return error;
  }
  Expected<std::string> runtime = findRuntimeLibrary();
  if (!runtime)
    return runtime.takeError();
  arguments.push_back(std::move(*runtime));
  for (const char *soname : {"libm.so.6", "libc.so.6"}) {
    Expected<std::string> library = findLibrary(soname);
    if (!library)
      return library.takeError();
    arguments.push_back(std::move(*library));
  }
  if (Error error = runLinker(linker, arguments, folder.getFile("messages")))
    return error;
  auto bytes = llvm::MemoryBuffer::getFile(linked, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError("cannot read '" + linked +
                             "': " + bytes.getError().message());
  return writeWholeFile(output, [&](llvm::raw_ostream &os) {
    os << (*bytes)->getBuffer();
    return Error::success();
  });
}
