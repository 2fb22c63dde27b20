# `cmake --install build/release --prefix P`: the command, one static library per layer with its headers, the package file
# for find_package(colonnade), the man pages and the shell completions.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(layers flags base kernels comm text tensor device io ops nn models engine api)
foreach(layer ${layers})
  set_target_properties(colonnade_${layer} PROPERTIES EXPORT_NAME ${layer})
  list(APPEND layer_targets colonnade_${layer})
endforeach()
install(TARGETS ${layer_targets} EXPORT colonnade ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT colonnade NAMESPACE colonnade:: FILE colonnade-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/colonnade)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/colonnade DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inl.h" EXCLUDE PATTERN "cli" EXCLUDE)

configure_file(${PROJECT_SOURCE_DIR}/cmake/colonnade-config.cmake
  ${PROJECT_BINARY_DIR}/colonnade-config.cmake COPYONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/colonnade-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/colonnade-config.cmake ${PROJECT_BINARY_DIR}/colonnade-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/colonnade)

set(printed ${PROJECT_BINARY_DIR}/share)  # by the command itself: colonnade/cli/CMakeLists.txt
# The component "command" is what tools/make_deb.sh packs.
if(TARGET colonnade)
  install(TARGETS colonnade RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(FILES ${printed}/colonnade.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES ${printed}/colonnade.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME colonnade COMPONENT command)
  install(FILES ${printed}/colonnade.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    RENAME _colonnade COMPONENT command)
  install(FILES ${printed}/colonnade.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT command)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
