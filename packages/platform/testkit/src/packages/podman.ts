import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPackages, type Packages, programOf } from "./debian.ts";

export interface Podman {
  readonly is: "there";
  /** A folder that holds `podman` and nothing else; its images and containers stay below the folder that was given. */
  readonly programs: string;
  /** A busybox without libraries, to build an image of. */
  readonly busybox: string;
  /** The command line that runs another one in a network and with mounts of its own: bridges and rules of podman end with it. */
  apart(command: readonly string[]): string[];
}

type Unpacked = Extract<Packages, { is: "there" }>;

/**
 * Podman of Debian, never installed, with everything it keeps below `folder`; or why it is not available. Whether this machine lets it
 * run containers is another question: try one.
 */
export async function preparePodman(folder: string): Promise<Podman | Extract<Packages, { is: "missing" }>> {
  const packages = await debianPackages("podman", "runc", "catatonit", "iptables", "busybox-static");
  if (packages.is === "missing") return packages;
  const home = join(folder, "home");
  const helpers = join(folder, "helpers");
  const programs = join(folder, "programs");
  await mkdir(join(home, ".config", "containers"), { recursive: true });
  for (const each of [helpers, programs]) await mkdir(each, { recursive: true });
  await writeFile(
    join(home, ".config", "containers", "policy.json"),
    '{"default":[{"type":"insecureAcceptAnything"}]}',
  );
  await link(helpers, packages);
  const environment = environmentOf(packages, { folder, home, helpers });
  await writeFile(join(folder, "containers.conf"), configuration(packages, { folder, helpers, environment }));
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`);
  const places = `--root '${folder}/storage' --runroot '${folder}/run'`;
  const command = `exec '${programOf(packages, "podman")}' ${places} "$@"`;
  await writeFile(join(programs, "podman"), ["#!/bin/sh", ...exports, command, ""].join("\n"), { mode: 0o755 });
  return { is: "there", programs, busybox: programOf(packages, "busybox"), apart };
}

function apart(command: readonly string[]): string[] {
  // Podman keeps addresses and locks below these two, wherever its storage is.
  const mounts = ["/run", "/var/lib"].map((place) => `mount -t tmpfs tmpfs ${place}`);
  const script = ["ip link set lo up", ...mounts, 'exec "$@"'].join(" && ");
  return ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", script, "sh", ...command];
}

/** Names that Debian gives to these programs only when they are installed, and those that podman looks for in one folder. */
async function link(helpers: string, packages: Unpacked): Promise<void> {
  const names = {
    iptables: "iptables-nft",
    ip6tables: "ip6tables-nft",
    catatonit: "catatonit",
    rootlessport: undefined,
  };
  for (const [name, program] of Object.entries(names)) {
    const target = program === undefined ? join(packages.root, "usr/lib/podman", name) : programOf(packages, program);
    await symlink(target, join(helpers, name));
  }
}

interface Places {
  readonly folder: string;
  readonly home: string;
  readonly helpers: string;
}

function environmentOf(packages: Unpacked, { folder, home, helpers }: Places): Record<string, string> {
  const libraries = packages.environment.LD_LIBRARY_PATH ?? "";
  const xtables = libraries.split(":").map((library) => join(library, "xtables"));
  return {
    ...packages.environment,
    HOME: home,
    PATH: `${helpers}:${process.env.PATH ?? ""}`,
    CONTAINERS_CONF: join(folder, "containers.conf"),
    XTABLES_LIBDIR: xtables.join(":"),
  };
}

/** What podman looks for in folders of the system, named; runc, because crun refuses machines with both generations of cgroups. */
function configuration(
  packages: Unpacked,
  { folder, helpers, environment }: Omit<Places, "home"> & { readonly environment: Readonly<Record<string, string>> },
): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return `[containers]
default_ulimits = ["nofile=1024:4096", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
conmon_path = ["${programOf(packages, "conmon")}"]
conmon_env_vars = ${JSON.stringify(variables)}
helper_binaries_dir = ["${helpers}"]
[engine.runtimes]
runc = ["${programOf(packages, "runc")}"]
[network]
network_backend = "cni"
cni_plugin_dirs = ["${packages.root}/usr/lib/cni", "/usr/lib/cni"]
network_config_dir = "${folder}/networks"
`;
}
