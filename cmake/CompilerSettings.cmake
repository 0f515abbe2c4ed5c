# One place for everything that decides what the compiler may do to our arithmetic.
include(CheckCXXSourceRuns)

# x86-64-v3 where this machine has it, else the compiler's baseline. The name is shown by `tumble --version`.
if(NOT DEFINED TUMBLE_INSTRUCTION_SET)
  set(TUMBLE_INSTRUCTION_SET "baseline")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(CMAKE_REQUIRED_FLAGS "-march=x86-64-v3")
    check_cxx_source_runs("
      int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") &&
                          __builtin_cpu_supports(\"bmi2\") ? 0 : 1; }" TUMBLE_HAS_X86_64_V3)
    unset(CMAKE_REQUIRED_FLAGS)
    if(TUMBLE_HAS_X86_64_V3)
      set(TUMBLE_INSTRUCTION_SET "x86-64-v3")
    endif()
  endif()
endif()

add_library(tumble_settings INTERFACE)
target_compile_features(tumble_settings INTERFACE cxx_std_20)
# Results are the same for every run of a build: no contraction into fma, no fast-math.
target_compile_options(tumble_settings INTERFACE -ffp-contract=off -fno-fast-math -Wall -Wextra -Wpedantic
                       -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
# Eigen takes vectors of three numbers one by one: two at once they wait until those that were written one by one have left the
# processor's queue, which costs a contact problem a tenth of its time or more (docs/decisions/0025).
target_compile_definitions(tumble_settings INTERFACE EIGEN_UNALIGNED_VECTORIZE=0)
if(TUMBLE_INSTRUCTION_SET STREQUAL "x86-64-v3")
  target_compile_options(tumble_settings INTERFACE -march=x86-64-v3)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 makes a*b-c beside a*b+c one fused instruction when it vectorises straight-line code, in spite of -ffp-contract=off.
  # Results would then depend on what is inlined where.
  target_compile_options(tumble_settings INTERFACE -fno-tree-slp-vectorize)
  # GCC 12 sees overlapping copies in every "text" + std::string (GCC bug 105651).
  target_compile_options(tumble_settings INTERFACE -Wno-restrict)
endif()
if(TUMBLE_WERROR)
  target_compile_options(tumble_settings INTERFACE -Werror)
endif()
if(TUMBLE_ASSERTIONS OR CMAKE_BUILD_TYPE STREQUAL "Debug" OR TUMBLE_SANITIZERS)
  target_compile_definitions(tumble_settings INTERFACE TUMBLE_ASSERTIONS)
endif()
if(TUMBLE_SANITIZERS)
  target_compile_options(tumble_settings INTERFACE -fsanitize=${TUMBLE_SANITIZERS} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(tumble_settings INTERFACE -fsanitize=${TUMBLE_SANITIZERS})
  if(TUMBLE_SANITIZERS MATCHES "address.*undefined")
    # What a bad pointer does, AddressSanitizer finds when it is used; checking each one before doubles the build.
    target_compile_options(tumble_settings INTERFACE
                           -fno-sanitize=null,object-size,vptr,alignment,pointer-overflow)
  endif()
endif()

# What the fuzzer explores needs its counters: a target that reads strangers' files, and what it is made of. They are
# those of -fsanitize=fuzzer-no-link, by a name that gets along with precompiled headers.
function(tumble_fuzzed)
  if(TUMBLE_FUZZERS)
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
    endforeach()
  endif()
endfunction()

find_program(TUMBLE_CCACHE ccache)
if(TUMBLE_CCACHE)
  # What ccache asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TUMBLE_CCACHE})
endif()
