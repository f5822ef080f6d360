import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { loadDeployment } from "./deployment.ts";
import { type ClientKind, search } from "./search.ts";

/** The input of a thread of a search: it runs the seeds `from`, `from + step`, … below `until`. */
export interface ThreadTask {
  readonly directory: string;
  readonly clients: ClientKind;
  readonly from: number;
  readonly until: number;
  readonly step: number;
}

const { directory, clients, from, until, step } = workerData as ThreadTask;
const deployment = await loadDeployment(directory);
// Any message ends the search after the current story. A thread that is terminated during native work may crash the
// process.
for (let seed = from; parentPort && seed < until && !receiveMessageOnPort(parentPort); seed += step) {
  parentPort.postMessage(await search({ deployment, clients }, seed));
}
