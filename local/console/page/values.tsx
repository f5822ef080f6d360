/** Renders values as text and marks. */
import type { DeliveryStatus } from "../../../lib/contract/webhook-delivery.ts";
import type { CandidateView, EndpointRow, SignatureCheck } from "../page-data.ts";
import { timeText } from "./time-text.ts";

type Tone = "good" | "bad" | "wait" | "plain";

export const CANDIDATE_TONES: Record<CandidateView["status"], Tone> = {
  received: "plain",
  verified: "good",
  promoted: "good",
  validation_failed: "bad",
  consent_revoked: "wait",
  erased: "plain",
};

export const DELIVERY_TONES: Record<DeliveryStatus, Tone> = {
  delivered: "good",
  pending: "wait",
  failed: "bad",
  dropped: "bad",
};

const SIGNATURES: Record<SignatureCheck, readonly [Tone, string]> = {
  verified: ["good", "signature verified"],
  wrong: ["bad", "signature wrong"],
  missing: ["bad", "no signature"],
  "secret unknown": ["plain", "signature not checked"],
};

export function Mark({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={`mark ${tone}`}>{text}</span>;
}

export function CandidateStatusMark({ status }: Pick<CandidateView, "status">) {
  return <Mark tone={CANDIDATE_TONES[status]} text={status} />;
}

export function DeliveryStatusMark({ status }: { readonly status: DeliveryStatus }) {
  return <Mark tone={DELIVERY_TONES[status]} text={status} />;
}

/** The health of an endpoint: only the members that it has. */
export function EndpointHealth({ endpoint }: { readonly endpoint: EndpointRow }) {
  const { failingSince, disabledAt, disabledReason, lastSuccessAt } = endpoint;
  return (
    <>
      {disabledAt && (
        <span>
          <Mark tone="bad" text={`disabled: ${disabledReason}`} /> <Time at={disabledAt} />
        </span>
      )}
      {failingSince && (
        <span>
          <Mark tone="wait" text="failing since" /> <Time at={failingSince} />
        </span>
      )}
      {lastSuccessAt && (
        <span>
          last success <Time at={lastSuccessAt} />
        </span>
      )}
    </>
  );
}

export function Signature({ check }: { readonly check: SignatureCheck }) {
  const [tone, text] = SIGNATURES[check];
  return <Mark tone={tone} text={text} />;
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {timeText(new Date(at), new Date())}
    </time>
  );
}

export function Headers({ headers }: { readonly headers: readonly (readonly [string, string])[] }) {
  return <pre>{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>;
}

export function Body({ body, cut }: { readonly body: string; readonly cut: boolean }) {
  return (
    <>
      <pre>{body}</pre>
      {cut && <p class="quiet">Only the beginning of the body is shown.</p>}
    </>
  );
}
