# One object per instruction set. A file that is compiled with an ISA's flags includes nothing from std:
# an inline function compiled with -mavx512f could be the copy that the linker keeps for every caller.
function(colonnade_isa NAME)
  set(file ${PROJECT_SOURCE_DIR}/colonnade/kernels/isa_${NAME}.cc)
  if(EXISTS ${file})
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}")
  endif()
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
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
endif()
