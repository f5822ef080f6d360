import type { CsvError } from "csv-parse";

/** Where the parser is: complete records, line ends and blank lines so far, by its own names. */
interface ParserPosition {
  readonly records: number;
  readonly lines: number;
  readonly empty_lines: number;
}

/** What ends a line, in a cell too; the longest first, because the parser takes the first that fits. */
export const LINE_ENDS: readonly string[] = ["\r\n", "\n", "\r"];
const LINE_END = new RegExp(LINE_ENDS.join("|"), "g");

/** How many line ends the cells of a row contain. */
export function lineEndsIn(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(LINE_END)?.length ?? 0), 0);
}

/** The lines of a CSV file's rows and mistakes. The parser counts `\r\n` inside a quoted cell twice. */
export class CsvLines {
  #countedTwice = 0;
  /** The last cell that was read whole, and the line of its end. */
  #lastCell: ParserPosition = { records: 0, lines: 0, empty_lines: 0 };

  /** To be called with each cell, in order. */
  noteCell(cell: string, { records, lines, empty_lines }: ParserPosition): void {
    if (cell.includes("\n")) this.#countedTwice += cell.split("\r\n").length - 1;
    this.#lastCell = { records, empty_lines, lines: lines - this.#countedTwice };
  }

  /** The first line of the row whose cells have just been read. It ends on a later one if cells contain line breaks. */
  firstLineOf(cells: readonly string[]): number {
    return this.#lastCell.lines - lineEndsIn(cells);
  }

  /** Where the quotes are wrong, in a sentence. The parser's own message contains the cell. */
  problemOf(error: CsvError): string {
    const at = error as CsvError & ParserPosition;
    const opened = this.#lineAfterLastCell(at);
    switch (error.code) {
      case "CSV_QUOTE_NOT_CLOSED":
        return `the quote that opens in line ${opened} never closes. Close it, or double a quote that is part of the text.`;
      case "CSV_INVALID_CLOSING_QUOTE":
        return `text follows the closing quote of the cell that opens in line ${opened}. Close the quote of that cell if it was left open, or double a quote that is part of the text.`;
      case "INVALID_OPENING_QUOTE":
        return `a cell in line ${at.lines - this.#countedTwice} contains a quote but does not begin with one. Quote the cell, and double the quote.`;
      case "CSV_MAX_RECORD_SIZE":
        return `the row with line ${opened} is too long for a candidate. Check its quotes.`;
      default:
        return `line ${opened} cannot be read (${error.code}).`;
    }
  }

  /** The line where the cell after the last one begins: the same one, or in the next row one that is not blank. */
  #lineAfterLastCell(at: ParserPosition): number {
    const { records, lines, empty_lines } = this.#lastCell;
    if (at.records === records && lines > 0) return lines;
    return lines + 1 + at.empty_lines - empty_lines;
  }
}
