import type { ServicePlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import type { PodRole } from "./pod-role.ts";

/** A container that cannot be started behind Ray. */
export class RayRefusal extends Error {}

const port = 6379;
const shell = ["/bin/sh", "-c"];
const leading = `ray start --head --port=${port} --dashboard-host=0.0.0.0 && exec "$@"`;
/** A follower that gives up would take its whole group with it, so it asks until the leader is there. */
const following = `until ray start --address="$LWS_LEADER_ADDRESS:${port}" --block; do sleep 5; done`;
const ending: api.Lifecycle = { preStop: { exec: { command: [...shell, "ray stop"] } } };

/**
 * One group is one Ray cluster: its leader starts Ray and then serves, the others join it and wait for work. Whoever starts Ray in a
 * container of their own does it their way.
 */
export function startRay(container: api.Container, role: PodRole): api.Container {
  const { command = [], args = [], ...rest } = container;
  if ([...command, ...args].some((text) => text.includes("ray start"))) return container;
  const lifecycle = container.lifecycle ?? ending;
  if (role === "worker") return { ...rest, command: [...shell, following], lifecycle };
  if (command.length === 0)
    throw new RayRefusal("the leader requires a command because Ray is started first; set runner.command");
  return { ...rest, command: [...shell, leading, "serve"], args: [...command, ...args], lifecycle };
}

const rayPorts: ServicePlan["ports"] = [
  { name: "dashboard", port: 8265, target: 8265 },
  { name: "serve", port: 8000, target: 8000 },
  { name: "gcs", port, target: port },
];

/** Beside what the leader serves at, where Ray is reached. */
export const withRayPorts = (address: ServicePlan): ServicePlan => ({
  ...address,
  ports: [
    ...address.ports,
    ...rayPorts.filter((ours) => !address.ports.some((one) => one.port === ours.port || one.name === ours.name)),
  ],
});
