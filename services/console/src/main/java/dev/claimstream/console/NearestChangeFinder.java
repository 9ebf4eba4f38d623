package dev.claimstream.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.DeviceReport;
import dev.claimstream.simulation.ManifestCell;
import dev.claimstream.simulation.NearestChange;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the smallest changes that would help a pending claim: a cell in memory decides the claim in the state of the cluster, without the
 * other pending claims, and evaluates each change on all devices. A result is kept for some seconds, because it costs a
 * pass over all devices. Thread-safe; one result is computed at a time.
 */
@Singleton
final class NearestChangeFinder {
    private static final Duration KEPT = Duration.ofSeconds(10);
    private static final int KEPT_MAX = 1_000;

    private final ClusterView clusterView;
    private final CelSelectors selectors;
    private final CelSelectors changedSelectors = new CelSelectors();
    private final FeatureGates features;
    private final Cache<ObjectKey, List<NearestChange>> found =
            Caffeine.newBuilder().expireAfterWrite(KEPT).maximumSize(KEPT_MAX).build();

    NearestChangeFinder(ClusterView clusterView, CelSelectors selectors, Optional<FeatureGates> features) {
        this.clusterView = clusterView;
        this.selectors = selectors;
        this.features = features.orElseGet(FeatureGates::defaults);
    }

    /** Returns the changes; empty if the claim is allocated, or if no change would help. The names in them are not redacted. */
    List<NearestChange> changes(ObjectKey claim) {
        return Optional.ofNullable(found.getIfPresent(claim)).orElseGet(() -> computed(claim));
    }

    /** A caller that waits here does not delay callers whose result is known. */
    private synchronized List<NearestChange> computed(ObjectKey claim) {
        return found.get(claim, this::compute);
    }

    private List<NearestChange> compute(ObjectKey claim) {
        Instant now = Instant.now();
        List<ClusterObject> objects = clusterView.read(VisibleObjects.EVERYTHING, snapshot -> objects(snapshot, claim));
        CellSettings settings =
                CellSettings.builder().features(features).kubeScheduler(false).build();
        return DeviceReport.ofClaim(
                        ManifestCell.of(objects, settings, selectors, now).state(), claim, now, changedSelectors)
                .map(DeviceReport::changes)
                .orElse(List.of());
    }

    private static List<ClusterObject> objects(ClusterView.Snapshot snapshot, ObjectKey claim) {
        Set<ObjectKey> decided = decidedWith(snapshot, claim);
        List<ClusterObject> objects = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            switch (kind) {
                case RESOURCE_CLAIM -> claims(snapshot, decided).forEach(objects::add);
                case POD ->
                    snapshot.all(kind, Pod.class)
                            .filter(pod -> pod.nodeName().isPresent()
                                    || pod.claims().stream().anyMatch(decided::contains))
                            .forEach(objects::add);
                case NODE ->
                    snapshot.all(kind, Node.class)
                            .map(node -> snapshot.isSilent(node.meta().name()) ? notReady(node) : node)
                            .forEach(objects::add);
                case RESOURCE_SLICE, RESOURCE_CLAIM_TEMPLATE, DEVICE_CLASS, DEVICE_TAINT_RULE, NAMESPACE, POD_GROUP ->
                    snapshot.all(kind).forEach(objects::add);
            }
        }
        return objects;
    }

    /** The claim, and the other claims of its work item. */
    private static Set<ObjectKey> decidedWith(ClusterView.Snapshot snapshot, ObjectKey claim) {
        Set<ObjectKey> decided = new HashSet<>(Set.of(claim));
        snapshot.claim(claim)
                .flatMap(ClaimView::explanation)
                .map(Explanation::item)
                .filter(item -> item.kind() == ItemId.ItemKind.POD)
                .flatMap(item -> snapshot.find(Kind.POD, item.key()))
                .ifPresent(pod -> decided.addAll(((Pod) pod).claims()));
        return decided;
    }

    /**
     * The claims with their decided allocations, without the pending ones of other items. Pending claims are the last ones: the cell
     * decides each claim at its input.
     */
    private static Stream<ResourceClaim> claims(ClusterView.Snapshot snapshot, Set<ObjectKey> decided) {
        return snapshot.claims()
                .filter(view -> view.allocation().isPresent() || decided.contains(view.key()))
                .sorted(Comparator.comparing(view -> view.allocation().isEmpty()))
                .map(view -> new ResourceClaim(
                        view.claim().meta(), view.claim().spec(), view.allocation(), view.reservedFor()));
    }

    private static Node notReady(Node node) {
        return new Node(
                node.meta(), node.taints(), node.unschedulable(), false, node.declaredFeatures(), node.allocatable());
    }
}
