import type { Page } from "../page-data.ts";

/** How many items a list has. */
export function countText({ total }: Pick<Page<unknown>, "total">, isReading: boolean): string {
  return `${total.toLocaleString("en")}${isReading ? " so far" : ""}`;
}
