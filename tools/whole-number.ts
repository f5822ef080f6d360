import { InvalidArgumentError } from "commander";

/**
 * Parses a command's option.
 *
 * @throws InvalidArgumentError unless it is a whole number of at least 1
 */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return Number(text);
}
