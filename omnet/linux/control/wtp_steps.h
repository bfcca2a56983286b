// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
// WTP's window in fixed point, the arithmetic of omnet/laws/window/wtp.h. Numbers are in units of
// 2^-20. The code is plain C, for BPF and for tests.
//
// Below one packet, WTP changes ln cwnd. Here e^x is (1 + x / 64)^64, and ln x is 2 (x - 1) / (x +
// 1).
#ifndef ECNOMY_LINUX_CONTROL_WTP_STEPS_H_
#define ECNOMY_LINUX_CONTROL_WTP_STEPS_H_

#include "settings.h"

#define ONE (1ULL << ECNOMY_FRACTION_BITS)
#define MOST_WINDOW (1ULL << 34)  // 16384 packets
#define MOST_RISE (1ULL << 36)    // 65536 marks
#define MOST_AT_ONCE 1024         // the most packets or marks of one ACK
#define REPAID 64                 // 1/64 of the excess is repaid per round trip
#define NO_TRIPS (~0ULL)          // something other than the pace limited the flow

typedef unsigned long long whole;

struct wtp_window {
  whole window;     // packets
  long long ahead;  // increases minus w_inc for each round trip, in marks
  unsigned int slow_start;
};

static inline whole least(whole a, whole b) { return a < b ? a : b; }
static inline whole most(whole a, whole b) { return a > b ? a : b; }

// a / b for a signed a: BPF divides unsigned numbers only.
static inline long long divided(long long a, whole b) {
  return a < 0 ? -(long long)((whole)-a / b) : (long long)((whole)a / b);
}

// Returns an increase minus the part of `ahead` that is repaid in `trips` round trips.
static inline whole wtp_balanced(struct wtp_window* law, whole rise, whole trips, whole w_inc) {
  const whole due = w_inc * least(trips, 4 * ONE) >> ECNOMY_FRACTION_BITS;
  const long long bound = (long long)(w_inc * (REPAID / 2));
  const long long before = law->ahead;
  long long ahead = before + (long long)rise - (long long)due;
  ahead = divided(ahead * (long long)ONE, ONE + least(trips, 4 * ONE) / REPAID);
  if (ahead > bound) ahead = bound;
  if (ahead < -bound) ahead = -bound;
  law->ahead = ahead;
  const long long left = ahead - before + (long long)due;
  return left > 0 ? (whole)left : 0;
}

// e^x for 0 <= x <= 8.
static inline whole exponential(whole x) {
  whole power = ONE + least(x, 8 * ONE) / 64;
  for (int i = 0; i < 6; ++i) power = power * power >> ECNOMY_FRACTION_BITS;
  return power;
}

// Returns the window after a step of `rise` - `fall`, on a scale that is 1 + ln cwnd below one packet.
static inline whole wtp_moved(whole window, whole rise, whole fall) {
  if (window >= ONE) {
    const whole up = window + rise;
    return up >= ONE + fall ? up - fall : ONE * ONE / exponential(ONE + fall - up);
  }
  if (fall >= rise) return window * ONE / exponential(fall - rise);
  const whole up = window * exponential(rise - fall) >> ECNOMY_FRACTION_BITS;
  return up <= ONE ? up : ONE + 2 * ONE * (up - ONE) / (up + ONE);
}

// Applies an ACK of packets that may increase the window, and its marks. For a paced flow, `trips` is the number of
// round trips since the last ACK.
static inline void wtp_ack(struct wtp_window* law, const struct ecnomy_settings* want,
                           whole packets, whole marks, whole trips) {
  packets = least(packets, MOST_AT_ONCE);
  if (law->slow_start && marks == 0) {
    law->window += packets << ECNOMY_FRACTION_BITS;
  } else {
    law->slow_start = 0;
    whole rise = (packets * want->w_inc << ECNOMY_FRACTION_BITS) / most(law->window, 1);
    rise = least(rise, MOST_RISE);
    if (trips != NO_TRIPS) rise = wtp_balanced(law, rise, trips, want->w_inc);
    const whole fall = least(marks, MOST_AT_ONCE) * want->per_mark;
    law->window = wtp_moved(law->window, want->gain * rise >> ECNOMY_FRACTION_BITS,
                            want->gain * fall >> ECNOMY_FRACTION_BITS);
  }
  law->window = least(most(law->window, want->least_window), MOST_WINDOW);
}

#endif  // ECNOMY_LINUX_CONTROL_WTP_STEPS_H_
