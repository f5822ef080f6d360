/** The service lists problems up to 3,500 characters (lib/contract/problems.ts). */
const LONGEST = 4_000;

/**
 * A text from the service, cut at the longest length that the service itself sends, so that another server cannot
 * fill a terminal or a disk.
 */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
