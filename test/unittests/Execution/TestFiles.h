//===- TestFiles.h - Files, arrays and errors of tests ----------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test that gets a folder of its own, and short ways to state what a file
// holds and what an error says.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_UNITTESTS_EXECUTION_TESTFILES_H
#define AMP_UNITTESTS_EXECUTION_TESTFILES_H

#include "amp/Execution/Program.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <string>

namespace amp_test {

class TemporaryFolderTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("amp-test", path));
    folder = path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string getPath(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string writeText(const std::string &name, llvm::StringRef text) const {
    std::error_code code;
    llvm::raw_fd_ostream os(getPath(name), code);
    os << text;
    return getPath(name);
  }
  std::string readText(const std::string &name) const {
    auto buffer = llvm::MemoryBuffer::getFile(getPath(name));
    return buffer ? (*buffer)->getBuffer().str() : "(missing)";
  }
  /// `text` with the folder replaced by FOLDER, for literal comparison.
  std::string withoutFolder(std::string text) const {
    size_t at;
    while ((at = text.find(folder)) != std::string::npos)
      text.replace(at, folder.size(), "FOLDER");
    return text;
  }
  /// Names of the files in the folder.
  std::vector<std::string> getFiles() const {
    std::vector<std::string> names;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder, code), end;
         it != end && !code; it.increment(code))
      names.push_back(it->path().substr(folder.size() + 1));
    return names;
  }

  std::string folder;
};

/// What an error says; "(success)" for none.
inline std::string getText(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "(success)";
}
template <typename T> std::string getText(llvm::Expected<T> value) {
  return getText(value.takeError());
}

/// A spec, as short as it gets.
inline mlir::amp::ValueSpec makeSpec(llvm::StringRef role, llvm::StringRef name,
                                     mlir::amp::ElementKind kind,
                                     llvm::ArrayRef<int64_t> shape,
                                     llvm::StringRef init = "",
                                     llvm::StringRef valueKind = "") {
  mlir::amp::ValueSpec spec;
  spec.role = role.str();
  spec.name = name.str();
  spec.kind = valueKind.str();
  spec.init = init.str();
  spec.elementKind = kind;
  spec.shape.assign(shape.begin(), shape.end());
  return spec;
}

/// An array from numbers.
inline mlir::amp::HostArray makeArray(mlir::amp::ElementKind kind,
                                      llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<double> values) {
  mlir::amp::HostArray array(kind, shape);
  EXPECT_EQ(array.getNumElements(), int64_t(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    array.setFromDouble(int64_t(i), values[i]);
  return array;
}

/// The elements as numbers.
inline std::vector<double> getValues(const mlir::amp::HostArray &array) {
  std::vector<double> values;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    values.push_back(array.getAsDouble(i));
  return values;
}

/// The value, or a failed test.
template <typename T> T take(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    std::abort(); // there is nothing to go on with
  }
  return std::move(*value);
}

} // namespace amp_test

#endif // AMP_UNITTESTS_EXECUTION_TESTFILES_H
