import { createHash } from "node:crypto";
import { run } from "./programs.ts";

/** How the machine and the node reach each other: a pair of interfaces between two network namespaces. */
export interface NodeNetwork {
  readonly id: string;
  /** The machine's end, where the API server listens. */
  readonly host: string;
  /** The node's end, where kubelet and the name server listen. */
  readonly node: string;
  readonly pods: string;
  /** Name of the machine's interface. */
  readonly link: string;
}

/** Addresses that this machine has no route to yet, the same for the same folder where possible. */
export function chooseNetwork(folder: string, routes: string): NodeNetwork {
  const digest = createHash("sha256").update(folder).digest();
  const first = digest.readUInt16BE(0) % 100;
  const octets = Array.from({ length: 100 }, (_, at) => 100 + ((first + at) % 100));
  const octet = octets.find((each) => !routes.includes(`10.${each}.`));
  if (octet === undefined) throw new Error("every network from 10.100.0.0/16 to 10.199.0.0/16 is in use");
  const id = `${digest.toString("hex").slice(0, 6)}${octet}`;
  return {
    id,
    host: `10.${octet}.255.1`,
    node: `10.${octet}.255.2`,
    pods: `10.${octet}.0.0/24`,
    link: `trv${id}`,
  };
}

/** Joins the network namespace of a process to the machine. The interfaces and routes end with the namespace. */
export function joinNetwork({ host, node, pods, link }: NodeNetwork, process: number): void {
  run("ip", ["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", String(process)]);
  run("ip", ["address", "add", `${host}/30`, "dev", link]);
  run("ip", ["link", "set", link, "up"]);
  const inside = (...args: string[]): string => run("nsenter", ["--target", String(process), "--net", ...args]);
  inside("ip", "link", "set", "lo", "up");
  inside("ip", "address", "add", `${node}/30`, "dev", "eth0");
  inside("ip", "link", "set", "eth0", "up");
  // Without it addresses of Services are unreachable from the node itself; the machine forwards nothing.
  inside("ip", "route", "add", "default", "via", host);
  inside("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
  run("ip", ["route", "add", pods, "via", node]);
}

/** Pods have a routed interface each: with a bridge, answers of Services would bypass the translation of addresses. */
export const cniConfiguration = ({ pods }: NodeNetwork): string =>
  JSON.stringify({
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [
      {
        type: "ptp",
        ipMasq: false,
        ipam: { type: "host-local", ranges: [[{ subnet: pods }]], routes: [{ dst: "0.0.0.0/0" }] },
      },
      { type: "loopback" },
    ],
  });
