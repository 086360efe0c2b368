// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/protocol/messages.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace gridsmith {

namespace {

using Json = nlohmann::json;

constexpr std::size_t length_bytes = 8;
/// Frames beyond these are no messages of ours. To a child the largest hold the files of all arguments,
constexpr std::uint64_t largest_frame = std::uint64_t{8} << 30;
/// from a child a cubin.
constexpr std::uint64_t largest_answer = std::uint64_t{256} << 20;
/// Taken from a stream at once: what a length announces is not believed before the bytes are there.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// The words of "type", in the order of Message's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Message>> type_names = {
    "hello",        "compile",       "compiled", "open",       "evaluate",
    "best_so_far",  "opened",        "refused",  "stage",      "evaluated",
    "context_lost", "measure_peaks", "peak",     "use_device", "device_ready"};

using Reader = Message (*)(const Json&);

template <std::size_t index>
Message read_alternative(const Json& json) {
  std::variant_alternative_t<index, Message> value;
  read_fields(json, value, Fields::all);
  return value;
}

template <std::size_t... index>
constexpr std::array<Reader, sizeof...(index)> readers_of(std::index_sequence<index...>) {
  return {read_alternative<index>...};
}

constexpr auto readers = readers_of(std::make_index_sequence<type_names.size()>{});

/// Sources go to a compiler as they are; what children and kept files say is text for people.
enum class Text { as_it_is, made_well_formed };

Message decode(const std::uint8_t* first, const std::uint8_t* last, Text text) {
  try {
    Json json = json_of_cbor(first, last);
    if (text == Text::made_well_formed)
      make_well_formed(json);
    const std::string& type = json.at("type").get_ref<const std::string&>();
    for (std::size_t i = 0; i < type_names.size(); ++i)
      if (type == type_names[i])
        return readers[i](json);
    throw ProtocolError(fmt::format("unknown type '{}'", type));
  } catch (const std::exception& error) {
    throw ProtocolError(fmt::format("not a message: {}", plain_text(error)));
  }
}

std::uint64_t frame_length(const std::uint8_t* bytes, std::uint64_t most) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= std::uint64_t{bytes[i]} << (8 * i);
  if (length == 0 || length > most)
    throw ProtocolError(
        fmt::format("a frame of {} bytes is no message: expected 1 to {}", length, most));
  return length;
}

/// Bytes read before the end of the stream, at most `count`.
std::size_t read_fully(int descriptor, std::uint8_t* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(descriptor, bytes + done, count - done);
    if (got == 0)
      break;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw ProtocolError(fmt::format("cannot read a message: {}", std::strerror(errno)));
    done += static_cast<std::size_t>(got);
  }
  return done;
}

} // namespace

Bytes encode(const Message& message) {
  Json json = std::visit([](const auto& value) { return to_fields(value, Fields::all); }, message);
  json["type"] = type_names[message.index()];
  Bytes frame(length_bytes);
  Json::to_cbor(json, frame);
  const std::uint64_t length = frame.size() - length_bytes;
  if (length > largest_frame)
    throw ProtocolError(fmt::format("a message of {} bytes is longer than the {} that are sent",
                                    length, largest_frame));
  for (std::size_t i = 0; i < length_bytes; ++i)
    frame[i] = static_cast<std::uint8_t>(length >> (8 * i));
  return frame;
}

Message decode(const Bytes& document) {
  return decode(document.data(), document.data() + document.size(), Text::made_well_formed);
}

std::optional<Message> read_message(int descriptor) {
  std::array<std::uint8_t, length_bytes> head{};
  const std::size_t got = read_fully(descriptor, head.data(), head.size());
  if (got == 0)
    return std::nullopt;
  if (got < head.size())
    throw ProtocolError("the stream ends inside a message");
  const std::uint64_t length = frame_length(head.data(), largest_frame);
  Bytes document;
  while (document.size() < length) {
    const std::size_t done = document.size();
    const std::size_t part = std::min<std::uint64_t>(piece_bytes, length - done);
    document.resize(done + part);
    if (read_fully(descriptor, document.data() + done, part) < part)
      throw ProtocolError("the stream ends inside a message");
  }
  return decode(document.data(), document.data() + document.size(), Text::as_it_is);
}

void write_message(int descriptor, const Message& message) {
  const Bytes frame = encode(message);
  std::size_t done = 0;
  while (done < frame.size()) {
    const ssize_t put = ::write(descriptor, frame.data() + done, frame.size() - done);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      throw ProtocolError(fmt::format("cannot write a message: {}", std::strerror(errno)));
    done += static_cast<std::size_t>(put);
  }
}

void MessageBuffer::append(const std::uint8_t* bytes, std::size_t count) {
  // What was read is dropped here and not in next(), so that many small messages cost one move.
  if (read_ > 0) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(read_));
    read_ = 0;
  }
  bytes_.insert(bytes_.end(), bytes, bytes + count);
}

std::optional<Message> MessageBuffer::next() {
  const std::size_t available = bytes_.size() - read_;
  if (available < length_bytes)
    return std::nullopt;
  const std::uint64_t length = frame_length(bytes_.data() + read_, largest_answer);
  if (available - length_bytes < length)
    return std::nullopt;
  const std::uint8_t* first = bytes_.data() + read_ + length_bytes;
  read_ += length_bytes + length;
  return decode(first, first + length, Text::made_well_formed);
}

std::optional<Bytes> MessageBuffer::next_frame() {
  const std::size_t available = bytes_.size() - read_;
  if (available < length_bytes)
    return std::nullopt;
  const std::uint64_t length = length_bytes + frame_length(bytes_.data() + read_, largest_frame);
  if (available < length)
    return std::nullopt;
  const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(read_);
  read_ += length;
  return Bytes(first, first + static_cast<std::ptrdiff_t>(length));
}

std::string MessageBuffer::take_text() {
  std::string text(bytes_.begin() + static_cast<std::ptrdiff_t>(read_), bytes_.end());
  bytes_.clear();
  read_ = 0;
  return text;
}

} // namespace gridsmith
