import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CustomResourceDefinition } from "@trivium/kube";
import { ensurePrograms, type GoPrograms, outputOf } from "../build.ts";
import { freePorts } from "../free-ports.ts";
import { installDefinitions } from "../install-definitions.ts";
import {
  folderOfModule,
  isServed,
  type NeighbourOptions,
  type RunningNeighbour,
  readObjects,
  startProgram,
} from "./program.ts";

const module = join(import.meta.dirname, "traefik");
const program = "traefik";

const programs: GoPrograms = {
  module,
  output: outputOf("traefik", module),
  about: "Traefik once, about ten minutes of one core",
  programs: { [program]: "github.com/traefik/traefik/v3/cmd/traefik" },
};

/** Whether this machine has built the program: tests do not wait for that. */
export const isTraefikBuilt = (): boolean => existsSync(programs.output);

/** The program, built first if this machine has not built it before. */
export const ensureTraefik = (print: (line: string) => void): string => join(ensurePrograms(programs, print), program);

export interface RunningTraefik extends RunningNeighbour {
  /** Where it answers for every Gateway of its class that listens on this port. */
  readonly port: number;
  readonly className: string;
}

/** An implementation of the Gateway API on this machine: definitions, class, controller and proxy. It reaches pods at their addresses. */
export async function startTraefik(options: NeighbourOptions): Promise<RunningTraefik> {
  const crds = join(folderOfModule(module, "sigs.k8s.io/gateway-api"), "config/crd/standard/gateway*.yaml");
  await installDefinitions(options.client, readObjects(crds).filter(isDefinition));
  const [port = 0, health = 0] = await freePorts(2);
  const running = await startProgram(
    {
      name: program,
      path: ensureTraefik(() => undefined),
      args: argumentsOf(port, health),
      isReady: () => isServed(`http://127.0.0.1:${health}/ping`),
    },
    options,
  );
  return { ...running, port, className: "traefik" };
}

const isDefinition = (object: { kind: string }): object is CustomResourceDefinition =>
  object.kind === "CustomResourceDefinition";

const argumentsOf = (port: number, health: number): string[] => [
  "--global.checknewversion=false",
  "--global.sendanonymoususage=false",
  `--entrypoints.web.address=127.0.0.1:${port}`,
  `--entrypoints.traefik.address=127.0.0.1:${health}`,
  "--ping=true",
  "--providers.kubernetesgateway=true",
  "--providers.kubernetesgateway.statusaddress.ip=127.0.0.1",
];
