# SPDX-License-Identifier: Apache-2.0
"""The YAML under `scheduler:` of a link whose scheduler sorts packets by header and marks them.

Sorting by the ECN field (dualpi2) gives two classes. Sorting by flow (fq-codel) gives one class
with many queues. The keys are the parameters in the laws' headers (see
ecnomy.markets.plan.law_table).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Union

import msgspec

from ecnomy.markets.plan.law_table import law_table, with_trait
from ecnomy.markets.scenario.law_forms import (
    Field,
    default_of,
    in_table,
    kind_of,
    law_struct,
)

__all__ = ["HEADERS", "HeaderQueues", "HeaderQueuesForm"]

_CLASSES: Final = {"by_codepoint": ("l4s", "classic"), "by_flow": ("flows",)}  # by trait of a law
HEADERS: Final = tuple(_CLASSES)


class HeaderQueues(msgspec.Struct, frozen=True, kw_only=True):
    """A scheduler that sorts packets by header and marks them (RFC 9332, RFC 8290)."""

    @property
    def law(self) -> str:
        """Return the name of the law."""
        return str(self.__struct_config__.tag)

    def values(self) -> dict[str, float | str]:
        """Return the parameters that have a value, by their names in the table of laws."""
        table = law_table()["scheduling"][self.law].parameters
        held = {p: getattr(self, p.key) for p in table}
        return {p.name: in_table(p, value) for p, value in held.items() if value is not None}

    def implied(self, key: str) -> Any:
        """Return the default of a key, given the other parameters."""
        of = law_table()["scheduling"][self.law]
        parameter = next(p for p in of.parameters if p.key == key)
        default = of.default(parameter, self.values())
        return default_of(msgspec.structs.replace(parameter, default=default))

    def names(self) -> list[str]:
        """Return the names of the classes."""
        trait = next(one for one in HEADERS if self.law in with_trait("scheduling", one))
        return list(_CLASSES[trait])

    def class_of(self, *, l4s: bool) -> int:
        """Return the index of the class of a source's packets, which are ECT(1) with `l4s`."""
        return 0 if l4s else len(self.names()) - 1


def _made(law: str) -> type[HeaderQueues]:
    entry = law_table()["scheduling"][law]
    by_form = {one.parameter for one in entry.defaults_where or ()}
    fields: list[Field] = []
    for parameter in entry.parameters:
        key, kind = parameter.key, kind_of("scheduling", law, parameter)
        late = parameter.name in by_form
        fields.append((key, kind | None, None) if late else (key, kind, default_of(parameter)))
    return law_struct(law, entry.about, fields, base=HeaderQueues, tag_field="kind")  # type: ignore[no-any-return]


_LAWS: Final = sorted(law for trait in HEADERS for law in with_trait("scheduling", trait))
_FORMS: Final = {law: _made(law) for law in _LAWS}
globals().update({form.__name__: form for form in _FORMS.values()})  # pickle looks for them here

if TYPE_CHECKING:
    HeaderQueuesForm = HeaderQueues
else:
    HeaderQueuesForm = Union[*_FORMS.values()]
