// Foreign text inside a message.
#pragma once

#include <string>
#include <string_view>

namespace colonnade {

/// `text` in single quotes, fit for one line of a message: control bytes and bytes above 0x7e as
/// \xNN, cut after 80 bytes.
std::string quote(std::string_view text);

}  // namespace colonnade
