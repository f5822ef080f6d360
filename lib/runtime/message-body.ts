// SQS refuses these two characters (Amazon SQS API, SendMessage, "MessageBody"); as JSON escapes they get through.
const REFUSED_CHARACTERS = /[\uFFFE\uFFFF]/g;

/** A value as the body of a message: JSON, in characters that SQS carries. */
export function messageBodyOf(value: unknown): string {
  return JSON.stringify(value).replace(
    REFUSED_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
