# The library for users: one file libtumble, the target tumble::tumble, and the files of `cmake --install`.
# Programs of this tree link the modules (tumble::modules). Examples link the library, as users do.
include(GNUInstallDirs)

set(modules core math geometry collision model contact dynamics simulate scene record view)
list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:tumble_\\1>" OUTPUT_VARIABLE objects)

# Whether inline functions of the library are local to it: see isolate.cmake. Not with sanitizers, which need
# unchanged sections of the compiler.
set(isolated OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT TUMBLE_SANITIZERS)
  if(BUILD_SHARED_LIBS)
    set(isolated ON)  # by -Bsymbolic-functions
  elseif(CMAKE_LINKER AND CMAKE_NM AND CMAKE_OBJCOPY)
    execute_process(COMMAND ${CMAKE_LINKER} --help OUTPUT_VARIABLE help ERROR_QUIET)
    if(help MATCHES "--force-group-allocation")
      set(isolated ON)
    endif()
  endif()
endif()

if(BUILD_SHARED_LIBS)
  add_library(tumble_library SHARED ${objects})
  if(isolated)
    target_link_options(tumble_library PRIVATE -Wl,-Bsymbolic-functions)
  endif()
elseif(isolated)
  set(joined ${PROJECT_BINARY_DIR}/tumble.o)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/objects.txt CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_COMMAND} -DLINKER=${CMAKE_LINKER} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY}
            -DOBJECTS=${PROJECT_BINARY_DIR}/objects.txt -DOUTPUT=${joined}
            -P ${PROJECT_SOURCE_DIR}/cmake/isolate.cmake
    DEPENDS ${objects} ${PROJECT_SOURCE_DIR}/cmake/isolate.cmake
    COMMENT "Joining the library's objects" COMMAND_EXPAND_LISTS VERBATIM)
  add_library(tumble_library STATIC ${joined})
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
else()
  add_library(tumble_library STATIC ${objects})
endif()
add_library(tumble::tumble ALIAS tumble_library)
set_target_properties(tumble_library PROPERTIES
  OUTPUT_NAME tumble EXPORT_NAME tumble LINKER_LANGUAGE CXX UNITY_BUILD OFF
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_features(tumble_library PUBLIC cxx_std_20)
target_include_directories(tumble_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tumble_library PUBLIC Eigen3::Eigen PRIVATE Qhull::qhull_r EXPAT::EXPAT PNG::PNG)
# Otherwise program and library share one copy of an inline function, so both need the same compiler options.
set(users_options "")
if(NOT isolated)
  list(APPEND users_options -DEIGEN_UNALIGNED_VECTORIZE=0)
  if(TUMBLE_INSTRUCTION_SET STREQUAL "x86-64-v3")
    list(APPEND users_options -march=x86-64-v3)
  endif()
  target_compile_options(tumble_library INTERFACE ${users_options})
endif()
set(users_link_options "")
if(TUMBLE_SANITIZERS)
  set(users_link_options -fsanitize=${TUMBLE_SANITIZERS})
  target_link_options(tumble_library INTERFACE ${users_link_options})
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# cmake --install: the library, its public headers, and the files for find_package and pkg-config.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tumble)
install(TARGETS tumble_library EXPORT tumbleTargets COMPONENT library)
install(EXPORT tumbleTargets NAMESPACE tumble:: DESTINATION ${package_folder} COMPONENT library)
configure_package_config_file(cmake/tumbleConfig.cmake.in tumbleConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(tumbleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tumbleConfig.cmake ${PROJECT_BINARY_DIR}/tumbleConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT library)
# Public headers are found at the time of installation, because an include line may be new.
install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake\")
  set(roots \"${PROJECT_SOURCE_DIR}/src\" \"${PROJECT_BINARY_DIR}/generated\")
  tumble_public_headers(headers \${roots})
  foreach(header IN LISTS headers)
    get_filename_component(folder \${header} DIRECTORY)
    foreach(root IN LISTS roots)
      if(EXISTS \${root}/\${header})
        file(INSTALL \${root}/\${header}
             DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder})
      endif()
    endforeach()
  endforeach()" COMPONENT library)

file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up "${up}")
list(JOIN users_options " " pc_options)
list(JOIN users_link_options " " pc_link_options)
set(pc_private "Requires.private: expat libpng qhull_r\nLibs.private: -lstdc++ -lm")
if(BUILD_SHARED_LIBS)
  set(pc_private "")
endif()
configure_file(cmake/tumble.pc.in tumble.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tumble.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
