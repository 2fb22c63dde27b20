# `cmake --install build/release --prefix P`: the command, one static library per layer with its headers, the package file
# for find_package(colonnade), the man pages and the shell completions.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET colonnade)
  install(TARGETS colonnade RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

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

file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(completion bash:bash-completion/completions:colonnade zsh:zsh/site-functions:_colonnade
        fish:fish/vendor_completions.d:colonnade.fish)
  string(REPLACE ":" ";" completion ${completion})
  list(GET completion 0 shell)
  list(GET completion 1 folder)
  list(GET completion 2 name)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/completions/colonnade.${shell}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name} OPTIONAL)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
