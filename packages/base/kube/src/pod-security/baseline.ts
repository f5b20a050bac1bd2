import type * as api from "../generated/api.ts";
import { containersOf, named, namesOf, type PodCheck, quoted } from "./violation.ts";

const defaultCapabilities: ReadonlySet<string> = new Set([
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
]);

const safeSysctls: ReadonlySet<string> = new Set([
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start"],
  ...["net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports"],
  ...["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"],
  ...["net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
]);

const seLinuxTypes: ReadonlySet<string> = new Set([
  ...["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"],
]);

const capabilities: PodCheck = (spec) => {
  const bad = containersOf(spec).flatMap(({ container, at }) => {
    const added = (container.securityContext?.capabilities?.add ?? []).filter((one) => !defaultCapabilities.has(one));
    return added.length === 0 ? [] : [{ name: container.name, at, added }];
  });
  if (bad.length === 0) return undefined;
  const added = [...new Set(bad.flatMap((one) => one.added))].sort();
  return {
    rule: "non-default capabilities",
    detail: `${named(
      "container",
      bad.map(({ name }) => name),
    )} must not include ${quoted(added)} in securityContext.capabilities.add`,
    fields: bad.map(({ at }) => `${at}.securityContext.capabilities.add`),
  };
};

const hostNamespaces: PodCheck = (spec) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { rule: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", "), fields: shared };
};

export const hostPathVolumes: PodCheck = ({ volumes = [] }) => {
  const bad = volumes.flatMap(({ name, hostPath }, index) => (hostPath === undefined ? [] : [{ name, index }]));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  return {
    rule: "hostPath volumes",
    detail: named("volume", names),
    fields: bad.map(({ index }) => `volumes[${index}].hostPath`),
  };
};

const hostPorts: PodCheck = (spec) => {
  const bad = containersOf(spec).flatMap(({ container, at }) => {
    const ports = (container.ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [hostPort]));
    return ports.length === 0 ? [] : [{ name: container.name, at, ports }];
  });
  if (bad.length === 0) return undefined;
  const ports = [...new Set(bad.flatMap((one) => one.ports))].sort((a, b) => a - b);
  return {
    rule: "hostPort",
    detail: `${named(
      "container",
      bad.map(({ name }) => name),
    )} ${bad.length > 1 ? "use" : "uses"} hostPort${ports.length > 1 ? "s" : ""} ${ports.join(", ")}`,
    fields: bad.map(({ at }) => `${at}.ports`),
  };
};

const privileged: PodCheck = (spec) => {
  const bad = containersOf(spec).filter(({ container }) => container.securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return {
    rule: "privileged",
    detail: `${named("container", namesOf(bad))} must not set securityContext.privileged=true`,
    fields: bad.map(({ at }) => `${at}.securityContext.privileged`),
  };
};

const procMount: PodCheck = (spec) => {
  const bad = containersOf(spec).filter(({ container }) => {
    const mount = container.securityContext?.procMount;
    return mount !== undefined && mount !== "Default";
  });
  if (bad.length === 0) return undefined;
  const kinds = [...new Set(bad.map(({ container }) => container.securityContext?.procMount ?? ""))].sort();
  return {
    rule: "procMount",
    detail: `${named("container", namesOf(bad))} must not set securityContext.procMount to ${quoted(kinds)}`,
    fields: bad.map(({ at }) => `${at}.securityContext.procMount`),
  };
};

type Context = Pick<api.PodSecurityContext, "seLinuxOptions" | "seccompProfile" | "appArmorProfile" | "windowsOptions">;

/** The settings of the pod as a whole and of each container. */
function contextsOf(spec: api.PodSpec): { name: string; at: string; context: Context }[] {
  return [
    { name: "pod", at: "", context: spec.securityContext ?? {} },
    ...containersOf(spec).map(({ container, at }) => ({
      name: named("container", [container.name]),
      at: `${at}.`,
      context: container.securityContext ?? {},
    })),
  ];
}

/** A rule about one setting of pod and containers. */
const ofContexts =
  (rule: string, field: string, says: (context: Context) => string | undefined): PodCheck =>
  (spec) => {
    const bad = contextsOf(spec).flatMap(({ name, at, context }) => {
      const text = says(context);
      return text === undefined ? [] : [{ text: `${name} ${text}`, field: `${at}securityContext.${field}` }];
    });
    if (bad.length === 0) return undefined;
    return { rule, detail: bad.map(({ text }) => text).join(", "), fields: bad.map((one) => one.field) };
  };

const seLinux = ofContexts("seLinuxOptions", "seLinuxOptions", ({ seLinuxOptions: options }) => {
  if (options === undefined) return undefined;
  const { type = "", user = "", role = "" } = options;
  if (!seLinuxTypes.has(type)) return `set forbidden securityContext.seLinuxOptions: type ${JSON.stringify(type)}`;
  return user === "" && role === ""
    ? undefined
    : "set forbidden securityContext.seLinuxOptions: user or role may not be set";
});

const appArmor = ofContexts("forbidden AppArmor profile", "appArmorProfile", ({ appArmorProfile: profile }) =>
  profile?.type === "Unconfined" ? 'must not set AppArmor profile type to "Unconfined"' : undefined,
);

const seccomp = ofContexts("seccompProfile", "seccompProfile", ({ seccompProfile: profile }) =>
  profile?.type === "Unconfined" ? 'must not set securityContext.seccompProfile.type to "Unconfined"' : undefined,
);

const hostProcess = ofContexts("hostProcess", "windowsOptions.hostProcess", ({ windowsOptions: options }) =>
  options?.hostProcess === true ? "must not set securityContext.windowsOptions.hostProcess=true" : undefined,
);

const sysctls: PodCheck = ({ securityContext }) => {
  const bad = (securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safeSysctls.has(name));
  if (bad.length === 0) return undefined;
  return { rule: "forbidden sysctls", detail: bad.join(", "), fields: ["securityContext.sysctls"] };
};

/** What keeps a pod from known ways out of its container. The first two are replaced by stricter ones at `restricted`. */
export const baselineOnly: readonly PodCheck[] = [capabilities, hostPathVolumes, seccomp];
export const baseline: readonly PodCheck[] = [
  appArmor,
  hostNamespaces,
  hostPorts,
  privileged,
  procMount,
  seLinux,
  sysctls,
  hostProcess,
];
