// How fast a rank multiplies, for shares that fit unequal ranks.
#pragma once

#include "colonnade/tensor/device.h"

namespace colonnade {

/// Bytes of weights per second that `device` multiplies in a decode step: whichever limits it, its
/// memory or its instructions. Takes about 0.1 s and 64 MB for the moment.
double measure_rank_speed(Device& device);

}  // namespace colonnade
