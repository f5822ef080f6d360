/** The fields and links of the opened item. */
import type { ComponentChildren } from "preact";
import type { DeliveryRow, EventRow, Page } from "../page-data.ts";
import { countText } from "./counts.ts";
import { attemptsText } from "./deliveries.tsx";
import { screen, urlOf } from "./live.ts";
import { DeliveryStatusMark, Time } from "./values.tsx";

export function EventLinks({ events, all }: { readonly events: Page<EventRow>; readonly all: string }) {
  return (
    <Links title="Events" all={all} page={events}>
      {events.items.map(({ key, type, occurredAt }) => (
        <li key={key} class="line">
          <a href={urlOf({ open: key })}>{type}</a>
          <Time at={occurredAt} />
        </li>
      ))}
    </Links>
  );
}

export function DeliveryLinks({
  deliveries,
  all,
  textOf,
  idOf,
}: {
  readonly deliveries: Page<DeliveryRow>;
  readonly all: string;
  readonly textOf: (delivery: DeliveryRow) => string;
  /** What distinguishes deliveries with the same text. */
  readonly idOf: (delivery: DeliveryRow) => string;
}) {
  return (
    <Links title="Deliveries" all={all} page={deliveries}>
      {deliveries.items.map((delivery) => (
        <li key={delivery.key} class="line">
          <DeliveryStatusMark status={delivery.status} />
          <a href={urlOf({ open: delivery.key })}>{textOf(delivery)}</a>
          {idOf(delivery) !== textOf(delivery) && <span class="id quiet">{idOf(delivery)}</span>}
          <span class="quiet">{attemptsText(delivery)}</span>
          {delivery.lastAttemptAt && <Time at={delivery.lastAttemptAt} />}
        </li>
      ))}
    </Links>
  );
}

interface LinksProps {
  readonly title: string;
  /** The URL of the view with all of them. */
  readonly all: string;
  readonly page: Page<unknown>;
  readonly children: ComponentChildren;
}

function Links({ title, all, page, children }: LinksProps) {
  return (
    <>
      <div class="line">
        <h3>{title}</h3>
        <a href={all}>Show in the list ({countText(page, screen.value.isReading)})</a>
      </div>
      {page.total > 0 && <ul class="links">{children}</ul>}
    </>
  );
}

export function Fields({ children }: { readonly children: ComponentChildren }) {
  return <dl>{children}</dl>;
}

export function Field({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
