/** Whether two model servers gave the same answer: fields and texts equal, numbers near, what is new in every answer left out. */

/** Different in each answer, or of the process rather than of the answer. */
const volatile = new Set([
  ...["id", "created", "created_at", "completed_at", "system_fingerprint", "build_info", "model_path", "id_slot"],
  ...["timings", "generation_settings", "cached_tokens", "cache_read_input_tokens", "input_tokens", "call_id"],
]);

/** Texts of chats: the engine leaves out the space that models begin with. */
const trimmed = new Set(["content", "text", "delta"]);

/** Each difference as a path with both values. */
export function differences(mine: unknown, theirs: unknown, path = ""): string[] {
  const key = path.split(".").at(-1)!;
  if (volatile.has(key)) return [];
  if (typeof mine === "number" && typeof theirs === "number")
    return areNear(mine, theirs, key) ? [] : [`${path}: ${mine} is not ${theirs}`];
  if (!isTree(mine) || !isTree(theirs)) {
    const [a, b] = [mine, theirs].map((value) => textualOf(value, key));
    return a === b ? [] : [`${path}: ${JSON.stringify(mine)} is not ${JSON.stringify(theirs)}`];
  }
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  return [...keys].flatMap((name) => differences(mine[name], theirs[name], path === "" ? name : `${path}.${name}`));
}

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null;

const textualOf = (value: unknown, key: string): unknown =>
  typeof value === "string" && trimmed.has(key) ? value.trimStart() : value;

/** Two builds of llama.cpp add up in another order; what is hardly possible may differ more than what is likely. */
function areNear(mine: number, theirs: number, key: string): boolean {
  const [a, b] = key === "logprob" ? [Math.exp(mine), Math.exp(theirs)] : [mine, theirs];
  return Math.abs(a! - b!) <= 0.1 * Math.max(1, Math.abs(b!));
}
