import { useSignal } from "@preact/signals";
import { memo } from "preact/compat";
import type { AttemptView, DeliveryView } from "../view.ts";
import { lists, newestFirst } from "./live.ts";
import { Panel } from "./panel.tsx";
import { Body, DeliveryStatusMark, EndpointHealth, Headers, Signature, Time } from "./words.tsx";

const deliveries = newestFirst(lists.deliveries, ({ eventId }) => eventId);

export function Deliveries() {
  return (
    <Panel
      id="deliveries"
      title="Deliveries"
      items={deliveries.value}
      Row={Delivery}
      empty="No deliveries yet. Register the inbox or your own endpoint."
    />
  );
}

const Delivery = memo(function Delivery({ item }: { readonly item: DeliveryView }) {
  const open = useSignal(false);
  const { eventType, status, attempts, nextAttemptAt } = item;
  const lastAttempt = attempts.at(-1);
  const endpoint = lists.endpoints.value.get(item.endpointId);
  const url = endpoint?.url ?? lastAttempt?.request?.url;
  return (
    <li>
      <details onToggle={(event) => (open.value = event.currentTarget.open)}>
        <summary>
          <div class="line">
            <DeliveryStatusMark status={status} />
            <strong>{eventType}</strong>
            <span class="quiet">{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</span>
            {lastAttempt?.request && <Signature check={lastAttempt.request.signature} />}
            {lastAttempt && !nextAttemptAt && <Time at={lastAttempt.at} />}
            {nextAttemptAt && (
              <span class="quiet end">
                next attempt <Time at={nextAttemptAt} />
              </span>
            )}
          </div>
          <div class="id quiet">{url ?? `${item.endpointId}, deleted`}</div>
        </summary>
        {open.value && endpoint && (
          <div class="line quiet">
            <EndpointHealth endpoint={endpoint} />
          </div>
        )}
        {open.value && attempts.map((each) => <Attempt key={each.at} made={each} />)}
        {open.value && <p class="id quiet">{`${item.eventId} to ${item.endpointId}`}</p>}
      </details>
    </li>
  );
});

function Attempt({ made }: { readonly made: AttemptView }) {
  const { attempt, at, durationMs, statusCode, failure, request } = made;
  return (
    <div class="try">
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
        <p class="quiet">
          {failure && failure !== "timeout"
            ? "Nothing was sent."
            : "The request is no longer available: it was sent before the stack started, or too long ago."}
        </p>
      )}
    </div>
  );
}
