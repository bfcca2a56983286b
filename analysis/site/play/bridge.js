// SPDX-License-Identifier: Apache-2.0
// The market's end of the bridge in memory: frames of omnet/bridge/PROTOCOL.md <-> objects.
//
// A message is an object with the keys of the protocol. Its columns stay bytes until `values` reads one.
"use strict";
(function (play) {
  const HEADER = 4;
  const UTF8 = new TextDecoder();
  const PROTOCOL = [1, 3];
  const TWO_32 = 2 ** 32;

  // Reads the MessagePack types that engines send, from `at` on.
  class Reader {
    constructor(bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.at = 0;
    }

    value() {
      const kind = this.uint(1);
      if (kind < 0x80) return kind;
      if (kind < 0x90) return this.map(kind & 0x0f);
      if (kind < 0xa0) return this.list(kind & 0x0f);
      if (kind < 0xc0) return this.text(kind & 0x1f);
      if (kind >= 0xe0) return kind - 0x100;
      switch (kind) {
        case 0xc0: return null;
        case 0xc2: return false;
        case 0xc3: return true;
        case 0xc4: return this.take(this.uint(1));
        case 0xc5: return this.take(this.uint(2));
        case 0xc6: return this.take(this.uint(4));
        case 0xcb: return this.skip(8, this.view.getFloat64(this.at));
        case 0xcc: return this.uint(1);
        case 0xcd: return this.uint(2);
        case 0xce: return this.uint(4);
        case 0xcf: return this.uint(4) * TWO_32 + this.uint(4);
        case 0xd0: return this.skip(1, this.view.getInt8(this.at));
        case 0xd1: return this.skip(2, this.view.getInt16(this.at));
        case 0xd2: return this.skip(4, this.view.getInt32(this.at));
        case 0xd3: return this.skip(4, this.view.getInt32(this.at)) * TWO_32 + this.uint(4);
        case 0xd9: return this.text(this.uint(1));
        case 0xda: return this.text(this.uint(2));
        case 0xdb: return this.text(this.uint(4));
        case 0xdc: return this.list(this.uint(2));
        case 0xde: return this.map(this.uint(2));
      }
      throw new Error(`not-messagepack: byte ${kind}`);
    }

    uint(size) {
      let value = 0;
      for (let i = 0; i < size; ++i) value = value * 256 + this.bytes[this.at++];
      return value;
    }

    skip(size, value) {
      this.at += size;
      return value;
    }

    take(size) {
      return this.skip(size, this.bytes.subarray(this.at, this.at + size));
    }

    text(size) {
      return UTF8.decode(this.take(size));
    }

    list(size) {
      return Array.from({ length: size }, () => this.value());
    }

    map(size) {
      const found = {};
      for (let i = 0; i < size; ++i) found[this.value()] = this.value();
      return found;
    }
  }

  // A column of a message as numbers; the protocol's table says whether its values are integers.
  function values(column, real = false) {
    const view = new DataView(column.buffer, column.byteOffset, column.byteLength);
    const found = new Float64Array(column.byteLength / 8);
    for (let i = 0; i < found.length; ++i) {
      found[i] = real
        ? view.getFloat64(8 * i, true)
        : view.getInt32(8 * i + 4, true) * TWO_32 + view.getUint32(8 * i, true);
    }
    return found;
  }

  // Numbers as a column of int64, or of float64.
  function column(numbers, real = false) {
    const bytes = new Uint8Array(8 * numbers.length);
    const view = new DataView(bytes.buffer);
    numbers.forEach((number, i) => {
      if (real) return view.setFloat64(8 * i, number, true);
      view.setInt32(8 * i + 4, Math.floor(number / TWO_32), true);
      view.setUint32(8 * i, ((number % TWO_32) + TWO_32) % TWO_32, true);
    });
    return bytes;
  }

  function head(size, small, first, found) {
    if (small !== null && size < small[1]) return found.push(small[0] + size);
    if (size < 0x100 && first !== null) return found.push(first, size);
    if (size < 0x10000) return found.push(first === null ? 0xde : first + 1, size >> 8, size & 0xff);
    found.push(first + 2, size >>> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff);
  }

  // Appends a value in MessagePack: what a market sends.
  function pack(value, found) {
    if (value === true || value === false) return found.push(value ? 0xc3 : 0xc2);
    if (typeof value === "number") return packInteger(value, found);
    if (typeof value === "string") {
      const bytes = new TextEncoder().encode(value);
      head(bytes.length, [0xa0, 32], 0xd9, found);
      return found.push(...bytes);
    }
    if (value instanceof Uint8Array) {
      head(value.length, null, 0xc4, found);
      for (const byte of value) found.push(byte);
      return undefined;
    }
    if (Array.isArray(value)) {
      found.push(0x90 + value.length);
      return value.forEach((one) => pack(one, found));
    }
    const keys = Object.keys(value);
    head(keys.length, [0x80, 16], null, found);
    for (const key of keys) {
      pack(key, found);
      pack(value[key], found);
    }
    return undefined;
  }

  function packInteger(value, found) {
    if (value >= 0 && value < 0x80) return found.push(value);
    found.push(0xd3);
    return found.push(...column([value]).reverse());
  }

  // The whole frame of a message.
  function encode(message) {
    const body = [];
    pack(message, body);
    const frame = new Uint8Array(HEADER + body.length);
    new DataView(frame.buffer).setUint32(0, body.length);
    frame.set(body, HEADER);
    return frame;
  }

  const decode = (body) => new Reader(body).value();

  function joined(first, second) {
    const whole = new Uint8Array(first.length + second.length);
    whole.set(first);
    whole.set(second, first.length);
    return whole;
  }

  // `Module.market` of the engine (omnet/browser/bridge_library.js), in front of a market with the methods
  // `report(message)` -> {flows, links} of a decision, `record(message)`, `admit(message)` -> whether, and
  // `finish(message)`. An exception of the market ends the run; it stays in `failure`.
  class Bridge {
    constructor(market) {
      this.market = market;
      this.failure = null;
      this.incoming = new Uint8Array(0);
      this.outgoing = new Uint8Array(0);
    }

    send(bytes) {
      this.incoming = this.incoming.length ? joined(this.incoming, bytes) : bytes;
      while (this.incoming.length >= HEADER) {
        const view = new DataView(this.incoming.buffer, this.incoming.byteOffset);
        const end = HEADER + view.getUint32(0);
        if (this.incoming.length < end) return;
        const body = this.incoming.subarray(HEADER, end);
        this.incoming = this.incoming.subarray(end);
        this.take(body);
      }
    }

    receive(size) {
      const bytes = this.outgoing.subarray(0, size);
      this.outgoing = this.outgoing.subarray(size);
      return bytes;
    }

    take(body) {
      if (this.failure) return;
      try {
        const answer = this.answer(decode(body));
        if (answer) this.outgoing = joined(this.outgoing, encode(answer));
      } catch (error) {
        this.failure = error;
      }
    }

    answer(message) {
      switch (message.type) {
        case "hello":
          return { type: "welcome", protocol: PROTOCOL };
        case "report":
          return { type: "decide", epoch: message.epoch, ...this.market.report(message) };
        case "request":
          return { type: "verdict", id: message.id, accept: this.market.admit(message) };
        case "record":
          return this.market.record(message);
        case "finish":
          this.market.finish(message);
          return { type: "bye" };
        case "error":
          throw new Error(message.reason);
      }
      return null; // alive
    }
  }

  Object.assign(play, { Bridge, column, decode, encode, values });
})((globalThis.ecnomyPlay = globalThis.ecnomyPlay || {}));
