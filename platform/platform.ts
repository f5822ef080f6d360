import { main } from "../client/terminal/main.ts";
import { run } from "./run.ts";

await main(run);
