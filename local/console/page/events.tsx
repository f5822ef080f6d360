import type { EventRow as Item } from "../page-data.ts";
import { externalIdText } from "./candidate-name.ts";
import { OpenLink } from "./panel.tsx";
import { Time } from "./values.tsx";

export function EventRow({ item, isCurrent }: { readonly item: Item; readonly isCurrent: boolean }) {
  return (
    <>
      <div class="line">
        <OpenLink open={item.key} isCurrent={isCurrent}>
          {item.type}
        </OpenLink>
        <span class="quiet">
          {item.sample ? "sample" : item.sequence !== null && `no. ${item.sequence}`}
          {item.externalId !== null && ` of ${externalIdText(item.externalId)}`}
        </span>
        <Time at={item.occurredAt} />
      </div>
      <div class="line id quiet">
        <span>{item.key}</span>
        <span>{item.subject}</span>
        <FeedMark event={item} />
      </div>
    </>
  );
}

export function FeedMark({ event }: { readonly event: Item }) {
  if (!event.awaitsFeed) return null;
  return <span class="mark wait">not in the feed yet</span>;
}
