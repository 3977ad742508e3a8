//===- ArrayArchive.cpp - Arrays in .npy and .npz files -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An .npz file is a zip archive of .npy members. zlib's minizip reads and
// writes the container, NpyFormat the members. An archive is built in memory
// (compressed) and goes to disk through the same atomic writer as a single
// array.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ArrayArchive.h"
#include "NpyFormat.h"
#include "amp/Execution/WholeFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr llvm::StringLiteral kExtension(".npy");

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

struct ArrayArchive::Impl {
  std::string path;
  unzFile zip = nullptr;
  uint64_t fileSize = 0;
  std::vector<std::string> names;
  llvm::StringMap<unz64_file_pos> places;

  ~Impl() {
    if (zip)
      unzClose(zip);
  }
};

/// What an archive says of the member that it stands at, and its name.
static std::optional<std::pair<unz_file_info64, std::string>>
readCurrentInfo(unzFile zip) {
  unz_file_info64 info;
  if (unzGetCurrentFileInfo64(zip, &info, nullptr, 0, nullptr, 0, nullptr, 0) !=
      UNZ_OK)
    return std::nullopt;
  std::string name(info.size_filename, '\0');
  if (unzGetCurrentFileInfo64(zip, nullptr, name.data(), name.size(), nullptr,
                              0, nullptr, 0) != UNZ_OK)
    return std::nullopt;
  return std::pair(info, std::move(name));
}

ArrayType mlir::amp::getType(const HostArray &array) {
  return {array.getKind(), llvm::SmallVector<int64_t, 4>(array.getShape())};
}

ArrayArchive::ArrayArchive(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
ArrayArchive::ArrayArchive(ArrayArchive &&) = default;
ArrayArchive &ArrayArchive::operator=(ArrayArchive &&) = default;
ArrayArchive::~ArrayArchive() = default;

StringRef ArrayArchive::getPath() const { return impl->path; }
llvm::ArrayRef<std::string> ArrayArchive::getNames() const {
  return impl->names;
}
bool ArrayArchive::contains(StringRef name) const {
  return impl->places.contains(name);
}

/// What a status of minizip says; zlib's own are among them.
static std::string describeError(int status) {
  switch (status) {
  case UNZ_ERRNO:
    return std::strerror(errno);
  case UNZ_CRCERROR:
    return "its checksum is not that of its bytes";
  case UNZ_BADZIPFILE:
    return "its headers contradict each other";
  case Z_DATA_ERROR:
  case Z_BUF_ERROR:
    return "it cannot be inflated";
  case Z_MEM_ERROR:
    return "out of memory";
  default:
    return "minizip's error " + std::to_string(status);
  }
}

static Error makeOpenError(StringRef path, Twine reason) {
  return createStringError(Twine("cannot open '") + path + "': " + reason);
}

/// The first bytes of a file, zeros behind its end.
static llvm::ErrorOr<std::string> readStart(StringRef path) {
  FILE *file = std::fopen(path.str().c_str(), "rb");
  if (!file)
    return std::error_code(errno, std::generic_category());
  std::string start(6, '\0');
  size_t got = std::fread(start.data(), 1, start.size(), file);
  (void)got; // zeros match nothing that is asked for
  std::fclose(file);
  return start;
}

/// Says why `path` was taken for no archive, by how the file starts.
static Error explainNoZip(StringRef path, StringRef magic) {
  if (magic.starts_with("PK"))
    return createStringError(Twine("expected '") + path +
                             "' to be a whole .npz file, but its end is "
                             "missing; it is truncated, save it again");
  if (magic == "\x93NUMPY")
    return createStringError(
        Twine("expected '") + path +
        "' to be an .npz file, but it is a single .npy array; save it with "
        "numpy.savez(file, x0=..., x1=...)");
  return createStringError(Twine("expected '") + path +
                           "' to be an .npz file (a zip archive), but it is "
                           "not; save it with numpy.savez");
}

Expected<ArrayArchive> ArrayArchive::open(StringRef path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path.str();
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return makeOpenError(path, error.message());
  if (llvm::sys::fs::is_directory(status))
    return makeOpenError(path, "it is a directory; name an .npz file");
  // The list of members is at the end, where a pipe cannot be read from.
  if (!llvm::sys::fs::is_regular_file(status))
    return makeOpenError(path, "it is not a regular file; write what it gives "
                               "to a file and name that");
  impl->fileSize = status.getSize();

  // Asked first, for the reason: minizip gives none.
  llvm::ErrorOr<std::string> start = readStart(path);
  if (!start)
    return makeOpenError(path, start.getError().message());
  // The end of the directory at the start: without members, which minizip takes
  // for no archive.
  if (StringRef(*start).starts_with("PK\5\6"))
    return ArrayArchive(std::move(impl));
  impl->zip = unzOpen64(impl->path.c_str());
  if (!impl->zip)
    return explainNoZip(path, *start);
  unz_global_info64 global;
  if (unzGetGlobalInfo64(impl->zip, &global) != UNZ_OK)
    return explainNoZip(path, *start);
  int walked = global.number_entry ? unzGoToFirstFile(impl->zip)
                                   : UNZ_END_OF_LIST_OF_FILE;
  for (; walked == UNZ_OK; walked = unzGoToNextFile(impl->zip)) {
    auto member = readCurrentInfo(impl->zip);
    unz64_file_pos place;
    if (!member || unzGetFilePos64(impl->zip, &place) != UNZ_OK)
      return explainNoZip(path, *start);
    StringRef name = member->second;
    if (!name.consume_back(kExtension))
      continue;
    if (impl->places.insert_or_assign(name, place).second)
      impl->names.push_back(name.str());
  }
  if (walked != UNZ_END_OF_LIST_OF_FILE)
    return explainNoZip(path, *start);
  return ArrayArchive(std::move(impl));
}

std::string ArrayArchive::describe(StringRef name) const {
  return (Twine("array '") + name + "' in '" + impl->path + "'").str();
}

/// The member that is open for reading; an archive has one at a time.
class ArrayArchive::Member {
public:
  static Expected<Member> open(const ArrayArchive &archive, StringRef name);
  Member(Member &&other)
      : what(std::move(other.what)), size(other.size),
        zip(std::exchange(other.zip, nullptr)) {}
  ~Member() {
    if (zip)
      unzCloseCurrentFile(zip);
  }

  Expected<NpyHeader> readHeader() {
    return readNpyHeader([this](auto buffer) { return read(buffer); },
                         int64_t(size), what);
  }
  Expected<HostArray> readElements(const NpyHeader &header) {
    return readNpyElements([this](auto buffer) { return read(buffer); },
                           header);
  }
  /// Fails unless the checksum of all that was read is right; minizip compares
  /// it once the member was read whole, as the readers do.
  Error finish() {
    if (const int status = unzCloseCurrentFile(std::exchange(zip, nullptr)))
      return makeDamaged(what, describeError(status));
    return Error::success();
  }

private:
  Member(std::string what, uint64_t size, unzFile zip)
      : what(std::move(what)), size(size), zip(zip) {}
  static Error makeDamaged(StringRef what, Twine reason) {
    return createStringError(Twine("cannot read ") + what + ": " + reason +
                             "; the file is damaged, save it again");
  }
  Error read(llvm::MutableArrayRef<char> buffer) {
    constexpr size_t kMaxPart = 1 << 30; // counts are of type unsigned
    while (!buffer.empty()) {
      const int got = unzReadCurrentFile(
          zip, buffer.data(), unsigned(std::min(buffer.size(), kMaxPart)));
      if (got < 0)
        return makeDamaged(what, describeError(got));
      if (got == 0)
        return makeDamaged(what, "it ends early");
      buffer = buffer.drop_front(got);
    }
    return Error::success();
  }

  std::string what;
  uint64_t size;
  unzFile zip;
};

/// Methods that zip files have: two that NumPy writes, and names of others.
enum : unsigned { kStored = 0, kDeflated = Z_DEFLATED };
static std::string getMethodName(unsigned method) {
  switch (method) {
  case 9:
    return "Deflate64";
  case 12:
    return "bzip2";
  case 14:
    return "LZMA";
  case 93:
    return "Zstandard";
  case 95:
    return "xz";
  default:
    return "method " + std::to_string(method);
  }
}

Expected<ArrayArchive::Member>
ArrayArchive::Member::open(const ArrayArchive &archive, StringRef name) {
  const std::string what = archive.describe(name);
  const Impl &impl = *archive.impl;
  auto place = impl.places.find(name);
  if (place == impl.places.end()) {
    std::string found;
    constexpr size_t kShown = 8;
    for (const std::string &other :
         llvm::ArrayRef(impl.names).take_front(kShown))
      found += (found.empty() ? "'" : ", '") + other + "'";
    if (impl.names.size() > kShown)
      found += " and " + std::to_string(impl.names.size() - kShown) + " more";
    return createStringError(Twine("expected ") + what + ", but it has " +
                             (found.empty() ? "no arrays" : found));
  }

  int status = unzGoToFilePos64(impl.zip, &place->second);
  if (status != UNZ_OK)
    return makeDamaged(what, describeError(status));
  auto member = readCurrentInfo(impl.zip);
  if (!member)
    return makeDamaged(what, describeError(UNZ_BADZIPFILE));
  const unz_file_info64 &info = member->first;
  const bool isStored = info.compression_method == kStored;
  if (!isStored && info.compression_method != kDeflated)
    return createStringError(
        Twine("expected ") + what +
        " to be stored or deflated, but it has the unsupported compression " +
        getMethodName(info.compression_method) +
        "; save it with numpy.savez or numpy.savez_compressed");
  constexpr unsigned kEncrypted = 1; // a bit of the format's flags
  if (info.flag & kEncrypted)
    return createStringError(Twine("expected ") + what +
                             " to be readable by all, but it is encrypted, "
                             "which is unsupported; save it with numpy.savez");
  // Deflate gains a factor of 1032 at most, so a larger claim is no archive's:
  // checked before memory is taken for it.
  const uint64_t kMaxDeflateRatio = 1032;
  if (info.compressed_size > impl.fileSize ||
      info.uncompressed_size / (isStored ? 1 : kMaxDeflateRatio) >
          info.compressed_size)
    return makeDamaged(what, "it claims more bytes than the file can hold");

  status = unzOpenCurrentFile(impl.zip);
  if (status != UNZ_OK)
    return makeDamaged(what, describeError(status));
  return Member(what, info.uncompressed_size, impl.zip);
}

Expected<ArrayType> ArrayArchive::readType(StringRef name) const {
  Expected<Member> member = Member::open(*this, name);
  if (!member)
    return member.takeError();
  Expected<NpyHeader> header = member->readHeader();
  if (!header)
    return header.takeError();
  return header->type;
}

Expected<HostArray> ArrayArchive::read(StringRef name) const {
  Expected<Member> member = Member::open(*this, name);
  if (!member)
    return member.takeError();
  Expected<NpyHeader> header = member->readHeader();
  if (!header)
    return header.takeError();
  Expected<HostArray> array = member->readElements(*header);
  if (!array)
    return array.takeError();
  if (Error error = member->finish())
    return error;
  return array;
}

Expected<HostArray> mlir::amp::readArrayFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeOpenError(path, buffer.getError().message());
  StringRef rest = (*buffer)->getBuffer();
  auto readBytes = [&](llvm::MutableArrayRef<char> out) -> Error {
    // The readers ask for no more than the size they were given.
    std::memcpy(out.data(), rest.data(), out.size());
    rest = rest.drop_front(out.size());
    return Error::success();
  };
  Expected<NpyHeader> header =
      readNpyHeader(readBytes, rest.size(), (Twine("'") + path + "'").str());
  if (!header)
    return header.takeError();
  return readNpyElements(readBytes, *header);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Error mlir::amp::writeArrayFile(StringRef path, const HostArray &array) {
  return writeWholeFile(path, [&](llvm::raw_ostream &os) {
    os << makeNpyHeader(array.getKind(), array.getShape());
    os.write(array.as<char>(), array.getNumBytes());
    return Error::success();
  });
}

namespace {
/// The bytes of an archive as minizip writes them, for it goes back to fill in
/// sizes.
class MemoryFile {
public:
  /// Functions that write to this file, whatever name they are given.
  zlib_filefunc64_def getFunctions() {
    zlib_filefunc64_def functions = {};
    functions.opaque = this;
    functions.zopen64_file = [](voidpf file, const void *, int) {
      return file;
    };
    functions.zread_file = [](voidpf file, voidpf, void *buffer, uLong size) {
      return static_cast<MemoryFile *>(file)->read(buffer, size);
    };
    functions.zwrite_file = [](voidpf file, voidpf, const void *data,
                               uLong size) {
      return static_cast<MemoryFile *>(file)->write(data, size);
    };
    functions.ztell64_file = [](voidpf file, voidpf) -> ZPOS64_T {
      return static_cast<MemoryFile *>(file)->place;
    };
    functions.zseek64_file = [](voidpf file, voidpf, ZPOS64_T offset,
                                int origin) -> long {
      return static_cast<MemoryFile *>(file)->seek(offset, origin);
    };
    functions.zclose_file = [](voidpf, voidpf) { return 0; };
    functions.zerror_file = [](voidpf, voidpf) { return 0; };
    return functions;
  }
  StringRef getBytes() const { return bytes; }

private:
  uLong read(void *buffer, uLong size) {
    const StringRef part = StringRef(bytes).substr(place, size);
    std::memcpy(buffer, part.data(), part.size());
    place += part.size();
    return part.size();
  }
  uLong write(const void *data, uLong size) {
    if (bytes.size() < place + size)
      bytes.resize(place + size);
    std::memcpy(bytes.data() + place, data, size);
    place += size;
    return size;
  }
  long seek(uint64_t offset, int origin) {
    place = (origin == ZLIB_FILEFUNC_SEEK_CUR   ? place
             : origin == ZLIB_FILEFUNC_SEEK_END ? bytes.size()
                                                : 0) +
            offset;
    return 0;
  }

  std::string bytes;
  size_t place = 0;
};
} // namespace

/// Adds a member of these bytes, one part behind the other. Returns minizip's
/// status.
static int addMember(zipFile zip, const std::string &name,
                     llvm::ArrayRef<StringRef> parts) {
  // 1980-01-01, the first date of the format: equal arrays, equal files.
  zip_fileinfo info = {};
  info.dosDate = ((1 << 5) | 1) << 16;
  constexpr unsigned kVersionOnUnix = 3 << 8, kNamesAreUtf8 = 1 << 11;
  uint64_t size = 0;
  for (StringRef part : parts)
    size += part.size();
  const bool needs64 = size >= 0xf0000000; // deflated it can grow a little
  int status = zipOpenNewFileInZip4_64(
      zip, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
      Z_DEFAULT_COMPRESSION, /*raw=*/0, -MAX_WBITS, DEF_MEM_LEVEL,
      Z_DEFAULT_STRATEGY, /*password=*/nullptr, /*crcForCrypting=*/0,
      kVersionOnUnix, kNamesAreUtf8, needs64);
  constexpr size_t kMaxPart = 1 << 30; // counts are of type unsigned
  for (StringRef part : parts)
    for (; status == ZIP_OK && !part.empty();
         part = part.drop_front(std::min(part.size(), kMaxPart)))
      status = zipWriteInFileInZip(zip, part.data(),
                                   unsigned(std::min(part.size(), kMaxPart)));
  return status == ZIP_OK ? zipCloseFileInZip(zip) : status;
}

Error mlir::amp::writeArchive(StringRef path, const NamedArrays &arrays) {
  MemoryFile file;
  zlib_filefunc64_def functions = file.getFunctions();
  zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  int status = zip ? ZIP_OK : ZIP_INTERNALERROR;
  for (const auto &[name, array] : arrays)
    if (status == ZIP_OK)
      status = addMember(zip, name + kExtension.str(),
                         {makeNpyHeader(array->getKind(), array->getShape()),
                          StringRef(array->as<char>(), array->getNumBytes())});
  if (zip) {
    const int closed = zipClose(zip, nullptr);
    status = status == ZIP_OK ? closed : status;
  }
  if (status != ZIP_OK)
    return createStringError(Twine("cannot write '") + path + "': " +
                             describeError(status) + "; nothing was written");
  return writeWholeFile(path, [&](llvm::raw_ostream &os) {
    os << file.getBytes();
    return Error::success();
  });
}
