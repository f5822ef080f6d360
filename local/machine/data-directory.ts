import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { CommandError } from "./command-error.ts";

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
  checkpoints: "checkpoints.json",
  dynamodb: "dynamodb",
  identity: "identity.json",
  logs: "logs",
  queues: "queues",
  secrets: "secrets.json",
} as const;

/** SQLite's result code for a lock that another process holds (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;

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
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    this.#lock = lock(this.path);
    if (reset) {
      for (const entry of [...Object.values(ENTRIES), ...otherFiles]) {
        rmSync(join(this.path, entry), { recursive: true, force: true });
      }
    }
  }

  /** The path of a file. */
  file(entry: "checkpoints" | "secrets"): string {
    return join(this.path, ENTRIES[entry]);
  }

  /** The path of an additional file. */
  otherFile(name: string): string {
    return join(this.path, name);
  }

  /** The path of a folder. Creates the folder if necessary. */
  folder(entry: "assemblies" | "builds" | "dynamodb" | "logs" | "queues"): string {
    const folder = join(this.path, ENTRIES[entry]);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /**
   * The AWS credentials inside the local stack, created once. DynamoDB Local has a database per access key id and
   * listens on every interface: without this id, callers see no data.
   *
   * @throws CommandError if the data belongs to another version of the service
   */
  identity(): AwsIdentity {
    const path = join(this.path, ENTRIES.identity);
    const kept = readIfPresent(path);
    if (kept !== undefined) {
      const { dataVersion, ...identity } = KeptIdentity.parse(JSON.parse(kept));
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
}

/** Whether an earlier start stored data in a folder. */
export function holdsData(path: string): boolean {
  return existsSync(join(path, ENTRIES.identity));
}

/** The text of a file, or undefined if there is none. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file atomically, readable only by its owner: after a crash it has either the old text or the new. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

// SQLite's lock is held by the operating system: it ends with the process, however the process ends.
function lock(path: string): DatabaseSync {
  const database = new DatabaseSync(join(path, "lock.sqlite"));
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
    return database;
  } catch (error) {
    database.close();
    if (!(error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY)) throw error;
    throw new CommandError(
      `Another local stack uses ${path}: stop it, or set LOCAL_DATA_DIR to another folder.`,
    );
  }
}
