import { fromPath } from "./from-path.ts";
import type { ImageRow, Listening } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";

const redisListening: Listening = { host: { flags: ["--bind"] }, port: { flags: ["--port"], usual: 6379 } };

const redisClient: Listening = { host: { flags: ["-h"] }, port: { flags: ["-p"], usual: 6379 } };

/** Redis and its fork understand each other's flags: whichever is installed serves both. */
export const redisRow: ImageRow = {
  match: ["redis", "*/redis", "valkey", "*/valkey"],
  plan(call, machine) {
    const found = readProgramCall(call, [["redis-server"], ["valkey-server"]]);
    if (found.is === "other") return fromPath(found.argv, machine);
    // The image's entry point takes a word that is no flag and no file as another command.
    if (call.command.length === 0 && /^[a-z][\w-]*$/.test(found.args[0] ?? "")) return fromPath(found.args, machine);
    const names = call.image.includes("valkey") ? ["valkey-server", "redis-server"] : ["redis-server", "valkey-server"];
    const server = names.map((name) => machine.which(name)).find((path) => path !== undefined);
    if (server === undefined)
      return { is: "impossible", why: `neither ${names.join(" nor ")} was found in the PATH of this node` };
    return {
      is: "runs",
      argv: [server, ...found.args],
      listening: redisListening,
      clients: { "redis-cli": redisClient, "valkey-cli": redisClient },
      workingDir: "/data",
    };
  },
};

/** Images that are a shell and some tools: what they run is on every machine. */
export const shellRow: ImageRow = {
  match: [
    ...["busybox", "alpine", "debian", "ubuntu", "bash", "fedora"].flatMap((name) => [name, `*/${name}`]),
    "*/ubi-minimal",
    "*/ubi8*",
    "*/ubi9*",
  ],
  plan: ({ command, args }, machine) => {
    const argv = [...command, ...args];
    return fromPath(argv.length === 0 ? ["sh"] : argv, machine);
  },
};

/** The image that holds a pod open and does nothing. */
export const pauseRow: ImageRow = {
  match: ["*/pause", "pause"],
  plan: (_, machine) => fromPath(["tail", "-f", "/dev/null"], machine),
};
