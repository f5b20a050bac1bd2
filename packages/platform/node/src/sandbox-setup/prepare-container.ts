import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { api, Pod } from "@trivium/kube";
import { parseQuantity, quantityToInteger, quantityToNumber } from "@trivium/std";
import { environmentOfDevices } from "../devices/device-book.ts";
import { type Addressed, applyListening, askedPort } from "../images/apply-listening.ts";
import { requestedAccelerators } from "../images/engine-builds.ts";
import type { ImagePlan } from "../images/image-row.ts";
import { type ImageResolution, knownRows, planImage } from "../images/image-table.ts";
import { localMachine } from "../images/local-machine.ts";
import type { Launch, Preparation } from "../sandboxes/process/run/launch.ts";
import { isOnHost } from "./addresses/allocations.ts";
import { announcePorts, announceStandIn } from "./addresses/announce-ports.ts";
import { ConfigFault } from "./config-fault.ts";
import type { References, Variable } from "./environment/container-environment.ts";
import { podVariables } from "./environment/pod-variables.ts";
import { type ContainerFolders, type LocalSetup, makeContainerFolders } from "./local-setup.ts";
import { defaultSearchPath, type SandboxSetupOptions } from "./options.ts";
import { type ContainerText, containerText } from "./rewrite/container-text.ts";
import { insideCommand } from "./rewrite/inside-command.ts";
import { serviceRewriter } from "./rewrite/rewrite-services.ts";
import { describeUnenforced, ownUser, refuseRoot } from "./security-context.ts";

export interface ContainerInput {
  readonly pod: Pod;
  readonly container: api.Container;
  readonly setup: LocalSetup;
  readonly references: References;
}

/** Everything that a container's process needs, or why it cannot have it yet. */
export async function prepareContainer(input: ContainerInput, options: SandboxSetupOptions): Promise<Preparation> {
  // From before the first read, so that nothing that changes meanwhile is missed.
  const until = input.setup.reader.untilChange();
  try {
    return await prepareFound(input, options);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    const { message, reason } = error;
    return { is: "refused", reason, message, meanwhile: { reason, message }, until };
  }
}

async function prepareFound(input: ContainerInput, options: SandboxSetupOptions): Promise<Preparation> {
  const { pod, container, setup } = input;
  const user = options.user ?? ownUser();
  refuseRoot(pod, container, user);
  await setup.volumes.follow(pod);
  const variables = await podVariables(input, options);
  if (!setup.isOpen()) throw new ConfigFault("the pod was deleted");
  const folders = await makeContainerFolders(setup, container.name);
  const local = await containerText({ pod, container, setup, variables, folders });
  const words = await withServices(local, { container, variables }, options);
  const env = localEnvironment(variables, words);
  const shims = join(options.root, "bin");
  const machine = localMachine(options.searchPath ?? defaultSearchPath, options.programs ?? {}, shims);
  const call = {
    image: container.image ?? "",
    command: (container.command ?? []).map((word) => words.rewrite(words.expand(word))),
    args: (container.args ?? []).map((word) => words.rewrite(words.expand(word))),
    env: new Map(Object.entries(env)),
    secrets: new Set([...variables].flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))),
    accelerators: requestedAccelerators(container.resources?.limits),
  };
  const plan = await planImage([...(options.images ?? []), ...knownRows], call, machine);
  if (plan.is !== "runs") return refusedImage(plan);
  const base = { ...(await baseEnvironment(input, options, folders)), ...plan.env, ...env };
  const addressed = await applyAddress(input, plan, { argv: plan.argv, env: base });
  await announcePorts(options.client, pod, setup.allocation.ports);
  if (plan.standsInFor !== undefined) await announceStandIn(options.client, pod, plan.standsInFor);
  refuseNul(addressed);
  const { clients = {}, notes } = plan;
  const launch: Launch = {
    ...addressed,
    cwd: await workingFolder(container.workingDir || plan.workingDir, words, folders.work),
    address: setup.address,
    ports: new Map([...setup.allocation.ports].filter(([from, to]) => from !== to)),
    limits: limitsOf(container),
    terminationMessagePath: folders.terminationLog,
  };
  const commandOf = insideCommand({ words, machine, clients, env: addressed.env, ...placeOf(input) });
  const unenforced = describeUnenforced(pod, container, user);
  return {
    is: "ready",
    launch,
    commandOf,
    ...(notes === undefined ? {} : { notes }),
    ...(unenforced === undefined ? {} : { unenforced }),
  };
}

/** The same words, in which names of Services are addresses. Secrets are neither read for that nor changed. */
async function withServices(
  words: ContainerText,
  { container, variables }: { container: api.Container; variables: ReadonlyMap<string, Variable> },
  { client }: SandboxSetupOptions,
): Promise<ContainerText> {
  const values = [...variables.values()].filter(({ isSecret }) => !isSecret).map(({ value }) => value);
  const texts = [...(container.command ?? []), ...(container.args ?? []), ...values].map((text) => words.expand(text));
  const rewriteServices = await serviceRewriter(client, texts);
  return { ...words, rewrite: (text) => rewriteServices(words.rewrite(text)) };
}

/** What a process has although its spec does not say so. */
async function baseEnvironment(
  { pod, container, setup }: ContainerInput,
  { searchPath = defaultSearchPath, libraryPath, node }: SandboxSetupOptions,
  { home, temporary }: ContainerFolders,
): Promise<Record<string, string>> {
  // Without a list of cards the scheduler's word must do.
  const devices = node.accelerators === undefined ? {} : await setup.allocation.devicesFor(container);
  if (devices === undefined) throw new ConfigFault("the node has fewer free accelerators than the container requests");
  const hostname = pod.spec?.hostname || (pod.metadata.name ?? "");
  const libraries = libraryPath ? { LD_LIBRARY_PATH: libraryPath } : {};
  const own = { PATH: searchPath, HOME: home, TMPDIR: temporary, HOSTNAME: hostname };
  return { ...own, ...libraries, ...environmentOfDevices(devices) };
}

interface Place {
  readonly address: string | undefined;
  readonly portFor: (port: number) => number;
}

function placeOf({ pod, setup }: ContainerInput): Place {
  const { address, ports } = setup.allocation;
  return { address: isOnHost(pod) ? undefined : address, portFor: (port) => ports.get(port) ?? port };
}

async function applyAddress(
  input: ContainerInput,
  { listening = {} }: Extract<ImagePlan, { is: "runs" }>,
  program: Addressed,
): Promise<Addressed> {
  const asked = listening.port === undefined ? undefined : askedPort(program, listening.port);
  if (asked !== undefined) await input.setup.allocation.portFor(asked);
  return applyListening({ ...program, listening, ...placeOf(input) });
}

/** Values of the spec with real paths in them; secrets as they are. */
function localEnvironment(
  variables: ReadonlyMap<string, Variable>,
  { rewrite }: ContainerText,
): Record<string, string> {
  const entries = [...variables].map(
    ([name, { value, isSecret }]) => [name, isSecret ? value : rewrite(value)] as const,
  );
  return Object.fromEntries(entries);
}

/** Inside a volume it is made; a folder of the image is replaced by one of the room. */
async function workingFolder(wanted: string | undefined, words: ContainerText, work: string): Promise<string> {
  const real = wanted === undefined ? work : words.rewritePaths(wanted);
  if (real === wanted || real === work) return work;
  await mkdir(real, { recursive: true });
  return real;
}

function limitsOf({ resources }: api.Container): Launch["limits"] {
  const { memory, cpu } = resources?.limits ?? {};
  const bytes = memory === undefined ? undefined : parseQuantity(memory);
  const cores = cpu === undefined ? undefined : parseQuantity(cpu);
  const memoryBytes = bytes && quantityToInteger(bytes);
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(cores === undefined ? {} : { cpuMillis: Math.ceil(quantityToNumber(cores) * 1000) }),
  };
}

function refusedImage(resolution: Exclude<ImageResolution, { is: "runs" }>): Preparation {
  const { is, message } = resolution;
  if (is === "lacking") throw new ConfigFault(message, "EngineBuildMissing");
  // Nothing is pulled here, so no later attempt finds the image: what shows the status gives the advice, and so does the Event.
  const reason = is === "invalid" ? "InvalidImageName" : "ErrImageNeverPull";
  const advice = is === "unknown" ? { advice: resolution.advice } : {};
  return { is: "refused", reason, message, ...advice, meanwhile: { reason, message } };
}

function refuseNul({ argv, env }: Addressed): void {
  if (argv.some((word) => word.includes("\0"))) throw new ConfigFault("an argument contains a null byte");
  for (const [name, value] of Object.entries(env)) {
    if (value.includes("\0")) throw new ConfigFault(`environment variable ${name} contains a null byte`);
  }
}
