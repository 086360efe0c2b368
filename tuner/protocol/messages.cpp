#include "gridsmith/tuner/protocol/messages.hpp"

#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/tuner/protocol/message_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace gridsmith {

namespace {

using Json = nlohmann::json;

constexpr std::size_t length_bytes = 8;
/// A frame beyond this is no message of ours: the largest hold a cubin or a reference from a file.
constexpr std::uint64_t largest_frame = std::uint64_t{4} << 30;

template <typename>
constexpr bool is_optional = false;
template <typename T>
constexpr bool is_optional<std::optional<T>> = true;
template <typename>
constexpr bool is_vector = false;
template <typename T>
constexpr bool is_vector<std::vector<T>> = true;

// ---- writing

template <typename T>
Json written(const T& value) {
  if constexpr (std::is_same_v<T, Bytes>) {
    return Json::binary(value);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else if constexpr (is_optional<T>) {
    return value ? written(*value) : Json();
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& element : value)
      list.push_back(written(element));
    return list;
  } else if constexpr (Struct<T>) {
    Json object = Json::object();
    for_fields(value,
               [&](const char* name, const auto& member) { object[name] = written(member); });
    return object;
  } else {
    return Json(value);
  }
}

// ---- reading

/// Checked by hand, because a number outside an enumeration would be silent.
template <typename T>
constexpr int last_enumerator = 0;
template <>
constexpr int last_enumerator<ElementType> = static_cast<int>(ElementType::uint64);
template <>
constexpr int last_enumerator<Access> = static_cast<int>(Access::read_write);
template <>
constexpr int last_enumerator<Fill> = static_cast<int>(Fill::random);
template <>
constexpr int last_enumerator<Status> = static_cast<int>(Status::timeout);

template <typename T>
void read(const Json& json, T& value) {
  if constexpr (std::is_same_v<T, Bytes>) {
    value = json.get_binary();
  } else if constexpr (std::is_enum_v<T>) {
    const int number = json.get<int>();
    if (number < 0 || number > last_enumerator<T>)
      throw ProtocolError(fmt::format("{} is outside the enumeration", number));
    value = static_cast<T>(number);
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (!json.is_null())
      read(json, value.emplace());
  } else if constexpr (is_vector<T>) {
    value.clear();
    value.reserve(json.size());
    for (const Json& element : json.get_ref<const Json::array_t&>())
      read(element, value.emplace_back());
  } else if constexpr (Struct<T>) {
    for_fields(value, [&](const char* name, auto& member) {
      try {
        read(json.at(name), member);
      } catch (const std::exception& error) {
        throw ProtocolError(fmt::format("{}: {}", name, error.what()));
      }
    });
  } else {
    json.get_to(value);
  }
}

/// The words of "type", in the order of Message's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Message>> type_names = {
    "compile", "compiled", "compiler_hello", "open",  "evaluate",  "best_so_far", "finals",
    "close",   "opened",   "refused",        "stage", "evaluated", "finals_done", "context_lost"};

using Reader = Message (*)(const Json&);

template <std::size_t index>
Message read_alternative(const Json& json) {
  std::variant_alternative_t<index, Message> value;
  read(json, value);
  return value;
}

template <std::size_t... index>
constexpr std::array<Reader, sizeof...(index)> readers_of(std::index_sequence<index...>) {
  return {read_alternative<index>...};
}

constexpr auto readers = readers_of(std::make_index_sequence<type_names.size()>{});

Message decode(const std::uint8_t* first, const std::uint8_t* last) {
  try {
    const Json json = Json::from_cbor(first, last);
    const std::string& type = json.at("type").get_ref<const std::string&>();
    for (std::size_t i = 0; i < type_names.size(); ++i)
      if (type == type_names[i])
        return readers[i](json);
    throw ProtocolError(fmt::format("unknown type '{}'", type));
  } catch (const std::exception& error) {
    throw ProtocolError(fmt::format("not a message: {}", error.what()));
  }
}

std::uint64_t frame_length(const std::uint8_t* bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    length |= std::uint64_t{bytes[i]} << (8 * i);
  if (length == 0 || length > largest_frame)
    throw ProtocolError(fmt::format("a frame of {} bytes is no message", length));
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
  Json json = std::visit([](const auto& value) { return written(value); }, message);
  json["type"] = type_names[message.index()];
  Bytes frame(length_bytes);
  Json::to_cbor(json, frame);
  const std::uint64_t length = frame.size() - length_bytes;
  for (std::size_t i = 0; i < length_bytes; ++i)
    frame[i] = static_cast<std::uint8_t>(length >> (8 * i));
  return frame;
}

Message decode(const Bytes& document) {
  return decode(document.data(), document.data() + document.size());
}

std::optional<Message> read_message(int descriptor) {
  std::array<std::uint8_t, length_bytes> head{};
  const std::size_t got = read_fully(descriptor, head.data(), head.size());
  if (got == 0)
    return std::nullopt;
  if (got < head.size())
    throw ProtocolError("the stream ends inside a message");
  Bytes document(frame_length(head.data()));
  if (read_fully(descriptor, document.data(), document.size()) < document.size())
    throw ProtocolError("the stream ends inside a message");
  return decode(document);
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
  const std::uint64_t length = frame_length(bytes_.data() + read_);
  if (available - length_bytes < length)
    return std::nullopt;
  const std::uint8_t* first = bytes_.data() + read_ + length_bytes;
  read_ += length_bytes + length;
  return decode(first, first + length);
}

std::string MessageBuffer::take_text() {
  std::string text(bytes_.begin() + static_cast<std::ptrdiff_t>(read_), bytes_.end());
  bytes_.clear();
  read_ = 0;
  return text;
}

} // namespace gridsmith
