import { execFile } from "node:child_process";
import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startPush } from "../command.ts";
import { aCandidateService } from "./candidate-service.ts";
import { aFile, ndjson } from "./files.ts";
import { environmentOf, push, submissions } from "./run-push.ts";

describe("candidates push leaves what it has not written as it is", () => {
  const options = [["--journal"], ["--refused-file"]];
  const refused =
    /^.+ exists and was not written by this command\. Move it, or choose .* --(journal|refused-file)\.\n$/;

  async function pushWith(option: string, place: (path: string, file: string) => unknown) {
    const service = await aCandidateService();
    const [row] = submissions(1);
    const file = await aFile("rows.ndjson", ndjson([row, { ...row, email: "nobody" }]));
    const path = join(dirname(file), "notes.txt");
    await place(path, file);
    const result = await push([file, option, path], { env: environmentOf(service) });
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(service.requests).toHaveLength(0);
    expect(await readFile(file, "utf8")).toBe(ndjson([row, { ...row, email: "nobody" }]));
    return { ...result, path, names: (await readdir(dirname(file))).sort() };
  }

  test.each(options)("a file of another content (%s)", async (option) => {
    const { stderr, path, names } = await pushWith(option, (at) => writeFile(at, "important\n"));

    expect(stderr).toMatch(refused);
    expect(await readFile(path, "utf8")).toBe("important\n");
    expect(names).toEqual(["notes.txt", "rows.ndjson"]);
  });

  test("a line that a journal could only begin with", async () => {
    expect((await pushWith("--journal", (at) => writeFile(at, "push abcdef\n"))).stderr).toMatch(refused);
  });

  test.each(options)("the target of a symbolic link (%s)", async (option) => {
    const target = await aFile("target", "");

    const { stderr, names } = await pushWith(option, (at) => symlink(target, at));

    expect(stderr).toMatch(refused);
    expect(await readFile(target, "utf8")).toBe("");
    expect(names).toEqual(["notes.txt", "rows.ndjson"]);
  });

  test.each(options)("the input by the name of a hard link (%s)", async (option) => {
    const { stderr, names } = await pushWith(option, (at, file) => link(file, at));

    expect(stderr).toMatch(
      new RegExp(`^.+notes\\.txt would be overwritten\\. Choose another location with ${option}\\.\n$`),
    );
    expect(names).toEqual(["notes.txt", "rows.ndjson"]);
  });

  test.each(options)("a folder (%s)", async (option) => {
    expect((await pushWith(option, (at) => mkdir(at))).stderr).toMatch(refused);
  });

  test.each(options)("a pipe, which it does not wait for (%s)", async (option) => {
    const { stderr } = await pushWith(option, (at) => promisify(execFile)("mkfifo", [at]));

    expect(stderr).toMatch(refused);
  });

  test.each(options)("a file of another user (%s)", async (option) => {
    const { stderr, path } = await pushWith(option, async (at) => {
      await writeFile(at, "");
      const user = vi.spyOn(process, "getuid").mockReturnValue((process.getuid?.() ?? 0) + 1);
      onTestFinished(() => user.mockRestore());
    });

    expect(stderr).toBe(
      `${path} belongs to another user. Remove it, or choose another location with ${option}.\n`,
    );
  });

  test("a file at which it would collect refused rows of an earlier run", async () => {
    const { stderr } = await pushWith("--refused-file", (at) => writeFile(`${at}.kept`, "important\n"));

    expect(stderr).toMatch(refused);
  });

  test.each(options)("a file at which it would record its process (%s)", async (option) => {
    const { stderr } = await pushWith(option, (at) => writeFile(`${at}.lock`, "important\n"));

    expect(stderr).toMatch(refused);
  });

  test.each(["", "/."])("the journal, as the file of refused rows (in its folder%s)", async (spelling) => {
    const file = await aFile("rows.ndjson", ndjson(submissions(1)));

    const { code, stderr } = await push([
      file,
      "--refused-file",
      `${dirname(file)}${spelling}/rows.ndjson.push-journal`,
      "--url",
      "http://localhost",
      "--key",
      "k",
    ]);

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `${file}.push-journal would be overwritten. Choose another location with --journal or --refused-file.\n`,
    });
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson"]);
  });
});

describe("candidates push of a file that another process pushes", () => {
  async function aRunningPush() {
    let isHanging = true;
    const service = await aCandidateService({ instead: () => (isHanging ? () => {} : undefined) });
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const env = environmentOf(service);
    const child = startPush([file], { env });
    onTestFinished(() => void child.process.kill("SIGKILL"));
    await expect.poll(() => service.requests.length).toBe(1);
    isHanging = false;
    return { service, file, env, child };
  }

  test("ends at once, says which process it is, and leaves that one's files as they are", async () => {
    const { service, file, env, child } = await aRunningPush();
    const names = await readdir(dirname(file));
    const journal = await readFile(`${file}.push-journal`, "utf8");

    const { code, stdout, stderr } = await push([file], { env });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `Another push of this file is running (process ${child.process.pid}). Wait until it has ended, then run the command again. If that process is another program, delete ${file}.push-journal.lock first.\n`,
    );
    expect(await readdir(dirname(file))).toEqual(names);
    expect(await readFile(`${file}.push-journal`, "utf8")).toBe(journal);
    expect(service.requests).toHaveLength(1);
  });

  test("ends at once too if only the file of refused rows is that one's", async () => {
    const { service, file, env, child } = await aRunningPush();
    const names = await readdir(dirname(file));
    const refused = `${file}.refused.ndjson`;

    const { code, stderr } = await push(["-", "--format", "ndjson", "--refused-file", refused], { env });

    expect(code).toBe(1);
    expect(stderr).toBe(
      `Another push with the --refused-file ${refused} is running (process ${child.process.pid}). Wait until it has ended, then run the command again. If that process is another program, delete ${refused}.lock first.\n`,
    );
    expect(await readdir(dirname(file))).toEqual(names);
    expect(service.requests).toHaveLength(1);
  });

  test("leaves no file beside a file of its own whose refused rows would go to that one's", async () => {
    const { file, env } = await aRunningPush();
    const other = await aFile("other.ndjson", ndjson(submissions(1)));

    const { code } = await push([other, "--refused-file", `${file}.refused.ndjson`], { env });

    expect(code).toBe(1);
    expect(await readdir(dirname(other))).toEqual(["other.ndjson"]);
  });

  test("resumes once that process was killed", async () => {
    const { file, env, child } = await aRunningPush();
    child.process.kill("SIGKILL");
    await child.ended;

    const { code, stdout } = await push([file], { env });

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("3 created.") });
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson"]);
  });
});

test.each(["--journal", "--refused-file"])(
  "candidates push reports a file that cannot be written before it pushes anything (%s)",
  async (option) => {
    const service = await aCandidateService();
    const file = await aFile("rows.ndjson", ndjson(submissions(1)));

    const { code, stderr } = await push([file, option, join(dirname(file), "none", "file")], {
      env: environmentOf(service),
    });

    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`cannot be written \\(ENOENT\\)\\. .* ${option}\\.\n$`));
    expect(service.requests).toHaveLength(0);
  },
);
