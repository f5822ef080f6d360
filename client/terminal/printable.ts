/**
 * Text from the network or a file must not reach the terminal as a control sequence or as a separate line, and must
 * not change the direction of the text around it.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\u{fffd}");
}

/**
 * JSON for a terminal or a file that people open: it escapes all such characters (RFC 8259 section 7 only some).
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, nonFiniteAsText, indent).replace(
    /[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A replacer for `JSON.stringify`: a number such as 1e400, which a file had and JavaScript cannot hold, becomes text,
 * because null could be a valid value.
 */
export function nonFiniteAsText(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
