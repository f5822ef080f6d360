import type { EndpointView } from "../page-data.ts";
import { OpenLink } from "./panel.tsx";
import { EndpointHealth, Mark } from "./words.tsx";

export function EndpointRow({
  item,
  isCurrent,
}: {
  readonly item: EndpointView;
  readonly isCurrent: boolean;
}) {
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
