# The presets' compiler: clang 22 where it is installed (a third faster on MLIR's
# headers than gcc 12, and it has the sanitizers' runtimes), else the default one.
# CC and CXX in the environment win, as everywhere in CMake.
if(NOT DEFINED ENV{CC} AND NOT DEFINED ENV{CXX})
  find_program(AMP_CLANG clang-22)
  find_program(AMP_CLANGXX clang++-22)
  if(AMP_CLANG AND AMP_CLANGXX)
    set(CMAKE_C_COMPILER "${AMP_CLANG}")
    set(CMAKE_CXX_COMPILER "${AMP_CLANGXX}")
  endif()
endif()
