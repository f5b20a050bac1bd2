import type { ContainerEngine } from "./container-engine.ts";

export interface PodNetwork {
  readonly uid: string;
  readonly hostname: string;
  /** Where the ports of the pod are reached from this machine. */
  readonly address: string;
  /** From the port inside to the port outside. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Does nothing but hold the network of a pod, where the engine has no pods of its own. */
const pauseImage = "registry.k8s.io/pause:3.10";

export const podNameOf = (uid: string): string => `trivium-${uid}`;
export const containerNameOf = (uid: string, container: string): string => `trivium-${uid}-${container}`;

/** One network for all containers of a pod. Asked again for one that is there, it leaves it as it is. */
export async function openPodNetwork(engine: ContainerEngine, network: PodNetwork): Promise<void> {
  const name = podNameOf(network.uid);
  const published = [...network.ports].flatMap(([inside, outside]) => [
    "--publish",
    `${network.address}:${outside}:${inside}`,
  ]);
  if (engine.kind === "podman") {
    if (await answers(engine, ["pod", "exists", name])) return;
    await engine.run(["pod", "create", "--name", name, "--hostname", network.hostname, ...published]);
    return;
  }
  if (await answers(engine, ["container", "inspect", name])) return;
  await engine.run(["run", "--detach", "--name", name, "--hostname", network.hostname, ...published, pauseImage]);
}

/** With everything that is still in it. */
export async function closePodNetwork(engine: ContainerEngine, uid: string): Promise<void> {
  const name = podNameOf(uid);
  if (engine.kind === "podman") {
    await engine.run(["pod", "rm", "--force", "--ignore", "--time", "0", name]);
    return;
  }
  const listed = await engine.run(["ps", "--all", "--quiet", "--filter", `name=^${name}`]);
  const ids = listed.split("\n").filter((id) => id !== "");
  if (ids.length > 0) await engine.run(["rm", "--force", ...ids]);
}

/** How a container joins it. */
export const joining = (engine: ContainerEngine, uid: string): string[] =>
  engine.kind === "podman" ? ["--pod", podNameOf(uid)] : ["--network", `container:${podNameOf(uid)}`];

async function answers(engine: ContainerEngine, args: readonly string[]): Promise<boolean> {
  return engine.run(args).then(
    () => true,
    () => false,
  );
}
