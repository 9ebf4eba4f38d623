package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Checks the allocations of a pod's claims against every rule of the API. The validator shares only CEL and the API
 * types with the solver, and does not compare valid allocations.
 */
public final class Validator {
    private final List<ClusterObject> objects;
    private final FeatureGates features;
    private final Selectors selectors;
    private final Map<String, DeviceClass> classes;
    private final AllocatedDevices allocated;

    /**
     * Creates a validator for one cluster.
     *
     * @param objects the objects of the cluster with namespaces; claims with an allocation are allocated
     */
    public Validator(List<ClusterObject> objects, FeatureGates features, Selectors selectors) {
        this.objects = List.copyOf(objects);
        this.features = features;
        this.selectors = selectors;
        this.classes = of(DeviceClass.class).stream()
                .collect(Collectors.toMap(each -> each.meta().name(), Function.identity()));
        this.allocated = new AllocatedDevices(features, of(ResourceClaim.class));
    }

    private <T extends ClusterObject> List<T> of(Class<T> kind) {
        return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * Returns the violations; empty if the allocations are valid.
     *
     * @param node a node of the cluster
     * @param claims claims of the cluster, in the order of the pod
     */
    public List<Violation> violations(String node, List<ObjectKey> claims, List<Allocation> allocations) {
        var findings = new ViolationCollector();
        findings.expect(
                claims.size() == allocations.size(),
                Rule.ONE_ALLOCATION_EACH,
                node,
                "%d of %d".formatted(allocations.size(), claims.size()));
        List<ClaimWithAllocation> answered = new ArrayList<>();
        for (int i = 0; i < Math.min(claims.size(), allocations.size()); i++) {
            answered.add(new ClaimWithAllocation(claim(claims.get(i)), allocations.get(i)));
        }
        new AllocationCheck(node, findings).check(answered);
        return findings.violations();
    }

    private ResourceClaim claim(ObjectKey key) {
        return of(ResourceClaim.class).stream()
                .filter(claim -> claim.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    /** The checks of one set of allocations. */
    private final class AllocationCheck {
        private final ViolationCollector findings;
        private final RequestChecks requests;
        private final DeviceChecks devices;
        private final UseChecks uses;
        private final CapacityChecks capacities;
        private final CounterChecks counters;
        private final ConstraintChecks constraints;
        private final DocumentChecks documents;

        AllocationCheck(String name, ViolationCollector findings) {
            Node node = of(Node.class).stream()
                    .filter(each -> each.meta().name().equals(name))
                    .findFirst()
                    .orElseThrow();
            var published = new PublishedPools(
                    features, new NodeScopeMatcher(node), of(ResourceSlice.class), of(DeviceTaintRule.class));
            this.findings = findings;
            this.requests = new RequestChecks(features, published, classes, selectors, findings);
            this.devices = new DeviceChecks(features, published, requests, findings);
            this.uses = new UseChecks(published, allocated, findings);
            this.capacities = new CapacityChecks(features, published, allocated, findings);
            this.counters = new CounterChecks(features, published, allocated, findings);
            this.constraints = new ConstraintChecks(features, published, selectors, findings);
            this.documents = new DocumentChecks(published, classes, findings);
        }

        void check(List<ClaimWithAllocation> answered) {
            for (int i = 0; i < answered.size(); i++) {
                ClaimWithAllocation one = answered.get(i);
                for (DeviceResult result : one.results()) {
                    check(i, one, result);
                }
                requests.check(one, capacities::couldServe);
                constraints.check(one);
                documents.check(one);
            }
            counters.checkCounters();
        }

        private void check(int position, ClaimWithAllocation one, DeviceResult result) {
            Optional<ClaimWithAllocation.NamedRequest> wish = one.namedRequest(result);
            findings.expect(wish.isPresent(), Rule.REQUEST_KNOWN, one.claim().key(), result.request());
            Optional<ReachablePool.Offer> offer = devices.offer(result);
            if (wish.isPresent() && offer.isPresent()) {
                devices.check(result, wish.get(), offer.get());
                uses.check(position, result, wish.get(), offer.get());
                capacities.check(result, wish.get().spec(), offer.get());
                counters.add(offer.get());
            }
        }
    }
}
