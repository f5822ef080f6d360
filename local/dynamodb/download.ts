import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { extract } from "tar";
import { LocalStackProblem } from "../problem.ts";
import { runCommand } from "../run-command.ts";

/** A published npm package, held to its contents. */
interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** As package locks write it: `sha512-` and the base 64 of the tarball's hash. */
  readonly integrity: string;
}

/** AWS's DynamoDB Local 1.25.1, in the one npm package that carries its jar. */
const DYNAMODB_LOCAL: PinnedPackage = {
  name: "amplify-dynamodb-simulator",
  version: "2.9.30",
  integrity:
    "sha512-xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==",
};

const JAR = "DynamoDBLocal.jar";

interface DownloadOptions {
  readonly source?: PinnedPackage;
  readonly cacheDirectory?: string;
  readonly onProgress: (message: string) => void;
}

/**
 * The folder that holds DynamoDBLocal.jar: from the cache, or fetched by npm, so from whatever registry npm
 * is configured for.
 *
 * @throws LocalStackProblem when it cannot be fetched or is not what was published
 */
export async function dynamoDbLocal({
  source = DYNAMODB_LOCAL,
  cacheDirectory = defaultCacheDirectory(),
  onProgress,
}: DownloadOptions): Promise<string> {
  const fingerprint = createHash("sha256").update(source.integrity).digest("hex").slice(0, 12);
  const installed = join(cacheDirectory, `dynamodb-local-${source.version}-${fingerprint}`);
  if (existsSync(join(installed, JAR))) return installed;

  mkdirSync(cacheDirectory, { recursive: true });
  const workplace = mkdtempSync(join(cacheDirectory, "download-"));
  try {
    onProgress(`Fetching DynamoDB Local (54 MB, once) into ${cacheDirectory}`);
    const tarball = await pack(source, workplace);
    await verify(tarball, source);
    const unpacked = join(workplace, "unpacked");
    mkdirSync(unpacked);
    await extract({
      file: tarball,
      cwd: unpacked,
      strip: 2,
      filter: (path) => path.startsWith("package/emulator/"),
    });
    install(unpacked, installed);
    return installed;
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

/** Where fetched engines are kept for all checkouts of this user (XDG base directories, else `~/.cache`). */
export function defaultCacheDirectory(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "candidate-management-service");
}

async function pack({ name, version }: PinnedPackage, destination: string): Promise<string> {
  const runningNpm = process.env["npm_execpath"];
  const [command, ...first] = runningNpm?.endsWith("npm-cli.js") ? [process.execPath, runningNpm] : ["npm"];
  try {
    await runCommand(
      command as string,
      [...first, "pack", `${name}@${version}`, "--pack-destination", destination, "--loglevel", "error"],
      // The project's .npmrc may name the registry.
      { cwd: join(import.meta.dirname, "..", "..") },
    );
  } catch (error) {
    throw new LocalStackProblem(
      `DynamoDB Local could not be fetched: check that npm reaches its registry (npm view ${name}), then start again.`,
      { cause: error },
    );
  }
  const tarball = readdirSync(destination).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) {
    throw new LocalStackProblem(`npm pack ${name}@${version} wrote no tarball: check npm's configuration.`);
  }
  return join(destination, tarball);
}

async function verify(tarball: string, { name, version, integrity }: PinnedPackage): Promise<void> {
  const hash = createHash("sha512");
  await pipeline(createReadStream(tarball), hash);
  if (`sha512-${hash.digest("base64")}` !== integrity) {
    throw new LocalStackProblem(
      `The download of ${name}@${version} is damaged (its checksum is not the published one): start again, and if it stays so, check which registry npm uses.`,
    );
  }
}

// A rename is atomic, so two starts at once each put a whole copy there or find the other's.
function install(unpacked: string, installed: string): void {
  try {
    renameSync(unpacked, installed);
  } catch (error) {
    if (!existsSync(join(installed, JAR))) throw error;
  }
}
