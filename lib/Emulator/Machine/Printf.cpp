//===- Printf.cpp - Texts that a kernel prints or stops with --------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vprintf and __assertfail of the device. Their pointers come from the kernel:
// formats, strings and the block of arguments are read through checkAccess,
// which ends the cluster where the device would fault, and a text ends at its
// zero or at a bound. The host's printf sees one conversion at a time, and only
// those whose argument is a number or a text that has been checked.
//
// Whoever ends the cluster never returns here, so nothing on the way there owns
// memory: what is printed is put together in the cluster.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace amp::emu;

/// Bytes of one text.
constexpr size_t maxText = 1 << 16;

std::string_view Cluster::checkText(char *address, const char *what,
                                    size_t most) {
  for (size_t size = 0; size < std::min(most, maxText); ++size) {
    checkAccess(address + size, 1, AccessKind::Read, self->instruction);
    if (!address[size])
      return {address, size};
  }
  if (most <= maxText)
    return {address, most};
  report(self->instruction, std::string("expected ") + what +
                                " to end within " + std::to_string(maxText) +
                                " bytes");
  abandon();
}

namespace {
/// The block of arguments: each at its natural alignment, float widened to
/// double.
class Arguments {
public:
  explicit Arguments(char *begin) : begin(begin) {}

  template <typename T> T take() {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    Cluster &cluster = *running;
    cluster.checkAccess(begin + at, sizeof(T), AccessKind::Read,
                        cluster.self->instruction);
    T value;
    memcpy(&value, begin + at, sizeof(T));
    at += sizeof(T);
    ++taken;
    return value;
  }

  int32_t taken = 0;

private:
  char *begin;
  size_t at = 0;
};

/// A conversion without its length: "%-8.3", and then the letter.
struct Conversion {
  char spec[16] = "%";
  char letter = 0; // 0: none that the device has
  bool isLong = false;
  size_t precision = SIZE_MAX;
};
} // namespace

/// Reads a conversion from the start of a format behind its '%', and takes it
/// off. Widths and precisions have up to four digits.
static Conversion parseConversion(std::string_view &format) {
  Conversion conversion;
  size_t used = 1, digits = 0;
  bool fits = true;
  while (!format.empty() && strchr("-+ #0123456789.lhzj", format.front())) {
    char c = format.front();
    format.remove_prefix(1);
    conversion.isLong |= c == 'l' || c == 'z' || c == 'j';
    if (strchr("lhzj", c))
      continue;
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    fits &= digits <= 4 && used + 4 < sizeof conversion.spec;
    if (fits)
      conversion.spec[used++] = c;
  }
  if (const char *point = strchr(conversion.spec, '.'))
    conversion.precision = strtoul(point + 1, nullptr, 10);
  if (format.empty())
    return conversion;
  if (fits && strchr("diuxXocpsaAeEfFgG", format.front()))
    conversion.letter = format.front();
  format.remove_prefix(1);
  return conversion;
}

template <typename T>
static void print(std::string &text, const Conversion &conversion,
                  const char *length, T value) {
  char spec[sizeof conversion.spec + 4];
  snprintf(spec, sizeof spec, "%s%s%c", conversion.spec, length,
           conversion.letter);
  int size = snprintf(nullptr, 0, spec, value);
  size_t before = text.size();
  text.resize(before + std::max(size, 0));
  snprintf(text.data() + before, text.size() - before + 1, spec, value);
}

static void convert(const Conversion &given, Arguments &arguments,
                    std::string &text) {
  switch (given.letter) {
  case 'd':
  case 'i':
    return print(text, given, "ll",
                 given.isLong ? arguments.take<long long>()
                              : (long long)arguments.take<int32_t>());
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    return print(text, given, "ll",
                 given.isLong ? arguments.take<unsigned long long>()
                              : (unsigned long long)arguments.take<uint32_t>());
  case 'c':
    return print(text, given, "", arguments.take<int32_t>());
  case 'p':
    return print(text, given, "", arguments.take<void *>());
  case 's': {
    std::string_view checked = running->checkText(
        arguments.take<char *>(), "a text of printf", given.precision);
    // Others may write there until it is printed; it ends all the same.
    return print(text, given, "", std::string(checked).c_str());
  }
  default:
    return print(text, given, "", arguments.take<double>());
  }
}

int32_t ampEmuPrint(char *formatAddress, char *argumentBlock) {
  Cluster &cluster = *running;
  uint32_t id = cluster.self->instruction;
  std::string_view format =
      cluster.checkText(formatAddress, "the format of printf", SIZE_MAX);
  std::string &text = cluster.printed;
  text.clear();
  Arguments arguments(argumentBlock);
  while (!format.empty()) {
    std::string_view rest = format;
    char c = format.front();
    format.remove_prefix(1);
    if (c != '%' || (!format.empty() && format.front() == '%')) {
      text += c;
      if (c == '%')
        format.remove_prefix(1);
      continue;
    }
    Conversion conversion = parseConversion(format);
    if (!conversion.letter) {
      // Where its argument would end, nobody knows.
      rest.remove_suffix(format.size());
      cluster.report(id, "expected a conversion that printf has on the device, "
                         "but got '" +
                             std::string(rest) + "'");
      break;
    }
    convert(conversion, arguments, text);
  }
  if (cluster.state.options.print)
    cluster.state.options.print(text);
  return arguments.taken;
}

void ampEmuAssert(char *message, char *file, int32_t line, char *function,
                  int64_t) {
  Cluster &cluster = *running;
  const char *what = "a text of an assertion";
  std::string_view m = cluster.checkText(message, what, SIZE_MAX),
                   f = cluster.checkText(file, what, SIZE_MAX),
                   in = cluster.checkText(function, what, SIZE_MAX);
  cluster.report(cluster.self->instruction,
                 "assertion failed: " + std::string(m) + " (" + std::string(f) +
                     ":" + std::to_string(line) + ", " + std::string(in) + ")");
  cluster.abandon();
}
