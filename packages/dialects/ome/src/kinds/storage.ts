import { k8s } from "@trivium/kube";
import { as, map, obj, oneOf, opt, str } from "@trivium/schema";

const address =
  "Storage URI of the files: oci://n/<namespace>/b/<bucket>/o/<path>, oci://<registry>/<repository>[:<tag>], hf://<model>[@<revision>], s3://<bucket>[@<region>]/<prefix>, pvc://[<namespace>:]<claim>/<path>, vendor://<vendor>/<type>/<path>, az://, gs://, github://, local://<path> or file://<path>";

/** Where files are and how to get at them. */
export const storage = (description: string) =>
  obj(description, {
    storageUri: str(address),
    path: opt(str("Directory on the node for the files; chosen by the node agent if not set")),
    schemaPath: opt(str("Path of a schema or configuration file in the storage")),
    parameters: opt(
      map("Parameters of the storage, such as region, auth, secretKey or token", str("Value of the parameter")),
    ),
    key: opt(
      str("Name of the Secret with the credentials; parameters.secretKey names its key, which defaults to token"),
    ),
    nodeSelector: opt(map("Labels that a node must have to download the files", str("Value of the label"))),
    nodeAffinity: opt(as(k8s.NodeAffinity, "Additional node affinity rules; only the required ones apply")),
    downloadPolicy: opt(
      oneOf("Whether unchanged files that already exist are reused; hf:// only", ["AlwaysDownload", "ReuseIfExists"]),
    ),
  });

/** Another object by name. */
export const objectReference = (description: string) =>
  obj(description, {
    name: str("Name of the object"),
    namespace: opt(str("Namespace of the object; not set for a cluster-scoped object")),
  });
