import { defaultHome } from "@trivium/local";
import { Option } from "commander";

/** Options that several commands have, each written once. */
export const homeOption = (description = "folder of the control plane"): Option =>
  new Option("--home <folder>", description).default(defaultHome(process.env), "$TRIVIUM_HOME, else ~/.trivium");

/** For commands that ask any cluster. */
export const clusterHomeOption = (): Option =>
  new Option("--home <folder>", "folder of a control plane of this machine, instead of a kubeconfig").conflicts(
    "kubeconfig",
  );

/** For commands that serve models: this machine, or a cluster. */
export const servingPlaceOptions = (): Option[] => [
  new Option("-n, --namespace <name>", "namespace of the service (default: that of the kubeconfig context)"),
  new Option("--kubeconfig <file>", "kubeconfig of a cluster (default: $KUBECONFIG, else this machine)"),
  new Option(
    "--home <folder>",
    "folder of the control plane of this machine (default: $TRIVIUM_HOME, else ~/.trivium)",
  ).conflicts("kubeconfig"),
];

export const namespaceOption = (): Option =>
  new Option("-n, --namespace <name>", "namespace (default: that of the kubeconfig context)");

export const kubeconfigOption = (): Option =>
  new Option("--kubeconfig <file>", "kubeconfig of the cluster (default: that of kubectl, else of trivium up)");

export const outputOption = (...forms: readonly [string, ...string[]]): Option =>
  new Option("-o, --output <form>", "output format").choices(forms).default(forms[0]);

export const gatewayOption = (): Option =>
  new Option(
    "--gateway <url>",
    "address of a gateway (default: $TRIVIUM_GATEWAY, else that of this machine); its key is $TRIVIUM_API_KEY",
  );
