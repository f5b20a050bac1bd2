import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type { PortableService, ServingDialect, WrittenService } from "@trivium/domain";
import { formatFit, formatMemory } from "@trivium/engines";
import { type AnyObject, apiVersionOf } from "@trivium/kube";
import { demoManifest, dialects, findRunning } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { stringify } from "yaml";
import type { AccessOptions } from "../access.ts";
import { chat } from "../chat/command.ts";
import { type Place, placeOf } from "../cluster/place.ts";
import { readDocuments } from "../facts/documents.ts";
import { untilInterrupted } from "../interrupt.ts";
import { fitOnThisMachine } from "../models/memory.ts";
import { print, printData } from "../print.ts";
import { isQuiet } from "../quiet.ts";
import { openScreen, type Screen, silentScreen } from "../screen.ts";
import { apply } from "./apply.ts";
import { refuseOther } from "./existing.ts";
import { untilServing } from "./follow.ts";
import { chooseGpu } from "./gpu.ts";
import { type FoundModel, findModel } from "./model.ts";
import { asRefusal, openServer } from "./server.ts";
import { isStored } from "./stored.ts";
import { checkName, parseTarget, type RunTarget } from "./target.ts";

export interface RunOptions extends AccessOptions {
  readonly name?: string;
  readonly as?: string;
  readonly context?: number;
  readonly serve?: boolean;
  readonly print?: boolean;
  /** False with `--no-gpu`. */
  readonly gpu?: boolean;
}

/** The label by which `trivium rm` finds what `trivium run` made. */
export const runLabel = "trivium.dev/run";

/** The model that comes with this build, where no file of this folder has its name. */
function demoOf(what: string): RunTarget | undefined {
  const path = what === "demo" && !existsSync(what) ? demoManifest() : undefined;
  return path === undefined ? undefined : { is: "manifest", path };
}

/** From weights or a manifest to a conversation: shows what it will do, serves it, and asks. */
export async function run(what: string, prompt: readonly string[], options: RunOptions): Promise<void> {
  const screen = isQuiet() ? silentScreen : openScreen(process.stderr, process.env);
  const target = demoOf(what) ?? parseTarget(what);
  if (options.name !== undefined) checkName(options.name);
  const place = await placeOf(options);
  refuseForeign(target, place);
  const { namespace: given = place.is === "cluster" ? place.access.namespace : "default" } = options;
  const asked = { ...options, namespace: given };
  const wanted =
    target.is === "manifest"
      ? fromManifest(target.path)
      : await fromWeights(await findModel(target, process.env), asked, { screen, place });
  if (options.print === true) {
    printData(wanted.objects.map((object) => stringify(object)).join("---\n"));
    return;
  }
  const signal = untilInterrupted();
  const server = await openServer(place, screen, signal);
  if (server === undefined) return;
  const { dialect, name, namespace = given } = wanted.service;
  try {
    const { client } = server;
    if (target.is !== "manifest") await refuseOther(client, wanted.objects, { dialect, name, namespace });
    for (const object of wanted.objects) await apply(server, object, given);
    await untilServing({ client, dialect, name, namespace, screen, signal });
    const { address, lines } = await server.addressOf(name, namespace);
    for (const [word, text] of lines) screen.line(`${screen.dim(word)}   ${text}`);
    // A terminal has the address in the lines above; a pipe or a script gets nothing else.
    if (options.serve === true && (isQuiet() || process.stdout.isTTY !== true)) print(`${address}\n`);
  } catch (error) {
    screen.done();
    if (!signal.aborted) throw asRefusal(error, server);
    screen.line(`stopped; ${dialect.serviceKind.kind} ${name} continues to start, and trivium rm ${name} removes it`);
    return;
  } finally {
    await server.close();
  }
  if (options.serve !== true && !signal.aborted)
    await chat(name, { ...accessTo(place, options), namespace, prompt: prompt.join(" ") });
}

/** The conversation is with the server that was chosen, whatever it was chosen by. */
const accessTo = (place: Place, { kubeconfig }: RunOptions): AccessOptions => {
  if (place.is === "machine") return { home: place.home };
  return kubeconfig === undefined ? {} : { kubeconfig };
};

/** A cluster cannot read the disk of this machine. */
function refuseForeign(target: RunTarget, place: Place): void {
  if (target.is !== "file" || place.is === "machine") return;
  throw new Refusal(
    `${target.path} is on this machine, and cluster ${place.access.server} cannot read it; name a repository or an address, or serve the file on this machine with --home ~/.trivium`,
  );
}

interface Wanted {
  readonly objects: readonly AnyObject[];
  readonly service: { readonly dialect: ServingDialect; readonly name: string; readonly namespace?: string };
}

interface Shown {
  readonly screen: Screen;
  readonly place: Place;
}

type Placed = RunOptions & { readonly namespace: string };

async function fromWeights(model: FoundModel, options: Placed, { screen, place }: Shown): Promise<Wanted> {
  const { name = model.name, namespace, context = model.contextTokens } = options;
  const show = (word: string, text: string): void => screen.line(`${screen.dim(word.padEnd(8))}  ${text}`);
  show("model", model.summary);
  const { trainedTokens: trained } = model;
  if (context !== undefined && trained !== undefined && context > trained)
    show("warning", `--context ${context} exceeds the ${trained} tokens that the model was trained for`);
  if (place.is === "cluster") show("download", formatMemory(model.download));
  const gpu =
    place.is === "cluster" || options.gpu === false ? {} : await chooseGpu(model, { home: place.home, context, name });
  if (gpu.line !== undefined) show("gpu", gpu.line);
  if (place.is === "machine") {
    const fit = fitOnThisMachine(model, { context, gpuBytes: gpu.bytes });
    if (fit !== undefined) show("memory", formatFit(fit));
    if (model.download > 0) show("download", await downloadOf(model, place.home, namespace));
  }
  const { source, files, isWhole } = model;
  const service: PortableService = {
    ...{ name, namespace, source, files, isWhole },
    contextTokens: context,
    toolCalls: true,
    ...gpu.request,
    labels: { [runLabel]: name },
  };
  const { dialect, written } = writeFor(service, options.as);
  // A person who asked for one quantization does not want all of them.
  const { files: fetched } = written.fields;
  if (files.length > 0 && fetched?.differs !== undefined) throw new Refusal(`${fetched.differs}; use --as llmkube`);
  if (options.context !== undefined && written.fields.contextTokens === undefined)
    throw new Refusal(
      `--context ${options.context} has no place in manifests of ${dialect.name}; leave it out, or choose another API with --as`,
    );
  return { objects: written.objects, service: { dialect, name } };
}

const defaultApi = "llmkube";

/** In the API that was asked for; where none was, in the default one, or another one that downloads from such a source. */
function writeFor(
  service: PortableService,
  api: string | undefined,
): { readonly dialect: ServingDialect; readonly written: Extract<WrittenService, { is: "written" }> } {
  const dialect = dialects.find((one) => one.name === (api ?? defaultApi));
  if (dialect === undefined) throw new Refusal(`--as ${api}: choose aim, ome or llmkube`);
  const written = dialect.writeService(service);
  if (written.is === "written") return { dialect, written };
  const [other] = written.instead;
  if (api === undefined && other !== undefined) return writeFor(service, other);
  throw new Refusal(`${written.why}; use --as ${written.instead.join(" or --as ")}`);
}

async function downloadOf(model: FoundModel, home: string, namespace: string): Promise<string> {
  const stored = await isStored(model, home, namespace);
  return stored ? `none, ${formatMemory(model.download)} are on this disk already` : spaceFor(model.download, home);
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
  const objects = readDocuments(path);
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
