//===- OracleFiles.cpp - Recorded results of Apex, for tests --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quoted cell ends at a quote that is not doubled; everything else is split
// at commas and line ends.
//
//===----------------------------------------------------------------------===//

#include "OracleFiles.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace amp_test;
using llvm::StringRef;

[[noreturn]] static void stop(const llvm::Twine &why) {
  llvm::errs() << "oracle files: " << why << '\n';
  std::exit(1);
}

static std::string readText(StringRef file) {
  std::string path = (AMP_TEST_ORACLES "/" + file).str();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    stop("cannot read '" + path + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// Drops one cell and the comma or line end after it from the front of `text`.
static std::string takeCell(StringRef &text, bool &endsLine) {
  std::string cell;
  bool quoted = text.consume_front("\"");
  while (!text.empty()) {
    char c = text.front();
    if (quoted) {
      text = text.drop_front();
      if (c != '"')
        cell += c;
      else if (text.consume_front("\""))
        cell += '"';
      else
        quoted = false;
      continue;
    }
    if (text.consume_front(",")) {
      endsLine = false;
      return cell;
    }
    text = text.drop_front();
    if (c == '\n')
      break;
    if (c != '\r')
      cell += c;
  }
  endsLine = true;
  return cell;
}

static std::vector<std::string> takeLine(StringRef &text) {
  std::vector<std::string> cells;
  bool endsLine = false;
  while (!endsLine)
    cells.push_back(takeCell(text, endsLine));
  return cells;
}

std::vector<Row> amp_test::readTable(StringRef file) {
  std::string buffer = readText(file);
  StringRef text = buffer;
  std::vector<std::string> header = takeLine(text);
  std::vector<Row> rows;
  while (!text.empty()) {
    std::vector<std::string> cells = takeLine(text);
    if (cells.size() != header.size())
      stop("'" + file + "' row " + llvm::Twine(rows.size() + 1) + " has " +
           llvm::Twine(cells.size()) + " cells");
    Row &row = rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i)
      row[header[i]] = cells[i];
  }
  return rows;
}

llvm::json::Object amp_test::readObject(StringRef file) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(readText(file));
  if (!value)
    stop("'" + file + "': " + llvm::toString(value.takeError()));
  if (!value->getAsObject())
    stop("'" + file + "' holds no object");
  return std::move(*value->getAsObject());
}

const llvm::json::Object &amp_test::findCase(const llvm::json::Object &file,
                                             StringRef name) {
  if (const llvm::json::Array *cases = file.getArray("cases"))
    for (const llvm::json::Value &value : *cases)
      if (value.getAsObject()->getString("case") == name)
        return *value.getAsObject();
  stop("no case '" + name + "'");
}

std::string amp_test::describe(const Row &row) {
  std::string text;
  for (const auto &[column, cell] : row)
    text += column + "=" + cell + " ";
  return text;
}

void amp_test::reportAgreement(StringRef file, size_t agreeing, size_t rows) {
  llvm::outs() << file << ": " << agreeing << " of " << rows << " rows agree\n";
  llvm::outs().flush();
  ::testing::Test::RecordProperty("rows", static_cast<int>(rows));
  ::testing::Test::RecordProperty("agreeing", static_cast<int>(agreeing));
}
