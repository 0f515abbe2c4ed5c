# Headers that nearly every file includes are precompiled, and presets compile the files of a folder in
# batches of twelve. A first build takes well under half the time. Missing includes are still found:
# tools/check_headers.py compiles each file alone, headers in every ./test, sources in ./test --long.
#   tumble_precompile(TARGET...)              the targets share one set of parsed headers
#   tumble_precompile_tests(TARGET...)        the same with doctest
function(tumble_add_precompiled name)
  cmake_parse_arguments(arg "" "" "LINK;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "// For precompiled headers.\n")
  endif()
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE tumble_settings ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

function(tumble_precompile)
  if(NOT TUMBLE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET tumble_precompiled)
    tumble_add_precompiled(tumble_precompiled LINK Eigen3::Eigen
                           HEADERS <Eigen/Core> <Eigen/Geometry> <algorithm> <functional> <memory> <optional>
                           <string> <unordered_map> <vector>)
  endif()
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM tumble_precompiled)
  endforeach()
endfunction()

function(tumble_precompile_tests)
  if(NOT TUMBLE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET test_precompiled)
    tumble_add_precompiled(test_precompiled LINK Eigen3::Eigen doctest::doctest
                           HEADERS <Eigen/Core> <Eigen/Geometry> <algorithm> <functional> <memory> <optional>
                           <string> <unordered_map> <vector> <doctest/doctest.h>)
  endif()
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM test_precompiled)
  endforeach()
endfunction()

if(TUMBLE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With precompiled headers GCC 12 does not treat std::string as a system header and prints false warnings.
  target_compile_options(tumble_settings INTERFACE -Wno-stringop-overflow -Wno-stringop-overread
                         -Wno-array-bounds)
elseif(TUMBLE_PRECOMPILE)
  # Without time stamps in precompiled headers ccache finds its results.
  target_compile_options(tumble_settings INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
