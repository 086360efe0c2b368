// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/watch/page_server.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr const char* loopback = "127.0.0.1";
// Connections beside those that streams hold; a request that does not come to its end holds one until
// a second has gone by without a byte.
constexpr std::size_t most_others = 512;
constexpr auto longest_read = 1s;
constexpr auto longest_write = 1s; // a browser that does not read is let go
constexpr auto longest_goodbye = 1s;

/// 128 bits that nobody guesses: the loopback is everybody's on this machine.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system has no randomness for an address");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

void refuse(httplib::Response& response, int status, const char* why) {
  response.status = status;
  response.set_content(std::string(why) + "\n", "text/plain; charset=utf-8");
}

/// A thread for each connection, started where none is idle: who is slow holds his own alone.
class ThreadsAsNeeded : public httplib::TaskQueue {
public:
  /// Newer libraries want to know whether it was taken.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

  Taken enqueue(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (tasks_.size() > idle_ && threads_.size() < most_browsers + most_others)
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        return static_cast<Taken>(true); // no more threads here: it waits for one of ours
      }
    news_.notify_one();
    return static_cast<Taken>(true);
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    news_.notify_all();
    for (std::thread& thread : threads_)
      thread.join();
  }

private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      news_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty())
        return;
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ended_ = false;
};

/// The library's own would let a second program listen at the same port.
void set_options(socket_t socket) {
  const int yes = 1; // a port that was just left can be had again
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

} // namespace

struct PageServer::Impl {
  Site site;
  std::string token = random_token(), host, address;
  std::atomic<int> streams = 0;
  httplib::Server server;
  std::jthread thread = {};

  explicit Impl(Site what) : site(std::move(what)) {}

  /// Some other site's name that means this machine (DNS rebinding), or a page of it that asks for ours.
  bool is_ours(const httplib::Request& request) const {
    const std::string asked = request.get_header_value("Host");
    const std::string origin = request.get_header_value("Origin");
    return request.get_header_value_count("Host") == 1 &&
           (asked == host || asked == "localhost" + host.substr(host.find(':'))) &&
           request.get_header_value_count("Origin") <= 1 &&
           (origin.empty() || origin == "http://" + asked);
  }

  void set_rules() {
    server.new_task_queue = [] { return new ThreadsAsNeeded; }; // the library owns it
    server.set_socket_options(set_options);
    server.set_read_timeout(longest_read);
    server.set_write_timeout(longest_write);
    server.set_keep_alive_timeout(1);
    server.set_payload_max_length(0);
    server.set_default_headers(
        {{"Content-Security-Policy", site.policy + "; frame-ancestors 'none'"},
         {"Cache-Control", "no-store"},
         {"Referrer-Policy", "no-referrer"},
         {"X-Content-Type-Options", "nosniff"},
         {"Cross-Origin-Resource-Policy", "same-origin"}});
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          const bool served = is_ours(request) && request.method == "GET" &&
                              request.path.starts_with("/" + token + "/");
          if (!served)
            refuse(response, 403, "not here");
          return served ? httplib::Server::HandlerResponse::Unhandled
                        : httplib::Server::HandlerResponse::Handled;
        });
  }

  void set_pages() {
    server.Get("/" + token + "/", [this](const httplib::Request&, httplib::Response& response) {
      if (auto page = site.page())
        return response.set_content(*std::move(page), "text/html; charset=utf-8");
      response.set_header("Refresh", "1");
      refuse(response, 503, "the search space is being built");
    });
    server.Get("/" + token + "/events",
               [this](const httplib::Request&, httplib::Response& response) { stream(response); });
  }

  void stream(httplib::Response& response) {
    if (streams.fetch_add(1) >= most_browsers) {
      --streams;
      return refuse(response, 503, "too many browsers are connected");
    }
    response.set_chunked_content_provider(
        "text/event-stream",
        [events = std::shared_ptr(site.events())](std::size_t, httplib::DataSink& sink) {
          std::string text;
          const bool more = events->next(text);
          if (text.empty())
            text = ":\n\n"; // a comment: only so is a browser known to have left
          if (!sink.write(text.data(), text.size()))
            return false;
          if (!more)
            sink.done();
          return true;
        },
        [this](bool) { --streams; });
  }
};

PageServer::PageServer(Site site, int port) : impl_(std::make_unique<Impl>(std::move(site))) {
  Impl& here = *impl_;
  here.set_rules();
  here.set_pages();
  const int bound = port == 0 ? here.server.bind_to_any_port(loopback)
                    : here.server.bind_to_port(loopback, port) ? port
                                                               : -1;
  if (bound < 0)
    throw InputError(fmt::format("port {} of {} is not available: another program uses it, or it "
                                 "is reserved; without a number any free port is used",
                                 port, loopback));
  here.host = fmt::format("{}:{}", loopback, bound);
  here.address = fmt::format("http://{}/{}/", here.host, here.token);
  here.thread = std::jthread([&here] { here.server.listen_after_bind(); });
  while (!here.server.is_running()) // stop() of one that does not run yet is not heard
    std::this_thread::sleep_for(1ms);
}

PageServer::~PageServer() {
  const auto until = std::chrono::steady_clock::now() + longest_goodbye;
  while (impl_->streams > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(10ms);
  impl_->server.stop();
}

const std::string& PageServer::address() const {
  return impl_->address;
}

bool has_page_server() {
  return true;
}

} // namespace gridsmith
