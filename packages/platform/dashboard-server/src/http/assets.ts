import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { pageHeaders } from "./answer.ts";
import { Refused } from "./fault.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

interface Asset {
  readonly path: string;
  readonly bytes: Buffer;
  readonly type: string;
  readonly packed: Map<string, Promise<Buffer>>;
}

export interface Assets {
  /** Sends a file, or the page for an address inside it. Throws where there is neither. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

/** The built page. The files are read once: a request names one of them or nothing, so no path leads out of the folder. */
export function openAssets(folder: string): Assets {
  let files: Map<string, Asset> = new Map();
  return {
    async serve(request, response, path) {
      // Read when first asked for: most starts show no page, and one that is missing may be built meanwhile.
      if (files.size === 0) files = readAssets(folder);
      if (files.size === 0)
        throw new Refused("Unavailable", "The dashboard's pages are not built; run npm run build and reload");
      const asset = files.get(path === "/" ? "/index.html" : path) ?? pageFor(request, files);
      if (asset === undefined) throw new Refused("NotFound", "No such page or file");
      await send(request, response, asset);
    },
  };
}

/** An address inside the page, which the page itself understands: `/services/default/chat`. */
function pageFor({ headers }: IncomingMessage, files: ReadonlyMap<string, Asset>): Asset | undefined {
  return (headers.accept ?? "").includes("text/html") ? files.get("/index.html") : undefined;
}

function readAssets(folder: string): Map<string, Asset> {
  const files = new Map<string, Asset>();
  for (const name of listFiles(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.split(sep).join("/")}`;
    files.set(path, { path, type, bytes: readFileSync(join(folder, name)), packed: new Map() });
  }
  return files.has("/index.html") ? files : new Map();
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  } catch {
    return [];
  }
}

async function send({ method, headers }: IncomingMessage, response: ServerResponse, asset: Asset): Promise<void> {
  const { encoding, bytes } = await packedFor(headers["accept-encoding"], asset);
  // Names of built files carry a hash of their content; that of the page does not.
  const isHashed = asset.path.startsWith("/assets/");
  response.writeHead(200, {
    ...pageHeaders,
    "content-type": asset.type,
    "content-length": bytes.length,
    "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  });
  response.end(method === "HEAD" ? undefined : bytes);
}

const worthPacking = 1024;

/** Compressed once, when first asked for. */
async function packedFor(accepted = "", asset: Asset): Promise<{ encoding?: string; bytes: Buffer }> {
  const encoding = ["br", "gzip"].find((one) =>
    new RegExp(`\\b${one}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted),
  );
  const isText = !/^(image\/(?!svg)|font)/.test(asset.type);
  if (encoding === undefined || !isText || asset.bytes.length < worthPacking) return { bytes: asset.bytes };
  const known = asset.packed.get(encoding) ?? pack(encoding, asset.bytes);
  asset.packed.set(encoding, known);
  return { encoding, bytes: await known };
}

const pack = (encoding: string, bytes: Buffer): Promise<Buffer> =>
  encoding === "br" ? brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) : zip(bytes);
