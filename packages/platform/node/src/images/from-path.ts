import { basename } from "node:path";
import type { ImageMachine, ImagePlan, Listening } from "./image-row.ts";
import { scriptOf } from "./shell-words.ts";

/** Runs a command with the programs of this machine. A path of the image that is not here is looked for by its last part. */
export function fromPath(argv: readonly string[], machine: ImageMachine, listening?: Listening): ImagePlan {
  if (isOnlyOwnership(scriptOf(argv) ?? argv.join(" "))) return nothingToDo(machine);
  const [program = "", ...args] = argv;
  const found = machine.which(program) ?? machine.which(basename(program));
  const extra = listening === undefined ? {} : { listening };
  if (found !== undefined) return { is: "runs", argv: [found, ...args], ...extra };
  const busybox = machine.which("busybox");
  if (busybox !== undefined && applets.has(basename(program))) {
    return { is: "runs", argv: [busybox, basename(program), ...args], ...extra };
  }
  return { is: "impossible", why: `${basename(program) || "its program"} not found in the PATH of this node` };
}

/** What the small images bring along and a desktop may not have. */
const applets: ReadonlySet<string> = new Set(["httpd", "nc", "wget", "telnet", "ash", "vi", "traceroute", "nslookup"]);

/**
 * Containers that hand a volume over to another user's group before the next one starts. Here all run as one user, who owns the volume
 * already and mostly may not give it away.
 */
function isOnlyOwnership(script: string): boolean {
  const commands = script.split(/&&|;|\n/).map((command) => command.trim());
  const isHarmless = commands.every(
    (command) => command === "" || /^(chown|chgrp|chmod|set)\s[^|<>$`]*$/.test(command),
  );
  return isHarmless && commands.some((command) => /^(chown|chgrp)\s/.test(command));
}

function nothingToDo(machine: ImageMachine): ImagePlan {
  const note = "trivium: a local process has one owner; ownership and permissions are unchanged";
  const found = machine.which("true");
  if (found === undefined) return { is: "impossible", why: "true not found in the PATH of this node" };
  return { is: "runs", argv: [found], notes: [note] };
}
