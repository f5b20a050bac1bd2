import { open } from "node:fs/promises";
import type { api } from "@trivium/kube";
import type { FileLog } from "../../../logs/file-log.ts";
import type { ContainerExit } from "../../../sandbox.ts";
import type { RunEnd, RunFacts } from "./run-folder.ts";

const maxMessage = 4_096;
const maxLogLength = 2_048;
const linesOfLog = 80;

/** How a run ended, as a kubelet tells it. */
export async function exitOfRun(
  container: api.Container,
  { end, facts, log }: { end: RunEnd; facts: RunFacts; log: FileLog },
): Promise<ContainerExit> {
  const { code, at, isOutOfMemory, isBlameless } = end;
  const reason = isOutOfMemory ? "OOMKilled" : code === 0 ? "Completed" : "Error";
  const message = await messageOf(container, { code, log, path: facts.terminationMessagePath });
  return { is: "exited", code, at, reason, isBlameless, ...(message === "" ? {} : { message }) };
}

async function messageOf(
  { terminationMessagePolicy }: api.Container,
  { code, log, path }: { code: number; log: FileLog; path: string | undefined },
): Promise<string> {
  const written = path === undefined ? "" : await headOf(path);
  if (written !== "" || code === 0 || terminationMessagePolicy !== "FallbackToLogsOnError") return written;
  let text = "";
  for await (const piece of log.read({ follow: false, timestamps: false, tailLines: linesOfLog }, 0)) {
    text = (text + piece).slice(-maxLogLength);
  }
  return text;
}

/** The first bytes of a file that the container wrote: it may be large, or anything but a file. */
async function headOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return "";
  try {
    if (!(await file.stat()).isFile()) return "";
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxMessage), 0, maxMessage, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true });
  } catch {
    return "";
  } finally {
    await file.close();
  }
}
