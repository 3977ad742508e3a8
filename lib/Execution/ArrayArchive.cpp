//===- ArrayArchive.cpp - Arrays in .npy and .npz files -------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An .npz file is a zip archive of .npy members. libzip reads and writes the
// container, NpyFormat the members. An archive is built in memory (compressed)
// and goes to disk through the same atomic writer as a single array: libzip's
// own writer neither syncs nor leaves the choice of the temporary name.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/ArrayArchive.h"
#include "LinkTarget.h"
#include "NpyFormat.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zip.h>

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
  zip_t *zip = nullptr;
  uint64_t fileSize = 0;
  std::vector<std::string> names;
  llvm::StringMap<zip_uint64_t> indices;

  ~Impl() {
    if (zip)
      zip_discard(zip);
  }
};

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
  return impl->indices.contains(name);
}

static Error makeOpenError(StringRef path, Twine reason) {
  return createStringError(Twine("cannot open '") + path + "': " + reason);
}

/// Says why libzip took `path` for no archive, by how the file starts.
static Error explainNoZip(StringRef path) {
  char start[6] = {};
  if (FILE *file = std::fopen(path.str().c_str(), "rb")) {
    size_t got = std::fread(start, 1, sizeof(start), file);
    (void)got; // a short file leaves zeros, which match nothing below
    std::fclose(file);
  }
  const StringRef magic(start, sizeof(start));
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

  int code = 0;
  impl->zip = zip_open(impl->path.c_str(), ZIP_RDONLY, &code);
  if (!impl->zip) {
    if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS)
      return explainNoZip(path);
    if (code == ZIP_ER_OPEN || code == ZIP_ER_READ)
      return makeOpenError(path, std::strerror(errno));
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    llvm::scope_exit cleanup([&] { zip_error_fini(&error); });
    return makeOpenError(path, zip_error_strerror(&error));
  }
  const zip_int64_t count = zip_get_num_entries(impl->zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *member = zip_get_name(impl->zip, i, ZIP_FL_ENC_GUESS);
    StringRef name = member ? member : "";
    if (!name.consume_back(kExtension))
      continue;
    if (impl->indices.insert_or_assign(name, i).second)
      impl->names.push_back(name.str());
  }
  return ArrayArchive(std::move(impl));
}

std::string ArrayArchive::describe(StringRef name) const {
  return (Twine("array '") + name + "' in '" + impl->path + "'").str();
}

/// A member that is open for reading.
class ArrayArchive::Member {
public:
  static Expected<Member> open(const ArrayArchive &archive, StringRef name);
  Member(Member &&other)
      : what(std::move(other.what)), size(other.size),
        file(std::exchange(other.file, nullptr)) {}
  ~Member() {
    if (file)
      zip_fclose(file);
  }

  Expected<NpyHeader> readHeader() {
    return readNpyHeader([this](auto buffer) { return read(buffer); },
                         int64_t(size), what);
  }
  Expected<HostArray> readElements(const NpyHeader &header) {
    return readNpyElements([this](auto buffer) { return read(buffer); },
                           header);
  }
  /// Fails unless everything was read and its checksum is right; libzip
  /// compares it when it meets the end, and not before.
  Error finish() {
    char end;
    const zip_int64_t extra = zip_fread(file, &end, 1);
    if (extra < 0)
      return makeDamaged(what, zip_file_strerror(file));
    if (extra > 0)
      return makeDamaged(what, "it goes on after its end");
    return Error::success();
  }

private:
  Member(std::string what, uint64_t size, zip_file_t *file)
      : what(std::move(what)), size(size), file(file) {}
  static Error makeDamaged(StringRef what, Twine reason) {
    return createStringError(Twine("cannot read ") + what + ": " + reason +
                             "; the file is damaged, save it again");
  }
  Error read(llvm::MutableArrayRef<char> buffer) {
    while (!buffer.empty()) {
      const zip_int64_t got = zip_fread(file, buffer.data(), buffer.size());
      // An early end is an error of libzip's too, for it compares sizes.
      if (got <= 0)
        return makeDamaged(what, zip_file_strerror(file));
      buffer = buffer.drop_front(got);
    }
    return Error::success();
  }

  std::string what;
  uint64_t size;
  zip_file_t *file;
};

/// Names of the methods that zip files have and NumPy does not write.
static std::string getMethodName(unsigned method) {
  switch (method) {
  case ZIP_CM_BZIP2:
    return "bzip2";
  case ZIP_CM_LZMA:
    return "LZMA";
  case ZIP_CM_XZ:
    return "xz";
  case 93: // not named by libzip before 1.8
    return "Zstandard";
  case ZIP_CM_DEFLATE64:
    return "Deflate64";
  default:
    return "method " + std::to_string(method);
  }
}

Expected<ArrayArchive::Member>
ArrayArchive::Member::open(const ArrayArchive &archive, StringRef name) {
  const std::string what = archive.describe(name);
  const Impl &impl = *archive.impl;
  auto member = impl.indices.find(name);
  if (member == impl.indices.end()) {
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

  zip_stat_t stat;
  if (zip_stat_index(impl.zip, member->second, 0, &stat) != 0)
    return makeDamaged(what, zip_strerror(impl.zip));
  // What libzip can read beyond these depends on how it was built; a file that
  // works must work everywhere.
  const bool isStored = stat.comp_method == ZIP_CM_STORE;
  if (!isStored && stat.comp_method != ZIP_CM_DEFLATE)
    return createStringError(
        Twine("expected ") + what +
        " to be stored or deflated, but it has the unsupported compression " +
        getMethodName(stat.comp_method) +
        "; save it with numpy.savez or numpy.savez_compressed");
  if (stat.encryption_method != ZIP_EM_NONE)
    return createStringError(Twine("expected ") + what +
                             " to be readable by all, but it is encrypted, "
                             "which is unsupported; save it with numpy.savez");
  // Deflate gains a factor of 1032 at most, so a larger claim is no archive's:
  // checked before memory is taken for it.
  const uint64_t kMaxDeflateRatio = 1032;
  if (stat.comp_size > impl.fileSize ||
      stat.size / (isStored ? 1 : kMaxDeflateRatio) > stat.comp_size)
    return makeDamaged(what, "it claims more bytes than the file can hold");

  zip_file_t *file = zip_fopen_index(impl.zip, member->second, 0);
  if (!file)
    return makeDamaged(what, zip_strerror(impl.zip));
  return Member(what, stat.size, file);
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

/// Opens a temporary file beside `path`, to be renamed to `target`.
static Error openTemporary(StringRef path, llvm::SmallVectorImpl<char> &target,
                           int &fd, llvm::SmallVectorImpl<char> &temporary) {
  namespace fs = llvm::sys::fs;
  auto makeError = [&](Twine reason) {
    return createStringError(Twine("cannot write '") + path + "': " + reason);
  };
  // A link keeps its place, its target is replaced, or created. A device or a
  // folder must not be replaced at all.
  if (std::error_code error = fs::real_path(path, target)) {
    if (error == std::errc::too_many_symbolic_link_levels)
      return makeError(error.message() + "; name a file");
    const std::string missing = getLinkTarget(path);
    target.assign(missing.begin(), missing.end());
  }
  fs::file_status status;
  const bool exists = !fs::status(target, status);
  if (exists && !fs::is_regular_file(status))
    return makeError("it is not a regular file; name another one");
  // Renaming would get around the protection, for it writes the folder alone.
  if (exists && !(status.permissions() & fs::all_write))
    return makeError("it is write-protected; name another file");
  if (std::error_code error = fs::createUniqueFile(
          Twine(StringRef(target.data(), target.size())) + ".tmp-%%%%%%", fd,
          temporary))
    return makeError(error.message() +
                     "; name a file in a folder that can be written to");
  // What others may do with the file is not changed by a new content.
  if (exists)
    (void)::fchmod(fd, status.permissions() & fs::all_perms);
  return Error::success();
}

Error mlir::amp::checkCanWrite(StringRef path) {
  llvm::SmallString<128> target, temporary;
  int fd = -1;
  if (Error error = openTemporary(path, target, fd, temporary))
    return error;
  ::close(fd);
  return llvm::errorCodeToError(llvm::sys::fs::remove(temporary));
}

/// Writes a file so that it is either the old or the new one: to a temporary
/// name beside it, synced, renamed, and the folder synced.
static Error
writeAtomically(StringRef path,
                llvm::function_ref<Error(llvm::raw_ostream &)> write) {
  namespace fs = llvm::sys::fs;
  auto makeError = [&](Twine reason) {
    return createStringError(Twine("cannot write '") + path + "': " + reason);
  };

  llvm::SmallString<128> target, temporary;
  int fd = -1;
  if (Error error = openTemporary(path, target, fd, temporary))
    return error;
  llvm::sys::RemoveFileOnSignal(temporary);
  llvm::scope_exit discard([&] {
    (void)fs::remove(temporary);
    llvm::sys::DontRemoveFileOnSignal(temporary);
  });

  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/false);
    llvm::scope_exit close([&] { ::close(fd); });
    Error written = write(os);
    os.flush();
    const std::error_code failure = os.error();
    os.clear_error();
    if (written)
      return written;
    if (failure)
      return makeError(failure.message() + "; nothing was written");
    if (::fsync(fd) != 0)
      return makeError(Twine(std::strerror(errno)) + "; nothing was written");
  }
  if (std::error_code error = fs::rename(temporary, target))
    return makeError(error.message() + "; nothing was written");
  discard.release();
  llvm::sys::DontRemoveFileOnSignal(temporary);

  // The new name survives a power cut only once its folder is on disk. Not
  // every file system can sync a folder; the file is complete either way.
  llvm::SmallString<128> folder = target;
  llvm::sys::path::remove_filename(folder);
  const int folderFd =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (folderFd >= 0) {
    (void)::fsync(folderFd);
    ::close(folderFd);
  }
  return Error::success();
}

Error mlir::amp::writeArrayFile(StringRef path, const HostArray &array) {
  return writeAtomically(path, [&](llvm::raw_ostream &os) {
    os << makeNpyHeader(array.getKind(), array.getShape());
    os.write(array.as<char>(), array.getNumBytes());
    return Error::success();
  });
}

/// Fills the archive that `sink` backs. The members borrow from `headers` and
/// `arrays` until the archive is closed, which this does.
static Error buildArchive(zip_source_t *sink,
                          llvm::ArrayRef<std::string> headers,
                          const NamedArrays &arrays, StringRef path) {
  zip_error_t error;
  zip_error_init(&error);
  llvm::scope_exit cleanup([&] { zip_error_fini(&error); });
  auto makeError = [&](const char *reason) {
    return createStringError(Twine("cannot write '") + path + "': " + reason +
                             "; nothing was written");
  };
  zip_t *zip = zip_open_from_source(sink, ZIP_TRUNCATE, &error);
  if (!zip)
    return makeError(zip_error_strerror(&error));
  llvm::scope_exit discard([&] { zip_discard(zip); });

  for (auto [header, named] : llvm::zip_equal(headers, arrays)) {
    zip_buffer_fragment_t parts[2];
    parts[0].data =
        reinterpret_cast<zip_uint8_t *>(const_cast<char *>(header.data()));
    parts[0].length = header.size();
    parts[1].data = const_cast<zip_uint8_t *>(named.second->as<zip_uint8_t>());
    parts[1].length = named.second->getNumBytes();
    zip_source_t *source = zip_source_buffer_fragment(
        zip, parts, named.second->getNumBytes() ? 2 : 1, /*freep=*/0);
    if (!source)
      return makeError(zip_strerror(zip));
    const zip_int64_t index =
        zip_file_add(zip, (named.first + kExtension).str().c_str(), source,
                     ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return makeError(zip_strerror(zip));
    }
    // 1980-01-01, the first date of the format: equal arrays, equal files.
    const zip_uint16_t kEpochDate = (1 << 5) | 1;
    zip_file_set_dostime(zip, index, 0, kEpochDate, 0);
  }
  if (zip_close(zip) != 0)
    return makeError(zip_strerror(zip));
  discard.release();
  return Error::success();
}

Error mlir::amp::writeArchive(StringRef path, const NamedArrays &arrays) {
  std::vector<std::string> headers;
  for (const auto &[name, array] : arrays)
    headers.push_back(makeNpyHeader(array->getKind(), array->getShape()));

  zip_source_t *sink = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  if (!sink)
    return createStringError(Twine("cannot write '") + path +
                             "': out of memory; nothing was written");
  // The archive takes one reference, this function keeps the other.
  zip_source_keep(sink);
  llvm::scope_exit release([&] { zip_source_free(sink); });
  if (Error error = buildArchive(sink, headers, arrays, path))
    return error;

  return writeAtomically(path, [&](llvm::raw_ostream &os) -> Error {
    // An archive without members closes without a sink; 22 bytes say "empty".
    if (arrays.empty()) {
      os << StringRef("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
      return Error::success();
    }
    auto makeError = [&] {
      return createStringError(Twine("cannot write '") + path + "': " +
                               zip_error_strerror(zip_source_error(sink)) +
                               "; nothing was written");
    };
    if (zip_source_open(sink) != 0)
      return makeError();
    llvm::scope_exit close([&] { zip_source_close(sink); });
    char buffer[1 << 16];
    zip_int64_t got;
    while ((got = zip_source_read(sink, buffer, sizeof(buffer))) > 0)
      os.write(buffer, got);
    if (got < 0)
      return makeError();
    return Error::success();
  });
}
