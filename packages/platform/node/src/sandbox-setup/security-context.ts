import type { api, Pod } from "@trivium/kube";
import { ConfigFault } from "./config-fault.ts";

/** The user that processes of this node run as. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

export const ownUser = (): ProcessUser => ({ uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 });

/** A container that must not run as root does not begin where it would, as with a kubelet. */
export function refuseRoot(pod: Pod, container: api.Container, user: ProcessUser): void {
  if (!needsCheck(pod, container) || user.uid !== 0) return;
  throw new ConfigFault(
    `container has runAsNonRoot and would run as root, like trivium up ${placeOf(pod, container)}; ` +
      "start trivium up as another user or with --containers podman, or set runAsNonRoot to false",
  );
}

/** The same for a container of an engine, whose user is the image's. `imageUser` is asked only where it matters. */
export async function refuseRootImage(
  pod: Pod,
  container: api.Container,
  imageUser: () => Promise<string>,
): Promise<void> {
  if (!needsCheck(pod, container)) return;
  const [user = ""] = (await imageUser()).trim().split(":");
  if (/^\d+$/.test(user) && Number(user) !== 0) return;
  const why =
    user === "" || user === "root" || Number(user) === 0
      ? "image will run as root"
      : `image has non-numeric user (${user}), cannot verify user is non-root`;
  throw new ConfigFault(
    `container has runAsNonRoot and ${why} ${placeOf(pod, container)}; set runAsUser, or runAsNonRoot to false`,
  );
}

/** Whether the user is not said and has to be looked at. Throws where root is said. */
function needsCheck(pod: Pod, container: api.Container): boolean {
  const { runAsNonRoot, runAsUser } = effective(pod, container);
  if (runAsNonRoot !== true) return false;
  if (runAsUser !== 0) return runAsUser === undefined;
  throw new ConfigFault(
    `container's runAsUser breaks non-root policy ${placeOf(pod, container)}; set runAsUser to another user, or runAsNonRoot to false`,
  );
}

const placeOf = ({ metadata: { name, namespace, uid } }: Pod, container: api.Container): string =>
  `(pod: "${name}_${namespace}(${uid})", container: ${container.name})`;

/** What the security context of a container asks for that a process of this machine does not get, in a sentence. */
export function describeUnenforced(pod: Pod, container: api.Container, user: ProcessUser): string | undefined {
  const fields = unenforced(pod, container, user);
  if (fields.length === 0) return undefined;
  return (
    `Container ${container.name} runs as a local process of user ${user.uid}. ` +
    `Not enforced: ${fields.join(", ")}; start trivium up with --containers podman to enforce it`
  );
}

function unenforced(pod: Pod, container: api.Container, user: ProcessUser): string[] {
  const own = container.securityContext ?? {};
  const ofPod = pod.spec?.securityContext ?? {};
  const { runAsUser, runAsGroup } = effective(pod, container);
  const { capabilities } = own;
  const asked: readonly (readonly [string, boolean])[] = [
    [`runAsUser ${runAsUser}`, runAsUser !== undefined && runAsUser !== user.uid],
    [`runAsGroup ${runAsGroup}`, runAsGroup !== undefined && runAsGroup !== user.gid],
    [`fsGroup ${ofPod.fsGroup}`, ofPod.fsGroup !== undefined && ofPod.fsGroup !== user.gid],
    ["supplementalGroups", (ofPod.supplementalGroups ?? []).length > 0],
    ["readOnlyRootFilesystem", own.readOnlyRootFilesystem === true],
    ["capabilities", (capabilities?.add ?? []).length + (capabilities?.drop ?? []).length > 0],
    ["privileged", own.privileged === true && user.uid !== 0],
    ["allowPrivilegeEscalation false", own.allowPrivilegeEscalation === false],
    ["seccompProfile", isConfined(own.seccompProfile ?? ofPod.seccompProfile)],
    ["appArmorProfile", isConfined(own.appArmorProfile ?? ofPod.appArmorProfile)],
    ["seLinuxOptions", (own.seLinuxOptions ?? ofPod.seLinuxOptions) !== undefined],
  ];
  return asked.flatMap(([field, isMissing]) => (isMissing ? [field] : []));
}

const isConfined = (profile: { type?: string } | undefined): boolean =>
  profile !== undefined && profile.type !== "Unconfined";

function effective(pod: Pod, { securityContext: own }: api.Container) {
  const ofPod = pod.spec?.securityContext;
  return {
    runAsNonRoot: own?.runAsNonRoot ?? ofPod?.runAsNonRoot,
    runAsUser: own?.runAsUser ?? ofPod?.runAsUser,
    runAsGroup: own?.runAsGroup ?? ofPod?.runAsGroup,
  };
}
