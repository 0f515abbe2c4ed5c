#pragma once

#include "contact/peers/world.h"
#include "tumble/model/model_builder.h"

namespace contact_peers {

tumble::model::Model build_model(const World& world);

}  // namespace contact_peers
