# Compiler cache, linker, warnings and sanitizers: everything about the build
# that is not about LLVM. Each is used where present and can be switched off by
# the CMake variable that it sets.

find_program(AMP_CCACHE ccache)
if(AMP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${AMP_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${AMP_CCACHE}")
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

if(AMP_SANITIZE)
  add_compile_options(-fsanitize=${AMP_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${AMP_SANITIZE})
endif()

# Flags for our own targets; upstream's headers are SYSTEM and stay silent.
add_library(amp_warnings INTERFACE)
target_compile_options(amp_warnings INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(AMP_WERROR)
  target_compile_options(amp_warnings INTERFACE -Werror)
endif()
