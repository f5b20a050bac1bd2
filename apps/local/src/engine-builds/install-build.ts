import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type GpuBuild, gpuBuilds } from "@trivium/node";
import { Refusal } from "@trivium/std";
import { presentBuild } from "./installed-builds.ts";
import { binariesOf, bindingVersion, buildFolder, enginesFolder, packagesOf, platform, proofFile } from "./places.ts";
import { type Trial, tryBuild } from "./try-build.ts";

/** Installs a build into the home with npm, without running any script of it, and tries it: pods get it only when it computes. */
export async function installBuild(home: string, build: GpuBuild): Promise<Trial> {
  const folder = enginesFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, `${JSON.stringify({ private: true })}\n`);
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder];
  await npm([...args, ...packagesOf(build).map((name) => `${name}@${bindingVersion}`)], build);
  if (build === "cuda12") composeCuda12(home);
  return proveBuild(home, build);
}

/** Tries a build whose files are here, and remembers whether it computes. */
export async function proveBuild(home: string, build: GpuBuild): Promise<Trial> {
  const present = presentBuild(home, build);
  if (present === undefined) throw new Refusal(`the ${build} build of the engine has no files for ${platform}`);
  const trial = await tryBuild(present);
  if (trial.isUsable) writeFileSync(proofFile(home, build), `${trial.text}\n`);
  else rmSync(proofFile(home, build), { force: true });
  return trial;
}

/** The outcome of a trial that succeeded before; a trial can take a minute. */
export function provenBuild(home: string, build: GpuBuild): Trial | undefined {
  const file = proofFile(home, build);
  return existsSync(file) ? { isUsable: true, text: readFileSync(file, "utf8").trim() } : undefined;
}

/** Everything of the build for CUDA 13 but its library for the GPU. The files are links: they are large. */
export function composeCuda12(home: string): void {
  const target = buildFolder(home, "cuda12");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const gpu = "libggml-cuda.so";
  const from = binariesOf(home, "cuda");
  for (const name of readdirSync(from)) if (name !== gpu) linkOrCopy(join(from, name), join(target, name));
  linkOrCopy(join(binariesOf(home, "cuda-ext"), gpu), join(target, gpu));
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

export function removeBuild(home: string, build: GpuBuild): boolean {
  const wasThere = presentBuild(home, build) !== undefined;
  rmSync(proofFile(home, build), { force: true });
  if (build === "cuda12") rmSync(buildFolder(home, build), { recursive: true, force: true });
  // The builds for CUDA share a package.
  const needed = gpuBuilds
    .filter((name) => name !== build && presentBuild(home, name) !== undefined)
    .flatMap((name) => packagesOf(name));
  for (const name of packagesOf(build).filter((each) => !needed.includes(each)))
    rmSync(join(enginesFolder(home), "node_modules", name), { recursive: true, force: true });
  return wasThere;
}

function npm(args: readonly string[], build: GpuBuild): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = npmEnvironment(process.env);
    execFile("npm", [...args], { env, maxBuffer: 8 << 20 }, (error, _, stderr) => {
      if (error === null) return resolve();
      if (error.code === "ENOENT") return reject(new Refusal("npm not found; install it, or add its folder to PATH"));
      const { code, text = `npm exited with ${error.code}` } = npmFailure(stderr);
      if (["E404", "EBADPLATFORM", "ETARGET"].includes(code ?? ""))
        return reject(new Refusal(`the engine has no ${build} build for ${platform}`));
      reject(new Refusal(`cannot install the ${build} build of the engine: ${text}`));
    });
  });
}

/** npm reads its own variables and those of Node only; downloads of weights trust `SSL_CERT_FILE` too. */
export function npmEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { SSL_CERT_FILE: authorities = "", NODE_EXTRA_CA_CERTS: given = "" } = environment;
  return given === "" && authorities !== "" ? { ...environment, NODE_EXTRA_CA_CERTS: authorities } : environment;
}

/** npm prints `code`, other facts of the system and then a sentence, each after `npm error`. */
export function npmFailure(stderr: string): { readonly code?: string; readonly text?: string } {
  const lines = stderr.split("\n").flatMap((line) => /^npm (?:error|ERR!) +(.*\S)/.exec(line)?.[1] ?? []);
  const code = lines.map((line) => /^code (\S+)$/.exec(line)?.[1]).find((one) => one !== undefined);
  const text = lines.find((line) => !/^(code|errno|syscall|path|dest) /.test(line)) ?? lines[0];
  return { ...(code === undefined ? {} : { code }), ...(text === undefined ? {} : { text }) };
}
