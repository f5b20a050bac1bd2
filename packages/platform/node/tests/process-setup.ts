import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxSetup } from "../src/sandboxes/process/run/launch.ts";

/** Rooms that do as little as possible: commands and variables are what the spec says, and there are no volumes. */
export function plainSetups(root: string): SandboxSetup {
  const folderOf = (uid: string): string => join(root, "rooms", uid);
  return {
    async open({ metadata }) {
      const uid = metadata.uid ?? "";
      await mkdir(folderOf(uid), { recursive: true });
      return { uid, address: "127.0.0.1", close: () => rm(folderOf(uid), { recursive: true, force: true }) };
    },
    async prepare(_, container, { uid, address }) {
      const { image = "", command = [], args = [], env = [], name, workingDir, resources } = container;
      if (image === "missing") {
        const message = `nothing here runs ${image}`;
        return { is: "refused", reason: "ErrImagePull", message, meanwhile: { reason: "ImagePullBackOff", message } };
      }
      const memory = resources?.limits?.memory;
      return {
        is: "ready",
        ...(image === "noted" ? { notes: ["runs here as a process"] } : {}),
        launch: {
          argv: [...command, ...args],
          env: Object.fromEntries([["PATH", "/usr/bin:/bin"], ...env.map(({ name, value = "" }) => [name, value])]),
          cwd: workingDir ?? folderOf(uid),
          address,
          ports: new Map(),
          limits: memory === undefined ? {} : { memoryBytes: Number(memory) },
          terminationMessagePath: join(folderOf(uid), `${name}.message`),
        },
      };
    },
    retain: async () => undefined,
  };
}
