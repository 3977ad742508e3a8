//===-- Handle.h - Objects as integers in compiled programs -----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is an object's address. An object that has handles begins with a tag
// of its type, so that a handle of another kind, or (as far as the memory still
// tells) of a destroyed object, is refused instead of believed. So is a number
// that no object can have as address: of the first page, or not aligned. Other
// addresses of nothing are beyond this check.
//
//===----------------------------------------------------------------------===//
#ifndef AMP_RT_SRC_SUPPORT_HANDLE_H
#define AMP_RT_SRC_SUPPORT_HANDLE_H

#include <climits>
#include <cstdint>

namespace amp::rt {

template <typename Object> int64_t toHandle(const Object *object) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(object));
}

/// The object, or null if the handle is no object's address, or the tag there
/// is not Object's.
template <typename Object> Object *fromHandle(int64_t handle) {
  const auto address = static_cast<uintptr_t>(handle);
  if (address < 4096 || address % alignof(Object) != 0)
    return nullptr;
  Object *object = reinterpret_cast<Object *>(address);
  return object->tag == Object::kTag ? object : nullptr;
}

/// To be called before an object is deleted. Volatile, or the store would be
/// removed as dead.
template <typename Object> void clearTag(Object *object) {
  *static_cast<volatile uint32_t *>(&object->tag) = 0;
}

/// A length as printf's '.*' wants it.
inline int textLength(int64_t length) {
  return length < INT_MAX ? static_cast<int>(length) : INT_MAX;
}

} // namespace amp::rt

#endif // AMP_RT_SRC_SUPPORT_HANDLE_H
