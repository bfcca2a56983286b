// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
// The settings and the state that user space writes and reads for the congestion control of one socket. They are a
// value of the map `settings`, which both sides share. Numbers are in units of 2^-20.
#ifndef ECNOMY_LINUX_CONTROL_SETTINGS_H_
#define ECNOMY_LINUX_CONTROL_SETTINGS_H_

#define ECNOMY_FRACTION_BITS 20

// Placeholder names, which are replaced before the program is loaded, since names belong to the whole machine. Both
// have the maximum length of a name.
#define ECNOMY_WTP_NAME "@ecnomy-wtp-@@@"
#define ECNOMY_MULTCP_NAME "@ecnomy-mul-@@@"

struct ecnomy_settings {
  unsigned long long gain, w_inc;     // wtp; w_inc is also the number of flows of multcp
  unsigned long long per_mark;        // 1 / w_dec
  unsigned long long least_window;    // packets
  unsigned long long first_window;    // packets
  unsigned long long least_ssthresh;  // packets, multcp
  unsigned int paced, slow_start, halve;
  unsigned int unused;
  unsigned long long window;  // packets: the law's current window
};

#endif  // ECNOMY_LINUX_CONTROL_SETTINGS_H_
