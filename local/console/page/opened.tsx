import type { Opened as Item } from "../page-data.ts";
import { externalIdText } from "./candidate-name.ts";
import { CandidateButtons } from "./candidates.tsx";
import { limitText } from "./counts.ts";
import { Attempt, endpointText, SendAgain } from "./deliveries.tsx";
import { Dialog } from "./dialog.tsx";
import { RecoverMissed } from "./endpoints.tsx";
import { FeedMark } from "./events.tsx";
import { address, close, screen, urlOf } from "./live.ts";
import { NewMessage } from "./message.tsx";
import { DeliveryLinks, EventLinks, Field, Fields } from "./opened-parts.tsx";
import {
  Body,
  CandidateStatusMark,
  DeliveryStatusMark,
  EndpointHealth,
  Headers,
  Mark,
  Signature,
  Time,
} from "./values.tsx";

/** The opened item. */
export function Opened() {
  const { opened } = screen.value;
  if (address.value.open === undefined || !opened) return null;
  return (
    <Dialog title={titleOf(opened)} onClose={close} class="opened">
      <NewMessage key={address.value.open} />
      <Contents opened={opened} />
    </Dialog>
  );
}

/** The title of the opened item; undefined if there is none. */
export function openedTitle(): string | undefined {
  const { opened } = screen.value;
  return address.value.open !== undefined && opened ? titleOf(opened) : undefined;
}

function titleOf(opened: Item): string {
  switch (opened.kind) {
    case "candidate": {
      const { externalId } = opened.candidate;
      return `Candidate ${externalId === null ? "(erased)" : externalIdText(externalId)}`;
    }
    case "event":
      return `Event ${opened.event.type}`;
    case "endpoint":
      return "Webhook endpoint";
    case "delivery":
      return `Delivery of ${opened.delivery.eventType}`;
    case "received":
      return "Received request";
    case "unknown":
      return screen.value.isReading ? "Loading" : "Not found";
  }
}

function Contents({ opened }: { readonly opened: Item }) {
  switch (opened.kind) {
    case "candidate":
      return <Candidate {...opened} />;
    case "event":
      return <Event {...opened} />;
    case "endpoint":
      return <Endpoint {...opened} />;
    case "delivery":
      return <Delivery {...opened} />;
    case "received":
      return <Received {...opened} />;
    case "unknown":
      return (
        <p>
          {screen.value.isReading
            ? "The console is still loading the stored data."
            : `The console has no ${address.value.open} of ${screen.value.organisation}.${limitText(opened.newestOnly)}`}
        </p>
      );
  }
}

type Of<Kind extends Item["kind"]> = Extract<Item, { readonly kind: Kind }>;

function Candidate({ candidate, events }: Of<"candidate">) {
  const { stagedId, id, status, verificationStatus, availabilityStatus, workReadinessScore } = candidate;
  return (
    <>
      <Fields>
        <Field name="status">
          <CandidateStatusMark status={status} />
        </Field>
        <Field name="stagedId">{stagedId}</Field>
        {id && <Field name="id">{id}</Field>}
        {verificationStatus && <Field name="verificationStatus">{verificationStatus}</Field>}
        {availabilityStatus && <Field name="availabilityStatus">{availabilityStatus}</Field>}
        {workReadinessScore !== null && <Field name="workReadinessScore">{workReadinessScore}</Field>}
        <Field name="received">
          <Time at={candidate.receivedAt} />
        </Field>
        <Field name="updated">
          <Time at={candidate.updatedAt} />
        </Field>
      </Fields>
      <CandidateButtons candidate={candidate} isReached={true} />
      <EventLinks events={events} all={urlOf({ view: "events", filters: { candidate: stagedId } })} />
    </>
  );
}

function Event({ event, deliveries }: Of<"event">) {
  const isOfCandidate = event.sequence !== null && !event.sample;
  return (
    <>
      <Fields>
        <Field name="id">{event.key}</Field>
        <Field name={event.sequence === null ? "endpoint" : "candidate"}>
          {event.sample ? (
            `${event.subject} (sample)`
          ) : (
            <a href={urlOf({ open: event.subject })}>
              {isOfCandidate && event.externalId !== null ? externalIdText(event.externalId) : event.subject}
            </a>
          )}
        </Field>
        {event.sequence !== null && <Field name="sequence">{event.sequence}</Field>}
        <Field name="occurred">
          <Time at={event.occurredAt} />
        </Field>
        {(event.inFeedSince || event.awaitsFeed) && (
          <Field name="in the event feed">
            {event.inFeedSince ? <Time at={event.inFeedSince} /> : <FeedMark event={event} />}
          </Field>
        )}
      </Fields>
      <DeliveryLinks
        deliveries={deliveries}
        all={urlOf({ view: "deliveries", filters: { event: event.key } })}
        textOf={({ url, endpointId }) => url ?? endpointId}
        idOf={({ endpointId }) => endpointId}
      />
    </>
  );
}

function Endpoint({ endpoint, deliveries }: Of<"endpoint">) {
  return (
    <>
      <Fields>
        <Field name="url">{endpoint.url}</Field>
        <Field name="id">{endpoint.key}</Field>
        {endpoint.description && <Field name="description">{endpoint.description}</Field>}
        <Field name="event types">{endpoint.eventTypes.join(", ")}</Field>
        <Field name="state">
          <Mark tone={endpoint.active ? "good" : "bad"} text={endpoint.active ? "active" : "inactive"} />
        </Field>
        <Field name="health">
          <EndpointHealth endpoint={endpoint} />
        </Field>
      </Fields>
      <RecoverMissed endpoint={endpoint} />
      <DeliveryLinks
        deliveries={deliveries}
        all={urlOf({ view: "deliveries", filters: { endpoint: endpoint.key } })}
        textOf={({ eventType }) => eventType}
        idOf={({ eventId }) => eventId}
      />
    </>
  );
}

function Delivery({ delivery, endpoint, attempts }: Of<"delivery">) {
  const { endpointId, eventId, status, nextAttemptAt } = delivery;
  return (
    <>
      <Fields>
        <Field name="status">
          <DeliveryStatusMark status={status} />
        </Field>
        <Field name="endpoint">
          {endpoint ? <a href={urlOf({ open: endpointId })}>{endpoint.url}</a> : endpointText(delivery)}
        </Field>
        {endpoint && (
          <Field name="health">
            <EndpointHealth endpoint={endpoint} />
          </Field>
        )}
        <Field name="event">
          <a href={urlOf({ open: eventId })}>{eventId}</a>
        </Field>
        {nextAttemptAt && (
          <Field name="next attempt">
            <Time at={nextAttemptAt} />
          </Field>
        )}
      </Fields>
      <SendAgain delivery={delivery} />
      {attempts.map((each) => (
        <Attempt key={each.at} made={each} />
      ))}
    </>
  );
}

function Received({ received, eventId }: Of<"received">) {
  const { inbox, receivedAt, response, signature, headers, body, cut } = received;
  return (
    <>
      <Fields>
        <Field name="inbox">{inbox}</Field>
        <Field name="received">
          <Time at={receivedAt} />
        </Field>
        <Field name="response">{response}</Field>
        <Field name="signature">
          <Signature check={signature} />
        </Field>
        {eventId && (
          <Field name="event">
            <a href={urlOf({ open: eventId })}>{eventId}</a>
          </Field>
        )}
      </Fields>
      <Headers headers={headers} />
      <Body body={body} cut={cut} />
    </>
  );
}
