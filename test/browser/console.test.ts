import type { Page, Request } from "playwright-core";
import { expect, inject, test } from "vitest";
import { CandidateServiceClient } from "../../client/src/client.ts";
import { aSubmission } from "../builders/submission.ts";
import { received } from "../end-to-end/client.ts";
import { anOrganisation, type Organisation, responseOf } from "../end-to-end/platform.ts";
import { webhookEndpointsOf } from "../end-to-end/webhook-client.ts";
import { accessibilityProblems, aPage, describeInBrowser, overflow, PHONE } from "./browser.ts";

type PageOptions = Parameters<typeof aPage>[1];

const urlOf = (path: string, orgId: string) =>
  `${inject("baseUrl")}/console${path}${path.includes("?") ? "&" : "?"}org=${orgId}`;

/** The console, looking at an organisation. */
async function consoleAt(path: string, orgId: string, options: PageOptions = {}): Promise<Page> {
  // Its stream never ends.
  const page = await aPage(urlOf(path, orgId), { isNeverQuiet: true, ...options });
  await page.getByText("live", { exact: true }).waitFor();
  return page;
}

/** The console, looking at an organisation of the test's own. */
async function aConsole(options: PageOptions = {}): Promise<Page> {
  return consoleAt("", (await anOrganisation()).orgId, options);
}

/** An organisation with one candidate of each status, named after it. */
async function anOrganisationWithCandidates(): Promise<Organisation & { readonly stagedIds: string[] }> {
  const organisation = await anOrganisation();
  const { orgId, caller } = organisation;
  const stagedIds: string[] = [];
  for (const name of ["received", "verified", "promoted"]) {
    const handle = await received(caller, aSubmission({ externalId: `ats-${name}` }));
    stagedIds.push(handle);
    if (name === "received") continue;
    await responseOf("advance-candidate", {
      orgId,
      handle,
      transition: name === "verified" ? "verify" : "promote",
    });
  }
  return { ...organisation, stagedIds };
}

/** Has the inbox receive an event, and returns the organisation. */
async function anOrganisationWithADelivery(): Promise<Organisation> {
  const organisation = await anOrganisation();
  const { orgId, caller } = organisation;
  await fetch(`${inject("baseUrl")}/console/actions/register-inbox`, {
    method: "POST",
    body: JSON.stringify({ orgId }),
  });
  await received(caller, aSubmission({ externalId: "ats-delivered" }));
  return organisation;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const list = (page: Page, name: string) => page.getByRole("region", { name });
const rows = (page: Page, name: string) => list(page, name).getByRole("listitem");
const choice = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
const finder = (page: Page) => page.getByRole("searchbox", { name: "externalId, stagedId or id" });
const dialog = (page: Page) => page.getByRole("dialog");
const focused = (page: Page) => page.evaluate("document.activeElement.textContent").then(String);

const candidatesOf = (page: Page) => list(page, "Candidates").locator("li a").allInnerTexts();

/** Waits until a list has exactly these candidates. */
async function shows(page: Page, ...externalIds: string[]): Promise<void> {
  await expect.poll(() => candidatesOf(page)).toEqual(externalIds);
}

describeInBrowser("the local console", () => {
  test("the console shows a candidate's lifecycle live, up to the verified delivery", async () => {
    const page = await aConsole();

    await button(page, "Register the inbox").click();
    await button(page, "Inbox registered").waitFor();
    await button(page, "Create a sample candidate").click();
    await button(page, /^Verify sample-/).click();
    await list(page, "Events").getByText("candidate.verified").waitFor();
    await button(page, /^Promote sample-/).focus();
    await page.keyboard.press("Enter");
    await list(page, "Events").getByText("candidate.promoted").waitFor();
    await list(page, "Inbox").getByText("signature verified").nth(2).waitFor();
    const promoted = rows(page, "Deliveries").filter({ hasText: "candidate.promoted" });
    await promoted.getByText("signature verified").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await promoted.getByText("candidate.promoted").click();
    await dialog(page).getByText("X-RR-Delivery-Attempt: 1").waitFor();
    await dialog(page).getByText('"type":"candidate.promoted"').waitFor();

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
    await dialog(page).getByLabel("Message").fill("No page of it can be read.");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await list(page, "Candidates").getByText("validation_failed").waitFor();

    expect(await dialog(page).count()).toBe(0);
    expect(await focused(page)).toBe("Fail validation");
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
    await page.getByText("1 more when you leave the list").waitFor();

    expect(await verify.boundingBox()).toEqual(before);
    await create.hover();
    await button(page, /^Verify sample-/)
      .nth(1)
      .waitFor();
  });
});

describeInBrowser("a list of the local console", () => {
  test("a second click in a list moves no row away from under the pointer", async () => {
    const { orgId, caller } = await anOrganisation();
    await received(caller, aSubmission({ externalId: "ats-pressed" }));
    const page = await consoleAt("/candidates", orgId);
    const press = async (name: string) => {
      await button(page, `${name} ats-pressed`).click();
      await page.getByText(`${name} ats-pressed: Done.`).waitFor();
    };
    await press("Verify");
    await received(caller, aSubmission({ externalId: "ats-newer" }));
    await page.getByText("1 more when you leave the list").waitFor();

    await press("Promote");

    await shows(page, "ats-pressed");
    await page.mouse.move(0, 0);
    await shows(page, "ats-newer", "ats-pressed");
  });

  test("rows that the keyboard is in stay although the pointer leaves the list", async () => {
    const { orgId, caller } = await anOrganisation();
    await received(caller, aSubmission({ externalId: "ats-focused" }));
    const page = await consoleAt("/candidates", orgId);
    await button(page, "Verify ats-focused").hover();
    await page.keyboard.press("j");

    await page.mouse.move(0, 0);
    await received(caller, aSubmission({ externalId: "ats-newer" }));

    await page.getByText("1 more when you leave the list").waitFor();
    await shows(page, "ats-focused");
  });
});

describeInBrowser("the header of the local console", () => {
  test("the overview links to all received requests once it does not show all", async () => {
    const { orgId } = await anOrganisation();
    const inbox = `${inject("baseUrl")}/console/inbox/${orgId}`;
    for (let sent = 0; sent < 21; sent += 1) await fetch(inbox, { method: "POST", body: "{}" });
    const page = await consoleAt("", orgId);

    await page.getByRole("link", { name: "All received requests" }).click();

    await list(page, "Inbox").waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/inbox");
  });

  test("a link leads to the documentation of the same stack, and back leads to the console", async () => {
    const page = await aConsole();

    await page.getByRole("link", { name: "Documentation" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(page.url()).toContain(`${inject("baseUrl")}/docs/`);
    expect(await page.title()).not.toContain("console");

    await page.goBack();
    await page.getByText("live", { exact: true }).waitFor();
  });
});

describeInBrowser("the local console without its stack", () => {
  test("the page says that the stack does not respond until it is connected again, also in a dialog", async () => {
    const { orgId, stagedIds } = await anOrganisationWithCandidates();
    const page = await consoleAt(`/candidates?open=${stagedIds[0]}`, orgId);
    await dialog(page).waitFor();
    // A failing request would be an error on the browser's console, which fails the test.
    await page.evaluate(
      `working = EventSource;
      EventSource = class extends EventTarget { constructor() { super(); globalThis.stream = this } close() {} };
      document.dispatchEvent(new Event("visibilitychange"))`,
    );
    const sentence = "The local stack does not respond, so this page may be out of date.";

    await page.evaluate("stream.dispatchEvent(new Event('error'))");
    await dialog(page).getByRole("status").getByText(sentence).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("status").getByText(sentence).waitFor();
    await page.getByText("not connected", { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.evaluate("EventSource = working; document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText("live", { exact: true }).waitFor();
    expect(await page.getByText(sentence).count()).toBe(0);
  });

  test("the page connects again after a response that is no stream, as of a stack that fails to start", async () => {
    const page = await aConsole();
    // A response that says that something failed would be an error on the browser's console.
    await page.route("**/console/stream/candidates?*", (route) => route.fulfill({ status: 204 }));

    await page.getByRole("link", { name: "Candidates", exact: true }).click();
    await page.getByText("not connected", { exact: true }).waitFor();
    await page.unrouteAll();

    await page.getByText("live", { exact: true }).waitFor();
    await list(page, "Candidates").waitFor();
  });
});

describeInBrowser("the rows of the local console", () => {
  test("a delivery and a received request show their event, and a delivery its candidate and last outcome", async () => {
    const { orgId, caller } = await anOrganisation();
    await fetch(`${inject("baseUrl")}/console/actions/register-inbox`, {
      method: "POST",
      body: JSON.stringify({ orgId }),
    });
    for (const externalId of ["ats-1", "ats-2"]) await received(caller, aSubmission({ externalId }));
    const page = await consoleAt("", orgId);
    const events = list(page, "Events").getByText(/^evt_/);
    await events.nth(1).waitFor();
    const ids = (await events.allInnerTexts()).sort();

    for (const name of ["Deliveries", "Inbox"]) {
      const shown = list(page, name).getByText(/^evt_/);
      await expect.poll(async () => (await shown.allInnerTexts()).sort()).toEqual(ids);
    }
    for (const externalId of ["ats-1", "ats-2"]) {
      const row = rows(page, "Deliveries").filter({ hasText: `of ${externalId}` });
      await row.getByText("1 attempt: 200").waitFor();
    }
    await page.getByRole("link", { name: "Endpoints", exact: true }).click();
    await page.getByRole("link", { name: "/console/inbox/" }).click();
    const shown = dialog(page).getByText(/^evt_/);
    await expect.poll(async () => (await shown.allInnerTexts()).sort()).toEqual(ids);
    await dialog(page).getByText("1 attempt: 200").nth(1).waitFor();
  });
});

describeInBrowser("the inbox of the local console", () => {
  test("an inbox responds as chosen on the page, and a refused delivery shows its next attempt", async () => {
    const { orgId } = await anOrganisationWithADelivery();
    // With several inboxes, each choice names its own.
    await fetch(`${inject("baseUrl")}/console/inbox/${orgId}-other`, { method: "POST", body: "{}" });
    const page = await consoleAt("", orgId);

    await choice(page, `${orgId} responds with`).selectOption("500");
    await page.getByText("The inbox responds with 500.").waitFor();
    await button(page, "Create a sample candidate").click();

    await rows(page, "Deliveries").getByText("next attempt").waitFor();
    await rows(page, "Inbox").getByText("response: 500").waitFor();
  });

  test("a received request shows the beginning of a long body, and says so", async () => {
    const { orgId } = await anOrganisation();
    const body = "x".repeat(64 * 1024 + 1);
    await fetch(`${inject("baseUrl")}/console/inbox/${orgId}`, { method: "POST", body });
    const page = await consoleAt("/inbox", orgId);

    await rows(page, "Inbox").filter({ hasText: "no signature" }).first().getByRole("link").click();

    await dialog(page).getByText("Only the beginning of the body is shown.").waitFor();
    expect(await dialog(page).locator("pre").nth(1).innerText()).toHaveLength(64 * 1024);
  });

  test("a delivery to a deleted endpoint says so, and a sample is of no candidate", async () => {
    const { orgId, caller } = await anOrganisationWithADelivery();
    const endpoints = webhookEndpointsOf(caller);
    const { data } = (await endpoints.list()).body as { data: [{ id: string }] };
    const page = await consoleAt("/deliveries", orgId);
    await rows(page, "Deliveries").getByText("1 attempt: 200").waitFor();
    await endpoints.test(data[0].id);
    await rows(page, "Deliveries").getByText("1 attempt: 200").nth(1).waitFor();

    await endpoints.delete(data[0].id);
    await rows(page, "Deliveries")
      .getByText(/\/console\/inbox\/.*, deleted$/)
      .nth(1)
      .waitFor();

    await rows(page, "Deliveries").first().getByRole("link").click();
    await dialog(page).getByRole("link", { name: /^evt_/ }).click();
    await dialog(page)
      .getByText(/^staged_\w+ \(sample\)$/)
      .waitFor();
  });
});

describeInBrowser("the local console with many candidates", () => {
  test("a page has at most 50 rows, a change arrives without a request, and only its row is drawn again", async () => {
    const { orgId, apiKey } = await anOrganisation();
    const client = new CandidateServiceClient({ baseUrl: inject("baseUrl"), apiKey });
    await client.createCandidateBatch(
      Array.from({ length: 100 }, (_, index) => aSubmission({ externalId: `ats-${index}` })),
    );
    const page = await consoleAt("/candidates", orgId);
    await page.getByText("100", { exact: true }).waitFor();
    expect(await rows(page, "Candidates").count()).toBe(50);
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1_500);
    const firstPage = await candidatesOf(page);

    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.evaluate(
      `changed = new Set(); new MutationObserver((changes) => {
        for (const { target } of changes) changed.add((target.parentElement ?? target).closest("li"));
      }).observe(document.querySelector(".rows"), { subtree: true, childList: true, characterData: true })`,
    );
    await page.evaluate("scrollTo(0, 300)");
    const scrolled = await page.evaluate("scrollY");
    await button(page, /^Verify ats-/)
      .nth(5)
      .click();
    await rows(page, "Candidates").nth(5).getByText("verified").first().waitFor();

    expect(await page.evaluate("changed.size")).toBe(1);
    expect(await page.evaluate("scrollY")).toBe(scrolled);
    expect(asked).toEqual(["/console/actions/advance-candidate"]);

    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("link", { name: "Newest" }).waitFor();
    const both = async () => new Set([...firstPage, ...(await candidatesOf(page))]).size;
    await expect.poll(both).toBe(100);
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await rows(page, "Candidates").count()).toBe(50);
    expect(asked.filter((path) => path.startsWith("/console/stream"))).toHaveLength(1);
  });

  test("a hidden page closes its connection, one of the browser's six, until it is visible again", async () => {
    const page = await aConsole();
    const turn = (visibility: string) =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"))`,
      );
    const isStream = (request: Request) => request.url().includes("/console/stream");

    const closed = page.waitForEvent("requestfailed", isStream);
    await turn("hidden");
    await closed;
    const opened = page.waitForEvent("request", isStream);
    await turn("visible");
    await opened;

    await button(page, "Create a sample candidate").click();
    await button(page, /^Verify sample-/).waitFor();
  });
});

describeInBrowser("the filters of the local console", () => {
  test("candidates are filtered by status and the beginning of their id, with one request each", async () => {
    const { orgId, stagedIds } = await anOrganisationWithCandidates();
    const page = await consoleAt("/candidates", orgId);
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
    let asked = 0;
    page.on("request", () => (asked += 1));

    await choice(page, "Status").selectOption("verified");
    await shows(page, "ats-verified");
    expect(asked).toBe(1);

    await choice(page, "Status").selectOption("any");
    await finder(page).fill("ats-p");
    await shows(page, "ats-promoted");
    await finder(page).fill(stagedIds[0] ?? "");
    await shows(page, "ats-received");
    await choice(page, "Status").selectOption("promoted");
    await page.getByText("Nothing matches these filters.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole("link", { name: /^externalId.*, remove this filter$/ }).click();
    await shows(page, "ats-promoted");
    await finder(page).fill("ats-r");
    await page.getByText("Nothing matches these filters.").waitFor();
    await page.getByRole("link", { name: "Clear all filters" }).click();
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
    expect(await finder(page).inputValue()).toBe("");
  });

  test("a filter may be typed with a space in it", async () => {
    const { orgId, caller } = await anOrganisation();
    await received(caller, aSubmission({ externalId: "ats 7" }));
    await received(caller, aSubmission({ externalId: "ats-7" }));
    const page = await consoleAt("/candidates", orgId);

    await finder(page).pressSequentially("ats 7");
    await shows(page, "ats 7");
    expect(await finder(page).inputValue()).toBe("ats 7");
    await finder(page).press("Space");
    expect(new URL(page.url()).searchParams.get("find")).toBe("ats 7");
    await page.getByRole("link", { name: "Clear all filters" }).click();
    expect(await finder(page).inputValue()).toBe("");
  });

  test("events are filtered by type and candidate, deliveries by endpoint, status, type and event", async () => {
    const { orgId, caller } = await anOrganisationWithADelivery();
    await received(caller, aSubmission({ externalId: "ats-other" }));
    const page = await consoleAt("/events?candidate=ats-delivered", orgId);
    await list(page, "Events").getByText("no. 1 of ats-delivered").waitFor();
    expect(await rows(page, "Events").count()).toBe(1);
    await choice(page, "Event type").selectOption("candidate.erased");
    await page.getByText("Nothing matches these filters.").waitFor();

    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await choice(page, "Endpoint").selectOption({ index: 1 });
    await choice(page, "Status").selectOption("delivered");
    await choice(page, "Event type").selectOption("candidate.received");
    await expect.poll(() => rows(page, "Deliveries").count()).toBe(2);
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()].sort()).toEqual(["endpoint", "org", "status", "type"]);
    await choice(page, "Status").selectOption("failed");
    await page.getByText("Nothing matches these filters.").waitFor();

    // Of a copied URL, although the endpoint is deleted.
    await page.goto(urlOf("/deliveries?endpoint=whe_deleted", orgId));
    await page.getByText("Nothing matches these filters.").waitFor();
    expect(await choice(page, "Endpoint").inputValue()).toBe("whe_deleted");
  });

  test.for(["candidates", "events", "deliveries"])(
    "the hints of the filters of %s are not cut",
    async (view) => {
      const page = await aConsole({ viewport: { width: 1440, height: 900 } });
      await page.goto(page.url().replace("/console", `/console/${view}`));
      await page.getByRole("search").waitFor();

      // A field that is too narrow for its value can be scrolled.
      const cut = await page.evaluate(
        `[...document.querySelectorAll("input[type=search]")].map((field) => {
        field.value = field.placeholder;
        return field.scrollWidth - field.clientWidth;
      })`,
      );

      expect(cut).not.toEqual([]);
      expect(cut).toEqual((cut as number[]).map(() => 0));
    },
  );
});

describeInBrowser("the addresses of the local console", () => {
  test("another organisation is shown without the filters of the one before", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const { orgId: other } = await anOrganisation();
    const page = await consoleAt("/candidates?find=ats-verified", orgId);

    await choice(page, "Organisation").selectOption(other);

    await page.getByText("No candidates yet.").waitFor();
    expect(page.url()).toBe(urlOf("/candidates", other));
  });

  test("the address of an organisation that does not exist says so", async () => {
    const page = await consoleAt("/candidates", "mistyped");

    await page.getByText("There is no organisation mistyped.").waitFor();
  });

  test("a link with Ctrl is opened beside the page", async () => {
    const page = await aConsole();
    const before = page.url();

    const [opened] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Candidates", exact: true }).click({ modifiers: ["Control"] }),
    ]);

    await opened.waitForURL("**/console/candidates?*");
    expect(page.url()).toBe(before);
  });

  test("a copied URL shows the same view, filters and opened candidate", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("/candidates", orgId);
    await choice(page, "Status").selectOption("promoted");
    await shows(page, "ats-promoted");
    await page.getByRole("link", { name: "ats-promoted" }).click();
    await dialog(page).getByRole("heading", { name: "Candidate ats-promoted" }).waitFor();
    expect(await page.title()).toBe("Candidate ats-promoted · Candidates · Local console");

    const copy = await aPage(page.url(), { isNeverQuiet: true });

    await dialog(copy).getByRole("heading", { name: "Candidate ats-promoted" }).waitFor();
    await dialog(copy)
      .getByText(/^cand_/)
      .waitFor();
    await button(copy, "Close").click();
    await shows(copy, "ats-promoted");
    expect(await choice(copy, "Status").inputValue()).toBe("promoted");
    expect(new URL(copy.url()).searchParams.has("open")).toBe(false);
    expect(await copy.title()).toBe("Candidates · Local console");
  });

  test("back and forward go through views, filters and opened items", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("", orgId);
    await page.getByRole("link", { name: "Candidates", exact: true }).click();
    await choice(page, "Status").selectOption("verified");
    await shows(page, "ats-verified");
    await page.getByRole("link", { name: "ats-verified" }).click();
    await dialog(page).waitFor();

    await page.goBack();
    await dialog(page).waitFor({ state: "detached" });
    await page.goBack();
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
    await page.goBack();
    await list(page, "Events").waitFor();
    await page.goForward();
    await page.goForward();
    await page.goForward();

    await dialog(page).getByRole("heading", { name: "Candidate ats-verified" }).waitFor();
    // Closing goes back to the list, not on to another copy of it, and only once.
    const length = await page.evaluate("history.length");
    await page.evaluate("close = document.querySelector('[aria-label=Close]'); close.click(); close.click()");
    await dialog(page).waitFor({ state: "detached" });
    await shows(page, "ats-verified");
    expect(await page.evaluate("history.length")).toBe(length);
  });

  test("no button acts before the organisation is known, if the URL names none", async () => {
    const page = await aPage(`${inject("baseUrl")}/console`, { isNeverQuiet: true });
    const known = Promise.withResolvers<void>();
    await page.route("**/console/stream*", async (route) => {
      await known.promise;
      await route.continue();
    });
    await page.reload();
    const actions: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") actions.push(request.url());
    });

    await button(page, "Create a sample candidate").click({ force: true });
    await button(page, "Register the inbox").click({ force: true });
    known.resolve();
    await button(page, "Create a sample candidate").click();
    await page.getByText(/^Created sample-/).waitFor();

    expect(actions).toEqual([`${inject("baseUrl")}/console/actions/create-candidate`]);
  });

  test("closing an item goes back also where the URL names no organisation, as that of npm start", async () => {
    const page = await aPage(`${inject("baseUrl")}/console`, { isNeverQuiet: true });
    await button(page, "Create a sample candidate").click();
    await page.getByText(/^Created sample-/).waitFor();
    await rows(page, "Candidates").first().getByRole("link").click();
    await dialog(page).waitFor();

    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });

    expect(page.url()).toBe(`${inject("baseUrl")}/console`);
  });

  test("a delivery leads to its endpoint and its event, and the event to its candidate", async () => {
    const { orgId } = await anOrganisationWithADelivery();
    const page = await consoleAt("/deliveries", orgId);
    await rows(page, "Deliveries").getByRole("link", { name: "candidate.received" }).click();
    await dialog(page).getByRole("heading", { name: "Delivery of candidate.received" }).waitFor();

    await dialog(page).getByRole("link", { name: "/console/inbox/" }).click();
    await dialog(page).getByRole("heading", { name: "Webhook endpoint" }).waitFor();
    await dialog(page).getByText("last success").waitFor();
    await dialog(page).getByRole("link", { name: "candidate.received" }).click();
    await dialog(page).getByRole("link", { name: /^evt_/ }).click();
    await dialog(page).getByRole("heading", { name: "Event candidate.received" }).waitFor();
    await dialog(page).getByRole("link", { name: "ats-delivered" }).click();
    await dialog(page).getByRole("heading", { name: "Candidate ats-delivered" }).waitFor();
    await dialog(page).getByRole("link", { name: "Show in the list" }).click();

    await dialog(page).waitFor({ state: "detached" });
    await list(page, "Events").getByText("no. 1 of ats-delivered").waitFor();

    // From the view of the list, too.
    await rows(page, "Events").getByRole("link").click();
    await dialog(page).getByRole("link", { name: "ats-delivered" }).click();
    await dialog(page).getByRole("link", { name: "Show in the list" }).click();
    await dialog(page).waitFor({ state: "detached" });
  });

  test("a delivery is sent again by keyboard, and the dialog shows the result", async () => {
    const { orgId } = await anOrganisationWithADelivery();
    const page = await consoleAt("/deliveries", orgId);
    await rows(page, "Deliveries").getByRole("link", { name: "candidate.received" }).click();
    const sendAgain = dialog(page).getByRole("button", { name: "Send again" });
    await dialog(page).getByRole("heading", { name: "Attempt 1: 200" }).waitFor();
    expect(await dialog(page).getByRole("status").innerText()).toBe("");

    await sendAgain.focus();
    await page.keyboard.press("Enter");
    await dialog(page)
      .getByRole("status")
      .getByText("The delivery is sent again, from its first attempt.")
      .waitFor();
    await dialog(page).getByRole("heading", { name: "Attempt 1: 200" }).nth(1).waitFor();
    expect(await focused(page)).toBe("Send again");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("status").getByText("The delivery is sent again").waitFor();
  });

  test("a candidate whose externalId is a space has links with a text", async () => {
    const { orgId, caller } = await anOrganisation();
    await received(caller, aSubmission({ externalId: " " }));
    const page = await consoleAt("/candidates", orgId);

    await list(page, "Candidates").getByText('" "').click();

    await dialog(page).getByRole("heading", { name: 'Candidate " "' }).waitFor();
    await button(page, "Close").click();
    await button(page, 'Verify " "').waitFor();
  });

  test("an endpoint that is active again has a button that recovers what it missed, until it is recovered", async () => {
    const { orgId, caller } = await anOrganisationWithADelivery();
    const endpoints = webhookEndpointsOf(caller);
    const { data } = (await endpoints.list()).body as { data: [{ id: string }] };
    await endpoints.update(data[0].id, { active: false });
    await received(caller, aSubmission({ externalId: "ats-missed" }));
    const page = await consoleAt(`/endpoints?open=${data[0].id}`, orgId);
    const recover = dialog(page).getByRole("button", { name: /^Recover the events missed since / });
    await dialog(page).getByText("inactive", { exact: true }).waitFor();
    await dialog(page).getByText("disabled: by_request").waitFor();
    expect(await recover.count()).toBe(0);
    await page.getByText("Reactivate the inbox").waitFor();

    await endpoints.update(data[0].id, { active: true });
    await recover.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await recover.click();

    await recover.waitFor({ state: "detached" });
    await dialog(page).getByText("Show in the list (2)").waitFor();
  });

  test("the URL of an unknown view or item shows that it was not found", async () => {
    const page = await consoleAt(
      "/events?open=evt_00000000000000000000000000",
      (await anOrganisation()).orgId,
    );

    await dialog(page).getByRole("heading", { name: "Not found" }).waitFor();
  });
});

describeInBrowser("the keys of the local console", () => {
  test("a developer filters, moves, opens and closes without a pointer", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("", orgId);
    await rows(page, "Candidates").nth(2).waitFor();

    await page.keyboard.press("/");
    await finder(page).and(page.locator(":focus")).waitFor();
    await page.keyboard.type("ats-");
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
    await page.keyboard.press("Tab");
    await page.keyboard.press("j");
    // Typed into the choice of a status, which is no list.
    expect(await focused(page)).not.toBe("ats-promoted");
    await finder(page).focus();
    await page.keyboard.press("Escape");
    expect(await finder(page).inputValue()).toBe("ats-");
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("ats-promoted");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("ats-received");
    await page.keyboard.press("k");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("ats-verified");
    // The browser's.
    await page.keyboard.press("Control+j");
    expect(await focused(page)).toBe("ats-verified");
    await page.keyboard.press("Enter");
    await dialog(page)
      .getByRole("heading", { name: "Candidate ats-verified" })
      .and(page.locator(":focus"))
      .waitFor();

    // Round the whole dialog, and not out of it.
    for (let step = 0; step < 15; step += 1) {
      await page.keyboard.press("Tab");
      // The browser's own controls are between the last element and the first: then the body is the active one.
      const isInside =
        "document.activeElement === document.body || !!document.activeElement.closest('dialog')";
      expect(await page.evaluate(isInside)).toBe(true);
    }
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await focused(page)).toBe("ats-verified");
  });

  test("the Tab key reaches one row of a list, and then its buttons", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("/candidates", orgId);
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
    await choice(page, "Status").focus();

    const reached: string[] = [];
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press("Tab");
      reached.push(await focused(page));
    }

    const buttons = ["Verify", "Promote", "Fail validation", "Revoke consent", "Erase", "Score"];
    expect(reached.slice(0, 7)).toEqual(["ats-promoted", ...buttons]);
    expect(reached[7]).not.toBe("ats-verified");

    // After the keys j and k, their row.
    for (const key of ["j", "j", "Tab"]) await page.keyboard.press(key);
    const label = await page.evaluate("document.activeElement.ariaLabel");
    expect(label).toBe("Verify ats-verified");
  });

  test("a dialog with a form puts the focus in its first field, and what is typed replaces its value", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("/candidates", orgId);
    for (const score of ["55", "70"]) {
      await button(page, "Score ats-verified").focus();
      await page.keyboard.press("Enter");
      await dialog(page).waitFor();
      await page.keyboard.type(score);
      await page.keyboard.press("Enter");
      await list(page, "Candidates").getByText(`score ${score}`).waitFor();
    }
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("spinbutton").fill("");
    await page.keyboard.press("Enter");
    await list(page, "Candidates")
      .getByText(/^score /)
      .waitFor({ state: "detached" });

    await button(page, "Fail validation ats-received").focus();
    await page.keyboard.press("Enter");
    await dialog(page).getByLabel("Reason code").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await button(page, "Erase ats-received").focus();
    await page.keyboard.press("Enter");
    await dialog(page)
      .getByRole("heading", { name: "Erase ats-received" })
      .and(page.locator(":focus"))
      .waitFor();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
  });

  test("a button whose action the candidate's state does not allow does nothing", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("/candidates", orgId);
    const refused = button(page, "Fail validation ats-promoted");
    await refused.waitFor();
    expect(await refused.getAttribute("aria-disabled")).toBe("true");

    await refused.focus();
    await page.keyboard.press("Enter");
    await button(page, "Fail validation ats-verified").focus();
    await page.keyboard.press("Enter");

    await dialog(page).getByRole("heading", { name: "Fail validation ats-verified" }).waitFor();
    expect(await dialog(page).count()).toBe(1);
  });

  test("the question mark shows the keyboard shortcuts, and the focus is visible and returns", async () => {
    const { orgId } = await anOrganisationWithCandidates();
    const page = await consoleAt("/candidates", orgId);
    await shows(page, "ats-promoted", "ats-verified", "ats-received");
    await page.keyboard.press("j");
    const outline = await page.evaluate("getComputedStyle(document.activeElement, '::after').outlineStyle");
    expect(outline).toBe("solid");

    await page.keyboard.press("?");
    await dialog(page).getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await dialog(page).waitFor({ state: "detached" });
    expect(await focused(page)).toBe("ats-promoted");
    await button(page, "Shortcuts").click();
    await dialog(page).getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  });

  test.for([
    ["on a phone", PHONE],
    ["at a zoom of 200 %", { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }],
  ] as const)("every view and an opened delivery fit %s", async ([, options]) => {
    const { orgId } = await anOrganisationWithADelivery();
    const page = await consoleAt("/deliveries", orgId, options);
    for (const name of ["Candidates", "Events", "Endpoints", "Inbox", "Deliveries"]) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("listitem").first().waitFor();
      expect([name, await overflow(page), await accessibilityProblems(page)]).toEqual([name, 0, []]);
    }
    await rows(page, "Deliveries").getByRole("link").click();
    await dialog(page).getByText("signature verified").waitFor();

    expect(await overflow(page)).toBe(0);
    const dialogOverflow =
      "document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth";
    expect(await page.evaluate(dialogOverflow)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
