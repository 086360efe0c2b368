// SPDX-License-Identifier: Apache-2.0
// A browser's side of HTTP, as little of it as the tests need: one request over one connection.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace gridsmith::test {

/// "http://127.0.0.1:41234/3f…/"
struct Address {
  int port = 0;
  std::string path;

  explicit Address(const std::string& text) {
    const auto colon = text.find(':', text.find("//")), slash = text.find('/', colon);
    port = std::stoi(text.substr(colon + 1, slash - colon - 1));
    path = text.substr(slash);
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port); }
};

class Browser {
public:
  explicit Browser(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  ~Browser() { ::close(socket_); }

  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  bool connected() const { return connected_; }

  void ask(const std::string& host, const std::string& path, const std::string& more = "",
           const std::string& method = "GET") const {
    const std::string text = method + " " + path + " HTTP/1.1\r\nHost: " + host +
                             "\r\nConnection: close\r\n" + more + "\r\n";
    say(text);
  }

  void say(const std::string& text) const {
    (void)!::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

  /// Until the text was seen, or the connection's end. Returns all that came in.
  const std::string& read_until(const std::string& text = "\x01 nothing is like this") {
    char part[4096];
    while (all_.find(text) == all_.npos) {
      const auto got = ::recv(socket_, part, sizeof part, 0);
      if (got <= 0)
        break;
      all_.append(part, static_cast<std::size_t>(got));
    }
    return all_;
  }

private:
  int socket_;
  bool connected_ = false;
  std::string all_;
};

inline std::string asked(const Address& address, const std::string& host, const std::string& path,
                         const std::string& more = "", const std::string& method = "GET") {
  Browser browser(address.port);
  browser.ask(host, path, more, method);
  return browser.read_until();
}

} // namespace gridsmith::test
