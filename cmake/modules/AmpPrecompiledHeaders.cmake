# Headers that are parsed once, not in each source file: they are nine tenths of the
# time that a source file of ours takes to compile. Only headers of others, so that
# an edit never costs more than the files that include it.
#
# A source file names what it needs all the same, here as without them:
# -DAMP_PRECOMPILE_HEADERS=OFF builds the same program.
#
# CMake's own command for this has the path of the build folder in its result, and
# no compiler cache knows that again in another clone. Hence one of the headers is
# compiled as if it were a source file, with the others before it.
include_guard(GLOBAL)

# Clang only: the form of GCC 12 is slower to read than the headers themselves.
set(AMP_PRECOMPILE_HEADERS_DEFAULT OFF)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(AMP_PRECOMPILE_HEADERS_DEFAULT ON)
endif()
option(AMP_PRECOMPILE_HEADERS "Parse headers of MLIR and GoogleTest once, not in each source file"
       ${AMP_PRECOMPILE_HEADERS_DEFAULT})

# amp_precompile_headers(name LAST file HEADERS headers... [OPTIONS options...]
#                        [LIBS targets...])
# Makes build/<name>.pch of HEADERS, as `#include` names them, and of the file LAST,
# with the options of LIBS, and of OPTIONS.
function(amp_precompile_headers name)
  if(NOT AMP_PRECOMPILE_HEADERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "LAST" "HEADERS;OPTIONS;LIBS" ${ARGN})
  set_source_files_properties("${ARG_LAST}" PROPERTIES LANGUAGE CXX)
  add_library(${name} OBJECT "${ARG_LAST}")
  list(TRANSFORM ARG_HEADERS PREPEND "SHELL:-include ")
  # With times in it, no two of them are the same.
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS} -fPIC -fpch-instantiate-templates
    "SHELL:-Xclang -emit-pch" "SHELL:-Xclang -fno-pch-timestamp" ${ARG_HEADERS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  # A target waits for a file that a command makes, but not for another's objects.
  set(file "${PROJECT_BINARY_DIR}/${name}.pch")
  add_custom_command(OUTPUT "${file}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_OBJECTS:${name}>" "${file}"
    DEPENDS "$<TARGET_OBJECTS:${name}>" VERBATIM)
  add_custom_target(${name}_file DEPENDS "${file}")
  set_target_properties(${name} PROPERTIES AMP_FILE "${file}"
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
endfunction()

# amp_use_precompiled_headers(target name)
# For a target that has the options with which `name` was made; the compiler
# refuses it to another. They are code for a library (-fPIC), which a program may
# be as well (CMake's own choice for it is -fPIE).
function(amp_use_precompiled_headers target name)
  if(NOT TARGET ${name})
    return()
  endif()
  get_target_property(file ${name} AMP_FILE)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${file}>")
  add_dependencies(${target} ${name}_file)
endfunction()
