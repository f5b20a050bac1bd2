import { basename } from "node:path";
import type { ImageMachine, ImagePlan, Listening } from "./image-row.ts";

/** Runs a command with the programs of this machine. A path of the image that is not here is looked for by its last part. */
export function fromPath(argv: readonly string[], machine: ImageMachine, listening?: Listening): ImagePlan {
  const [program = "", ...args] = argv;
  const found = machine.which(program) ?? machine.which(basename(program));
  const told = listening === undefined ? {} : { listening };
  if (found !== undefined) return { is: "runs", argv: [found, ...args], ...told };
  const busybox = machine.which("busybox");
  if (busybox !== undefined && applets.has(basename(program))) {
    return { is: "runs", argv: [busybox, basename(program), ...args], ...told };
  }
  return { is: "impossible", why: `${basename(program) || "its program"} is not on the PATH of this node` };
}

/** What the small images bring along and a desktop may not have. */
const applets: ReadonlySet<string> = new Set(["httpd", "nc", "wget", "telnet", "ash", "vi", "traceroute", "nslookup"]);
