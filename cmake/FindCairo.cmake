# SPDX-License-Identifier: Apache-2.0
# Cairo's headers: Cairo_FOUND and the target Cairo::headers. The library itself is opened at run time.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_Cairo QUIET cairo)
endif()
find_path(Cairo_INCLUDE_DIR cairo-svg.h HINTS ${PC_Cairo_INCLUDE_DIRS} PATH_SUFFIXES cairo)
mark_as_advanced(Cairo_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo REQUIRED_VARS Cairo_INCLUDE_DIR VERSION_VAR PC_Cairo_VERSION)
if(Cairo_FOUND AND NOT TARGET Cairo::headers)
  add_library(Cairo::headers INTERFACE IMPORTED)
  set_target_properties(Cairo::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${Cairo_INCLUDE_DIR})
endif()
