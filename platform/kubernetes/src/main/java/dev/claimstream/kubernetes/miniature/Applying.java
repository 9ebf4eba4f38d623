package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.Features;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ObjectStore.Applied;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Creates or updates the objects of manifests.
 *
 * <p>A new claim takes its status from the manifest, so that examples can start with allocated devices. Later the status is what the writer
 * committed. A real API server never takes the status from a manifest. A manifest cannot set the uid.
 */
final class Applying {
    /** An object must fit into one Kafka record with its key and overhead. */
    private static final int BYTES_MAX = 1_000_000;

    private final World world;
    private final Births births;
    private final Controller controller;
    private final Features features;

    Applying(World world, Births births, Controller controller, Features features) {
        this.world = world;
        this.births = births;
        this.controller = controller;
        this.features = features;
    }

    Applied apply(Manifest manifest) {
        ObjectId id = id(manifest);
        ClusterObject object = ClusterCompletion.served(manifest.object(), features);
        return world.find(id).map(now -> update(now, object)).orElseGet(() -> create(id, object));
    }

    private ObjectId id(Manifest manifest) {
        ClusterObject object = manifest.object();
        String namespace =
                isNamespaced(object.kind()) && object.meta().namespace().isEmpty()
                        ? ClusterCompletion.DEFAULT_NAMESPACE
                        : object.meta().namespace();
        String name = manifest.generateName()
                .map(base -> controller.freeName(object.kind(), namespace, base))
                .orElse(object.meta().name());
        return new ObjectId(object.kind(), new ObjectKey(namespace, name));
    }

    private static boolean isNamespaced(Kind kind) {
        return switch (kind) {
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> true;
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE -> false;
        };
    }

    private Applied create(ObjectId id, ClusterObject object) {
        ObjectMeta wanted = object.meta();
        ObjectMeta placed = new ObjectMeta(
                id.key().namespace(),
                id.key().name(),
                "",
                Optional.empty(),
                0,
                wanted.labels(),
                wanted.annotations(),
                wanted.controller(),
                false);
        ClusterObject made = ClusterCompletion.with(object, births.born(placed, world.version() + 1));
        SortedSet<String> outside = made instanceof ResourceClaim claim ? named(claim) : new TreeSet<>();
        return tooLarge(id, made).orElseGet(() -> {
            world.put(made, outside);
            return new Applied(id.kind(), id.key(), Applied.Outcome.CREATED, "");
        });
    }

    /** Returns the uids in the manifest of a claim: those of its consumers and of its owner. No object of this cluster has such a uid. */
    private static SortedSet<String> named(ResourceClaim claim) {
        TreeSet<String> uids = new TreeSet<>();
        for (Consumer consumer : claim.reservedFor()) {
            uids.add(consumer.uid());
        }
        claim.meta().controller().ifPresent(owner -> uids.add(owner.uid()));
        return uids;
    }

    private Applied update(Stored now, ClusterObject wanted) {
        ObjectId id = now.id();
        if (now.object().meta().deleting()) {
            return refused(id, "metadata.deletionTimestamp: it is being deleted: apply it again once it is gone");
        }
        return switch (Update.of(now.object(), wanted)) {
            case Update.Refused(String field, String remedy) -> refused(id, field + ": " + remedy);
            case Update.Becomes(ClusterObject object) ->
                object.equals(now.object())
                        ? new Applied(id.kind(), id.key(), Applied.Outcome.UNCHANGED, "")
                        : tooLarge(id, object).orElseGet(() -> {
                            world.put(object, now.outside());
                            return new Applied(id.kind(), id.key(), Applied.Outcome.CONFIGURED, "");
                        });
        };
    }

    private static Optional<Applied> tooLarge(ObjectId id, ClusterObject object) {
        int bytes = StoredText.of(new Stored(object, 0, new TreeSet<>())).getBytes(StandardCharsets.UTF_8).length;
        return bytes <= BYTES_MAX
                ? Optional.empty()
                : Optional.of(refused(
                        id, "%d bytes as JSON, at most %d: split it into several objects".formatted(bytes, BYTES_MAX)));
    }

    private static Applied refused(ObjectId id, String why) {
        return new Applied(id.kind(), id.key(), Applied.Outcome.REFUSED, "%s: %s".formatted(id, why));
    }
}
