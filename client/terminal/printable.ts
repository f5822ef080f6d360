/**
 * What comes from the network or a file must not reach the terminal as a control sequence, nor as a line of its own,
 * nor turn the direction of the text around it.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\u{fffd}");
}
