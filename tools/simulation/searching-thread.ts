import { parentPort, workerData } from "node:worker_threads";
import { loadDeployment } from "./deployment.ts";
import { type ClientKind, search } from "./search.ts";

/** What a thread of a search is given: the seeds `from`, `from + step`, … below `until`. */
export interface ThreadTask {
  readonly directory: string;
  readonly clients: ClientKind;
  readonly from: number;
  readonly until: number;
  readonly step: number;
}

const { directory, clients, from, until, step } = workerData as ThreadTask;
const deployment = await loadDeployment(directory);
for (let seed = from; seed < until; seed += step) {
  parentPort?.postMessage(await search({ deployment, clients }, seed));
}
