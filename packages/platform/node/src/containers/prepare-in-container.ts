import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { api } from "@trivium/kube";
import { parseQuantity, quantityToInteger, quantityToNumber } from "@trivium/std";
import { ConfigFault } from "../sandbox-setup/config-fault.ts";
import type { Variable } from "../sandbox-setup/environment/container-environment.ts";
import { expandVariables } from "../sandbox-setup/environment/expand-variables.ts";
import { podVariables } from "../sandbox-setup/environment/pod-variables.ts";
import { makeContainerFolders } from "../sandbox-setup/local-setup.ts";
import type { SandboxSetupOptions } from "../sandbox-setup/options.ts";
import type { ContainerInput } from "../sandbox-setup/prepare-container.ts";
import { refuseRootImage } from "../sandbox-setup/security-context.ts";
import type { Preparation } from "../sandboxes/process/run/launch.ts";
import type { ContainerEngine } from "./container-engine.ts";
import { containerNameOf, joining } from "./pod-network.ts";

const pullTimeout = 3_600_000;

/**
 * The same container, run by a container engine: its command line is the process, so that everything about processes (logs, health, restarts,
 * being taken up again) holds for it too. Values of variables go by a file, never by the command line.
 */
export async function prepareInContainer(
  input: ContainerInput,
  options: SandboxSetupOptions,
  engine: ContainerEngine,
): Promise<Preparation> {
  const until = input.setup.reader.untilChange();
  try {
    await input.setup.volumes.follow(input.pod);
    const missing = await pull(engine, input.container);
    if (missing !== undefined) return missing;
    const { image = "" } = input.container;
    const userOf = () => engine.run(["image", "inspect", "--format", "{{.Config.User}}", image]);
    await refuseRootImage(input.pod, input.container, userOf);
    return await ready(input, options, engine);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    const { message } = error;
    const reason = "CreateContainerConfigError";
    return { is: "refused", reason, message, meanwhile: { reason, message }, until };
  }
}

async function ready(
  input: ContainerInput,
  options: SandboxSetupOptions,
  engine: ContainerEngine,
): Promise<Preparation> {
  const { pod, container, setup } = input;
  const variables = await podVariables(input, options);
  const folders = await makeContainerFolders(setup, container.name);
  const expand = (text: string): string => expandVariables(text, (name) => variables.get(name)?.value);
  const subPathOf = ({ subPath = "", subPathExpr }: api.VolumeMount): string =>
    subPathExpr === undefined ? subPath : expand(subPathExpr);
  const name = containerNameOf(setup.uid, container.name);
  const [entry, ...first] = (container.command ?? []).map(expand);
  const mounts = await setup.volumes.mountsOf(container, subPathOf);
  const argv = [
    engine.path,
    "run",
    "--rm",
    ...interactive(container),
    "--name",
    name,
    ...(engine.kind === "podman" ? ["--replace"] : []),
    ...joining(engine, setup.uid),
    "--env-file",
    await writeVariables(join(folders.home, "environment"), variables),
    ...mounts.flatMap(({ mountPath, realPath }) => [
      "--volume",
      `${realPath}:${mountPath}${modeOf(container, mountPath)}`,
    ]),
    "--volume",
    `${folders.terminationLog}:${container.terminationMessagePath || "/dev/termination-log"}`,
    ...limitsOf(container),
    ...securityOf(pod.spec?.securityContext, container.securityContext),
    ...(container.workingDir === undefined ? [] : ["--workdir", container.workingDir]),
    ...(entry === undefined ? [] : ["--entrypoint", entry]),
    container.image ?? "",
    ...first,
    ...(container.args ?? []).map(expand),
  ];
  // The engine is a program of this machine and needs its surroundings, not the container's.
  const env = Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return {
    is: "ready",
    launch: {
      argv,
      env,
      cwd: folders.work,
      address: setup.address,
      ports: setup.allocation.ports,
      limits: {},
      terminationMessagePath: folders.terminationLog,
    },
    commandOf: (command, interaction) => [engine.path, "exec", ...interactive(interaction), name, ...command],
  };
}

const interactive = ({ stdin, tty }: Pick<api.Container, "stdin" | "tty"> = {}): string[] => [
  ...(stdin === true ? ["--interactive"] : []),
  ...(tty === true ? ["--tty"] : []),
];

async function pull(
  engine: ContainerEngine,
  { image = "", imagePullPolicy }: api.Container,
): Promise<Preparation | undefined> {
  const isThere = await engine.run(["image", "inspect", image]).then(
    () => true,
    () => false,
  );
  if (isThere && imagePullPolicy !== "Always") return undefined;
  try {
    if (imagePullPolicy === "Never") throw new Error("the image is not present and imagePullPolicy is Never");
    await engine.run(["pull", image], { timeout: pullTimeout });
    return undefined;
  } catch (error) {
    if (isThere) return undefined;
    const message = `failed to pull image "${image}": ${error instanceof Error ? error.message : String(error)}`;
    const meanwhile = {
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "${image}": ErrImagePull: ${message}`,
    };
    return { is: "refused", reason: "ErrImagePull", message, meanwhile };
  }
}

/** For the owner's eyes only. A line cannot hold a line break, so neither can a value. */
async function writeVariables(path: string, variables: ReadonlyMap<string, Variable>): Promise<string> {
  const lines = [...variables].map(([name, { value }]) => {
    if (value.includes("\n"))
      throw new ConfigFault(`environment variable ${name} contains a line break, which is not supported`);
    return `${name}=${value}\n`;
  });
  await writeFile(path, lines.join(""), { mode: 0o600 });
  return path;
}

const modeOf = ({ volumeMounts = [] }: api.Container, path: string): string =>
  volumeMounts.some(({ mountPath, readOnly }) => mountPath === path && readOnly === true) ? ":ro" : "";

function limitsOf({ resources }: api.Container): string[] {
  const { memory, cpu } = resources?.limits ?? {};
  const bytes = memory === undefined ? undefined : parseQuantity(memory);
  const cores = cpu === undefined ? undefined : parseQuantity(cpu);
  return [
    ...(bytes === undefined ? [] : ["--memory", `${quantityToInteger(bytes) ?? 0}b`]),
    ...(cores === undefined ? [] : ["--cpus", String(quantityToNumber(cores))]),
  ];
}

function securityOf(ofPod: api.PodSecurityContext | undefined, own: api.SecurityContext | undefined): string[] {
  const user = own?.runAsUser ?? ofPod?.runAsUser;
  const group = own?.runAsGroup ?? ofPod?.runAsGroup;
  return [
    ...(user === undefined ? [] : ["--user", group === undefined ? String(user) : `${user}:${group}`]),
    ...(own?.readOnlyRootFilesystem === true ? ["--read-only"] : []),
    ...(own?.privileged === true ? ["--privileged"] : []),
    ...(own?.capabilities?.drop ?? []).flatMap((name) => ["--cap-drop", name]),
    ...(own?.capabilities?.add ?? []).flatMap((name) => ["--cap-add", name]),
  ];
}
