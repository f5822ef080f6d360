import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { deliveries, operations } from "../docs/description.ts";
import { anOrganisation } from "../end-to-end/platform.ts";
import { accessibilityProblems, aPage, describeInBrowser, overflow, PHONE } from "./browser.ts";

const docs = `${inject("baseUrl")}/docs`;
const GUIDES = [
  "first-call",
  "idempotent-sync",
  "amending",
  "lifecycle",
  "webhooks",
  "never-miss-an-event",
  "client",
  "generated-clients",
  "errors",
  "limits",
  "versioning",
  "changelog",
];
const shown = [...operations, ...deliveries].map(({ operation }) => operation.summary ?? "");

/** Scrolls on by most of a screen, and from the end back to the top; done when the page has been painted. */
const SCROLL = `new Promise((resolve) => {
  const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  scrollTo({ top: isAtEnd ? 0 : scrollY + 800, behavior: "instant" });
  requestAnimationFrame(() => setTimeout(resolve));
})`;

/**
 * Scrolls until every operation and event has been in sight: the viewer makes them when they come near. What it did not
 * make before it was out of sight again, it makes on the next way down.
 */
async function readThrough(page: Page): Promise<void> {
  for (const summary of shown) {
    const heading = page.getByRole("heading", { name: summary, exact: true, level: 3 });
    while (!(await heading.isVisible())) await page.evaluate(SCROLL);
    await heading.scrollIntoViewIfNeeded();
  }
}

describeInBrowser("the reference", () => {
  test("the API reference shows every operation and event, and has no accessibility problem", async () => {
    const page = await aPage(docs);

    await readThrough(page);

    expect(await accessibilityProblems(page)).toEqual([]);
    // An event is sent by the service.
    expect(await page.getByRole("button", { name: /Test Request/ }).count()).toBe(operations.length);
  });

  test("the keyboard skips the navigation and the list of operations of the reference", async () => {
    const page = await aPage(docs);
    // The viewer's main element is there before what it contains.
    await page.locator("main").getByText("Download OpenAPI Document").first().waitFor();

    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Skip to the content" }).press("Enter");
    await page.keyboard.press("Tab");

    expect(await page.locator("main :focus").count()).toBe(1);
  });

  test("the reference has one download of the description, and no light or dark of its own", async () => {
    const page = await aPage(docs);

    const download = page.getByText("Download OpenAPI Document");
    await download.first().waitFor();

    expect(await download.count()).toBe(1);
    expect(await page.getByLabel(/^Set (dark|light) mode/).count()).toBe(0);
  });

  test("the API reference is shown in a browser that refuses to keep anything", async () => {
    const page = await aPage(`${docs}/guides/limits`);
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        configurable: true,
        get() {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
    });

    await page.getByRole("link", { name: "API reference" }).click();

    await page.getByRole("heading", { name: "Create a candidate", exact: true, level: 3 }).waitFor();
  });

  test("the API reference is readable on a phone in dark mode, without scrolling sideways", async () => {
    const page = await aPage(docs, { ...PHONE, colorScheme: "dark" });
    expect(await accessibilityProblems(page)).toEqual([]);

    await readThrough(page);

    expect(await overflow(page)).toBe(0);
  });

  test("the API reference creates a candidate when the operation is tried out with one's own key", async () => {
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

  test("the first call of the API reference succeeds on the local stack as it stands", async () => {
    const page = await aPage(docs);

    await page.getByRole("button", { name: /Test Request.*post \/v1\/candidates\)/i }).click();
    const client = page.getByRole("dialog", { name: "API Client" });
    await client.getByRole("button", { name: /^Send/ }).first().click();

    await client.getByText("201 Created").waitFor();
  });

  test("the API reference of an environment without keys of its own says where to get one", async () => {
    const page = await aPage(docs, { withoutLocalKeys: true });

    const field = page.locator(".scalar-password-input").first();
    await field.and(page.getByPlaceholder("rr_… from the platform team")).waitFor();
    expect(await field.inputValue()).toBe("");
  });

  test("the API reference shows its own samples in the four languages", async () => {
    const page = await aPage(`${docs}#tag/candidates/POST/v1/candidates`);
    const sample = page.getByRole("region", { name: "Create a candidate" });

    await sample.getByText('curl -sS "$BASE/v1/candidates"').waitFor();
    await sample.getByRole("button", { name: /curl/ }).first().click();
    const names = async () => (await page.getByRole("option").allInnerTexts()).map((name) => name.trim());
    await expect.poll(names).toEqual(["curl", "TypeScript", "Python", "Go"]);
    await page.getByRole("option", { name: "Python" }).click();
    await sample.getByText("requests.post(").waitFor();
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
    await page.getByRole("heading", { name: "Verify deliveries" }).waitFor();
    await page.getByRole("link", { name: "API reference" }).click();

    await page.getByRole("heading", { name: "Create a candidate", exact: true, level: 3 }).waitFor();
  });

  test("the keyboard skips the navigation, and reaches the text next", async () => {
    const page = await aPage(`${docs}/guides/webhooks`);

    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Skip to the content" }).press("Enter");
    await page.keyboard.press("Tab");

    expect(await page.locator("main :focus").count()).toBe(1);
  });

  test("the list of guides separates its entries more than the lines of one entry", async () => {
    const page = await aPage(`${docs}/guides/webhooks`);

    const guides = page.getByRole("navigation", { name: "Guides" });
    const wrapped = guides.getByRole("link", { name: "Candidate Management client" });
    const [between, next] = await wrapped.evaluate((link) => {
      const [first, second] = [...link.getClientRects()].map(({ top }) => top);
      const following = link.closest("li")?.nextElementSibling?.querySelector("a")?.getClientRects()[0]?.top;
      return [(second ?? 0) - (first ?? 0), (following ?? 0) - (second ?? 0)];
    });
    expect(between).toBeGreaterThan(0);
    expect(next).toBeGreaterThan((between ?? 0) * 1.2);
  });

  test.each([1440, 1024, 820])("names in tables are not divided on a screen of %i pixels", async (width) => {
    const viewport = { width, height: 900 };
    for (const guide of ["webhooks", "errors"]) {
      const page = await aPage(`${docs}/guides/${guide}`, { viewport });

      const names = page.locator("td code").filter({ hasText: /^[\w.]+$/ });
      const lines = await names.evaluateAll((all) => all.map((name) => name.getClientRects().length));
      expect(lines.length).toBeGreaterThan(5);
      expect(lines).toEqual(lines.map(() => 1));
      expect(await overflow(page)).toBe(0);
    }
  });

  test("the end of a sample's first line can be scrolled out from under its button", async () => {
    const page = await aPage(`${docs}/guides/webhooks`);
    const sample = page
      .locator(".code")
      .filter({ has: page.getByRole("button", { name: "Copy" }) })
      .first();

    const [line, button] = await sample.evaluate((code) => {
      const [pre, copy] = [code.querySelector("pre"), code.querySelector("button")];
      pre?.scrollTo({ left: 10_000 });
      return [code.querySelector(".line")?.getBoundingClientRect().right, copy?.getBoundingClientRect().left];
    });
    expect(line).toBeLessThan(button ?? 0);
  });

  test("a guide has a list of its headings beside it on a wide screen", async () => {
    const page = await aPage(`${docs}/guides/webhooks`);

    const contents = page.getByRole("navigation", { name: "On this page" });
    await contents.getByRole("link").first().waitFor();
    expect(await contents.getByRole("link").allInnerTexts()).toEqual(
      await page.locator("h2, h3").allInnerTexts(),
    );
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("a table of a guide becomes lines on a phone, each below the name of its column", async () => {
    const page = await aPage(`${docs}/guides/errors`, { ...PHONE, viewport: { width: 375, height: 812 } });

    const row = page.locator("tr#consent_revoked");
    const cells = await Promise.all((await row.locator("td").all()).map((cell) => cell.boundingBox()));
    const [status, code, advice] = cells.map((box) => box ?? { x: -1, y: -1, width: -1 });
    expect(code?.x).toBe(status?.x);
    expect(advice?.y).toBeGreaterThan(code?.y ?? Number.NaN);
    expect(advice?.width).toBeGreaterThan(300);
    expect(await overflow(page)).toBe(0);
    // It is a table still.
    expect(await page.getByRole("row").count()).toBeGreaterThan(10);
  });
});

describeInBrowser("the quickstart", () => {
  test("the quickstart on the local stack has the environment's address and a key filled in, to be copied", async () => {
    const page = await aPage(`${inject("baseUrl")}/`, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByText("The local stack's key of Acme Talent, filled in for you.").waitFor();

    await page.getByRole("button", { name: "Copy" }).first().click();

    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toMatch(new RegExp(`^export BASE=${inject("baseUrl")}\nexport KEY=rr_dev_\\w{38}\\s*$`));
  });

  test("a block is selected when the browser refuses to copy it for the page", async () => {
    const page = await aPage(`${inject("baseUrl")}/`);
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new DOMException())");

    await page.getByRole("button", { name: "Copy" }).first().click();

    await page.getByRole("button", { name: "Selected" }).waitFor();
    expect(await page.evaluate("String(window.getSelection())")).toContain("export BASE=");
  });

  test("the quickstart elsewhere has an empty field with a hint, and fills in the key that is typed", async () => {
    const page = await aPage(`${docs}/guides/first-call`, { withoutLocalKeys: true });
    const field = page.getByLabel("Your API key");
    await page.getByText("The platform team gives you a key for this environment.").waitFor();
    expect(await field.inputValue()).toBe("");
    // In production a key begins with rr_live_.
    await page.getByText("export KEY=rr_…").waitFor();

    await field.fill("rr_dev_typed");
    await page.getByText("export KEY=rr_dev_typed").waitFor();
    // What would be a command of its own in a shell is no key.
    await field.fill("rr_dev_$(reboot)");
    await page.getByText("export KEY=rr_…").waitFor();
  });

  test("the quickstart shows each call in the language that was chosen once, by keyboard too", async () => {
    const page = await aPage(`${docs}/guides/first-call`);
    const create = page.getByRole("tablist").first();
    expect(await create.getByRole("tab").allInnerTexts()).toEqual(["curl", "TypeScript", "Python", "Go"]);
    await page.getByText("client.createCandidate({").waitFor({ state: "hidden" });

    await create.getByRole("tab", { name: "curl" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");

    expect(await create.getByRole("tab", { name: "Python" }).getAttribute("aria-selected")).toBe("true");
    await page.getByText("requests.post(").first().waitFor();
    await page.getByText("requests.put(").waitFor();
    await page.reload();
    await page.getByText("requests.put(").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describeInBrowser("the quickstart's tabs", () => {
  test("the browser keeps its own keys on a tab, such as Alt-→", async () => {
    const page = await aPage(`${docs}/guides/first-call`);
    const curl = page.getByRole("tablist").first().getByRole("tab", { name: "curl" });

    await curl.focus();
    for (const key of ["Alt+ArrowRight", "Control+End"]) await page.keyboard.press(key);

    expect(await curl.getAttribute("aria-selected")).toBe("true");
  });
});

/** The dialog of the search on a page, and its field. */
function searchOf(page: Page) {
  const dialog = page.getByRole("dialog", { name: "Search" });
  return { page, dialog, field: dialog.getByLabel("Search the documentation") };
}

/** The search, opened by its key on a guide. */
async function theSearch() {
  const page = await aPage(`${docs}/guides/limits`);
  await page.keyboard.press("Control+k");
  return searchOf(page);
}

describeInBrowser("the search", () => {
  test("the search that could not be loaded shows its results when it is opened again", async () => {
    const page = await aPage(`${docs}/guides/limits`);
    await page.route("**/docs/search.json", (route) => route.fulfill({ body: "no JSON" }), { times: 1 });
    await page.keyboard.press("Control+k");
    const { dialog, field } = searchOf(page);
    await field.fill("precondition_failed");
    await dialog.getByText("The search cannot be loaded. Close it, and try again.").waitFor();

    await dialog.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("Control+k");

    await dialog.getByRole("link", { name: /^Errors: 412 precondition_failed/ }).waitFor();
    expect(await dialog.getByText("The search cannot be loaded.").count()).toBe(0);
  });

  test("an arrow that chooses among candidates of an input method stays in the search's field", async () => {
    const { page, dialog, field } = await theSearch();
    await field.fill("webhooks");
    await dialog.getByRole("link").first().waitFor();

    await field.dispatchEvent("keydown", { key: "ArrowDown", isComposing: true, bubbles: true });

    expect(await dialog.locator("input:focus").count()).toBe(1);
    await page.keyboard.press("ArrowDown");
    expect(await dialog.locator("a:focus").count()).toBe(1);
  });

  test("the search finds error codes and headings, also mistyped ones, and leads to them", async () => {
    const { page, dialog, field } = await theSearch();

    await field.fill("precondition_fail");
    await dialog.getByRole("link", { name: /^Errors: 412 precondition_failed/ }).waitFor();
    expect(await dialog.getByRole("link").first().innerText()).toContain("412 precondition_failed");
    await field.fill("rotate the signing secrte");
    await dialog.getByRole("link", { name: /Webhooks: Rotate the signing secret/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");

    await page.waitForURL(/#/);
    await field.waitFor({ state: "hidden" });
  });

  test("the search for an event leads to it in the reference", async () => {
    const { page, dialog, field } = await theSearch();

    await field.fill("candidate.validation_failed");
    await dialog.getByRole("link", { name: /^API reference: candidate.validation_failed/ }).click();

    await page.getByRole("heading", { name: "candidate.validation_failed", exact: true, level: 3 }).waitFor();
    await page.waitForURL(/#tag\/webhook-events\/webhook\/POST\/candidate\.validation-failed$/);
  });

  test.each(["Quickstart: Next", "Webhooks: Register an endpoint"])(
    "the search for the console's inbox leads to %s",
    async (section) => {
      const { dialog, field } = await theSearch();

      await field.fill("console inbox");

      await dialog.getByRole("link", { name: section }).waitFor();
    },
  );

  test("Enter in the field of the search opens the first result", async () => {
    const { page, field } = await theSearch();

    await field.fill("precondition_failed");
    await page.keyboard.press("Enter");

    await page.waitForURL(/\/guides\/errors#/);
  });

  test.each([
    ["GET /v1/events", /^API reference: List the events/],
    ["POST /v1/candidates", /^API reference: Create a candidate/],
  ])("the search for %s begins with that operation", async (route, operation) => {
    const { dialog, field } = await theSearch();

    await field.fill(route);

    await dialog.getByRole("link").first().filter({ hasText: operation }).waitFor();
  });

  test("the search finds the end of a name with dots, such as that of a file", async () => {
    const { dialog, field } = await theSearch();

    await field.fill("push-journal");

    await dialog
      .getByRole("link", { name: /Pushing files/ })
      .first()
      .waitFor();
  });

  test("the search shows pages with the word itself, or one that begins with it, above those with a similar one", async () => {
    const { dialog, field } = await theSearch();
    const results = dialog.getByRole("link");

    await field.fill("batch");
    await dialog.getByRole("link", { name: /^Never miss an event: Catch up/ }).waitFor();

    const hasWord = (await results.allInnerTexts()).map((text) => /batch/i.test(text));
    expect(hasWord).toContain(true);
    expect(hasWord.lastIndexOf(true)).toBeLessThan(hasWord.indexOf(false));
  });

  test("the search leads from the reference to an operation, on a phone", async () => {
    const page = await aPage(docs, PHONE);
    await page
      .getByRole("navigation", { name: "Documentation" })
      .getByRole("button", { name: "Search" })
      .click();
    const { dialog, field } = searchOf(page);

    await field.fill("rotateSigningSecret");
    await dialog.getByRole("link", { name: /API reference: Rotate the signing secret/ }).click();

    await page.getByRole("heading", { name: "Rotate the signing secret", level: 3 }).waitFor();
  });
});
