import type { AttemptView, DeliveryRow as Item } from "../page-data.ts";
import { actOnce, isRunning } from "./act.ts";
import { externalIdText } from "./candidate-name.ts";
import { missingRequestText } from "./missing-request.ts";
import { OpenLink } from "./panel.tsx";
import { Body, DeliveryStatusMark, Headers, Signature, Time } from "./values.tsx";

export function DeliveryRow({ item, isCurrent }: { readonly item: Item; readonly isCurrent: boolean }) {
  const { eventType, eventId, externalId, status, nextAttemptAt, lastAttemptAt, signature } = item;
  return (
    <>
      <div class="line">
        <DeliveryStatusMark status={status} />
        <OpenLink open={item.key} isCurrent={isCurrent}>
          {eventType}
        </OpenLink>
        {externalId !== null && <span class="quiet">of {externalIdText(externalId)}</span>}
        {lastAttemptAt && !nextAttemptAt && <Time at={lastAttemptAt} />}
        {nextAttemptAt && (
          <span class="quiet end">
            next attempt <Time at={nextAttemptAt} />
          </span>
        )}
      </div>
      <div class="line">
        <span class="id quiet">{eventId}</span>
        <span class="quiet">{attemptsText(item)}</span>
        {signature && <Signature check={signature} />}
        <span class="id quiet">{endpointText(item)}</span>
      </div>
    </>
  );
}

/** How many attempts a delivery has had, and the outcome of the last one. */
export function attemptsText({ attempts, lastOutcome }: Pick<Item, "attempts" | "lastOutcome">): string {
  if (lastOutcome === null) return "no attempt yet";
  return attempts === 1 ? `1 attempt: ${lastOutcome}` : `${attempts} attempts, last: ${lastOutcome}`;
}

/** The endpoint of a delivery, by its URL or its id. */
export function endpointText({ url, endpointId, isEndpointDeleted }: Item): string {
  return `${url ?? endpointId}${isEndpointDeleted ? ", deleted" : ""}`;
}

/** The button that sends a delivery again, from its first attempt. The service refuses what is not possible. */
export function SendAgain({ delivery }: { readonly delivery: Item }) {
  const { orgId, endpointId, eventId } = delivery;
  const input = { orgId, endpointId, eventId };
  return (
    <div class="buttons">
      <button
        type="button"
        aria-disabled={isRunning("redeliver-event", input)}
        onClick={() => actOnce("redeliver-event", input)}
      >
        Send again
      </button>
    </div>
  );
}

export function Attempt({ made }: { readonly made: AttemptView }) {
  const { attempt, at, durationMs, statusCode, failure, request } = made;
  return (
    <section class="attempt" aria-label={`Attempt ${attempt} at ${at}`}>
      <div class="line">
        <h3>
          Attempt {attempt}: {statusCode ?? failure}
        </h3>
        <span class="quiet">{durationMs} ms</span>
        <Time at={at} />
      </div>
      {request ? (
        <>
          <div class="line">
            <Signature check={request.signature} />
            {request.signature === "secret unknown" && (
              <span class="quiet">The console did not register this endpoint and has no secret for it.</span>
            )}
          </div>
          <Headers headers={request.headers} />
          <Body body={request.body} cut={request.cut} />
        </>
      ) : (
        <p class="quiet">{missingRequestText(made)}</p>
      )}
    </section>
  );
}
