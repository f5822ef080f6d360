import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { CommandError } from "./command-error.ts";

/** Access key ids of DynamoDB Local hold letters and digits only. */
const AwsIdentity = z.object({
  accessKeyId: z.string().regex(/^[A-Z0-9]{20,}$/),
  secretAccessKey: z.string(),
});
export type AwsIdentity = z.infer<typeof AwsIdentity>;

/** The data is as old as its identity, so it carries the version. */
const KeptIdentity = AwsIdentity.extend({ dataVersion: z.number().optional() });

/** Everything the local stack keeps between two starts. */
const ENTRIES = {
  assemblies: "assemblies",
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
  /** The version of what is kept, which only the same version can use. */
  readonly version: number;
  /** Whether to delete what is kept: the local stack's own, the other files, and nothing else. */
  readonly reset?: boolean;
  /** The names of further files that are kept here. */
  readonly otherFiles?: readonly string[];
}

/** The folder in which the local stack keeps its data, held by one process at a time. */
export class DataDirectory {
  readonly path: string;
  readonly #version: number;
  readonly #lock: DatabaseSync;

  /**
   * Takes hold of the folder until `release`.
   *
   * @throws CommandError when another process holds it, and what `folderError` reads when it cannot be used
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

  /** The path of one of the further files. */
  otherFile(name: string): string {
    return join(this.path, name);
  }

  /** The path of a folder, which exists from then on. */
  folder(entry: "assemblies" | "dynamodb" | "logs" | "queues"): string {
    const folder = join(this.path, ENTRIES[entry]);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /**
   * The AWS credentials of everything inside the local stack, made once. DynamoDB Local keeps a database per
   * access key id and listens on every interface, so nobody who does not know this id sees any data.
   *
   * @throws CommandError when the data is of another version of the service
   */
  identity(): AwsIdentity {
    const path = join(this.path, ENTRIES.identity);
    const kept = readIfPresent(path);
    if (kept !== undefined) {
      const { dataVersion, ...identity } = KeptIdentity.parse(JSON.parse(kept));
      if (dataVersion === this.#version) return identity;
      throw new CommandError(
        `The data in ${this.path} is of another version of the service, which this one cannot use: begin empty with npm start -- --reset, or set LOCAL_DATA_DIR to another folder.`,
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

/** The text of a file, or undefined when there is none. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file in one step, readable by its owner alone: a crash leaves the old text or the new. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

// SQLite's lock is the operating system's: it ends with the process, however that dies.
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
