import { effect } from "@preact/signals";
import { render } from "preact";
import { VIEWS, type View } from "../address.ts";
import { actOnce, isRunning } from "./act.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { RecoverMissed } from "./endpoints.tsx";
import { listenToKeys, ShortcutsButton, ShortcutsDialog } from "./keyboard.tsx";
import { Lists } from "./lists.tsx";
import { address, follow, go, isLive, isStale, organisation, screen, urlOf } from "./live.ts";
import { Message } from "./message.tsx";
import { Opened, openedTitle } from "./opened.tsx";

const VIEW_NAMES: Record<View, string> = {
  overview: "Overview",
  candidates: "Candidates",
  events: "Events",
  deliveries: "Deliveries",
  endpoints: "Endpoints",
  inbox: "Inbox",
};

/** The current function of the inbox button, and the inbox's endpoint. */
function registering() {
  const { inboxes, endpoints } = screen.value;
  const url = inboxes.find(({ key }) => key === organisation.value)?.url;
  const endpoint = endpoints.find((each) => each.inbox === organisation.value && each.url === url);
  if (!endpoint) return { label: "Register the inbox", possible: true, endpoint };
  if (!endpoint.active) return { label: "Reactivate the inbox", possible: true, endpoint };
  return { label: "Inbox registered", possible: false, endpoint };
}

function Page() {
  const orgId = organisation.value;
  // If the URL names none, until the server does.
  const isKnown = orgId !== "";
  const { label, possible, endpoint } = registering();
  return (
    <>
      <header>
        <h1>Local console</h1>
        <Connection />
        <label>
          Organisation
          <select
            value={orgId}
            onChange={({ currentTarget: { value } }) =>
              go(urlOf({ org: value, filters: {}, after: undefined, open: undefined }))
            }
          >
            {screen.value.organisations.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="primary"
          // Not `disabled`: a pressed button would lose the focus.
          aria-disabled={!isKnown || isRunning("create-candidate", { orgId })}
          onClick={() => isKnown && actOnce("create-candidate", { orgId })}
        >
          Create a sample candidate
        </button>
        <button
          type="button"
          aria-disabled={!isKnown || !possible || isRunning("register-inbox", { orgId })}
          onClick={() => isKnown && possible && actOnce("register-inbox", { orgId })}
        >
          {label}
        </button>
        <RecoverMissed endpoint={endpoint} />
        <a href="/">Documentation</a>
        <ShortcutsButton />
        <Views />
      </header>
      <Message />
      <Lists />
      <Opened />
      <ActionDialog />
      <ShortcutsDialog />
    </>
  );
}

function Connection() {
  const [tone, text] = isLive.value
    ? ["good", "live"]
    : isStale.value
      ? ["bad", "not connected"]
      : ["wait", "connecting"];
  return <span class={`connection mark ${tone}`}>{text}</span>;
}

function Views() {
  return (
    <nav class="views" aria-label="Views">
      {VIEWS.map((view) => (
        <a key={view} href={urlOf({ view })} aria-current={view === address.value.view ? "page" : undefined}>
          {VIEW_NAMES[view]}
        </a>
      ))}
    </nav>
  );
}

effect(() => {
  const shown = [openedTitle(), VIEW_NAMES[address.value.view], "Local console"];
  document.title = shown.filter((part) => part !== undefined).join(" · ");
});
follow();
listenToKeys();
render(<Page />, document.body);
