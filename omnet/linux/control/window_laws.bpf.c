// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
// WTP and MulTCP as congestion controls of the kernel (BPF struct_ops): omnet/laws/window/wtp.h and multcp.h in fixed
// point. User space can set the weight of each socket at any time (settings.h).
//
// WTP needs each mark. Its receiver echoes like DCTCP (RFC 8257 section 3.2): ECE is set exactly
// while arriving packets carry CE. With an ACK per packet, the kernel's delivered_ce is exact.
//
// The kernel sends at least one packet per round trip unless it is paced. A window below one packet has an effect only
// on the pace.
#include <linux/bpf.h>
// The helpers need the types above.
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel_types.h"
#include "settings.h"
#include "wtp_steps.h"

char _license[] SEC("license") = "GPL";

struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct ecnomy_settings);
} settings SEC(".maps");

// State of a socket, in icsk_ca_priv: at most 104 bytes.
struct law_state {
  struct wtp_window wtp;
  __u64 last_us;
  __u32 delivered, delivered_ce;
  __u32 state;
};

static inline struct law_state* state_of(struct sock* sk) {
  return (struct law_state*)((struct inet_connection_sock*)sk)->icsk_ca_priv;
}

static inline void begin(struct sock* sk, const struct ecnomy_settings* want) {
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  struct law_state* law = state_of(sk);
  law->wtp.window = want ? want->first_window : (__u64)tp->snd_cwnd << ECNOMY_FRACTION_BITS;
  law->wtp.ahead = 0;
  law->last_us = tp->tcp_mstamp;
  law->delivered = tp->delivered;
  law->delivered_ce = tp->delivered_ce;
  law->state = 0;
  law->wtp.slow_start = want ? want->slow_start : 0;
}

// ---- WTP

static inline void apply_window(struct sock* sk, const struct ecnomy_settings* want) {
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  struct law_state* law = state_of(sk);
  // The pace limits a paced flow, so up to twice the window may be under way (segment_sender_out.h).
  const __u64 wide = want->paced ? 2 * law->wtp.window + 2 * ONE - 1 : law->wtp.window;
  tp->snd_cwnd = (__u32)most(wide >> ECNOMY_FRACTION_BITS, 1);
  __u64 rate = sk->sk_max_pacing_rate;
  const __u64 srtt_us = tp->srtt_us >> 3;
  if (want->paced && srtt_us > 0) {
    const __u64 own = ((law->wtp.window >> 6) * tp->mss_cache * 1000000 / srtt_us) >> 14;
    rate = least(rate, most(own, 1));
  }
  sk->sk_pacing_rate = rate;
}

SEC("struct_ops/wtp_init")
void BPF_PROG(wtp_init, struct sock* sk) {
  const struct ecnomy_settings* want = bpf_sk_storage_get(&settings, sk, 0, 0);
  begin(sk, want);
  if (want) apply_window(sk, want);
}

SEC("struct_ops/wtp_control")
void BPF_PROG(wtp_control, struct sock* sk) {
  struct ecnomy_settings* want = bpf_sk_storage_get(&settings, sk, 0, 0);
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  struct law_state* law = state_of(sk);
  if (!want) return;
  const __u32 packets = tp->delivered - law->delivered;
  const __u32 marks = tp->delivered_ce - law->delivered_ce;
  const __u64 since_us = tp->tcp_mstamp - law->last_us;
  law->delivered = tp->delivered;
  law->delivered_ce = tp->delivered_ce;
  law->last_us = tp->tcp_mstamp;
  if (packets == 0 && marks == 0) return;
  const int recovers = law->state >= TCP_CA_RECOVERY;
  // The window does not grow while at most half of it is used (growth() in segment_sender_in.h).
  const __u64 flight = (__u64)(tp->packets_out + packets) << ECNOMY_FRACTION_BITS;
  const int unused = law->wtp.window > ONE && 2 * flight <= law->wtp.window;
  const __u64 grown = recovers || unused ? 0 : packets;
  const __u64 srtt_us = tp->srtt_us >> 3;
  const int capped = sk->sk_pacing_rate >= sk->sk_max_pacing_rate;
  __u64 trips = NO_TRIPS;
  if (want->paced && grown > 0 && !capped && srtt_us > 0) {
    trips = (least(since_us, 1000000) << ECNOMY_FRACTION_BITS) / srtt_us;
  }
  wtp_ack(&law->wtp, want, grown, marks, trips);
  apply_window(sk, want);
  want->window = law->wtp.window;
}

// A loss halves the used window, and a timeout leaves at most one packet.
SEC("struct_ops/wtp_state")
void BPF_PROG(wtp_state, struct sock* sk, __u8 new_state) {
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  struct law_state* law = state_of(sk);
  const __u32 before = law->state;
  law->state = new_state;
  if (new_state == TCP_CA_RECOVERY && before < TCP_CA_RECOVERY) {
    law->wtp.window = least(law->wtp.window, (__u64)tp->packets_out << ECNOMY_FRACTION_BITS) / 2;
    law->wtp.slow_start = 0;
  } else if (new_state == TCP_CA_LOSS) {
    law->wtp.window = least(law->wtp.window, ONE);
    law->wtp.slow_start = 0;
  }
}

SEC("struct_ops/wtp_event")
void BPF_PROG(wtp_event, struct sock* sk, enum tcp_ca_event event) {
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  if (event == ECN_IS_CE) tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
  if (event == ECN_NO_CE) tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

SEC("struct_ops/wtp_ssthresh")
__u32 BPF_PROG(wtp_ssthresh, struct sock* sk) { return ((struct tcp_sock*)sk)->snd_ssthresh; }

SEC("struct_ops/wtp_undo")
__u32 BPF_PROG(wtp_undo, struct sock* sk) { return ((struct tcp_sock*)sk)->snd_cwnd; }

SEC(".struct_ops")
struct tcp_congestion_ops wtp = {
    .init = (void*)wtp_init,
    .cong_control = (void*)wtp_control,
    .set_state = (void*)wtp_state,
    .cwnd_event = (void*)wtp_event,
    .ssthresh = (void*)wtp_ssthresh,
    .undo_cwnd = (void*)wtp_undo,
    .flags = TCP_CONG_NON_RESTRICTED | TCP_CONG_NEEDS_ECN,
    .name = ECNOMY_WTP_NAME,
};

// ---- MulTCP

// The window including its fraction, which the kernel does not store. Once the kernel has changed the window, the
// fraction is dropped.
static inline __u64 whole_window(struct sock* sk) {
  const __u64 window = ((struct tcp_sock*)sk)->snd_cwnd;
  const __u64 own = state_of(sk)->wtp.window;
  return own >> ECNOMY_FRACTION_BITS == window ? own : window << ECNOMY_FRACTION_BITS;
}

static inline __u64 multcp_reduced(__u64 window, const struct ecnomy_settings* want, __u64 floor) {
  const __u64 cut = want->halve ? ONE / 2 : ONE * ONE / 2 / most(want->w_inc, ONE);
  return most((window >> 4) * (ONE - cut) >> (ECNOMY_FRACTION_BITS - 4), floor);
}

SEC("struct_ops/multcp_init")
void BPF_PROG(multcp_init, struct sock* sk) { begin(sk, bpf_sk_storage_get(&settings, sk, 0, 0)); }

// Replaces the kernel's proportional rate reduction (RFC 6937), which spreads a reduction over a round trip.
// multcp_state reduces at once, as in the simulator, and the window grows again in the next round trip. While losses
// are repaired, each packet that arrives allows one to leave, so a repair ends even if retransmissions are lost.
SEC("struct_ops/multcp_control")
void BPF_PROG(multcp_control, struct sock* sk) {
  struct ecnomy_settings* want = bpf_sk_storage_get(&settings, sk, 0, 0);
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  struct law_state* law = state_of(sk);
  __u32 acked = tp->delivered - law->delivered;
  law->delivered = tp->delivered;
  if (!want || acked == 0 || law->state == TCP_CA_CWR) return;
  if (law->state == TCP_CA_RECOVERY) {
    const __u32 under_way = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
    const __u64 most_now = least(under_way + acked, law->wtp.window >> ECNOMY_FRACTION_BITS);
    tp->snd_cwnd = (__u32)most(most_now, 1);
    return;
  }
  const __u32 window = tp->snd_cwnd;
  law->wtp.window = whole_window(sk);
  if (2 * (tp->packets_out + acked) <= window) return;
  if (window < tp->snd_ssthresh) {
    const __u32 begun = (__u32)least(acked, tp->snd_ssthresh - window);
    law->wtp.window += (__u64)begun << ECNOMY_FRACTION_BITS;
    acked -= begun;
  }
  law->wtp.window += (__u64)acked * want->w_inc / most(window, 1);
  law->wtp.window = least(law->wtp.window, MOST_WINDOW);
  tp->snd_cwnd = (__u32)most(law->wtp.window >> ECNOMY_FRACTION_BITS, 1);
  want->window = law->wtp.window;
}

SEC("struct_ops/multcp_state")
void BPF_PROG(multcp_state, struct sock* sk, __u8 new_state) {
  struct tcp_sock* tp = (struct tcp_sock*)sk;
  struct law_state* law = state_of(sk);
  const struct ecnomy_settings* want = bpf_sk_storage_get(&settings, sk, 0, 0);
  const int reduces = new_state == TCP_CA_CWR || new_state == TCP_CA_RECOVERY;
  if (want && law->state < TCP_CA_CWR && reduces) {
    // An echo leaves at least one packet, and a loss at least the minimum ssthresh (multcp.h).
    const __u64 floor = new_state == TCP_CA_CWR ? ONE : want->least_ssthresh;
    law->wtp.window = multcp_reduced(whole_window(sk), want, floor);
  }
  const int reduced = law->state == TCP_CA_CWR || law->state == TCP_CA_RECOVERY;
  if (reduces || (reduced && new_state < TCP_CA_CWR)) {
    tp->snd_cwnd = (__u32)most(law->wtp.window >> ECNOMY_FRACTION_BITS, 1);
  }
  law->state = new_state;
}

SEC("struct_ops/multcp_ssthresh")
__u32 BPF_PROG(multcp_ssthresh, struct sock* sk) {
  struct ecnomy_settings* want = bpf_sk_storage_get(&settings, sk, 0, 0);
  if (!want) return (__u32)most(((struct tcp_sock*)sk)->snd_cwnd / 2, 2);
  const __u64 reduced = multcp_reduced(whole_window(sk), want, want->least_ssthresh);
  return (__u32)(reduced >> ECNOMY_FRACTION_BITS);
}

SEC("struct_ops/multcp_undo")
__u32 BPF_PROG(multcp_undo, struct sock* sk) { return ((struct tcp_sock*)sk)->snd_cwnd; }

SEC(".struct_ops")
struct tcp_congestion_ops multcp = {
    .init = (void*)multcp_init,
    .cong_control = (void*)multcp_control,
    .set_state = (void*)multcp_state,
    .ssthresh = (void*)multcp_ssthresh,
    .undo_cwnd = (void*)multcp_undo,
    .flags = TCP_CONG_NON_RESTRICTED,
    .name = ECNOMY_MULTCP_NAME,
};
