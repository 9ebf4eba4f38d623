package dev.claimstream.manifests.write;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;
import java.util.Map;

/**
 * Writes objects in {@code v1} of their APIs, with fields in alphabetical order and without empty fields.
 *
 * <p>Reading the result returns an equal object, with these exceptions: {@code metadata.sequence} is lost; the deletion time is written as
 * the creation time, or as 1970; the resource requests of a pod's containers are written as those of the pod.
 */
public final class ManifestWriter {
    private ManifestWriter() {}

    public static Tree.Mapping tree(ClusterObject object) {
        return tree(object, Map.of());
    }

    /**
     * Writes an object with additional status fields, for example a condition of a pending claim.
     *
     * @param status fields of {@code status}; they override those of the object
     */
    public static Tree.Mapping tree(ClusterObject object, Map<String, Tree> status) {
        return Tree.mapping(fields -> {
            fields.put("apiVersion", apiVersion(object));
            fields.put("kind", object.kind().apiName());
            fields.put("metadata", MetadataTree.of(object.meta()));
            body(fields, object, status);
        });
    }

    /** Writes a {@code v1 List} of objects. */
    public static Tree.Mapping list(List<? extends Tree> items) {
        return Tree.mapping(fields -> fields.put("apiVersion", "v1")
                .put("items", new Tree.Sequence(List.copyOf(items)))
                .put("kind", "List"));
    }

    private static String apiVersion(ClusterObject object) {
        return switch (object) {
            case ResourceSlice _, DeviceClass _, DeviceTaintRule _, ResourceClaim _, ResourceClaimTemplate _ ->
                "resource.k8s.io/v1";
            case Node _, Namespace _, Pod _ -> "v1";
            case PodGroup _ -> "scheduling.k8s.io/v1beta1";
        };
    }

    private static void body(TreeFields fields, ClusterObject object, Map<String, Tree> status) {
        switch (object) {
            case ResourceSlice slice -> fields.put("spec", SliceTree.of(slice));
            case DeviceClass deviceClass -> fields.put("spec", ClassTree.of(deviceClass));
            case DeviceTaintRule rule -> fields.put("spec", ClassTree.of(rule));
            case ResourceClaim claim -> {
                fields.put("spec", ClaimTree.of(claim.spec()));
                status(fields, AllocationTree.of(claim), status);
                return;
            }
            case ResourceClaimTemplate template -> fields.put("spec", ClaimTree.of(template));
            case Node node -> {
                fields.put("spec", NodeTree.spec(node));
                status(fields, NodeTree.status(node), status);
                return;
            }
            case Pod pod -> {
                fields.put("spec", PodTree.spec(pod));
                status(fields, PodTree.status(pod), status);
                return;
            }
            case PodGroup group -> {
                fields.put("spec", PodTree.spec(group));
                status(fields, PodTree.status(group), status);
                return;
            }
            case Namespace _ -> {}
        }
        status(fields, Tree.mapping(_ -> {}), status);
    }

    private static void status(TreeFields fields, Tree.Mapping own, Map<String, Tree> more) {
        Tree.Mapping all = Tree.mapping(status -> {
            own.fields().forEach(status::put);
            more.forEach(status::put);
        });
        if (!all.fields().isEmpty()) {
            fields.put("status", all);
        }
    }
}
