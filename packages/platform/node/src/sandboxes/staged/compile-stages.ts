import { controllerOf, type Pod } from "@trivium/kube";
import { type Millis, parseDuration } from "@trivium/std";
import type { ContainerRun } from "../../sandbox.ts";
import type { Life, PullFailure, Stage, StagedExit, StageMatch, StageTable } from "./stage.ts";

/** A life with its durations read. */
export interface CompiledLife {
  readonly pull: Millis;
  readonly pullFailure?: PullFailure;
  readonly startup: Millis;
  readonly ready: Millis | "never";
  readonly probe?: string;
  readonly log: readonly { readonly text: string; readonly after: Millis; readonly every?: Millis }[];
  readonly exit?: StagedExit & { readonly at: Millis };
  readonly stop: { readonly after: Millis; readonly code: number };
}

export type LifeOf = (run: Pick<ContainerRun, "pod" | "container" | "role" | "attempt">) => CompiledLife;

/** Reads a table once. Throws with the stage and the field that cannot be read. */
export function compileStages(table: StageTable): LifeOf {
  const stages = table.map(compileStage);
  return (run) => {
    const stage = stages.find(({ matches }) => matches(run));
    const lives = stage?.lives ?? [plainLife];
    return lives[Math.min(run.attempt, lives.length - 1)] ?? plainLife;
  };
}

const plainLife: CompiledLife = { pull: 0, startup: 0, ready: 0, log: [], stop: { after: 0, code: 0 } };

function compileStage(stage: Stage): { matches: (run: Parameters<LifeOf>[0]) => boolean; lives: CompiledLife[] } {
  const lives: readonly Life[] = Array.isArray(stage.life) ? stage.life : [stage.life as Life];
  if (lives.length === 0) throw new Error(`stage "${stage.name}" has no lifecycle; add at least one`);
  return { matches: compileMatch(stage.match ?? {}), lives: lives.map((life) => compileLife(stage.name, life)) };
}

function compileLife(stage: string, life: Life): CompiledLife {
  const read = (field: string, text: string | undefined): Millis => {
    const millis = parseDuration(text ?? "0s");
    if (millis !== undefined && millis >= 0) return millis;
    throw new Error(`stage "${stage}": ${field}: "${text}" is not a valid duration (expected e.g. 200ms or 1.5s)`);
  };
  const { pull, exit, ready } = life;
  const failure = typeof pull === "object" ? pull : undefined;
  return {
    pull: read("pull", typeof pull === "object" ? pull.after : pull),
    ...(failure === undefined ? {} : { pullFailure: failure }),
    startup: read("startup", life.startup),
    ready: ready === "never" ? "never" : read("ready", ready),
    ...(life.probe === undefined ? {} : { probe: life.probe }),
    log: (life.log ?? []).map(({ text, after, every }, i) => {
      const line = { text, after: read(`log[${i}].after`, after) };
      if (every === undefined) return line;
      const pause = read(`log[${i}].every`, every);
      if (pause < 1) throw new Error(`stage "${stage}": log[${i}].every must be at least 1ms`);
      return { ...line, every: pause };
    }),
    ...(exit === undefined ? {} : { exit: { ...exit, at: read("exit.after", exit.after) } }),
    stop: { after: read("stop.after", life.stop?.after), code: life.stop?.code ?? 0 },
  };
}

type Check = (run: Parameters<LifeOf>[0]) => boolean;

function compileMatch(match: StageMatch): Check {
  const checks: Check[] = [];
  const text = (pattern: string | undefined, value: (run: Parameters<Check>[0]) => string | undefined): void => {
    if (pattern === undefined) return;
    const fits = globOf(pattern);
    checks.push((run) => fits(value(run) ?? ""));
  };
  text(match.image, ({ container }) => container.image);
  text(match.container, ({ container }) => container.name);
  text(match.pod, ({ pod }) => pod.metadata.name);
  text(match.namespace, ({ pod }) => pod.metadata.namespace);
  text(match.owner, ({ pod }) => controllerOf(pod)?.kind);
  text(match.role, ({ role }) => role);
  checks.push(...mapChecks(match.labels, ({ metadata }) => metadata.labels));
  checks.push(...mapChecks(match.annotations, ({ metadata }) => metadata.annotations));
  return (run) => checks.every((holds) => holds(run));
}

type Texts = Readonly<Record<string, string>> | undefined;

function mapChecks(wanted: Texts, of: (pod: Pod) => Texts): Check[] {
  return Object.entries(wanted ?? {}).map(([key, pattern]) => {
    const fits = globOf(pattern);
    return ({ pod }) => {
      const value = of(pod)?.[key];
      return value !== undefined && fits(value);
    };
  });
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function globOf(pattern: string): (text: string) => boolean {
  if (!pattern.includes("*")) return (text) => text === pattern;
  const source = pattern.split("*").map(literal).join(".*");
  const expression = new RegExp(`^${source}$`, "s");
  return (text) => expression.test(text);
}
