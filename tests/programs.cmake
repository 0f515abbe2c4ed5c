# Tests that run the program and the tools, each one Python file with the standard library alone.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(program_test name script)
  add_test(NAME ${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/${script} ${ARGN})
  # What a test of the repository needs to know: the program as built, the checkout, a place to write.
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT
    "PYTHONDONTWRITEBYTECODE=1;TUMBLE_PROGRAM=$<TARGET_FILE:tumble>;TUMBLE_SOURCE_DIR=${PROJECT_SOURCE_DIR};TUMBLE_BINARY_DIR=${CMAKE_BINARY_DIR}")
endfunction()

# The program from outside, by the contract with its users.
program_test(cli.verbs tests/cli/verbs_test.py)
program_test(cli.run tests/cli/run_test.py)
program_test(cli.resume tests/cli/resume_test.py)
program_test(cli.joints tests/cli/joints_test.py)
program_test(cli.start tests/cli/start_test.py)
program_test(cli.contact tests/cli/contact_test.py)
program_test(cli.contact_scenes tests/cli/contact_scenes_test.py)
program_test(cli.figure_scenes tests/cli/figure_scenes_test.py)
program_test(cli.heap_scenes tests/cli/heap_scenes_test.py)
program_test(cli.energy tests/cli/energy_test.py)
program_test(cli.bowl_scene tests/cli/bowl_scene_test.py)
program_test(cli.thread_scenes tests/cli/thread_scenes_test.py)
program_test(cli.scripts tests/cli/scripts_test.py)
program_test(cli.memory tests/cli/memory_test.py)
program_test(cli.fused tests/cli/fused_test.py)
program_test(gltf_validator tests/cli/gltf_test.py)
program_test(readme_commands tests/cli/readme_test.py)
program_test(doc_examples tools/doc_examples.py)
program_test(doc_pictures tools/doc_examples.py --compare)
program_test(looks tests/cli/looks_test.py)
program_test(valgrind tests/cli/valgrind_test.py)
add_executable(chain_slopes cli/chain_slopes.cpp)
target_link_libraries(chain_slopes PRIVATE tumble::modules tumble_settings)
program_test(instructions tests/cli/instructions_test.py $<TARGET_FILE:chain_slopes>)
program_test(soak tests/cli/memory_test.py --long)
program_test(golden tools/golden.py check)
program_test(golden_long tools/golden.py check --long)
set_tests_properties(golden golden_long PROPERTIES PROCESSORS 2)  # each runs two programs at once

# The repository.
program_test(layers tools/check_layers.py)
program_test(layers_selftest tests/tools/check_layers_test.py)
program_test(numbers tools/check_numbers.py)
program_test(numbers_selftest tests/tools/check_numbers_test.py)
program_test(repository tools/check_repository.py)
program_test(repository_selftest tests/tools/check_repository_test.py)
program_test(docs tools/check_docs.py)
program_test(docs_selftest tests/tools/check_docs_test.py)
program_test(doc_examples_selftest tests/tools/doc_examples_test.py)
program_test(looks_selftest tests/tools/look_test.py)
program_test(plot_selftest tests/tools/plot_work_error_test.py)
program_test(golden_selftest tests/tools/golden_test.py)
program_test(long_table_selftest tests/tools/long_table_test.py)
program_test(format tools/check_format.py)
set(alone ${CMAKE_CXX_COMPILER} ${CMAKE_BINARY_DIR}/generated
    $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
program_test(headers_alone tools/check_headers.py ${alone})
program_test(sources_alone tools/check_headers.py --sources ${alone})
# The library as others use it.
program_test(package tests/package/package_test.py ${CMAKE_BINARY_DIR} ${CMAKE_CXX_COMPILER})
program_test(package_long tests/package/package_test.py ${CMAKE_BINARY_DIR} ${CMAKE_CXX_COMPILER} --long)
set_tests_properties(package_long PROPERTIES LABELS long PROCESSORS 2)
program_test(public_layout tests/package/layout_test.py ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/src
             ${CMAKE_BINARY_DIR}/generated $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
program_test(library_page tests/package/docs_test.py)
program_test(clang_tidy tools/check_tidy.py ${CMAKE_BINARY_DIR}/tidy)
set_tests_properties(looks looks_selftest valgrind instructions soak golden_long sources_alone clang_tidy
                     doc_pictures PROPERTIES LABELS long)
set_tests_properties(looks looks_selftest PROPERTIES RESOURCE_LOCK look_three)  # both install it

# Every example of using the library does what its comment says: it exits with 0.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(example ${examples})
  get_filename_component(name ${example} NAME_WE)
  add_test(NAME example.${name} COMMAND example_${name} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endforeach()
