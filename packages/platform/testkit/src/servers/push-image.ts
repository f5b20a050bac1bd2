import { createHash } from "node:crypto";

/** A registry on this machine, and who goes there: `user:password`. */
export interface PushPlace {
  readonly host: string;
  readonly login: string;
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";

/** Puts an image of no layers with these labels into a registry: all that anybody can learn of an image without running it. */
export async function pushImage(
  place: PushPlace,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const [repository = "", tag = "latest"] = name.split(":");
  const base = `http://${place.host}/v2/${repository}`;
  const config = JSON.stringify({ os: "linux", architecture: "amd64", config: { Labels: labels } });
  const digest = `sha256:${createHash("sha256").update(config).digest("hex")}`;
  const begun = await call(place, `${base}/blobs/uploads/`, { method: "POST" });
  const upload = new URL(begun.headers.get("location") ?? "", base);
  upload.searchParams.set("digest", digest);
  await call(place, upload.href, { method: "PUT", body: config });
  const described = { mediaType: configType, digest, size: Buffer.byteLength(config) };
  const manifest = { schemaVersion: 2, mediaType: manifestType, config: described, layers: [] };
  const headers = { "content-type": manifestType };
  await call(place, `${base}/manifests/${tag}`, { method: "PUT", body: JSON.stringify(manifest), headers });
}

type Call = { readonly method: string; readonly body?: string; readonly headers?: Record<string, string> };

/** Logs in as the registry wants it: with the password, or with a token for it. */
async function call({ login }: PushPlace, url: string, init: Call): Promise<Response> {
  const basic = `Basic ${btoa(login)}`;
  const first = await fetch(url, init);
  if (first.status !== 401) return checked(first, url);
  const challenge = first.headers.get("www-authenticate") ?? "";
  await first.body?.cancel();
  const authorization = challenge.startsWith("Bearer ") ? `Bearer ${await tokenFor(challenge, basic)}` : basic;
  return checked(await fetch(url, { ...init, headers: { ...init.headers, authorization } }), url);
}

async function tokenFor(challenge: string, authorization: string): Promise<string> {
  const { realm = "", ...asked } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const answer = await fetch(`${realm}?${new URLSearchParams(asked)}`, { headers: { authorization } });
  return ((await checked(answer, realm).then((good) => good.json())) as { token: string }).token;
}

async function checked(answer: Response, url: string): Promise<Response> {
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}
