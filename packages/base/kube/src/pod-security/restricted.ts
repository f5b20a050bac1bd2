import type * as api from "../generated/api.ts";
import { containersOf, named, namesOf, type PodCheck, quoted } from "./violation.ts";

const allowedVolumes: ReadonlySet<string> = new Set([
  ...[
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
  ],
]);

const escalation: PodCheck = (spec) => {
  const bad = containersOf(spec).filter(
    ({ container }) => container.securityContext?.allowPrivilegeEscalation !== false,
  );
  if (bad.length === 0) return undefined;
  return {
    rule: "allowPrivilegeEscalation != false",
    detail: `${named("container", namesOf(bad))} must set securityContext.allowPrivilegeEscalation=false`,
    fields: bad.map(({ at }) => `${at}.securityContext.allowPrivilegeEscalation`),
  };
};

const capabilities: PodCheck = (spec) => {
  const all = containersOf(spec);
  const undropped = all.filter(({ container }) => !container.securityContext?.capabilities?.drop?.includes("ALL"));
  const adding = all.filter(({ container }) => addedTo(container).length > 0);
  const details = [
    ...(undropped.length === 0
      ? []
      : [`${named("container", namesOf(undropped))} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${named("container", namesOf(adding))} must not include ${quoted([...new Set(adding.flatMap(({ container }) => addedTo(container)))].sort())} in securityContext.capabilities.add`,
        ]),
  ];
  if (details.length === 0) return undefined;
  const fields = [...new Set([...undropped, ...adding].map(({ at }) => `${at}.securityContext.capabilities`))];
  return { rule: "unrestricted capabilities", detail: details.join("; "), fields };
};

const addedTo = ({ securityContext }: Pick<api.Container, "securityContext">): string[] =>
  (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");

const volumes: PodCheck = ({ volumes: all = [] }) => {
  const bad = all.flatMap((volume, index) => {
    const type = Object.keys(volume).find((key) => key !== "name" && !allowedVolumes.has(key));
    return type === undefined ? [] : [{ name: volume.name, index, type }];
  });
  if (bad.length === 0) return undefined;
  const types = [...new Set(bad.map(({ type }) => type))].sort();
  const verb = bad.length > 1 ? "use" : "uses";
  return {
    rule: "restricted volume types",
    detail: `${named(
      "volume",
      bad.map(({ name }) => name),
    )} ${verb} restricted volume type${types.length > 1 ? "s" : ""} ${quoted(types)}`,
    fields: bad.map(({ index, type }) => `volumes[${index}].${type}`),
  };
};

const nonRoot: PodCheck = (spec) => {
  const whole = spec.securityContext?.runAsNonRoot;
  const all = containersOf(spec);
  const refusing = all.filter(({ container }) => container.securityContext?.runAsNonRoot === false);
  const silent = all.filter(({ container }) => container.securityContext?.runAsNonRoot === undefined);
  if (refusing.length > 0 || whole === false) {
    const who = [
      ...(whole === false ? ["pod"] : []),
      ...(refusing.length > 0 ? [named("container", namesOf(refusing))] : []),
    ];
    return {
      rule: "runAsNonRoot != true",
      detail: `${who.join(" and ")} must not set securityContext.runAsNonRoot=false`,
      fields: [
        ...(whole === false ? ["securityContext.runAsNonRoot"] : []),
        ...refusing.map(({ at }) => `${at}.securityContext.runAsNonRoot`),
      ],
    };
  }
  if (whole === true || silent.length === 0) return undefined;
  return {
    rule: "runAsNonRoot != true",
    detail: `pod or ${named("container", namesOf(silent))} must set securityContext.runAsNonRoot=true`,
    fields: ["securityContext.runAsNonRoot"],
  };
};

const rootUser: PodCheck = (spec) => {
  const ofPod = spec.securityContext?.runAsUser === 0;
  const bad = containersOf(spec).filter(({ container }) => container.securityContext?.runAsUser === 0);
  if (!ofPod && bad.length === 0) return undefined;
  const who = [...(ofPod ? ["pod"] : []), ...(bad.length > 0 ? [named("container", namesOf(bad))] : [])];
  return {
    rule: "runAsUser=0",
    detail: `${who.join(" and ")} must not set runAsUser=0`,
    fields: [
      ...(ofPod ? ["securityContext.runAsUser"] : []),
      ...bad.map(({ at }) => `${at}.securityContext.runAsUser`),
    ],
  };
};

const isConfined = (profile: api.SeccompProfile | undefined): boolean =>
  profile?.type === "RuntimeDefault" || profile?.type === "Localhost";

const seccomp: PodCheck = (spec) => {
  const whole = spec.securityContext?.seccompProfile;
  const all = containersOf(spec);
  const unconfined = all.filter(({ container }) => container.securityContext?.seccompProfile?.type === "Unconfined");
  const silent = all.filter(({ container }) => container.securityContext?.seccompProfile === undefined);
  if (whole?.type === "Unconfined" || unconfined.length > 0) {
    const who = [
      ...(whole?.type === "Unconfined" ? ["pod"] : []),
      ...(unconfined.length > 0 ? [named("container", namesOf(unconfined))] : []),
    ];
    return {
      rule: "seccompProfile",
      detail: `${who.join(" and ")} must not set securityContext.seccompProfile.type to "Unconfined"`,
      fields: ["securityContext.seccompProfile", ...unconfined.map(({ at }) => `${at}.securityContext.seccompProfile`)],
    };
  }
  if (isConfined(whole) || silent.length === 0) return undefined;
  return {
    rule: "seccompProfile",
    detail: `pod or ${named("container", namesOf(silent))} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    fields: ["securityContext.seccompProfile"],
  };
};

/** What current best practice for hardened pods asks for, beyond the baseline. */
export const restricted: readonly PodCheck[] = [escalation, capabilities, volumes, nonRoot, rootUser, seccomp];
