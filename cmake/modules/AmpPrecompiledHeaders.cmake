# Upstream's headers, parsed once for all of our libraries: they are nine tenths of
# the time that a source file of ours takes to compile. Headers of our own stay
# out, so that an edit never costs more than the files that include it.
#
# A source file names what it needs all the same, here as without them:
# -DAMP_PRECOMPILE_HEADERS=OFF builds the same program.
#
# CMake's own command for this has the path of the build folder in its result, and
# no compiler cache knows that again in another clone. Hence one header of
# upstream's is compiled as if it were a source file, with the others before it.

# Clang only: the form of GCC 12 is slower to read than the headers themselves.
set(AMP_PRECOMPILE_HEADERS_DEFAULT OFF)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(AMP_PRECOMPILE_HEADERS_DEFAULT ON)
endif()
option(AMP_PRECOMPILE_HEADERS "Parse MLIR's headers once, not in each source file"
       ${AMP_PRECOMPILE_HEADERS_DEFAULT})

set(AMP_PRECOMPILED_HEADERS
  llvm/ADT/MapVector.h
  llvm/ADT/SetVector.h
  llvm/ADT/StringSwitch.h
  llvm/ADT/TypeSwitch.h
  llvm/Support/FormatVariadic.h
  llvm/Support/JSON.h
  llvm/Support/MemoryBuffer.h
  mlir/Dialect/Arith/IR/Arith.h
  mlir/Dialect/Bufferization/IR/Bufferization.h
  mlir/Dialect/ControlFlow/IR/ControlFlowOps.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/Dialect/GPU/IR/GPUDialect.h
  mlir/Dialect/LLVMIR/NVVMDialect.h
  mlir/Dialect/Linalg/IR/Linalg.h
  mlir/Dialect/Math/IR/Math.h
  mlir/Dialect/MemRef/IR/MemRef.h
  mlir/Dialect/SCF/IR/SCF.h
  mlir/Dialect/Tensor/IR/Tensor.h
  mlir/Dialect/Vector/IR/VectorOps.h
  mlir/IR/IRMapping.h
  mlir/IR/Matchers.h
  mlir/Interfaces/FunctionInterfaces.h
  mlir/Pass/PassManager.h
  mlir/Transforms/DialectConversion.h
  mlir/Transforms/GreedyPatternRewriteDriver.h)

if(AMP_PRECOMPILE_HEADERS)
  list(GET MLIR_INCLUDE_DIRS 0 mlir_include_dir)
  set(last_header "${mlir_include_dir}/mlir/IR/Builders.h")
  set_source_files_properties("${last_header}" PROPERTIES LANGUAGE CXX)
  add_library(amp_upstream_headers OBJECT "${last_header}")
  list(TRANSFORM AMP_PRECOMPILED_HEADERS PREPEND "SHELL:-include "
       OUTPUT_VARIABLE include_options)
  target_compile_options(amp_upstream_headers PRIVATE
    -fno-exceptions -fpch-instantiate-templates "SHELL:-Xclang -emit-pch" ${include_options})
  target_link_libraries(amp_upstream_headers PRIVATE amp_llvm)
  # A target waits for a file that a command makes, but not for another's objects.
  set(AMP_PRECOMPILED "${PROJECT_BINARY_DIR}/amp_upstream_headers.pch")
  add_custom_command(OUTPUT "${AMP_PRECOMPILED}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_OBJECTS:amp_upstream_headers>"
            "${AMP_PRECOMPILED}"
    DEPENDS "$<TARGET_OBJECTS:amp_upstream_headers>" VERBATIM)
  add_custom_target(amp_precompiled_headers DEPENDS "${AMP_PRECOMPILED}")
  # With times in it, no two of them are the same.
  target_compile_options(amp_llvm INTERFACE
    "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>>")
endif()

# amp_use_precompiled_headers(target): for a target with amp_llvm's options,
# -fno-exceptions and -fPIC; the compiler refuses them to another.
function(amp_use_precompiled_headers target)
  if(AMP_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${AMP_PRECOMPILED}>")
    add_dependencies(${target} amp_precompiled_headers)
  endif()
endfunction()
