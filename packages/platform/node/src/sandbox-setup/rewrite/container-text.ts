import type { api, Pod } from "@trivium/kube";
import { isOnHost } from "../addresses/allocations.ts";
import { declaredPorts } from "../addresses/port-book.ts";
import type { Variable } from "../environment/container-environment.ts";
import { expandVariables } from "../environment/expand-variables.ts";
import type { ContainerFolders, LocalSetup } from "../local-setup.ts";
import { loopbackRewriter } from "./rewrite-loopback.ts";
import { pathRewriter } from "./rewrite-paths.ts";

/** How texts of a container's spec are read on this machine. */
export interface ContainerText {
  /** `$(NAME)` by its value. */
  expand(text: string): string;
  /** Paths of volumes by real ones. */
  rewritePaths(text: string): string;
  /** Paths of volumes, and the pod's own ports at localhost. */
  rewrite(text: string): string;
}

export interface WordsInput {
  readonly pod: Pod;
  readonly container: api.Container;
  readonly setup: LocalSetup;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly folders: ContainerFolders;
}

export async function containerText({ pod, container, setup, variables, folders }: WordsInput): Promise<ContainerText> {
  const expand = (text: string) => expandVariables(text, (name) => variables.get(name)?.value);
  const subPathOf = ({ subPath = "", subPathExpr }: api.VolumeMount) =>
    subPathExpr === undefined ? subPath : expand(subPathExpr);
  const rewritePaths = pathRewriter([
    ...(await setup.volumes.mountsOf(container, subPathOf)),
    { mountPath: container.terminationMessagePath || "/dev/termination-log", realPath: folders.terminationLog },
  ]);
  const { ports } = setup.allocation;
  const rewriteLoopback = isOnHost(pod)
    ? (text: string) => text
    : loopbackRewriter(setup.address, declaredPorts(pod), (port) => ports.get(port) ?? port);
  return { expand, rewritePaths, rewrite: (text) => rewriteLoopback(rewritePaths(text)) };
}
