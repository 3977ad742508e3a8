/*===-- amp-rt/Scaler.h - Loss scaler state between steps ----------*- C -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * A loss scaler is a small state machine: the scale the loss is multiplied by,
 * and counters that say when it may grow. A training step reads the scale,
 * computes gradients, finds out whether any of them is not finite (found_inf),
 * and hands that to one transition of the machine. The transition says whether
 * the optimizer step must be skipped.
 *
 * Which machine it is, a preset decides. The preset `apex` gives, bit for bit
 * and in f64, what NVIDIA Apex AMP's LossScaler gives, but for two faults:
 *
 * - Apex halves 5e-324 to 0 and then divides by it. Here the scale is held at
 *   5e-324, and AMP_RT_SCALER_HELD_AT_BOTTOM and the health verdict say so.
 * - Apex grows only when the counter equals the interval, so a counter loaded
 *   past it never grows. Here such a counter grows at the next clean step.
 *
 * A scaler may be used by one thread at a time.
 *
 * Programs for a device move the scaler there: its state is then in the
 * device's memory, and the functions below that ask for it or change it wait
 * for the device first and may fail as a copy does. Between steps nobody need
 * ask. Of that memory the scaler keeps a record until it is destroyed, which
 * has to be before ampRtDeviceClose.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_SCALER_H
#define AMP_RT_SCALER_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Status.h"

#include <stdbool.h>
#include <stdint.h>

AMP_RT_BEGIN_DECLS

typedef struct AmpRtScaler AmpRtScaler;

/*===----------------------------------------------------------------------===
 * Configuration
 *===----------------------------------------------------------------------===*/

typedef enum AmpRtScalerPreset {
  /* Apex AMP: skip and back off on overflow; grow after growthInterval backward
   * passes in a row without one. No hysteresis. */
  AMP_RT_SCALER_APEX = 0,
  /* torch.amp.GradScaler: the same, with a scale that is rounded to f32 at each
   * transition and grows only where that is finite. Always dynamic, no bounds:
   * minScale 0, maxScale inf. Held at 2^-149 where torch halves it to 0. */
  AMP_RT_SCALER_TORCH = 1
} AmpRtScalerPreset;

typedef enum AmpRtScalerMode {
  /* The scale follows the preset's rules. */
  AMP_RT_SCALER_DYNAMIC = 0,
  /* The scale stays as it is and, as in Apex, no step is ever skipped, and the
   * clean step counter counts every update; but see AMP_RT_SCALER_STATIC_SKIPS.
   */
  AMP_RT_SCALER_STATIC = 1
} AmpRtScalerMode;

/* Bits of AmpRtScalerConfig.flags. */
enum {
  /* Accept, as Apex does in silence, a minScale above maxScale or above the
   * initial scale: the scale then starts below minScale, rises to it at the
   * first overflow, and jumps between the two bounds. Without this bit such
   * bounds are refused. */
  AMP_RT_SCALER_APEX_BOUNDS = 1u << 0,
  /* A step that overflows under a static scale is skipped, as its program is
   * compiled to do: it is counted so, and the clean step counter starts anew.
   * No effect on a dynamic scaler. */
  AMP_RT_SCALER_STATIC_SKIPS = 1u << 1
};

typedef struct AmpRtScalerConfig {
  uint32_t structSize; /* sizeof this struct */
  int32_t preset;      /* an AmpRtScalerPreset */
  int32_t mode;        /* an AmpRtScalerMode */
  uint32_t flags;      /* bits of the enum above */
  /* Above 0 and finite in f32. A dynamic scaler starts at min(initialScale,
   * maxScale), a static one at initialScale. */
  double initialScale;
  double growthFactor;  /* above 1 */
  double backoffFactor; /* between 0 and 1, both excluded */
  /* The scale never backs off below minScale; 0 means no bound of one's own
   * (and so 5e-324). Not applied at the start, nor to a loaded state. */
  double minScale;
  /* The scale never grows above maxScale; +inf means no bound. */
  double maxScale;
  int64_t growthInterval; /* at least 1; Apex's scale_window */
  int32_t hysteresis;     /* 1: the apex preset has none */
  uint32_t reserved;      /* 0 */
} AmpRtScalerConfig;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtScalerConfig) == 72,
                     "AmpRtScalerConfig has no padding");

/* Fills *config with Apex's defaults: dynamic, initial scale 2^16, factors 2
 * and 0.5, interval 2000, no minimum, maximum 2^24, hysteresis 1. Null is
 * ignored. The size is the caller's own, so that no more is written than the
 * caller has. */
AMP_RT_API void ampRtScalerConfigInitSized(AmpRtScalerConfig *config,
                                           uint32_t structSize);
static inline void ampRtScalerConfigInit(AmpRtScalerConfig *config) {
  ampRtScalerConfigInitSized(config, sizeof(AmpRtScalerConfig));
}

/*===----------------------------------------------------------------------===
 * State
 *===----------------------------------------------------------------------===*/

/* Bits of AmpRtScalerState.flags. */
enum {
  /* Backing off can no longer change what the program multiplies by: a dynamic
   * scale at or below max(minScale, 2^-126). */
  AMP_RT_SCALER_AT_FLOOR = 1u << 0,
  /* The latest transition would have taken the scale to 0 and held it at the
   * smallest number above instead: 5e-324, with the preset torch 2^-149. */
  AMP_RT_SCALER_HELD_AT_BOTTOM = 1u << 1,
  /* An overflow was accumulated for the transition to come. */
  AMP_RT_SCALER_FOUND_INF = 1u << 2
};

typedef struct AmpRtScalerState {
  uint32_t structSize; /* sizeof this struct */
  uint32_t flags;      /* bits of the enum above */
  double scale;
  int64_t unskipped;  /* clean updates since the scale last changed */
  int32_t hysteresis; /* overflows left before backing off; 1 for apex */
  uint32_t reserved;  /* 0 */
  int64_t steps;      /* updates so far */
  int64_t skipped;    /* of those, how many asked to skip the step */
  int64_t overflows;  /* of those, how many found an inf; static scalers too */
  int64_t skippedInARow; /* skipped updates since the last clean one */
  int64_t stepsAtFloor;  /* of those in a row, how many started at the floor */
  int64_t lastSkippedStep; /* number of the update, from 0; -1 for none */
} AmpRtScalerState;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtScalerState) == 80,
                     "AmpRtScalerState has no padding");

/* A scaler as a program for a device has it in its memory: what its transition
 * reads and writes, 8 bytes each. Compiled code counts on the order. Bits of
 * flags as in AmpRtScalerState, without AT_FLOOR, which the scale says. */
typedef struct AmpRtScalerRecord {
  double scale;
  int64_t unskipped;
  int64_t steps;
  int64_t skipped;
  int64_t overflows;
  int64_t skippedInARow;
  int64_t stepsAtFloor;
  int64_t lastSkippedStep;
  int64_t flags;
  /* The configuration. */
  int64_t preset;
  int64_t mode;
  int64_t configFlags;
  int64_t growthInterval;
  double growthFactor;
  double backoffFactor;
  double minScale;
  double maxScale;
} AmpRtScalerRecord;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtScalerRecord) == 17 * 8,
                     "AmpRtScalerRecord has no padding");

/*===----------------------------------------------------------------------===
 * Life
 *===----------------------------------------------------------------------===*/

/* Makes a scaler. `name` is used in texts (null: "unnamed"). `config` null
 * means the defaults. The caller owns *scaler and destroys it after the last
 * program that holds its handle has returned. */
AMP_RT_API AmpRtStatus ampRtScalerCreate(const char *name,
                                         const AmpRtScalerConfig *config,
                                         AmpRtScaler **scaler);

AMP_RT_API void ampRtScalerDestroy(AmpRtScaler *scaler);

/* The name, owned by the scaler; null for null. */
AMP_RT_API const char *ampRtScalerName(const AmpRtScaler *scaler);

AMP_RT_API AmpRtStatus ampRtScalerGetConfig(const AmpRtScaler *scaler,
                                            AmpRtScalerConfig *config);

AMP_RT_API AmpRtStatus ampRtScalerGetState(const AmpRtScaler *scaler,
                                           AmpRtScalerState *state);

/* Puts back all that ampRtScalerGetState gave, statistics included; only the
 * flag AT_FLOOR is computed anew. A state that no scaler can be in (scale not
 * above 0 and finite, negative counter) is refused and changes nothing. */
AMP_RT_API AmpRtStatus ampRtScalerSetState(AmpRtScaler *scaler,
                                           const AmpRtScalerState *state);

/* Loads Apex's checkpoint entry {'loss_scale', 'unskipped'}. As in Apex the
 * bounds are not applied. Totals stay, runs in a row and an accumulated
 * found_inf are cleared. A scale of 0, which Apex saves after a collapse, is
 * refused. */
AMP_RT_API AmpRtStatus ampRtScalerLoad(AmpRtScaler *scaler, double scale,
                                       int64_t unskipped);

/*===----------------------------------------------------------------------===
 * A step
 *===----------------------------------------------------------------------===*/

/* The scale as a program uses it: the state's scale rounded to f32 and kept
 * within [2^-126, largest f32], so that it is never 0, subnormal or inf. */
AMP_RT_API AmpRtStatus ampRtScalerGetScale(const AmpRtScaler *scaler,
                                           float *scale);

/* One transition. The step overflowed if foundInf is true or an overflow was
 * accumulated before; the accumulated one is consumed. *skip says whether the
 * optimizer step must be left out; null if not wanted. */
AMP_RT_API AmpRtStatus ampRtScalerUpdate(AmpRtScaler *scaler, bool foundInf,
                                         bool *skip);

/* For several backward passes before one transition (Apex's
 * delay_overflow_check): remembers an overflow until the next update. Apex
 * itself forgets it at the next backward pass; call ampRtScalerClearFoundInf
 * before each pass to do the same. */
AMP_RT_API AmpRtStatus ampRtScalerAccumulateFoundInf(AmpRtScaler *scaler,
                                                     bool foundInf);

/* Forgets what was accumulated. */
AMP_RT_API AmpRtStatus ampRtScalerClearFoundInf(AmpRtScaler *scaler);

/*===----------------------------------------------------------------------===
 * Health
 *===----------------------------------------------------------------------===*/

typedef enum AmpRtScalerVerdict {
  /* The latest update was clean. */
  AMP_RT_SCALER_HEALTHY = 0,
  /* The latest updates were skipped and the scale can still back off: ordinary
   * at the start and after each growth. */
  AMP_RT_SCALER_BACKING_OFF = 1,
  /* At least `patience` updates in a row overflowed with the scale at its
   * floor: the gradients are not finite whatever the scale, training stands
   * still. */
  AMP_RT_SCALER_STUCK_AT_FLOOR = 2,
  /* As STUCK_AT_FLOOR, and the scale is held at the smallest number above 0. */
  AMP_RT_SCALER_STUCK_AT_BOTTOM = 3,
  /* A static scaler was given overflows, which it cannot avoid by backing off;
   * the text says how many steps were skipped. */
  AMP_RT_SCALER_STATIC_OVERFLOW = 4
} AmpRtScalerVerdict;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtScalerVerdict) == 4,
                     "AmpRtScalerVerdict crosses the boundary as an int32");

/* What to make of the state. `patience` is the number of overflows in a row at
 * the floor that count as stuck, at least 1. *text explains the verdict with
 * the scaler's name, its numbers and what to do; it is owned by the scaler and
 * valid until the next call of this function on it. Null text: not wanted. */
AMP_RT_API AmpRtStatus ampRtScalerHealth(AmpRtScaler *scaler, int64_t patience,
                                         AmpRtScalerVerdict *verdict,
                                         const char **text);

/* The handle of a scaler, to be passed to a compiled program (Run.h); 0 for
 * null. */
AMP_RT_API int64_t ampRtScalerHandle(const AmpRtScaler *scaler);

AMP_RT_END_DECLS

#endif /* AMP_RT_SCALER_H */
