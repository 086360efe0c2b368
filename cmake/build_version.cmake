# SPDX-License-Identifier: Apache-2.0
# What 'gridsmith --version' says beside the number. The commit is that of this folder's own repository, not of one
# that an unpacked archive happens to lie in.
set(GRIDSMITH_COMMIT "")
find_program(GRIDSMITH_GIT git)
mark_as_advanced(GRIDSMITH_GIT)
if(GRIDSMITH_GIT)
  execute_process(COMMAND ${GRIDSMITH_GIT} rev-parse --show-toplevel --short HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND lines MATCHES "^([^\n]+)\n([0-9a-f]+)\n$")
    set(commit ${CMAKE_MATCH_2})
    file(REAL_PATH "${CMAKE_MATCH_1}" top)
    file(REAL_PATH "${PROJECT_SOURCE_DIR}" here)
    if(top STREQUAL here)
      set(GRIDSMITH_COMMIT ${commit})
    endif()
  endif()
endif()
set(GRIDSMITH_TOOLKIT "")
if(GRIDSMITH_HAVE_CUDA)
  set(GRIDSMITH_TOOLKIT ${CUDAToolkit_VERSION})
endif()
configure_file(cmake/build_version.hpp.in ${PROJECT_BINARY_DIR}/include/gridsmith_build/build_version.hpp @ONLY)
