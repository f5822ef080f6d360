#!/usr/bin/env node
// The package holds the command as one bundle. A clone runs its sources, on the Node that npx puts first.
import { existsSync } from "node:fs";

const source = new URL("../command/candidates.ts", import.meta.url);
await import(existsSync(source) ? source.href : "../dist/candidates.js");
