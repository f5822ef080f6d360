import { expect, onTestFinished, test, vi } from "vitest";
import { actOnce, isRunning, lastMessage } from "../../../../local/console/page/act.ts";

/** Has the server respond to each action when the test says so, and records the actions. */
function aServer() {
  const actions: string[] = [];
  const responding: (() => void)[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    actions.push(url.replace("/console/actions/", ""));
    return new Promise((resolve) => responding.push(() => resolve(Response.json({ message: "Done." }))));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const respond = () => {
    for (const each of responding.splice(0)) each();
  };
  return { actions, respond };
}

const acme = { orgId: "acme" };

test("a second click on a button of the console does nothing until the server has responded", async () => {
  const { actions, respond } = aServer();

  const clicks = [actOnce("register-inbox", acme), actOnce("register-inbox", acme)];

  expect(isRunning("register-inbox", acme)).toBe(true);
  respond();
  await Promise.all(clicks);
  expect(actions).toEqual(["register-inbox"]);
  expect(isRunning("register-inbox", acme)).toBe(false);
  expect(lastMessage.value).toEqual({ text: "Done.", refused: false });
});

test("an action without a response leaves a message that is still true when the stack responds again", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  onTestFinished(() => void vi.unstubAllGlobals());

  await actOnce("create-candidate", acme, "Create: ");

  expect(isRunning("create-candidate", acme)).toBe(false);
  expect(lastMessage.value).toEqual({
    text: "Create: There was no response. Repeat the action if it has had no effect.",
    refused: true,
  });
});

test("a button of the console acts beside others, and again after the response", async () => {
  const { actions, respond } = aServer();

  const clicks = [
    actOnce("register-inbox", acme),
    actOnce("register-inbox", { orgId: "umbrella" }),
    actOnce("create-candidate", acme),
  ];
  respond();
  await Promise.all(clicks);
  const again = actOnce("create-candidate", acme);
  respond();
  await again;

  expect(actions).toEqual(["register-inbox", "register-inbox", "create-candidate", "create-candidate"]);
});
