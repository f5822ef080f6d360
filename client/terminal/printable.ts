/**
 * Text from the network or a file must not reach the terminal as a control sequence or as a separate line, and must
 * not change the direction of the text around it.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\u{fffd}");
}
