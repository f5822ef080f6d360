import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

/** One code point, surrogates excepted. fast-check's own unit "binary" builds a table of them all, in a second. */
const codePoint = fc.nat(0x10ffff - SURROGATES.count).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  (text) => {
    const value = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (value === undefined || text !== String.fromCodePoint(value)) throw new Error("Not one code point");
    return value < SURROGATES.first ? value : value - SURROGATES.count;
  },
);

/** Any Unicode text of so many code points, strings such as "__proto__" among it. */
export function anyText(length: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ unit: codePoint, ...length });
}
