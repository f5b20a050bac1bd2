import { basename, dirname } from "node:path";
import { fromPath } from "./from-path.ts";
import type { ImageCall, ImageMachine, ImagePlan, ImageRow } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";

/** Images that bring weights to a disk: `trivium-weights` does it here, asked in the way of each. */
export const weightsRow: ImageRow = {
  match: ["*storage-initializer*", "*model-downloader*", "*artifact-downloader*", "*trivium-weights*", ...curlImages()],
  plan(call, machine) {
    const fetch = askedInVariables(call) ?? askedInArguments(call);
    if (fetch === undefined) return otherwise(call, machine);
    const { weights } = machine.programs;
    if (weights === undefined) return { is: "impossible", why: "this node has no trivium-weights" };
    return fetch(weights);
  },
};

type Fetch = (weights: readonly string[]) => ImagePlan;

function curlImages(): string[] {
  return ["curlimages/curl*", "*/alpine/curl*", "alpine/curl*", "*/curl:*"];
}

/** Waits until the file is there under the name that was asked for; a second start finds it and is done. */
const placeFile = `set -eu
if [ -s "$MODEL_PATH" ]; then echo "$MODEL_PATH is there already"; exit 0; fi
folder=$(dirname "$MODEL_PATH"); mkdir -p "$folder"
fetched="$folder/.fetched.$$"; trap 'rm -rf "$fetched"' EXIT
"$@" --to "$fetched" --store "$folder/.trivium"
found=$(find "$fetched" -mindepth 1 ! -type d ! -path '*/.trivium/*' | head -n 1)
mv -f "$found" "$MODEL_PATH"`;

/** `MODEL_SOURCE` with `MODEL_PATH` for one file, or with `MODEL_FILES` and `CACHE_DIR` for several. */
function askedInVariables({ env }: ImageCall): Fetch | undefined {
  const [source, path, files, folder] = ["MODEL_SOURCE", "MODEL_PATH", "MODEL_FILES", "CACHE_DIR"].map((name) =>
    env.get(name),
  );
  if (!source) return undefined;
  if (files && folder) {
    const include = files.split("\n").flatMap((name) => (name.trim() === "" ? [] : ["--include", name.trim()]));
    const [, repository, revision] = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/?$/.exec(source) ?? [];
    const uri = repository === undefined ? source : `hf://${repository}@${revision}`;
    return (weights) => ({ is: "runs", argv: [...weights, "fetch", uri, "--to", folder, ...include] });
  }
  if (!path) return undefined;
  if (source.split("?", 1)[0]?.endsWith(`/${basename(path)}`)) {
    return (weights) => ({ is: "runs", argv: [...weights, "fetch", source, "--to", dirname(path)] });
  }
  return (weights) => ({
    is: "runs",
    argv: ["/bin/sh", "-c", placeFile, "trivium-weights", ...weights, "fetch", source],
  });
}

/** `storage-initializer <uri> <folder>`, `artifact-downloader <uri>` with `TARGET_DIR`, or our own program. */
function askedInArguments(call: ImageCall): Fetch | undefined {
  const found = readProgramCall(call, [["trivium-weights"], ["initializer-entrypoint"], ["storage-initializer"]]);
  if (found.is === "other") return undefined;
  const [uri = "", folder, ...more] = found.args;
  if (isOwn(call, uri)) return (weights) => ({ is: "runs", argv: [...weights, ...found.args] });
  if (isCurl(call) || uri === "") return undefined;
  const target = folder ?? call.env.get("TARGET_DIR") ?? call.env.get("MOUNT_PATH");
  if (more.length > 0)
    return () => ({ is: "impossible", why: "more than one model in one downloader is not supported here" });
  if (target === undefined)
    return () => ({ is: "impossible", why: "the downloader is not told where to put the model" });
  return (weights) => ({ is: "runs", argv: [...weights, "fetch", uri, "--to", target] });
}

/** Our own program is asked by its commands, whatever the image around it is called. */
function isOwn({ image, command }: ImageCall, first: string): boolean {
  const verbs = ["fetch", "inspect", "ls", "prune", "fsck", "--help"];
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
