import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from "playwright-core";
import { afterAll, describe, expect, onTestFinished } from "vitest";

/** Where a Chromium may be: `CHROMIUM`, else where distributions put it. */
const executablePath = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find(existsSync);

if (!executablePath) {
  process.stderr.write(
    "No Chromium here, so the browser tests are skipped. Debian: apt-get install chromium\n",
  );
}

/** `describe` for what needs a browser: skipped where there is none. */
export const describeInBrowser = describe.skipIf(!executablePath);

let launched: Promise<Browser> | undefined;

afterAll(async () => (await launched)?.close());

function browser(): Promise<Browser> {
  // Chromium has no sandbox for root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  launched ??= chromium.launch({ ...(executablePath && { executablePath }), args });
  return launched;
}

interface PageOptions extends BrowserContextOptions {
  /** For a page with a request that never ends. */
  readonly isNeverQuiet?: boolean;
  /** As in a deployed environment: no page gets a key of the local stack. */
  readonly withoutLocalKeys?: boolean;
}

/** A page as wide as a laptop's or a phone's, which fails the test that asks another host or breaks its own policy. */
export async function aPage(
  url: string,
  { isNeverQuiet = false, withoutLocalKeys = false, ...options }: PageOptions = {},
): Promise<Page> {
  const context = await (await browser()).newContext({
    viewport: { width: 1280, height: 900 },
    // A rehearsal's certificate is known to Node alone.
    ignoreHTTPSErrors: process.env["NODE_EXTRA_CA_CERTS"] !== undefined,
    ...options,
  });
  const page = await context.newPage();
  if (withoutLocalKeys) {
    await page.route("**/console/keys", (route) => route.fulfill({ json: { organisations: [] } }));
  }
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.protocol.startsWith("http") && asked.origin !== origin) problems.push(`asked ${asked.origin}`);
  });
  page.on("console", (message) => {
    // A violation of the content security policy is an error on the console.
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", ({ message }) => problems.push(message));
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  const quiet = followRequests(page);
  await page.goto(url);
  if (!isNeverQuiet) await quiet();
  return page;
}

/**
 * Follows the requests of a page. Returns what waits until there has been none for half a second. Playwright's own wait
 * for that, "networkidle", ends before the scripts have run if a busy machine makes none for so long while it loads.
 */
function followRequests(page: Page): () => Promise<void> {
  const underWay = new Set<Request>();
  let started = 0;
  page.on("request", (request) => {
    underWay.add(request);
    started += 1;
  });
  const end = (request: Request) => void underWay.delete(request);
  page.on("requestfinished", end).on("requestfailed", end);
  return async () => {
    for (let before = -1; underWay.size > 0 || started > before; ) {
      before = started;
      await delay(500);
    }
  };
}

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** What axe finds wrong on the page as it is now, but for some rules, each with the element that it is about. */
export async function accessibilityProblems(page: Page, ...except: string[]): Promise<string[]> {
  // Without frames to look into, and without telling what is right, it takes a third of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  const { violations } = await axe.disableRules(except).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How much wider the page is than the screen, in pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
