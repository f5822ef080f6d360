/** More than the twenty problems that a message of the service lists (lib/contract/problems.ts). */
const LONGEST = 8_500;

/**
 * A text from the service, cut at the longest length that the service itself sends, so that another server cannot
 * fill a terminal or a disk.
 */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
