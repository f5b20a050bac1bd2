import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Instant } from "@trivium/std";
import { identityOf, isAlive, type ProcessIdentity, parseStat } from "../processes/process-identity.ts";

/** What an agent that comes later must know of a run. No environment: it holds secrets, and is asked for again. */
export interface RunFacts {
  readonly id: string;
  readonly podUid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  readonly boot: string;
  readonly startedAt: Instant;
  readonly imageId: string;
  readonly cgroup?: string | undefined;
  readonly memoryLimit?: number | undefined;
  readonly terminationMessagePath?: string | undefined;
}

export type RunFound =
  /** Nothing was ever started here, and nothing will be. */
  | { readonly is: "none" }
  /** The machine was started anew since. */
  | { readonly is: "lost"; readonly facts: RunFacts }
  | { readonly is: "alive"; readonly facts: RunFacts; readonly supervisor: ProcessIdentity }
  | { readonly is: "ended"; readonly facts: RunFacts; readonly end: RunEnd; readonly supervisor?: ProcessIdentity };

export interface RunEnd {
  readonly code: number;
  readonly at: Instant;
  readonly isOutOfMemory: boolean;
  /** It was ended because everything was. */
  readonly isBlameless: boolean;
}

const killed = 137;
const nothingYet = "-----\n";
const givenUp = "void\n";

/** The files of one run of a container. They are the truth: agents come and go. */
export class RunFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(
    name: "run.json" | "pid" | "exit" | "in" | "out" | "life" | "eof" | "oom" | "rest" | "tty" | "env.json" | "log.0.a",
  ): string {
    return join(this.path, name);
  }

  /** Ready for a keeper. What was there before goes. */
  async create(facts: RunFacts): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    await mkdir(join(this.path, ".."), { recursive: true, mode: 0o711 });
    await mkdir(this.path, { mode: 0o700 });
    await writeFile(this.file("exit"), nothingYet);
    // In place as a whole or not at all.
    await writeFile(`${this.file("run.json")}.new`, JSON.stringify(facts), { mode: 0o600 });
    await rename(`${this.file("run.json")}.new`, this.file("run.json"));
  }

  async find(boot: string): Promise<RunFound> {
    const facts = await this.facts();
    if (facts === undefined) return { is: "none" };
    if (facts.boot !== boot) return { is: "lost", facts };
    const supervisor = await this.#supervisor();
    if (supervisor === undefined) return { is: "none" };
    const end = await this.end();
    if (end === undefined && isAlive(supervisor)) return { is: "alive", facts, supervisor };
    // It may have ended between the two looks.
    return { is: "ended", facts, supervisor, end: end ?? (await this.end()) ?? (await this.#violentEnd()) };
  }

  /** What runs here, for those who only read: unlike `find` it lets a keeper in that is on its way. */
  async factsIfAlive(boot: string): Promise<RunFacts | undefined> {
    const facts = await this.facts();
    if (facts?.boot !== boot || (await this.end()) !== undefined) return undefined;
    const supervisor = parseStat(await readFile(this.file("pid"), "latin1").catch(() => ""));
    return supervisor !== undefined && isAlive(supervisor) ? facts : undefined;
  }

  async facts(): Promise<RunFacts | undefined> {
    try {
      return JSON.parse(await readFile(this.file("run.json"), "utf8")) as RunFacts;
    } catch {
      return undefined;
    }
  }

  /** How it ended, by the word of its keeper. */
  async end(): Promise<RunEnd | undefined> {
    try {
      const text = await readFile(this.file("exit"), "latin1");
      const [, code] = /^(\d+)\n/.exec(text) ?? [];
      if (code === undefined) return undefined;
      const { mtimeMs } = await stat(this.file("exit"));
      return { code: Number(code), at: Math.round(mtimeMs), ...(await this.#marks()) };
    } catch {
      return undefined;
    }
  }

  /** How it ended, whoever ended it: a keeper that left no word was killed with all the rest. */
  async lastEnd(): Promise<RunEnd> {
    return (await this.end()) ?? (await this.#violentEnd());
  }

  /** Notes why it is ended: its memory ran out, or everything rests. */
  async mark(why: "oom" | "rest"): Promise<void> {
    await writeFile(this.file(why), "");
  }

  async #violentEnd(): Promise<RunEnd> {
    const observed = await stat(this.file("eof")).catch(() => undefined);
    return { code: killed, at: Math.round(observed?.mtimeMs ?? Date.now()), ...(await this.#marks()) };
  }

  /** Its keeper. Where none has come yet, none will be let in any more. */
  async #supervisor(): Promise<ProcessIdentity | undefined> {
    try {
      await writeFile(this.file("pid"), givenUp, { flag: "wx" });
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // The folder was removed after its facts were read: nothing of it runs.
      if (code === "ENOENT") return undefined;
      if (code !== "EEXIST") throw error;
    }
    // Between making the file and writing one line into it a keeper does nothing else.
    let text = await readFile(this.file("pid"), "latin1");
    for (let i = 0; i < 50 && !text.endsWith("\n"); i += 1) {
      await pause(10);
      text = await readFile(this.file("pid"), "latin1");
    }
    if (text === givenUp) return undefined;
    const pid = Number.parseInt(text, 10);
    return parseStat(text) ?? identityOf(pid) ?? { pid, start: "" };
  }

  async #marks(): Promise<Pick<RunEnd, "isOutOfMemory" | "isBlameless">> {
    const has = (why: "oom" | "rest"): Promise<boolean> =>
      stat(this.file(why)).then(
        () => true,
        () => false,
      );
    return { isOutOfMemory: await has("oom"), isBlameless: await has("rest") };
  }
}

/** The run before the newest one is kept for those who look back; older ones go. */
export async function pruneRuns(newest: RunFolder, attempt: number): Promise<void> {
  const parent = dirname(newest.path);
  for (const name of await readdir(parent)) {
    const folder = new RunFolder(join(parent, name));
    if (folder.path === newest.path) continue;
    const facts = await folder.facts();
    if (facts === undefined || facts.attempt < attempt - 1) await rm(folder.path, { recursive: true, force: true });
  }
}
