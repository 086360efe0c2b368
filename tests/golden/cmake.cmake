# Tuned by Gridsmith. Use: cmake -C FILE …, then target_compile_definitions(target PRIVATE ${<kernel>_DEFINITIONS})

# transpose 8192x8192 on NVIDIA H200, 0.125 ms, 2026-11-21, cold L2 cache, counters: default
set(transpose_tile "32" CACHE STRING "Tuned for 8192x8192 on NVIDIA H200")
set(transpose_padded "true" CACHE BOOL "Tuned for 8192x8192 on NVIDIA H200")
set(transpose_scale "16.0" CACHE STRING "Tuned for 8192x8192 on NVIDIA H200")
set(transpose_mode "a,\"b\"" CACHE STRING "Tuned for 8192x8192 on NVIDIA H200")
set(transpose_DEFINITIONS "tile=32;padded=true;scale=16.0;mode=a,\"b\"" CACHE STRING "All of them, tuned for 8192x8192 on NVIDIA H200")
