//===- StepLog.cpp - One JSON line for each step --------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/StepLog.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mlir::amp;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

llvm::json::Value mlir::amp::toJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

/// One field of the scalers: a plain value for one, an object for several.
static void writeScalerField(
    llvm::json::OStream &json, StringRef key, const StepRecord &record,
    llvm::function_ref<llvm::json::Value(const ScalerRecord &)> get) {
  if (record.scalers.size() == 1) {
    json.attribute(key, get(record.scalers.front()));
    return;
  }
  json.attributeObject(key, [&] {
    for (const ScalerRecord &scaler : record.scalers)
      json.attribute(llvm::json::fixUTF8(scaler.name), get(scaler));
  });
}

std::string mlir::amp::toJsonLine(const StepRecord &record,
                                  const BlasReport *blas) {
  std::string line;
  llvm::raw_string_ostream os(line);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("step", record.step);
    if (record.losses.size() == 1) {
      json.attribute("loss", toJson(record.losses.front().second));
    } else {
      json.attributeObject("loss", [&] {
        for (const auto &[name, loss] : record.losses)
          json.attribute(llvm::json::fixUTF8(name), toJson(loss));
      });
    }
    writeScalerField(json, "scale_before", record, [](const ScalerRecord &s) {
      return toJson(s.scaleBefore);
    });
    writeScalerField(json, "scale", record, [](const ScalerRecord &s) {
      return toJson(s.scaleAfter);
    });
    writeScalerField(json, "unskipped", record, [](const ScalerRecord &s) {
      return llvm::json::Value(s.unskipped);
    });
    writeScalerField(json, "skipped", record, [](const ScalerRecord &s) {
      return llvm::json::Value(s.skipped);
    });
    json.attribute("grad_norm", record.gradNorm ? toJson(*record.gradNorm)
                                                : llvm::json::Value(nullptr));
    json.attribute("seconds", record.seconds);
    json.attribute("peak_bytes", record.peakBytes);
    if (blas)
      json.attribute("blas", toJson(*blas));
  });
  return line;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The standard stream that `path` names, or -1. Devices are none, but for a
/// terminal: standard output may be /dev/null without being the log.
static int findStandardStream(StringRef path) {
  if (path == "-")
    return STDOUT_FILENO;
  struct stat named, stream;
  if (::stat(path.str().c_str(), &named) != 0)
    return -1;
  for (int fd : {STDOUT_FILENO, STDERR_FILENO})
    if (::fstat(fd, &stream) == 0 && named.st_dev == stream.st_dev &&
        named.st_ino == stream.st_ino &&
        (!S_ISCHR(stream.st_mode) || ::isatty(fd)))
      return fd;
  return -1;
}

bool StepLog::isStandardOutput(StringRef path) {
  return findStandardStream(path) == STDOUT_FILENO;
}

static Error makeOpenError(StringRef path, Twine reason) {
  return createStringError(Twine("cannot open log '") + path + "': " + reason);
}

StepLog::StepLog(std::string path, int fd, std::optional<BlasReport> blas)
    : path(std::move(path)), fd(fd), blas(std::move(blas)) {}

StepLog::StepLog(StepLog &&other)
    : path(std::move(other.path)), fd(std::exchange(other.fd, -1)),
      isOwned(other.isOwned), isRegular(other.isRegular),
      isCreated(other.isCreated), wholeBytes(other.wholeBytes),
      blas(std::move(other.blas)) {}

StepLog::~StepLog() { llvm::consumeError(close()); }

Expected<StepLog> StepLog::open(StringRef path,
                                std::optional<BlasReport> blas) {
  if (const int stream = findStandardStream(path); stream >= 0)
    return StepLog(path.str(), stream, std::move(blas));

  const std::string name = path.str();
  constexpr mode_t kMode = 0666; // less the umask
  bool isCreated = true;
  // Reading is for the last line of a log that is there.
  int fd = ::open(name.c_str(),
                  O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd < 0 && errno == EEXIST) {
    isCreated = false;
    struct stat status;
    const bool exists = ::stat(name.c_str(), &status) == 0;
    const bool isFile = exists && S_ISREG(status.st_mode);
    // A link whose target is missing "exists" only for O_EXCL.
    fd = ::open(name.c_str(),
                (isFile ? O_RDWR : O_WRONLY) | O_APPEND |
                    (exists ? 0 : O_CREAT) | O_CLOEXEC,
                kMode);
    if (fd < 0 && isFile && errno == EACCES)
      fd = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  }
  if (fd < 0)
    return makeOpenError(path, std::strerror(errno));

  StepLog log(name, fd, blas);
  log.isOwned = true;
  struct stat status;
  if (::fstat(fd, &status) != 0)
    return makeOpenError(path, std::strerror(errno));
  log.isRegular = S_ISREG(status.st_mode);
  if (!log.isRegular)
    return log;
  // Some network file systems have no locks; there the user must take care.
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return makeOpenError(path, "another run is writing to it; name another "
                               "file, or wait for that run to end");
  // The other run may have removed its empty log before this one had the lock.
  struct stat named;
  if (::stat(name.c_str(), &named) != 0 || named.st_dev != status.st_dev ||
      named.st_ino != status.st_ino) {
    return open(path, std::move(blas));
  }
  // Not before: who is refused must not remove what another run writes by now.
  log.isCreated = isCreated;
  log.finishLastLine();
  return log;
}

/// A run that was killed may have left a line without its end; the next record
/// must not become part of it.
void StepLog::finishLastLine() {
  wholeBytes = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  if (wholeBytes > 0 && ::pread(fd, &last, 1, wholeBytes - 1) == 1 &&
      last != '\n' && ::write(fd, "\n", 1) == 1)
    ++wholeBytes;
}

Error StepLog::makeWriteError(int code) const {
  return createStringError(Twine("cannot write log '") + path +
                           "': " + std::strerror(code) +
                           "; the run was stopped, lines before this one are "
                           "kept");
}

Error StepLog::append(StringRef text) {
  const int64_t size = int64_t(text.size());
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text = text.drop_front(written);
      continue;
    }
    if (errno == EINTR)
      continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready = {fd, POLLOUT, 0};
      (void)::poll(&ready, 1, /*timeout=*/-1);
      continue;
    }
    const int code = errno;
    // A part of a line is worse than none; if it cannot be taken back, the
    // next run closes it.
    if (isRegular)
      (void)!::ftruncate(fd, wholeBytes);
    return makeWriteError(code);
  }
  wholeBytes += size;
  return Error::success();
}

Error StepLog::write(const StepRecord &record) {
  assert(fd >= 0 && "the log is closed");
  const std::string line = toJsonLine(record, blas ? &*blas : nullptr);
  blas.reset();
  return append(line + "\n");
}

Error StepLog::close() {
  const int closing = std::exchange(fd, -1);
  if (closing < 0 || !isOwned)
    return Error::success();
  // While it is locked, so that it is not another run's by now.
  if (isCreated && isRegular && wholeBytes == 0)
    ::unlink(path.c_str());
  if (::close(closing) != 0 && errno != EINTR)
    return makeWriteError(errno);
  return Error::success();
}
