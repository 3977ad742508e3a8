//===- OpLists.cpp - Which functions run in which precision ---------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables first, lookups at the end. A lookup puts the name into its listed
// spelling, splits it at the last dot into namespace and name, and searches the
// lists of that namespace; a name that ends in one underscore is searched again
// without it, as an in-place form. The longest walk is a few hundred short
// compares, once per operation of a framework: no index is worth its upkeep.
// The tables are sorted for readers.
//
//===----------------------------------------------------------------------===//

#include "amp/Policy/OpLists.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cassert>
#include <utility>

using namespace mlir::amp;
using llvm::StringLiteral;
using llvm::StringRef;

// clang-format off: one line per family of names.

//===----------------------------------------------------------------------===//
// Apex: torch.nn.functional
//===----------------------------------------------------------------------===//

// apex/amp/lists/functional_overrides.py, FP16_FUNCS.
static constexpr StringLiteral functionalHalf[] = {
    "conv1d", "conv2d", "conv3d",
    "conv_tbc",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "linear",
};

// apex/amp/lists/functional_overrides.py, FP32_FUNCS.
static constexpr StringLiteral functionalFloat32[] = {
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss", "cosine_similarity",
    "cross_entropy", "ctc_loss",
    "gelu",
    "grid_sample",
    "group_norm",
    "hinge_embedding_loss",
    "interpolate",
    "kl_div", "l1_loss",
    "layer_norm", "local_response_norm",
    "log_softmax",
    "margin_ranking_loss", "mse_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "poisson_nll_loss",
    "smooth_l1_loss", "soft_margin_loss",
    "softmax", "softmin", "softplus",
    "triplet_margin_loss",
};

// apex/amp/lists/functional_overrides.py, BANNED_FUNCS.
static constexpr StringLiteral functionalBanned[] = {
    "binary_cross_entropy",
};

// On no list, and torch does not promote: the result has the input's type
// (o1_ops.csv, f16-then-f32).
static constexpr StringLiteral functionalTypeOfInput[] = {
    "huber_loss",
};

//===----------------------------------------------------------------------===//
// Apex: torch
//===----------------------------------------------------------------------===//
//
// apex/amp/lists/torch_overrides.py. Apex takes every name of these lists that
// is a method too as one: shared* are those, torch* are functions alone.

// FP16_FUNCS, which the bfloat16 list of ROCm's fork shares.
static constexpr StringLiteral torchHalf[] = {
    "conv1d", "conv2d", "conv3d",
    "conv_tbc",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
};

static constexpr StringLiteral sharedHalf[] = {
    "addmm", "addmv", "addr",
    "matmul", "mm", "mv",
};

// The rest of FP16_FUNCS, with the batched products that a CUDA from 9.1 on
// adds. ROCm's bfloat16 list has none of them.
static constexpr StringLiteral sharedFloat16Only[] = {
    "addbmm", "baddbmm", "bmm",
    "prelu",
};

// FP32_FUNCS (mean only before torch 1.1).
static constexpr StringLiteral sharedFloat32[] = {
    "acos", "asin", "cosh",
    "cumprod", "cumsum",
    "dist",
    "erfinv",
    "exp", "expm1",
    "log", "log10", "log2",
    "norm",
    "pow",
    "prod",
    "reciprocal",
    "renorm",
    "rsqrt",
    "sinh",
    "std", "sum",
    "tan",
    "var",
};

// CASTS.
static constexpr StringLiteral torchPromote[] = {
    "bilinear",
};

static constexpr StringLiteral sharedPromote[] = {
    "add", "addcdiv", "addcmul",
    "atan2",
    "cross",
    "div",
    "dot",
    "eq", "equal", "ge", "gt", "le", "lt",
    "mul",
    "ne",
};

// dot of complex numbers; of real ones the same function. torch's spectral
// normalisation changed from one to the other after Apex's lists were made, and
// stops where its arguments differ.
static constexpr StringLiteral sharedOurPromote[] = {
    "vdot",
};

// SEQUENCE_CASTS.
static constexpr StringLiteral torchSequencePromote[] = {
    "cat", "stack",
};

// apex/amp/amp.py, steps 5 and 5.5: RNN, GRU, LSTM and their cells are wrapped
// where torch.nn calls them; these are the functions called today.
static constexpr StringLiteral torchRecurrent[] = {
    "gru", "gru_cell",
    "lstm", "lstm_cell",
    "rnn_relu", "rnn_relu_cell",
    "rnn_tanh", "rnn_tanh_cell",
};

//===----------------------------------------------------------------------===//
// Apex: methods
//===----------------------------------------------------------------------===//
//
// apex/amp/lists/tensor_overrides.py, the names that are methods alone.

// FP16_FUNCS, shared with bfloat16.
static constexpr StringLiteral tensorHalf[] = {
    "__matmul__",
};

// FP32_FUNCS.
static constexpr StringLiteral tensorFloat32[] = {
    "__ipow__", "__pow__", "__rpow__",
    "cpu",
};

// Two names of CASTS which torch computes as self.reciprocal() * other. The
// reciprocal is on the FP32 list, so FP32 is what runs (o1_ops.csv: f32 for
// f16 operands).
static constexpr StringLiteral tensorByReciprocal[] = {
    "__rdiv__", "__rtruediv__",
};

// CASTS, but for those two.
static constexpr StringLiteral tensorPromote[] = {
    "__add__",
    "__div__",
    "__eq__", "__ge__", "__gt__",
    "__iadd__", "__idiv__", "__imul__", "__isub__", "__itruediv__",
    "__le__", "__lt__",
    "__mul__",
    "__ne__",
    "__radd__", "__rmul__", "__rsub__",
    "__sub__",
    "__truediv__",
};

//===----------------------------------------------------------------------===//
// Ours: JAX
//===----------------------------------------------------------------------===//
//
// Counterparts of what Apex lists, under the names of jax 0.10.2 and optax
// 0.2.8. As in Apex, attention, relu, mean and the like stand on no list.

// conv*, matmul, mm, mv, bmm; einsum, inner and tensordot are contractions too.
static constexpr StringLiteral numpyHalf[] = {
    "convolve", "correlate",
    "dot",
    "einsum",
    "inner", "matmul", "matvec",
    "tensordot",
    "vecmat",
};

static constexpr StringLiteral laxHalf[] = {
    "batch_matmul",
    "conv", "conv_general_dilated", "conv_general_dilated_local",
    "conv_transpose", "conv_with_general_padding",
    "dot", "dot_general",
};

// logsumexp and logmeanexp are made of exp, sum and log, each of them listed;
// standardize is layer_norm without its scale.
static constexpr StringLiteral nnFloat32[] = {
    "gelu",
    "log_softmax", "logmeanexp", "logsumexp",
    "softmax", "softplus",
    "standardize",
};

static constexpr StringLiteral numpyFloat32[] = {
    "acos", "arccos", "arcsin", "asin",
    "cosh",
    "cumprod", "cumsum",
    "exp", "expm1",
    "log", "log10", "log2", "logaddexp",
    "pow", "power",
    "prod",
    "reciprocal",
    "sinh",
    "std", "sum",
    "tan",
    "var",
};

static constexpr StringLiteral numpyLinalgFloat32[] = {
    "matrix_norm", "norm", "vector_norm",
};

static constexpr StringLiteral scipyFloat32[] = {
    "erfinv",
    "log_softmax", "logsumexp", "softmax",
};

// interpolate.
static constexpr StringLiteral imageFloat32[] = {
    "resize", "scale_and_translate",
};

static constexpr StringLiteral laxFloat32[] = {
    "acos", "asin", "cosh",
    "cumprod", "cumsum",
    "erf_inv",
    "exp", "expm1",
    "integer_pow",
    "log",
    "pow",
    "reduce_prod", "reduce_sum",
    "rsqrt",
    "sinh",
    "tan",
};

// Beside every loss of optax (optaxLosses).
static constexpr StringLiteral optaxFloat32[] = {
    "cosine_similarity",
};

static constexpr StringLiteral numpyPromote[] = {
    "add",
    "arctan2", "array_equal", "atan2",
    "cross",
    "divide",
    "equal", "greater", "greater_equal", "less", "less_equal",
    "multiply",
    "not_equal",
    "subtract",
    "true_divide",
    "vdot", "vecdot",
};

// add_any is the sum of two gradients of one value.
static constexpr StringLiteral laxPromote[] = {
    "add", "add_any",
    "atan2",
    "div",
    "eq", "ge", "gt", "le", "lt",
    "mul",
    "ne",
    "sub",
};

static constexpr StringLiteral numpySequencePromote[] = {
    "concat", "concatenate", "stack",
};

static constexpr StringLiteral laxSequencePromote[] = {
    "concatenate",
};

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

// Every loss of torch.nn.functional (torch 2.13.0).
static constexpr StringLiteral functionalLosses[] = {
    "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cross_entropy", "ctc_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div", "l1_loss",
    "margin_ranking_loss", "mse_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "nll_loss",
    "poisson_nll_loss",
    "smooth_l1_loss", "soft_margin_loss",
    "triplet_margin_loss", "triplet_margin_with_distance_loss",
};

// Those that exist under torch as well, as functions of their own.
static constexpr StringLiteral torchLosses[] = {
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "ctc_loss",
    "hinge_embedding_loss",
    "kl_div",
    "margin_ranking_loss",
    "poisson_nll_loss",
    "triplet_margin_loss",
};

// optax.losses (optax 0.2.8), but for smooth_labels, which makes targets,
// cosine_similarity, which models use, and make_fenchel_young_loss, which
// makes functions.
static constexpr StringLiteral optaxLosses[] = {
    "binary_dice_loss",
    "convex_kl_divergence",
    "cosine_distance",
    "ctc_loss", "ctc_loss_with_forward_probs",
    "dice_loss",
    "generalized_kl_divergence",
    "hinge_loss",
    "huber_loss",
    "kl_divergence", "kl_divergence_with_log_targets",
    "l2_loss",
    "log_cosh",
    "multiclass_generalized_dice_loss", "multiclass_hinge_loss",
    "multiclass_perceptron_loss", "multiclass_sparsemax_loss",
    "ntxent",
    "perceptron_loss",
    "poly_loss_cross_entropy",
    "ranking_softmax_loss",
    "safe_softmax_cross_entropy",
    "sigmoid_binary_cross_entropy", "sigmoid_focal_loss",
    "softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels",
    "sparsemax_loss",
    "squared_error",
    "triplet_margin_loss",
};

namespace {
struct LossList {
  StringLiteral nameSpace;
  llvm::ArrayRef<StringLiteral> names;
};
} // namespace

static constexpr LossList lossLists[] = {
    {"torch.nn.functional", functionalLosses},
    {"torch", torchLosses},
    {"optax", optaxLosses},
};

//===----------------------------------------------------------------------===//
// All lists
//===----------------------------------------------------------------------===//

// In-place rules: apex/amp/amp.py, steps 3, 3.5 and 4.
static constexpr OpList opLists[] = {
    {"torch.nn.functional", ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  functionalHalf},
    {"torch.nn.functional", ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  functionalFloat32},
    {"torch.nn.functional", ListClass::Banned,          InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  functionalBanned},
    {"torch",               ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  torchHalf},
    {"torch",               ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  sharedHalf},
    {"torch",               ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Apex, false, sharedFloat16Only},
    {"torch",               ListClass::Float32,         InPlaceRule::RefuseHalf,     ListOrigin::Apex, true,  sharedFloat32},
    {"torch",               ListClass::Promote,         InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  torchPromote},
    {"torch",               ListClass::Promote,         InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  sharedPromote},
    {"torch",               ListClass::SequencePromote, InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  torchSequencePromote},
    {"torch",               ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  torchRecurrent},
    {"torch.Tensor",        ListClass::Half,            InPlaceRule::MatchSelf,      ListOrigin::Apex, true,  tensorHalf},
    {"torch.Tensor",        ListClass::Half,            InPlaceRule::MatchSelf,      ListOrigin::Apex, true,  sharedHalf},
    {"torch.Tensor",        ListClass::Half,            InPlaceRule::MatchSelf,      ListOrigin::Apex, false, sharedFloat16Only},
    {"torch.Tensor",        ListClass::Float32,         InPlaceRule::RefuseHalfSelf, ListOrigin::Apex, true,  tensorFloat32},
    {"torch.Tensor",        ListClass::Float32,         InPlaceRule::RefuseHalfSelf, ListOrigin::Apex, true,  sharedFloat32},
    {"torch.Tensor",        ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Apex, true,  tensorByReciprocal},
    {"torch.Tensor",        ListClass::Promote,         InPlaceRule::MatchSelf,      ListOrigin::Apex, true,  tensorPromote},
    {"torch.Tensor",        ListClass::Promote,         InPlaceRule::MatchSelf,      ListOrigin::Apex, true,  sharedPromote},
    {"torch",               ListClass::Promote,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  sharedOurPromote},
    {"torch.Tensor",        ListClass::Promote,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  sharedOurPromote},
    {"jax.nn",              ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  nnFloat32},
    {"jax.numpy",           ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  numpyHalf},
    {"jax.numpy",           ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  numpyFloat32},
    {"jax.numpy",           ListClass::Promote,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  numpyPromote},
    {"jax.numpy",           ListClass::SequencePromote, InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  numpySequencePromote},
    {"jax.numpy.linalg",    ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  numpyLinalgFloat32},
    {"jax.scipy.special",   ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  scipyFloat32},
    {"jax.image",           ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  imageFloat32},
    {"lax",                 ListClass::Half,            InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  laxHalf},
    {"lax",                 ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  laxFloat32},
    {"lax",                 ListClass::Promote,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  laxPromote},
    {"lax",                 ListClass::SequencePromote, InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  laxSequencePromote},
    {"optax",               ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  optaxFloat32},
    {"optax",               ListClass::Float32,         InPlaceRule::NotInPlace,     ListOrigin::Ours, true,  optaxLosses},
};

//===----------------------------------------------------------------------===//
// Spellings
//===----------------------------------------------------------------------===//

namespace {
struct Spelling {
  StringLiteral seen;
  StringLiteral listed;
};
} // namespace

// Names under which torch.overrides.resolve_name (torch 2.13.0) reports a
// listed function: it keeps the last of several names of one object. `a - b`
// arrives as the method; the method itself is on no list but promotes alike.
static constexpr Spelling functionSpellings[] = {
    {"torch.Tensor.sub", "torch.Tensor.__sub__"},
    {"torch.spmm", "torch.mm"},
};

// Namespaces that re-export another one's functions.
static constexpr Spelling namespaceSpellings[] = {
    {"jax.lax", "lax"},
    {"optax.losses", "optax"},
    {"torch.functional", "torch"},
};

// ATen operations whose name is not that of the function that they carry out
// (torch 2.13.0): kernels below a function, and variants by backend or rank.
static constexpr Spelling atenSpellings[] = {
    {"_conv_depthwise2d",               "torch.nn.functional.conv2d"},
    {"_convolution",                    "torch.nn.functional.conv2d"},
    {"_ctc_loss",                       "torch.nn.functional.ctc_loss"},
    {"_cudnn_ctc_loss",                 "torch.nn.functional.ctc_loss"},
    {"_cudnn_rnn",                      "torch.lstm"},
    {"_log_softmax",                    "torch.nn.functional.log_softmax"},
    {"_masked_softmax",                 "torch.nn.functional.softmax"},
    {"_prelu_kernel",                   "torch.prelu"},
    {"_safe_softmax",                   "torch.nn.functional.softmax"},
    {"_slow_conv2d_forward",            "torch.nn.functional.conv2d"},
    {"_softmax",                        "torch.nn.functional.softmax"},
    {"_thnn_fused_gru_cell",            "torch.gru_cell"},
    {"_thnn_fused_lstm_cell",           "torch.lstm_cell"},
    {"_trilinear",                      "torch.bilinear"},
    {"_upsample_bicubic2d_aa",          "torch.nn.functional.interpolate"},
    {"_upsample_bilinear2d_aa",         "torch.nn.functional.interpolate"},
    {"_upsample_lanczos2d_aa",          "torch.nn.functional.interpolate"},
    {"_upsample_nearest_exact1d",       "torch.nn.functional.interpolate"},
    {"_upsample_nearest_exact2d",       "torch.nn.functional.interpolate"},
    {"_upsample_nearest_exact3d",       "torch.nn.functional.interpolate"},
    {"conv_depthwise3d",                "torch.nn.functional.conv3d"},
    {"convolution",                     "torch.nn.functional.conv2d"},
    {"convolution_overrideable",        "torch.nn.functional.conv2d"},
    {"cross_entropy_loss",              "torch.nn.functional.cross_entropy"},
    {"cudnn_convolution",               "torch.nn.functional.conv2d"},
    {"cudnn_convolution_transpose",     "torch.nn.functional.conv_transpose2d"},
    {"cudnn_grid_sampler",              "torch.nn.functional.grid_sample"},
    {"frobenius_norm",                  "torch.norm"},
    {"grid_sampler",                    "torch.nn.functional.grid_sample"},
    {"grid_sampler_2d",                 "torch.nn.functional.grid_sample"},
    {"grid_sampler_3d",                 "torch.nn.functional.grid_sample"},
    {"linalg_cross",                    "torch.cross"},
    {"linalg_matrix_norm",              "torch.norm"},
    {"linalg_norm",                     "torch.norm"},
    {"linalg_vector_norm",              "torch.norm"},
    {"miopen_convolution",              "torch.nn.functional.conv2d"},
    {"miopen_convolution_transpose",    "torch.nn.functional.conv_transpose2d"},
    {"miopen_ctc_loss",                 "torch.nn.functional.ctc_loss"},
    {"miopen_depthwise_convolution",    "torch.nn.functional.conv2d"},
    {"miopen_rnn",                      "torch.lstm"},
    {"mkldnn_convolution",              "torch.nn.functional.conv2d"},
    {"mkldnn_rnn_layer",                "torch.lstm"},
    {"multilabel_margin_loss_forward",  "torch.nn.functional.multilabel_margin_loss"},
    {"native_group_norm",               "torch.nn.functional.group_norm"},
    {"native_layer_norm",               "torch.nn.functional.layer_norm"},
    {"native_norm",                     "torch.norm"},
    {"nll_loss2d",                      "torch.nn.functional.nll_loss"},
    {"nll_loss2d_forward",              "torch.nn.functional.nll_loss"},
    {"nll_loss_forward",                "torch.nn.functional.nll_loss"},
    {"nll_loss_nd",                     "torch.nn.functional.nll_loss"},
    {"nuclear_norm",                    "torch.norm"},
    {"rsub",                            "torch.Tensor.__rsub__"},
    {"slow_conv3d",                     "torch.nn.functional.conv3d"},
    {"slow_conv3d_forward",             "torch.nn.functional.conv3d"},
    {"slow_conv_dilated2d",             "torch.nn.functional.conv2d"},
    {"slow_conv_dilated3d",             "torch.nn.functional.conv3d"},
    {"slow_conv_transpose2d",           "torch.nn.functional.conv_transpose2d"},
    {"slow_conv_transpose3d",           "torch.nn.functional.conv_transpose3d"},
    {"sub",                             "torch.Tensor.__sub__"},
    {"thnn_conv2d",                     "torch.nn.functional.conv2d"},
    {"upsample_bicubic2d",              "torch.nn.functional.interpolate"},
    {"upsample_bilinear2d",             "torch.nn.functional.interpolate"},
    {"upsample_linear1d",               "torch.nn.functional.interpolate"},
    {"upsample_nearest1d",              "torch.nn.functional.interpolate"},
    {"upsample_nearest2d",              "torch.nn.functional.interpolate"},
    {"upsample_nearest3d",              "torch.nn.functional.interpolate"},
    {"upsample_trilinear3d",            "torch.nn.functional.interpolate"},
};

// clang-format on

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

llvm::ArrayRef<OpList> mlir::amp::getOpLists() { return opLists; }

StringRef mlir::amp::stringifyListClass(ListClass listClass) {
  switch (listClass) {
  case ListClass::Half:
    return "half";
  case ListClass::Float32:
    return "float32";
  case ListClass::Promote:
    return "promote";
  case ListClass::SequencePromote:
    return "sequence-promote";
  case ListClass::Banned:
    return "banned";
  }
  assert(false && "every class has a name");
  return "";
}

/// Namespace and name of a function, both in the spelling of the lists.
static std::pair<StringRef, StringRef> splitListed(StringRef function) {
  for (const Spelling &spelling : functionSpellings)
    if (function == spelling.seen)
      function = spelling.listed;
  auto [nameSpace, name] = function.rsplit('.');
  for (const Spelling &spelling : namespaceSpellings)
    if (nameSpace == spelling.seen)
      nameSpace = spelling.listed;
  return {nameSpace, name};
}

/// The list that has exactly this name, if any.
static const OpList *findList(StringRef nameSpace, StringRef name) {
  for (const OpList &list : opLists)
    if (list.nameSpace == nameSpace && llvm::is_contained(list.names, name))
      return &list;
  return nullptr;
}

/// "exp" of "exp_"; nothing for "exp" and "__ipow__".
static std::optional<StringRef> getInPlaceBase(StringRef name) {
  if (name.ends_with("__") || !name.consume_back("_"))
    return std::nullopt;
  return name;
}

std::optional<ListEntry> mlir::amp::lookupFunction(StringRef function,
                                                   FloatKind half) {
  assert(half != FloatKind::Float32 && "the low type is a half type");
  auto [nameSpace, name] = splitListed(function);
  InPlaceRule inPlace = InPlaceRule::NotInPlace;
  const OpList *list = findList(nameSpace, name);
  if (!list) {
    std::optional<StringRef> base = getInPlaceBase(name);
    list = base ? findList(nameSpace, *base) : nullptr;
    if (!list || list->inPlace == InPlaceRule::NotInPlace)
      return std::nullopt;
    inPlace = list->inPlace;
  }
  if (half == FloatKind::BFloat16 && !list->withBFloat16)
    return std::nullopt;
  return ListEntry{list->listClass, inPlace, list->origin};
}

bool mlir::amp::keepsTypeOfSelf(StringRef function) {
  auto [nameSpace, name] = splitListed(function);
  if (nameSpace == "torch.nn.functional" &&
      llvm::is_contained(functionalTypeOfInput, name))
    return true;
  return (nameSpace == "torch" || nameSpace == "torch.Tensor" ||
          nameSpace == "torch.nn.functional") &&
         getInPlaceBase(name);
}

/// "add" of "aten.add" and of "aten.add.Tensor"; nothing for other scopes.
static std::optional<StringRef> getATenName(StringRef scope) {
  if (!scope.consume_front("aten."))
    return std::nullopt;
  return scope.split('.').first;
}

/// The function that an ATen operation carries out, as far as the table knows.
static std::optional<StringRef> findATenSpelling(StringRef name) {
  for (const Spelling &spelling : atenSpellings)
    if (spelling.seen == name)
      return StringRef(spelling.listed);
  return std::nullopt;
}

std::optional<std::string> mlir::amp::getFunctionOfATen(StringRef scope) {
  std::optional<StringRef> name = getATenName(scope);
  if (!name)
    return std::nullopt;
  if (std::optional<StringRef> function = findATenSpelling(*name))
    return function->str();
  // An in-place operation is what a method does; else the functions come first,
  // as a name that is function and method has one class in both.
  for (StringRef nameSpace :
       {"torch.nn.functional.", "torch.", "torch.Tensor."}) {
    bool isMethod = nameSpace == "torch.Tensor.";
    if (getInPlaceBase(*name) && !isMethod)
      continue;
    std::string function = (nameSpace + *name).str();
    if (lookupFunction(function))
      return function;
  }
  return std::nullopt;
}

std::optional<ListEntry> mlir::amp::lookupScope(StringRef scope,
                                                FloatKind half) {
  if (!getATenName(scope))
    return lookupFunction(scope, half);
  std::optional<std::string> function = getFunctionOfATen(scope);
  return function ? lookupFunction(*function, half) : std::nullopt;
}

bool mlir::amp::isLossFunction(StringRef function) {
  auto [nameSpace, name] = splitListed(function);
  for (const LossList &list : lossLists)
    if (list.nameSpace == nameSpace && llvm::is_contained(list.names, name))
      return true;
  return false;
}

bool mlir::amp::isLossScope(StringRef scope) {
  std::optional<StringRef> name = getATenName(scope);
  if (!name)
    return isLossFunction(scope);
  if (std::optional<StringRef> function = findATenSpelling(*name))
    return isLossFunction(*function);
  return isLossFunction(("torch.nn.functional." + *name).str());
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

// apex/amp/lists/functional_overrides.py, BANNED_FUNCS, with its line breaks.
static constexpr StringLiteral binaryCrossEntropyAdvice =
    "\namp does not work out-of-the-box with `F.binary_cross_entropy` or "
    "`torch.nn.BCELoss.` It requires that the output of the previous function "
    "be already a FloatTensor. \n\n"
    "Most models have a Sigmoid right before BCELoss. In that case, you can "
    "use\n"
    "    torch.nn.BCEWithLogitsLoss\n"
    "to combine Sigmoid+BCELoss into a single layer that is compatible with "
    "amp.\n"
    "Another option is to add\n"
    "    amp.register_float_function(torch, 'sigmoid')\n"
    "before calling `amp.init()`.\n"
    "If you _really_ know what you are doing, you can disable this warning by "
    "passing allow_banned=True to `amp.init()`.";

std::optional<std::string> mlir::amp::getRefusalText(StringRef function,
                                                     FloatKind half) {
  std::optional<ListEntry> entry = lookupFunction(function, half);
  if (!entry)
    return std::nullopt;
  if (entry->listClass == ListClass::Banned)
    return binaryCrossEntropyAdvice.str();

  // apex/amp/wrap.py, err_if_any_half and err_if_arg0_half.
  StringRef type = half == FloatKind::Float16 ? "fp16" : "bfloat16";
  StringRef name = splitListed(function).second;
  switch (entry->inPlace) {
  case InPlaceRule::RefuseHalf:
    return ("Cannot call in-place function " + name + " with " + type +
            " arguments.")
        .str();
  case InPlaceRule::RefuseHalfSelf:
    return ("Cannot call in-place method " + name + " on " + type + " Tensors.")
        .str();
  case InPlaceRule::NotInPlace:
  case InPlaceRule::MatchSelf:
    return std::nullopt;
  }
  return std::nullopt;
}
