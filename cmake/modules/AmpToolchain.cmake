# Compiler cache, linker, allocator, warnings and sanitizers: everything about the build
# that is not about LLVM. Each is used where present and can be switched off by
# the CMake variable that it sets.

# Relative to the source tree, so that another clone finds what this one compiled.
find_program(AMP_CCACHE ccache)
if(AMP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
    "CCACHE_SLOPPINESS=pch_defines,time_macros" # what precompiled headers need
    "${AMP_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

# lld is found under the compiler's own version suffix (clang-22 takes the lld
# beside it); gcc 12 does not know versioned names, so it keeps its linker.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  include(CheckLinkerFlag)
  check_linker_flag(CXX "-fuse-ld=lld" AMP_HAVE_LLD)
  if(AMP_HAVE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# A compiler allocates millions of small objects and frees them in another
# order: glibc's allocator spreads them over memory, and time grows faster than
# programs do. mimalloc keeps those of one size together (`./dev bench passes`).
# It replaces malloc for a whole process, so it goes into tools that compile, not
# into libraries; sanitizers have an allocator of their own.
find_library(AMP_MIMALLOC mimalloc)
add_library(amp_compiler_allocator INTERFACE)
if(AMP_MIMALLOC AND NOT AMP_SANITIZE)
  target_link_libraries(amp_compiler_allocator INTERFACE # nothing names a symbol of it
    "-Wl,--push-state,--no-as-needed" "${AMP_MIMALLOC}" "-Wl,--pop-state")
endif()

# LLVM itself is not instrumented: `vptr` and `function` would compare type
# information that is hidden in libMLIR.so. The first finding ends the program.
if(AMP_SANITIZE)
  set(AMP_SANITIZE_FLAGS -fsanitize=${AMP_SANITIZE} -fno-sanitize=vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND AMP_SANITIZE_FLAGS -fno-sanitize=function)
  endif()
  add_compile_options(${AMP_SANITIZE_FLAGS})
  add_link_options(${AMP_SANITIZE_FLAGS})
endif()

# Flags for our own targets; upstream's headers are SYSTEM and stay silent.
add_library(amp_warnings INTERFACE)
target_compile_options(amp_warnings INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(AMP_WERROR)
  target_compile_options(amp_warnings INTERFACE -Werror)
endif()
