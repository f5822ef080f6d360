import { computed, useSignal } from "@preact/signals";
import { memo } from "preact/compat";
import { INBOX_ANSWERS, INBOX_RETRY_AFTER, type InboxAnswer, type ReceivedView } from "../view.ts";
import { act } from "./act.ts";
import { lists, organisation } from "./live.ts";
import { Panel } from "./panel.tsx";
import { Body, Headers, Signature, Time } from "./words.tsx";

const ANSWERS: Record<InboxAnswer, string> = {
  "200": "200 OK",
  "429": `429, Retry-After ${INBOX_RETRY_AFTER}`,
  "500": "500",
  "410": "410 Gone",
  hang: "no response",
};

/** The inbox named after the organisation, and inboxes registered manually under other names. */
const inboxes = computed(() =>
  [...lists.inboxes.value.values()].filter(
    ({ key }) => key === organisation.value || !lists.organisations.value.has(key),
  ),
);

const received = computed(() => {
  const names = new Set(inboxes.value.map(({ key }) => key));
  return [...lists.received.value.values()]
    .filter(({ inbox }) => names.has(inbox))
    .sort((left, right) => right.receivedAt.localeCompare(left.receivedAt));
});

export function Inbox() {
  return (
    <Panel
      id="inbox"
      title="Inbox"
      items={received.value}
      Row={Received}
      empty="Nothing received yet. Any address below /console/inbox/ accepts webhooks."
    >
      {inboxes.value.map(({ key, answer }) => (
        <label key={key}>
          {inboxes.value.length > 1 ? `${key} responds with ` : "Respond with "}
          <select
            value={answer}
            onChange={(event) => act("set-inbox-answer", { inbox: key, answer: event.currentTarget.value })}
          >
            {INBOX_ANSWERS.map((each) => (
              <option key={each} value={each}>
                {ANSWERS[each]}
              </option>
            ))}
          </select>
        </label>
      ))}
    </Panel>
  );
}

const Received = memo(function Received({ item }: { readonly item: ReceivedView }) {
  const open = useSignal(false);
  const header = (name: string) => item.headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const attempt = header("x-rr-delivery-attempt");
  return (
    <li>
      <details onToggle={(event) => (open.value = event.currentTarget.open)}>
        <summary>
          <div class="line">
            <strong>{header("x-rr-event-type") ?? "POST"}</strong>
            {attempt && <span class="quiet">attempt {attempt}</span>}
            <Signature check={item.signature} />
            <span class="quiet">response: {ANSWERS[item.answer]}</span>
            <Time at={item.receivedAt} />
          </div>
        </summary>
        {open.value && (
          <div class="try">
            <Headers headers={item.headers} />
            <Body body={item.body} cut={item.cut} />
          </div>
        )}
      </details>
    </li>
  );
});
