/*===- amp-c/Policy.h - Levels, properties and op lists ------------*- C
-*-===*\
|*                                                                            *|
|* Part of the mlir-amp project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A level and the user's overrides go in, the properties in force come out,  *|
|* or the error that NVIDIA Apex raises, in its words. Beside it, which       *|
|* function is on which list. This is the table that the compiler itself      *|
|* uses; no module and no MLIR is involved.                                   *|
|*                                                                            *|
|*   AmpPolicyOverride given[] = {{"loss_scale", "128.0"}};                   *|
|*   AmpPolicyRequest request = {0};                                          *|
|*   request.structSize = sizeof request;                                     *|
|*   request.optLevel = "O2";                                                 *|
|*   request.overrides = given;                                               *|
|*   request.overrideCount = 1;                                               *|
|*   AmpPolicySelection *selection = ampPolicySelect(&request);               *|
|*   if (ampPolicySelectionGetStatus(selection) != AMP_POLICY_OK)             *|
|*     fputs(ampPolicySelectionGetError(selection), stderr);                  *|
|*   ampPolicySelectionDestroy(selection);                                    *|
|*                                                                            *|
|* Threads: all functions may be called by several threads. A selection or a  *|
|* list of functions never changes and may be read by several threads.        *|
|*                                                                            *|
|* Crossing this boundary: no exceptions, no allocator (what the library      *|
|* allocates it frees). Strings end with a zero. In structs, the caller sets  *|
|* structSize to the size of the struct before the call, for structs that it  *|
|* receives as well.                                                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef AMP_C_POLICY_H
#define AMP_C_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define AMP_POLICY_EXPORT
#else
#define AMP_POLICY_EXPORT __attribute__((visibility("default")))
#endif

/** Version of this interface. It grows when something is added; a program works
 * with every library of the version it was written for, or a later one. */
#define AMP_POLICY_API_VERSION 1

/** How a call ended. The last four are refusals by the policy, named after the
 * exception that Apex raises. */
typedef enum AmpPolicyStatus {
  AMP_POLICY_OK = 0,
  /** The request itself: a null pointer, a size or an enum value. */
  AMP_POLICY_INVALID_ARGUMENT = 1,
  AMP_POLICY_RUNTIME_ERROR = 2,
  AMP_POLICY_ASSERTION_ERROR = 3,
  AMP_POLICY_TYPE_ERROR = 4,
  AMP_POLICY_VALUE_ERROR = 5
} AmpPolicyStatus;

/** A floating type, or none. */
typedef enum AmpPolicyType {
  AMP_POLICY_NO_TYPE = 0,
  AMP_POLICY_FLOAT32 = 1,
  AMP_POLICY_FLOAT16 = 2,
  AMP_POLICY_BFLOAT16 = 3
} AmpPolicyType;

/** A boolean that may be None. */
typedef enum AmpPolicyBool {
  AMP_POLICY_NONE = -1,
  AMP_POLICY_FALSE = 0,
  AMP_POLICY_TRUE = 1
} AmpPolicyBool;

/** The AMP_POLICY_API_VERSION that the library was built with. */
AMP_POLICY_EXPORT uint32_t ampPolicyGetApiVersion(void);

/*===----------------------------------------------------------------------===*\
|* Selection                                                                  *|
\*===----------------------------------------------------------------------===*/

/** One property that the user gave; or "hard_override", with which Apex's
 * RuntimeErrors about properties become warnings in the text. */
typedef struct AmpPolicyOverride {
  /** As Apex calls it: "keep_batchnorm_fp32". */
  const char *name;
  /** Python's repr of the value: "None", "True", "128.0", "torch.float16",
   * "'dynamic'" (a string may also stand without quotes). */
  const char *value;
} AmpPolicyOverride;

/** What to select. Set everything to zero, then the members you need. The
 * library reads it during the call only. */
typedef struct AmpPolicyRequest {
  /** sizeof(AmpPolicyRequest): which version of this struct it is. */
  uint64_t structSize;
  /** "O0" to "O5". Null is an invalid argument; any other text is an unknown
   * level, which Apex's RuntimeError refuses. */
  const char *optLevel;
  /** The overrides; where one is named twice, the last counts. May be null if
   * there are none. */
  const AmpPolicyOverride *overrides;
  uint64_t overrideCount;
} AmpPolicyRequest;

/** Properties in force, or the defaults of a level. */
typedef struct AmpPolicyProperties {
  /** sizeof(AmpPolicyProperties), set by the caller. */
  uint64_t structSize;
  /** 1, or 0 where the user wrote enabled=False; the rest is then Apex's bare
   * Properties. */
  int32_t enabled;
  /** 0 to 5 for O0 to O5; -1 if not enabled. */
  int32_t optLevel;
  /** An AmpPolicyType: what the model is cast to. Float32 names the type that
   * it has. */
  int32_t castModelType;
  /** 1 if the user wrote cast_model_type=False; castModelType is then
   * AMP_POLICY_NO_TYPE and acts as None does. */
  int32_t castModelTypeIsFalse;
  /** An AmpPolicyBool: whether listed functions get casts. */
  int32_t patchTorchFunctions;
  /** An AmpPolicyType. */
  int32_t patchTorchFunctionsType;
  /** An AmpPolicyBool. */
  int32_t keepBatchnormFP32;
  /** An AmpPolicyBool. */
  int32_t masterWeights;
  /** An AmpPolicyType. */
  int32_t castModelOutputs;
  /** 1 if the scale follows the overflows, 0 if it stays. */
  int32_t lossScaleIsDynamic;
  /** An AmpPolicyType, derived: the half type that the model is cast to. */
  int32_t modelCast;
  /** An AmpPolicyType, derived: the type that listed functions are patched to.
   */
  int32_t functionCast;
  /** The constant factor on the loss; 0 if it is dynamic. */
  double lossScale;
  /** Floor and ceiling of a dynamic scale, factors without a unit. No floor: 0.
   * No ceiling: infinity. */
  double minLossScale;
  double maxLossScale;
  /** Derived: the factor at the first step. */
  double initialScale;
  /** Number of loss scalers, at least 1. */
  int64_t numLosses;
  /** Above 0: the selection is printed. */
  int64_t verbosity;
} AmpPolicyProperties;

/** What came of a request; owned by the caller. */
typedef struct AmpPolicySelection AmpPolicySelection;

/** Selects a level and applies the overrides; the first check that fails
 * decides. Never null: what goes wrong stands in the result, a null request
 * too. Pass the result to ampPolicySelectionDestroy. */
AMP_POLICY_EXPORT AmpPolicySelection *
ampPolicySelect(const AmpPolicyRequest *request);

/** How the call ended; AMP_POLICY_INVALID_ARGUMENT for null. */
AMP_POLICY_EXPORT AmpPolicyStatus
ampPolicySelectionGetStatus(const AmpPolicySelection *selection);

/** The message without the exception's name, in Apex's words where it is
 * Apex's. Empty, never null, if the status is AMP_POLICY_OK. Belongs to the
 * selection. */
AMP_POLICY_EXPORT const char *
ampPolicySelectionGetError(const AmpPolicySelection *selection);

/** The properties in force. AMP_POLICY_INVALID_ARGUMENT, and *properties left
 * alone, for null, for another size, and where the selection failed. */
AMP_POLICY_EXPORT AmpPolicyStatus ampPolicySelectionGetProperties(
    const AmpPolicySelection *selection, AmpPolicyProperties *properties);

/** The same for the level's own properties, before the overrides. */
AMP_POLICY_EXPORT AmpPolicyStatus ampPolicySelectionGetDefaults(
    const AmpPolicySelection *selection, AmpPolicyProperties *properties);

/** What Apex prints: the level, its defaults, and the options after the
 * overrides. Empty, never null, if not enabled or if the selection failed;
 * with verbosity 0 the warnings of "hard_override" alone. Belongs to the
 * selection. */
AMP_POLICY_EXPORT const char *
ampPolicySelectionGetText(const AmpPolicySelection *selection);

/** Number of texts about what was accepted although it has no effect. */
AMP_POLICY_EXPORT size_t
ampPolicySelectionGetRemarkCount(const AmpPolicySelection *selection);

/** One of them, from 0; empty, never null, out of range. First letter lower
 * case, no full stop. Belongs to the selection. */
AMP_POLICY_EXPORT const char *
ampPolicySelectionGetRemark(const AmpPolicySelection *selection, size_t index);

/** Frees a selection with its texts. Null is allowed. */
AMP_POLICY_EXPORT void ampPolicySelectionDestroy(AmpPolicySelection *selection);

/*===----------------------------------------------------------------------===*\
|* Op lists                                                                   *|
\*===----------------------------------------------------------------------===*/

/** What is done to the floating arguments of a listed function. */
typedef enum AmpPolicyListClass {
  /** Cast to the half type. */
  AMP_POLICY_LIST_HALF = 0,
  /** Cast to float32. */
  AMP_POLICY_LIST_FLOAT32 = 1,
  /** Cast to the widest type among them. */
  AMP_POLICY_LIST_PROMOTE = 2,
  /** The same for the elements of the sequence that is the first argument. */
  AMP_POLICY_LIST_SEQUENCE_PROMOTE = 3,
  /** Refused if one of them is half, else run in float32; run in float32
   * without refusal where banned functions are allowed. */
  AMP_POLICY_LIST_BANNED = 4
} AmpPolicyListClass;

/** How an in-place form (a listed name and "_") is treated. */
typedef enum AmpPolicyInPlaceRule {
  /** It is no in-place form: the class says all. */
  AMP_POLICY_NOT_IN_PLACE = 0,
  /** Refused if any argument is half. */
  AMP_POLICY_REFUSE_HALF = 1,
  /** Refused if self is half, else the other arguments are cast to float32. */
  AMP_POLICY_REFUSE_HALF_SELF = 2,
  /** The other arguments are cast to the type of self. */
  AMP_POLICY_MATCH_SELF = 3
} AmpPolicyInPlaceRule;

/** Whose list it is. */
typedef enum AmpPolicyListOrigin {
  AMP_POLICY_ORIGIN_APEX = 0,
  /** Counterparts of what Apex lists, in JAX and in later PyTorch. */
  AMP_POLICY_ORIGIN_OURS = 1
} AmpPolicyListOrigin;

/** The entry of one function. */
typedef struct AmpPolicyListEntry {
  /** sizeof(AmpPolicyListEntry), set by the caller. */
  uint64_t structSize;
  /** An AmpPolicyListClass. */
  int32_t listClass;
  /** An AmpPolicyInPlaceRule. */
  int32_t inPlace;
  /** An AmpPolicyListOrigin. */
  int32_t origin;
  /** 0 if the function is on no list when the half type is bfloat16. */
  int32_t withBFloat16;
} AmpPolicyListEntry;

/** The names on all lists; owned by the caller. */
typedef struct AmpPolicyFunctions AmpPolicyFunctions;

/** Every listed function, in-place forms too, each name once. Never null. Pass
 * it to ampPolicyFunctionsDestroy. */
AMP_POLICY_EXPORT AmpPolicyFunctions *ampPolicyFunctionsCreate(void);

/** Their number; 0 for null. */
AMP_POLICY_EXPORT size_t
ampPolicyFunctionsGetCount(const AmpPolicyFunctions *functions);

/** The full name, from 0: "torch.nn.functional.linear". Empty, never null, out
 * of range. Belongs to `functions`. */
AMP_POLICY_EXPORT const char *
ampPolicyFunctionsGetName(const AmpPolicyFunctions *functions, size_t index);

/** Frees the names. Null is allowed. */
AMP_POLICY_EXPORT void ampPolicyFunctionsDestroy(AmpPolicyFunctions *functions);

/** The entry of a function, by its full name or by one under which PyTorch
 * reports it ("torch.Tensor.sub" for "torch.Tensor.__sub__"). `half` is the low
 * type: AMP_POLICY_FLOAT16 or AMP_POLICY_BFLOAT16, whose lists are shorter.
 * Gives 1 and fills *entry, or gives 0 and leaves it alone: for a function on
 * no list, for null, and for another type or size. `entry` may be null. */
AMP_POLICY_EXPORT int32_t ampPolicyLookupFunction(const char *function,
                                                  int32_t half,
                                                  AmpPolicyListEntry *entry);

/** Apex's text for refusing a function on arguments of the type `half` (as
 * above): banned functions, and in-place forms. Writes as much of it as
 * `capacity` holds, a zero included, and gives its length without the zero; 0
 * for functions that are never refused. `buffer` may be null if `capacity` is
 * 0. */
AMP_POLICY_EXPORT size_t ampPolicyGetRefusal(const char *function, int32_t half,
                                             char *buffer, size_t capacity);

/** 1 if the function computes a loss, listed or not: the model ends before it.
 * 0 for null. */
AMP_POLICY_EXPORT int32_t ampPolicyIsLossFunction(const char *function);

/** 1 if the result has the type of the first argument whatever the others have:
 * in-place forms of torch, listed or not, and huber_loss. 0 for null. */
AMP_POLICY_EXPORT int32_t ampPolicyKeepsTypeOfSelf(const char *function);

#ifdef __cplusplus
}
#endif

#endif /* AMP_C_POLICY_H */
