# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

# Relative, so that an installed tree may be moved.
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(gridsmith PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
# The tarball's libraries lie beside ours, and an RPATH, unlike a RUNPATH, holds for what they need of each other.
set_target_properties(gridsmith_library PROPERTIES INSTALL_RPATH "$ORIGIN")
target_link_options(gridsmith PRIVATE LINKER:--disable-new-dtags)
install(TARGETS gridsmith_library EXPORT gridsmith RUNTIME_DEPENDENCY_SET gridsmith_needs)
install(TARGETS gridsmith RUNTIME_DEPENDENCY_SET gridsmith_needs RUNTIME)
if(TARGET gridsmith-mpi)
  set_target_properties(gridsmith-mpi PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS gridsmith-mpi RUNTIME COMPONENT mpi)
endif()
if(GRIDSMITH_HAVE_CUDA)
  file(RELATIVE_PATH programs_to_lib /${GRIDSMITH_PROGRAMS} /${CMAKE_INSTALL_LIBDIR})
  # The toolkit's libraries are rarely where the loader looks.
  set_target_properties(gridsmith-compiler gridsmith-worker PROPERTIES
    INSTALL_RPATH "$ORIGIN/${programs_to_lib}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS gridsmith-compiler gridsmith-worker RUNTIME_DEPENDENCY_SET gridsmith_needs
    RUNTIME DESTINATION ${GRIDSMITH_PROGRAMS})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/catalogue/ DESTINATION ${GRIDSMITH_CATALOGUE})
# For editors, which complete and check a definition by them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/gridsmith)
# Jobs to copy into a CI.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/ci DESTINATION ${CMAKE_INSTALL_DATADIR}/gridsmith)
foreach(page README.md SECURITY.md CONTRIBUTING.md CITATION.cff NOTICE)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
# Under the name that Debian expects.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.ipynb)

# For C, C++ and Debian's Python; a wheel brings its own: cmake --build BUILD --target wheel
install(FILES ${PROJECT_SOURCE_DIR}/tuner/embedding/gridsmith.h ${PROJECT_SOURCE_DIR}/tuner/embedding/gridsmith.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tuner/python/gridsmith DESTINATION lib/python3/dist-packages
  FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)
if(GRIDSMITH_PYTHON)
  add_custom_target(wheel COMMAND ${GRIDSMITH_PYTHON} ${PROJECT_SOURCE_DIR}/tuner/python/wheel.py ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}
    DEPENDS gridsmith VERBATIM)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gridsmith)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gridsmithConfig.cmake.in
  ${PROJECT_BINARY_DIR}/gridsmithConfig.cmake INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 each minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gridsmithConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gridsmithConfig.cmake ${PROJECT_BINARY_DIR}/gridsmithConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindGMP.cmake ${CMAKE_CURRENT_LIST_DIR}/tuned_header.cmake
  DESTINATION ${package_folder})
install(EXPORT gridsmith NAMESPACE gridsmith:: FILE gridsmithTargets.cmake DESTINATION ${package_folder})

# cpack -G DEB or cpack -G TGZ, from the build folder
if(PROJECT_IS_TOP_LEVEL)
  # What the tarball brings along, because it runs where nothing is installed: the libraries that a minimal system lacks.
  set(of_every_system "^lib(c|m|dl|rt|pthread|util|gcc_s|stdc\\+\\+)\\.so" "^ld-linux")
  install(RUNTIME_DEPENDENCY_SET gridsmith_needs COMPONENT bundled EXCLUDE_FROM_ALL
    PRE_EXCLUDE_REGEXES ${of_every_system} "^lib(gridsmith|cuda|cupti|nvrtc|nvidia)" POST_EXCLUDE_REGEXES "/cuda")
  set(CPACK_GENERATOR DEB)
  set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package.cmake)
  # All but gridsmith-mpi, for which the package would need this machine's MPI.
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};Unspecified;/")
  set(CPACK_PACKAGE_VENDOR Gridsmith)
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_PACKAGE_CONTACT "The Gridsmith authors <gridsmith@localhost>")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcairo2) # opened when 'gridsmith plot' draws
  # The program needs the library of the same package.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
  include(CPack)
endif()
