/**
 * `node tools/bench/measure.ts <benchmark>`: measures one in a process of its own and sends its figures to the parent.
 */
import { type Benchmark, withValues } from "./figure.ts";

const { benchmark } = (await import(`./benchmarks/${process.argv[2]}.ts`)) as { benchmark: Benchmark };
const figures = withValues(await benchmark.measure());
process.send?.({ title: benchmark.title, method: benchmark.method, figures });
process.disconnect?.();
