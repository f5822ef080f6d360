import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveStream } from "../../../local/console/live-stream.ts";
import type { Screen } from "../../../local/console/page-data.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream to an open page, and the states of the console that it has sent. */
function anOpenPage() {
  const shown = { organisation: "first" };
  const stream = new LiveStream(() => shown as Screen);
  const sent: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    writeHead: () => {},
    write: (text: string) => sent.push(JSON.parse(text.replace("data: ", "")).organisation),
  });
  stream.open(response as unknown as ServerResponse, { view: "overview", filters: {} });
  const change = (organisation: string) => {
    shown.organisation = organisation;
    stream.schedule();
    vi.runAllTimers();
  };
  return { response, sent, change };
}

test("an open page gets what it shows at once, and again only when that has changed", () => {
  const { sent, change } = anOpenPage();

  for (const state of ["first", "second", "second"]) change(state);

  expect(sent).toEqual(["first", "second"]);
});

test("a page that reads slowly gets the newest state once it has read the last one, none in between", () => {
  const { response, sent, change } = anOpenPage();

  response.writableNeedDrain = true;
  for (const state of ["second", "third"]) change(state);
  response.writableNeedDrain = false;
  response.emit("drain");

  expect(sent).toEqual(["first", "third"]);
});

test("a closed page gets nothing more", () => {
  const { response, sent, change } = anOpenPage();

  response.emit("close");
  change("second");

  expect(sent).toEqual(["first"]);
});
