import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import type { ServingDialect, SimpleService } from "@trivium/domain";
import { formatMemory } from "@trivium/engines";
import { type AnyObject, ApiError, apiVersionOf, type KubeClient } from "@trivium/kube";
import { dialects, findRunning, freePorts, type RunRecord, startInBackground } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { parseAllDocuments, stringify } from "yaml";
import { chat } from "../chat/command.ts";
import { openScreen, type Screen } from "../screen.ts";
import { untilServing } from "./follow.ts";
import { type FoundModel, findModel } from "./model.ts";
import { parseTarget } from "./target.ts";

export interface RunOptions {
  readonly home: string;
  readonly name?: string;
  readonly namespace: string;
  readonly as: string;
  readonly context?: number;
  readonly serve?: boolean;
  readonly print?: boolean;
}

/** The label by which `trivium rm` finds what `trivium run` made. */
export const runLabel = "trivium.dev/run";

/** From weights or a manifest to a conversation: shows what it will do, serves it, and asks. */
export async function run(what: string, prompt: readonly string[], options: RunOptions): Promise<void> {
  const screen = openScreen(process.stderr, process.env);
  const target = parseTarget(what);
  const wanted =
    target.is === "manifest"
      ? fromManifest(target.path)
      : await fromWeights(await findModel(target, process.env), options, screen);
  if (options.print === true) {
    process.stdout.write(wanted.objects.map((object) => stringify(object)).join("---\n"));
    return;
  }
  const record = await controlPlane(options.home, screen);
  const { transport, client } = await connect(record);
  try {
    for (const object of wanted.objects) await apply(client, object, options.namespace);
    const { dialect, name, namespace = options.namespace } = wanted.service;
    await untilServing({ client, dialect, name, namespace, screen, signal: stopSignal() });
    const address = `http://127.0.0.1:${record.ports.gateway}/v1`;
    screen.line(`${screen.dim("serving")}   ${address} (model ${name})`);
    if (options.serve === true) return;
    await chat(name, { home: options.home, namespace, prompt: prompt.join(" ") });
  } finally {
    await transport.close();
  }
}

interface Wanted {
  readonly objects: readonly AnyObject[];
  readonly service: { readonly dialect: ServingDialect; readonly name: string; readonly namespace?: string };
}

async function fromWeights(model: FoundModel, options: RunOptions, screen: Screen): Promise<Wanted> {
  const { name = model.name, namespace, context = model.contextTokens } = options;
  screen.line(`${screen.dim("model")}     ${model.summary}`);
  if (model.download > 0) screen.line(`${screen.dim("download")}  ${await spaceFor(model.download, options.home)}`);
  const dialect = dialects.find((one) => one.name === options.as);
  if (dialect === undefined) throw new Refusal(`--as ${options.as}: choose aim, ome or llmkube`);
  const { source, files } = model;
  const service: SimpleService = {
    name,
    namespace,
    source,
    files,
    contextTokens: context,
    labels: { [runLabel]: name },
  };
  const written = dialect.writeService(service);
  if (written.is === "impossible") throw new Refusal(written.why);
  return { objects: written.objects, service: { dialect, name } };
}

/** What is downloaded must fit on the disk; that it does not is known before the first byte. */
async function spaceFor(bytes: number, home: string): Promise<string> {
  const { bavail, bsize } = await statfs(findRunning(home) === undefined ? "/" : home);
  const free = bavail * bsize;
  if (free < bytes)
    throw new Refusal(
      `the model needs ${formatMemory(bytes)} on the disk, and ${formatMemory(free)} are free; free some, or choose a smaller quantization`,
    );
  return `${formatMemory(bytes)}, ${formatMemory(free)} free on the disk`;
}

/** A manifest says itself what it is; the first service in it is asked. */
function fromManifest(path: string): Wanted {
  const documents = parseAllDocuments(readFileSync(path, "utf8"));
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error !== undefined) throw new Refusal(`${path} is not valid YAML: ${error.message.split("\n")[0]}`);
  const objects = documents.map((document) => document.toJS() as AnyObject | null).filter((object) => object !== null);
  for (const object of objects) {
    const dialect = dialects.find(({ serviceKind }) => isOf(serviceKind, object));
    const { name, namespace } = object.metadata ?? {};
    if (dialect !== undefined && name !== undefined)
      return { objects, service: { dialect, name, ...(namespace === undefined ? {} : { namespace }) } };
  }
  throw new Refusal(`${path} has no service of AIM, OME or LLMKube`);
}

const isOf = (kind: ServingDialect["serviceKind"], object: AnyObject): boolean =>
  kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion;

/** The one that runs, or one that is started and goes on after this command. */
async function controlPlane(home: string, screen: Screen): Promise<RunRecord> {
  const running = findRunning(home);
  if (running !== undefined) return running;
  screen.state("starting the control plane");
  const args = ["--no-demo", ...(await freePorts())];
  const record = await startInBackground({ home, args, program: ownCommand() });
  screen.line(`${screen.dim("started")}   ${record.url} in the background; trivium down stops it`);
  return record;
}

/** How this program was started, so that it can be started again. */
export const ownCommand = (): string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? ""];

async function connect({ kubeconfig }: RunRecord): Promise<{ transport: HttpTransport; client: KubeClient }> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  return { transport, client: createClient(transport) };
}

async function apply(client: KubeClient, object: AnyObject, namespace: string): Promise<void> {
  const kind = (await client.discover()).find(
    (one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion,
  );
  if (kind === undefined)
    throw new Refusal(`${object.apiVersion} ${object.kind} is not served; start trivium up with its API`);
  const metadata = kind.namespaced ? { namespace, ...object.metadata } : object.metadata;
  try {
    await client.apply(kind, { ...object, metadata } as never, {
      fieldManager: "trivium-run",
      force: true,
      fieldValidation: "Strict",
    });
  } catch (error) {
    if (error instanceof ApiError) throw new Refusal(`${object.kind} ${object.metadata.name}: ${error.message}`);
    throw error;
  }
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Refusal("stopped; the service goes on starting, trivium rm removes it")));
  return stop.signal;
}
