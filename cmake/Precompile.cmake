# For a user's first build: the headers nearly every file includes are parsed once. Our own test builds go without,
# so that a missing include is found there.
file(WRITE ${CMAKE_BINARY_DIR}/generated/precompile.cpp "// Carries the precompiled headers.\n")
add_library(tumble_precompiled OBJECT ${CMAKE_BINARY_DIR}/generated/precompile.cpp)
target_link_libraries(tumble_precompiled PRIVATE tumble_settings Eigen3::Eigen)
target_precompile_headers(tumble_precompiled PRIVATE <Eigen/Core> <Eigen/Geometry> <algorithm> <functional>
                          <memory> <optional> <string> <unordered_map> <vector>)
foreach(target core math geometry collision model dynamics simulate scene record view)
  target_precompile_headers(tumble_${target} REUSE_FROM tumble_precompiled)
endforeach()
if(TARGET tumble)
  target_precompile_headers(tumble REUSE_FROM tumble_precompiled)
endif()
