package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the pod templates in custom resources of workloads: JobSet, LeaderWorkerSet, MPIJob, RayCluster and others. */
final class WorkloadPods {
    /** The API groups whose kinds contain pod templates in the form of Kubernetes. */
    private static final Set<String> GROUPS = Set.of(
            "jobset.x-k8s.io",
            "leaderworkerset.x-k8s.io",
            "kubeflow.org",
            "ray.io",
            "batch.volcano.sh",
            "serving.knative.dev",
            "argoproj.io");

    private static final int DEPTH_MAX = 12;

    private WorkloadPods() {}

    /** Returns whether the kind belongs to a group whose pod templates are known. */
    static boolean isWorkload(SourceObject object) {
        int slash = object.apiVersion().indexOf('/');
        return slash > 0 && GROUPS.contains(object.apiVersion().substring(0, slash));
    }

    /** Returns the pod specs of an object: the fields {@code spec} with containers. */
    static List<ObjectPart> of(SourceObject object) {
        List<ObjectPart> pods = new ArrayList<>();
        if (isWorkload(object)) {
            new ObjectPart("", object.root()).get("spec").ifPresent(spec -> search(spec, 0, pods));
        }
        return pods;
    }

    private static void search(ObjectPart part, int depth, List<ObjectPart> pods) {
        boolean isPod = !part.node().items("containers").isEmpty()
                && (part.path().endsWith(".spec") || part.path().endsWith("Template"));
        if (isPod) {
            pods.add(part);
        } else if (depth < DEPTH_MAX) {
            for (SourceNode.Entry entry : part.node().fields()) {
                part.get(entry.name()).ifPresent(inner -> search(inner, depth + 1, pods));
                part.items(entry.name()).forEach(item -> search(item, depth + 1, pods));
            }
        }
    }
}
