# Flags that every target shares. -ffp-contract=off: gcc 12 and clang 14 fuse a*b + c otherwise, and bits would
# depend on the compiler (docs/numerics.md). -mfma: without it fmaf is a library call; the command checks for it at start.
set(flags -Wall -Wextra -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND flags -Wno-restrict)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND flags -mfma)
endif()
if(COLONNADE_WERROR)
  list(APPEND flags -Werror)
endif()
if(COLONNADE_SANITIZE)
  # no-sanitize-recover: undefined behaviour ends a test instead of printing a line that nobody reads.
  list(APPEND flags -fsanitize=${COLONNADE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(COLONNADE_FUZZ)
  list(APPEND flags -fsanitize=fuzzer-no-link)  # libFuzzer steers by the branches that an input takes
endif()

# Warnings and defines are ours alone: a program that uses the installed library does not inherit them.
add_library(colonnade_flags INTERFACE)
target_compile_options(colonnade_flags INTERFACE "$<BUILD_INTERFACE:${flags}>")
target_compile_definitions(colonnade_flags INTERFACE
  $<BUILD_INTERFACE:JSON_USE_IMPLICIT_CONVERSIONS=0> $<BUILD_INTERFACE:JSON_DIAGNOSTICS=0>)
target_include_directories(colonnade_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
target_compile_features(colonnade_flags INTERFACE cxx_std_20)
if(COLONNADE_SANITIZE)
  target_link_options(colonnade_flags INTERFACE -fsanitize=${COLONNADE_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
