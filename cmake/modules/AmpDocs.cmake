# Reference pages: an introduction from docs/ with pages from TableGen behind it.

# amp_add_doc(name GENERATOR options... FROM td-files...)
# Writes build/docs/<name>.md: docs/<name>.md, then one page for each file, as
# `mlir-tblgen options...` makes it.
function(amp_add_doc name)
  cmake_parse_arguments(ARG "" "" "GENERATOR;FROM" ${ARGN})
  set(pages "${PROJECT_SOURCE_DIR}/docs/${name}.md")
  # A file includes others: depend on all of ours.
  file(GLOB_RECURSE all_td CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/*.td")
  foreach(td ${ARG_FROM})
    string(REPLACE "/" "-" page "${td}.md")
    set(page "${PROJECT_BINARY_DIR}/docs/generated/${page}")
    add_custom_command(OUTPUT "${page}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/docs/generated"
      COMMAND "${MLIR_TABLEGEN_EXE}" ${ARG_GENERATOR} -I "${PROJECT_SOURCE_DIR}/include"
              -I "${MLIR_INCLUDE_DIRS}" "${PROJECT_SOURCE_DIR}/include/${td}" -o "${page}"
      DEPENDS ${all_td} VERBATIM)
    list(APPEND pages "${page}")
  endforeach()
  set(output "${PROJECT_BINARY_DIR}/docs/${name}.md")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E cat ${pages} > "${output}"
    DEPENDS ${pages} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY AMP_DOCS "${output}")
endfunction()
