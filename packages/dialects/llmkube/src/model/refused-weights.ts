import { summarizePod } from "@trivium/engines";
import type { Pod } from "@trivium/kube";

/** How `trivium-weights` ends when the bytes are not those that were promised. */
const mismatch = 5;

/** What pods say that compared weights with this digest and found others. Pods that were told another digest prove nothing. */
export function refusalsOf(pods: readonly Pod[], sha256: string): string[] {
  return pods.filter((pod) => comparesWith(pod, sha256)).flatMap(refusalOf);
}

const comparesWith = ({ metadata, spec }: Pod, sha256: string): boolean =>
  metadata.deletionTimestamp === undefined &&
  (spec?.initContainers ?? []).some(({ args }) => args?.includes(sha256) === true);

function refusalOf(pod: Pod): string[] {
  const { name, containers } = summarizePod(pod, "");
  return containers.flatMap(({ role, state, lastEnd }) => {
    const end = state.is === "ended" ? state : lastEnd;
    return role === "prepares" && end?.exitCode === mismatch
      ? [`Pod ${name} found other bytes: ${wordsOf(end.message)}`]
      : [];
  });
}

/** The sentence for people in the last line. */
function wordsOf(text: string): string {
  const said = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return said === undefined ? text : said.replaceAll('\\"', '"');
}
