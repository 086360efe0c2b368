// SPDX-License-Identifier: Apache-2.0
// How a generated header chooses: predicted times, corrected by measured ones.
#include "gridsmith/results/header/runtime_pieces.hpp"

namespace gridsmith {

const char* const foretelling_text = R"tuned(
GRIDSMITH_TUNED_FN void limit_plain(std::int64_t (&grid)[3], std::int64_t left) {
  for (std::int64_t& blocks : grid) {
    blocks = lesser(blocks, greater(std::int64_t{1}, left));
    left /= blocks;
  }
}
// What configuration I launches; by plain integers where that is proven to be the same.
template <class F, int I, class P>
GRIDSMITH_TUNED_FN bool shape_of(Launch& shape, const P& p, const Device& d, [[maybe_unused]] bool plain) {
  if constexpr (F::plain)
    if (plain) {
      const bool runs_here = F::template plain_runs<I>(p, d, shape);
      return runs_here && grid_fits(shape, d);
    }
  const auto known = runs(F::configuration(I), p, d);
  shape = known.value;
  return known.has_value;
}
template <class F, class P>
GRIDSMITH_TUNED_FN bool is_plain([[maybe_unused]] const P& p, [[maybe_unused]] const Device& d) {
  if constexpr (F::plain) // and the product of a grid fits
    return F::is_plain(p, d) && d.max_grid_x <= largest_plain && d.max_grid_y <= 65535 && d.max_grid_z <= 65535;
  return false;
}
template <std::int64_t Tile>
GRIDSMITH_TUNED_FN double padded(std::int64_t extent) {
  return static_cast<double>(Tile == 1 ? extent : quotient_up(extent, Tile) * Tile);
}
// The time that the model predicts for configuration I, which launches this; `never` if it has none.
// With constants if the device is like the measured one.
template <class F, int I, bool usual, class P>
GRIDSMITH_TUNED_HOT double foretold_ms(const Launch& shape, const P& p, const Device& d, const std::int64_t (&e)[3],
                                       double bytes) {
  constexpr Occupied held = F::occupied(I);
  double extent[F::extents] = {padded<held.tile[0]>(e[0])};
  if constexpr (F::extents > 1)
    extent[1] = padded<held.tile[1]>(e[1]);
  if constexpr (F::extents > 2)
    extent[2] = padded<held.tile[2]>(e[2]);
  const auto x = shape.grid[0], y = shape.grid[1], z = shape.grid[2];
  double ms = 0;
  if constexpr (usual) {
    constexpr std::int64_t sm_count = F::device().sm_count;
    const auto product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(z);
    const auto blocks = greater(std::int64_t{1}, static_cast<std::int64_t>(product)); // may wrap where it does not run
    ms = sum_of_terms<F, I>(blocks, work(p, extent, d) / static_cast<double>(blocks), bytes, sm_count,
                            std::int64_t{held.resident_blocks});
  } else {
    const double blocks = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
    const double sm_count = static_cast<double>(d.sm_count > 0 ? d.sm_count : F::device().sm_count);
    ms = sum_of_terms<F, I>(blocks, work(p, extent, d) / blocks, bytes, sm_count, static_cast<double>(held.resident_blocks));
  }
  return ms > 0 ? ms : never;
}
template <class F, int I, bool usual, class P>
GRIDSMITH_TUNED_HOT bool foretell_one(double& ms, const P& p, const Device& d, const std::int64_t (&e)[3], double bytes,
                                      bool plain) {
  Launch shape;
  const bool runs_here = shape_of<F, I>(shape, p, d, usual || plain);
  ms = never;
  if constexpr (F::rule != Rule::nearest)
    if (usual || runs_here) {
      const double foretold = foretold_ms<F, I, usual>(shape, p, d, e, bytes);
      ms = runs_here ? foretold : never;
    }
  return runs_here;
}
template <class F, bool usual, class P, int... I>
GRIDSMITH_TUNED_FN void foretell(bool (&allowed)[F::configurations], double (&ms)[F::configurations], const P& p,
                                 const Device& d, const std::int64_t (&e)[3], bool plain,
                                 std::integer_sequence<int, I...>) {
  double extent[F::extents] = {};
  for (int axis = 0; axis < F::extents; ++axis)
    extent[axis] = static_cast<double>(e[axis]);
  const double bytes = least_bytes(p, extent, d);
  (static_cast<void>(allowed[I] = foretell_one<F, I, usual>(ms[I], p, d, e, bytes, plain)), ...);
}
)tuned";

const char* const correcting_text = R"tuned(
// Measured / predicted time per configuration, and the least and the greatest; 1: no error.
template <class F>
struct MissRows {
  struct Row {
    Lanes<F> ratio, known; // 1 where there is one
    float least, most;
  };
  Row all[F::configurations];

  static GRIDSMITH_TUNED_FN MissRows rows() {
    MissRows table = {};
    for (int c = 0; c < F::configurations; ++c) {
      Row& row = table.all[c];
      row.least = row.most = 1;
      for (int i = 0; i < F::problems; ++i) {
        const float ratio = row.ratio.of[i] = static_cast<float>(F::ratio(i, c));
        row.known.of[i] = ratio > 0 ? 1.0f : 0.0f;
        row.least = ratio > 0 ? lesser(row.least, ratio) : row.least;
        row.most = greater(row.most, ratio);
      }
      row.least *= 0.9999f; // a mean may be rounded
      row.most *= 1.0001f;
    }
    return table;
  }
};
// In four chains, which do not wait for each other.
template <class F>
GRIDSMITH_TUNED_FN float weighed(const float (&weight)[lanes<F>], const Lanes<F>& list) {
  float a = own_weight, b = 0, c = 0, d = 0;
  for (int i = 0; i < lanes<F>; i += 4) {
    a += weight[i] * list.of[i];
    b += weight[i + 1] * list.of[i + 1];
    c += weight[i + 2] * list.of[i + 2];
    d += weight[i + 3] * list.of[i + 3];
  }
  return (a + b) + (c + d);
}
// The mean of a configuration's errors at measured problems, near ones weighted most; the model's
// own prediction counts too. Shepard, A two-dimensional interpolation function for irregularly-spaced data (1968).
// Only for configurations that may still be within the tie of the least.
template <class F>
GRIDSMITH_TUNED_FN void correct(double (&ms)[F::configurations], const float (&of)[3]) {
  double most[F::configurations] = {};
  for (int c = 0; c < F::configurations; ++c)
    most[c] = ms[c] * static_cast<double>(GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].most);
  const double limit = least(most) * (1 + F::tie);
  Lanes<F> begun = GRIDSMITH_TUNED_ROWS(DoublingRows<F>).all[0]; // any numbers: zeros take longer
  float (&weight)[lanes<F>] = begun.of;
  for (int i = 0; i < lanes<F>; ++i) {
    const float away = doublings<F>(i, of);
    weight[i] = 1 / (away * away + near_squared);
  }
  for (int c = 0; c < F::configurations; ++c) {
    const bool near = ms[c] < never &&
                      ms[c] * static_cast<double>(GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].least) <= limit;
    ms[c] = near ? ms[c] * static_cast<double>(weighed<F>(weight, GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].ratio) /
                                               weighed<F>(weight, GRIDSMITH_TUNED_ROWS(MissRows<F>).all[c].known))
                 : never;
  }
}
// Per problem its configurations by their times there, then -1.
template <class F>
struct OrderRows {
  short all[F::problems][F::configurations];

  static GRIDSMITH_TUNED_FN OrderRows rows() {
    OrderRows table = {};
    for (int i = 0; i < F::problems; ++i) {
      int known = 0;
      for (int c = 0; c < F::configurations; ++c) {
        table.all[i][c] = -1;
        if (!(F::time_ms(c, i) > 0))
          continue;
        int place = known++;
        for (; place > 0 && F::time_ms(c, i) < F::time_ms(table.all[i][place - 1], i); --place)
          table.all[i][place] = table.all[i][place - 1];
        table.all[i][place] = static_cast<short>(c);
      }
    }
    return table;
  }
};
// Of those allowed the fastest at the nearest problem where one of them was measured, else the first.
template <class F>
GRIDSMITH_TUNED_FN int by_nearest(const float (&of)[3], const bool (&allowed)[F::configurations]) {
  Lanes<F> begun = GRIDSMITH_TUNED_ROWS(DoublingRows<F>).all[0];
  float (&away)[lanes<F>] = begun.of;
  for (int i = 0; i < lanes<F>; ++i)
    away[i] = doublings<F>(i, of);
  for (int tried = 0; tried < F::problems; ++tried) {
    const int near = first(away, least(away));
    for (int place = 0; place < F::configurations; ++place) {
      const int c = GRIDSMITH_TUNED_ROWS(OrderRows<F>).all[near][place];
      if (c < 0)
        break;
      if (allowed[c])
        return c;
    }
    away[near] = 0x1p40f;
  }
  return first(allowed, true);
}
// The configuration with the least time by the rule, or -1; its time is in ms, `never` without a prediction.
template <class F, class P>
GRIDSMITH_TUNED_FN int find_fastest(double (&ms)[F::configurations], const P& p, const Device& d,
                                    const std::int64_t (&e)[3], bool plain) {
  bool allowed[F::configurations] = {};
  float of[3] = {};
  find_logarithms<F>(of, e);
  constexpr auto all = std::make_integer_sequence<int, F::configurations>{};
  if (plain && d.sm_count == F::device().sm_count && F::device().sm_count > 0)
    foretell<F, true>(allowed, ms, p, d, e, plain, all);
  else
    foretell<F, false>(allowed, ms, p, d, e, plain, all);
  if constexpr (F::rule != Rule::nearest)
    if constexpr (!F::all_modelled) // no prediction without a model: the nearest problem decides
      if (const int near = by_nearest<F>(of, allowed); near >= 0 && !(ms[near] < never))
        return near;
  if constexpr (F::rule == Rule::corrected)
    correct<F>(ms, of);
  if constexpr (F::rule != Rule::nearest) {
    const double fastest = least(ms), limit = fastest * (1 + F::tie);
    int left = 0, best = -1;
    for (int c = F::configurations - 1; c >= 0; --c) {
      allowed[c] = allowed[c] & !(ms[c] > limit);
      left += allowed[c] ? 1 : 0;
      best = allowed[c] ? c : best;
    }
    if (left < 2)
      return best;
  }
  return by_nearest<F>(of, allowed);
}
)tuned";

const char* const choosing_text = R"tuned(
template <class F>
using ChoiceOn = Maybe<ChoiceOf<typename F::Configuration>>;

template <class F, class P, int... I>
GRIDSMITH_TUNED_FN bool run_shipped(Launch& shape, int i, const P& p, const Device& d, bool plain,
                                    std::integer_sequence<int, I...>) {
  bool runs_here = false;
  (static_cast<void>(i == I && (runs_here = shape_of<F, I>(shape, p, d, plain), true)), ...);
  return runs_here;
}
// Configuration i, where it runs.
template <class F, class P>
GRIDSMITH_TUNED_FN void take(ChoiceOn<F>& choice, int i, const P& p, const Device& d, bool plain) {
  choice.has_value =
      run_shipped<F>(choice.value.launch, i, p, d, plain, std::make_integer_sequence<int, F::all>{});
  if (!choice.has_value)
    return;
  choice.value.configuration = F::configuration(i);
  choice.value.index = i;
}
// At a problem that was measured on this kind of device.
template <class F, class P>
GRIDSMITH_TUNED_FN void take_measured(ChoiceOn<F>& choice, int problem, const P& p, const Device& d, bool plain) {
  const Measured there = F::measured(problem);
  if constexpr (F::defined) {
    take<F>(choice, there.best, p, d, plain);
  } else {
    choice.value.configuration = F::configuration(there.best);
    choice.value.launch = F::launch(problem);
    choice.value.index = there.best;
    choice.has_value = fits(choice.value.launch, d);
  }
  choice.value.match = Match::measured_problem;
  choice.value.expected_loss = there.loss;
  choice.value.expected_ms = there.time_ms;
}
template <class F, class P>
GRIDSMITH_TUNED_FN void take_foretold(ChoiceOn<F>& choice, const P& p, const Device& d, const std::int64_t (&e)[3],
                                      bool same, bool plain) {
  double ms[F::configurations] = {};
  const int best = find_fastest<F>(ms, p, d, e, plain);
  if (best < 0)
    return;
  take<F>(choice, best, p, d, plain);
  const bool within = same && within_range<F>(e);
  choice.value.match = within ? Match::within_range
                       : same ? Match::outside_range
                       : d.compute_capability == F::device().compute_capability ? Match::same_capability
                                                                                : Match::other_device;
  if (within && F::usual_loss >= 0)
    choice.value.expected_loss = F::usual_loss;
  if (same && ms[best] < never)
    choice.value.expected_ms = ms[best];
}
// By the device number `index`, which is of the same class or not.
template <class F, class P>
GRIDSMITH_TUNED_FN bool choose_on(ChoiceOn<F>& choice, int index, const P& p, const Device& d,
                                  const std::int64_t (&e)[3], bool same) {
  const bool plain = is_plain<F>(p, d);
  const int known = same ? find_problem<F>(e) : -1;
  if (known >= 0) {
    take_measured<F>(choice, known, p, d, plain);
    if (!choice)
      choice = {};
  }
  if constexpr (F::defined)
    if (!choice)
      take_foretold<F>(choice, p, d, e, same, plain);
  choice.value.device = index;
  return choice.has_value;
}
// Its default.
template <class F, class P>
GRIDSMITH_TUNED_FN void fall_back(ChoiceOn<F>& choice, const P& p, const Device& d) {
  take<F>(choice, F::fallback, p, d, is_plain<F>(p, d));
}
// The nearest device that has something valid, else the default of the nearest.
template <class Of, class P, class... F, int... I>
GRIDSMITH_TUNED_FN void choose_in_turn(Maybe<ChoiceOf<Of>>& choice, const P& p, const Device& d,
                                       const std::int64_t (&e)[3], Devices<F...>, std::integer_sequence<int, I...>) {
  if ((... || (same_class(d, F::device()) && choose_on<F>(choice, I, p, d, e, true))))
    return;
  for (int measured = 1; measured >= 0 && !choice; --measured) {
    double unlike[sizeof...(F)] = {unlikeness(d, F::device())...};
    for (int tried = 0; tried < static_cast<int>(sizeof...(F)) && !choice; ++tried) {
      const int next = first(unlike, least(unlike));
      unlike[next] = never;
      (static_cast<void>(next == I && (measured ? static_cast<void>(choose_on<F>(choice, I, p, d, e, same_class(d, F::device())))
                                                : fall_back<F>(choice, p, d), true)), ...);
      choice.value.device = next;
    }
  }
}
template <class Of, class P, class... F>
GRIDSMITH_TUNED_FN Maybe<ChoiceOf<Of>> choose_among(const P& p, const Device& d, Devices<F...> all) {
  Maybe<ChoiceOf<Of>> choice;
  std::int64_t e[3] = {1, 1, 1};
  if (list(p, e))
    choose_in_turn<Of>(choice, p, d, e, all, std::make_integer_sequence<int, sizeof...(F)>{});
  return choice;
}

template <class F, int I>
struct Constant {
  static constexpr typename F::Configuration configuration = F::configuration(I);
};
template <class F, class Choice, class Function, int... I>
constexpr bool call_configuration(const Choice& choice, Function& f, std::integer_sequence<int, I...>) {
  return (... || (choice.index == I && (static_cast<void>(f(Constant<F, I>{}, choice)), true)));
}
template <class Choice, class Function, class... F, int... I>
constexpr bool call_device(const Choice& choice, Function& f, Devices<F...>, std::integer_sequence<int, I...>) {
  return (... || (choice.device == I &&
                  call_configuration<F>(choice, f, std::make_integer_sequence<int, F::all>{})));
}
template <class Choice, class Function, class... F>
constexpr bool call_chosen(const Choice& choice, Function& f, Devices<F...> all) {
  return call_device(choice, f, all, std::make_integer_sequence<int, sizeof...(F)>{});
}
struct Recorded;
struct Unrecorded;
)tuned";

} // namespace gridsmith
