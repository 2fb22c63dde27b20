# One object per instruction set of the processor that is built for, and the file that lists their tables. A file that is
# compiled with an ISA's flags includes nothing from std: an inline function compiled with -mavx512f could be the copy that
# the linker keeps for every caller.
set(isas scalar)
function(colonnade_isa NAME)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/colonnade/kernels/isa_${NAME}.cc PROPERTIES COMPILE_OPTIONS "${ARGN}")
  set(isas ${isas} ${NAME} PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(processor x86)
  set(avx2 -mavx2 -mfma -mf16c)
  set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(quiet -Wno-uninitialized -Wno-maybe-uninitialized)  # gcc 12's own AVX-512 headers warn
  endif()
  colonnade_isa(scalar -mfma)
  colonnade_isa(avx2 ${avx2})
  colonnade_isa(avxvnni ${avx2} -mavxvnni)
  colonnade_isa(avx512 ${avx512} ${quiet})
  colonnade_isa(avx512vnni ${avx512} -mavx512vnni ${quiet})
  colonnade_isa(amx ${avx512} -mavx512vnni ${quiet})
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(processor arm)
  colonnade_isa(neon)  # Armv8.0-A has it
  colonnade_isa(neondot -march=armv8.2-a+dotprod)
else()
  message(FATAL_ERROR "processor: expected x86_64 or aarch64, got '${CMAKE_SYSTEM_PROCESSOR}'")
endif()

get_target_property(sources colonnade_kernels SOURCES)
list(FILTER sources EXCLUDE REGEX "/kernels/(isa|tables)_[a-z0-9]+\\.cc$")
list(TRANSFORM isas REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/colonnade/kernels/isa_\\1.cc" OUTPUT_VARIABLE isa_sources)
set_target_properties(colonnade_kernels PROPERTIES SOURCES
  "${sources};${isa_sources};${PROJECT_SOURCE_DIR}/colonnade/kernels/tables_${processor}.cc")
