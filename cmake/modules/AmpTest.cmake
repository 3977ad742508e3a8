# Declares unit tests. Needs nothing of MLIR, so that the runtime, which builds
# alone, can use it too.
include_guard(GLOBAL)
include(AmpPrecompiledHeaders)

find_package(GTest QUIET)
if(NOT GTest_FOUND)
  message(FATAL_ERROR "unit tests need GoogleTest: install libgtest-dev, or pass "
                      "-DAMP_INCLUDE_TESTS=OFF")
endif()
find_path(AMP_GTEST_INCLUDE gtest/gtest.h REQUIRED)
mark_as_advanced(AMP_GTEST_INCLUDE)
# Checks run once: less time for the optimiser is more for the tests.
set(AMP_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
amp_precompile_headers(amp_test_headers
  LAST "${AMP_GTEST_INCLUDE}/gtest/gtest.h"
  HEADERS algorithm cmath cstdio cstdlib cstring fstream limits map random set string
          thread vector
  OPTIONS ${AMP_TEST_OPTIONS}
  LIBS GTest::gtest)

# amp_add_unittest(name sources... [LIBS targets...])
#
# A GoogleTest executable build/unittests/<name>; gtest's main is linked in. Its
# name ends in `Tests`, which is how lit finds it (test/unittests/lit.cfg.py)
# and counts its cases one by one. ctest runs it as a whole.
function(amp_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  if(NOT name MATCHES "Tests$")
    message(FATAL_ERROR "amp_add_unittest: expected a name that ends in 'Tests', but got '${name}'")
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${AMP_TEST_OPTIONS})
  amp_use_precompiled_headers(${name} amp_test_headers)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest_main)
  if(TARGET amp_warnings)
    target_link_libraries(${name} PRIVATE amp_warnings)
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY AMP_TEST_DEPENDS ${name})
endfunction()
