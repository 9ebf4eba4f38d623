package dev.claimstream.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that objects in records are rejected if an API server would reject them. */
final class ObjectValidatorTest {
    private static final DeviceRequest ONE = request(1);

    @Test
    void acceptsOrdinaryClaim() {
        assertThat(ObjectValidator.violation(claim("ns", "a", "uid-a", List.of(ONE))))
                .isEmpty();
        assertThat(ObjectValidator.violation(claim("ns", "a", "uid-a", Collections.nCopies(32, ONE))))
                .isEmpty();
    }

    @Test
    void rejectsClaimWithInvalidIdentity() {
        assertThat(ObjectValidator.violation(claim("ns", "a", "", List.of(ONE))))
                .contains("ResourceClaim ns/a: the uid is empty");
        assertThat(ObjectValidator.violation(claim("", "a", "uid-a", List.of(ONE))))
                .contains("ResourceClaim a: the namespace is empty");
        assertThat(ObjectValidator.violation(claim("ns", "", "uid-a", List.of(ONE))))
                .contains("ResourceClaim ns/: the name is empty");
        assertThat(ObjectValidator.violation(claim("ns", "a/b", "uid-a", List.of(ONE))))
                .contains("ResourceClaim ns/a/b: a name or namespace contains a slash");
    }

    @Test
    void rejectsNamespaceOfClusterScopedObject() {
        var node = new Node(ObjectMeta.of("ns", "node-1", "uid"), List.of(), false, true);
        assertThat(ObjectValidator.violation(node))
                .contains("Node ns/node-1: a cluster-scoped object has no namespace");
    }

    @Test
    void limitsListsOfClaim() {
        assertThat(ObjectValidator.violation(claim("ns", "a", "uid-a", Collections.nCopies(33, ONE))))
                .contains("ResourceClaim ns/a: 33 requests, at most 32");
        assertThat(ObjectValidator.violation(claim("ns", "a", "uid-a", List.of(request(0)))))
                .contains("ResourceClaim ns/a: request gpu: count 0 is not positive");
        var alternative = new DeviceRequest.Alternative("one", spec(1));
        var many = new DeviceRequest.FirstAvailable("gpu", Collections.nCopies(9, alternative));
        assertThat(ObjectValidator.violation(claim("ns", "a", "uid-a", List.of(many))))
                .contains("ResourceClaim ns/a: 9 alternatives, at most 8");
        var derived = new RequestSpec(
                "gpu.example",
                List.of(),
                AllocationMode.EXACT_COUNT,
                1,
                List.of(),
                new TreeMap<>(),
                Collections.nCopies(33, new DerivedAttribute("derived/numa", "1")));
        assertThat(ObjectValidator.violation(claim(
                        "ns", "a", "uid-a", List.of(new DeviceRequest.Exactly("gpu", derived, Optional.empty())))))
                .contains("ResourceClaim ns/a: 33 derived attributes, at most 32");
        List<DeviceConstraint> constraints =
                Collections.nCopies(33, new DeviceConstraint.MatchAttribute(List.of(), "a.example/b"));
        var bound = new ResourceClaim(
                ObjectMeta.of("ns", "a", "uid-a"),
                new ClaimSpec(List.of(ONE), constraints, List.of()),
                Optional.empty(),
                List.of());
        assertThat(ObjectValidator.violation(bound)).contains("ResourceClaim ns/a: 33 constraints, at most 32");
    }

    @Test
    void rejectsNegativeAmounts() {
        var allocatable = new TreeMap<String, NodeAllocatable>();
        allocatable.put("cpu", NodeAllocatable.of(new NodeAllocatable.ResourceMapping.DeviceMapping(Quantity.of(-1))));
        var device = Device.builder("socket-0").nodeAllocatable(allocatable).build();
        var slice = ResourceSlice.builder(ObjectMeta.of("", "s", "uid"), "driver.example", "pool")
                .generation(1)
                .scope(new NodeScope.AllNodes())
                .devices(List.of(device))
                .build();
        assertThat(ObjectValidator.violation(slice))
                .contains("ResourceSlice s: device socket-0 consumes a negative amount of cpu");
        var pod = Pod.builder(ObjectMeta.of("ns", "p", "uid"))
                .resourceClaims(List.of(new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("a"), -1)))
                .build();
        assertThat(ObjectValidator.violation(pod)).contains("Pod ns/p: a claim has a negative number of containers");
    }

    @Test
    void limitsListsOfSliceAndPod() {
        var device = Device.of("gpu", new TreeMap<>(), new TreeMap<>());
        var slice = ResourceSlice.builder(ObjectMeta.of("", "s", "uid"), "driver.example", "pool")
                .generation(1)
                .scope(new NodeScope.AllNodes())
                .devices(Collections.nCopies(129, device))
                .build();
        assertThat(ObjectValidator.violation(slice)).contains("ResourceSlice s: 129 devices, at most 128");
        var use = new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("a"));
        var pod = Pod.builder(ObjectMeta.of("ns", "p", "uid"))
                .resourceClaims(Collections.nCopies(33, use))
                .build();
        assertThat(ObjectValidator.violation(pod)).contains("Pod ns/p: 33 resource claims, at most 32");
    }

    /**
     * A quantity is normalized when it is read. Otherwise a state that is restored from rows would decide differently
     * from the state that consumed the record.
     */
    @Test
    void normalizesQuantityToStoredForm() {
        var stored = MetadataCodec.quantity(MetadataCodec.quantity("0.5Gi").toString());
        assertThat(MetadataCodec.quantity("0.5Gi")).isEqualTo(stored);
        assertThat(MetadataCodec.quantity("5000m").representation())
                .isEqualTo(MetadataCodec.quantity("5").representation());
    }

    private static ResourceClaim claim(String namespace, String name, String uid, List<DeviceRequest> requests) {
        return new ResourceClaim(
                ObjectMeta.of(namespace, name, uid),
                new ClaimSpec(requests, List.of(), List.of()),
                Optional.empty(),
                List.of());
    }

    private static DeviceRequest request(long count) {
        return new DeviceRequest.Exactly("gpu", spec(count), Optional.empty());
    }

    private static RequestSpec spec(long count) {
        return new RequestSpec("gpu.example", List.of(), AllocationMode.EXACT_COUNT, count, List.of(), new TreeMap<>());
    }
}
