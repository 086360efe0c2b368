// SPDX-License-Identifier: Apache-2.0
// The server of the page that follows a tuning: who is served and who is not, and that it ends.
#include "gridsmith/base/error.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/browser.hpp"
#include "gridsmith/tuner/watch/page_server.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace watch_test {

using namespace gridsmith;
using test::Address;
using test::asked;
using test::Browser;
using namespace std::chrono_literals;

namespace {

/// Says "one", "two" and so on, until it is told to end.
struct Counting : EventStream {
  const std::atomic<bool>& ended;
  int said = 0;

  explicit Counting(const std::atomic<bool>& end) : ended(end) {}

  bool next(std::string& text) override {
    std::this_thread::sleep_for(2ms);
    text = "data: " + std::to_string(++said) + "\n\n";
    return !ended;
  }
};

struct Served {
  std::atomic<bool> ended = false;
  PageServer server{{.page = [] { return std::optional<std::string>("<h1>page</h1>"); },
                     .events = [this] { return std::make_unique<Counting>(ended); },
                     .policy = "default-src 'none'"},
                    0};
  Address address{server.address()};
};

} // namespace

TEST_CASE("served is who knows the address, from this machine, by its own name") {
  const Served site;
  const Address& at = site.address;
  const std::string page = asked(at, at.host(), at.path);
  CHECK(page.starts_with("HTTP/1.1 200"));
  CHECK_THAT(page, contains_text("<h1>page</h1>"));
  CHECK_THAT(page,
             contains_text("Content-Security-Policy: default-src 'none'; frame-ancestors 'none'"));
  CHECK_THAT(page, contains_text("Referrer-Policy: no-referrer"));
  CHECK(at.path.size() == 34); // 128 bits as hex, between slashes
  CHECK(asked(at, "localhost:" + std::to_string(at.port), at.path).starts_with("HTTP/1.1 200"));
  for (const std::string& host :
       {std::string("evil.example"), "evil.example:" + std::to_string(at.port), std::string()})
    CHECK(asked(at, host, at.path).starts_with("HTTP/1.1 403"));
  CHECK(
      asked(at, at.host(), at.path, "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
  for (const char* path : {"/", "/events", "/0123456789abcdef0123456789abcdef/", "/../etc/passwd"})
    CHECK(asked(at, at.host(), path).starts_with("HTTP/1.1 403"));
  CHECK(asked(at, at.host(), at.path, "Content-Length: 0\r\n", "POST").starts_with("HTTP/1.1 403"));
  CHECK(asked(at, at.host(), at.path + "other").starts_with("HTTP/1.1 404"));
}

TEST_CASE("a request that names two hosts is refused, whichever comes first") {
  const Served site;
  const Address& at = site.address;
  for (const auto& [first, second] : {std::pair(at.host(), std::string("evil.example")),
                                      std::pair(std::string("evil.example"), at.host())})
    CHECK(asked(at, first, at.path, "Host: " + second + "\r\n").starts_with("HTTP/1.1 403"));
}

TEST_CASE("two hundred who never end their requests keep nobody away") {
  const Served site;
  const Address& at = site.address;
  std::vector<std::unique_ptr<Browser>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Browser>(at.port));
    std::this_thread::sleep_for(2ms); // more at once, and the system lets the next wait for seconds
  }
  std::atomic<bool> enough = false;
  std::jthread dribble([&] {
    for (; !enough; std::this_thread::sleep_for(300ms))
      for (const auto& one : slow)
        one->say("G");
  });
  std::this_thread::sleep_for(500ms);
  const auto begun = std::chrono::steady_clock::now();
  CHECK(asked(at, at.host(), at.path).starts_with("HTTP/1.1 200"));
  CHECK(std::chrono::steady_clock::now() - begun < 2s);
  enough = true;
}

TEST_CASE("a port that is taken is refused in one line") {
  const Served site;
  CHECK_THROWS_AS(PageServer({}, site.address.port), InputError);
  CHECK(asked(site.address, site.address.host(), site.address.path).starts_with("HTTP/1.1 200"));
}

TEST_CASE(
    "many browsers follow at once, some leave, some do not read, and all end with the stream") {
  Served site;
  const Address& at = site.address;
  std::vector<std::unique_ptr<Browser>> browsers;
  for (int i = 0; i < 20; ++i) {
    browsers.push_back(std::make_unique<Browser>(at.port));
    browsers.back()->ask(at.host(), at.path + "events");
  }
  for (auto& browser : browsers)
    CHECK_THAT(browser->read_until("data: 3\n"), contains_text("text/event-stream"));
  browsers.erase(browsers.begin(), browsers.begin() + 5); // they leave; the next five only stay
  CHECK(asked(at, at.host(), at.path).starts_with("HTTP/1.1 200"));
  site.ended = true;
  for (std::size_t i = 5; i < browsers.size(); ++i)
    CHECK(browsers[i]->read_until().ends_with("0\r\n\r\n")); // the last chunk
}

TEST_CASE("a server that is done leaves within two seconds, whoever still follows") {
  auto site = std::make_unique<Served>();
  Browser browser(site->address.port);
  browser.ask(site->address.host(), site->address.path + "events");
  browser.read_until("data: 1\n");
  const auto begun = std::chrono::steady_clock::now();
  site.reset();
  CHECK(std::chrono::steady_clock::now() - begun < 4s); // two, on a machine that has time
}

} // namespace watch_test
