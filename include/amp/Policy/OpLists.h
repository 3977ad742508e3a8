//===- OpLists.h - Which functions run in which precision -------*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apex's O1 patches functions that stand on lists. The lists are here as data,
// under the names that `amp.function` carries: "torch.nn.functional.linear",
// "torch.exp", "torch.Tensor.__pow__". Beside them stand a table of our own for
// JAX, the map from ATen operations (`amp.scope`) to those names, and the
// functions that are losses.
//
// A function on no list is no mistake: Apex leaves it alone, and it runs in the
// type of its inputs (relu, batch_norm, pooling, mean, torch.softmax - which is
// not torch.nn.functional.softmax).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_POLICY_OPLISTS_H
#define AMP_POLICY_OPLISTS_H

#include "amp/Policy/OptLevel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::amp {

/// What is done to the floating arguments of a listed function.
enum class ListClass {
  /// Cast to the half type.
  Half,
  /// Cast to float32.
  Float32,
  /// Cast to the widest type among them.
  Promote,
  /// The same for the elements of the sequence that is the first argument.
  SequencePromote,
  /// Refused if one of them is half, else run in float32; run in float32
  /// without refusal where banned functions are allowed.
  Banned
};

/// "half", "float32", "promote", "sequence-promote", "banned".
llvm::StringRef stringifyListClass(ListClass listClass);

/// How the in-place form of a listed function (its name and "_") is treated.
/// The result has the type of what is overwritten, so none can be cast freely.
enum class InPlaceRule {
  /// It is no in-place form: the class says all.
  NotInPlace,
  /// Refused if any argument is half (torch functions of class Float32).
  RefuseHalf,
  /// Refused if self is half, else the other arguments are cast to float32
  /// (methods of class Float32).
  RefuseHalfSelf,
  /// The other arguments are cast to the type of self (methods of class Half
  /// and Promote).
  MatchSelf
};

/// Whose list it is.
enum class ListOrigin {
  /// apex/amp/lists, or the RNN wrappers of apex/amp/amp.py.
  Apex,
  /// Ours: counterparts of what Apex lists, in JAX and in later PyTorch.
  Ours
};

/// The entry of one function.
struct ListEntry {
  ListClass listClass;
  InPlaceRule inPlace;
  ListOrigin origin;
};

/// Functions of one namespace and class.
struct OpList {
  /// Name up to the last dot: "torch.nn.functional".
  llvm::StringLiteral nameSpace;
  ListClass listClass;
  /// Rule for the in-place forms; NotInPlace: those are on no list.
  InPlaceRule inPlace;
  ListOrigin origin;
  /// False for what ROCm's bfloat16 list leaves out (prelu, bmm, addbmm,
  /// baddbmm): with bfloat16 these are on no list.
  bool withBFloat16;
  /// Names in the namespace, sorted.
  llvm::ArrayRef<llvm::StringLiteral> names;
};

/// All lists. No function stands on two.
llvm::ArrayRef<OpList> getOpLists();

/// The entry of a function, by its `amp.function` name. `half` is the type of
/// the Half lists: Float16 (Apex, O1) or BFloat16 (ROCm, O4), whose list is
/// shorter.
///
/// Three spellings stand for a listed name, because that is what PyTorch calls
/// the function when it reports it (torch.overrides.resolve_name, torch 2.13):
/// "torch.functional.norm" and its neighbours for "torch.norm", "torch.spmm"
/// for "torch.mm", and "torch.Tensor.sub" for `a - b`, Apex's
/// "torch.Tensor.__sub__". "optax.losses.x" is "optax.x", "jax.lax.x" "lax.x".
std::optional<ListEntry> lookupFunction(llvm::StringRef function,
                                        FloatKind half = FloatKind::Float16);

/// The entry of an operation by its `amp.scope` name: ATen operations through
/// getFunctionOfATen, JAX's functions and primitives ("lax.exp") directly.
std::optional<ListEntry> lookupScope(llvm::StringRef scope,
                                     FloatKind half = FloatKind::Float16);

/// The listed function that an ATen operation carries out: "aten._softmax" is
/// "torch.nn.functional.softmax", "aten.exp" is "torch.exp", "aten.add_" is
/// "torch.Tensor.add_". An overload name ("aten.add.Tensor") is ignored.
/// Nothing for operations that carry out no listed function.
std::optional<std::string> getFunctionOfATen(llvm::StringRef scope);

/// True if the function computes a loss, by its `amp.function` name: the model
/// ends before it. Listed or not (huber_loss is on no list of Apex).
bool isLossFunction(llvm::StringRef function);

/// The same by `amp.scope`.
bool isLossScope(llvm::StringRef scope);

/// True if the result of a function has the type of its first argument whatever
/// the others have, by its `amp.function` name: every in-place form of torch,
/// listed or not (relu_, sub_), and huber_loss.
bool keepsTypeOfSelf(llvm::StringRef function);

/// Apex's text for refusing a function on half arguments: banned functions, and
/// in-place forms under RefuseHalf and RefuseHalfSelf. For bfloat16 the same
/// words with that type. Nothing for functions that are never refused.
std::optional<std::string> getRefusalText(llvm::StringRef function,
                                          FloatKind half = FloatKind::Float16);

} // namespace mlir::amp

#endif // AMP_POLICY_OPLISTS_H
