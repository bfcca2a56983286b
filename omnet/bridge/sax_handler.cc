// SPDX-License-Identifier: Apache-2.0
#include "sax_handler.h"

#include <algorithm>
#include <limits>

#include "messages.h"

namespace ecnomy::bridge {
namespace {

// True if `text` is well-formed UTF-8 (RFC 3629), without overlong forms, surrogates or code points above U+10FFFF.
bool is_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    const std::size_t more = lead < 0x80   ? 0
                             : lead < 0xc2 ? 4
                             : lead < 0xe0 ? 1
                             : lead < 0xf0 ? 2
                                           : 3;
    if (lead > 0xf4 || more == 4 || more >= text.size() - i) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    const unsigned next = more > 0 ? byte(i + 1) : 0;
    if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f) ||
        (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

void require_utf8(const std::string& text) {
  if (!is_utf8(text)) throw ProtocolError("not-messagepack", "a string that is not UTF-8");
}

template <typename Names>
unsigned index_of(const Names& names, unsigned from, unsigned to, const std::string& name) {
  for (unsigned i = from; i < to; ++i) {
    if (name == names[i]) return i;
  }
  return static_cast<unsigned>(names.size());
}

}  // namespace

std::string shown(const std::string& text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return "'" + text + "'";
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return "'" + text.substr(0, end) + "...'";
}

std::string SaxHandler::where() const {
  std::string text = key_ == kUnknown ? "an unknown key" : kKeyNames[key_];
  if (column_ != kNoColumn) text += std::string(".") + kColumnNames[column_];
  return text;
}

void SaxHandler::blame(const std::string& name, const std::string& detail) {
  if (!fault) fault = Fault{name, detail};
}

void SaxHandler::wrong_type(const char* found) { blame("wrong-type", where() + " is " + found); }

void SaxHandler::start(bool object) {
  if (depth_ == 0 && !object) throw ProtocolError("not-a-map", "the frame holds an array");
  if (++depth_ > kMaxDepth) {
    throw ProtocolError("too-deep", "more than " + std::to_string(kMaxDepth) + " levels");
  }
  if (depth_ == 1 || skip_depth_ > 0) return;
  const bool fits = depth_ == 2 && (object ? key_ == kFlows || key_ == kLinks : key_ == kProtocol);
  if (fits) return;
  skip_depth_ = depth_;
  if (key_ != kUnknown && (depth_ == 2 || column_ != kNoColumn || key_ == kProtocol)) {
    wrong_type(object ? "a map" : "an array");
  }
}

void SaxHandler::end() {
  if (skip_depth_ == depth_) skip_depth_ = 0;
  --depth_;
  if (depth_ == 1) column_ = kNoColumn;
  complete_ = depth_ == 0;
}

bool SaxHandler::start_object(std::size_t) {
  start(true);
  return true;
}

bool SaxHandler::start_array(std::size_t) {
  start(false);
  return true;
}

bool SaxHandler::end_object() {
  end();
  return true;
}

bool SaxHandler::end_array() {
  end();
  return true;
}

bool SaxHandler::key(std::string& name) {
  require_utf8(name);
  if (skip_depth_ > 0) return true;
  unsigned* present = &present_keys_;
  unsigned index = 0;
  bool unknown = false;
  if (depth_ == 1) {
    key_ = static_cast<Key>(index = index_of(kKeyNames, 0, kUnknown, name));
    unknown = key_ == kUnknown;
    if (unknown && !unknown_key) unknown_key = shown(name);
  } else {
    const bool flows = key_ == kFlows;
    index = index_of(kColumnNames, flows ? 0 : kFirstLinkColumn,
                     flows ? kFirstLinkColumn : kNoColumn, name);
    column_ = static_cast<DecideColumn>(index);
    unknown = column_ == kNoColumn;
    if (unknown && !unknown_column)
      unknown_column = std::string(kKeyNames[key_]) + "." + shown(name);
    present = &present_columns_;
  }
  if (unknown) return true;
  if ((*present & (1u << index)) != 0) throw ProtocolError("duplicate-key", shown(name));
  *present |= 1u << index;
  return true;
}

// Returns true if the current scalar is the value of `wanted`. Records wrong-type if it is the value of another key.
bool SaxHandler::take(Key wanted, const char* found) {
  if (depth_ == 0) throw ProtocolError("not-a-map", std::string("the frame holds ") + found);
  if (skip_depth_ > 0 || key_ == kUnknown) return false;
  if (depth_ == 2 && key_ != kProtocol && column_ == kNoColumn) return false;  // unknown column
  const bool in_place = key_ == kProtocol ? depth_ == 2 : depth_ == 1;
  if (key_ == wanted && in_place) return true;
  wrong_type(found);
  return false;
}

bool SaxHandler::null() {
  take(kUnknown, "nil");
  return true;
}

bool SaxHandler::boolean(bool value) {
  if (take(kAccept, "a boolean")) accept = value;
  return true;
}

void SaxHandler::set_integer(std::int64_t value) {
  const bool counts = depth_ == 2 || key_ == kId || key_ == kEpoch;
  if (!take(counts ? key_ : kUnknown, "an integer")) return;
  if (key_ == kProtocol) {
    if (protocol.size() == 2) return wrong_type("an array of more than two");
    protocol.push_back(value);
  } else if (key_ == kEpoch) {
    epoch = value;
  } else {
    id = value;
  }
}

bool SaxHandler::number_integer(std::int64_t value) {
  set_integer(value);
  return true;
}

bool SaxHandler::number_unsigned(std::uint64_t value) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool integer_key = key_ == kId || key_ == kEpoch || key_ == kProtocol;
  if (value > kLargest && skip_depth_ == 0 && integer_key) {
    blame("out-of-range", where() + " = " + std::to_string(value));
    value = kLargest;
  }
  set_integer(static_cast<std::int64_t>(std::min(value, kLargest)));
  return true;
}

bool SaxHandler::number_float(double, const std::string&) {
  take(kUnknown, "a float");
  return true;
}

bool SaxHandler::string(std::string& value) {
  require_utf8(value);
  std::string* const place = key_ == kType     ? &type
                             : key_ == kReason ? &reason
                             : key_ == kJson   ? &json_text
                                               : nullptr;
  if (take(place ? key_ : kUnknown, "a string")) place->swap(value);
  return true;
}

bool SaxHandler::binary(json::binary_t& value) {
  const bool column = depth_ == 2 && skip_depth_ == 0 && column_ != kNoColumn;
  if (!column || value.has_subtype()) {
    take(kUnknown, value.has_subtype() ? "an extension" : "a bin");
    return true;
  }
  if (value.size() % 8 != 0) {
    blame("column-length", where() + " has " + std::to_string(value.size()) + " bytes");
  }
  value.shrink_to_fit();  // it grew byte by byte
  columns[column_].swap(value);
  return true;
}

bool SaxHandler::parse_error(std::size_t position, const std::string&,
                             const nlohmann::detail::exception& error) {
  const std::string at = "at byte " + std::to_string(position);
  if (complete_) throw ProtocolError("trailing-bytes", at);
  // nlohmann's error numbers: 110 end of input, 113 a map key that is not a string, 112 an unknown first byte.
  if (error.id == 110) throw ProtocolError("truncated", at);
  if (error.id == 113) throw ProtocolError("wrong-type", "a key that is not a string, " + at);
  throw ProtocolError("not-messagepack", at);
}

}  // namespace ecnomy::bridge
