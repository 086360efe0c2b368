// Values at the corners of a mesh: a corner knows its element, an element its node, a node its
// value.
//
//   BLOCK  threads of a block
//
// Block BLOCK, grid ceil(n / BLOCK). Any n.
extern "C" __global__ void __launch_bounds__(BLOCK)
    mesh_values(const int* __restrict__ element, const int* __restrict__ node,
                const float* __restrict__ value, float* __restrict__ out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n)
    out[i] = value[node[element[i]]];
}
