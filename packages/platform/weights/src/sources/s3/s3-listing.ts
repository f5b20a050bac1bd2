export interface S3Object {
  readonly key: string;
  readonly size: number;
  readonly etag: string | undefined;
}

export interface S3Page {
  readonly objects: readonly S3Object[];
  readonly next: string | undefined;
}

/** Reads one page of ListObjectsV2, asked for with `encoding-type=url`. The document is flat, so no XML parser is needed. */
export function parseListing(xml: string): S3Page | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml)) return undefined;
  const isUrlEncoded = textOf(xml, "EncodingType") === "url";
  const objects: S3Object[] = [];
  // Not by a pattern: on many openings without an end it would search the rest of the text for each of them.
  for (const part of xml.split("<Contents>").slice(1)) {
    const end = part.indexOf("</Contents>");
    if (end === -1) return undefined;
    const body = part.slice(0, end);
    const key = textOf(body, "Key");
    const size = Number(textOf(body, "Size"));
    if (key === undefined || !Number.isSafeInteger(size) || size < 0) return undefined;
    const name = isUrlEncoded ? decode(key) : key;
    if (name === undefined) return undefined;
    objects.push({ key: name, size, etag: textOf(body, "ETag") });
  }
  const isTruncated = textOf(xml, "IsTruncated") === "true";
  return { objects, next: isTruncated ? textOf(xml, "NextContinuationToken") : undefined };
}

function textOf(xml: string, tag: string): string | undefined {
  const match = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml);
  return match === null ? undefined : unescapeXml(match[1] ?? "");
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function decode(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
