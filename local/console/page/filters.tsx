import { useSignal } from "@preact/signals";
import type { EventType } from "../../../lib/contract/events.ts";
import { FILTERS, type FilterName } from "../address.ts";
import { endpointName } from "./endpoint-name.ts";
import { address, go, screen, urlOf } from "./live.ts";
import { CANDIDATE_TONES, DELIVERY_TONES } from "./values.tsx";

/** A copy of the contract's list, whose file imports Node's modules. The compiler compares the two. */
const EVENT_TYPES = Object.keys({
  "candidate.received": true,
  "candidate.verified": true,
  "candidate.promoted": true,
  "candidate.validation_failed": true,
  "candidate.consent_revoked": true,
  "candidate.consent_restored": true,
  "candidate.erased": true,
  "webhook_endpoint.failing": true,
  "webhook_endpoint.disabled": true,
} satisfies Record<EventType, true>);

const LABELS: Record<FilterName, string> = {
  find: "externalId, stagedId or id",
  candidate: "externalId, stagedId or id of the candidate",
  status: "Status",
  type: "Event type",
  endpoint: "Endpoint",
  event: "Event id",
};

/** The filters that are typed, with their hints. The others are chosen from a list. */
const HINTS = {
  find: "begins with …",
  candidate: "begins with …",
  event: "begins with evt_…",
} as const satisfies { readonly [Name in FilterName]?: string };

type TypedName = keyof typeof HINTS;
type ChosenName = Exclude<FilterName, TypedName>;

const CHOICES: Record<ChosenName, () => readonly string[]> = {
  endpoint: () => screen.value.endpoints.map(({ key }) => key),
  status: () => Object.keys(address.value.view === "candidates" ? CANDIDATE_TONES : DELIVERY_TONES),
  type: () => EVENT_TYPES,
};

/** The controls of the view's filters, and the filters that are set. */
export function FilterBar() {
  const { view, filters } = address.value;
  const names: readonly FilterName[] = FILTERS[view];
  const set = names.filter((name) => filters[name] !== undefined);
  return (
    <search class="filters">
      <div class="line">
        {names.map((name) =>
          isTyped(name) ? <TextFilter key={name} name={name} /> : <ChoiceFilter key={name} name={name} />,
        )}
      </div>
      {set.length > 0 && (
        <ul class="chips line" aria-label="Active filters">
          {set.map((name) => (
            <FilterChip
              key={name}
              text={`${LABELS[name]}: ${textOf(name, filters[name] ?? "")}`}
              url={urlWith(name, undefined)}
            />
          ))}
          <li>
            <a href={urlOf({ filters: {}, after: undefined })}>Clear all filters</a>
          </li>
        </ul>
      )}
    </search>
  );
}

function FilterChip({ text, url }: { readonly text: string; readonly url: string }) {
  return (
    <li>
      <a class="mark" href={url} aria-label={`${text}, remove this filter`}>
        {text} <span aria-hidden="true">×</span>
      </a>
    </li>
  );
}

function TextFilter({ name }: { readonly name: TypedName }) {
  const typed = useSignal("");
  const filter = address.value.filters[name] ?? "";
  return (
    <label>
      {LABELS[name]}
      <input
        type="search"
        placeholder={HINTS[name]}
        autocomplete="off"
        spellcheck={false}
        // The address has no space at its end, although a word may follow.
        value={typed.value.trim() === filter ? typed.value : filter}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          // A letter adds no entry to the history.
          go(urlWith(name, typed.value), { replace: true });
        }}
      />
    </label>
  );
}

function ChoiceFilter({ name }: { readonly name: ChosenName }) {
  const chosen = address.value.filters[name] ?? "";
  const known = CHOICES[name]();
  // A filter of a copied URL may name an endpoint that is deleted.
  const choices = chosen === "" || known.includes(chosen) ? known : [...known, chosen];
  return (
    <label>
      {LABELS[name]}
      <select value={chosen} onChange={(event) => go(urlWith(name, event.currentTarget.value))}>
        <option value="">any</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {textOf(name, choice)}
          </option>
        ))}
      </select>
    </label>
  );
}

function isTyped(name: FilterName): name is TypedName {
  return name in HINTS;
}

function textOf(name: FilterName, value: string): string {
  const endpoint = name === "endpoint" && screen.value.endpoints.find(({ key }) => key === value);
  return endpoint ? endpointName(endpoint, screen.value.endpoints) : value;
}

function urlWith(name: FilterName, value: string | undefined): string {
  return urlOf({
    filters: { ...address.value.filters, [name]: value?.trim() || undefined },
    after: undefined,
  });
}
