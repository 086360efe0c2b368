// SPDX-License-Identifier: Apache-2.0
// A store's SQLite file: looked at as 'export' does, then opened for writing as 'tune' does, which
// also brings older versions up to date.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::stores {

namespace {

void read_all(const Store& store) {
  for (const Scope& scope : store.scopes()) {
    answered([&] { store.history(scope.id); });
    answered([&] { store.answers(scope.id); });
    answered([&] { store.nearest(scope.key, scope.device); });
    answered([&] { store.kept_peaks(scope.device); });
    answered([&] { export_of(store, scope.id); });
  }
}

void write_some(Store& store) {
  const ScopeKey key = {"k", "s", "d", "GPU", "u", "1", "13.0", "64", "cold", "default"};
  const ScopeId scope = store.declare(key, Device{});
  Measurement measurement;
  measurement.configuration = {{"X", std::int64_t{1}}};
  store.add(scope, measurement);
  store.find(scope, measurement.configuration);
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  const auto file = file_with(text_of(bytes, count), "store.db");
  for (const char* beside : {"store.db-wal", "store.db-shm", "store.db-journal"})
    std::filesystem::remove(folder() / beside);
  answered([&] { read_all(Store::open(file, Store::Mode::read_only)); });
  answered([&] {
    Store store = Store::open(file, Store::Mode::read_write);
    write_some(store);
    read_all(store);
  });
}

} // namespace gridsmith::fuzz::stores
