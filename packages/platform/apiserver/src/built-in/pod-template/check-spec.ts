import type { api } from "@trivium/kube";
import { type FieldError, forbidden, invalid, required } from "@trivium/schema";
import { faultsOfDnsSubdomain } from "@trivium/std";
import { checkAnnotations, checkLabels } from "../checks/labels.ts";
import { between, dnsLabel, dnsSubdomain, invalidFor, oneOf, qualifiedName, unique } from "../checks/values.ts";
import { checkContainers, checkInitContainers, checkSeccomp } from "./check-container.ts";
import { checkAmount, checkPodResources } from "./check-resources.ts";
import { checkAffinity, checkResourceClaims, checkSpread, checkTolerations } from "./check-scheduling.ts";
import { checkVolumes } from "./check-volume.ts";

/** Faults of a pod's spec, in the order in which the real server finds them. */
export function checkPodSpec(at: string, spec: api.PodSpec): FieldError[] {
  const { faults, usable } = checkVolumes(`${at}.volumes`, spec.volumes);
  const claims = (spec.resourceClaims ?? []).map((claim) => claim.name);
  const frame = { volumes: usable, claims, grace: spec.terminationGracePeriodSeconds };
  const containers = spec.containers ?? [];
  const names = containers.map((container) => container.name);
  return [
    ...faults,
    ...checkResourceClaims(`${at}.resourceClaims`, spec.resourceClaims),
    ...checkContainers(`${at}.containers`, containers, frame),
    ...checkInitContainers(`${at}.initContainers`, spec.initContainers ?? [], { ...frame, names }),
    ...Object.entries(spec.overhead ?? {}).flatMap(([name, amount]) =>
      checkAmount(`${at}.overhead.limits[${name}]`, name, amount),
    ),
    ...checkPodResources(`${at}.resources`, { ...spec, containers }),
    ...(spec.hostNetwork ? checkHostNetwork(`${at}.containers`, containers) : []),
    ...oneOf(`${at}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]),
    ...oneOf(`${at}.dnsPolicy`, spec.dnsPolicy, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
    ...checkLabels(`${at}.nodeSelector`, spec.nodeSelector),
    ...checkSecurity(`${at}.securityContext`, spec.securityContext),
    ...checkAffinity(`${at}.affinity`, spec.affinity),
    ...checkDns(`${at}.dnsConfig`, spec),
    ...checkGates(at, spec),
    ...checkSpread(`${at}.topologySpreadConstraints`, spec.topologySpreadConstraints),
    ...checkNames(at, spec),
    ...checkTolerations(`${at}.tolerations`, spec.tolerations),
    ...checkHostAliases(`${at}.hostAliases`, spec.hostAliases),
    ...(spec.priorityClassName
      ? invalidFor(`${at}.priorityClassName`, spec.priorityClassName, faultsOfDnsSubdomain(spec.priorityClassName))
      : []),
    ...(spec.runtimeClassName === undefined ? [] : dnsSubdomain(`${at}.runtimeClassName`, spec.runtimeClassName)),
    ...oneOf(`${at}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]),
  ];
}

/** On the node's own network a port is a port of the node. */
function checkHostNetwork(at: string, containers: readonly api.Container[]): FieldError[] {
  return containers.flatMap(({ ports }, index) =>
    (ports ?? []).flatMap(({ hostPort, containerPort }, port) => {
      if (!hostPort || hostPort === containerPort) return [];
      return [
        invalid(
          `${at}[${index}].ports[${port}].hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        ),
      ];
    }),
  );
}

const most32 = 2147483647;

function checkNames(at: string, spec: api.PodSpec): FieldError[] {
  const { serviceAccountName, nodeName, activeDeadlineSeconds, hostname, subdomain } = spec;
  return [
    ...(serviceAccountName ? dnsSubdomain(`${at}.serviceAccountName`, serviceAccountName) : []),
    ...(nodeName ? dnsSubdomain(`${at}.nodeName`, nodeName) : []),
    ...between(`${at}.activeDeadlineSeconds`, activeDeadlineSeconds, [1, most32]),
    ...(hostname ? dnsLabel(`${at}.hostname`, hostname) : []),
    ...(subdomain ? dnsLabel(`${at}.subdomain`, subdomain) : []),
  ];
}

function checkGates(at: string, { readinessGates, schedulingGates }: api.PodSpec): FieldError[] {
  const gates = schedulingGates ?? [];
  return [
    ...(readinessGates ?? []).flatMap((gate, index) =>
      qualifiedName(`${at}.readinessGates[${index}].conditionType`, gate.conditionType),
    ),
    ...gates.flatMap((gate, index) => qualifiedName(`${at}.schedulingGates[${index}]`, gate.name)),
    ...unique(
      gates,
      (gate) => gate.name,
      (index) => `${at}.schedulingGates[${index}]`,
    ),
  ];
}

function checkSecurity(at: string, context: api.PodSecurityContext | undefined): FieldError[] {
  if (context === undefined) return [];
  return [
    ...between(`${at}.fsGroup`, context.fsGroup, [0, most32]),
    ...between(`${at}.runAsUser`, context.runAsUser, [0, most32]),
    ...between(`${at}.runAsGroup`, context.runAsGroup, [0, most32]),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      between(`${at}.supplementalGroups[${index}]`, group, [0, most32]),
    ),
    ...checkSeccomp(`${at}.seccompProfile`, context.seccompProfile),
    ...oneOf(`${at}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ["Always", "OnRootMismatch"]),
  ];
}

function checkDns(at: string, { dnsConfig, dnsPolicy }: api.PodSpec): FieldError[] {
  const servers = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === "None" && servers.length === 0) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    return [
      dnsConfig === undefined
        ? required(at, "must provide `dnsConfig` when `dnsPolicy` is None")
        : required(`${at}.nameservers`, detail),
    ];
  }
  if (servers.length <= 3) return servers.flatMap((server, index) => checkIp(`${at}.nameservers[${index}]`, server));
  return [invalid(`${at}.nameservers`, [...servers], "must not have more than 3 nameservers")];
}

function checkHostAliases(at: string, aliases: readonly api.HostAlias[] = []): FieldError[] {
  return aliases.flatMap(({ ip, hostnames }, index) => [
    ...checkIp(`${at}[${index}].ip`, ip),
    ...(hostnames ?? []).flatMap((name, other) => dnsSubdomain(`${at}[${index}].hostnames[${other}]`, name)),
  ]);
}

const ipForm = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** Ranges that no Service or endpoint can lie in, in the order in which a real server looks. */
const specialRanges: readonly (readonly [RegExp, string])[] = [
  [/^0\.0\.0\.0$/, "may not be unspecified (0.0.0.0)"],
  [/^::$/, "may not be unspecified (::)"],
  [/^(127\.|::1$)/, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^(169\.254\.|fe[89ab][0-9a-f]:)/i, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^(224\.0\.0\.|ff02:)/i, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

export function checkOrdinaryIp(at: string, text: string): FieldError[] {
  return specialRanges.filter(([range]) => range.test(text)).map(([, detail]) => invalid(at, text, detail));
}

export function checkIp(at: string, text: string): FieldError[] {
  const isFour = /^(\d{1,3})(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256);
  const isSix = text.includes(":") && /^[0-9a-fA-F:.]+$/.test(text);
  return isFour || isSix ? [] : [invalid(at, text, ipForm)];
}

export function checkPodTemplate(at: string, template: api.PodTemplateSpec): FieldError[] {
  const spec = template.spec ?? { containers: [] };
  const ephemeral = (spec.ephemeralContainers ?? []).length > 0;
  return [
    ...checkLabels(`${at}.labels`, template.metadata?.labels),
    ...checkAnnotations(`${at}.annotations`, template.metadata?.annotations),
    ...checkPodSpec(`${at}.spec`, spec),
    ...(ephemeral
      ? [forbidden(`${at}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}
