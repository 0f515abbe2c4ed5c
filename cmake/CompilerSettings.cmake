# All compiler settings that affect floating-point results.
include(CheckCXXSourceRuns)

# x86-64-v3 if this machine has it, otherwise the baseline of the compiler. `tumble --version` shows the name.
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
# Results must not depend on inlining: no contraction to FMA, no fast-math.
target_compile_options(tumble_settings INTERFACE -ffp-contract=off -fno-fast-math -Wall -Wextra -Wpedantic
                       -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
# Eigen must not vectorise vectors of three numbers. A load of two numbers that were stored one by one has to
# wait until both have left the store buffer of the processor (no store forwarding). This costs a contact
# problem a tenth of its time or more (docs/decisions/0025).
target_compile_definitions(tumble_settings INTERFACE EIGEN_UNALIGNED_VECTORIZE=0)
if(TUMBLE_INSTRUCTION_SET STREQUAL "x86-64-v3")
  target_compile_options(tumble_settings INTERFACE -march=x86-64-v3)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # When GCC 12 vectorises straight-line code, it turns a*b-c next to a*b+c into one fused instruction, in
  # spite of -ffp-contract=off. Results would then depend on inlining.
  target_compile_options(tumble_settings INTERFACE -fno-tree-slp-vectorize)
  # False warnings of GCC 12 for every "text" + std::string (GCC bug 105651).
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
    # AddressSanitizer finds bad pointers when they are used. Checking them before doubles the time of the
    # build.
    target_compile_options(tumble_settings INTERFACE
                           -fno-sanitize=null,object-size,vptr,alignment,pointer-overflow)
  endif()
endif()

# Targets that read untrusted files, and the targets they use, need the coverage counters of libFuzzer. These
# are the counters of -fsanitize=fuzzer-no-link, which itself does not work with precompiled headers.
function(tumble_fuzzed)
  if(TUMBLE_FUZZERS)
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE
                             -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
    endforeach()
  endif()
endfunction()

find_program(TUMBLE_CCACHE ccache)
if(TUMBLE_CCACHE)
  # ccache needs this setting for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TUMBLE_CCACHE})
endif()
