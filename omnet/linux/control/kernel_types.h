// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
// The parts of the kernel's TCP that the congestion controls use. The loader looks up their offsets in the running
// kernel's type information (CO-RE).
#ifndef ECNOMY_LINUX_CONTROL_KERNEL_TYPES_H_
#define ECNOMY_LINUX_CONTROL_KERNEL_TYPES_H_

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
  __u32 sk_pacing_status;
  unsigned long sk_pacing_rate;
  unsigned long sk_max_pacing_rate;
};

struct inet_sock {
  struct sock sk;
};

struct inet_connection_sock {
  struct inet_sock icsk_inet;
  __u64 icsk_ca_priv[13];
};

struct tcp_sock {
  struct inet_connection_sock inet_conn;
  __u32 mss_cache;
  __u32 snd_cwnd;
  __u32 snd_ssthresh;
  __u8 ecn_flags;
  __u64 tcp_mstamp;
  __u32 srtt_us;
  __u32 packets_out;
  __u32 sacked_out;
  __u32 lost_out;
  __u32 retrans_out;
  __u32 delivered;
  __u32 delivered_ce;
};

struct ack_sample;
struct rate_sample;

enum tcp_ca_event { CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR };

#pragma clang attribute pop

struct tcp_congestion_ops {
  __u32 (*ssthresh)(struct sock* sk);
  void (*cong_avoid)(struct sock* sk, __u32 ack, __u32 acked);
  void (*set_state)(struct sock* sk, __u8 new_state);
  void (*cwnd_event)(struct sock* sk, enum tcp_ca_event event);
  void (*cong_control)(struct sock* sk, __u32 ack, int flag, const struct rate_sample* rates);
  __u32 (*undo_cwnd)(struct sock* sk);
  char name[16];
  __u32 flags;
  void (*init)(struct sock* sk);
};

// Constants of the kernel (include/net/tcp.h, include/uapi/linux/tcp.h).
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_CONG_NEEDS_ECN 2
#define TCP_ECN_DEMAND_CWR 4
#define TCP_CA_CWR 2
#define TCP_CA_RECOVERY 3
#define TCP_CA_LOSS 4
#define ECN_NO_CE 4
#define ECN_IS_CE 5

#endif  // ECNOMY_LINUX_CONTROL_KERNEL_TYPES_H_
