import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadOrCreateIdentity } from "@trivium/apiserver";
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

const module = join(import.meta.dirname, "keda");
const program = "keda-operator";

const programs: GoPrograms = {
  module,
  output: outputOf("keda", module),
  about: "KEDA once, about fifteen minutes of one core",
  programs: { [program]: "github.com/kedacore/keda/v2/cmd/operator" },
};

/** Whether this machine has built the program: tests do not wait for that. */
export const isKedaBuilt = (): boolean => existsSync(programs.output);

/** The program, built first if this machine has not built it before. */
export const ensureKeda = (print: (line: string) => void): string => join(ensurePrograms(programs, print), program);

/** The operator of KEDA on this machine, which scales from and to zero. What autoscalers read of it has a server of its own, which is not built. */
export async function startKeda(options: NeighbourOptions): Promise<RunningNeighbour> {
  const crds = join(folderOfModule(module, "github.com/kedacore/keda/v2"), "config/crd/bases/*.yaml");
  await installDefinitions(options.client, readObjects(crds) as CustomResourceDefinition[]);
  const certificates = await writeCertificates(options.folder);
  const [health = 0, metrics = 0] = await freePorts(2);
  return startProgram(
    {
      name: program,
      path: ensureKeda(() => undefined),
      args: [
        ...["--leader-elect=false", "--metrics-bind-address=0", `--health-probe-bind-address=127.0.0.1:${health}`],
        ...[`--metrics-service-bind-address=127.0.0.1:${metrics}`, `--cert-dir=${certificates}`],
        `--ca-dir=${certificates}`,
      ],
      env: { WATCH_NAMESPACE: "", POD_NAMESPACE: "keda", KEDA_CLUSTER_OBJECT_NAMESPACE: "keda" },
      isReady: () => isServed(`http://127.0.0.1:${health}/readyz`),
    },
    options,
  );
}

async function writeCertificates(folder: string): Promise<string> {
  const { server, authority } = await loadOrCreateIdentity(join(folder, "keda-identity"));
  const place = join(folder, "keda-certificates");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "ca.crt"), authority);
  writeFileSync(join(place, "tls.crt"), server.cert, { mode: 0o600 });
  writeFileSync(join(place, "tls.key"), server.key, { mode: 0o600 });
  return place;
}
