# SPDX-License-Identifier: Apache-2.0
# Read by cpack for each of its generators. The tarball may lie anywhere and brings libraries along; the .deb depends on packages.
if(CPACK_GENERATOR STREQUAL TGZ)
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 1 project)
  set(CPACK_INSTALL_CMAKE_PROJECTS "${build};${project};Unspecified;/;${build};${project};bundled;/")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")
endif()
