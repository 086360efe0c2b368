// Kinetic energies of n particles. A particle has 16 numbers: place (3), force (3), velocity (3),
// spin (3), mass, charge, radius and age.
//
//   PLANAR  0: the numbers of a particle lie together, 1: a number of all particles lies together
//
// Both layouts of the same particles are there. Block 256, grid ceil(n / 256). Any n.
enum Field { velocity_x = 6, velocity_y, velocity_z, mass = 12 };

extern "C" __global__ void __launch_bounds__(256)
    kinetic_energy(const float* __restrict__ records, const float* __restrict__ planes,
                   float* __restrict__ energy, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  const auto of = [=](Field field) {
    return PLANAR ? planes[(size_t)field * n + i] : records[(size_t)i * 16 + field];
  };
  const float x = of(velocity_x), y = of(velocity_y), z = of(velocity_z);
  energy[i] = 0.5f * of(mass) * (x * x + y * y + z * z);
}
