import { useComputed } from "@preact/signals";
import { memo } from "preact/compat";
import type { EventView } from "../view.ts";
import { lists, newestFirst } from "./live.ts";
import { Panel } from "./panel.tsx";
import { Time } from "./words.tsx";

const events = newestFirst(lists.events, ({ key }) => key);

export function Events() {
  return (
    <Panel
      id="events"
      title="Event feed"
      items={events.value}
      Row={Event}
      empty="No events yet. Changes in a candidate's lifecycle fire events."
    />
  );
}

const Event = memo(function Event({ item }: { readonly item: EventView }) {
  const externalId = useComputed(
    () => lists.candidates.value.get(`${item.orgId} ${item.subject}`)?.externalId,
  );
  return (
    <li>
      <div class="line">
        <strong>{item.type}</strong>
        <span class="quiet">
          {item.sample ? "sample" : item.sequence !== null && `no. ${item.sequence}`}
          {externalId.value && ` of ${externalId.value}`}
        </span>
        <Time at={item.occurredAt} />
      </div>
      <div class="line id quiet">
        <span>{item.key}</span>
        <span>{item.subject}</span>
        {item.inFeedSince === null && !item.sample && <span class="mark wait">not in the feed yet</span>}
      </div>
    </li>
  );
});
