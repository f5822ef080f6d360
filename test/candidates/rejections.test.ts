import { describe, expect, test } from "vitest";
import { areSameReasons, withRejection } from "#candidates/rejections";

const [photo, expired, other] = ["photo", "expired", "photo"].map((code, index) => ({
  code,
  message: `Message ${index}.`,
})) as [Reason, Reason, Reason];
type Reason = Readonly<Record<"code" | "message", string>>;

test("the last ten rejections are kept, oldest first", () => {
  const rejections = Array.from({ length: 12 }, (_, index) => ({
    sequence: index + 1,
    occurredAt: "2026-01-01T00:00:00.000Z",
    reasons: [photo],
  }));

  const kept = rejections.reduce(withRejection, [] as ReturnType<typeof withRejection>);

  expect(kept).toEqual(rejections.slice(2));
});

describe("rejection reasons compared", () => {
  test.each([
    ["none and none", [], []],
    ["in another order", [photo, expired], [expired, photo]],
    ["more than once", [photo, expired, photo], [photo, expired]],
  ])("are the same with %s", (_what, left, right) => {
    expect(areSameReasons(left, right)).toBe(true);
  });

  test.each([
    ["with another message", [photo], [other]],
    ["with another code", [photo], [{ ...photo, code: "expired" }]],
    ["with one more", [photo], [photo, expired]],
    ["with none", [photo], []],
  ])("are different %s", (_what, left, right) => {
    expect(areSameReasons(left, right)).toBe(false);
  });
});
