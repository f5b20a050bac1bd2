import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { totalmem } from "node:os";
import type { ModelFileHeader } from "./model-header.ts";

export interface FailedLoad {
  readonly path: string;
  readonly header: Pick<ModelFileHeader, "architecture" | "bytes">;
  readonly nativeLines: readonly string[];
}

/** Why native code could not load a model: in its own words where they were heard, else as far as the file tells. */
export function explainFailure({ path, header, nativeLines }: FailedLoad): string {
  const why = wordsOf(nativeLines) ?? unknownArchitecture(header) ?? noMemory(header);
  return `cannot load model ${path}: ${why ?? "the native code failed; see its log with --verbose"}`;
}

function wordsOf(lines: readonly string[]): string | undefined {
  const memory = lines.find((line) => /(failed|unable) to (re)?allocate|out of memory|cannot allocate/i.test(line));
  if (memory !== undefined) return `not enough memory: ${withoutOrigin(memory)}`;
  const reported =
    lines.find((line) => /error loading model: /.test(line)) ?? lines.find((line) => /\berror\b/i.test(line));
  return reported === undefined ? undefined : withoutOrigin(reported);
}

/** Without the name of the native function that says so. */
function withoutOrigin(line: string): string {
  return line.replace(/^[\w~:]+: /, "").replace(/^error loading model: /, "");
}

/** The names of all architectures stand in the binary as they are. */
function unknownArchitecture({ architecture }: FailedLoad["header"]): string | undefined {
  try {
    const binary = createRequire(import.meta.url).resolve(`@fugood/node-llama-${process.platform}-${process.arch}`);
    const isKnown = readFileSync(binary).includes(`\0${architecture}\0`);
    return isKnown ? undefined : `unknown model architecture: '${architecture}'`;
  } catch {
    return undefined;
  }
}

function noMemory({ bytes }: FailedLoad["header"]): string | undefined {
  const memory = totalmem();
  if (bytes < memory) return undefined;
  return `not enough memory: the file has ${gibibytes(bytes)}, the machine has ${gibibytes(memory)}`;
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)}Gi`;

/**
 * Fails when native code runs into memory that is not its own, which is how it ends every load that did not work: it goes on
 * without the model. The signal comes back as long as it is only heard, so the thread that caused it stands still; this one has
 * time to say why.
 */
export function crashOfLoad(): { readonly crashed: Promise<never>; forget(): void } {
  let hear = (): void => {};
  const crashed = new Promise<never>((_, reject) => {
    hear = () => reject(new NativeCrash());
  });
  crashed.catch(() => {});
  process.on("SIGSEGV", hear);
  return { crashed, forget: () => process.off("SIGSEGV", hear) };
}

export class NativeCrash extends Error {}

/** Ends the process whatever its threads are doing: by becoming another program that does nothing. */
export function endWithout(code: number): never {
  const { execve } = process as { execve?: (file: string, args: readonly string[], env: object) => never };
  if (execve !== undefined) execve(process.execPath, [process.execPath, "-e", `process.exit(${code})`], {});
  return process.kill(process.pid, "SIGKILL") as never;
}
