/** The service lists problems up to 3,500 characters (lib/contract/problems.ts). */
const LONGEST = 4_000;

/** What a service says, cut where the service would have ended, so that no other fills a terminal or a disk. */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
