// SPDX-License-Identifier: Apache-2.0
// In place of page_server.cpp where the build had no HTTP library.
#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/watch/page_server.hpp"

namespace gridsmith {

struct PageServer::Impl {
  std::string address;
};

PageServer::PageServer(Site, int) {
  throw InputError(std::string(no_page_server));
}

PageServer::~PageServer() = default;

const std::string& PageServer::address() const {
  return impl_->address;
}

bool has_page_server() {
  return false;
}

} // namespace gridsmith
