# SPDX-License-Identifier: Apache-2.0
# How the targets of the folders, the library and the programs are made.

# Built, everything lies as it will lie installed: bin/, lib/, libexec/gridsmith/, share/gridsmith/. So the library
# finds its programs and the catalogue in one way, upwards from itself.
set(GRIDSMITH_PROGRAMS ${CMAKE_INSTALL_LIBEXECDIR}/gridsmith)
set(GRIDSMITH_CATALOGUE ${CMAKE_INSTALL_DATADIR}/gridsmith/catalogue)
# In the build tree a link each, so that editing a kernel or a header needs no build step.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include ${PROJECT_BINARY_DIR}/public ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/gridsmith)
# Every include names its room: "gridsmith/search/space/space.hpp".
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/gridsmith SYMBOLIC)
# What is installed for programs that embed Gridsmith.
foreach(header gridsmith.h gridsmith.hpp)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tuner/embedding/${header} ${PROJECT_BINARY_DIR}/public/${header} SYMBOLIC)
endforeach()
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/kernels/catalogue ${PROJECT_BINARY_DIR}/${GRIDSMITH_CATALOGUE} SYMBOLIC)
configure_file(cmake/build_info.hpp.in ${PROJECT_BINARY_DIR}/include/gridsmith_build/build_info.hpp @ONLY)

# The system's Python rather than the first on PATH, for which the system's packages are not there.
find_program(GRIDSMITH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(GRIDSMITH_PYTHON python3)

include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-munroll-only-small-loops -mvzeroupper" GRIDSMITH_HEADER_FLAGS)

# What our own sources are compiled with; linked PRIVATE, so that no consumer gets a flag of it.
add_library(gridsmith_options INTERFACE)
target_include_directories(gridsmith_options INTERFACE ${PROJECT_BINARY_DIR}/include)
target_compile_options(gridsmith_options INTERFACE -Wall -Wextra -Wconversion -Wshadow
  # Host and device compute the same, to the bit: with a * b + c contracted they would not.
  -ffp-contract=off
  $<$<BOOL:${GRIDSMITH_WERROR}>:-Werror>
  # -O2: -O3 only makes the build longer here; the hot loops are Eigen's and the solver's.
  # Tests are run once: optimising them takes a third of their compilation and saves nothing.
  $<IF:$<BOOL:$<TARGET_PROPERTY:GRIDSMITH_TEST>>,-O0,$<$<CONFIG:Release>:-O$<IF:$<BOOL:$<TARGET_PROPERTY:GRIDSMITH_COLD>>,1,2>>>
  # No symbol of ours is replaced from outside, so calls inside the library may be inlined.
  # GCC 12 warns of optional and variant members that are never read uninitialised (its bug 80635).
  # -fpch-preprocess: a compiler cache sees which precompiled header a source was compiled with.
  # -munroll-only-small-loops, -mvzeroupper: -O2 has them from GCC 13 on, and -O0 and -O1 could not use a header
  # precompiled with them. That version takes each reference that a function returns for one to its arguments.
  # ggc-min-heapsize (KiB): the compiler does not collect garbage below it, an eighth of its time for 0.2 GB more.
  $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition;-Wno-maybe-uninitialized;-fpch-preprocess;--param=ggc-min-heapsize=1500000>
  $<$<BOOL:${GRIDSMITH_HEADER_FLAGS}>:-munroll-only-small-loops;-mvzeroupper>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>)

# The library: the folders' objects in one file. Shared unless BUILD_SHARED_LIBS is set to OFF, so that who links it
# needs nothing of what it is made with.
set(GRIDSMITH_LIBRARY_TYPE SHARED)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(GRIDSMITH_LIBRARY_TYPE STATIC)
endif()
add_library(gridsmith_library ${GRIDSMITH_LIBRARY_TYPE})
add_library(gridsmith::gridsmith ALIAS gridsmith_library)
set_target_properties(gridsmith_library PROPERTIES
  OUTPUT_NAME gridsmith EXPORT_NAME gridsmith LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
target_compile_features(gridsmith_library INTERFACE cxx_std_20)
target_include_directories(gridsmith_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/public> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(gridsmith_library PRIVATE
  fmt::fmt SQLite::SQLite3 ZLIB::ZLIB OpenSSL::Crypto GMP::GMP Threads::Threads ${CMAKE_DL_LIBS})
if(GRIDSMITH_LIBRARY_TYPE STREQUAL "SHARED")
  # Exported is namespace gridsmith, nothing of the JSON, formatting and matrix templates compiled into it: a
  # consumer may use other versions of those.
  set(GRIDSMITH_EXPORTS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  # clang leaves its sanitizers to the programs.
  target_link_options(gridsmith_library PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:LINKER:-z,defs> LINKER:-Bsymbolic-functions LINKER:--version-script=${GRIDSMITH_EXPORTS})
  set_property(TARGET gridsmith_library APPEND PROPERTY LINK_DEPENDS ${GRIDSMITH_EXPORTS})
endif()

# Headers that most sources open, read once: they are half of a source's compilation. fmt's is one of them, so that
# all folders are compiled with what its target defines.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/prelude.cpp CONTENT "")
add_library(gridsmith_prelude OBJECT ${PROJECT_BINARY_DIR}/prelude.cpp)
set_target_properties(gridsmith_prelude PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(gridsmith_prelude PRIVATE gridsmith_options fmt::fmt nlohmann_json::nlohmann_json)
set(GRIDSMITH_PRELUDE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
  <string> <string_view> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
target_precompile_headers(gridsmith_prelude PRIVATE ${GRIDSMITH_PRELUDE})

# Sources that are compiled as one where CMAKE_UNITY_BUILD is set: each batch opens the large headers once.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

# gridsmith_folder(<name> [PROGRAM] [APART] SOURCES … [BELOW …] [USES …] [OPENS …]): one folder, one target, which the tests
# link. BELOW are folders that it stands on, USES the libraries that nobody else need know of. PROGRAM: not a part of
# the library. Where CMAKE_UNITY_BUILD is set several of its sources are compiled as one, unless they are APART because their
# unnamed namespaces have the same names. OPENS: a large header that most of its sources open, read once too.
# OPENED_BY: a folder that opens the same one, and is compiled with the same definitions.
function(gridsmith_folder name)
  cmake_parse_arguments(F "PROGRAM;APART" "" "SOURCES;BELOW;USES;OPENS;OPENED_BY" ${ARGN})
  add_library(gridsmith_${name} STATIC ${F_SOURCES})
  set_target_properties(gridsmith_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(F_APART)
    set_target_properties(gridsmith_${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  list(TRANSFORM F_BELOW PREPEND gridsmith_)
  target_include_directories(gridsmith_${name} PUBLIC ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(gridsmith_${name} PUBLIC ${F_BELOW} PRIVATE gridsmith_options fmt::fmt ${F_USES})
  if(F_OPENS)
    target_precompile_headers(gridsmith_${name} PRIVATE ${GRIDSMITH_PRELUDE} ${F_OPENS})
  elseif(F_OPENED_BY)
    target_precompile_headers(gridsmith_${name} REUSE_FROM gridsmith_${F_OPENED_BY})
  else()
    target_precompile_headers(gridsmith_${name} REUSE_FROM gridsmith_prelude)
  endif()
  if(NOT F_PROGRAM)
    target_sources(gridsmith_library PRIVATE $<TARGET_OBJECTS:gridsmith_${name}>)
  endif()
endfunction()

# gridsmith_optimise(<folder>…): those that use Eigen, which without optimising is thirty times slower (the tests of a debug
# build would take minutes) and does not compile with the thread sanitizer.
function(gridsmith_optimise)
  foreach(folder IN LISTS ARGN)
    target_compile_options(gridsmith_${folder} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O1>)
    set_target_properties(gridsmith_${folder} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON) # made with the others' options
  endforeach()
endfunction()

# gridsmith_cold(<folder>…): those that a command passes once, where -O2 makes only the build longer, by half.
function(gridsmith_cold)
  list(TRANSFORM ARGN PREPEND gridsmith_)
  set_target_properties(${ARGN} PROPERTIES GRIDSMITH_COLD ON)
endfunction()

# gridsmith_program(<name> FOLDER <output folder> SOURCES … [BELOW …] [USES …]): as above, an executable.
function(gridsmith_program name)
  cmake_parse_arguments(P "" "FOLDER" "SOURCES;BELOW;USES" ${ARGN})
  add_executable(${name} ${P_SOURCES})
  list(TRANSFORM P_BELOW PREPEND gridsmith_)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${P_FOLDER} BUILD_RPATH_USE_ORIGIN ON)
  target_link_libraries(${name} PRIVATE gridsmith_options ${P_BELOW} ${P_USES})
endfunction()

# gridsmith_page(<path below the prefix> <words>…): a file that the program writes when it is given these words, installed
# with it. Adds to GRIDSMITH_PAGES.
function(gridsmith_page path)
  set(file ${PROJECT_BINARY_DIR}/${path})
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${file} COMMAND gridsmith ${ARGN} > ${file} DEPENDS gridsmith VERBATIM)
  cmake_path(GET path PARENT_PATH folder)
  install(FILES ${file} DESTINATION ${folder})
  set(GRIDSMITH_PAGES ${GRIDSMITH_PAGES} ${file} PARENT_SCOPE)
endfunction()
