import { basename, dirname } from "node:path";
import { formatHubUri, parseHubPath } from "@trivium/std";
import { fromPath } from "./from-path.ts";
import type { ImageCall, ImageMachine, ImagePlan, ImageRow } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";

/** Images that bring weights to a disk: `trivium-weights` does it here, asked in the way of each. */
export const weightsRow: ImageRow = {
  match: ["*storage-initializer*", "*model-downloader*", "*artifact-downloader*", "*trivium-weights*", ...curlImages()],
  plan(call, machine) {
    const fetch = askedInVariables(call) ?? askedInArguments(call);
    if (fetch === undefined) return otherwise(call, machine);
    const { weights, weightsEnvironment, weightsLogins = [], weightsPeers = () => [] } = machine.programs;
    if (weights === undefined) return { is: "impossible", why: "this node has no trivium-weights" };
    const plan = fetch(weights);
    if (plan.is !== "runs") return plan;
    const variables = [...call.env.keys()];
    const logins = weightsLogins.filter(({ isOwn }) => !variables.some(isOwn)).map(({ env }) => env);
    const peers = weightsPeers();
    const shared = peers.length === 0 ? {} : { TRIVIUM_WEIGHTS_PEERS: peers.join(":") };
    return { ...plan, env: Object.assign({}, weightsEnvironment, shared, ...logins) };
  },
};

type Fetch = (weights: readonly string[]) => ImagePlan;

function curlImages(): string[] {
  return ["curlimages/curl*", "*/alpine/curl*", "alpine/curl*", "*/curl:*"];
}

/** `MODEL_SOURCE` with `MODEL_PATH` for one file, or with `MODEL_FILES` and `CACHE_DIR` for several. */
function askedInVariables({ env, secrets }: ImageCall): Fetch | undefined {
  const of = (name: string) => env.get(name) || undefined;
  const [source, path, files, folder] = ["MODEL_SOURCE", "MODEL_PATH", "MODEL_FILES", "CACHE_DIR"].map(of);
  // A file of this machine is copied from a mount that only the script knows; a secret address stays in its variable.
  if (source === undefined || /^(\/|file:)/.test(source) || secrets.has("MODEL_SOURCE")) return undefined;
  if (files !== undefined && folder !== undefined) {
    const include = files.split("\n").flatMap((name) => (name.trim() === "" ? [] : ["--include", name.trim()]));
    return (weights) => ({ is: "runs", argv: [...weights, "fetch", folderUri(source), "--to", folder, ...include] });
  }
  if (path === undefined) return undefined;
  const place = ["--to", dirname(path), "--name", basename(path)];
  const digest = of("MODEL_SHA256");
  const checked = digest === undefined ? place : [...place, "--sha256", digest];
  return (weights) => ({ is: "runs", argv: [...weights, "fetch", source, ...checked] });
}

/** Files under the address of a revision are files of its repository, on the hub and on its mirrors. */
function folderUri(source: string): string {
  const url = /^https?:/.test(source) ? URL.parse(source) : null;
  const page = url === null || url.search !== "" ? undefined : parseHubPath(url.pathname);
  if (page?.form !== "resolve" || page.place.scheme !== "hub" || page.place.path !== undefined) return source;
  return formatHubUri(page.place);
}

/** `storage-initializer <uri> <folder>`, `artifact-downloader <uri>` with `TARGET_DIR`, or our own program. */
function askedInArguments(call: ImageCall): Fetch | undefined {
  const found = readProgramCall(call, [["trivium-weights"], ["initializer-entrypoint"], ["storage-initializer"]]);
  if (found.is === "other") return undefined;
  const [uri = "", folder, ...more] = found.args;
  if (isOwn(call, uri)) return (weights) => ({ is: "runs", argv: [...weights, ...found.args] });
  if (isCurl(call) || uri === "") return undefined;
  const target = folder ?? call.env.get("TARGET_DIR") ?? call.env.get("MOUNT_PATH");
  if (more.length > 0) return () => ({ is: "impossible", why: "more than one model per downloader is not supported" });
  if (target === undefined) return () => ({ is: "impossible", why: "the target folder of the download is missing" });
  return (weights) => ({ is: "runs", argv: [...weights, "fetch", uri, "--to", target] });
}

/** Our own program is asked by its commands, whatever the image around it is called. */
function isOwn({ image, command }: ImageCall, first: string): boolean {
  const verbs = ["fetch", "verify", "inspect", "ls", "prune", "remove", "fsck", "--help"];
  return (
    verbs.includes(first) && (image.includes("trivium-weights") || basename(command[0] ?? "") === "trivium-weights")
  );
}

const isCurl = ({ image }: ImageCall): boolean => /(^|\/)curl(:|@|$)/.test(image);

/** A curl image that fetches something else, or a script of its own. */
function otherwise(call: ImageCall, machine: ImageMachine): ImagePlan {
  const { command, args } = call;
  if (isCurl(call) && command.length === 0) return fromPath(["curl", ...args], machine);
  return fromPath([...command, ...args], machine);
}
