package dev.claimstream.manifests.write;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.manifests.tree.Tree;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Writes {@code metadata}. */
final class MetadataTree {
    private MetadataTree() {}

    static Tree of(ObjectMeta meta) {
        return Tree.mapping(fields -> fields.putMap("annotations", meta.annotations(), Tree::of)
                .putIfPresent("creationTimestamp", meta.created(), MetadataTree::time)
                .putIfPresent("deletionTimestamp", deletion(meta), MetadataTree::time)
                .putMap("labels", meta.labels(), Tree::of)
                .putUnlessEmpty("name", meta.name())
                .putUnlessEmpty("namespace", meta.namespace())
                .putIfPresent("ownerReferences", meta.controller(), MetadataTree::owners)
                .putUnlessEmpty("uid", meta.uid()));
    }

    private static Optional<Instant> deletion(ObjectMeta meta) {
        return meta.deleting() ? Optional.of(meta.created().orElse(Instant.EPOCH)) : Optional.empty();
    }

    /** Writes a time in the format of the API. */
    static Tree time(Instant time) {
        return Tree.of(time.toString());
    }

    private static Tree owners(Owner owner) {
        return new Tree.Sequence(List.of(Tree.mapping(fields -> fields.put("apiVersion", apiVersion(owner))
                .put("controller", Tree.of(true))
                .put("kind", owner.kind())
                .put("name", owner.name())
                .put("uid", owner.uid()))));
    }

    /** Returns the version of an owner, which records of earlier versions do not state. */
    private static String apiVersion(Owner owner) {
        if (!owner.apiVersion().isEmpty()) {
            return owner.apiVersion();
        }
        return switch (owner.kind()) {
            case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet" -> "apps/v1";
            case "Job", "CronJob" -> "batch/v1";
            default -> "v1";
        };
    }
}
