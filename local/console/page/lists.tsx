import { useEffect } from "preact/hooks";
import type { FILTERS, View } from "../address.ts";
import type { Screen } from "../page-data.ts";
import { CandidateRow } from "./candidates.tsx";
import { limitText } from "./counts.ts";
import { DeliveryRow } from "./deliveries.tsx";
import { EndpointRow } from "./endpoints.tsx";
import { EventRow } from "./events.tsx";
import { FilterBar } from "./filters.tsx";
import { InboxResponses, ReceivedRow } from "./inbox.tsx";
import { focusAwaitedFilter } from "./keyboard.tsx";
import { address, screen } from "./live.ts";
import { Panel } from "./panel.tsx";

/** The lists of the view. */
export function Lists() {
  const { view } = address.value;
  useEffect(focusAwaitedFilter, [view]);
  return (
    <main class={view === "overview" ? "overview" : undefined} aria-busy={screen.value.isReading}>
      {screen.value.isReading && <p class="quiet">Loading the stored data …</p>}
      {screen.value.isOrganisationUnknown && (
        <p>
          There is no organisation {screen.value.organisation}. Choose another one, or create it with npm run
          platform.
        </p>
      )}
      {shows(view, "candidates") && <Candidates />}
      {shows(view, "events") && <Events />}
      {shows(view, "deliveries") && <Deliveries />}
      {shows(view, "endpoints") && <Endpoints />}
      {shows(view, "inbox") && <Inbox />}
    </main>
  );
}

function shows(view: View, list: View): boolean {
  return view === list || (view === "overview" && list !== "endpoints");
}

function Candidates() {
  return (
    <Panel
      id="candidates"
      title="Candidates"
      page={screen.value.lists.candidates}
      Row={CandidateRow}
      empty={emptyText("candidates", "No candidates yet. Create a sample, or send one to the API.")}
      filters={filtersOf("candidates")}
    />
  );
}

function Events() {
  return (
    <Panel
      id="events"
      title="Events"
      page={screen.value.lists.events}
      Row={EventRow}
      empty={emptyText("events", "No events yet. Changes in a candidate's lifecycle fire events.")}
      filters={filtersOf("events")}
    />
  );
}

function Deliveries() {
  return (
    <Panel
      id="deliveries"
      title="Deliveries"
      page={screen.value.lists.deliveries}
      Row={DeliveryRow}
      empty={emptyText("deliveries", "No deliveries yet. Register the inbox or your own endpoint.")}
      filters={filtersOf("deliveries")}
    />
  );
}

function Endpoints() {
  return (
    <Panel
      id="endpoints"
      title="Endpoints"
      page={screen.value.lists.endpoints}
      Row={EndpointRow}
      empty={emptyText("endpoints", "No endpoints yet. Register the inbox or your own endpoint.")}
    />
  );
}

function Inbox() {
  return (
    <Panel
      id="inbox"
      title="Inbox"
      page={screen.value.lists.received}
      Row={ReceivedRow}
      noun="received requests"
      empty="Nothing received yet. Any address below /console/inbox/ accepts webhooks."
    >
      <InboxResponses />
    </Panel>
  );
}

/** The filters of a list in its own view: beside other lists it has none. */
function filtersOf(list: keyof typeof FILTERS) {
  return address.value.view === list ? <FilterBar /> : undefined;
}

function emptyText(list: keyof Screen["lists"], text: string): string {
  if (screen.value.isReading) return "None so far.";
  const newestOnly = screen.value.lists[list]?.newestOnly ?? null;
  const isFiltered = Object.keys(address.value.filters).length > 0;
  if (isFiltered) return `Nothing matches these filters.${limitText(newestOnly)}`;
  return newestOnly === null ? text : `None.${limitText(newestOnly)}`;
}
