//===- Arguments.cpp - Kernel arguments from the command line -------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One parser for each form; see Arguments.h for the forms.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "amp/Execution/ArrayArchive.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::amp;
using ::amp::emu::Format;
using ::amp::emu::TensorMap;

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

double DeviceArray::get(int64_t index) const {
  if (!smallFloat)
    return array.getAsDouble(index);
  return ::amp::emu::loadNumber(
      *smallFloat, static_cast<const char *>(array.data()) + index);
}

void DeviceArray::set(int64_t index, double value) {
  if (!smallFloat)
    return array.setFromDouble(index, value);
  ::amp::emu::storeNumber(
      *smallFloat, static_cast<char *>(array.data()) + index, float(value));
}

double DeviceArray::round(double value) const {
  DeviceArray one;
  one.array = HostArray(array.getKind(), {1});
  one.smallFloat = smallFloat;
  one.set(0, value);
  return one.get(0);
}

namespace {
struct ElementType {
  ElementKind kind;
  std::optional<Format> smallFloat;
};
} // namespace

static std::optional<ElementType> parseType(StringRef name) {
  using Result = std::optional<ElementType>;
  return llvm::StringSwitch<Result>(name)
      .Case("i1", ElementType{AMP_RT_ELEMENT_I1, {}})
      .Case("i8", ElementType{AMP_RT_ELEMENT_I8, {}})
      .Case("i16", ElementType{AMP_RT_ELEMENT_I16, {}})
      .Case("i32", ElementType{AMP_RT_ELEMENT_I32, {}})
      .Cases({"i64", "index"}, ElementType{AMP_RT_ELEMENT_I64, {}})
      .Case("f16", ElementType{AMP_RT_ELEMENT_F16, {}})
      .Case("bf16", ElementType{AMP_RT_ELEMENT_BF16, {}})
      .Case("f32", ElementType{AMP_RT_ELEMENT_F32, {}})
      .Case("f64", ElementType{AMP_RT_ELEMENT_F64, {}})
      .Case("e4m3", ElementType{AMP_RT_ELEMENT_I8, Format::E4M3})
      .Case("e5m2", ElementType{AMP_RT_ELEMENT_I8, Format::E5M2})
      .Default(std::nullopt);
}

/// "128x64", outermost first.
static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts)
    if (part.getAsInteger(10, shape.emplace_back()))
      return false;
  return true;
}

/// The same values in every run, whatever other buffers there are.
static llvm::Error fill(DeviceArray &target, StringRef what) {
  int64_t count = target.array.getNumElements();
  std::mt19937_64 random(llvm::xxh3_64bits(target.name));
  double number;
  if (what == "int") {
    for (int64_t i = 0; i < count; ++i)
      target.set(i, double(random() % 7) - 3);
  } else if (what == "random") {
    for (int64_t i = 0; i < count; ++i)
      target.set(i, double(int64_t(random() >> 11)) / (1ll << 52) - 1);
  } else if (what == "iota") {
    for (int64_t i = 0; i < count; ++i)
      target.set(i, double(i));
  } else if (what == "zero") {
    // As it comes.
  } else if (what == "uninit") {
    memset(target.array.data(), 0xff, target.array.getNumBytes());
    target.initialised = false;
  } else if (what == "nan") {
    for (int64_t i = 0; i < count; ++i)
      target.set(i, NAN);
  } else if (!what.getAsDouble(number)) {
    for (int64_t i = 0; i < count; ++i)
      target.set(i, number);
  } else {
    return makeError("expected a fill of zero, uninit, nan, iota, int, random "
                     "or a number, but got '" +
                     what + "'");
  }
  return llvm::Error::success();
}

std::vector<const TensorMap *> GivenArguments::getTensorMaps() const {
  std::vector<const TensorMap *> pointers;
  for (const std::unique_ptr<TensorMap> &map : maps)
    pointers.push_back(map.get());
  return pointers;
}

DeviceArray *GivenArguments::find(StringRef name) {
  for (std::unique_ptr<DeviceArray> &array : arrays)
    if (array->name == name)
      return array.get();
  return nullptr;
}

llvm::Expected<DeviceArray *> GivenArguments::getBuffer(StringRef text,
                                                        StringRef name) {
  if (DeviceArray *known = find(text))
    return known;
  if (find(name))
    return makeError("buffer '" + name + "' is defined twice");
  auto array = std::make_unique<DeviceArray>();
  array->name = name.str();
  if (text.ends_with(".npy")) {
    llvm::Expected<HostArray> read = readArrayFile(text);
    if (!read)
      return read.takeError();
    array->array = std::move(*read);
  } else {
    SmallVector<StringRef> parts;
    text.split(parts, ':');
    std::optional<ElementType> type = parseType(parts[0]);
    SmallVector<int64_t> shape;
    if (parts.size() != 3 || !type || !parseShape(parts[1], shape) ||
        llvm::any_of(shape, [](int64_t size) { return size < 0; }))
      return makeError("expected a buffer as 'TYPE:SHAPE:FILL' "
                       "(f16:128x64:int), a .npy file or the name of a "
                       "--buffer, but got '" +
                       text + "'");
    array->array = HostArray(type->kind, shape);
    array->smallFloat = type->smallFloat;
    if (llvm::Error error = fill(*array, parts[2]))
      return std::move(error);
  }
  initial.push_back(array->array.clone());
  arrays.push_back(std::move(array));
  return arrays.back().get();
}

void GivenArguments::reset() {
  for (auto [array, start] : llvm::zip(arrays, initial))
    memcpy(array->array.data(), start.data(), start.getNumBytes());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Error GivenArguments::addBuffer(StringRef text) {
  auto [name, form] = text.split('=');
  if (form.empty())
    return makeError("expected a name, as in '--buffer=A=" + text + "'");
  return getBuffer(form, name).takeError();
}

llvm::Error GivenArguments::addArgument(StringRef text) {
  std::string name = "arg" + std::to_string(count++);
  // A name comes before any ':' or ','.
  size_t equals = text.find('=');
  if (equals < text.find(':') && equals < text.find(',')) {
    name = text.take_front(equals).str();
    text = text.drop_front(equals + 1);
  }
  return addValue(text, name);
}

llvm::Error GivenArguments::addValue(StringRef text, StringRef name) {
  auto add = [&](KernelParameter::Kind kind, unsigned bits, uint64_t data) {
    values.push_back({kind, bits, data});
  };
  auto addPointer = [&](void *address) {
    add(KernelParameter::Pointer, 64, reinterpret_cast<uint64_t>(address));
  };
  StringRef form = text;
  if (form.consume_front("tma:"))
    return addTensorMap(form, name);
  if (form.consume_front("table:"))
    return addTable(form);
  if (form.consume_front("memref:")) {
    llvm::Expected<DeviceArray *> array = getBuffer(form, name);
    if (!array)
      return array.takeError();
    ArrayRef<int64_t> shape = (*array)->array.getShape();
    addPointer((*array)->array.data());
    addPointer((*array)->array.data());
    add(KernelParameter::Integer, 64, 0);
    for (int64_t size : shape)
      add(KernelParameter::Integer, 64, size);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t stride = 1;
      for (int64_t size : shape.drop_front(d + 1))
        stride *= size;
      add(KernelParameter::Integer, 64, stride);
    }
    return llvm::Error::success();
  }
  auto [typeName, number] = text.split(':');
  std::optional<ElementType> type = parseType(typeName);
  double value;
  if (type && !number.contains(':') && !number.empty()) {
    int64_t whole;
    if (number.getAsDouble(value) && number.getAsInteger(0, whole))
      return makeError("expected a number, but got '" + number + "'");
    if (number.getAsInteger(0, whole))
      whole = int64_t(value);
    unsigned bits =
        type->kind == AMP_RT_ELEMENT_I1 ? 1 : 8 * getElementSize(type->kind);
    uint64_t data = 0;
    if (isFloatKind(type->kind) || type->smallFloat) {
      DeviceArray one;
      one.array = HostArray(type->kind, {1});
      one.smallFloat = type->smallFloat;
      one.set(0, value);
      memcpy(&data, one.array.data(), bits / 8);
      add(KernelParameter::Float, bits, data);
    } else {
      if (bits < 64 && !llvm::isIntN(bits, whole) &&
          !llvm::isUIntN(bits, uint64_t(whole)))
        return makeError("expected a number of " + llvm::Twine(bits) +
                         " bits, but got '" + number + "'");
      add(KernelParameter::Integer, bits, uint64_t(whole));
    }
    return llvm::Error::success();
  }
  llvm::Expected<DeviceArray *> array = getBuffer(text, name);
  if (!array)
    return array.takeError();
  addPointer((*array)->array.data());
  return llvm::Error::success();
}

/// Fills `into` in the order of the hardware, innermost first.
template <typename T>
static bool takeReversed(ArrayRef<int64_t> shape, size_t count, T *into) {
  if (shape.size() != count)
    return false;
  for (size_t d = 0; d < count; ++d)
    into[d] = T(shape[count - 1 - d]);
  return true;
}

llvm::Error GivenArguments::addTensorMap(StringRef text, StringRef name) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  llvm::Expected<DeviceArray *> array = getBuffer(parts[0], name);
  if (!array)
    return array.takeError();
  auto map = std::make_unique<TensorMap>();
  HostArray &memory = (*array)->array;
  SmallVector<int64_t> shape(memory.getShape());
  for (StringRef part : llvm::drop_begin(parts)) {
    if (!part.consume_front("view="))
      continue;
    shape.clear();
    int64_t elements = 1;
    bool good = parseShape(part, shape);
    for (int64_t size : shape)
      elements *= size;
    if (!good || elements > memory.getNumElements())
      return makeError("expected 'view' with numbers like 64x64, a tensor "
                       "within the buffer, but got '" +
                       part + "'");
  }
  unsigned rank = shape.size();
  if (rank < 1 || rank > 5)
    return makeError("expected a buffer of rank 1 to 5 for 'tma:" + text +
                     "', but got rank " + Twine(rank));
  map->base = static_cast<char *>(memory.data());
  map->rank = rank;
  map->elementSize = getElementSize(memory.getKind());
  switch (memory.getKind()) {
  case AMP_RT_ELEMENT_F16:
    map->format = Format::F16;
    break;
  case AMP_RT_ELEMENT_BF16:
    map->format = Format::BF16;
    break;
  case AMP_RT_ELEMENT_F64:
    map->format = Format::F64;
    break;
  case AMP_RT_ELEMENT_I32:
    map->format = Format::S32;
    break;
  case AMP_RT_ELEMENT_F32:
    map->format = Format::F32;
    break;
  default:
    map->format = (*array)->smallFloat.value_or(Format::U8);
  }
  int64_t stride = map->elementSize;
  for (unsigned d = 0; d < rank; ++d) {
    map->sizes[d] = shape[rank - 1 - d];
    map->strides[d] = stride;
    stride *= map->sizes[d];
  }
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [key, value] = part.split('=');
    SmallVector<int64_t> numbers;
    bool good = parseShape(value, numbers);
    if (key == "view")
      continue;
    if (key == "strides")
      good = good && takeReversed(numbers, rank - 1, map->strides + 1);
    else if (key == "box")
      good = good && takeReversed(numbers, rank, map->box);
    else if (key == "steps")
      good = good && takeReversed(numbers, rank, map->stepSizes);
    else if (key == "shape")
      good = good && takeReversed(numbers, rank, map->sizes) &&
             llvm::all_of(llvm::zip(numbers, shape), [](auto pair) {
               return std::get<0>(pair) <= std::get<1>(pair);
             });
    else if (key == "swizzle" && good)
      map->swizzle = int(numbers[0]);
    else if (key == "lower" && rank > 2)
      good = good && takeReversed(numbers, rank - 2, map->lower);
    else if (key == "upper" && rank > 2)
      good = good && takeReversed(numbers, rank - 2, map->upper);
    else if (key == "channels" && good)
      map->channels = int(numbers[0]);
    else if (key == "pixels" && good)
      map->pixels = int(numbers[0]);
    else if (key == "fill" && value == "nan")
      good = map->fillNaN = true;
    else
      return makeError("expected view, strides, box, shape, steps, swizzle, "
                       "lower, upper, channels, pixels or fill=nan after "
                       "'tma:" +
                       parts[0] + "', but got '" + part + "'");
    if (!good)
      return makeError("expected '" + key + "' with " + Twine(rank) +
                       " numbers like 64x64 (strides: 1 fewer, lower and "
                       "upper: 2), a "
                       "shape within the buffer, but got '" +
                       value + "'");
  }
  map->im2col = map->pixels != 0;
  if (const char *why = map->validate())
    return makeError(Twine(why) + ": 'tma:" + text + "'");
  values.push_back(
      {KernelParameter::ByValue, 64, reinterpret_cast<uint64_t>(map.get())});
  maps.push_back(std::move(map));
  return llvm::Error::success();
}

llvm::Error GivenArguments::addTable(StringRef text) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  std::vector<uint64_t> addresses;
  for (StringRef name : names) {
    DeviceArray *array = find(name);
    if (!array)
      return makeError("expected names of buffers given before in 'table:" +
                       text + "', but got '" + name + "'");
    addresses.push_back(reinterpret_cast<uint64_t>(array->array.data()));
  }
  values.push_back({KernelParameter::ByValue, 64,
                    reinterpret_cast<uint64_t>(addresses.data())});
  tables.push_back(std::move(addresses)); // which stay where they are
  return llvm::Error::success();
}

llvm::Error GivenArguments::check(const LoweredKernel &kernel) const {
  std::string wanted;
  for (const KernelParameter &parameter : kernel.parameters)
    wanted += (wanted.empty() ? "" : ", ") + parameter.type;
  if (values.size() != kernel.parameters.size())
    return makeError("kernel '" + kernel.name + "' takes " +
                     Twine(kernel.parameters.size()) + " values (" + wanted +
                     "), but --arg gives " + Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values)) {
    const KernelParameter &parameter = kernel.parameters[i];
    bool isAddress = value.kind == KernelParameter::Pointer ||
                     value.kind == KernelParameter::ByValue;
    bool wantsAddress = parameter.kind == KernelParameter::Pointer ||
                        parameter.kind == KernelParameter::ByValue;
    if (isAddress != wantsAddress ||
        (!isAddress &&
         (value.kind != parameter.kind || value.bits != parameter.bits)))
      return makeError(
          "parameter " + Twine(i) + " of kernel '" + kernel.name + "' is " +
          parameter.type + ", but --arg gives " +
          (isAddress ? "an address"
                     : (value.kind == KernelParameter::Float ? "f" : "i") +
                           std::to_string(value.bits)));
  }
  return llvm::Error::success();
}

void **GivenArguments::getPointers() {
  pointers.clear();
  for (Value &value : values)
    pointers.push_back(&value.data);
  return pointers.data();
}

std::vector<::amp::emu::Buffer> GivenArguments::getBuffers() {
  std::vector<::amp::emu::Buffer> buffers;
  for (std::unique_ptr<DeviceArray> &array : arrays) {
    ::amp::emu::Buffer buffer;
    buffer.name = array->name;
    buffer.data = array->array.data();
    buffer.size = array->array.getNumBytes();
    buffer.initialised = array->initialised;
    if (buffer.size)
      buffers.push_back(std::move(buffer));
  }
  for (std::vector<uint64_t> &table : tables) {
    ::amp::emu::Buffer buffer;
    buffer.name = "table";
    buffer.data = table.data();
    buffer.size = table.size() * sizeof(uint64_t);
    buffer.readOnly = true;
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}
