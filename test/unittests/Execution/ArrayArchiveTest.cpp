//===- ArrayArchiveTest.cpp - NumPy files, good and bad -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ArrayArchive.h"
#include "amp/Execution/WholeFile.h"
#include "TestFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <csignal>
#include <set>
#include <sys/resource.h>

using namespace amp_test;
using namespace mlir::amp;
using llvm::StringRef;

namespace {

class ArrayArchiveTest : public TemporaryFolderTest {
protected:
  /// An .npy file with this header and data, version 1.0.
  std::string writeNpy(StringRef header, StringRef data) const {
    std::string text = "\x93NUMPY";
    text += '\1';
    text += '\0';
    char size[2];
    llvm::support::endian::write16le(size, uint16_t(header.size()));
    text.append(size, 2);
    return writeText("a.npy", text + header.str() + data.str());
  }
  std::string getNpyError(StringRef header, StringRef data = "") const {
    return getText(readArrayFile(writeNpy(header, data)));
  }
};

const ElementKind kAllKinds[] = {
    AMP_RT_ELEMENT_I1,  AMP_RT_ELEMENT_I8,   AMP_RT_ELEMENT_I16,
    AMP_RT_ELEMENT_I32, AMP_RT_ELEMENT_I64,  AMP_RT_ELEMENT_F16,
    AMP_RT_ELEMENT_F32, AMP_RT_ELEMENT_BF16, AMP_RT_ELEMENT_F64};

} // namespace

//===----------------------------------------------------------------------===//
// What works
//===----------------------------------------------------------------------===//

TEST_F(ArrayArchiveTest, EveryKindComesBack) {
  std::vector<HostArray> arrays;
  NamedArrays named;
  for (ElementKind kind : kAllKinds)
    arrays.push_back(makeArray(kind, {2, 3}, {0, 1, 1, 0, 1, 0}));
  for (const HostArray &array : arrays)
    named.emplace_back(getElementName(array.getKind()).str(), &array);
  ASSERT_EQ(getText(writeArchive(getPath("all.npz"), named)), "(success)");

  ArrayArchive archive = take(ArrayArchive::open(getPath("all.npz")));
  EXPECT_EQ(archive.getNames().size(), std::size(kAllKinds));
  for (const HostArray &array : arrays) {
    HostArray back = take(archive.read(getElementName(array.getKind())));
    EXPECT_EQ(back.getTypeString(), array.getTypeString());
    EXPECT_EQ(getValues(back), getValues(array));
  }
}

TEST_F(ArrayArchiveTest, ScalarsAndEmptyArraysComeBack) {
  HostArray scalar = makeArray(AMP_RT_ELEMENT_I64, {}, {-7});
  HostArray vector = makeArray(AMP_RT_ELEMENT_F32, {1}, {2});
  HostArray empty(AMP_RT_ELEMENT_F32, {0, 3});
  NamedArrays named = {{"scalar", &scalar}, {"vector", &vector}, {"e", &empty}};
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), named)), "(success)");
  ArrayArchive archive = take(ArrayArchive::open(getPath("a.npz")));
  EXPECT_EQ(take(archive.read("scalar")).getAsDouble(0), -7);
  EXPECT_EQ(take(archive.read("vector")).getTypeString(), "1xf32");
  EXPECT_EQ(take(archive.read("e")).getTypeString(), "0x3xf32");
}

TEST_F(ArrayArchiveTest, NamesMayHoldSlashesAndBrackets) {
  HostArray array = makeArray(AMP_RT_ELEMENT_F32, {1}, {2});
  ASSERT_EQ(
      getText(writeArchive(getPath("a.npz"), {{"param/['h0']['w']", &array}})),
      "(success)");
  ArrayArchive archive = take(ArrayArchive::open(getPath("a.npz")));
  EXPECT_TRUE(archive.contains("param/['h0']['w']"));
  EXPECT_FALSE(archive.contains("param"));
}

TEST_F(ArrayArchiveTest, ArchiveWithoutArraysIsAnArchive) {
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {})), "(success)");
  EXPECT_TRUE(take(ArrayArchive::open(getPath("a.npz"))).getNames().empty());
}

TEST_F(ArrayArchiveTest, EqualArraysGiveEqualFiles) {
  HostArray array = makeArray(AMP_RT_ELEMENT_F32, {2}, {1, 2});
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {{"x", &array}})),
            "(success)");
  ASSERT_EQ(getText(writeArchive(getPath("b.npz"), {{"x", &array}})),
            "(success)");
  EXPECT_EQ(readText("a.npz"), readText("b.npz"));
}

TEST_F(ArrayArchiveTest, SingleArrayComesBack) {
  HostArray array = makeArray(AMP_RT_ELEMENT_F16, {2, 2}, {1, 2, 3, 4});
  ASSERT_EQ(getText(writeArrayFile(getPath("a.npy"), array)), "(success)");
  HostArray back = take(readArrayFile(getPath("a.npy")));
  EXPECT_EQ(back.getTypeString(), "2x2xf16");
  EXPECT_EQ(getValues(back), getValues(array));
}

TEST_F(ArrayArchiveTest, FortranOrderIsTransposed) {
  HostArray array = take(readArrayFile(
      writeNpy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}",
               StringRef("\1\4\2\5\3\6", 6))));
  EXPECT_EQ(getValues(array), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ArrayArchiveTest, UnsignedIntegersAreWidened) {
  HostArray array = take(readArrayFile(writeNpy(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "\xff\x01")));
  EXPECT_EQ(array.getTypeString(), "2xi16");
  EXPECT_EQ(getValues(array), (std::vector<double>{255, 1}));
}

// Compiled code relies on it.
TEST_F(ArrayArchiveTest, BooleansBecomeZeroOrOne) {
  HostArray array = take(readArrayFile(writeNpy(
      "{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x02\x01")));
  EXPECT_EQ(array.as<uint8_t>()[0], 1);
}

// The format says that readers must not depend on the order; headers past 127
// bytes and Python 2's long integers occur as well.
TEST_F(ArrayArchiveTest, HeadersMayBeUnusual) {
  const std::string padding(400, ' ');
  HostArray array = take(readArrayFile(
      writeNpy("{'shape': (2L,), \"fortran_order\": False, 'descr': '|i1'}" +
                   padding + "\n",
               "\1\2")));
  EXPECT_EQ(array.getTypeString(), "2xi8");
}

TEST_F(ArrayArchiveTest, VersionTwoHasALongerLength) {
  const std::string header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}";
  std::string text("\x93NUMPY\2\0", 8);
  text += char(header.size());
  text += std::string(3, '\0');
  HostArray array =
      take(readArrayFile(writeText("a.npy", text + header + "\5")));
  EXPECT_EQ(getValues(array), std::vector<double>{5});
}

//===----------------------------------------------------------------------===//
// NumPy itself
//===----------------------------------------------------------------------===//

namespace {

class NumpyTest : public ArrayArchiveTest {
protected:
  void SetUp() override {
    ArrayArchiveTest::SetUp();
    if (run("import numpy") != 0)
      GTEST_SKIP() << "python3 cannot import numpy";
  }
  int run(StringRef script) {
    auto python = llvm::sys::findProgramByName("python3");
    if (!python)
      return -1;
    return llvm::sys::ExecuteAndWait(
        *python, {"python3", "-c", script, folder}, std::nullopt,
        {std::nullopt, getPath("stdout"), getPath("stderr")});
  }
};

} // namespace

TEST_F(NumpyTest, ReadsWhatNumpyWrites) {
  ASSERT_EQ(run("import numpy as np, sys\n"
                "a = dict((str(i), np.arange(6).reshape(2, 3).astype(t)) "
                "for i, t in enumerate('?bhiqBHIefd'))\n"
                "a['fortran'] = np.asfortranarray(a['9'])\n"
                "a['scalar'] = np.float32(3)\n"
                "np.savez(sys.argv[1] + '/plain.npz', **a)\n"
                "np.savez_compressed(sys.argv[1] + '/packed.npz', **a)\n"),
            0)
      << readText("stderr");
  for (const char *name : {"plain.npz", "packed.npz"}) {
    ArrayArchive archive = take(ArrayArchive::open(getPath(name)));
    const char *kinds[] = {"i1",  "i8",  "i16", "i32", "i64", "i16",
                           "i32", "i64", "f16", "f32", "f64"};
    for (size_t i = 0; i < std::size(kinds); ++i) {
      HostArray array = take(archive.read(std::to_string(i)));
      EXPECT_EQ(array.getTypeString(), "2x3x" + std::string(kinds[i]));
      EXPECT_EQ(array.getAsDouble(5), i == 0 ? 1 : 5);
    }
    EXPECT_EQ(getValues(take(archive.read("fortran"))),
              (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(take(archive.read("scalar")).getTypeString(), "f32");
  }
}

TEST_F(NumpyTest, WritesWhatNumpyReads) {
  std::vector<HostArray> arrays;
  NamedArrays named;
  for (ElementKind kind : kAllKinds)
    arrays.push_back(makeArray(kind, {2, 3}, {0, 1, 1, 0, 1, 0}));
  for (const HostArray &array : arrays)
    named.emplace_back(getElementName(array.getKind()).str(), &array);
  ASSERT_EQ(getText(writeArchive(getPath("all.npz"), named)), "(success)");
  EXPECT_EQ(
      run("import numpy as np, sys\n"
          "a = np.load(sys.argv[1] + '/all.npz')\n"
          "types = dict(i1='bool', i8='int8', i16='int16', i32='int32', "
          "i64='int64', f16='float16', f32='float32', f64='float64')\n"
          "assert len(a.files) == 9, a.files\n"
          "for name, t in types.items():\n"
          "  assert a[name].dtype == t and a[name].flags.c_contiguous, name\n"
          "  assert a[name].tolist() == [[0, 1, 1], [0, 1, 0]], name\n"
          "assert a['bf16'].dtype == 'V2'\n"
          "assert a['bf16'].view('<u2').tolist() == "
          "[[0, 0x3f80, 0x3f80], [0, 0x3f80, 0]]\n"),
      0)
      << readText("stderr");
}

// NumPy is asked which of two members counts, and what it made of the methods
// that it reads and we do not.
TEST_F(NumpyTest, TheLastOfDuplicateMembersCounts) {
  ASSERT_EQ(run("import io, sys, warnings, zipfile, numpy as np\n"
                "warnings.simplefilter('ignore')\n"
                "path = sys.argv[1] + '/twice.npz'\n"
                "with zipfile.ZipFile(path, 'w') as z:\n"
                "  for value in (1, 2, 3):\n"
                "    array = io.BytesIO()\n"
                "    np.save(array, np.full(value, value, 'f4'))\n"
                "    z.writestr('x.npy', array.getvalue())\n"
                "    z.writestr('y%d.npy' % value, array.getvalue())\n"
                "np.save(sys.argv[1] + '/meant.npy', np.load(path)['x'])\n"),
            0)
      << readText("stderr");
  ArrayArchive archive = take(ArrayArchive::open(getPath("twice.npz")));
  EXPECT_EQ(archive.getNames(),
            llvm::ArrayRef<std::string>({"x", "y1", "y2", "y3"}));
  EXPECT_EQ(getValues(take(archive.read("x"))),
            getValues(take(readArrayFile(getPath("meant.npy")))));
  EXPECT_EQ(getValues(take(archive.read("x"))), (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(getValues(take(archive.read("y1"))), std::vector<double>{1});
}

TEST_F(NumpyTest, OtherCompressionsAreUnsupportedNotDamaged) {
  ASSERT_EQ(run("import io, sys, zipfile, numpy as np\n"
                "array = io.BytesIO()\n"
                "np.save(array, np.zeros(1 << 20, 'f4'))\n"
                "for name in 'LZMA', 'BZIP2', 'DEFLATED', 'STORED':\n"
                "  path = sys.argv[1] + '/' + name + '.npz'\n"
                "  with zipfile.ZipFile(path, 'w', getattr(zipfile, 'ZIP_' + "
                "name)) as z:\n"
                "    z.writestr('x.npy', array.getvalue())\n"),
            0)
      << readText("stderr");
  auto getError = [&](const char *name) {
    ArrayArchive archive = take(ArrayArchive::open(getPath(name)));
    return withoutFolder(getText(archive.read("x")));
  };
  EXPECT_EQ(getError("LZMA.npz"),
            "expected array 'x' in 'FOLDER/LZMA.npz' to be stored or deflated, "
            "but it has the unsupported compression LZMA; save it with "
            "numpy.savez or numpy.savez_compressed");
  EXPECT_EQ(getError("BZIP2.npz"),
            "expected array 'x' in 'FOLDER/BZIP2.npz' to be stored or "
            "deflated, but it has the unsupported compression bzip2; save it "
            "with numpy.savez or numpy.savez_compressed");
  EXPECT_EQ(getError("DEFLATED.npz"), "(success)");
  EXPECT_EQ(getError("STORED.npz"), "(success)");
}

//===----------------------------------------------------------------------===//
// What is refused: one array
//===----------------------------------------------------------------------===//

TEST_F(ArrayArchiveTest, BigEndianIsRefused) {
  EXPECT_EQ(
      withoutFolder(getNpyError(
          "{'descr': '>f4', 'fortran_order': False, 'shape': ()}", "1234")),
      "expected little-endian elements in 'FOLDER/a.npy', but got '>f4'; save "
      "it with .astype('<f4')");
}

TEST_F(ArrayArchiveTest, ObjectsAreRefused) {
  EXPECT_EQ(
      withoutFolder(getNpyError(
          "{'descr': '|O', 'fortran_order': False, 'shape': ()}", "pickle")),
      "expected numbers in 'FOLDER/a.npy', but got Python objects ('|O'); "
      "convert it with .astype before it is saved");
}

TEST_F(ArrayArchiveTest, OtherTypesAreRefused) {
  for (StringRef type : {"<u8", "<c8", "<U5", "<M8[ns]", "<f16", ""})
    EXPECT_EQ(
        withoutFolder(getNpyError(
            ("{'descr': '" + type + "', 'fortran_order': False, 'shape': ()}")
                .str())),
        ("expected a boolean, integer (but uint64) or floating-point "
         "element type in 'FOLDER/a.npy', but got '" +
         type + "'; convert it with .astype before it is saved")
            .str());
}

TEST_F(ArrayArchiveTest, StructuredTypesAreRefused) {
  EXPECT_EQ(withoutFolder(getNpyError("{'descr': [('a', '<f4')], "
                                      "'fortran_order': False, 'shape': ()}")),
            "expected one number per element in 'FOLDER/a.npy', but got a "
            "structured type; save each field as an array");
}

TEST_F(ArrayArchiveTest, MalformedHeadersAreRefused) {
  for (StringRef header :
       {"", "{", "{}", "nonsense", "{'descr' '<f4'}", "{'descr': 4}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} more",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}"})
    EXPECT_EQ(withoutFolder(getNpyError(header)),
              "malformed .npy header in 'FOLDER/a.npy'; save it again with "
              "numpy.save or numpy.savez")
        << header.str();
}

TEST_F(ArrayArchiveTest, OtherFilesAreRefused) {
  for (StringRef text : {"", "short", "a text that is no array at all"})
    EXPECT_EQ(
        withoutFolder(getText(readArrayFile(writeText("a.npy", text)))),
        "expected 'FOLDER/a.npy' to be in .npy format, but it is not; save it "
        "with numpy.save or numpy.savez");
}

TEST_F(ArrayArchiveTest, UnknownVersionsAreRefused) {
  EXPECT_EQ(withoutFolder(getText(readArrayFile(
                writeText("a.npy", StringRef("\x93NUMPY\7\0\4\0{  }", 14))))),
            "unknown .npy version 7 in 'FOLDER/a.npy'; versions 1, 2 and 3 are "
            "known");
}

TEST_F(ArrayArchiveTest, TruncationIsNoticed) {
  EXPECT_EQ(withoutFolder(getText(readArrayFile(
                writeText("a.npy", StringRef("\x93NUMPY\1\0\x76\0{  }", 14))))),
            "expected a header of 118 bytes in 'FOLDER/a.npy', but it ends "
            "after 14 bytes; it is truncated, save it again");
  EXPECT_EQ(withoutFolder(getText(readArrayFile(
                writeText("a.npy", StringRef("\x93NUMPY\2\0\x76\0\0", 11))))),
            "expected a header in 'FOLDER/a.npy', but it ends after 11 bytes; "
            "it is truncated, save it again");
  EXPECT_EQ(
      withoutFolder(getNpyError(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8)}", "1234")),
      "expected elements of type 2x8xf32 in 'FOLDER/a.npy', but it ends after "
      "71 bytes; it is truncated, save it again");
}

// A product beyond 64 bits must neither wrap nor be allocated.
TEST_F(ArrayArchiveTest, HugeShapesAreTruncation) {
  EXPECT_EQ(
      withoutFolder(getNpyError("{'descr': '<f8', 'fortran_order': False, "
                                "'shape': (4294967296, 4294967296)}")),
      "expected elements of type 4294967296x4294967296xf64 in "
      "'FOLDER/a.npy', but it ends after 85 bytes; it is truncated, save it "
      "again");
}

TEST_F(ArrayArchiveTest, TrailingBytesAreRefused) {
  EXPECT_EQ(
      withoutFolder(getNpyError(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "12345")),
      "expected 4 bytes of elements of type 1xf32 in 'FOLDER/a.npy', but "
      "got 5; save it again");
}

//===----------------------------------------------------------------------===//
// What is refused: archives
//===----------------------------------------------------------------------===//

TEST_F(ArrayArchiveTest, MissingFileAndFolderAreNamed) {
  EXPECT_EQ(withoutFolder(getText(ArrayArchive::open(getPath("no.npz")))),
            "cannot open 'FOLDER/no.npz': No such file or directory");
  EXPECT_EQ(withoutFolder(getText(ArrayArchive::open(folder))),
            "cannot open 'FOLDER': it is a directory; name an .npz file");
  EXPECT_EQ(withoutFolder(getText(readArrayFile(getPath("no.npy")))),
            "cannot open 'FOLDER/no.npy': No such file or directory");
}

TEST_F(ArrayArchiveTest, NoZipIsExplained) {
  const std::string array = getPath("a.npy");
  ASSERT_EQ(getText(writeArrayFile(array, HostArray(AMP_RT_ELEMENT_F32, {2}))),
            "(success)");
  EXPECT_EQ(withoutFolder(getText(ArrayArchive::open(array))),
            "expected 'FOLDER/a.npy' to be an .npz file, but it is a single "
            ".npy array; save it with numpy.savez(file, x0=..., x1=...)");
  EXPECT_EQ(withoutFolder(getText(
                ArrayArchive::open(writeText("b.npz", "module {\n}\n")))),
            "expected 'FOLDER/b.npz' to be an .npz file (a zip archive), but "
            "it is not; save it with numpy.savez");
}

TEST_F(ArrayArchiveTest, TruncatedArchiveIsNoticed) {
  HostArray array(AMP_RT_ELEMENT_F32, {100});
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {{"x", &array}})),
            "(success)");
  const std::string whole = readText("a.npz");
  EXPECT_EQ(withoutFolder(getText(ArrayArchive::open(
                writeText("a.npz", StringRef(whole).drop_back(30))))),
            "expected 'FOLDER/a.npz' to be a whole .npz file, but its end is "
            "missing; it is truncated, save it again");
}

TEST_F(ArrayArchiveTest, MissingArrayIsNamedWithThoseThatAreThere) {
  HostArray array(AMP_RT_ELEMENT_F32, {1});
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"),
                                 {{"images", &array}, {"labels", &array}})),
            "(success)");
  ArrayArchive archive = take(ArrayArchive::open(getPath("a.npz")));
  EXPECT_EQ(withoutFolder(getText(archive.read("x0"))),
            "expected array 'x0' in 'FOLDER/a.npz', but it has 'images', "
            "'labels'");
  ASSERT_EQ(getText(writeArchive(getPath("b.npz"), {})), "(success)");
  ArrayArchive empty = take(ArrayArchive::open(getPath("b.npz")));
  EXPECT_EQ(withoutFolder(getText(empty.read("x0"))),
            "expected array 'x0' in 'FOLDER/b.npz', but it has no arrays");
}

TEST_F(ArrayArchiveTest, DamageIsNoticed) {
  HostArray array(AMP_RT_ELEMENT_F32, {64});
  for (int i = 0; i < 64; ++i)
    array.setFromDouble(i, i * 0.37);
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {{"x", &array}})),
            "(success)");
  // Each byte of the member in turn, so that all ways to be damaged occur.
  const std::string whole = readText("a.npz");
  std::set<std::string> reasons;
  for (size_t i = 35; i < 250; ++i) {
    std::string damaged = whole;
    damaged[i] = char(damaged[i] ^ 0x10);
    auto archive = ArrayArchive::open(writeText("b.npz", damaged));
    ASSERT_TRUE(bool(archive)) << getText(archive.takeError());
    auto back = archive->read("x");
    ASSERT_FALSE(bool(back)) << "byte " << i;
    const std::string text = withoutFolder(getText(back.takeError()));
    EXPECT_TRUE(StringRef(text).contains("'x' in 'FOLDER/b.npz'")) << text;
    reasons.insert(text);
  }
  for (const char *reason : {"it cannot be inflated", "it ends early",
                             "its checksum is not that of its bytes"})
    EXPECT_TRUE(
        reasons.count(std::string("cannot read array 'x' in 'FOLDER/b.npz': ") +
                      reason + "; the file is damaged, save it again"))
        << reason;

  // A checksum that does not fit, in the local header and in the directory.
  std::string damaged = whole;
  const size_t directory = damaged.find("PK\1\2");
  damaged[directory + 16] = char(damaged[directory + 16] ^ 1);
  damaged[14] = char(damaged[14] ^ 1);
  ArrayArchive archive = take(ArrayArchive::open(writeText("b.npz", damaged)));
  EXPECT_EQ(withoutFolder(getText(archive.read("x"))),
            "cannot read array 'x' in 'FOLDER/b.npz': its checksum is not that "
            "of its bytes; the file is damaged, save it again");
}

// A directory that claims terabytes is refused before memory is taken.
TEST_F(ArrayArchiveTest, ImpossibleSizesAreRefused) {
  HostArray array(AMP_RT_ELEMENT_F32, {64});
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {{"x", &array}})),
            "(success)");
  std::string damaged = readText("a.npz");
  const size_t directory = damaged.find("PK\1\2");
  llvm::support::endian::write32le(&damaged[directory + 24], 0xfffffff0);
  ArrayArchive archive = take(ArrayArchive::open(writeText("b.npz", damaged)));
  EXPECT_EQ(withoutFolder(getText(archive.read("x"))),
            "cannot read array 'x' in 'FOLDER/b.npz': it claims more bytes "
            "than the file can hold; the file is damaged, save it again");
}

// Each field of both headers of a member is at a known place: the method, and
// the flag that says "encrypted".
TEST_F(ArrayArchiveTest, MethodsAndEncryptionAreNamed) {
  HostArray array(AMP_RT_ELEMENT_F32, {64});
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {{"x", &array}})),
            "(success)");
  const std::string whole = readText("a.npz");
  const size_t directory = whole.find("PK\1\2");
  auto getError = [&](size_t local, size_t central, uint16_t value) {
    std::string text = whole;
    llvm::support::endian::write16le(&text[local], value);
    llvm::support::endian::write16le(&text[directory + central], value);
    ArrayArchive archive = take(ArrayArchive::open(writeText("b.npz", text)));
    return withoutFolder(getText(archive.read("x")));
  };
  for (auto [method, name] : {std::pair(9, "Deflate64"), std::pair(12, "bzip2"),
                              std::pair(14, "LZMA"), std::pair(93, "Zstandard"),
                              std::pair(95, "xz"), std::pair(98, "method 98")})
    EXPECT_EQ(getError(8, 10, uint16_t(method)),
              std::string("expected array 'x' in 'FOLDER/b.npz' to be stored "
                          "or deflated, but it has the unsupported "
                          "compression ") +
                  name +
                  "; save it with numpy.savez or numpy.savez_compressed");
  EXPECT_EQ(getError(6, 8, 1),
            "expected array 'x' in 'FOLDER/b.npz' to be readable by all, but "
            "it is encrypted, which is unsupported; save it with numpy.savez");
}

// A header alone is read where a type is asked for: these 64 MiB of zeros are
// 64 KiB in the file, and damage behind the header is not met.
TEST_F(ArrayArchiveTest, TypesAreReadWithoutElements) {
  HostArray array(AMP_RT_ELEMENT_F64, {1024, 8192});
  ASSERT_EQ(getText(writeArchive(getPath("a.npz"), {{"x", &array}})),
            "(success)");
  std::string text = readText("a.npz");
  ASSERT_LT(text.size(), size_t(100000));
  text[text.size() / 2] = char(text[text.size() / 2] ^ 0xff);
  ArrayArchive archive = take(ArrayArchive::open(writeText("b.npz", text)));
  EXPECT_EQ(take(archive.readType("x")).getText(), "1024x8192xf64");
  EXPECT_NE(getText(archive.read("x")), "(success)");
  EXPECT_EQ(withoutFolder(getText(archive.readType("y"))),
            "expected array 'y' in 'FOLDER/b.npz', but it has 'x'");
}

//===----------------------------------------------------------------------===//
// Writing that fails
//===----------------------------------------------------------------------===//

/// The question leaves the folder as it was, and the file that is there.
TEST_F(ArrayArchiveTest, AskingLeavesNothing) {
  HostArray array(AMP_RT_ELEMENT_F32, {1});
  EXPECT_EQ(getText(checkCanWrite(getPath("new.npz"))), "(success)");
  EXPECT_FALSE(llvm::sys::fs::exists(getPath("new.npz")));
  ASSERT_EQ(getText(writeArchive(getPath("old.npz"), {{"x", &array}})),
            "(success)");
  EXPECT_EQ(getText(checkCanWrite(getPath("old.npz"))), "(success)");
  EXPECT_TRUE(static_cast<bool>(ArrayArchive::open(getPath("old.npz"))));
}

TEST_F(ArrayArchiveTest, UnwritablePlacesAreNamed) {
  HostArray array(AMP_RT_ELEMENT_F32, {1});
  EXPECT_EQ(withoutFolder(
                getText(writeArchive(getPath("no/a.npz"), {{"x", &array}}))),
            "cannot write 'FOLDER/no/a.npz': No such file or directory; name "
            "a file in a folder that can be written to");
  // Asked beforehand, the answer is the same.
  EXPECT_EQ(withoutFolder(getText(checkCanWrite(getPath("no/a.npz")))),
            "cannot write 'FOLDER/no/a.npz': No such file or directory; name "
            "a file in a folder that can be written to");
  EXPECT_EQ(withoutFolder(getText(writeArchive(folder, {{"x", &array}}))),
            "cannot write 'FOLDER': it is not a regular file; name another "
            "one");
  EXPECT_EQ(getText(checkCanWrite("/dev/full")),
            "cannot write '/dev/full': it is not a regular file; name another "
            "one");
  EXPECT_EQ(getText(writeArrayFile("/dev/full", array)),
            "cannot write '/dev/full': it is not a regular file; name another "
            "one");
}

// A limit on file sizes stands in for a full disk: the write fails part way.
TEST_F(ArrayArchiveTest, FullDiskKeepsTheOldFileAndLeavesNoHalf) {
  const std::string path = getPath("a.npy");
  HostArray small = makeArray(AMP_RT_ELEMENT_F32, {1}, {1});
  ASSERT_EQ(getText(writeArrayFile(path, small)), "(success)");

  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit = before;
  limit.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string error =
      getText(writeArrayFile(path, HostArray(AMP_RT_ELEMENT_F32, {100000})));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(withoutFolder(error), "cannot write 'FOLDER/a.npy': File too "
                                  "large; nothing was written");
  EXPECT_EQ(getFiles(), std::vector<std::string>{"a.npy"});
  EXPECT_EQ(getValues(take(readArrayFile(path))), std::vector<double>{1});
}

TEST_F(ArrayArchiveTest, ProtectionIsKept) {
  namespace fs = llvm::sys::fs;
  HostArray array = makeArray(AMP_RT_ELEMENT_F32, {1}, {3});
  const std::string path = writeText("a.npy", "old");
  ASSERT_FALSE(fs::setPermissions(path, fs::owner_read | fs::owner_write));
  ASSERT_EQ(getText(writeArrayFile(path, array)), "(success)");
  EXPECT_EQ(llvm::cantFail(llvm::errorOrToExpected(fs::getPermissions(path))),
            fs::owner_read | fs::owner_write);
  ASSERT_FALSE(fs::setPermissions(path, fs::owner_read));
  for (const std::string &error :
       {getText(checkCanWrite(path)), getText(writeArrayFile(path, array))})
    EXPECT_EQ(withoutFolder(error), "cannot write 'FOLDER/a.npy': it is "
                                    "write-protected; name another file");
  EXPECT_EQ(getFiles(), std::vector<std::string>{"a.npy"});
}

TEST_F(ArrayArchiveTest, LinksKeepTheirPlace) {
  HostArray array = makeArray(AMP_RT_ELEMENT_F32, {1}, {3});
  writeText("real.npy", "old");
  ASSERT_FALSE(
      llvm::sys::fs::create_link(getPath("real.npy"), getPath("link.npy")));
  ASSERT_EQ(getText(writeArrayFile(getPath("link.npy"), array)), "(success)");
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(getPath("link.npy")));
  EXPECT_EQ(getValues(take(readArrayFile(getPath("real.npy")))),
            std::vector<double>{3});
}

// What is not there yet is created where the links lead.
TEST_F(ArrayArchiveTest, DanglingLinksAreFollowed) {
  namespace fs = llvm::sys::fs;
  HostArray array = makeArray(AMP_RT_ELEMENT_F32, {1}, {3});
  ASSERT_FALSE(fs::create_directory(getPath("sub")));
  ASSERT_FALSE(fs::create_link("sub/second", getPath("first")));
  ASSERT_FALSE(fs::create_link("../real.npy", getPath("sub/second")));
  ASSERT_EQ(getText(checkCanWrite(getPath("first"))), "(success)");
  EXPECT_FALSE(fs::exists(getPath("real.npy")));
  ASSERT_EQ(getText(writeArrayFile(getPath("first"), array)), "(success)");
  EXPECT_TRUE(fs::is_symlink_file(getPath("first")));
  EXPECT_TRUE(fs::is_symlink_file(getPath("sub/second")));
  EXPECT_EQ(getValues(take(readArrayFile(getPath("real.npy")))),
            std::vector<double>{3});

  ASSERT_FALSE(fs::create_link("no/real.npy", getPath("nowhere")));
  ASSERT_FALSE(fs::create_link("loop", getPath("loop")));
  for (const std::string &error :
       {getText(checkCanWrite(getPath("nowhere"))),
        getText(writeArrayFile(getPath("nowhere"), array))})
    EXPECT_EQ(withoutFolder(error),
              "cannot write 'FOLDER/nowhere': No such file or directory; name "
              "a file in a folder that can be written to");
  EXPECT_EQ(withoutFolder(getText(writeArrayFile(getPath("loop"), array))),
            "cannot write 'FOLDER/loop': Too many levels of symbolic links; "
            "name a file");
  EXPECT_TRUE(fs::is_symlink_file(getPath("nowhere")));
  EXPECT_TRUE(fs::is_symlink_file(getPath("loop")));
}
