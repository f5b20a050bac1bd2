import { execFile } from "node:child_process";
import { totalmem } from "node:os";
import { delimiter } from "node:path";
import { which } from "../images/local-machine.ts";
import type { Accelerator } from "./accelerators.ts";
import { amdQuery, parseAmdSmi, parseRocmSmi, rocmQuery } from "./amd.ts";
import { appleQuery, parseApple } from "./apple.ts";
import { nvidiaQuery, parseNvidia } from "./nvidia.ts";

interface Probe {
  readonly program: string;
  readonly args: readonly string[];
  readonly parse: (output: string) => Accelerator[];
}

/** Asked in this order; of the tools of one vendor the first that knows a card is believed. */
const probes: readonly (readonly Probe[])[] = [
  [{ ...nvidiaQuery, parse: parseNvidia }],
  [
    { ...amdQuery, parse: parseAmdSmi },
    { ...rocmQuery, parse: parseRocmSmi },
  ],
  [{ ...appleQuery, parse: (output) => parseApple(output, totalmem() / 1024 ** 3) }],
];

const patience = 15_000;

/** Where drivers put their tools without telling the search path: ROCm, WSL, containers of NVIDIA, macOS. */
const usualPlaces = ["/opt/rocm/bin", "/usr/lib/wsl/lib", "/usr/local/nvidia/bin", "/usr/bin", "/usr/sbin"];

/** The accelerators of this machine, as far as tools of their vendors are installed. */
export async function findAccelerators(
  searchPath: string,
  onError: (what: string, error: unknown) => void,
): Promise<Accelerator[]> {
  const found = await Promise.all(probes.map((vendor) => askInTurn(vendor, searchPath, onError)));
  return found.flat();
}

async function askInTurn(
  vendor: readonly Probe[],
  searchPath: string,
  onError: (what: string, error: unknown) => void,
): Promise<Accelerator[]> {
  for (const { program, args, parse } of vendor) {
    const path = which(program, [searchPath, ...usualPlaces].join(delimiter));
    if (path === undefined) continue;
    try {
      const cards = parse(await ask(path, args));
      if (cards.length > 0) return cards;
    } catch (error) {
      onError(`cannot list accelerators with ${program}`, error);
    }
  }
  return [];
}

function ask(path: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(path, [...args], { timeout: patience, maxBuffer: 8 << 20, encoding: "utf8" }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(error.message));
    });
  });
}
