// Halves and doubles every chosen number, in the shipped scenes of its method. A number that was chosen on
// one scene must not be what makes another one work. vary_parameters.h lists the promises.
//
// Prints one line for each broken promise. Numbers that change no run are listed with their reason. The list
// must be exact: what changes nothing is listed, and what is listed changes nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "parameters/vary_parameters.h"

using namespace tumble;
using simulate::Method;
using vary::SceneRun;

namespace {

// s, simulated: long enough for impacts, rest and sliding, and less than a second of computing each.
const std::vector<SceneRun> kContactScenes = {
    {"bowl", 0.18},      {"break-shot", 1},   {"card-house", 1},
    {"dominoes", 0.8},   {"clamp", 1},        {"rattleback", 0.2},
    {"tent", 1},         {"heavy-stack", 1},  {"nut-on-bolt", 0.1},
    {"plate-bullet", 1}, {"pyramid", 0.05},   {"ragdoll", 1.5},
    {"rings", 0.2},      {"rope", 0.2},       {"sliding-block", 0.5},
    {"slip-roll", 1},    {"slope-slide", 1},  {"slope-stick", 1},
    {"slope-topple", 1}, {"spinning-rod", 1}, {"stack", 1},
    {"stairs", 1.5},     {"ten-boxes", 1},    {"ten-boxes-bouncy", 1},
    {"terrain", 3}};
const std::vector<SceneRun> kJointScenes = {{"hand", 0.5},
                                            {"robot", 1},
                                            {"stiff-chain", 1},
                                            {"tree", 0.3},
                                            {"bennett", 1, Method::fast},
                                            {"cardan", 1, Method::fast},
                                            {"door", 3, Method::fast},
                                            {"four-bar", 1, Method::fast},
                                            {"gyroscope", 1, Method::fast},
                                            {"hanging-chain", 1, Method::fast},
                                            {"mobile", 1, Method::fast},
                                            {"slider-crank-driven", 1, Method::fast}};
const std::vector<SceneRun> kPreciseScenes = {{"bennett", 0.5},
                                              {"cardan", 1},
                                              {"chain", 0.5},
                                              {"couple", 1},
                                              {"door", 3},
                                              {"double-pendulum", 1},
                                              {"force-versus-torque", 1},
                                              {"four-bar", 1},
                                              {"free-top", 1},
                                              {"gyroscope", 0.5},
                                              {"hanging-chain", 0.3},
                                              {"mobile", 1},
                                              {"orbit", 5},
                                              {"parallelogram", 1},
                                              {"pendulum-8", 1},
                                              {"projectile", 1},
                                              {"slider-crank", 0.5},
                                              {"slider-crank-driven", 1},
                                              {"t-handle", 3},
                                              {"three-nails", 1},
                                              {"triple-pendulum", 1},
                                              {"two-forces", 1},
                                              {"hand", 0.1, Method::precise},
                                              {"robot", 0.1, Method::precise}};

// Numbers that change no run of these scenes, so that nothing is tested about them, with the reason.
const std::map<std::string, const char*> kIdle = {
    {"leapfrog.model_joint_gap", "no joint opens so far in a drift"},
    {"leapfrog.shortest_half", "no step is halved so often"},
    {"leapfrog.shortest_part", "no part of a step is so short"},
    {"leapfrog.immobile", "joints take all mobility along a normal, but for rounding, or hardly any"},
    {"leapfrog.contradicting_drift", "no joints contradict each other in the files"},
    {"leapfrog.contradicting_gap", "no joints contradict each other in the files"},
    {"leapfrog.contradicting_parting", "no joints contradict each other in the files"},
    {"leapfrog.limit_gradient", "no swing limit is so narrow"},
    {"leapfrog.desperate_cut", "no kick takes 32 rounds"},
    {"leapfrog.limit_residual", "no limit is passed by half of its tolerance"},
    {"leapfrog.max_rounds", "no kick takes 16 rounds"},
    {"leapfrog.hardly_shorter", "no drift is cut to between 0.8 and 0.95 of itself"},
    {"contact.same_normal", "normals of a pair are nearer to each other, or farther apart"},
    {"contact.same_round_point_distance", "cylinders and cones find their row nearer by, or not at all"},
    {"contact.inconclusive_ratio", "no certificate runs out of evaluations"},
    {"collision.manifold.level_edge", "edges are nearer to level, or farther away than the shell"},
    {"collision.manifold.level_face", "faces are nearer to level, or farther away than the shell"},
    {"collision.manifold.fine_surface", "surfaces have far more triangles, or far fewer"},
    {"collision.manifold.fine_candidates", "the nearest part of the range has far more candidates, or none"},
    {"collision.manifold.coincident", "no two candidates are so near"},
    {"collision.patch.same_corner", "candidates at a corner are nearer to each other, or far apart"},
    {"collision.patch.corner_angle", "normals at a corner are nearer to each other, or far apart"},
    {"collision.patch.bump", "faces are flat: nothing lies below a hull by so much"},
    {"collision.certificate.max_evaluations", "no pair takes 32 looks"},
    {"collision.certificate.crossing_edges", "no edges cross at so small an angle"},
    {"kick.closing.stall", "Newton's method closes joints by far more than half in every iteration"},
    {"runge_kutta.longest_step", "no step is so long"},
    {"runge_kutta.starting_time",
     "estimates of stiffness lie outside of half to twice this time, or say the same"},
    {"runge_kutta.worth_implicit", "no estimate lies between half and twice of it"},
    {"runge_kutta.max_patience", "no scene changes its method so often"},
    {"runge_kutta.power_difference", "it moves estimates by too little to change a decision"},
    {"runge_kutta.limit_samples", "no limit is passed and left again within a step"},
    {"runge_kutta.overrun_speed", "every limit stops the bodies that hit it"},
    {"report.first_contact", "no frame falls on so small a gap"},
    {"start.round_off", "joints are closed in the files"},
    {"start.no_room", "pairs have room, or none at all"},
    {"start.contradiction", "no scripts contradict each other in the files"},
    {"start.largest_joint_gap", "joints are closed in the files"},
    {"start.touching_depth", "no bodies overlap in the files"},
    {"start.shortfall", "a pass leaves a thousandth, far less than this"},
    {"start.longest_move", "moves are as short as a contact offset"},
    {"start.max_passes", "one pass is enough"},
    {"start.max_steps", "no pass takes 2000 steps"},
    {"start.max_idle_passes", "one pass is enough"},
    {"start.progress", "one pass is enough"},
    {"start.layer_clearance", "no scene has a compliant layer"},
};

std::vector<SceneRun> operator+(std::vector<SceneRun> a, const std::vector<SceneRun>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<SceneRun> only_starts(std::vector<SceneRun> scenes) {
  for (SceneRun& scene : scenes) scene.duration = std::min(scene.duration, 0.05);
  return scenes;
}

// Varies the numbers whose names begin with a prefix.
class Check {
 public:
  Check(std::string beginning, const std::vector<SceneRun>& scenes) : beginning_(std::move(beginning)) {
    REQUIRE(!vary::list_variations(beginning_).empty());
    for (const SceneRun& scene : scenes) {
      const vary::Outcome shipped = vary::run(scene, {});
      for (const vary::Violation& violation : judge(shipped, nullptr))
        FAIL_CHECK("as shipped, " << scene.name() << ": " << violation.text);
      for (const vary::Variation& variation : vary::list_variations(beginning_))
        check(scene, variation, shipped);
    }
    for (const vary::Variation& variation : vary::list_variations(beginning_))
      if (!kIdle.count(variation.number) && !effective_.count(variation.number))
        FAIL_CHECK(variation.number << " changes no run");
    for (const auto& [number, reason] : kIdle)
      if (effective_.count(number)) FAIL_CHECK("listed as idle, but changes a run: " << number);
  }

 private:
  void check(const SceneRun& scene, const vary::Variation& variation, const vary::Outcome& shipped) {
    const vary::Outcome outcome = vary::run(scene, apply(variation));
    if (outcome.differs_from(shipped)) effective_.insert(variation.number);
    for (const vary::Violation& violation : judge(outcome, &shipped))
      FAIL_CHECK(variation.name() << ", " << scene.name() << ": " << violation.text);
  }

  std::string beginning_;
  std::set<std::string> effective_;  // numbers that changed some run
};

}  // namespace

TEST_CASE("halving and doubling the numbers of the leapfrog keeps every promise") {
  Check("leapfrog.", kContactScenes + kJointScenes);
}

TEST_CASE("halving and doubling the numbers of contact keeps every promise") {
  Check("contact.", kContactScenes);
}

TEST_CASE("halving and doubling the numbers of the contact solver keeps every promise") {
  Check("solver.", kContactScenes);
}

TEST_CASE("halving and doubling the numbers of manifolds keeps every promise") {
  Check("collision.manifold.", kContactScenes);
}

TEST_CASE("halving and doubling the numbers of patches keeps every promise") {
  Check("collision.patch.", kContactScenes);
}

TEST_CASE("halving and doubling the numbers of certificates keeps every promise") {
  Check("collision.certificate.", kContactScenes);
}

TEST_CASE("halving and doubling the numbers of kicks keeps every promise") {
  Check("kick.", kContactScenes + kJointScenes);
}

TEST_CASE("halving and doubling the numbers of Runge-Kutta steps keeps every promise") {
  Check("runge_kutta.", kPreciseScenes);
}

TEST_CASE("halving and doubling the numbers of the start keeps every promise") {
  Check("start.", only_starts(kContactScenes + kJointScenes + kPreciseScenes));
}

TEST_CASE("halving and doubling the numbers of reports keeps every promise") {
  Check("report.", kContactScenes + kPreciseScenes);
}
