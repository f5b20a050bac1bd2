export interface ModelRequest {
  readonly name: string;
  readonly replicas?: number;
  readonly flags?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly memory?: string;
}

/** The demo model as a plain Deployment with a Service, as somebody would write it for a cluster. */
export function modelManifest({ name, replicas = 1, flags = [], annotations = {}, memory }: ModelRequest): string {
  const args = ["-m", "/models/demo.gguf", "--host", "0.0.0.0", "--port", "8080", "-c", "2048", "-np", "4", ...flags];
  const requests = memory === undefined ? "{}" : `{ requests: { memory: ${memory} } }`;
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, annotations: ${JSON.stringify(annotations)} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: server
          image: ghcr.io/ggml-org/llama.cpp:server
          args: ${JSON.stringify(args)}
          ports: [{ name: http, containerPort: 8080 }]
          resources: ${requests}
          startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 1, failureThreshold: 120 }
          readinessProbe: { httpGet: { path: /health, port: http }, periodSeconds: 1 }
          volumeMounts: [{ name: models, mountPath: /models, readOnly: true }]
      volumes: [{ name: models, hostPath: { path: /opt/trivium/models } }]
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec:
  selector: { app: ${name} }
  ports: [{ name: http, port: 80, targetPort: http }]
`;
}

/** A route that takes a path to a Service and the path away. */
export function routeManifest(name: string, path: string): string {
  return `---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: ${name} }
spec:
  parentRefs: [{ name: trivium, namespace: trivium-system }]
  rules:
    - matches: [{ path: { type: PathPrefix, value: ${path} } }]
      filters: [{ type: URLRewrite, urlRewrite: { path: { type: ReplacePrefixMatch, replacePrefixMatch: / } } }]
      backendRefs: [{ name: ${name}, port: 80 }]
`;
}
