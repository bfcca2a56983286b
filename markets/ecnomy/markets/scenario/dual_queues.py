# SPDX-License-Identifier: Apache-2.0
"""The YAML under `scheduler:` of a link that sorts packets by their ECN field.

The keys are the parameters in the laws' headers (see ecnomy.markets.plan.law_table).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Union

import msgspec

from ecnomy.markets.plan.law_table import law_table, with_trait
from ecnomy.markets.scenario.law_forms import (
    Field,
    default_of,
    in_table,
    key_of,
    kind_of,
    law_struct,
)

__all__ = ["CLASSIC", "L4S", "DualQueue", "DualQueues"]

L4S: Final = 0  # index of the class of ECT(1) and CE packets
CLASSIC: Final = 1  # index of the class of all others


class DualQueue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue for L4S traffic and one for the rest, with coupled marking (RFC 9332)."""

    @property
    def law(self) -> str:
        """Return its name."""
        return str(self.__struct_config__.tag)

    def values(self) -> dict[str, float | str]:
        """Return its parameters that do not have the default of its form, named as in the table."""
        table = law_table()["scheduling"][self.law].parameters
        held = {p: getattr(self, key_of(p)) for p in table}
        return {p.name: in_table(p, value) for p, value in held.items() if value is not None}

    def implied(self, key: str) -> Any:
        """Return the value of a key that was not written."""
        of = law_table()["scheduling"][self.law]
        parameter = next(p for p in of.parameters if key_of(p) == key)
        default = of.default(parameter, self.values())
        return default_of(msgspec.structs.replace(parameter, default=default))

    @staticmethod
    def names() -> list[str]:
        """Return the names of the two classes."""
        return ["l4s", "classic"]


def _made(law: str) -> type[DualQueue]:
    entry = law_table()["scheduling"][law]
    by_form = {one.parameter for one in entry.defaults_where or ()}
    fields: list[Field] = []
    for parameter in entry.parameters:
        key, kind = key_of(parameter), kind_of("scheduling", law, parameter)
        late = parameter.name in by_form
        fields.append((key, kind | None, None) if late else (key, kind, default_of(parameter)))
    return law_struct(law, entry.about, fields, base=DualQueue, tag_field="kind")  # type: ignore[no-any-return]


_FORMS: Final = {law: _made(law) for law in sorted(with_trait("scheduling", "by_codepoint"))}
globals().update({form.__name__: form for form in _FORMS.values()})  # pickle looks for them here

if TYPE_CHECKING:
    DualQueues = DualQueue
else:
    DualQueues = Union[*_FORMS.values()]
