package dev.claimstream.manifests;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the pod templates in workloads, in any tree of an object.
 *
 * <p>A built-in kind has its template at a fixed path. The resources of operators (JobSet, LeaderWorkerSet, MPIJob, RayCluster and others)
 * are searched for fields that have the form of a pod.
 */
public final class PodTemplates {
    /** The field of a workload's spec, also of the spec of a Job in a JobSet, with the template. */
    static final String TEMPLATE = "template";

    private static final String SPEC = "spec";

    /** The API groups whose kinds contain pod templates in the form of Kubernetes. */
    private static final Set<String> OPERATOR_GROUPS = Set.of(
            "jobset.x-k8s.io",
            "leaderworkerset.x-k8s.io",
            "kubeflow.org",
            "ray.io",
            "batch.volcano.sh",
            "serving.knative.dev",
            "argoproj.io");

    private static final int DEPTH_MAX = 12;

    private PodTemplates() {}

    /** A value in an object, from which other values are reached. */
    public interface ObjectPosition<P extends ObjectPosition<P>> {
        /** Returns the value of a field; empty if the field is missing or null. */
        Optional<P> get(String name);

        /** Returns the items of a list in a field; none if it is not a list. */
        List<P> items(String name);

        /** Returns the names of the fields; none if this is not a mapping. */
        List<String> fieldNames();

        /** Returns the path from the root of the object. */
        String path();
    }

    /** Returns whether the kind belongs to an operator whose resources are searched for pod templates. */
    public static boolean isOfOperator(String apiVersion) {
        int slash = apiVersion.indexOf('/');
        return slash > 0 && OPERATOR_GROUPS.contains(apiVersion.substring(0, slash));
    }

    /** Returns whether objects of the kind create pods from a template. */
    static boolean isWorkload(String apiVersion, String kind) {
        return isOfOperator(apiVersion) || templatePath(apiVersion, kind).isPresent();
    }

    /**
     * Returns the pod specs of a pod or workload.
     *
     * @param root the object itself
     */
    public static <P extends ObjectPosition<P>> List<P> podSpecs(String apiVersion, String kind, P root) {
        List<P> specs = new ArrayList<>();
        if (isOfOperator(apiVersion)) {
            root.get(SPEC).ifPresent(spec -> search(spec, 0, specs));
            return specs;
        }
        Optional<P> template = apiVersion.equals("v1") && kind.equals("Pod") ? Optional.of(root) : Optional.empty();
        List<String> path = templatePath(apiVersion, kind).orElse(List.of());
        for (int i = 0; i < path.size(); i++) {
            String name = path.get(i);
            template = i == 0 ? root.get(name) : template.flatMap(each -> each.get(name));
        }
        return template.flatMap(each -> each.get(SPEC)).stream().toList();
    }

    /** Returns the path of the only template of a built-in kind. */
    private static Optional<List<String>> templatePath(String apiVersion, String kind) {
        return switch (apiVersion + " " + kind) {
            case "v1 PodTemplate" -> Optional.of(List.of(TEMPLATE));
            case "batch/v1 CronJob" -> Optional.of(List.of(SPEC, "jobTemplate", SPEC, TEMPLATE));
            case "apps/v1 Deployment",
                    "apps/v1 StatefulSet",
                    "apps/v1 DaemonSet",
                    "apps/v1 ReplicaSet",
                    "batch/v1 Job",
                    "v1 ReplicationController" -> Optional.of(List.of(SPEC, TEMPLATE));
            default -> Optional.empty();
        };
    }

    private static <P extends ObjectPosition<P>> void search(P position, int depth, List<P> specs) {
        boolean isPod = !position.items("containers").isEmpty()
                && (position.path().endsWith("." + SPEC) || position.path().endsWith("Template"));
        if (isPod) {
            specs.add(position);
        } else if (depth < DEPTH_MAX) {
            for (String name : position.fieldNames()) {
                position.get(name).ifPresent(inner -> search(inner, depth + 1, specs));
                position.items(name).forEach(item -> search(item, depth + 1, specs));
            }
        }
    }
}
