#pragma once

#include "joints/peers/chain.h"
#include "tumble/model/model_builder.h"

namespace peers {

tumble::model::Model build_tumble_model(const Chain& chain);

}  // namespace peers
