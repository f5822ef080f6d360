import { measure } from "mitata";
import { CandidateSubmission } from "#contract/candidate-submission";
import { type Benchmark, type Figure, interleaved } from "../figure.ts";
import { aLargeSubmission, aRealisticSubmission } from "../submissions.ts";

const ROUNDS = 5;

export const benchmark: Benchmark = {
  title: "Validation",
  method:
    "The time of JSON.parse and validation of a valid submission in a warm process, as medians by mitata.",
  async measure() {
    const sizes = { realistic: aRealisticSubmission(), large: aLargeSubmission() };
    const figures: Figure[] = [];
    for (const [size, submission] of Object.entries(sizes)) {
      const text = JSON.stringify(submission);
      const accepts = () => CandidateSubmission.safeParse(JSON.parse(text)).success;
      if (!accepts()) throw new Error(`The schema refuses the ${size} submission.`);
      const times = await interleaved(ROUNDS, {
        parse: () => microseconds(() => JSON.parse(text)),
        validate: () => microseconds(accepts),
      });
      figures.push({
        name: `${size} submission of ${(Buffer.byteLength(text) / 1_000).toFixed(1)} kB`,
        value: times.validate,
        unit: "µs",
        peer: { name: "JSON.parse alone", value: times.parse },
      });
    }
    return figures;
  },
};

async function microseconds(work: () => unknown): Promise<number> {
  const { p50 } = await measure(work, { min_cpu_time: 300e6, min_samples: 20, inner_gc: false });
  return p50 / 1_000;
}
