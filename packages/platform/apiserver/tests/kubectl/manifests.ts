import { stringify } from "yaml";

/** Objects that several scenarios use. */
export const widgetCrd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.kubectl.example.dev}
spec:
  group: kubectl.example.dev
  names: {kind: Widget, plural: widgets, singular: widget, shortNames: [wd], categories: [all, toys]}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Phase, type: string, jsonPath: .status.phase}
    - {name: Note, type: string, jsonPath: .spec.note, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: A toy that comes in sizes.
        required: [spec]
        properties:
          spec:
            type: object
            description: What the toy should be.
            required: [size]
            properties:
              size: {type: integer, minimum: 1, maximum: 100, description: How big it is.}
              note: {type: string, default: plain, maxLength: 40, description: Anything worth knowing.}
              color: {type: string, enum: [red, green]}
              replicas: {type: integer, default: 1, minimum: 0}
              parts:
                type: array
                maxItems: 10
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 20}
                    count: {type: integer, default: 1}
              serial:
                type: string
                maxLength: 20
                x-kubernetes-validations: [{rule: self == oldSelf, message: serial is for life}]
            x-kubernetes-validations:
            - {rule: "!has(self.color) || self.color != 'red' || self.size < 50", message: red toys stay below 50}
          status:
            type: object
            properties:
              phase: {type: string}
              replicas: {type: integer}
              selector: {type: string}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string}
                    reason: {type: string}
                    message: {type: string}
                    lastTransitionTime: {type: string, format: date-time}
`;

export function widget(name: string, spec: object, metadata: object = {}): string {
  return stringify({
    apiVersion: "kubectl.example.dev/v1alpha1",
    kind: "Widget",
    metadata: { name, ...metadata },
    spec,
  });
}

export function configMap(name: string, data: Record<string, string>, metadata: object = {}): string {
  return stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data });
}

export function deployment(name: string, spec: object = {}): string {
  const labels = { app: name };
  return stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "web", image: "nginx:1", ports: [{ name: "http", containerPort: 80 }] }] },
      },
      ...spec,
    },
  });
}

export const documents = (...texts: string[]): string => texts.join("---\n");
