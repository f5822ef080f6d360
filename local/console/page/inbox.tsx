import {
  INBOX_RESPONSES,
  INBOX_RETRY_AFTER,
  type InboxResponse,
  type ReceivedRow as Item,
} from "../page-data.ts";
import { act } from "./act.ts";
import { screen } from "./live.ts";
import { OpenLink } from "./panel.tsx";
import { Signature, Time } from "./values.tsx";

const RESPONSES: Record<InboxResponse, string> = {
  "200": "200 OK",
  "429": `429, Retry-After ${INBOX_RETRY_AFTER}`,
  "500": "500",
  "410": "410 Gone",
  hang: "no response",
};

/** The choice of each inbox's response. */
export function InboxResponses() {
  const { inboxes } = screen.value;
  return inboxes.map(({ key, response }) => (
    <label key={key}>
      {inboxes.length > 1 ? `${key} responds with ` : "Respond with "}
      <select
        value={response}
        onChange={(event) => act("set-inbox-response", { inbox: key, response: event.currentTarget.value })}
      >
        {INBOX_RESPONSES.map((each) => (
          <option key={each} value={each}>
            {RESPONSES[each]}
          </option>
        ))}
      </select>
    </label>
  ));
}

export function ReceivedRow({ item, isCurrent }: { readonly item: Item; readonly isCurrent: boolean }) {
  return (
    <>
      <div class="line">
        <OpenLink open={item.key} isCurrent={isCurrent}>
          {item.eventType ?? "POST"}
        </OpenLink>
        {item.attempt && <span class="quiet">attempt {item.attempt}</span>}
        <Signature check={item.signature} />
        <span class="quiet">response: {RESPONSES[item.response]}</span>
        <Time at={item.receivedAt} />
      </div>
      {item.eventId && (
        <div class="line id quiet">
          <span>{item.eventId}</span>
        </div>
      )}
    </>
  );
}
