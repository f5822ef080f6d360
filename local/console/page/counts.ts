import type { Page } from "../page-data.ts";

type Count = Pick<Page<unknown>, "total" | "newestOnly">;

const numeral = (count: number) => count.toLocaleString("en");

/** How many items a list has. */
export function countText({ total, newestOnly }: Count, isReading: boolean): string {
  if (isReading) return `${numeral(total)} so far`;
  if (newestOnly === null) return numeral(total);
  return total === newestOnly
    ? `newest ${numeral(total)}`
    : `${numeral(total)} of the newest ${numeral(newestOnly)}`;
}

/** The sentence that follows "Nothing was found"; empty if the console has removed nothing. */
export function limitText(newestOnly: number | null): string {
  return newestOnly === null
    ? ""
    : ` The console keeps only the newest ${numeral(newestOnly)}. The API returns older ones.`;
}
