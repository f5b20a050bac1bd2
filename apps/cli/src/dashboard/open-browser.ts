import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Opens an address that holds a token. Everybody on the machine sees the command lines of its processes, so the browser is given a file
 * that only this user reads, and the file leads on.
 */
export async function openBrowser(address: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "trivium-dashboard-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const page = join(folder, "open.html");
  const text = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>Trivium</title>\n`;
  writeFileSync(page, text, { mode: 0o600 });
  const program = process.env.BROWSER || (process.platform === "darwin" ? "open" : "xdg-open");
  const child = spawn(program, [page], { stdio: "ignore", detached: true });
  child.on("error", () => console.error(`warning: cannot start ${program}; open the address above in a browser`));
  child.unref();
}
