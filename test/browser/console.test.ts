import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { anOrganisation } from "../contract/platform.ts";
import { accessibilityProblems, aPage, describeInBrowser, overflow, PHONE } from "./browser.ts";

/** The console, looking at an organisation of the test's own. */
async function aConsole(options: Parameters<typeof aPage>[1] = {}): Promise<Page> {
  const { orgId } = await anOrganisation();
  // Its stream never ends: the network is never idle.
  const page = await aPage(`${inject("baseUrl")}/console#${orgId}`, { waitUntil: "load", ...options });
  await page.getByText("live", { exact: true }).waitFor();
  return page;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

describeInBrowser("the local console", () => {
  test("the console shows a candidate's lifecycle live, up to the verified delivery", async () => {
    const page = await aConsole();
    const events = page.getByRole("region", { name: "Event feed" });
    const deliveries = page.getByRole("region", { name: "Deliveries" });
    const inbox = page.getByRole("region", { name: "Inbox" });

    await button(page, "Register the inbox").click();
    await button(page, "Inbox registered").waitFor();
    await button(page, "Create a sample candidate").click();
    await button(page, /^Verify sample-/).click();
    await events.getByText("candidate.verified").waitFor();
    await button(page, /^Promote sample-/).focus();
    await page.keyboard.press("Enter");
    await events.getByText("candidate.promoted").waitFor();
    const promoted = deliveries.getByRole("listitem").filter({ hasText: "candidate.promoted" });
    await promoted.getByText("signature verified").waitFor();
    await promoted.getByText("candidate.promoted").click();
    await promoted.getByText("X-RR-Delivery-Attempt: 1").waitFor();
    await promoted.getByText('"type":"candidate.promoted"').waitFor();

    await inbox.getByText("signature verified").nth(2).waitFor();

    expect(await button(page, /^Verify sample-/).getAttribute("aria-disabled")).toBe("true");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("the console asks for the reason of a failed validation, by keyboard and on a phone", async () => {
    const page = await aConsole(PHONE);

    await button(page, "Create a sample candidate").click();
    await button(page, /^Fail validation sample-/).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Message").fill("No page of it can be read.");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Candidates" }).getByText("validation_failed").waitFor();

    expect(await dialog.count()).toBe(0);
    expect(await overflow(page)).toBe(0);
  });

  test("the console keeps the button under the pointer in place while rows arrive", async () => {
    const page = await aConsole();
    const create = button(page, "Create a sample candidate");
    await create.click();
    const verify = button(page, /^Verify sample-/);
    await verify.hover();
    const before = await verify.boundingBox();

    await create.focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 more when the pointer leaves the list").waitFor();

    expect(await verify.boundingBox()).toEqual(before);
    await create.hover();
    await button(page, /^Verify sample-/)
      .nth(1)
      .waitFor();
  });
});
