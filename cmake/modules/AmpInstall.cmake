# `cmake --install`: headers (with the generated ones and the .td files), our
# libraries, tools, plugin, C library and runtime, and the CMake package MLIRAmp:
#
#   find_package(MLIRAmp CONFIG REQUIRED)
#   target_link_libraries(mine PRIVATE MLIRAmp::AmpInitAll)   # the compiler, in C++
#   target_link_libraries(mine PRIVATE MLIRAmp::AmpC)         # the compiler, in C
#   target_link_libraries(mine PRIVATE MLIRAmp::amp-rt)       # the runtime

include(CMakePackageConfigHelpers)

set(AMP_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/MLIRAmp")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/amp" "${PROJECT_SOURCE_DIR}/include/amp-c"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/amp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

get_property(amp_libraries GLOBAL PROPERTY AMP_LIBRARIES)
install(TARGETS ${amp_libraries} amp_llvm EXPORT MLIRAmpTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT MLIRAmpTargets NAMESPACE MLIRAmp:: DESTINATION "${AMP_PACKAGE_DIR}")
if(TARGET amp-rt)
  install(EXPORT AmpRtTargets NAMESPACE MLIRAmp:: DESTINATION "${AMP_PACKAGE_DIR}")
endif()

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/MLIRAmpConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/MLIRAmpConfig.cmake" INSTALL_DESTINATION "${AMP_PACKAGE_DIR}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/MLIRAmpConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/MLIRAmpConfig.cmake"
              "${PROJECT_BINARY_DIR}/MLIRAmpConfigVersion.cmake"
  DESTINATION "${AMP_PACKAGE_DIR}")
