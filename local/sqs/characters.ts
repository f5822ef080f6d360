// Amazon SQS API, SendMessage: the characters that a message may contain.
const REFUSED_CHARACTER = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Whether SQS accepts each character of a text. */
export function hasOnlyAllowedCharacters(text: string): boolean {
  return !REFUSED_CHARACTER.test(text);
}
