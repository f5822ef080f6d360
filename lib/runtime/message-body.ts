// SQS refuses these two characters (Amazon SQS API, SendMessage, "MessageBody") unless they are JSON escapes.
const REFUSED_CHARACTERS = /[\uFFFE\uFFFF]/g;

/** A value as a message body: JSON with only characters that SQS accepts. */
export function messageBodyOf(value: unknown): string {
  return JSON.stringify(value).replace(
    REFUSED_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
