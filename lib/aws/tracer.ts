import { Tracer } from "@aws-lambda-powertools/tracer";

/** What a trace is found by: ids and outcomes, never personal data. */
type Annotations = Readonly<Record<string, string | number>>;

/** Requests are not captured: a trace would hold receivers' URLs, and receivers would get our trace header. */
const tracer = new Tracer({ captureHTTPsRequests: false });

/** Leaves a mark in the invocation's trace, by which the trace is found. */
export function marked(name: string, annotations: Annotations): void {
  const step = begin(name);
  annotate(step, annotations);
  step?.close();
}

/**
 * Runs the work as a step of the invocation's trace, beside others that run at the same time. Work that
 * throws is marked as a fault; what was thrown is for the log.
 *
 * @param work is given a function that adds what it finds out
 */
export async function traced<Result>(
  name: string,
  annotations: Annotations,
  work: (annotate: (more: Annotations) => void) => Promise<Result>,
): Promise<Result> {
  const step = begin(name);
  annotate(step, annotations);
  try {
    return await work((more) => annotate(step, more));
  } catch (error) {
    step?.addFaultFlag();
    throw error;
  } finally {
    step?.close();
  }
}

/** A step of the trace; undefined where nothing is traced. */
function begin(name: string) {
  return tracer.isTracingEnabled() ? tracer.getSegment()?.addNewSubsegment(name) : undefined;
}

function annotate(step: ReturnType<typeof begin>, annotations: Annotations): void {
  for (const [key, value] of Object.entries(annotations)) step?.addAnnotation(key, value);
}
