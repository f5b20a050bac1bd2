import { namespaced } from "../../handle.ts";
import { deploymentSpec, podSpec } from "../kinds.ts";
import type { Family } from "./family.ts";
import { labels, selector, template } from "./pod-specs.ts";

/** What makes pods. */
export const workloads: Readonly<Record<string, Family>> = {
  deployment: {
    at: namespaced("apps/v1", "deployments", "Deployment"),
    least: { spec: deploymentSpec },
    rich: {
      spec: {
        replicas: 3,
        minReadySeconds: 5,
        paused: true,
        progressDeadlineSeconds: 100,
        revisionHistoryLimit: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: 0 } },
        selector,
        template: {
          metadata: { labels, annotations: { a: "b" } },
          spec: { ...podSpec, terminationGracePeriodSeconds: 5 },
        },
      },
    },
    wrong: {
      "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } },
      "empty selector": { spec: { selector: {}, template } },
      "no template": { spec: { selector } },
      replicas: { spec: { ...deploymentSpec, replicas: -1 } },
      strategy: { spec: { ...deploymentSpec, strategy: { type: "X" } } },
      "recreate with rolling": {
        spec: { ...deploymentSpec, strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
      },
      "both zero": { spec: { ...deploymentSpec, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      percent: { spec: { ...deploymentSpec, strategy: { rollingUpdate: { maxUnavailable: "200%" } } } },
      "no percent": { spec: { ...deploymentSpec, strategy: { rollingUpdate: { maxSurge: "x" } } } },
      "restart policy": {
        spec: { selector, template: { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Never" } } },
      },
      deadline: { spec: { ...deploymentSpec, progressDeadlineSeconds: 5, minReadySeconds: 10 } },
      "selector operator": { spec: { selector: { matchExpressions: [{ key: "a", operator: "X" }] }, template } },
      "template fault": {
        spec: { selector, template: { metadata: { labels }, spec: { containers: [{ name: "A_", image: "" }] } } },
      },
    },
    changes: [
      { spec: { paused: false } },
      { spec: { selector: { matchLabels: { app: "z" } } } },
      { spec: { template: { metadata: { labels: { app: "z" } } } } },
    ],
  },
  "replica set": {
    at: namespaced("apps/v1", "replicasets", "ReplicaSet"),
    least: { spec: { selector, template } },
    wrong: { "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } }, nothing: {} },
    changes: [],
  },
  "daemon set": {
    at: namespaced("apps/v1", "daemonsets", "DaemonSet"),
    least: { spec: { selector, template } },
    wrong: {
      "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } },
      strategy: { spec: { selector, template, updateStrategy: { type: "X" } } },
    },
    changes: [],
  },
  "stateful set": {
    at: namespaced("apps/v1", "statefulsets", "StatefulSet"),
    least: { spec: { selector, template, serviceName: "s" } },
    rich: {
      spec: {
        selector,
        template,
        serviceName: "s",
        replicas: 2,
        podManagementPolicy: "Parallel",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
        ordinals: { start: 1 },
      },
    },
    wrong: {
      "labels differ": { spec: { selector: { matchLabels: { app: "b" } }, template } },
      policy: { spec: { selector, template, podManagementPolicy: "X" } },
      strategy: { spec: { selector, template, updateStrategy: { type: "X" } } },
    },
    changes: [{ spec: { replicas: 5 } }, { spec: { serviceName: "t" } }],
  },
  job: {
    at: namespaced("batch/v1", "jobs", "Job"),
    least: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
    rich: {
      spec: {
        parallelism: 2,
        completions: 4,
        backoffLimit: 1,
        activeDeadlineSeconds: 60,
        ttlSecondsAfterFinished: 5,
        completionMode: "Indexed",
        suspend: true,
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] },
        template: { spec: { ...podSpec, restartPolicy: "Never" } },
      },
    },
    wrong: {
      "restart policy": { spec: { template: { spec: podSpec } } },
      negative: {
        spec: {
          parallelism: -1,
          completions: -1,
          backoffLimit: -1,
          template: { spec: { ...podSpec, restartPolicy: "Never" } },
        },
      },
      selector: { spec: { selector, template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      mode: { spec: { completionMode: "Indexed", template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      nothing: {},
    },
    changes: [{ spec: { suspend: false } }, { spec: { completions: 9 } }, { spec: { backoffLimit: 3 } }],
  },
  "cron job": {
    at: namespaced("batch/v1", "cronjobs", "CronJob"),
    least: {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    },
    wrong: {
      schedule: {
        spec: { schedule: "x", jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } } },
      },
      zone: {
        spec: {
          schedule: "TZ=x * * * * *",
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
        },
      },
      policy: {
        spec: {
          schedule: "@daily",
          concurrencyPolicy: "X",
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
        },
      },
      "long name": {
        metadata: { name: "a".repeat(53) },
        spec: {
          schedule: "@daily",
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
        },
      },
    },
  },
  autoscaler: {
    at: namespaced("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
    least: { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" } } },
    rich: {
      spec: {
        minReplicas: 2,
        maxReplicas: 9,
        scaleTargetRef: { kind: "Deployment", name: "a" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
          { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } },
        ],
        behavior: {
          scaleDown: { stabilizationWindowSeconds: 5, policies: [{ type: "Percent", value: 10, periodSeconds: 15 }] },
        },
      },
    },
    wrong: {
      "min above max": { spec: { minReplicas: 4, maxReplicas: 3, scaleTargetRef: { kind: "D", name: "a" } } },
      "no target": { spec: { maxReplicas: 1 } },
      zero: { spec: { maxReplicas: 0, scaleTargetRef: { kind: "D", name: "a" } } },
      "metric type": { spec: { maxReplicas: 1, scaleTargetRef: { kind: "D", name: "a" }, metrics: [{ type: "X" }] } },
      "metric without target": {
        spec: {
          maxReplicas: 1,
          scaleTargetRef: { kind: "D", name: "a" },
          metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } }],
        },
      },
    },
    changes: [{ spec: { minReplicas: 3 } }],
  },
  "autoscaler v1": {
    at: namespaced("autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
    least: { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" } } },
    rich: {
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 70, scaleTargetRef: { kind: "Deployment", name: "a" } },
    },
    wrong: { zero: { spec: { maxReplicas: 0, scaleTargetRef: { kind: "D", name: "a" } } } },
  },
};
