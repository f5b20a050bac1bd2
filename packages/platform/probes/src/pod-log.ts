import { type LogPlace, logOnce, logTail } from "@trivium/domain";
import { isReason, type KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";

/** Enough for a thousand long lines; what a container prints has no bound of its own. */
const maxCharacters = 1 << 20;
/** More than anybody prints on purpose; nothing behind it is read. */
const maxRead = 64 << 20;

/** Answers what containers print, as the API server hands it out. */
export function podLogAnswers(client: KubeClient): Answered[] {
  const read = (place: LogPlace): Promise<string | undefined> => tailOf(client, place);
  return [answer(logTail, read) as Answered, answer(logOnce, read) as Answered];
}

async function tailOf(client: KubeClient, { namespace, pod, container, lines }: LogPlace): Promise<string | undefined> {
  try {
    let text = "";
    let read = 0;
    for await (const line of client.log({ namespace, name: pod }, { container, tailLines: lines })) {
      read += line.length;
      text += `${line}\n`;
      // What was said last counts.
      if (text.length > 2 * maxCharacters) text = text.slice(-maxCharacters);
      if (read > maxRead) break;
    }
    return text.slice(-maxCharacters);
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  }
}
