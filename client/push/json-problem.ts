import { jsonVerifier, type VerifierError } from "stream-json/utils/verifier.js";
import type { Source } from "./source.ts";

/** The most characters that the verifier may need to see before it refuses the first of them, such as `tru`. */
const LOOKAHEAD = 16;

/** Finds the place where a text is no longer JSON, which the parser does not report. */
export class JsonPlace {
  readonly #verify = jsonVerifier();
  /** The end of the text so far, of which the verifier may wait for more. Its beginning is the place below. */
  #rest = "";
  #offset = 0;
  #line = 1;
  #column = 1;
  #isWrong = false;

  /**
   * To be called with each part of the text, in order.
   *
   * @returns whether the text is still JSON
   */
  note(text: string): boolean {
    if (this.#isWrong) return false;
    this.#rest += text;
    try {
      this.#verify(text);
      this.#advance(this.#rest.length - LOOKAHEAD);
    } catch (error) {
      this.#isWrong = true;
      this.#advance((error as VerifierError).offset - this.#offset);
    }
    return !this.#isWrong;
  }

  /** The place in the text; undefined if only its end is missing. */
  end(): string | undefined {
    this.note(" ".repeat(LOOKAHEAD));
    return this.#isWrong ? `line ${this.#line}, column ${this.#column}` : undefined;
  }

  #advance(length: number): void {
    if (length <= 0) return;
    const [end = "", ...lines] = this.#rest.slice(0, length).split("\n");
    this.#line += lines.length;
    this.#column = charactersIn(lines.at(-1) ?? end) + (lines.length > 0 ? 1 : this.#column);
    this.#rest = this.#rest.slice(length);
    this.#offset += length;
  }
}

/** Code points. The text may end amid one, whose second half then does not count. */
function charactersIn(text: string): number {
  return text.length - (text.match(/[\udc00-\udfff]/g)?.length ?? 0);
}

/**
 * What is wrong with a source that begins like a JSON array, and what to do, in a sentence.
 *
 * @param noted the place in a source that cannot be read again
 */
export async function jsonProblemOf(
  { message }: Error,
  source: Source,
  noted: JsonPlace | undefined,
): Promise<string> {
  const place = (noted ?? (await placeIn(source.text()))).end();
  if (place === undefined) return "it ends before the array is closed. Check that the file is complete.";
  // The parser's words for a bracket where a value or a name is expected.
  if (/unexpected token '[\]}]'/.test(message)) {
    return `a comma before ] or } is one too many, near ${place}. Remove it.`;
  }
  return `the error is near ${place}.`;
}

async function placeIn(text: AsyncIterable<string>): Promise<JsonPlace> {
  const place = new JsonPlace();
  for await (const chunk of text) if (!place.note(chunk)) break;
  return place;
}
