import { spawn } from "node:child_process";
import { createCipheriv, createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPackages, programOf, startNginx } from "@trivium/testkit";
import { build } from "esbuild";
import { megabytes, printTable, seconds } from "./support/table.ts";
import { type Contestant, compete, type Figure } from "./weights/contest.ts";

/**
 * `trivium-weights` against curl and aria2c, from nginx on this machine: at full speed, where what counts is work per byte, and over a
 * line with delay and a limit per connection, where what counts is how many connections. WEIGHTS_BYTES and WEIGHTS_ROUNDS change the size.
 */
const size = Number(process.env.WEIGHTS_BYTES ?? 4e9);
const rounds = Number(process.env.WEIGHTS_ROUNDS ?? 2);
const slowSize = Math.min(size, 3e8);
/** Low enough that the line is what counts and not the processor. */
const limit = 2e6;
const delayMs = 20;

const aria2 = await debianPackages("aria2");
const folder = await mkdtemp(join(tmpdir(), "trivium-bench-"));
const nginx = await startNginx({ root: folder });
if (nginx.is === "missing" || aria2.is === "missing") {
  console.log(`no comparison: ${nginx.is === "missing" ? nginx.why : aria2.is === "missing" ? aria2.why : ""}`);
  await rm(folder, { recursive: true });
  process.exit(0);
}
const proxy = spawn(
  process.execPath,
  [join(import.meta.dirname, "weights/delay-proxy.ts"), String(nginx.port), String(delayMs), String(limit)],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
try {
  const [sha256, slowSha256] = [await makeFile("model.bin", size), await makeFile("small.bin", slowSize)];
  const main = await bundle();
  const far = Number(String((await once(proxy.stdout, "data"))[0]).trim());
  const near = `http://127.0.0.1:${nginx.port}/model.bin`;
  const line = `http://127.0.0.1:${far}/small.bin`;

  console.log(`${megabytes(size)} at full speed, best of ${rounds}`);
  show(
    await compete([curl(near), aria(near), curlAndSync(near), curlAndSum(near), ours(main, near, sha256)], rounds),
    size,
  );
  console.log(
    `\n${megabytes(slowSize)} with ${delayMs} ms of delay and ${megabytes(limit)}/s a connection, best of ${rounds}`,
  );
  show(await compete([aria(line), ours(main, line, slowSha256)], rounds), slowSize);
} finally {
  proxy.kill("SIGKILL");
  await nginx.stop();
  await rm(folder, { recursive: true, force: true });
}

function curl(url: string): Contestant {
  const leaves = join(folder, "curl.out");
  return { name: "curl", commands: [["curl", "-sS", "-o", leaves, url]], leaves };
}

/** Ours has the file on the disk when it says so; this is what that alone costs. */
function curlAndSync(url: string): Contestant {
  const leaves = join(folder, "sync.out");
  return {
    name: "curl, then sync",
    commands: [
      ["curl", "-sS", "-o", leaves, url],
      ["sync", leaves],
    ],
    leaves,
  };
}

function curlAndSum(url: string): Contestant {
  const leaves = join(folder, "sum.out");
  return {
    name: "curl, then sha256sum",
    commands: [
      ["curl", "-sS", "-o", leaves, url],
      ["sha256sum", leaves],
    ],
    leaves,
  };
}

function aria(url: string): Contestant {
  if (aria2.is === "missing") throw new Error(aria2.why);
  const program = programOf(aria2, "aria2c");
  const args = [
    "-q",
    "-x16",
    "-s16",
    "-k1M",
    "--file-allocation=none",
    "--allow-overwrite=true",
    "-d",
    folder,
    "-o",
    "aria.out",
    url,
  ];
  return {
    name: "aria2c -x16",
    commands: [[program, ...args]],
    environment: aria2.environment,
    leaves: join(folder, "aria.out"),
  };
}

function ours(main: string, url: string, sha256: string): Contestant {
  const leaves = join(folder, "ours");
  const commands = [[process.execPath, main, "fetch", url, "--to", leaves, "--sha256", sha256]] as const;
  return { name: "trivium-weights, verified", commands, leaves };
}

function show(figures: readonly Figure[], bytes: number): void {
  const own = figures.at(-1)?.ms ?? Number.NaN;
  printTable([
    ["", "time", "rate", "peak memory", "speed of ours against it"],
    ...figures.map(({ name, ms, peakBytes }) => [
      name,
      seconds(ms),
      `${megabytes((bytes / ms) * 1000)}/s`,
      megabytes(peakBytes),
      (ms / own).toFixed(2),
    ]),
  ]);
}

/** Bytes that no disk and no network can shorten, and what they hash to. */
async function makeFile(name: string, bytes: number): Promise<string> {
  const [cipher, hash] = [createCipheriv("aes-128-ctr", Buffer.alloc(16, 1), Buffer.alloc(16)), createHash("sha256")];
  const zeros = Buffer.alloc(4 * 1024 * 1024);
  const file = await open(join(folder, name), "w");
  for (let left = bytes; left > 0; ) {
    const block = cipher.update(zeros.subarray(0, Math.min(left, zeros.length)));
    hash.update(block);
    await file.write(block);
    left -= block.length;
  }
  await file.close();
  return hash.digest("hex");
}

/** As it is shipped. */
async function bundle(): Promise<string> {
  const outfile = join(folder, "trivium-weights.mjs");
  await build({
    entryPoints: ["packages/platform/weights/src/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}
