// Runs after `npm ci`, on any Node: deletes 115 MB that packages install and this project never reads.
import { rmSync } from "node:fs";

const unread = [
  // Of the package `node` only `bin` is used, a hard link: here are the program's other name, and headers for C++.
  "node/node_modules",
  // What describes the library to CDK apps in other languages than TypeScript.
  "aws-cdk-lib/.jsii.gz",
  "aws-cdk-lib/.jsii.tabl.json.gz",
  "aws-cdk-lib/rosetta",
  // The AWS CLI for constructs that copy files into buckets.
  "@aws-cdk/asset-awscli-v1/lib/layer.zip",
  // Sinon, which aws-sdk-client-mock uses, for browsers and for Node without source maps.
  "sinon/pkg/sinon.js",
  "sinon/pkg/sinon-no-sourcemaps.cjs",
];
for (const path of unread) {
  rmSync(new URL(`../node_modules/${path}`, import.meta.url), { recursive: true, force: true });
}
