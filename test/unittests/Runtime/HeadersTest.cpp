//===-- HeadersTest.cpp - The public headers are plain C11 ----------------===//

#include "amp-rt/Status.h"

#include <gtest/gtest.h>

// UseFromC.c
extern "C" int useRuntimeFromC(void);

TEST(Headers, ServeACProgram) {
  EXPECT_EQ(useRuntimeFromC(), 0)
      << "line of UseFromC.c that failed; " << ampRtStatusText();
}
