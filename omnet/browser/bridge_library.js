// SPDX-License-Identifier: Apache-2.0
// The engine's two imports. `Module.market` is the market's end of the bridge: `send(bytes)` takes bytes of the
// engine's frames, `receive(size)` returns the next bytes of the market's frames, at most `size`.
mergeInto(LibraryManager.library, {
  ecnomy_send: function (data, size) {
    Module["market"]["send"](HEAPU8.slice(data, data + size));
  },
  ecnomy_receive: function (data, size) {
    const bytes = Module["market"]["receive"](size);
    HEAPU8.set(bytes, data);
    return bytes.length;
  },
});
