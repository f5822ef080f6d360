import { createHash } from "node:crypto";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { extract } from "tar";
import { CommandError } from "../machine/command-error.ts";
import { folderError } from "../machine/folder-error.ts";
import { runCommand } from "../machine/run-command.ts";
import { explainingSlowness } from "../machine/slow-step.ts";

/** A published npm package, pinned to its contents. */
interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** In the format of package locks: `sha512-` and the base 64 of the tarball's hash. */
  readonly integrity: string;
  /** The `contentsHash` of its folder package/emulator. */
  readonly contents: string;
}

/** AWS's DynamoDB Local 1.25.1, in the only npm package that contains its jar. */
const DYNAMODB_LOCAL: PinnedPackage = {
  name: "amplify-dynamodb-simulator",
  version: "2.9.30",
  integrity:
    "sha512-xTeeRLvzEfqyd5lh3bH4c0kHvSHHmmhD5ZDsHFKAQ5g2Zl6JqlFdutaQhCLHzxEp6Ry1o7TB6niIoXuQAnSewQ==",
  contents: "b141b598a331bfdd156c49d8822592d1a572cc64cea8c445fa0e21931387ff58",
};

const USE_ANOTHER = "set DYNAMODB_ENDPOINT to a DynamoDB Local that is running";

interface DownloadOptions {
  readonly source?: PinnedPackage;
  /** The folder for downloads, shared by all stacks of this user. */
  readonly cacheDirectory: string;
  readonly onProgress: (message: string) => void;
}

/**
 * The folder that contains DynamoDBLocal.jar: from the cache, or fetched by npm from its configured registry. A cached
 * copy that differs from the published package is fetched again. The comparison takes about 0.1 s for 67 MB.
 *
 * @throws CommandError if it cannot be fetched, differs from the published package, or the cache cannot be written
 */
export async function dynamoDbLocal({
  source = DYNAMODB_LOCAL,
  cacheDirectory,
  onProgress,
}: DownloadOptions): Promise<string> {
  const fingerprint = createHash("sha256").update(source.integrity).digest("hex").slice(0, 12);
  const installed = join(cacheDirectory, `dynamodb-local-${source.version}-${fingerprint}`);
  try {
    if (existsSync(installed)) {
      if (contentsHash(installed) === source.contents) return installed;
      onProgress(`The copy of DynamoDB Local in ${installed} is damaged`);
    }
    await fetchInto(installed, source, cacheDirectory, onProgress);
    return installed;
  } catch (error) {
    throw folderError(error, cacheDirectory, "XDG_CACHE_HOME") ?? error;
  }
}

async function fetchInto(
  installed: string,
  source: PinnedPackage,
  cacheDirectory: string,
  onProgress: (message: string) => void,
): Promise<void> {
  mkdirSync(cacheDirectory, { recursive: true });
  const workplace = mkdtempSync(join(cacheDirectory, "download-"));
  const remove = () => rmSync(workplace, { recursive: true, force: true });
  // A signal ends the process in the middle of the download.
  process.once("exit", remove);
  try {
    onProgress(`Fetching DynamoDB Local (54 MB, once) into ${cacheDirectory}`);
    const tarball = await explainingSlowness(pack(source, workplace), () =>
      onProgress(
        `npm is still fetching it, and waits for minutes if it cannot reach its registry. Without network, press Ctrl-C, then copy ${cacheDirectory} from a machine that has it, or ${USE_ANOTHER}.`,
      ),
    );
    await verify(tarball, source);
    const unpacked = join(workplace, "unpacked");
    mkdirSync(unpacked);
    await extract({
      file: tarball,
      cwd: unpacked,
      strip: 2,
      filter: (path) => path.startsWith("package/emulator/"),
      // Otherwise a file that cannot be written, for example on a full disk, is only a warning.
      strict: true,
    });
    if (contentsHash(unpacked) !== source.contents) {
      throw new CommandError(
        `DynamoDB Local was damaged during unpacking. Check the disk of ${cacheDirectory}, then start again.`,
      );
    }
    install(unpacked, installed);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/**
 * A SHA-256 over the names and contents of all files in a folder.
 *
 * @internal Exported for tests.
 */
export function contentsHash(folder: string): string {
  const hash = createHash("sha256");
  for (const file of filesIn(folder)) {
    const content = readFileSync(join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** The relative paths of a folder's files, in the same order on every system. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();
}

async function pack({ name, version }: PinnedPackage, destination: string): Promise<string> {
  const runningNpm = process.env["npm_execpath"];
  const [command, ...first] = runningNpm?.endsWith("npm-cli.js") ? [process.execPath, runningNpm] : ["npm"];
  try {
    await runCommand(
      command as string,
      [...first, "pack", `${name}@${version}`, "--pack-destination", destination, "--loglevel", "error"],
      // The project's own .npmrc may set the registry.
      { cwd: join(import.meta.dirname, "..", "..") },
    );
  } catch (error) {
    if (folderError(error, destination, "XDG_CACHE_HOME")) throw error;
    throw new CommandError(
      `DynamoDB Local could not be fetched: check that npm reaches its registry (npm view ${name}), then start again, or ${USE_ANOTHER}.`,
      { cause: error },
    );
  }
  const tarball = readdirSync(destination).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) {
    throw new CommandError(`npm pack ${name}@${version} wrote no tarball. Check npm's configuration.`);
  }
  return join(destination, tarball);
}

async function verify(tarball: string, { name, version, integrity }: PinnedPackage): Promise<void> {
  const hash = createHash("sha512");
  await pipeline(createReadStream(tarball), hash);
  if (`sha512-${hash.digest("base64")}` !== integrity) {
    throw new CommandError(
      `The download of ${name}@${version} is damaged (its checksum is not the published one). Start again, and if the problem persists, check which registry npm uses.`,
    );
  }
}

// A rename is atomic. If two stacks start at once, each puts complete files there, and an engine that already runs from
// the folder never finds a file missing.
function install(unpacked: string, installed: string): void {
  const files = new Set(filesIn(unpacked));
  for (const file of files) {
    mkdirSync(dirname(join(installed, file)), { recursive: true });
    renameSync(join(unpacked, file), join(installed, file));
  }
  for (const file of filesIn(installed)) {
    if (!files.has(file)) rmSync(join(installed, file), { force: true });
  }
}
