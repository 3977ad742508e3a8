# Declares unit tests. Needs nothing of MLIR, so that the runtime, which builds
# alone, can use it too.
include_guard(GLOBAL)

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
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "unit tests need GoogleTest: install libgtest-dev, or pass "
                        "-DAMP_INCLUDE_TESTS=OFF")
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest_main)
  if(TARGET amp_warnings)
    target_link_libraries(${name} PRIVATE amp_warnings)
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY AMP_TEST_DEPENDS ${name})
endfunction()
