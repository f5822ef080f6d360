import type { EndpointRow as Item } from "../page-data.ts";
import { actOnce, isRunning } from "./act.ts";
import { OpenLink } from "./panel.tsx";
import { EndpointHealth, Mark, Time } from "./values.tsx";

export function EndpointRow({ item, isCurrent }: { readonly item: Item; readonly isCurrent: boolean }) {
  return (
    <>
      <div class="line">
        <Mark tone={item.active ? "good" : "bad"} text={item.active ? "active" : "inactive"} />
        <OpenLink open={item.key} isCurrent={isCurrent}>
          {item.url}
        </OpenLink>
        {item.inbox !== null && <span class="quiet">inbox</span>}
      </div>
      <div class="line quiet">
        <span class="id">{item.key}</span>
        <EndpointHealth endpoint={item} />
      </div>
    </>
  );
}

/** The button that sends an active endpoint what it missed while it was inactive, if it missed anything. */
export function RecoverMissed({ endpoint }: { readonly endpoint: Item | undefined }) {
  if (!endpoint?.active || endpoint.missedSince === null) return null;
  const { orgId, key: endpointId, missedSince } = endpoint;
  const input = { orgId, endpointId };
  return (
    <button
      type="button"
      aria-disabled={isRunning("recover-missed", input)}
      onClick={() => actOnce("recover-missed", input)}
    >
      Recover the events missed since <Time at={missedSince} />
    </button>
  );
}
