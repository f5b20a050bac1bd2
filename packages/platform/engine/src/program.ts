import { once } from "node:events";
import { freemem, totalmem } from "node:os";
import { setTimeout } from "node:timers/promises";
import { BuildFailure } from "./addon.ts";
import { describeDevices } from "./devices.ts";
import type { Engine } from "./engine.ts";
import { FlagError, parseFlags } from "./flags/parse.ts";
import { type Settings, settingsOf } from "./flags/settings.ts";
import { usageText } from "./flags/usage.ts";
import type { EngineServer } from "./http/server.ts";
import { findOversize, planBatch, planCapacity } from "./model/capacity.ts";
import { crashOfLoad, endWithout, explainFailure, NativeCrash } from "./model/load-failure.ts";
import { type ModelFile, type Pooling, poolings } from "./model/messages.ts";
import { Model } from "./model/model.ts";
import { modelFileOf } from "./model/model-file.ts";
import { type ModelFileHeader, readModelFile } from "./model/model-header.ts";
import { tryModel } from "./model/model-trial.ts";
import { type Console, loudConsole, quietConsole, sharpenTimers } from "./model/native-noise.ts";
import { SlotPool } from "./slots.ts";
import { Tally } from "./tally.ts";
import { computeThreads } from "./threads.ts";

export interface ProgramHost {
  readonly args: readonly string[];
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** The program's own file: the thread of the model starts from it too. */
  readonly program: URL;
}

/** How long running answers may go on after the program was told to end. */
const drainMilliseconds = 25_000;

/**
 * How long open connections are still answered after the program was told to end. A proxy needs that time to see that
 * this replica is leaving; a connection closed before would take the request that was just written to it along.
 */
const lingerMilliseconds = 1_000;

/** Serves until it is told to end; returns the exit code where nothing was started, and does not return where it was. */
export async function runProgram(host: ProgramHost): Promise<number> {
  let settings: Settings;
  let warnings: readonly string[];
  try {
    const flags = parseFlags(host.args, host.environment);
    if (flags.values.has("help")) return say(usageText());
    if (flags.values.has("version")) return say(await versionText());
    if (flags.values.has("listDevices"))
      return say(await describeDevices(buildOf(host.environment), host.environment.TRIVIUM_ENGINE_TRIAL_MODEL));
    settings = settingsOf(flags);
    warnings = flags.warnings;
  } catch (error) {
    if (!(error instanceof FlagError || error instanceof BuildFailure)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return 1;
  }
  sharpenTimers();
  // A list of addresses helps nobody, and pushes the cause of a crash out of what is kept of the log.
  process.env.GGML_NO_BACKTRACE ??= "1";
  const console = settings.isVerbose ? loudConsole() : quietConsole();
  for (const warning of warnings) console.line(`W ${warning}`);
  let code = 1;
  try {
    code = await serve(settings, host, console);
  } catch (error) {
    console.line(`E ${error instanceof Error ? error.message : String(error)}`);
  }
  // Native threads may be at work, and taking them down in order can crash; without order it cannot.
  console.hushNative();
  return endWithout(code);
}

async function serve(wished: Settings, { environment, program }: ProgramHost, console: Console): Promise<number> {
  const stopped = stopSignal();
  const settings: Settings = { ...wished, model: withFiles(wished.model) };
  const header = await readModelFile(settings.model.path);
  const draft = settings.model.speculation?.draft;
  const checked = Promise.all([
    confirmModel({ settings, header, program }, console),
    ...(draft === undefined ? [] : [confirmDraft(draft, program)]),
  ]);
  checked.catch(() => {});
  // The model is tried while the HTTP side is still being read.
  const { createEngineServer } = await import("./http/server.ts");
  const server = createEngineServer(settings.server, (line) => console.line(line), environment.TRIVIUM_GATEWAY_TOKEN);
  await listen(server, settings);
  const { crashed, forget } = crashOfLoad();
  // Its thread starts and opens the library while the model is tried.
  const loading = loadModel(
    { settings, header, program, build: buildOf(environment), samplingSeconds: samplingSecondsOf(environment) },
    console,
  );
  await Promise.race([checked, stopped]);
  loading.model.load();
  const starting = startEngine(loading, environment);
  starting.catch(() => {});
  const engine = await Promise.race([starting, stopped, crashed]).catch((error: unknown) => {
    if (!(error instanceof NativeCrash)) throw error;
    throw new Error(explainFailure({ path: settings.model.path, header, nativeLines: console.nativeLines() }));
  });
  forget();
  // Told to end while loading: there is nobody to wait for.
  if (engine === undefined) return 0;
  server.serve(engine);
  console.hearNative();
  const { gpus } = engine.about;
  if (gpus.length > 0) console.line(`I computing on ${gpus.join(", ")}`);
  const took = Math.round(performance.now());
  console.line(`I model loaded ${took}ms after the start; listening on ${addressOf(server)}`);
  await Promise.race([stopped, engine.model.ended]);
  console.line(`I stopping: ${engine.pool.busy} running, ${engine.pool.queued} waiting`);
  await drain(server, engine);
  return 0;
}

/** Models may be given by the folder that they are in. */
function withFiles(model: Settings["model"]): Settings["model"] {
  const { path, speculation } = model;
  const draft = speculation?.draft === undefined ? undefined : modelFileOf(speculation.draft);
  return {
    ...model,
    path: modelFileOf(path),
    speculation: speculation === undefined ? undefined : { ...speculation, draft },
  };
}

interface Loading {
  readonly settings: Settings;
  readonly header: ModelFileHeader;
  readonly program: URL;
  readonly build?: string | undefined;
  readonly samplingSeconds: number;
}

/** Refuses a model or a template that would end the process, with the remedy. */
async function confirmModel(
  { settings, header, program }: Omit<Loading, "samplingSeconds">,
  console: Console,
): Promise<void> {
  const { path, chatTemplate: template } = settings.model;
  const hasTemplate = template !== undefined || header.metadata["tokenizer.chat_template"] !== undefined;
  const bytes = header.bytes * Math.max(1, Number(header.metadata["split.count"] ?? 1));
  const { useJinja } = settings.chat;
  const outcome = await tryModel(program, { path, bytes, template, hasTemplate, useJinja });
  const whose = template === undefined ? `the chat template in ${path}` : "the given chat template";
  if (outcome.is === "doubtful") console.line(`W ${whose} fails for a single user message: ${outcome.why}`);
  if (outcome.is === "bad-model") throw damaged(path, outcome.why);
  if (outcome.is === "bad-template")
    throw new Error(
      `llama.cpp cannot parse ${whose}; check its Jinja syntax, ` +
        "or pass another template with --chat-template or --chat-template-file",
    );
}

async function confirmDraft(path: string, program: URL): Promise<void> {
  const { bytes } = await readModelFile(path);
  const outcome = await tryModel(program, { path, bytes, template: undefined, hasTemplate: false, useJinja: false });
  if (outcome.is === "bad-model") throw damaged(path, outcome.why);
}

const damaged = (path: string, why: string | undefined): Error =>
  new Error(
    `cannot load model ${path}: llama.cpp stops while reading it${why === undefined ? "" : ` (${why})`}; ` +
      "the file is damaged or was converted incorrectly: download it again, or convert it again",
  );

function loadModel(
  { settings, header, program, build, samplingSeconds }: Loading,
  console: Console,
): Omit<Engine, "about"> {
  const { path, mmproj, embedding, chatTemplate, native } = settings.model;
  if (settings.model.pooling === "rank" && header.ranks !== true)
    throw new Error(`model ${path} cannot rank: it has no ranking head; use a reranking model, or remove --reranking`);
  const capacity = planCapacity(header, { ...settings.model, freeMemory: freemem() });
  const cacheTypes = [native.cache_type_k, native.cache_type_v];
  const oversize =
    build === undefined ? findOversize(header, capacity, { memory: memoryOfMachine(), cacheTypes }) : undefined;
  if (oversize !== undefined) throw new Error(oversize);
  const threads = computeThreads(settings.model.threads);
  const { slots, contextPerSlot } = capacity;
  console.line(
    `I loading ${path} (${header.architecture}, ${(header.bytes / 1024 ** 2).toFixed(1)}Mi): ` +
      `${slots} slots of ${contextPerSlot} tokens, ${threads} threads`,
  );
  const batchSize = planBatch(settings.model, capacity);
  const options = { ...native, n_threads: threads, n_batch: batchSize, n_ubatch: batchSize, embedding };
  return {
    settings,
    header,
    capacity,
    model: new Model(
      program,
      {
        path,
        mmproj,
        slots,
        contextPerSlot,
        batchSize,
        chatTemplate,
        useJinja: settings.chat.useJinja,
        file: modelFileFacts(header, settings.model.pooling),
        options,
        speculation: settings.model.speculation,
        build,
      },
      samplingSeconds,
    ),
    pool: new SlotPool(slots, 0),
    tally: new Tally(),
    name: settings.server.aliases[0] ?? path,
    startedAt: Math.floor(Date.now() / 1000),
  };
}

/** A group of processes may have less than the machine. */
function memoryOfMachine(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

function modelFileFacts(
  { architecture, bytes, metadata, vocabulary }: ModelFileHeader,
  pooling: Pooling | undefined,
): ModelFile {
  const ofFile = metadata[`${architecture}.pooling_type`];
  const window = metadata[`${architecture}.attention.sliding_window`];
  return {
    architecture,
    bytes,
    vocabulary,
    separates: metadata["tokenizer.ggml.add_sep_token"] === true,
    window: typeof window === "number" && window > 0 ? window : undefined,
    heads: headsOf(architecture, metadata),
    // Where neither the caller nor the file says so, the vectors of tokens stay as they are.
    pooling: pooling ?? (typeof ofFile === "number" ? poolings[ofFile] : "none"),
  };
}

function headsOf(architecture: string, metadata: ModelFileHeader["metadata"]): ModelFile["heads"] {
  const number = (key: string): number => Number(metadata[`${architecture}.${key}`]);
  const count = number("attention.head_count");
  const size = number("attention.key_length") || number("embedding_length") / count;
  return size > 0 && count > 0 ? { size, count } : undefined;
}

async function startEngine(loading: Omit<Engine, "about">, environment: Readonly<NodeJS.ProcessEnv>): Promise<Engine> {
  const about = await loading.model.loaded;
  return { ...loading, about, pool: new SlotPool(loading.capacity.slots, queueLength(environment)) };
}

/** Where the node put a build for the GPUs of this container. */
const buildOf = (environment: Readonly<NodeJS.ProcessEnv>): string | undefined =>
  environment.TRIVIUM_ENGINE_BUILD || undefined;

/** Long enough for any grammar that works, on a slow machine. */
function samplingSecondsOf(environment: Readonly<NodeJS.ProcessEnv>): number {
  const given = Number(environment.TRIVIUM_ENGINE_SAMPLING_SECONDS ?? Number.NaN);
  return Number.isInteger(given) && given > 0 ? given : 30;
}

function queueLength(environment: Readonly<NodeJS.ProcessEnv>): number {
  const given = Number(environment.TRIVIUM_ENGINE_QUEUE ?? Number.NaN);
  return Number.isInteger(given) && given >= 0 ? given : 512;
}

async function listen({ http }: EngineServer, { server: { host, port } }: Settings): Promise<void> {
  http.listen({ host, port });
  try {
    await once(http, "listening");
  } catch (error) {
    throw new Error(`cannot listen on ${host}:${port}: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
}

function addressOf({ http }: EngineServer): string {
  const address = http.address();
  return typeof address === "object" && address !== null
    ? `http://${address.address}:${address.port}`
    : String(address);
}

/** Resolves when the program is told to end; told twice, it ends at once. */
function stopSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    let isTold = false;
    for (const name of ["SIGTERM", "SIGINT"] as const)
      process.on(name, () => {
        if (isTold) endWithout(0);
        isTold = true;
        resolve(undefined);
      });
  });
}

/** Connections end with their next answer, then nothing new comes in; what runs goes on for a while. */
async function drain({ http, drain: closeEach }: EngineServer, engine: Engine): Promise<void> {
  closeEach();
  if ((await openConnections(http)) > 0) await setTimeout(lingerMilliseconds);
  const closed = new Promise((resolve) => http.close(resolve));
  http.closeIdleConnections();
  const late = new AbortController();
  const patience = setTimeout(drainMilliseconds, undefined, { signal: late.signal }).catch(() => {});
  await Promise.race([Promise.all([engine.pool.idle(), closed]), patience]);
  late.abort();
  http.closeAllConnections();
}

const openConnections = (http: EngineServer["http"]): Promise<number> =>
  new Promise((resolve) => {
    http.getConnections((_, count) => resolve(count ?? 0));
  });

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

async function versionText(): Promise<string> {
  const { loadBinding } = await import("./binding.ts");
  const { build } = await loadBinding();
  return `version: ${build} (@fugood/llama.node)`;
}
