import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { CommandError } from "./command-error.ts";
import { assertNoFolder, readKept, writePrivately } from "./kept-file.ts";
import { SQLITE, sqliteCodeOf } from "./sqlite-code.ts";

/** Access key ids of DynamoDB Local may contain only letters and digits. */
const AwsIdentity = z.object({
  accessKeyId: z.string().regex(/^[A-Z0-9]{20,}$/),
  secretAccessKey: z.string(),
});
export type AwsIdentity = z.infer<typeof AwsIdentity>;

/** The identity is created together with the data, so it also records the version of the data. */
const KeptIdentity = AwsIdentity.extend({ dataVersion: z.number() });

/** The files and folders that the local stack keeps between starts. */
const ENTRIES = {
  assemblies: "assemblies",
  builds: "builds",
  checkpoints: "checkpoints",
  dynamodb: "dynamodb",
  formerCheckpoints: "checkpoints.json",
  identity: "identity.json",
  logs: "logs",
  queues: "queues",
  secrets: "secrets.json",
} as const;

interface DataDirectoryOptions {
  /** The version of the data. Other versions cannot use it. */
  readonly version: number;
  /** Whether to delete the data: the local stack's own files and `otherFiles`, and nothing else. */
  readonly reset?: boolean;
  /** The names of additional files that are stored here. */
  readonly otherFiles?: readonly string[];
}

/** The folder in which the local stack keeps its data, held by one process at a time. */
export class DataDirectory {
  readonly path: string;
  readonly #version: number;
  readonly #lock: DatabaseSync;

  /**
   * Locks the folder until `release`.
   *
   * @throws CommandError if another process has locked it, and an error that `folderError` explains if it is unusable
   */
  constructor(path: string, { version, reset = false, otherFiles = [] }: DataDirectoryOptions) {
    this.path = resolve(path);
    this.#version = version;
    makeFolder(this.path);
    this.#lock = lock(this.path);
    const entries = [...Object.values(ENTRIES), ...otherFiles];
    // An earlier reset may have been killed.
    this.#deleteRenamed(entries);
    if (!reset) return;
    this.#rename(entries);
    this.#deleteRenamed(entries);
  }

  /** The path of the file with the secrets. */
  get secretsFile(): string {
    return join(this.path, ENTRIES.secrets);
  }

  /** The path of the file with the positions in streams that earlier versions wrote. */
  get formerCheckpointsFile(): string {
    return join(this.path, ENTRIES.formerCheckpoints);
  }

  /** The path of an additional file. */
  otherFile(name: string): string {
    return join(this.path, name);
  }

  /** The path of a folder. Creates the folder if necessary. */
  folder(entry: "assemblies" | "builds" | "checkpoints" | "dynamodb" | "logs" | "queues"): string {
    const folder = join(this.path, ENTRIES[entry]);
    makeFolder(folder);
    return folder;
  }

  /**
   * The AWS credentials inside the local stack, created once. DynamoDB Local has a database per access key id and
   * listens on every interface: without this id, callers see no data.
   *
   * @throws CommandError if the file is damaged, or the data belongs to another version of the service
   */
  identity(): AwsIdentity {
    const path = join(this.path, ENTRIES.identity);
    const kept = readKept(path, KeptIdentity);
    if (kept) {
      const { dataVersion, ...identity } = kept;
      if (dataVersion === this.#version) return identity;
      throw new CommandError(
        `The data in ${this.path} belongs to another version of the service. Delete the data with npm start -- --reset, or set LOCAL_DATA_DIR to another folder.`,
      );
    }
    const identity = {
      accessKeyId: `LOCAL${randomBytes(16).toString("hex").toUpperCase()}`,
      secretAccessKey: randomBytes(20).toString("hex"),
    };
    writePrivately(path, JSON.stringify({ ...identity, dataVersion: this.#version }));
    return identity;
  }

  release(): void {
    this.#lock.close();
  }

  /**
   * Deleting takes long enough to be killed in the middle. What is left must not be taken for data or for bundles. A
   * full disk still has room for other names.
   */
  #rename(entries: readonly string[]): void {
    for (const entry of entries) {
      const path = join(this.path, entry);
      if (lstatSync(path, { throwIfNoEntry: false })) renameSync(path, this.#renamed(entry));
    }
  }

  #deleteRenamed(entries: readonly string[]): void {
    for (const entry of entries) rmSync(this.#renamed(entry), { recursive: true, force: true });
  }

  #renamed(entry: string): string {
    return join(this.path, `.deleted-${entry}`);
  }
}

/** Whether an earlier start stored data in a folder. */
export function holdsData(path: string): boolean {
  return existsSync(join(path, ENTRIES.identity));
}

/** Makes a folder and its parents. Node's `recursive` loops in /proc, and does not report a read-only file system. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

// SQLite's lock is held by the operating system: it ends with the process, however the process ends.
function lock(path: string): DatabaseSync {
  const file = join(path, "lock.sqlite");
  assertNoFolder(file);
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
    return database;
  } catch (error) {
    database.close();
    const code = sqliteCodeOf(error);
    if (code === SQLITE.BUSY) {
      throw new CommandError(
        `Another local stack uses ${path}: stop it, or set LOCAL_DATA_DIR to another folder.`,
      );
    }
    if (code === SQLITE.CORRUPT || code === SQLITE.NOTADB) {
      throw new CommandError(`${file} is damaged. It holds no data: delete it, then start again.`);
    }
    throw error;
  }
}
