import { existsSync, readdirSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { debianPackages, type Packages } from "./debian.ts";

/** A Chromium without a window, until it is stopped. */
export interface Chromium {
  readonly is: "running";
  readonly browser: Browser;
  /** A page with cookies of its own; what it logs and what fails in it is in `faults`. */
  open(options?: BrowserContextOptions): Promise<OpenPage>;
  stop(): Promise<void>;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts, of the console and of the page's security policy. */
  readonly faults: string[];
  close(): Promise<void>;
}

type Unpacked = Extract<Packages, { is: "there" }>;

/** Chromium of Debian, never installed, driven by Playwright; or why it cannot be had. */
export async function startChromium(): Promise<Chromium | Extract<Packages, { is: "missing" }>> {
  const packages = await debianPackages("chromium", "fonts-liberation");
  if (packages.is === "missing") return packages;
  const executablePath = programIn(packages);
  if (executablePath === undefined) return { is: "missing", why: "chromium: its package has no program" };
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    // It cannot make a sandbox of its own as root or inside a container, and has little shared memory there.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    env: { ...process.env, ...(await environmentOf(packages)) } as Record<string, string>,
    timeout: 180_000,
  });
  return {
    is: "running",
    browser,
    open: (options = {}) => openPage(browser, options),
    stop: () => browser.close(),
  };
}

/** One that the machine has installed serves as well. */
const programIn = ({ root }: Unpacked): string | undefined =>
  [join(root, "usr/lib/chromium/chromium"), "/usr/lib/chromium/chromium"].find((path) => existsSync(path));

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // A machine that is busy with other tests is slow, which is no fault of the page.
  page.setDefaultTimeout(90_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => void faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { page, faults, close: () => context.close() };
}

/** Its libraries lie also in folders below the usual one, and its fonts where no configuration of the machine looks; what it keeps stays there. */
async function environmentOf({ root, environment }: Unpacked): Promise<Record<string, string>> {
  const folders = (environment.LD_LIBRARY_PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const below = folders.flatMap((folder) => foldersIn(folder));
  const path = join(root, "trivium-fonts", "fonts.conf");
  if (!existsSync(path)) await writeFonts(root, path);
  return {
    LD_LIBRARY_PATH: [...folders, ...below].join(delimiter),
    FONTCONFIG_FILE: path,
    XDG_CONFIG_HOME: join(root, "trivium-config"),
  };
}

const foldersIn = (folder: string): string[] =>
  ["pulseaudio", "nss", "blas", "lapack"]
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && readdirSync(path).length > 0);

async function writeFonts(root: string, path: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  const draft = `${path}.${process.pid}`;
  const dirs = [join(root, "usr/share/fonts"), "/usr/share/fonts"].map((dir) => `<dir>${dir}</dir>`).join("");
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${dirs}<cachedir>${root}/trivium-fonts/cache</cachedir></fontconfig>\n`;
  await writeFile(draft, text);
  await rename(draft, path);
}
