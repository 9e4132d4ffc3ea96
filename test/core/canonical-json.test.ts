import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { canonicalJson } from "../../src/core/canonical-json.js";

describe("canonicalJson", () => {
  it("puts keys in the order of their code units at every level, number-like ones too", () => {
    const value = { b: [{ z: 1, a: 2 }], "10": 1, "9": 2, a: null, Z: true };
    expect(canonicalJson(value)).toBe('{"10":1,"9":2,"Z":true,"a":null,"b":[{"a":2,"z":1}]}');
  });

  it("writes dates as times, leaves undefined members out and keeps their places in arrays", () => {
    const value = { at: new Date("2030-01-01T00:00:00Z"), gone: undefined, list: [undefined, 1] };
    expect(canonicalJson(value)).toBe('{"at":"2030-01-01T00:00:00.000Z","list":[null,1]}');
    expect(canonicalJson(undefined)).toBe("null");
  });

  it("keeps a key such as __proto__", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1},"a":2}'))).toBe('{"__proto__":{"x":1},"a":2}');
  });

  it("gives JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
