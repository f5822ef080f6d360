import Table from "cli-table3";
import type { Command } from "commander";
import { printable, printableJson } from "../client/terminal/printable.ts";
import type { PlatformOptions } from "./private-functions.ts";

/** A column of a readable table: its heading, and its cell for a row. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => string | number | null | undefined];

/** Prints a response: in full as JSON for programs, or in readable form. */
export function print(command: Command, response: unknown, readable: () => string): void {
  const { json } = command.optsWithGlobals<PlatformOptions>();
  command.configureOutput().writeOut?.(`${json ? printableJson(response, 2) : readable()}\n`);
}

export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const grid = new Table({
    head: columns.map(([heading]) => heading),
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) grid.push(columns.map(([, cell]) => printable(String(cell(row) ?? ""))));
  return grid.toString();
}

/** One item, with a line for each of its properties. */
export function details(
  properties: readonly (readonly [name: string, value: string | number | null])[],
): string {
  const width = Math.max(...properties.map(([name]) => name.length));
  return properties
    .map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value ?? "none"))}`)
    .join("\n");
}
