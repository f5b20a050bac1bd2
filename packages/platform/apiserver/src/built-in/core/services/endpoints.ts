import type { api, Endpoints } from "@trivium/kube";
import { checkEndpoints } from "../../networking/check-endpoints.ts";
import { firstFew } from "../../table/text.ts";
import { traits } from "../../traits.ts";
import { defaultEndpoints } from "../defaults.ts";

export const endpoints = traits<Endpoints>({
  allowsCreateOnUpdate: true,
  validate: checkEndpoints,
  warning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  defaults: defaultEndpoints,
  cells: { Endpoints: ({ subsets }) => formatSubsets(subsets ?? []) },
});

function formatSubsets(subsets: readonly api.EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports }) =>
    (ports ?? [undefined]).flatMap((port) =>
      (addresses ?? []).map(({ ip }) => (port ? `${bracketed(ip)}:${port.port}` : ip)),
    ),
  );
  return firstFew(all, 3);
}

const bracketed = (ip: string): string => (ip.includes(":") ? `[${ip}]` : ip);
