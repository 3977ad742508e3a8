# Finds LLVM/MLIR 22 and wraps upstream's CMake functions where Debian's build
# needs care. Rules that were found by trying:
#  - MLIR_LINK_MLIR_DYLIB is not exported by MLIRConfig, so it is set here;
#  - our libraries name MLIR components through mlir_target_link_libraries only:
#    LINK_LIBS would pull in libMLIRIR.a beside libMLIR.so, and with it a second
#    copy of every TypeID;
#  - tools link LLVM last and leave out LLVM's own choice, or they carry it twice.

find_package(MLIR CONFIG QUIET HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT MLIR_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "mlir-amp needs LLVM/MLIR 22: install libmlir-22-dev and mlir-22-tools, "
                      "or pass -DMLIR_DIR=<llvm-22>/lib/cmake/mlir")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} from ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

if(TARGET MLIR AND LLVM_LINK_LLVM_DYLIB)
  set(MLIR_LINK_MLIR_DYLIB ON)
endif()
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # libMLIR.so is not on the loader's path

# Our headers first, upstream's as SYSTEM. LLVM_DEFINITIONS carries -D prefixes.
separate_arguments(AMP_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# One interface for every target that includes LLVM or MLIR headers.
add_library(amp_llvm INTERFACE)
target_include_directories(amp_llvm INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
target_include_directories(amp_llvm SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
target_compile_options(amp_llvm INTERFACE ${AMP_LLVM_DEFINITIONS}
  -fno-semantic-interposition $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(amp_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

# Upstream's headers, for each of our targets that links MLIR: their inline
# functions want it.
include(AmpPrecompiledHeaders)
list(GET MLIR_INCLUDE_DIRS 0 AMP_MLIR_INCLUDE_DIR)
amp_precompile_headers(amp_upstream_headers
  LAST "${AMP_MLIR_INCLUDE_DIR}/mlir/IR/Builders.h"
  HEADERS
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
    mlir/Transforms/GreedyPatternRewriteDriver.h
  OPTIONS -fno-exceptions
  LIBS amp_llvm)

# amp_add_library(Name sources... [DEPENDS generated...] [AMP our-libraries...]
#                 [MLIR components...])
# A static library of ours, exceptions off, and part of the installed package
# unless INTERNAL says that only our tools use it.
function(amp_add_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "DEPENDS;AMP;MLIR" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  target_link_libraries(${name} PUBLIC amp_llvm ${ARG_AMP} PRIVATE $<BUILD_INTERFACE:amp_warnings>)
  if(ARG_MLIR)
    amp_use_precompiled_headers(${name} amp_upstream_headers)
    mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR})
  else()
    target_link_libraries(${name} PUBLIC LLVM)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT ARG_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY AMP_LIBRARIES ${name})
  endif()
endfunction()

# amp_add_tool(name sources... [AMP our-libraries...] [MLIR components...])
function(amp_add_tool name)
  cmake_parse_arguments(ARG "" "" "AMP;MLIR" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  amp_use_precompiled_headers(${name} amp_upstream_headers)
  target_link_libraries(${name} PRIVATE ${ARG_AMP} amp_llvm $<BUILD_INTERFACE:amp_warnings>)
  if(ARG_MLIR)
    mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR})
  endif()
  target_link_libraries(${name} PRIVATE LLVM)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
