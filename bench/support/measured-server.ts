import { readFileSync } from "node:fs";
import { Pool } from "undici";
import { parse } from "yaml";

/** A running API server, as a measurement sees it. */
export interface MeasuredServer {
  /** Path of the kubeconfig of its administrator. */
  readonly kubeconfig: string;
  /** Resident memory of all its processes, in bytes. */
  memory(): number;
  /** Processor time that its processes have used so far, in milliseconds. */
  processorTime(): number;
  stop(): Promise<void>;
}

/** What a person would see a moment after the last work, in bytes. */
export async function idleMemory(server: MeasuredServer): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return server.memory();
}

export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** Of all threads, in user and kernel mode. Linux counts in hundredths of a second. */
export function processorTimeOf(pid: number): number {
  // The name of the program stands in brackets and may hold spaces; the numbers come after it.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Of a process and those that it has started. */
export function processorTimeOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.reduce((sum, child) => sum + processorTimeOfAll(Number(child)), processorTimeOf(pid));
}

/** Connections with the certificate that the kubeconfig holds. */
export function connect(server: MeasuredServer, connections: number): Pool {
  const config = parse(readFileSync(server.kubeconfig, "utf8")) as Kubeconfig;
  const { server: url, "certificate-authority-data": ca } = config.clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
  const plain = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
  return new Pool(url, {
    connections,
    connect: { ca: plain(ca), cert: plain(cert), key: plain(key), servername: "localhost" },
    // The embedded server speaks HTTP/1.1 only; what is compared must travel alike.
    allowH2: false,
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
  });
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly "certificate-authority-data": string } },
  ];
  readonly users: readonly [
    { readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string } },
  ];
}
