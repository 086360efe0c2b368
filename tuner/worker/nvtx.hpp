// What Nsight sees of the worker: ranges in the domain "gridsmith" that name kernel, configuration
// and stage, and the bracket around what is measured (cudaProfilerStart/Stop, which ncu and nsys
// can be told to wait for).
#pragma once

#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace gridsmith {

class NvtxDomain {
public:
  NvtxDomain() : domain_(nvtxDomainCreateA("gridsmith")) {}

  ~NvtxDomain() { nvtxDomainDestroy(domain_); }

  NvtxDomain(const NvtxDomain&) = delete;
  NvtxDomain& operator=(const NvtxDomain&) = delete;

  nvtxDomainHandle_t handle() const { return domain_; }

private:
  nvtxDomainHandle_t domain_;
};

/// Open from construction to destruction, in this thread. Nothing but a test of a pointer when no
/// tool listens.
class NvtxRange {
public:
  NvtxRange(const NvtxDomain& domain, const std::string& name) : domain_(domain.handle()) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name.c_str();
    nvtxDomainRangePushEx(domain_, &attributes);
  }

  ~NvtxRange() { nvtxDomainRangePop(domain_); }

  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;

private:
  nvtxDomainHandle_t domain_;
};

/// What is launched while one lives is what was meant to be profiled.
class ProfiledSection {
public:
  ProfiledSection() { static_cast<void>(cudaProfilerStart()); }

  ~ProfiledSection() { static_cast<void>(cudaProfilerStop()); }

  ProfiledSection(const ProfiledSection&) = delete;
  ProfiledSection& operator=(const ProfiledSection&) = delete;
};

} // namespace gridsmith
