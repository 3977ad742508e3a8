/*===-- amp-rt/Kernel.h - Compiled kernels and their arguments --------- -*- C
 * -*-===
 *
 * Part of the mlir-amp project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Modules of device code, the kernels in them, and tensor maps: what Device.h's
 * launches need on a device other than the host. All functions may be called by
 * several threads; one object may not be unloaded while another thread uses it.
 *===----------------------------------------------------------------------===*/
#ifndef AMP_RT_KERNEL_H
#define AMP_RT_KERNEL_H

#include "amp-rt/Conventions.h"
#include "amp-rt/Device.h"
#include "amp-rt/Status.h"

#include <stdint.h>

AMP_RT_BEGIN_DECLS

/*===----------------------------------------------------------------------===
 * Modules
 *===----------------------------------------------------------------------===*/

typedef struct AmpRtModule AmpRtModule;
typedef struct AmpRtKernel AmpRtKernel;

/* Loads an image of device code: on CUDA a cubin, a fatbin or PTX text, on
 * the emulator text of MLIR in the NVVM dialect. `name`, for texts, and the
 * image are copied. The host device has no modules. The
 * caller unloads *module. */
AMP_RT_API AmpRtStatus ampRtModuleLoad(AmpRtDevice *device, const char *name,
                                       const void *image, int64_t bytes,
                                       AmpRtModule **module);

/* Waits until the module's kernels have ended and unloads it, whatever is
 * returned. Its kernels end with it. Null does nothing. */
AMP_RT_API AmpRtStatus ampRtModuleUnload(AmpRtModule *module);

/* The kernel of that name. It belongs to the module; asking again gives the
 * same one. */
AMP_RT_API AmpRtStatus ampRtModuleGetKernel(AmpRtModule *module,
                                            const char *name,
                                            AmpRtKernel **kernel);

typedef struct AmpRtKernelAttributes {
  uint32_t structSize;       /* sizeof this struct */
  int32_t registers;         /* of a thread */
  int32_t threadsLimit;      /* threads that a block may have */
  int32_t argumentCount;     /* -1 if the device cannot say */
  int64_t staticSharedBytes; /* shared memory besides a launch's sharedBytes */
  int64_t localBytes;        /* stack and spilled registers of a thread */
  int64_t sharedBytesLimit;  /* largest sharedBytes of a launch */
} AmpRtKernelAttributes;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtKernelAttributes) == 40,
                     "AmpRtKernelAttributes has no padding");

/* A launch with more than 48 KB of shared memory raises the kernel's limit by
 * itself. */
AMP_RT_API AmpRtStatus ampRtKernelGetAttributes(
    AmpRtKernel *kernel, AmpRtKernelAttributes *attributes);

/*===----------------------------------------------------------------------===
 * Tensor maps
 *===----------------------------------------------------------------------===*/

/* What a kernel's bulk tensor copies know of a tensor: passed by value, so a
 * launch's argument is the address of one and its size 128. Opaque. */
#if defined(__cplusplus)
typedef struct alignas(128) AmpRtTensorMap {
  unsigned char bytes[128];
} AmpRtTensorMap;
#else /* not _Alignas: callers of amp-c/Execution.h may be C99 */
typedef struct AmpRtTensorMap {
  __attribute__((aligned(128))) unsigned char bytes[128];
} AmpRtTensorMap;
#endif

AMP_RT_STATIC_ASSERT(sizeof(AmpRtTensorMap) == 128,
                     "AmpRtTensorMap is CUtensorMap");

typedef enum AmpRtTensorMapKind {
  AMP_RT_TENSOR_MAP_TILED = 0, /* a copy takes a box of 1 to 5 dimensions */
  AMP_RT_TENSOR_MAP_IM2COL = 1 /* a copy takes pixels of an image, as the
                                  columns of a convolution: 3 to 5 dimensions */
} AmpRtTensorMapKind;

/* Numbers of CUtensorMapDataType, less the packed ones. Bytes serve for 8-bit
 * floats. */
typedef enum AmpRtTensorMapType {
  AMP_RT_TENSOR_MAP_UINT8 = 0,
  AMP_RT_TENSOR_MAP_UINT16 = 1,
  AMP_RT_TENSOR_MAP_UINT32 = 2,
  AMP_RT_TENSOR_MAP_INT32 = 3,
  AMP_RT_TENSOR_MAP_UINT64 = 4,
  AMP_RT_TENSOR_MAP_INT64 = 5,
  AMP_RT_TENSOR_MAP_FLOAT16 = 6,
  AMP_RT_TENSOR_MAP_FLOAT32 = 7,
  AMP_RT_TENSOR_MAP_FLOAT64 = 8,
  AMP_RT_TENSOR_MAP_BFLOAT16 = 9,
  AMP_RT_TENSOR_MAP_FLOAT32_FLUSHED = 10, /* subnormals become 0 */
  AMP_RT_TENSOR_MAP_TFLOAT32 = 11,
  AMP_RT_TENSOR_MAP_TFLOAT32_FLUSHED = 12
} AmpRtTensorMapType;

typedef enum AmpRtTensorMapInterleave {
  AMP_RT_TENSOR_MAP_NOT_INTERLEAVED = 0,
  AMP_RT_TENSOR_MAP_INTERLEAVE_16B = 1,
  AMP_RT_TENSOR_MAP_INTERLEAVE_32B = 2
} AmpRtTensorMapInterleave;

/* How 16-byte chunks change places in shared memory. */
typedef enum AmpRtTensorMapSwizzle {
  AMP_RT_TENSOR_MAP_NOT_SWIZZLED = 0,
  AMP_RT_TENSOR_MAP_SWIZZLE_32B = 1,
  AMP_RT_TENSOR_MAP_SWIZZLE_64B = 2,
  AMP_RT_TENSOR_MAP_SWIZZLE_128B = 3
} AmpRtTensorMapSwizzle;

typedef enum AmpRtTensorMapPromotion {
  AMP_RT_TENSOR_MAP_NOT_PROMOTED = 0,
  AMP_RT_TENSOR_MAP_PROMOTE_64B = 1,
  AMP_RT_TENSOR_MAP_PROMOTE_128B = 2,
  AMP_RT_TENSOR_MAP_PROMOTE_256B = 3
} AmpRtTensorMapPromotion;

/* What elements outside of the tensor read as. */
typedef enum AmpRtTensorMapFill {
  AMP_RT_TENSOR_MAP_FILL_ZERO = 0,
  AMP_RT_TENSOR_MAP_FILL_NAN = 1 /* floating-point types only */
} AmpRtTensorMapFill;

/* All arrays are innermost dimension first. Members that the rank or the kind
 * leave unused are ignored. */
typedef struct AmpRtTensorMapDescription {
  uint32_t structSize; /* sizeof this struct */
  int32_t kind;        /* an AmpRtTensorMapKind */
  int32_t elementType; /* an AmpRtTensorMapType */
  int32_t rank;        /* 1 to 5, from 3 on if interleaved or im2col */
  int32_t interleave;  /* an AmpRtTensorMapInterleave */
  int32_t swizzle;     /* an AmpRtTensorMapSwizzle */
  int32_t promotion;   /* an AmpRtTensorMapPromotion, to the L2 cache */
  int32_t fill;        /* an AmpRtTensorMapFill */
  void *address;       /* memory of the device, a multiple of 16 */
  int64_t sizes[5];    /* elements, 1 to 2^32 */
  int64_t strides[4];  /* bytes from one element of dimension 1, 2, ... to the
                          next: multiples of 16 below 2^40 */
  int32_t elementSteps[5]; /* 1 to 8: every how many elements one is taken */
  int32_t box[5];          /* tiled: elements of a copy, 1 to 256 */
  int32_t lowerCorner[3];  /* im2col: of the box of first pixels, from the
                              tensor's  lower corner; W, then H, then D */
  int32_t upperCorner[3];  /* im2col: the same from its upper corner */
  int32_t channels;        /* im2col: of a pixel, 1 to 256 */
  int32_t pixels;          /* im2col: of a copy, 1 to 1024 */
} AmpRtTensorMapDescription;

AMP_RT_STATIC_ASSERT(sizeof(AmpRtTensorMapDescription) == 176 + sizeof(void *),
                     "AmpRtTensorMapDescription has no padding");

/* Encodes a tensor map. The memory need not be allocated yet, only addressed.
 * Maps of equal descriptions are made once and copied. */
AMP_RT_API AmpRtStatus ampRtTensorMapEncode(
    AmpRtDevice *device, const AmpRtTensorMapDescription *description,
    AmpRtTensorMap *map);

AMP_RT_END_DECLS

#endif /* AMP_RT_KERNEL_H */
