// SPDX-License-Identifier: Apache-2.0
// Ranges that Nsight shows, in the domain "gridsmith": kernel, configuration and stage.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace gridsmith {

/// Nothing but a test of a pointer per call when no tool listens.
class NvtxDomain {
public:
  NvtxDomain() : domain_(nvtxDomainCreateA("gridsmith")) {}

  ~NvtxDomain() { nvtxDomainDestroy(domain_); }

  NvtxDomain(const NvtxDomain&) = delete;
  NvtxDomain& operator=(const NvtxDomain&) = delete;

  /// Ranges nest, in this thread.
  void push(const std::string& name) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name.c_str();
    nvtxDomainRangePushEx(domain_, &attributes);
  }

  void pop() { nvtxDomainRangePop(domain_); }

private:
  nvtxDomainHandle_t domain_;
};

} // namespace gridsmith
