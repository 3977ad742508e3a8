//===- NpyFormat.cpp - The .npy encoding of one array ---------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is the only part that needs parsing:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (32, 64), }
//
// A cursor over the text with one function per kind of literal is enough. Sizes
// are checked against the bytes at hand before anything is allocated.
//
//===----------------------------------------------------------------------===//

#include "NpyFormat.h"

#include "amp/Support/ByteCount.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <optional>
#include <vector>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static_assert(llvm::endianness::native == llvm::endianness::little,
              "arrays are copied from and to little-endian files as they are");

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {

/// How a file type is read.
struct FileType {
  ElementKind kind;
  /// Bytes of an element in the file.
  int64_t size;
  /// True if it is widened to `kind` from the unsigned type of `size` bytes.
  bool isUnsigned = false;
};

/// The dictionary of a header.
struct Dictionary {
  std::string descr;
  bool isFortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
};

} // namespace

static StringRef getDescr(ElementKind kind) {
  switch (kind) {
  case AMP_RT_ELEMENT_I1:
    return "|b1";
  case AMP_RT_ELEMENT_I8:
    return "|i1";
  case AMP_RT_ELEMENT_I16:
    return "<i2";
  case AMP_RT_ELEMENT_I32:
    return "<i4";
  case AMP_RT_ELEMENT_I64:
    return "<i8";
  case AMP_RT_ELEMENT_F16:
    return "<f2";
  case AMP_RT_ELEMENT_BF16:
    return "<V2";
  case AMP_RT_ELEMENT_F32:
    return "<f4";
  case AMP_RT_ELEMENT_F64:
    return "<f8";
  }
  llvm_unreachable("unknown element kind");
}

static Expected<FileType> getFileType(StringRef descr, StringRef what) {
  if (descr.starts_with(">") && descr.size() > 2)
    return createStringError(
        Twine("expected little-endian elements in ") + what + ", but got '" +
        descr + "'; save it with .astype('<" + descr.drop_front() + "')");
  const StringRef name =
      descr.drop_while([](char c) { return c == '<' || c == '|' || c == '='; });
  if (name.starts_with("O"))
    return createStringError(Twine("expected numbers in ") + what +
                             ", but got Python objects ('" + descr +
                             "'); convert it with .astype before it is saved");
  auto type =
      llvm::StringSwitch<std::optional<FileType>>(name)
          .Case("b1", FileType{AMP_RT_ELEMENT_I1, 1})
          .Case("i1", FileType{AMP_RT_ELEMENT_I8, 1})
          .Case("i2", FileType{AMP_RT_ELEMENT_I16, 2})
          .Case("i4", FileType{AMP_RT_ELEMENT_I32, 4})
          .Case("i8", FileType{AMP_RT_ELEMENT_I64, 8})
          .Case("u1", FileType{AMP_RT_ELEMENT_I16, 1, /*isUnsigned=*/true})
          .Case("u2", FileType{AMP_RT_ELEMENT_I32, 2, /*isUnsigned=*/true})
          .Case("u4", FileType{AMP_RT_ELEMENT_I64, 4, /*isUnsigned=*/true})
          .Case("f2", FileType{AMP_RT_ELEMENT_F16, 2})
          .Case("f4", FileType{AMP_RT_ELEMENT_F32, 4})
          .Case("f8", FileType{AMP_RT_ELEMENT_F64, 8})
          .Case("V2", FileType{AMP_RT_ELEMENT_BF16, 2})
          .Default(std::nullopt);
  if (!type)
    return createStringError(
        Twine("expected a boolean, integer (but uint64) or floating-point "
              "element type in ") +
        what + ", but got '" + descr +
        "'; convert it with .astype before it is saved");
  return *type;
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {

/// A cursor over the dictionary literal. Each function consumes what it is
/// named for, or leaves the cursor where it was and returns nothing.
class LiteralCursor {
public:
  explicit LiteralCursor(StringRef text) : rest(text) {}

  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<StringRef> consumeString() {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    const size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return std::nullopt;
    const StringRef text = rest.slice(1, end);
    rest = rest.substr(end + 1);
    return text;
  }
  std::optional<bool> consumeBool() {
    if (consume("True"))
      return true;
    if (consume("False"))
      return false;
    return std::nullopt;
  }
  std::optional<int64_t> consumeExtent() {
    rest = rest.ltrim();
    int64_t value;
    if (rest.consumeInteger(10, value) || value < 0)
      return std::nullopt;
    rest.consume_front("L"); // a long integer of Python 2
    return value;
  }
  bool atEnd() { return rest.trim().empty(); }

private:
  StringRef rest;
};

} // namespace

static bool parseShape(LiteralCursor &cursor,
                       llvm::SmallVectorImpl<int64_t> &shape) {
  if (!cursor.consume("("))
    return false;
  while (!cursor.consume(")")) {
    std::optional<int64_t> extent = cursor.consumeExtent();
    if (!extent)
      return false;
    shape.push_back(*extent);
    if (cursor.consume(","))
      continue;
    return cursor.consume(")");
  }
  return true;
}

static Expected<Dictionary> parseDictionary(StringRef text, StringRef what) {
  auto malformed = [&] {
    return createStringError(Twine("malformed .npy header in ") + what +
                             "; save it again with numpy.save or numpy.savez");
  };
  Dictionary header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  LiteralCursor cursor(text);
  if (!cursor.consume("{"))
    return malformed();
  while (!cursor.consume("}")) {
    std::optional<StringRef> key = cursor.consumeString();
    if (!key || !cursor.consume(":"))
      return malformed();
    if (*key == "descr") {
      if (cursor.consume("["))
        return createStringError(
            Twine("expected one number per element in ") + what +
            ", but got a structured type; save each field as an array");
      std::optional<StringRef> descr = cursor.consumeString();
      if (!descr)
        return malformed();
      header.descr = descr->str();
      hasDescr = true;
    } else if (*key == "fortran_order") {
      std::optional<bool> order = cursor.consumeBool();
      if (!order)
        return malformed();
      header.isFortranOrder = *order;
      hasOrder = true;
    } else if (*key == "shape") {
      if (hasShape || !parseShape(cursor, header.shape))
        return malformed();
      hasShape = true;
    } else {
      return malformed();
    }
    cursor.consume(",");
  }
  if (!hasDescr || !hasOrder || !hasShape || !cursor.atEnd())
    return malformed();
  return header;
}

std::string mlir::amp::makeNpyHeader(ElementKind kind,
                                     llvm::ArrayRef<int64_t> shape) {
  std::string dictionary;
  llvm::raw_string_ostream os(dictionary);
  os << "{'descr': '" << getDescr(kind)
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleave(shape, os, ", ");
  os << (shape.size() == 1 ? ",), }" : "), }");

  // Version 1.0: magic, two version bytes, a 16-bit length. The elements start
  // at a multiple of 64.
  const size_t prefix = kMagic.size() + 4;
  const size_t unpadded = prefix + dictionary.size() + 1;
  dictionary.append(llvm::alignTo(unpadded, 64) - unpadded, ' ');
  dictionary += '\n';
  char version[4] = {1, 0};
  llvm::support::endian::write16le(version + 2, uint16_t(dictionary.size()));
  return kMagic.str() + std::string(version, 4) + dictionary;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename Narrow, typename Wide>
static void widenElements(const std::vector<char> &from, HostArray &to) {
  const int64_t count = to.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    Narrow value;
    std::memcpy(&value, from.data() + i * sizeof(Narrow), sizeof(Narrow));
    to.as<Wide>()[i] = Wide(value);
  }
}

/// `array` holds its elements in Fortran order; returns them in C order.
static HostArray transposeFromFortran(const HostArray &array) {
  HostArray result(array.getKind(), array.getShape());
  const int64_t size = getElementSize(array.getKind());
  llvm::ArrayRef<int64_t> shape = array.getShape();
  llvm::SmallVector<int64_t, 4> index(shape.size(), 0);
  llvm::SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (size_t d = 1; d < shape.size(); ++d)
    strides[d] = strides[d - 1] * shape[d - 1];

  const int64_t count = array.getNumElements();
  int64_t source = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.as<char>() + i * size, array.as<char>() + source * size,
                size);
    for (size_t d = shape.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d])
        break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

static Error readUnsigned(ByteReader read, int64_t size, HostArray &array) {
  std::vector<char> raw(array.getNumElements() * size);
  if (Error error = read(raw))
    return error;
  if (size == 1)
    widenElements<uint8_t, int16_t>(raw, array);
  else if (size == 2)
    widenElements<uint16_t, int32_t>(raw, array);
  else
    widenElements<uint32_t, int64_t>(raw, array);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Expected<NpyHeader>
mlir::amp::readNpyHeader(ByteReader read, int64_t totalBytes, StringRef what) {
  const int64_t prefixSize = kMagic.size() + 4;
  char prefix[12] = {};
  auto notNpy = [&] {
    return createStringError(Twine("expected ") + what +
                             " to be in .npy format, but it is not; save it "
                             "with numpy.save or numpy.savez");
  };
  auto truncated = [&](Twine part) {
    return createStringError(Twine("expected ") + part + " in " + what +
                             ", but it ends after " + Twine(totalBytes) +
                             " bytes; it is truncated, save it again");
  };
  if (totalBytes < prefixSize)
    return notNpy();
  if (Error error = read({prefix, size_t(prefixSize)}))
    return error;
  if (!StringRef(prefix, prefixSize).starts_with(kMagic))
    return notNpy();

  // Version 1 has a 16-bit length, versions 2 and 3 a 32-bit one.
  const unsigned version = static_cast<unsigned char>(prefix[kMagic.size()]);
  int64_t offset = prefixSize;
  int64_t headerSize =
      llvm::support::endian::read16le(prefix + kMagic.size() + 2);
  if (version == 2 || version == 3) {
    offset += 2;
    if (totalBytes < offset)
      return truncated("a header");
    if (Error error = read({prefix + prefixSize, 2}))
      return error;
    headerSize = llvm::support::endian::read32le(prefix + kMagic.size() + 2);
  } else if (version != 1) {
    return createStringError(Twine("unknown .npy version ") + Twine(version) +
                             " in " + what + "; versions 1, 2 and 3 are known");
  }
  if (headerSize > totalBytes - offset)
    return truncated(Twine("a header of ") + Twine(headerSize) + " bytes");
  std::string text(headerSize, ' ');
  if (Error error = read(text))
    return error;
  offset += headerSize;

  Expected<Dictionary> dictionary = parseDictionary(text, what);
  if (!dictionary)
    return dictionary.takeError();
  Expected<FileType> type = getFileType(dictionary->descr, what);
  if (!type)
    return type.takeError();
  NpyHeader header;
  header.type = {type->kind, dictionary->shape};
  header.elementSize = type->size;
  header.isUnsigned = type->isUnsigned;
  header.isFortranOrder = dictionary->isFortranOrder;

  std::optional<int64_t> bytes = countBytes(header.type.shape, type->size);
  if (!bytes || *bytes > totalBytes - offset)
    return truncated(Twine("elements of type ") + header.type.getText());
  if (*bytes < totalBytes - offset)
    return createStringError(
        Twine("expected ") + Twine(*bytes) + " bytes of elements of type " +
        header.type.getText() + " in " + what + ", but got " +
        Twine(totalBytes - offset) + "; save it again");
  return header;
}

Expected<HostArray> mlir::amp::readNpyElements(ByteReader read,
                                               const NpyHeader &header) {
  HostArray array(header.type.kind, header.type.shape);
  if (Error error = header.isUnsigned
                        ? readUnsigned(read, header.elementSize, array)
                        : read({array.as<char>(), size_t(array.getNumBytes())}))
    return error;
  // Compiled code takes an i1 for 0 or 1; a file may hold any byte.
  if (array.getKind() == AMP_RT_ELEMENT_I1)
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      array.as<uint8_t>()[i] = array.as<uint8_t>()[i] != 0;
  if (header.isFortranOrder && array.getShape().size() > 1 &&
      array.getNumElements() > 0)
    return transposeFromFortran(array);
  return array;
}
