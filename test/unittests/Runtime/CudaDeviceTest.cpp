//===-- CudaDeviceTest.cpp - The CUDA device: opening, memory, copies
//---------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <cstring>
#include <thread>
#include <vector>

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

TEST_F(CudaTest, NothingIsOpenedBeforeItIsAskedFor) {
  AmpRtDevice *host = nullptr;
  ASSERT_EQ(ampRtDeviceGet("host", &host), AMP_RT_OK);
  EXPECT_TRUE(fakecuda::calledFunctions().empty());
  ASSERT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
  EXPECT_EQ(fakecuda::calls("cuInit"), 1);
  AmpRtDevice *again = nullptr;
  ASSERT_EQ(ampRtDeviceGet("cuda", &again), AMP_RT_OK);
  EXPECT_EQ(again, device);
  EXPECT_EQ(fakecuda::calls("cuInit"), 1) << "opened once";
  EXPECT_STREQ(ampRtDeviceName(device), "cuda");
}

TEST_F(CudaTest, MissingDriver) {
  setenv("AMP_RT_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  EXPECT_FAILS(
      open(), AMP_RT_UNAVAILABLE,
      "ampRtDeviceGet: device 'cuda': library '/nowhere/libcuda.so' of "
      "AMP_RT_CUDA_DRIVER cannot be opened (/nowhere/libcuda.so: cannot "
      "open shared object file: No such file or directory); install "
      "NVIDIA's driver 525.60 or later, or use device 'host'");
  EXPECT_EQ(device, nullptr);
}

TEST_F(CudaTest, LibraryThatIsNoDriver) {
  setenv("AMP_RT_CUDA_DRIVER", "libm.so.6", 1);
  EXPECT_FAILS(
      open(), AMP_RT_UNAVAILABLE,
      "ampRtDeviceGet: device 'cuda': expected library 'libm.so.6' of "
      "AMP_RT_CUDA_DRIVER to be a driver for CUDA 12.0 or later, but it "
      "is for 0.0; install NVIDIA's driver 525.60 or later, or use "
      "device 'host'");
}

TEST_F(CudaTest, DriverThatIsTooOld) {
  fakecuda::set("driverVersion", 11080);
  EXPECT_EQ(open(), AMP_RT_UNAVAILABLE);
  EXPECT_NE(std::string(ampRtStatusText())
                .find("to be a driver for CUDA 12.0 or later, but it is for "
                      "11.8; install NVIDIA's driver 525.60 or later, or use "
                      "device 'host'"),
            std::string::npos)
      << ampRtStatusText();
  // The oldest that will do: it has all but what is optional.
  fakecuda::set("driverVersion", 12000);
  EXPECT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
}

TEST_F(CudaTest, DriverWithoutAFunction) {
  fakecuda::failCall("cuGetProcAddress cuTensorMapEncodeTiled", 500);
  EXPECT_EQ(open(), AMP_RT_UNAVAILABLE);
  EXPECT_NE(
      std::string(ampRtStatusText())
          .find("to have 'cuTensorMapEncodeTiled' of CUDA 12.0, but it has "
                "not; install NVIDIA's driver 525.60 or later, or use "
                "device 'host'"),
      std::string::npos)
      << ampRtStatusText();
}

TEST_F(CudaTest, MachineWithoutAGpu) {
  fakecuda::set("devices", 0);
  EXPECT_FAILS(
      open(), AMP_RT_UNAVAILABLE,
      "ampRtDeviceGet: device 'cuda': cuInit: no CUDA-capable device "
      "is detected (CUDA_ERROR_NO_DEVICE, 100); see whether "
      "'nvidia-smi' lists a GPU and whether CUDA_VISIBLE_DEVICES leaves "
      "one, or use device 'host'");
  fakecuda::set("devices", -1);
  EXPECT_FAILS(open(), AMP_RT_UNAVAILABLE,
               "ampRtDeviceGet: device 'cuda': expected a GPU, but the driver "
               "has none; see whether CUDA_VISIBLE_DEVICES leaves one, or use "
               "device 'host'");
  fakecuda::set("devices", 2);
  EXPECT_EQ(open(), AMP_RT_OK) << "asking again tries again";
}

// Whatever fails while opening, nothing is left behind, and the next try works.
TEST_F(CudaTest, EveryFailureOfOpening) {
  for (const char *function :
       {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
        "cuDeviceTotalMem", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
        "cuCtxPushCurrent", "cuStreamCreate", "cuMemPoolCreate",
        "cuMemPoolSetAttribute"}) {
    fakecuda::failCall(function, 999);
    EXPECT_NE(open(), AMP_RT_OK) << function;
    std::string expected = std::string("ampRtDeviceGet: device 'cuda': ") +
                           function +
                           ": unknown error (CUDA_ERROR_UNKNOWN, "
                           "999); see ";
    EXPECT_EQ(std::string(ampRtStatusText()).rfind(expected, 0), 0u)
        << ampRtStatusText();
    EXPECT_EQ(device, nullptr);
    EXPECT_EQ(fakecuda::leaks(), "") << function;
  }
  // The sixth attribute is read behind the stream's creation.
  fakecuda::failCall("cuDeviceGetAttribute", 2, 6);
  EXPECT_FAILS(open(), AMP_RT_OUT_OF_MEMORY,
               "ampRtDeviceGet: device 'cuda': cuDeviceGetAttribute: out of "
               "memory (CUDA_ERROR_OUT_OF_MEMORY, 2); use smaller batches, or "
               "free memory of other processes");
  EXPECT_EQ(fakecuda::leaks(), "");
  EXPECT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
}

TEST_F(OpenCudaTest, Properties) {
  AmpRtDeviceProperties properties;
  properties.structSize = sizeof(properties);
  ASSERT_EQ(ampRtDeviceGetProperties(device, &properties), AMP_RT_OK);
  EXPECT_EQ(properties.sharesHostMemory, 0);
  EXPECT_EQ(properties.totalBytes, INT64_C(1) << 36);
  EXPECT_EQ(properties.processors, 132);
  EXPECT_EQ(properties.alignment, 256);
  EXPECT_EQ(properties.sharedBytesLimit, 232448);
  EXPECT_EQ(properties.cacheBytes, 60 << 20);
  EXPECT_EQ(properties.computeMajor, 9);
  EXPECT_EQ(properties.computeMinor, 0);
  EXPECT_STREQ(properties.model, "Fake GPU");
  void *stream = nullptr;
  ASSERT_EQ(ampRtDeviceNativeStream(device, &stream), AMP_RT_OK);
  EXPECT_NE(stream, nullptr);
}

//===----------------------------------------------------------------------===//
// Closing
//===----------------------------------------------------------------------===//

TEST_F(OpenCudaTest, ClosingIsRefusedWhileMemoryIsLive) {
  void *pointer = allocate(8);
  AmpRtEvent *event = nullptr;
  ASSERT_EQ(ampRtEventCreate(device, &event), AMP_RT_OK);
  EXPECT_FAILS(
      ampRtDeviceClose(device), AMP_RT_INVALID_ARGUMENT,
      "ampRtDeviceClose: device 'cuda': expected nothing of it to be "
      "live, but there are 1 allocations and 1 modules, events and graphs; free "
      "them first");
  free(pointer);
  EXPECT_EQ(ampRtEventDestroy(event), AMP_RT_OK);
}

TEST_F(OpenCudaTest, AClosedDeviceIsUnavailableUntilItIsAskedForAgain) {
  ASSERT_EQ(ampRtDeviceClose(device), AMP_RT_OK);
  EXPECT_EQ(fakecuda::leaks(), "");
  void *pointer = nullptr;
  EXPECT_FAILS(ampRtDeviceAllocate(device, 8, 0, &pointer), AMP_RT_UNAVAILABLE,
               "ampRtDeviceAllocate: device 'cuda': expected an open device, "
               "but it was closed; ask ampRtDeviceGet for it again");
  AmpRtDeviceProperties properties;
  properties.structSize = sizeof(properties);
  EXPECT_EQ(ampRtDeviceGetProperties(device, &properties), AMP_RT_UNAVAILABLE);
  EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_UNAVAILABLE);
  EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_UNAVAILABLE);
  ASSERT_EQ(open(), AMP_RT_OK);
  free(allocate(8));
}

// The first failure is reported, and everything else is still given back.
TEST_F(CudaTest, EveryFailureOfClosing) {
  for (const char *function :
       {"cuStreamSynchronize", "cuMemPoolDestroy", "cuStreamDestroy",
        "cuDevicePrimaryCtxRelease"}) {
    ASSERT_EQ(open(), AMP_RT_OK) << ampRtStatusText();
    fakecuda::failCall(function, 999);
    EXPECT_EQ(ampRtDeviceClose(device), AMP_RT_DEVICE_ERROR);
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtDeviceClose: device 'cuda': ") + function +
                  ": unknown error (CUDA_ERROR_UNKNOWN, 999); see the driver's "
                  "log ('dmesg', 'nvidia-smi')");
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_UNAVAILABLE) << "closed";
    EXPECT_EQ(fakecuda::leaks(), "") << function;
  }
  device = nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void checkMemory(AmpRtDevice *device) {
  std::vector<void *> pointers;
  for (int64_t bytes : {0, 1, 1000, 1 << 20})
    for (int64_t alignment : {0, 1, 256, 512, 65536}) {
      void *pointer = nullptr;
      ASSERT_EQ(ampRtDeviceAllocate(device, bytes, alignment, &pointer),
                AMP_RT_OK)
          << ampRtStatusText();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) %
                    static_cast<uintptr_t>(std::max<int64_t>(alignment, 256)),
                0u);
      // The whole of it is the device's memory.
      std::vector<char> data(static_cast<size_t>(bytes), 'x');
      ASSERT_EQ(ampRtDeviceCopy(device, pointer, data.data(), bytes,
                                AMP_RT_COPY_TO_DEVICE),
                AMP_RT_OK)
          << ampRtStatusText();
      pointers.push_back(pointer);
    }
  for (void *pointer : pointers)
    EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
}

TEST_F(OpenCudaTest, MemoryComesFromAPoolOfItsOwn) {
  checkMemory(device);
  EXPECT_EQ(fakecuda::calls("cuMemAllocFromPoolAsync"), 20);
  EXPECT_EQ(fakecuda::calls("cuMemFreeAsync"), 20);
  EXPECT_EQ(fakecuda::calls("cuMemAlloc"), 0);
}

TEST_F(CudaTest, MemoryIsPlainWhereTheDeviceHasNoPools) {
  fakecuda::set("pools", 0);
  ASSERT_EQ(open(), AMP_RT_OK);
  checkMemory(device);
  EXPECT_EQ(fakecuda::calls("cuMemAlloc"), 20);
  EXPECT_EQ(fakecuda::calls("cuMemFree"), 20);
  EXPECT_EQ(fakecuda::calls("cuMemPoolCreate"), 0);
  void *pointer = nullptr;
  fakecuda::failCall("cuMemAlloc", 2);
  EXPECT_FAILS(
      ampRtDeviceAllocate(device, 7, 0, &pointer), AMP_RT_OUT_OF_MEMORY,
      "ampRtDeviceAllocate: device 'cuda': cuMemAlloc of 7 bytes: out "
      "of memory (CUDA_ERROR_OUT_OF_MEMORY, 2); use smaller batches, or "
      "free memory of other processes");
}

TEST_F(OpenCudaTest, StatisticsCountWhatWasAskedFor) {
  AmpRtDeviceStatistics before, after;
  before.structSize = after.structSize = sizeof(after);
  ASSERT_EQ(ampRtDeviceResetPeak(device), AMP_RT_OK);
  ASSERT_EQ(ampRtDeviceGetStatistics(device, &before), AMP_RT_OK);
  void *a = allocate(1000, 4096), *b = allocate(24);
  free(a);
  ASSERT_EQ(ampRtDeviceGetStatistics(device, &after), AMP_RT_OK);
  EXPECT_EQ(after.bytesCurrent - before.bytesCurrent, 24);
  EXPECT_EQ(after.bytesPeak - before.bytesCurrent, 1024);
  EXPECT_EQ(after.allocations - before.allocations, 2);
  EXPECT_EQ(after.frees - before.frees, 1);
  free(b);
}

TEST_F(OpenCudaTest, ImpossibleAllocationsAreRefused) {
  void *pointer = nullptr;
  EXPECT_FAILS(ampRtDeviceAllocate(device, -1, 0, &pointer),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtDeviceAllocate: device 'cuda': expected 'bytes' not to be "
               "negative, but got -1");
  EXPECT_EQ(ampRtDeviceAllocate(device, 1, 3, &pointer),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_FAILS(ampRtDeviceAllocate(device, INT64_MAX, 512, &pointer),
               AMP_RT_OUT_OF_MEMORY,
               "ampRtDeviceAllocate: device 'cuda': no memory left for "
               "9223372036854775807 bytes; use smaller batches");
  EXPECT_FAILS(ampRtDeviceAllocate(device, INT64_C(1) << 40, 0, &pointer),
               AMP_RT_OUT_OF_MEMORY,
               "ampRtDeviceAllocate: device 'cuda': cuMemAllocFromPoolAsync of "
               "1099511627776 bytes: out of memory (CUDA_ERROR_OUT_OF_MEMORY, "
               "2); use smaller batches, or free memory of other processes");
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(OpenCudaTest, WrongFreesNeverReachTheDriver) {
  char *pointer = static_cast<char *>(allocate(100));
  EXPECT_EQ(ampRtDeviceFree(device, pointer + 1), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(
      std::string(ampRtStatusText())
          .rfind("ampRtDeviceFree: device 'cuda': expected a pointer that "
                 "this device allocated and that is not freed yet, but "
                 "got 0x",
                 0),
      0u);
  free(pointer);
  EXPECT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(fakecuda::calls("cuMemFreeAsync"), 1);
  EXPECT_EQ(ampRtDeviceFree(device, nullptr), AMP_RT_OK);
}

TEST_F(OpenCudaTest, ThreadsMayAllocateAtOnce) {
  auto work = [this] {
    for (int i = 0; i < 2000; ++i) {
      void *pointer = nullptr;
      ASSERT_EQ(ampRtDeviceAllocate(device, i, i % 2 ? 512 : 0, &pointer),
                AMP_RT_OK);
      ASSERT_EQ(ampRtDeviceFree(device, pointer), AMP_RT_OK);
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST_F(OpenCudaTest, CopiesGoThreeWays) {
  const int source[4] = {1, 2, 3, 4};
  int result[4] = {};
  void *a = allocate(sizeof(source)), *b = allocate(sizeof(source));
  EXPECT_EQ(
      ampRtDeviceCopy(device, a, source, sizeof(source), AMP_RT_COPY_TO_DEVICE),
      AMP_RT_OK);
  EXPECT_EQ(
      ampRtDeviceCopy(device, b, a, sizeof(source), AMP_RT_COPY_ON_DEVICE),
      AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceCopy(device, result, b, sizeof(source),
                            AMP_RT_COPY_FROM_DEVICE),
            AMP_RT_OK);
  EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_OK);
  EXPECT_EQ(std::memcmp(source, result, sizeof(source)), 0);
  free(a);
  free(b);
}

TEST_F(OpenCudaTest, FailuresOfCopiesNameTheFunction) {
  char host[4] = {};
  void *pointer = allocate(4), *other = allocate(4);
  const struct {
    const char *function;
    void *target;
    const void *source;
    AmpRtCopyKind kind;
  } copies[] = {{"cuMemcpyHtoDAsync", pointer, host, AMP_RT_COPY_TO_DEVICE},
                {"cuMemcpyDtoHAsync", host, pointer, AMP_RT_COPY_FROM_DEVICE},
                {"cuMemcpyDtoDAsync", other, pointer, AMP_RT_COPY_ON_DEVICE}};
  for (const auto &copy : copies) {
    fakecuda::failCall(copy.function, 1);
    EXPECT_EQ(ampRtDeviceCopy(device, copy.target, copy.source, 4, copy.kind),
              AMP_RT_DEVICE_ERROR);
    EXPECT_EQ(ampRtStatusText(),
              std::string("ampRtDeviceCopy: device 'cuda': ") + copy.function +
                  ": invalid argument (CUDA_ERROR_INVALID_VALUE, 1); see that "
                  "both ranges lie inside of one allocation each, on the side "
                  "that the copy's kind names");
  }
  free(pointer);
  free(other);
}

// What a kernel did wrong shows in a later call, and nothing works any more.
TEST_F(OpenCudaTest, AnAccessOfAKernelShowsWhenItIsWaitedFor) {
  fakecuda::failCall("cuStreamSynchronize", 700);
  EXPECT_FAILS(ampRtDeviceSynchronize(device), AMP_RT_DEVICE_ERROR,
               "ampRtDeviceSynchronize: device 'cuda': cuStreamSynchronize: an "
               "illegal memory access was encountered "
               "(CUDA_ERROR_ILLEGAL_ADDRESS, 700); a kernel before this call "
               "broke the context: start the process anew, and run the kernel "
               "on device 'emulator' or under compute-sanitizer");
  fakecuda::failCall("cuCtxPushCurrent", 4242);
  EXPECT_FAILS(ampRtDeviceSynchronize(device), AMP_RT_DEVICE_ERROR,
               "ampRtDeviceSynchronize: device 'cuda': cuCtxPushCurrent: an "
               "error (unknown to the driver, 4242); see the driver's log "
               "('dmesg', 'nvidia-smi')");
}

// Those after which CUDA's documentation calls the context unusable, and their
// neighbours, after which it is not.
TEST_F(OpenCudaTest, ErrorsThatBreakTheContextSaySo) {
  auto breaks = [&](int error) {
    fakecuda::failCall("cuStreamSynchronize", error);
    EXPECT_EQ(ampRtDeviceSynchronize(device), AMP_RT_DEVICE_ERROR) << error;
    return std::string(ampRtStatusText()).find("broke the context") !=
           std::string::npos;
  };
  for (int error : {700, 702, 710, 714, 715, 716, 717, 718, 719})
    EXPECT_TRUE(breaks(error)) << error;
  for (int error : {701, 703, 709, 711, 713, 720})
    EXPECT_FALSE(breaks(error)) << error;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

TEST_F(OpenCudaTest, EventsMeasureWhatLiesBetween) {
  AmpRtEvent *start = nullptr, *end = nullptr;
  ASSERT_EQ(ampRtEventCreate(device, &start), AMP_RT_OK);
  ASSERT_EQ(ampRtEventCreate(device, &end), AMP_RT_OK);
  double milliseconds = -1;
  EXPECT_FAILS(ampRtEventElapsed(start, end, &milliseconds),
               AMP_RT_INVALID_ARGUMENT,
               "ampRtEventElapsed: device 'cuda': expected events that are "
               "recorded, but 'start' is not; call ampRtEventRecord first");
  ASSERT_EQ(ampRtEventRecord(start), AMP_RT_OK);
  EXPECT_EQ(ampRtEventElapsed(start, end, &milliseconds),
            AMP_RT_INVALID_ARGUMENT);
  ASSERT_EQ(ampRtEventRecord(end), AMP_RT_OK);
  ASSERT_EQ(ampRtEventElapsed(start, end, &milliseconds), AMP_RT_OK);
  EXPECT_EQ(milliseconds, 0.25);
  for (const char *function : {"cuEventRecord", "cuEventSynchronize",
                               "cuEventElapsedTime", "cuEventDestroy"}) {
    fakecuda::failCall(function, 999);
    AmpRtStatus status = function == std::string("cuEventRecord")
                             ? ampRtEventRecord(end)
                         : function == std::string("cuEventDestroy")
                             ? ampRtEventDestroy(start)
                             : ampRtEventElapsed(start, end, &milliseconds);
    EXPECT_EQ(status, AMP_RT_DEVICE_ERROR);
    EXPECT_NE(std::string(ampRtStatusText()).find(function), std::string::npos);
  }
  EXPECT_EQ(ampRtEventDestroy(end), AMP_RT_OK);
  EXPECT_EQ(ampRtEventDestroy(nullptr), AMP_RT_OK);
  fakecuda::failCall("cuEventCreate", 999);
  EXPECT_EQ(ampRtEventCreate(device, &end), AMP_RT_DEVICE_ERROR);
}

TEST_F(OpenCudaTest, EventNulls) {
  AmpRtEvent *event = nullptr;
  double milliseconds = 0;
  EXPECT_EQ(ampRtEventCreate(nullptr, &event), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtEventCreate(device, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtEventRecord(nullptr), AMP_RT_INVALID_ARGUMENT);
  ASSERT_EQ(ampRtEventCreate(device, &event), AMP_RT_OK);
  EXPECT_EQ(ampRtEventElapsed(nullptr, event, &milliseconds),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtEventElapsed(event, nullptr, &milliseconds),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtEventElapsed(event, event, nullptr), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ampRtEventDestroy(event), AMP_RT_OK);
}
