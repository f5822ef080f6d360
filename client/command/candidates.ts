import { main } from "../terminal/main.ts";
import { run } from "./run.ts";

await main(run);
