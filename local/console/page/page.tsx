import { computed } from "@preact/signals";
import { render } from "preact";
import { act, lastMessage } from "./act.ts";
import { ActionDialog, Candidates } from "./candidates.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Events } from "./events.tsx";
import { Inbox } from "./inbox.tsx";
import { choose, follow, isLive, lists, organisation, organisations } from "./live.ts";

/** The current function of the inbox button. */
const registering = computed(() => {
  const url = lists.inboxes.value.get(organisation.value)?.url;
  const endpoint = [...lists.endpoints.value.values()].find(
    (each) => each.inbox === organisation.value && each.url === url,
  );
  if (!endpoint) return { label: "Register the inbox", possible: true, isActive: false };
  if (!endpoint.active) return { label: "Reactivate the inbox", possible: true, isActive: false };
  return { label: "Inbox registered", possible: false, isActive: true };
});

function Page() {
  const orgId = organisation.value;
  const { label, possible, isActive } = registering.value;
  return (
    <>
      <header>
        <h1>Local console</h1>
        <span class={`connection mark ${isLive.value ? "good" : "wait"}`}>
          {isLive.value ? "live" : "connecting"}
        </span>
        <label>
          Organisation
          <select value={orgId} onChange={(event) => choose(event.currentTarget.value)}>
            {organisations.value.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="primary" onClick={() => act("create-candidate", { orgId })}>
          Create a sample candidate
        </button>
        <button
          type="button"
          aria-disabled={!possible}
          onClick={() => possible && act("register-inbox", { orgId })}
        >
          {label}
        </button>
        <button
          type="button"
          aria-disabled={!isActive}
          onClick={() => isActive && act("recover-inbox", { orgId })}
        >
          Recover missed events
        </button>
      </header>
      <output class={lastMessage.value.refused ? "told refused" : "told"}>
        {lastMessage.value.text || "Shows only ids and states: no personal data except the externalId."}
      </output>
      <main>
        <Candidates />
        <Events />
        <Deliveries />
        <Inbox />
      </main>
      <ActionDialog />
    </>
  );
}

follow();
render(<Page />, document.body);
