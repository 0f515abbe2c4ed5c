#include "fuzz_mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return tumble::fuzz::read_and_use(data, size, tumble::geometry::read_obj);
}
