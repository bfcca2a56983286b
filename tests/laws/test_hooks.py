# SPDX-License-Identifier: Apache-2.0
"""A law with a missing or misspelt hook, or with other traits, does not compile.

The hosts assert MarkingHooks, WindowHooks and TrafficHooks for each law. Here a law of each family
satisfies its concept, but with any single change of its text it does not.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from typing import Final

from compiling import included
from law_build import LAWS
from test_headers import compiles

MARKING: Final = """struct Law : MarkingLaw {
  static constexpr const char* kName = "toy";
  static constexpr About kAbout{"Marks nothing.", ""};
  static constexpr MarkingTraits kTraits{.departures = true, .clock = true, .drops = true};
  template <class U>
  Decision on_arrival(const QueueView&, const PacketView&, Time, U&&) noexcept { return {}; }
  template <class U>
  Decision on_departure(const QueueView&, const PacketView&, Time, U&&) noexcept { return {}; }
  bool watches_departures() const noexcept { return true; }
  Time first_timer() const noexcept { return 0; }
  Time on_timer(const QueueView&, Time) noexcept { return kNever; }
  void on_drop(const PacketView&, Time) noexcept {}
  double probability() const noexcept { return 0; }
  void configure(const double*) {}
};"""
MARKING_CHANGES: Final = (
    ("struct Law : MarkingLaw {", "struct Law {"),
    ("About kAbout", "About kOther"),
    ("on_arrival", "on_arival"),
    ("on_departure", "on_departures"),
    ("watches_departures", "watches_departure"),
    ("first_timer", "first_time"),
    ("on_timer", "on_time"),
    ("on_drop", "on_drops"),
    ("double probability", "double chance"),
    ("void configure", "void reconfigure"),
    (".departures = true, ", ""),
    (".clock = true, ", ""),
    (", .drops = true", ""),
    ("double probability", "float probability"),
)
WINDOW: Final = """struct Law {
  static constexpr const char* kName = "toy";
  static constexpr About kAbout{"Never changes its window.", ""};
  static constexpr WindowTraits kTraits{.recovery = Recovery::first_ack, .begins = true,
      .hears_rtt = true, .noisy = true, .weighs = true, .aims = true, .paced = true, .gain = true,
      .sees = true, .tracks = true};
  static constexpr std::array<Parameter, 0> kParameters{};
  void on_ack(Window&, const Ack&) noexcept {}
  void on_congestion(Window&, double) noexcept {}
  void on_loss(Window&, double) noexcept {}
  void on_timeout(Window&, double) noexcept {}
  double weight() const noexcept { return 1; }
  void set_weight(double) noexcept {}
  void begin(Window&) noexcept {}
  void on_rtt(Window&, Time) noexcept {}
  bool noisy() const noexcept { return true; }
  void disturb(double) noexcept {}
  void weigh(double) noexcept {}
  void aim(double) noexcept {}
  double send_rate() const noexcept { return 1; }
  double gain() const noexcept { return 1; }
  void set_gain(double) noexcept {}
  void see(const Path&) noexcept {}
  void on_sent(const Path&, std::int64_t) noexcept {}
  void on_delivered(std::int64_t, std::int64_t) noexcept {}
  void on_lost(std::int64_t, bool) noexcept {}
};"""
WINDOW_TRAITS: Final = (
    "begins hears_rtt noisy weighs aims paced gain sees tracks".split()  # the optional hooks
)
WINDOW_CHANGES: Final = (
    ("About kAbout", "About kOther"),
    *((f" {hook}(", f" {hook}s(") for hook in "on_ack on_congestion on_loss on_timeout".split()),
    *((f" {hook}(", f" {hook}s(") for hook in "weight set_weight begin on_rtt noisy".split()),
    *((f" {hook}(", f" {hook}s(") for hook in "disturb weigh aim send_rate gain".split()),
    *((f" {hook}(", f" {hook}s(") for hook in "set_gain see on_sent on_delivered on_lost".split()),
    *((f".{trait} = true", f".{trait} = false") for trait in WINDOW_TRAITS),
    ("Ack&) noexcept", "Ack&)"),
)

TRAFFIC: Final = """struct Law {
  static constexpr const char* kName = "toy";
  static constexpr About kAbout{"A packet each second.", ""};
  static constexpr TrafficTraits kTraits{
      .datagrams = true, .timed_packets = true, .own_sizes = true};
  static constexpr std::array<Parameter, 0> kParameters{};
  template <class U>
  Time first(U&&) noexcept { return 0; }
  template <class U>
  Time gap(U&&) noexcept { return 1; }
  std::int32_t payload_bytes() const noexcept { return 1; }
};"""
TRAFFIC_CHANGES: Final = (
    ("About kAbout", "About kOther"),
    ("Time first", "Time begin"),
    ("Time gap", "Time gaps"),
    ("payload_bytes", "payload_size"),
    (".datagrams = true, ", ""),
    (", .own_sizes = true", ""),
    (".timed_packets = true, ", ""),
    ("std::int32_t payload", "double payload"),
    ("Time gap(U&&) noexcept", "Time gap(U&&)"),
)


def variants(concept: str, law: str, changes: tuple[tuple[str, str], ...]) -> str:
    """The law and its changed copies in namespaces, with assertions on the concept."""
    complete = f"{concept}_complete"
    lines = [f"namespace {complete} {{ {law} }}\nstatic_assert({concept}<{complete}::Law>);\n"]
    for number, (old, new) in enumerate(changes):
        assert old in law, old
        name = f"{concept}_{number}"
        reason = f"{old} -> {new}".replace('"', "'")
        lines.append(f"namespace {name} {{ {law.replace(old, new)} }}\n")
        lines.append(f'static_assert(!{concept}<{name}::Law>, "{reason}");\n')
    return "".join(lines)


def test_a_misspelt_hook_does_not_compile() -> None:
    """Each change of one hook, one trait or one type breaks the concept that the hosts assert."""
    headers = [LAWS / family / f"{family}.h" for family in FAMILIES]
    source = "".join(f'#include "{header}"\n' for header in headers)
    source += "namespace ecnomy {\n"
    source += variants("MarkingHooks", MARKING, MARKING_CHANGES)
    source += variants("WindowHooks", WINDOW, WINDOW_CHANGES)
    source += variants("TrafficHooks", TRAFFIC, TRAFFIC_CHANGES)
    source += "}  // namespace ecnomy\n"
    compiles(source, sorted({path for header in headers for path in included(header, (LAWS,))}))


FAMILIES: Final = ("marking", "window", "traffic")
DESCRIBED: Final = """struct Law {
  static constexpr const char* kName = "toy";
  static constexpr About kAbout{"Toy.", ""};
  static constexpr Parameter kParameters[] = {
      {"low_s", "s", 1, 0, 9, "", "Low."},
      {"scope", "choice", 0, 0, 1, "near,far", "Scope."},
      {"high_s", "s", 1, 0, 9, "", "High."}};
  static constexpr AtLeast kOrder[] = {{"high_s", "low_s"}};
  static constexpr DefaultWhere kDefaultsWhere[] = {{"low_s", "scope", "far", 2}};
};"""
FITS: Final = " && ".join(
    (
        "without_name<Law>() == kFits && without_sentence<Law>() == kFits",
        "with_wrong_unit<Law>() == kFits && with_used_key<Law>() == kFits",
        "with_wrong_range<Law>() == kFits && with_wrong_default<Law>() == kFits",
        "with_wrong_order<Law>() == kFits && with_wrong_default_where<Law>() == kFits",
        'is_expression<Law>("2 * low_s + (scope == far) - high_s*(1-low_s)")',
        'are_parameters<Law>("low_s,scope") && is_name("wtp-sender", \'-\')',
    )
)
ORDER: Final = '{{"high_s", "low_s"}}'
WHERE: Final = '{{"low_s", "scope", "far", 2}}'
MISFITS: Final = (
    ('"High."', '"High"', "without_sentence<Law>() == 2"),
    ('"High."', '" . ."', "without_sentence<Law>() == 2"),
    ('"Scope."', "nullptr", "without_sentence<Law>() == 1"),
    ('"low_s", "s"', '"Low_s", "s"', "without_name<Law>() == 0"),
    ('"low_s", "s"', '"low s", "s"', "without_name<Law>() == 0"),
    ('"high_s", "s"', '"low", ""', "with_used_key<Law>() == 2"),
    ('"high_s", "s"', '"high_s", "bytes"', "with_wrong_unit<Law>() == 2"),
    ('"low_s", "s"', '"low_bps", "packets"', "with_wrong_unit<Law>() == 0"),
    ('"high_s", "s"', '"high_ms", "s"', "with_wrong_unit<Law>() == 2"),
    ('"high_s", "s"', '"high", "packet"', "with_wrong_unit<Law>() == 2"),
    ('"high_s", "s"', '"high", "unit"', "with_wrong_unit<Law>() == 2"),
    ('"high_s", "s", 1, 0, 9', '"high_s", "s", 1, 9, 0', "with_wrong_range<Law>() == 2"),
    ('"near,far"', '"near,far,off"', "with_wrong_range<Law>() == 1"),
    ('"near,far"', '"near, far"', "with_wrong_range<Law>() == 1"),
    ('"near,far"', '"far,far"', "with_wrong_range<Law>() == 1"),
    ('"choice", 0, 0, 1, "near,far"', '"flag", 0, 0, 2, ""', "with_wrong_range<Law>() == 1"),
    ('"s", 1, 0, 9, "", "High."', '"s", 9.5, 0, 9, "", "High."', "with_wrong_default<Law>() == 2"),
    ('"choice", 0, 0, 1', '"choice", 2, 0, 1', "with_wrong_default<Law>() == 1"),
    ('"choice", 0, 0, 1', '"choice", 0.5, 0, 1', "with_wrong_default<Law>() == 1"),
    ('"high_s", "s", 1,', '"high_bytes", "bytes", 1.5,', "with_wrong_default<Law>() == 2"),
    *(
        (ORDER, rows, f"with_wrong_order<Law>() == {row}")
        for rows, row in (
            ('{{"high_s", "low"}}', 0),
            ('{{"high_s", "high_s"}}', 0),
            ('{{"scope", "low_s"}}', 0),
            ('{{"high_s", "low_s"}, {"high_s", "low_s"}}', 1),
            ('{{"high_s", "low_s"}, {"low_s", "high_s"}}', 1),
        )
    ),
    ('"high_s", "s", 1,', '"high_s", "s", 0.5,', "with_wrong_order<Law>() == 0"),
    *(
        (WHERE, rows, f"with_wrong_default_where<Law>() == {row}")
        for rows, row in (
            ('{{"low_s", "scope", "fa", 2}}', 0),
            ('{{"low_s", "scop", "far", 2}}', 0),
            ('{{"scope", "scope", "far", 1}}', 0),
            ('{{"low_s", "scope", "far", 10}}', 0),
            ('{{"low_s", "scope", "far", 2}, {"low_s", "scope", "far", 3}}', 1),
        )
    ),
    *(
        ("Toy.", "Toy.", f'!is_expression<Law>("{text}")')
        for text in (
            *("", "low", "low_s / 2", "low_s)", "(low_s", "2 low_s", "low_s +", "- low_s"),
            *("scope == fa", "low_s = 1", "== far", "scope ==", "(scope) == far"),
        )
    ),
    ("Toy.", "Toy.", '!are_parameters<Law>("low_s,low")'),
    ("Toy.", "Toy.", "!is_name(\"My Law_9\", '-') && !is_name(\"red-\", '-')"),
)


def test_the_texts_of_a_law_are_checked_by_the_compiler() -> None:
    """The compiler checks sentences, keys, units, defaults, and names in an order or expression."""
    header = LAWS / "parameter_checks.h"
    rows = [("Toy.", "Toy.", FITS), *MISFITS]
    source = f'#include "{header}"\nnamespace ecnomy {{\n'
    for number, (old, new, fact) in enumerate(rows):
        assert old in DESCRIBED, old
        law = DESCRIBED.replace(old, new, 1)
        source += f"namespace texts_{number} {{ {law}\nstatic_assert({fact}); }}\n"
    compiles(source + "}\n", [header, *included(header, (LAWS,))])


HOOKS: Final = frozenset(
    name
    for family in FAMILIES
    for name in re.findall(r"\b(\w+)\(", (LAWS / family / f"{family}.h").read_text())
)
TABLE: Final = r"static constexpr (?:About|AtLeast|DefaultWhere|Parameter|\w+Traits) (k\w+)"
DESCRIPTION: Final = frozenset("kName kAbout kTraits kParameters kOrder kDefaultsWhere".split())


def misspelt(law: str) -> set[str]:
    """Return names in a law's text that look like a hook or a description but are neither.

    The compiler takes them as further members. A hook begins with on_ or is similar to one, and
    nothing in the header calls it. A description begins with k, and nothing in the header reads it,
    or it has the type of a description.
    """
    code = re.sub(r"//.*", "", law)
    said = Counter(re.findall(r"\w+", code))
    members = set(re.findall(r"(?<![.>:])\b([a-z]\w*)\(", code)) - HOOKS
    constants = set(re.findall(r"static constexpr [^=;{(]*?\b(k[A-Z]\w*)", code)) - DESCRIPTION
    similar = {name for name in members if difflib.get_close_matches(name, HOOKS, 1, 0.85)}
    hooks = {name for name in members if name.startswith("on_")} | similar
    tables = set(re.findall(TABLE, code)) - DESCRIPTION
    return {name for name in hooks | constants if said[name] == 1} | tables


def test_no_law_has_a_member_that_looks_like_a_hook() -> None:
    """An additional member with a misspelt name compiles, and is found in the law's text."""
    headers = [file for family in FAMILIES for file in sorted((LAWS / family).glob("*.h"))]
    laws = [file for file in headers if "kName" in file.read_text()]
    assert {file.name: misspelt(file.read_text()) for file in laws} == {
        file.name: set() for file in laws
    }
    for name in ("on_los", "on_ecn", "send_rates", "set_wieght"):
        assert misspelt(WINDOW.replace("void see", f"void {name}() {{}}\n  void see")) == {name}
    constant = "static constexpr AtLeast kOrdr[] = {};\n  void see"
    assert misspelt(WINDOW.replace("void see", constant)) == {"kOrdr"}
    used = constant + "() { for (const AtLeast& pair : kOrdr) check(pair); }\n  void see"
    assert misspelt(WINDOW.replace("void see", used)) == {"kOrdr"}
