package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.Workload.WorkloadKey;
import java.util.Arrays;
import java.util.Optional;

/** The kinds of workloads that are expanded into their pods. */
enum WorkloadKind {
    DEPLOYMENT("apps/v1", "Deployment"),
    REPLICA_SET("apps/v1", "ReplicaSet"),
    STATEFUL_SET("apps/v1", "StatefulSet"),
    JOB("batch/v1", "Job"),
    JOB_SET("jobset.x-k8s.io/v1alpha2", "JobSet");

    private final String apiVersion;
    private final String apiName;

    WorkloadKind(String apiVersion, String apiName) {
        this.apiVersion = apiVersion;
        this.apiName = apiName;
    }

    static Optional<WorkloadKind> of(String apiVersion, String apiName) {
        return Arrays.stream(values())
                .filter(each -> each.apiVersion.equals(apiVersion) && each.apiName.equals(apiName))
                .findFirst();
    }

    /** Returns the field of the spec that each complete object has. */
    String requiredField() {
        return switch (this) {
            case DEPLOYMENT, REPLICA_SET, STATEFUL_SET -> "selector";
            case JOB -> PodTemplates.TEMPLATE;
            case JOB_SET -> "replicatedJobs";
        };
    }

    /** Returns the API group of a kind of Kubernetes or JobSet, for owners without version; empty for other kinds. */
    static String groupOf(String apiName) {
        return switch (apiName) {
            case "DaemonSet" -> DEPLOYMENT.group();
            case "CronJob" -> JOB.group();
            default ->
                Arrays.stream(values())
                        .filter(each -> each.apiName.equals(apiName))
                        .map(WorkloadKind::group)
                        .findFirst()
                        .orElse("");
        };
    }

    private String group() {
        return apiVersion.substring(0, apiVersion.indexOf('/'));
    }

    WorkloadKey key(String namespace, String name) {
        return WorkloadKey.of(apiVersion, apiName, namespace, name);
    }

    /** Returns the uid of a workload, derived from its name if its manifest has none. */
    String uid(ObjectMeta meta) {
        WorkloadKey key = key(meta.namespace(), meta.name());
        return meta.uid().isEmpty() ? DerivedNames.uid(apiName, key.namespace(), key.name()) : meta.uid();
    }

    boolean isKindOf(WorkloadKey workload) {
        return workload.kind().equals(apiName) && workload.group().equals(group());
    }

    String apiVersion() {
        return apiVersion;
    }

    /** Returns the name in the Kubernetes API. */
    String apiName() {
        return apiName;
    }
}
