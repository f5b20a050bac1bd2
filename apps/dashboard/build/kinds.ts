import { createAim, createAimEai } from "@trivium/aim";
import { createLlmkube } from "@trivium/llmkube";
import { createOme } from "@trivium/ome";
import type { Plugin } from "vite";
import type { ApiTable } from "../src/kube/apis.ts";

const name = "virtual:apis";

/** The kinds of the dialects without their schemas, which are most of their size: the first load needs no schema. */
export const kindTables: Plugin = {
  name: "kind-tables",
  resolveId: (id) => (id === name ? `\0${name}` : undefined),
  load: (id) => (id === `\0${name}` ? `export const apis = ${JSON.stringify(tables())};` : undefined),
};

function tables(): ApiTable[] {
  return [createAim(), createAimEai(), createOme(), createLlmkube()].map(
    ({ name: api, group, kinds, serviceKind }) => ({
      api,
      group,
      service: serviceKind.kind,
      kinds: kinds.map(({ version, kind, plural, namespaced, scale }) => ({
        ...{ group, version, kind, plural, namespaced },
        ...(scale === undefined ? {} : { scale }),
      })),
    }),
  );
}
