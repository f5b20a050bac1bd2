import { Alias, Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, stringify, visit } from "yaml";

const whole = { lineWidth: 140, aliasDuplicateObjects: false } as const;
const longestLine = 120;
const shortestShared = 30;

/** A whole world and a whole decision: one value a line. */
export const formatGolden = (file: object): string => stringify(file, whole);

/** What differs from a base: what is small stands on one line. */
export function formatChange(file: object): string {
  const document = new Document(file, whole);
  shareTexts(document);
  visit(document, {
    Collection(_, node, path) {
      if (path.length < 4) return undefined;
      const depth = path.filter((one) => isMap(one) || isSeq(one)).length;
      if (!isPlain(node as Node, 2)) return undefined;
      const line = oneLine(node as Node);
      const parent = path.at(-1) as { key?: { value?: string } } | undefined;
      const length = 2 * depth + String(parent?.key?.value ?? "").length + 2 + line.length;
      if (line.includes("\n") || length > longestLine) return undefined;
      (node as { flow?: boolean }).flow = true;
      return visit.SKIP;
    },
  });
  return document.toString(whole);
}

/** Aliases are not resolved here, so that only their names count. */
function oneLine(node: Node): string {
  const anchor = (one: Node) => ("anchor" in one && one.anchor !== undefined ? `&${String(one.anchor)} ` : "");
  const text = (one: Node): string => {
    if (isAlias(one)) return `*${one.source}`;
    if (isMap(one))
      return `{ ${one.items.map(({ key, value }) => `${text(key as Node)}: ${text(value as Node)}`).join(", ")} }`;
    if (isSeq(one)) return `[ ${one.items.map((item) => text(item as Node)).join(", ")} ]`;
    return anchor(one) + stringify(one, { lineWidth: 0 }).trimEnd();
  };
  return text(node);
}

/** A long text that several conditions show is written once; the others refer to it. */
function shareTexts(document: Document): void {
  const first = new Map<string, Scalar>();
  const anchors = new Set<string>();
  visit(document, {
    Scalar(key, node) {
      if (key === "key" || typeof node.value !== "string" || node.value.length < shortestShared) return undefined;
      const known = first.get(node.value);
      if (known === undefined) first.set(node.value, node);
      if (known === undefined) return undefined;
      known.anchor ??= `text${anchors.size + 1}`;
      anchors.add(known.anchor);
      return new Alias(known.anchor);
    },
  });
}

/** Few levels, and no text of several lines. */
function isPlain(node: Node, levels: number): boolean {
  if (isAlias(node)) return true;
  if (isScalar(node)) return typeof node.value !== "string" || !node.value.includes("\n");
  if (levels === 0) return isEmpty(node);
  if (isSeq(node)) return node.items.every((item) => isPlain(item as Node, levels - 1));
  return isMap(node) && node.items.every(({ value }) => isPlain(value as Node, levels - 1));
}

const isEmpty = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.items.length === 0;
