// SPDX-License-Identifier: Apache-2.0
// A page and a stream of events for browsers on this machine: HTTP on the loopback alone, at an address that
// nobody can guess. The one door to the HTTP library; a build without it cannot serve.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// What one browser is told, until it leaves or there is no more.
class EventStream {
public:
  virtual ~EventStream() = default;
  /// Waits for news for at most a second. @param text of events as the browser reads them; may stay ""
  /// @return false: that was all
  virtual bool next(std::string& text) = 0;
};

/// Called in the server's threads, several at once.
struct Site {
  std::function<std::optional<std::string>()> page; ///< HTML; nothing: not yet
  std::function<std::unique_ptr<EventStream>()> events;
  std::string policy; ///< Content-Security-Policy
};

/// So many follow at once; more are told to come again.
inline constexpr int most_browsers = 40;

class PageServer {
public:
  /// Serves from now on, in threads of its own.
  /// @param port 0: any that is free
  /// @throws InputError: the port cannot be had, or this build cannot serve
  PageServer(Site site, int port);
  /// Waits for a second at most until the streams have ended.
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  /// "http://127.0.0.1:41234/3f…/"
  const std::string& address() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether this build can serve, and what to say where it cannot.
bool has_page_server();
inline constexpr std::string_view no_page_server =
    "this build cannot serve a page: build Gridsmith where libcpp-httplib-dev is installed";

} // namespace gridsmith
