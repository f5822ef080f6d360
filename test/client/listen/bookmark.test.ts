import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Bookmark } from "../../../client/listen/bookmark.ts";

const HERE = ["https://api.example.com", "rr_dev_secret"] as const;
const SINCE = { since: "2026-11-30T00:00:00Z" };

beforeEach(async () => void vi.stubEnv("HOME", await mkdtemp(join(tmpdir(), "bookmark-"))));
afterEach(() => void vi.unstubAllEnvs());

test("a run without events is resumed at its last page", () => {
  const bookmark = Bookmark.begin(...HERE, SINCE);
  for (const cursor of ["at-1", "at-2"]) bookmark.turnTo({ cursor });
  bookmark.close();

  expect(Bookmark.find(...HERE)?.place).toEqual({ cursor: "at-2" });
});

test("a page whose events were forwarded is not read again after a crash", () => {
  const bookmark = Bookmark.begin(...HERE, SINCE);
  bookmark.note("evt_1");
  bookmark.turnTo({ cursor: "at-1" });

  expect(Bookmark.find(...HERE)?.place).toEqual({ cursor: "at-1" });
});

test("a place that the service has not accepted leaves that of an earlier run", () => {
  Bookmark.begin(...HERE, SINCE).note("evt_1");

  Bookmark.begin(...HERE, { since: "2020-01-01T00:00:00Z" }).close();

  expect(Bookmark.find(...HERE)?.place).toEqual(SINCE);
});

test("the last two hundred forwarded events are remembered, and no more", () => {
  const ids = Array.from({ length: 203 }, (_, at) => `evt_${at}`);
  const bookmark = Bookmark.begin(...HERE, SINCE);
  for (const id of ids) bookmark.note(id);

  const resumed = Bookmark.find(...HERE);

  expect(ids.filter((id) => !resumed?.isForwarded(id))).toEqual(["evt_0", "evt_1", "evt_2"]);
});
