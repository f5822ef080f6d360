import { resolve } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";

interface Key {
  readonly key: string;
  readonly isComposing?: boolean;
}

interface Results {
  querySelector(selector: string): { click(): void } | null;
}

let openFirst: (key: Key, shown: () => Promise<void> | undefined, results: Results) => Promise<void>;
let excerptOf: (text: string, terms: readonly string[]) => string;

// A script of the pages, without types. Its effect in a browser is tested in test/browser.
beforeAll(async () => {
  ({ openFirst, excerptOf } = await import(resolve("infra/site/search.js")));
});

describe("in the field of the documentation's search", () => {
  const nothing = () => undefined;

  test("Enter opens the first result once the results of the last input are shown", async () => {
    const link = { click: vi.fn() };
    const found: (typeof link)[] = [];
    const shown = Promise.resolve().then(() => void found.push(link));

    const results = { querySelector: () => found[0] ?? null };

    await openFirst({ key: "Enter" }, () => shown, results);

    expect(link.click).toHaveBeenCalledOnce();
  });

  test.each<Key>([{ key: "a" }, { key: "ArrowDown" }, { key: "Enter", isComposing: true }])(
    "the key %o opens nothing",
    async (key) => {
      const link = { click: vi.fn() };

      await openFirst(key, nothing, { querySelector: () => link });

      expect(link.click).not.toHaveBeenCalled();
    },
  );

  test("Enter without results opens nothing", async () => {
    await expect(
      openFirst({ key: "Enter" }, nothing, { querySelector: () => null }),
    ).resolves.toBeUndefined();
  });
});

describe("the excerpt of a text that the documentation's search found", () => {
  const text = [
    "Webhooks are signed.",
    ...Array(10).fill("Receivers compare."),
    "A secret is rotated.",
    ...Array(20).fill("Both work."),
    JSON.stringify({ ids: Array(20).fill("evt_1"), failingSince: 1, disabledAt: "0".repeat(200) }),
  ].join(" ");

  test.each([
    ["its first word", "webhooks", /^Webhooks are signed\./],
    ["a word near its beginning", "signed", /^Webhooks are signed\./],
    ["a word further on", "rotated", /^… (?:Receivers |compare\. )+A secret is rotated\..* …$/],
    ["a word of JSON without spaces", "failingsince", /^… .*"failingSince":.* …$/],
    ["no word, but its title", "absent", /^Webhooks are signed\./],
  ])("contains %s, from the beginning of a word", (_, term, excerpt) => {
    expect(excerptOf(text, [term])).toMatch(excerpt);
  });
});
