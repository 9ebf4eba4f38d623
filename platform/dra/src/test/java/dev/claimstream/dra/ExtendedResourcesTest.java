package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the claims that kube-scheduler creates for extended resources: requests, name and device class. */
class ExtendedResourcesTest {
    private static final String GPU = "nvidia.com/gpu";
    private static final String NIC = "example.com/nic";

    @Test
    void createsRequestForEachRunningContainer() {
        assertThat(requests(
                        runningContainer(0, 1, GPU, 2), runningContainer(1, 0, GPU, 1), runningContainer(2, 0, NIC, 3)))
                .containsExactly(
                        "container-0-request-1 gpu 2", "container-1-request-0 gpu 1", "container-2-request-0 nic 3");
    }

    @Test
    void sortsRequestsByNameLexically() {
        assertThat(requests(
                        runningContainer(2, 0, GPU, 1),
                        runningContainer(10, 0, GPU, 1),
                        runningContainer(1, 0, NIC, 1)))
                .containsExactly(
                        "container-1-request-0 nic 1", "container-10-request-0 gpu 1", "container-2-request-0 gpu 1");
    }

    @Test
    void reusesDevicesOfLaterContainersForInitContainer() {
        assertThat(requests(initContainer(0, GPU, 3), runningContainer(1, 0, GPU, 2), runningContainer(2, 0, GPU, 1)))
                .containsExactly("container-1-request-0 gpu 2", "container-2-request-0 gpu 1");
    }

    @Test
    void createsRequestForLargestInitContainerShortfall() {
        assertThat(requests(
                        initContainer(0, GPU, 3),
                        initContainer(1, GPU, 5),
                        initContainer(2, GPU, 5),
                        runningContainer(3, 0, GPU, 1)))
                .containsExactly("container-1-request-0 gpu 4", "container-3-request-0 gpu 1");
    }

    @Test
    void doesNotReuseDevicesOfEarlierSidecar() {
        assertThat(requests(runningContainer(0, 0, GPU, 2), initContainer(1, GPU, 2)))
                .containsExactly("container-0-request-0 gpu 2", "container-1-request-0 gpu 2");
    }

    @Test
    void createsNoClaimForDevicePluginResource() {
        var offered = new ResourceList(new TreeMap<>(Map.of(GPU, 1L)));
        var node = new Node(ObjectMeta.of("", "node-1", "n"), List.of(), false, true, List.of(), offered);
        assertThat(resources(classes()).claim(pod(runningContainer(0, 0, GPU, 1)), node))
                .isEmpty();
    }

    @Test
    void createsNoRequestForUnknownResource() {
        assertThat(requests(runningContainer(0, 0, "example.com/unknown", 1))).isEmpty();
    }

    @Test
    void namesClaimAfterPod() {
        ResourceClaim claim = resources(classes())
                .claim(pod(runningContainer(0, 0, GPU, 1)), node())
                .orElseThrow();
        assertThat(claim.key()).isEqualTo(new ObjectKey("team-a", "trainer-extended-resources"));
    }

    @Test
    void resolvesClassByImplicitResourceName() {
        assertThat(resources(classes()).deviceClass(ExtendedResources.CLASS_PREFIX + "nic"))
                .map(each -> each.meta().name())
                .contains("nic");
        assertThat(resources(classes()).deviceClass(ExtendedResources.CLASS_PREFIX + "none"))
                .isEmpty();
    }

    @Test
    void prefersNewestClassThenFirstByName() {
        DeviceClass old = deviceClass("a", GPU, Optional.of("2026-01-01T00:00:00Z"));
        DeviceClass one = deviceClass("c", GPU, Optional.of("2026-01-02T00:00:00Z"));
        DeviceClass other = deviceClass("b", GPU, Optional.of("2026-01-02T00:00:00Z"));
        assertThat(resources(List.of(old, one, other)).deviceClass(GPU)).contains(other);
        assertThat(resources(List.of(other, one, old)).deviceClass(GPU)).contains(other);
    }

    @ParameterizedTest
    @CsvSource({
        "nvidia.com/gpu, true",
        "deviceclass.resource.kubernetes.io/gpu, true",
        "cpu, false",
        "hugepages-2Mi, false",
        "kubernetes.io/batch, false",
        "sub.kubernetes.io/thing, false",
        "requests.nvidia.com/gpu, false"
    })
    void recognizesExtendedResourceNames(String name, boolean is) {
        assertThat(ExtendedResources.isExtended(name)).isEqualTo(is);
    }

    // ---- a pod, a node and two classes
    // -------------------------------------------------------------------------------------------

    private static List<String> requests(ContainerResource... wanted) {
        List<String> texts = new ArrayList<>();
        resources(classes())
                .claim(pod(wanted), node())
                .ifPresent(claim -> claim.spec().requests().forEach(request -> {
                    RequestSpec spec = ((DeviceRequest.Exactly) request).spec();
                    texts.add("%s %s %d".formatted(request.name(), spec.deviceClassName(), spec.count()));
                }));
        return texts;
    }

    private static ContainerResource runningContainer(int container, int position, String resource, long count) {
        return new ContainerResource(container, position, resource, count, false);
    }

    private static ContainerResource initContainer(int container, String resource, long count) {
        return new ContainerResource(container, 0, resource, count, true);
    }

    private static Pod pod(ContainerResource... request) {
        return Pod.builder(ObjectMeta.of("team-a", "trainer", "uid-1"))
                .containerResources(List.of(request))
                .build();
    }

    private static Node node() {
        return new Node(ObjectMeta.of("", "node-1", "n"), List.of(), false, true);
    }

    private static ExtendedResources resources(List<DeviceClass> classes) {
        return new ExtendedResources(classes);
    }

    private static List<DeviceClass> classes() {
        return List.of(deviceClass("gpu", GPU, Optional.empty()), deviceClass("nic", NIC, Optional.empty()));
    }

    private static DeviceClass deviceClass(String name, String resource, Optional<String> created) {
        ObjectMeta meta = ObjectMeta.of("", name, name);
        return new DeviceClass(
                created.map(Instant::parse).map(meta::withCreated).orElse(meta),
                List.of(),
                List.of(),
                Optional.of(resource));
    }
}
