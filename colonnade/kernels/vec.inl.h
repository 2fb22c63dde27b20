// The 16-lane vector of the instruction set that includes this: CN_VEC names its file, CN_ISA its
// namespace.
#pragma once

#include CN_VEC
