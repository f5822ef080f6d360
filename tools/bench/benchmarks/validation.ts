import { measure } from "mitata";
import * as v from "valibot";
import { CandidateSubmission } from "#contract/candidate-submission";
import { ajvValidator, submissionSchema } from "../ajv-validator.ts";
import { type Benchmark, type Figure, interleaved } from "../figure.ts";
import { aLargeSubmission, aRealisticSubmission } from "../submissions.ts";
import { valibotSchema } from "../valibot-schema.ts";

const ROUNDS = 5;

export const benchmark: Benchmark = {
  title: "Validation",
  method:
    "JSON.parse and validation of a submission that is right, in a warm process: Zod as the service uses it; Ajv (compiled, filling in defaults) and Valibot on the JSON Schema of the same submission, which is without the rules between members. Medians by mitata.",
  async measure() {
    const byAjv = ajvValidator();
    const byValibot = valibotSchema(submissionSchema);
    const sizes = { realistic: aRealisticSubmission(), large: aLargeSubmission() };
    const figures: Figure[] = [];
    for (const [size, submission] of Object.entries(sizes)) {
      const text = JSON.stringify(submission);
      const judges = {
        Zod: (body: unknown) => CandidateSubmission.safeParse(body).success,
        Ajv: byAjv,
        Valibot: (body: unknown) => v.safeParse(byValibot, body).success,
      };
      for (const [name, accepts] of Object.entries(judges)) {
        if (!accepts(JSON.parse(text))) throw new Error(`${name} refuses the ${size} submission.`);
      }
      const times = await interleaved(ROUNDS, {
        parse: () => microseconds(() => JSON.parse(text)),
        Zod: () => microseconds(() => judges.Zod(JSON.parse(text))),
        Ajv: () => microseconds(() => judges.Ajv(JSON.parse(text))),
        Valibot: () => microseconds(() => judges.Valibot(JSON.parse(text))),
      });
      const bytes = `${(Buffer.byteLength(text) / 1_000).toFixed(1)} kB`;
      const figure = (name: keyof typeof judges, goal?: Figure["goal"]): Figure => ({
        name: `${name}, ${size} submission of ${bytes}`,
        value: times[name],
        unit: "µs",
        peer: { name: "JSON.parse alone", value: times.parse },
        ...(goal && { goal }),
      });
      figures.push(figure("Zod", { atMost: 3 }), figure("Ajv"), figure("Valibot"));
    }
    return figures;
  },
};

async function microseconds(work: () => unknown): Promise<number> {
  const { p50 } = await measure(work, { min_cpu_time: 300e6, min_samples: 20, inner_gc: false });
  return p50 / 1_000;
}
