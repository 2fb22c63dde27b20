# find_package(colonnade) and target_link_libraries(... colonnade::api): the libraries that the layers' archives need.
include(CMakeFindDependencyMacro)
find_dependency(fmt 9)
find_dependency(Threads)
find_dependency(nlohmann_json 3.11)
find_dependency(OpenSSL 3 COMPONENTS Crypto)
find_dependency(PkgConfig)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
include(${CMAKE_CURRENT_LIST_DIR}/colonnade-targets.cmake)
