// The whole public library: a model from a file or in code, a run of it, recordings and pictures.
//   #include <tumble/tumble.h>
// What this header reaches is installed, and nothing else (cmake/PublicHeaders.cmake).
#pragma once

#include "tumble/core/version.h"
#include "tumble/geometry/convex_hull.h"
#include "tumble/geometry/mesh_io.h"
#include "tumble/model/auto_constraint.h"
#include "tumble/model/live_model.h"
#include "tumble/model/model_builder.h"
#include "tumble/model/state.h"
#include "tumble/record/checkpoint.h"
#include "tumble/record/contact_writer.h"
#include "tumble/record/frame_writer.h"
#include "tumble/record/glb_writer.h"
#include "tumble/record/log_writer.h"
#include "tumble/record/reaction_writer.h"
#include "tumble/record/recording.h"
#include "tumble/scene/inputs.h"
#include "tumble/scene/scene.h"
#include "tumble/simulate/simulation.h"
#include "tumble/view/render.h"
