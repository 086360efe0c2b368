# SPDX-License-Identifier: Apache-2.0
# gridsmith_tuned_header(<target> <kernel.json> FROM <source>… [STALE warning|error|ignore] [OUTPUT <name>]): the header
# that 'gridsmith export header' writes of what stores, T4 files and recordings hold of the kernel, made when the target
# is built, without a GPU, and made again when one of them, the definition or its source changes. The target includes
# it as <name>, <kernel>_tuned.hpp where none is given. STALE is what happens where the kernel's code is not the one that
# was measured: a warning (default), an error, or nothing.

# The program: of the installed package, or of Gridsmith's sources as a part of the project.
function(_gridsmith_program result)
  if(TARGET gridsmith)
    set(${result} $<TARGET_FILE:gridsmith> gridsmith PARENT_SCOPE)
  else()
    set(${result} ${GRIDSMITH_PROGRAM} ${GRIDSMITH_PROGRAM} PARENT_SCOPE)
  endif()
endfunction()

# Files that a header depends on: the definition and the source that it names.
function(_gridsmith_definition_files definition result)
  set(files ${definition})
  file(READ ${definition} text)
  string(JSON source ERROR_VARIABLE error GET "${text}" KernelSpecification KernelFile)
  cmake_path(GET definition PARENT_PATH folder)
  foreach(place IN ITEMS ${folder} ${folder}/..)
    if(NOT error AND EXISTS ${place}/${source})
      list(APPEND files ${place}/${source})
      break()
    endif()
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# Absolute paths of files that have to be there.
function(_gridsmith_existing result)
  set(found)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "gridsmith_tuned_header: there is no file ${file}")
    endif()
    list(APPEND found ${file})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(gridsmith_tuned_header target definition)
  cmake_parse_arguments(PARSE_ARGV 2 H "" "STALE;OUTPUT" "FROM")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "gridsmith_tuned_header: there is no target ${target}")
  endif()
  if(H_UNPARSED_ARGUMENTS OR NOT H_FROM)
    message(FATAL_ERROR "gridsmith_tuned_header: expected <target> <kernel.json> FROM <source>… [STALE …] [OUTPUT …]")
  endif()
  if(NOT DEFINED H_STALE)
    set(H_STALE warning)
  elseif(NOT H_STALE MATCHES "^(warning|error|ignore)$")
    message(FATAL_ERROR "gridsmith_tuned_header: STALE is warning, error or ignore, not '${H_STALE}'")
  endif()
  _gridsmith_existing(definition ${definition})
  _gridsmith_existing(sources ${H_FROM})
  _gridsmith_definition_files(${definition} files)
  cmake_path(GET definition STEM LAST_ONLY kernel)
  if(NOT H_OUTPUT)
    set(H_OUTPUT ${kernel}_tuned.hpp)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_tuned)
  cmake_path(APPEND folder ${H_OUTPUT} OUTPUT_VARIABLE header)
  cmake_path(GET header PARENT_PATH header_folder)
  file(MAKE_DIRECTORY ${header_folder})
  _gridsmith_program(program)
  list(POP_BACK program program_file)
  add_custom_command(OUTPUT ${header}
    COMMAND ${program} export header ${sources} --kernel ${kernel} --definition ${definition} --stale ${H_STALE}
            --out ${header}
    DEPENDS ${sources} ${files} ${program_file}
    COMMENT "Choosing configurations of ${kernel}" VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
