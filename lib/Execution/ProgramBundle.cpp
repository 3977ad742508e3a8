//===- ProgramBundle.cpp - A program with all that it needs ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new folder is renamed into place, which fails where another one has got
// files meanwhile. A folder that was there is claimed by a folder in it, whose
// name is the same for all: only one can make it.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ProgramBundle.h"
#include "LinkTarget.h"

#include "amp/Execution/ProgramManifest.h"
#include "amp/Execution/RunFiles.h"
#include "amp/Execution/WholeFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::SmallString;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral kStep = "step.so",
                                     kRuntime = "libamp-rt.so.0",
                                     kRuntimeLink = "libamp-rt.so",
                                     kManifest = "manifest.json";
static constexpr llvm::StringLiteral kFiles[] = {kStep, kRuntime, kRuntimeLink,
                                                 kManifest};
static constexpr llvm::StringLiteral kClaim = ".incomplete";

static Error failFolder(StringRef folder, std::error_code error) {
  return createStringError(Twine("cannot make the folder '") + folder +
                           "' of --bundle: " + error.message());
}

static std::string getFile(StringRef folder, StringRef name) {
  SmallString<128> result = folder;
  path::append(result, name);
  return result.str().str();
}

/// Fails if `folder` holds anything but `allowed`.
static Error checkEmpty(StringRef given, StringRef folder,
                        StringRef allowed = "") {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const StringRef name = path::filename(file->path());
    if (name != allowed)
      return createStringError(
          Twine("expected --bundle to name a new or empty folder, but '") +
          given + "' has '" + name + "'; empty it, or name another");
  }
  return error ? failFolder(given, error) : Error::success();
}

/// Makes an empty folder nobody else's.
Error ProgramBundle::claim() {
  if (Error error = checkEmpty(given, folder))
    return error;
  if (std::error_code error = aside.create(getFile(folder, kClaim)))
    return error == std::errc::file_exists ? checkEmpty(given, folder)
                                           : failFolder(given, error);
  // Another one may have been complete in between.
  return checkEmpty(given, folder, kClaim);
}

Expected<ProgramBundle> ProgramBundle::create(StringRef given) {
  ProgramBundle bundle(given);
  // 'new/' is 'new', and what is beside it is not in it.
  StringRef name = given;
  while (name.size() > 1 && path::is_separator(name.back()))
    name = name.drop_back();
  SmallString<128> real;
  bundle.exists = !fs::real_path(name, real);
  if (bundle.exists) {
    bundle.folder = real.str().str();
    if (Error error = bundle.claim())
      return std::move(error);
    return std::move(bundle);
  }
  bundle.folder = getLinkTarget(name);
  if (std::error_code error = bundle.aside.createUnique(bundle.folder + ".tmp"))
    return failFolder(given, error);
  return std::move(bundle);
}

std::string ProgramBundle::getStep() const {
  return isPublished ? getFile(folder, kStep) : aside.getFile(kStep);
}

Expected<bool> ProgramBundle::isStep(StringRef file) const {
  SmallString<128> target = StringRef(getLinkTarget(file));
  path::remove_dots(target);
  const StringRef parent = path::parent_path(target);
  const StringRef name = path::filename(target);
  const bool isInside = isSamePlace(parent.empty() ? "." : parent, folder);
  if (isInside && name == kStep)
    return true;
  if ((isInside && llvm::is_contained(kFiles, name)) ||
      isSamePlace(target, folder))
    return createStringError(
        Twine("expected -o to name a file of its own, but '") + file + "' is " +
        (isInside ? "the " + name + " of --bundle"
                  : Twine("that of --bundle")) +
        "; name another file");
  return false;
}

std::vector<std::string> mlir::amp::findBundleFiles(StringRef program) {
  SmallString<128> real;
  if (fs::real_path(program, real))
    return {};
  const StringRef folder = path::parent_path(real);
  std::vector<std::string> files;
  if (fs::exists(getFile(folder, kRuntime)))
    for (StringRef name : kFiles)
      files.push_back(getFile(folder, name));
  return files;
}

Error mlir::amp::copyWholeFile(StringRef from, StringRef to) {
  auto bytes = llvm::MemoryBuffer::getFile(from, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError(Twine("cannot read '") + from +
                             "': " + bytes.getError().message());
  return writeWholeFile(to, [&](llvm::raw_ostream &os) {
    os << (*bytes)->getBuffer();
    return Error::success();
  });
}

Error ProgramBundle::complete(StringRef runtime, const AmpRtProgram &program,
                              StringRef target) {
  if (Error error = copyWholeFile(runtime, aside.getFile(kRuntime)))
    return error;
  // For linkers, which look for the name without a version.
  if (std::error_code failure =
          fs::create_link(kRuntime, aside.getFile(kRuntimeLink)))
    return createStringError(Twine("cannot make '") +
                             aside.getFile(kRuntimeLink) +
                             "': " + failure.message());
  return writeWholeFile(aside.getFile(kManifest), [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}\n", makeManifest(program, target));
    return Error::success();
  });
}

Error ProgramBundle::publish() {
  if (exists) {
    // The manifest last: with it the bundle is complete.
    for (StringRef name : kFiles)
      if (std::error_code error =
              fs::rename(aside.getFile(name), getFile(folder, name)))
        return failFolder(given, error);
  } else if (std::error_code error = fs::rename(aside.getPath(), folder)) {
    if (error != std::errc::directory_not_empty &&
        error != std::errc::file_exists && error != std::errc::not_a_directory)
      return failFolder(given, error);
    return createStringError(
        Twine("expected --bundle to name a new or empty folder, but '") +
        given +
        "' was filled while the step was compiled; empty it, or name another");
  } else {
    aside.keep();
  }
  isPublished = true;
  return Error::success();
}
