// SPDX-License-Identifier: Apache-2.0
// Matrices here lie row by row; to cuBLAS the same memory is the transpose, column by column.
#include "gridsmith/tests/bench/vendors/rival.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

#include <memory>

namespace gridsmith::vendors {
namespace {

void check_call(cublasStatus_t code) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(cublasGetStatusString(code));
}

void check_call(cusparseStatus_t code) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(cusparseGetErrorString(code));
}

constexpr float one = 1, zero = 0;
constexpr double one_double = 1, zero_double = 0;

using Blas = std::shared_ptr<cublasContext>;

Blas blas(const Job& job) {
  cublasHandle_t handle = nullptr;
  check_call(cublasCreate(&handle));
  Blas owned(handle, [](cublasHandle_t held) { cublasDestroy(held); });
  check_call(cublasSetStream(handle, job.stream));
  return owned;
}

int extent(const Job& job, std::size_t which) {
  return static_cast<int>(job.extents[which]);
}

/// c (m x n) = a (m x k) b (k x n), sums in float.
Rival product(const Job& job, const char* name, cudaDataType_t type, cublasComputeType_t compute) {
  const int m = extent(job, 0), n = extent(job, 1), k = extent(job, 2);
  return {name, [=, handle = blas(job)] {
            check_call(cublasGemmEx(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                    job.buffers[1], type, n, job.buffers[0], type, k, &zero,
                                    job.buffers[2], CUDA_R_32F, n, compute, CUBLAS_GEMM_DEFAULT));
          }};
}

/// y = a x, a of m rows of n.
Rival matrix_vector(const Job& job) {
  const int m = extent(job, 0), n = extent(job, 1);
  return {"cuBLAS gemv", [=, handle = blas(job)] {
            const auto* a = static_cast<const float*>(job.buffers[0]);
            const auto* x = static_cast<const float*>(job.buffers[1]);
            check_call(cublasSgemv(handle.get(), CUBLAS_OP_T, n, m, &one, a, n, x, 1, &zero,
                                   static_cast<float*>(job.buffers[2]), 1));
          }};
}

/// out (n x m) = in (m x n), turned.
template <class T, class Geam>
Rival turned(const Job& job, Geam geam, const T& factor, const T& nothing) {
  const int m = extent(job, 0), n = extent(job, 1);
  return {"cuBLAS geam", [=, &factor, &nothing, handle = blas(job)] {
            const auto* in = static_cast<const T*>(job.buffers[0]);
            auto* out = static_cast<T*>(job.buffers[1]);
            check_call(geam(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &factor, in, n, &nothing,
                            out, m, out, m));
          }};
}

/// A sparse matrix of compressed rows with all that cuSPARSE holds for it.
class SparseRows {
public:
  SparseRows(const Job& job, cusparseSpMVAlg_t algorithm) : algorithm_(algorithm) {
    check_call(cusparseCreate(&handle_));
    check_call(cusparseSetStream(handle_, job.stream));
    const auto nonzeros = static_cast<std::int64_t>(job.elements[1]);
    check_call(cusparseCreateCsr(&matrix_, job.extents[0], job.extents[1], nonzeros, job.buffers[0],
                                 job.buffers[1], job.buffers[2], CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    check_call(cusparseCreateDnVec(&x_, job.extents[1], job.buffers[3], CUDA_R_32F));
    check_call(cusparseCreateDnVec(&y_, job.extents[0], job.buffers[4], CUDA_R_32F));
    std::size_t bytes = 0;
    check_call(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_,
                                       &zero, y_, CUDA_R_32F, algorithm_, &bytes));
    vendors::check_call(cudaMalloc(&memory_, bytes > 0 ? bytes : 1));
    // As who multiplies more than once does it: not timed.
    check_call(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_,
                                       &zero, y_, CUDA_R_32F, algorithm_, memory_));
  }

  SparseRows(const SparseRows&) = delete;
  SparseRows& operator=(const SparseRows&) = delete;

  ~SparseRows() {
    cudaFree(memory_);
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnVec(x_);
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
  }

  void multiply() const {
    check_call(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_, &zero, y_,
                            CUDA_R_32F, algorithm_, memory_));
  }

private:
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMVAlg_t algorithm_;
  void* memory_ = nullptr;
};

Rival sparse(const Job& job, const char* name, cusparseSpMVAlg_t algorithm) {
  return {name, [rows = std::make_shared<SparseRows>(job, algorithm)] { rows->multiply(); }};
}

} // namespace

std::vector<Rival> library_rivals(const Job& job) {
  const std::string& kernel = job.kernel;
  if (kernel == "matmul" || kernel == "matmul_split" || kernel == "matmul_textbook")
    return {product(job, "cuBLAS FP32", CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC)};
  if (kernel == "matmul_tf32")
    return {product(job, "cuBLAS TF32", CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32)};
  if (kernel == "matmul_tensor")
    return {product(job, "cuBLAS FP16", CUDA_R_16F, CUBLAS_COMPUTE_32F)};
  if (kernel == "gemv")
    return {matrix_vector(job)};
  if (kernel == "transpose" || kernel == "transpose_steps")
    return {turned<float>(job, cublasSgeam, one, zero)};
  if (kernel == "transpose_steps_double")
    return {turned<double>(job, cublasDgeam, one_double, zero_double)};
  if (kernel == "spmv" || kernel == "spmv_skewed")
    return {sparse(job, "cuSPARSE default", CUSPARSE_SPMV_ALG_DEFAULT),
            sparse(job, "cuSPARSE 2", CUSPARSE_SPMV_CSR_ALG2)};
  return {};
}

} // namespace gridsmith::vendors
