package dev.claimstream.manifests;

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

    /** Returns the kind with a version and a name. */
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

    /** Returns the name in the Kubernetes API. */
    String apiName() {
        return apiName;
    }
}
