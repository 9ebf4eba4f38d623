package dev.claimstream.agent.devices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slices of a pool, and the growth of its generation. */
final class PoolsTest {
    private static final List<Taint> UNHEALTHY =
            List.of(new Taint("agent.claimstream.dev/unhealthy", "xid-79", "NoSchedule", Optional.empty()));

    @TempDir
    private Path folder;

    private final Pools pools = new Pools("node-1", 100);

    private static List<Accelerator> scan(FakeSys sys) throws IOException {
        return new Discovery(new PciTree(sys.sys(), sys.proc()), DeviceTable.builtIn(), List.of(), List.of())
                .scan()
                .allocatable();
    }

    private List<ResourceSlice> slices(List<Accelerator> devices) {
        return pools.of(devices, device -> List.of());
    }

    private static List<Accelerator> gpus(int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> new Accelerator(
                        "nvidia-gpu",
                        "gpu",
                        new PciFunction(
                                new PciAddress("0000:%02x:00.0".formatted(i)),
                                "10de",
                                "2330",
                                "030200",
                                Optional.empty(),
                                java.util.OptionalInt.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                0,
                                Optional.empty(),
                                PciFunction.BusState.REACHABLE,
                                PciFunction.DeviceIdentity.NONE),
                        1,
                        Optional.of("a model whose name is much longer than the sixty-four bytes of the API")))
                .toList();
    }

    @Test
    void deviceHasStandardAndOwnAttributes() throws IOException {
        Device gpu = slices(scan(Machines.dgx(folder))).stream()
                .filter(slice -> slice.driver().equals("nvidia-gpu.agent.claimstream.dev"))
                .findFirst()
                .orElseThrow()
                .devices()
                .getFirst();
        assertThat(gpu.attributes())
                .containsEntry("resource.kubernetes.io/pciBusID", new AttributeValue.StringValue("0000:1b:00.0"))
                .containsEntry("resource.kubernetes.io/pcieRoot", new AttributeValue.StringValue("pci0000:17"))
                .containsEntry("resource.kubernetes.io/numaNode", new AttributeValue.IntValue(0))
                .containsEntry("productId", new AttributeValue.StringValue("2330"))
                .containsEntry("model", new AttributeValue.StringValue("NVIDIA H100 80GB HBM3"));
    }

    @Test
    void publishedSliceReadsBackAsManifest() throws IOException {
        for (ResourceSlice slice : slices(scan(Machines.dgx(folder)))) {
            String yaml = ManifestWriter.tree(slice).yaml();
            var reading = Manifests.read(
                    List.of("-"), ReadOptions.DEFAULT, new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
            assertThat(reading.findings()).isEmpty();
            assertThat(reading.manifests())
                    .singleElement()
                    .satisfies(each -> assertThat(each.object()).isEqualTo(slice));
        }
    }

    @Test
    void poolBelongsToNodeAndCountsItsSlices() {
        List<ResourceSlice> slices = slices(gpus(200));
        assertThat(slices).hasSize(2).allSatisfy(slice -> {
            assertThat(slice.pool()).isEqualTo("node-1");
            assertThat(slice.scope()).isEqualTo(new NodeScope.SingleNode("node-1"));
            assertThat(slice.generation()).isEqualTo(100);
            assertThat(slice.resourceSliceCount()).isEqualTo(2);
        });
        assertThat(slices).extracting(slice -> slice.devices().size()).containsExactly(128, 72);
        assertThat(slices).extracting(slice -> slice.meta().name()).doesNotHaveDuplicates();
    }

    @Test
    void generationGrowsOnlyWithDeviceSet() {
        assertThat(slices(gpus(8)).getFirst().generation()).isEqualTo(100);
        assertThat(slices(gpus(8)).getFirst().generation()).isEqualTo(100);
        assertThat(pools.of(gpus(8), device -> UNHEALTHY).getFirst().generation())
                .isEqualTo(100);
        assertThat(slices(gpus(7)).getFirst().generation()).isEqualTo(101);
        assertThat(slices(gpus(8)).getFirst().generation()).isEqualTo(102);
    }

    @Test
    void taintedSliceHasAtMost64Devices() {
        slices(gpus(100));
        assertThat(pools.of(gpus(100), device -> UNHEALTHY))
                .extracting(slice -> slice.devices().size(), ResourceSlice::generation)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(64, 101L), org.assertj.core.groups.Tuple.tuple(36, 101L));
    }

    @Test
    void publishesEmptySliceWhenAllDevicesDisappear() {
        slices(gpus(1));
        assertThat(slices(List.of())).singleElement().satisfies(slice -> {
            assertThat(slice.devices()).isEmpty();
            assertThat(slice.generation()).isEqualTo(101);
        });
        assertThat(new Pools("node-2", 1).of(List.of(), device -> List.of())).isEmpty();
    }

    @Test
    void truncatesLongModelNameToApiLimit() {
        AttributeValue model =
                slices(gpus(1)).getFirst().devices().getFirst().attributes().get("model");
        assertThat(model)
                .isInstanceOfSatisfying(
                        AttributeValue.StringValue.class,
                        text -> assertThat(text.value())
                                .hasSizeLessThanOrEqualTo(64)
                                .startsWith("a model"));
    }
}
