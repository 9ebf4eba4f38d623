package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ObjectStore.ApplyResult;
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
final class ManifestApplier {
    /** An object must fit into one Kafka record with its key and overhead. */
    private static final int OBJECT_BYTES_MAX = 1_000_000;

    private final ClusterState state;
    private final MetadataFactory metadataFactory;
    private final ResourceClaimController controller;
    private final FeatureGates features;

    ManifestApplier(
            ClusterState state,
            MetadataFactory metadataFactory,
            ResourceClaimController controller,
            FeatureGates features) {
        this.state = state;
        this.metadataFactory = metadataFactory;
        this.controller = controller;
        this.features = features;
    }

    ApplyResult apply(Manifest manifest) {
        ObjectId id = id(manifest);
        ClusterObject object = ClusterCompletion.withoutDisabledFields(manifest.object(), features);
        return state.find(id).map(now -> update(now, object)).orElseGet(() -> create(id, object));
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

    private ApplyResult create(ObjectId id, ClusterObject object) {
        ObjectMeta desired = object.meta();
        ObjectMeta placed = ObjectMeta.builder(id.key().namespace(), id.key().name(), "")
                .labels(desired.labels())
                .annotations(desired.annotations())
                .controller(desired.controller())
                .build();
        ClusterObject created =
                ClusterCompletion.with(object, metadataFactory.newMetadata(placed, state.version() + 1));
        SortedSet<String> outside = created instanceof ResourceClaim claim ? manifestUids(claim) : new TreeSet<>();
        return sizeError(id, created).orElseGet(() -> {
            state.put(created, outside);
            return new ApplyResult(id.kind(), id.key(), ApplyResult.ApplyOutcome.CREATED, "");
        });
    }

    /** Returns the uids in the manifest of a claim: those of its consumers and of its owner. No object of this cluster has such a uid. */
    private static SortedSet<String> manifestUids(ResourceClaim claim) {
        TreeSet<String> uids = new TreeSet<>();
        for (ClaimConsumer consumer : claim.reservedFor()) {
            uids.add(consumer.uid());
        }
        claim.meta().controller().ifPresent(owner -> uids.add(owner.uid()));
        return uids;
    }

    private ApplyResult update(StoredObject now, ClusterObject desired) {
        ObjectId id = now.id();
        if (now.object().meta().deleting()) {
            return rejected(id, "metadata.deletionTimestamp: it is being deleted: apply it again once it is gone");
        }
        return switch (UpdateResult.of(now.object(), desired)) {
            case UpdateResult.Rejected(String field, String remedy) -> rejected(id, field + ": " + remedy);
            case UpdateResult.Accepted(ClusterObject object) ->
                object.equals(now.object())
                        ? new ApplyResult(id.kind(), id.key(), ApplyResult.ApplyOutcome.UNCHANGED, "")
                        : sizeError(id, object).orElseGet(() -> {
                            state.put(object, now.unresolvedUids());
                            return new ApplyResult(id.kind(), id.key(), ApplyResult.ApplyOutcome.CONFIGURED, "");
                        });
        };
    }

    private static Optional<ApplyResult> sizeError(ObjectId id, ClusterObject object) {
        int bytes = StoredObjectCodec.of(new StoredObject(object, 0, new TreeSet<>()))
                .getBytes(StandardCharsets.UTF_8)
                .length;
        return bytes <= OBJECT_BYTES_MAX
                ? Optional.empty()
                : Optional.of(rejected(
                        id,
                        "%d bytes as JSON, at most %d: split it into several objects"
                                .formatted(bytes, OBJECT_BYTES_MAX)));
    }

    private static ApplyResult rejected(ObjectId id, String reason) {
        return new ApplyResult(id.kind(), id.key(), ApplyResult.ApplyOutcome.REJECTED, "%s: %s".formatted(id, reason));
    }
}
