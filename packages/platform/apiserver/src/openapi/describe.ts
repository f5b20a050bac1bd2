import { getOwn, isObject, type JsonObject } from "@trivium/std";

const reference = "https://kubernetes.io/docs/reference/kubernetes-api/";

/** Fields that people look up, by type and name. All others are left to the Kubernetes reference. */
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ObjectMeta: {
    name: "Name of the object, unique in its namespace for this kind",
    namespace: "Namespace the object is in",
    labels: "Keys and values that selectors match",
    annotations: "Keys and values for tools and people; no selector matches them",
    finalizers: "The object is deleted when this list is empty",
    ownerReferences: "Objects that this one is deleted with",
  },
  PodSpec: {
    containers: "Containers that run side by side",
    initContainers: "Containers that run one after the other before the others start",
    nodeName: "Node the pod runs on; set by the scheduler",
    nodeSelector: "Labels that the node must have",
    restartPolicy: "When containers are started again: Always, OnFailure or Never",
    serviceAccountName: "ServiceAccount whose rights the pod has",
    terminationGracePeriodSeconds: "Seconds between the request to stop and the kill",
    tolerations: "Taints of nodes that the pod accepts",
    volumes: "Volumes that containers can mount",
  },
  Container: {
    args: "Arguments of the command",
    command: "Program to run instead of the entrypoint of the image",
    env: "Environment variables",
    image: "Image to run",
    livenessProbe: "The container is started again when this check fails",
    name: "Name of the container, unique in the pod",
    ports: "Ports the container listens on",
    readinessProbe: "The container gets requests while this check succeeds",
    resources: "Resources the container requests, and their limits",
    startupProbe: "The other checks begin when this one has succeeded",
    volumeMounts: "Where volumes are mounted",
  },
  ResourceRequirements: {
    claims: "Claims for devices",
    limits: "Most that the container can use of each resource",
    requests: "What is set aside for the container of each resource; the scheduler counts it",
  },
  DeploymentSpec: {
    replicas: "Number of pods",
    selector: "Labels of the pods that belong to the Deployment; cannot be changed",
    strategy: "How pods are replaced when the template changes",
    template: "Pod to create",
  },
  ServiceSpec: {
    clusterIP: "Address of the Service inside the cluster; None for a headless one",
    ports: "Ports of the Service, and the ports of the pods behind them",
    selector: "Labels of the pods behind the Service",
    type: "Where the Service is reached: ClusterIP, NodePort, LoadBalancer or ExternalName",
  },
};

/** A definition of Kubernetes with what `kubectl explain` shows: our words for fields that people look up, else where to read. */
export function describeDefinition(name: string, definition: JsonObject): JsonObject {
  if (!name.startsWith("io.k8s.") || definition.description !== undefined) return definition;
  const type = name.slice(name.lastIndexOf(".") + 1);
  const described = { description: `${type} of Kubernetes; see the Kubernetes reference: ${reference}`, ...definition };
  const known = getOwn(fields, type);
  if (known === undefined || !isObject(definition.properties)) return described;
  const properties = Object.fromEntries(
    Object.entries(definition.properties).map(([field, schema]) => {
      const description = getOwn(known, field);
      if (description === undefined || !isObject(schema)) return [field, schema];
      // A reference stands alone in older readers of these documents.
      const { $ref, ...rest } = schema;
      return [field, $ref === undefined ? { description, ...rest } : { description, allOf: [{ $ref }], ...rest }];
    }),
  );
  return { ...described, properties };
}
