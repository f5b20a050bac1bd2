import { spawn } from "node:child_process";
import { resolve as absolute } from "node:path";
import { pathToFileURL } from "node:url";
import { WeightsError } from "../fault.ts";
import type { Digest, OpenedBytes, OpenOptions, RemoteFile } from "../transfer/remote-file.ts";
import { checkRelativePath, maxFiles } from "./relative-path.ts";
import type { Listing, Source } from "./source.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type VendorUri = { readonly scheme: "vendor"; readonly vendor: string; readonly text: string };

/**
 * `vendor://{name}/…` belongs to whoever the operator registered under that name: `TRIVIUM_WEIGHTS_VENDORS="acme=/opt/acme-weights"`.
 * A module (`.mjs`, `.js`) exports `resolve(uri, signal)` and returns a listing. Anything else is a program: `PROGRAM list URI` prints
 * `{"pinned": …, "files": [{"path", "size", "sha256"?, "version"?}]}`, and `PROGRAM read URI PATH START END` prints those bytes.
 */
export function createVendorSource(environment: Environment): Source<"vendor"> {
  return {
    async resolve(uri, signal) {
      const command = registered(environment).get(uri.vendor);
      if (command === undefined) {
        const message = `${uri.text}: unknown vendor ${uri.vendor}; register it in TRIVIUM_WEIGHTS_VENDORS`;
        throw new WeightsError("refused", "UnsupportedScheme", message);
      }
      return /\.m?js$/.test(command)
        ? fromModule(command, uri, signal)
        : fromProgram(command, uri, { environment, signal });
    },
  };
}

function registered(environment: Environment): Map<string, string> {
  const pairs = (environment.TRIVIUM_WEIGHTS_VENDORS ?? "").split(",").filter((each) => each.trim() !== "");
  return new Map(
    pairs.map((pair) => {
      const [, name, command] = /^\s*([\w.-]+)\s*=\s*(.+?)\s*$/.exec(pair) ?? [];
      if (name !== undefined && command !== undefined) return [name, command];
      throw new WeightsError("refused", "InvalidOption", "TRIVIUM_WEIGHTS_VENDORS: expected name=program,…");
    }),
  );
}

async function fromModule(path: string, uri: VendorUri, signal: AbortSignal): Promise<Listing> {
  const module = (await import(pathToFileURL(absolute(path)).href)) as { resolve?: unknown };
  if (typeof module.resolve !== "function")
    throw new WeightsError("refused", "InvalidOption", `${path}: the module does not export a function resolve`);
  const listing = (await module.resolve(uri.text, signal)) as Listing;
  for (const { path: name } of listing.files) checkRelativePath(name, uri.text);
  return listing;
}

interface ProgramPlace {
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

async function fromProgram(program: string, uri: VendorUri, place: ProgramPlace): Promise<Listing> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const { body, ended } = run(program, ["list", uri.text], place);
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > 32 * 1024 * 1024) throw bad(program, "printed a list that is too long");
    chunks.push(chunk);
  }
  await ended;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw bad(program, "did not print JSON");
  }
  const { pinned, files } = (value ?? {}) as { pinned?: unknown; files?: unknown };
  if (!Array.isArray(files) || files.length > maxFiles)
    throw bad(program, "printed no list of files, or one that is too long");
  const environment = place.environment;
  return {
    pinned: typeof pinned === "string" ? pinned : uri.text,
    files: files.map((each) => fileOf(each as Record<string, unknown>, program, { uri, environment })),
  };
}

function fileOf(
  each: Readonly<Record<string, unknown>>,
  program: string,
  at: { readonly uri: VendorUri; readonly environment: Environment },
): RemoteFile {
  const { path, size, sha256, version } = each ?? {};
  if (typeof path !== "string" || !Number.isSafeInteger(size) || (size as number) < 0)
    throw bad(program, "listed a file without a path or size");
  checkRelativePath(path, at.uri.text);
  const digest: Digest | undefined =
    typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) ? { algorithm: "sha256", hex: sha256 } : undefined;
  const open = async ({ range, signal }: OpenOptions): Promise<OpenedBytes> => {
    const start = range?.start ?? 0;
    const end = range?.end ?? (size as number);
    const { body, stop } = run(program, ["read", at.uri.text, path, String(start), String(end)], {
      environment: at.environment,
      signal,
    });
    return { start, total: size as number, version: undefined, protocol: "vendor", body, cancel: stop };
  };
  return {
    path,
    shownAs: `${at.uri.text}/${path}`,
    size: size as number,
    ...(typeof version === "string" ? { version } : {}),
    ...(digest === undefined ? {} : { digest }),
    open,
  };
}

function run(program: string, args: readonly string[], { environment, signal }: ProgramPlace) {
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const child = spawn(program, args, { env, signal, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(bad(program, `cannot be started: ${error.message}`)));
    child.once("close", (code) => (code === 0 ? resolve() : reject(faultOfExit(program, code))));
  });
  ended.catch(() => {});
  const stop = () => {
    child.stdout.on("error", () => {});
    child.kill("SIGKILL");
  };
  return { body: child.stdout as AsyncIterable<Uint8Array>, ended, stop };
}

/** A vendor's program may use our exit codes to say what is the matter. */
function faultOfExit(program: string, code: number | null): WeightsError {
  if (code === 3) return new WeightsError("not-found", "NotFound", `${program}: model not found`);
  if (code === 4) return new WeightsError("not-allowed", "AccessDenied", `${program}: access denied`);
  return new WeightsError("unreachable", "Unreachable", `${program}: exited with ${code ?? "a signal"}`);
}

function bad(program: string, what: string): WeightsError {
  return new WeightsError("refused", "Rejected", `${program}: ${what}`);
}
