import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { anOrganisation } from "../contract/platform.ts";
import { deliveries, operations } from "../docs/description.ts";
import { accessibilityProblems, aPage, describeInBrowser, overflow, PHONE } from "./browser.ts";

const docs = `${inject("baseUrl")}/docs`;
const GUIDES = [
  "first-call",
  "idempotent-sync",
  "amending",
  "lifecycle",
  "webhooks",
  "client",
  "errors",
  "limits",
  "versioning",
];
const shown = [...operations, ...deliveries].map(({ operation }) => operation.summary ?? "");

/** Scrolls until every operation and event has been in sight: the viewer makes them when they come near. */
async function readThrough(page: Page): Promise<void> {
  for (const summary of shown) {
    const heading = page.getByRole("heading", { name: summary, exact: true, level: 3 });
    while (!(await heading.isVisible())) await page.mouse.wheel(0, 800);
    await heading.scrollIntoViewIfNeeded();
  }
  await page.waitForLoadState("networkidle");
}

describeInBrowser("the reference", () => {
  test("the API reference shows every operation and event, and has no accessibility problem", async () => {
    const page = await aPage(docs);

    await readThrough(page);

    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("the API reference is readable on a phone in dark mode, without scrolling sideways", async () => {
    const page = await aPage(docs, { ...PHONE, colorScheme: "dark" });
    expect(await accessibilityProblems(page)).toEqual([]);

    await readThrough(page);

    expect(await overflow(page)).toBe(0);
  });

  test("the API reference creates a candidate when the operation is tried out", async () => {
    const { caller, apiKey } = await anOrganisation();
    const page = await aPage(docs);

    await page.getByRole("button", { name: /Test Request.*post \/v1\/candidates\)/i }).click();
    const client = page.getByRole("dialog", { name: "API Client" });
    await client.locator(".scalar-password-input").fill(apiKey);
    await client.getByRole("button", { name: /^Send/ }).first().click();

    await client.getByText("201 Created").waitFor();
    const { status, body } = await caller.findCandidate("ext-1001");
    expect(status).toBe(200);
    expect(body["firstName"]).toBe("Ada");
    // The viewer's client brings the landmarks of a page of its own into its dialog.
    const except = ["landmark-no-duplicate-main", "landmark-unique"];
    expect(await accessibilityProblems(page, ...except)).toEqual([]);
  });
});

describeInBrowser("the guides", () => {
  test.each(["", ...GUIDES.map((name) => `/${name}`)])(
    "the page %s has no accessibility problem and fits a phone",
    async (path) => {
      const page = await aPage(`${docs}/guides${path}`, { ...PHONE, colorScheme: "dark" });

      expect(await overflow(page)).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );

  test("the guides link to the next guide and to the API reference", async () => {
    const page = await aPage(docs);

    await page.getByRole("link", { name: "Guides" }).click();
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("heading", { name: "Verify the signature" }).waitFor();
    await page.getByRole("link", { name: "API reference" }).click();

    await page.getByRole("heading", { name: "Create a candidate", exact: true, level: 3 }).waitFor();
  });
});
