package dev.claimstream.simulation;

import static dev.claimstream.simulation.SampleFleet.GPU_CLASS;
import static dev.claimstream.simulation.SampleFleet.atLeast;
import static dev.claimstream.simulation.SampleFleet.claim;
import static dev.claimstream.simulation.SampleFleet.node;
import static dev.claimstream.simulation.SampleFleet.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.selectors.CelSelectors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DeviceReportTest {
    private static DeviceReport report(Cell cell, String claim) {
        return DeviceReport.ofClaim(cell.state(), new ObjectKey("ml", claim), SampleFleet.AT, new CelSelectors())
                .orElseThrow();
    }

    @Test
    void printsDevicesThatFailAlikeOnce() {
        Cell cell = SampleFleet.cell(
                GPU_CLASS,
                node("node-1", "small", 4, "40Gi"),
                node("node-2", "big", 2, "80Gi"),
                claim("holder", 1, atLeast("80Gi")),
                claim("big", 2, atLeast("80Gi")));
        assertThat(DeviceReportText.of(report(cell, "big")))
                .isEqualTo("""
                claim ml/big: pending, DevicesInUse
                  as of 2026-03-01T12:00:00Z (UTC)
                  because: %s
                  request gpus of claim ml/big, 6 devices:
                    1 device: fit, each considered alone
                      gpu.example.com/node-2/gpu-1
                    1 device: held by other claims
                      gpu.example.com/node-2/gpu-0: ml/holder (used by no pod)
                    4 devices: selector does not match: device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0 (memory 40Gi)
                      gpu.example.com/node-1/gpu-0
                      gpu.example.com/node-1/gpu-1
                      gpu.example.com/node-1/gpu-2
                      and 1 more
                  what would help:
                    one more gpu on node-2: 1 of 2 are free; 1 are in use there
                    memory >= 40Gi instead of 80Gi would match 6 devices
                """.formatted(report(cell, "big").checks().message()));
    }

    @Test
    void reportsRareAttributesAndOtherValues() {
        String fleet = IntStream.range(0, 5)
                .mapToObj(i -> node("node-" + i, "small", 4, "16Gi"))
                .collect(Collectors.joining());
        Cell cell = SampleFleet.cell(
                GPU_CLASS,
                fleet,
                claim("rare", 1, "device.attributes[\"gpu.example.com\"].nvlink == true"),
                claim("model", 1, "device.attributes[\"gpu.example.com\"].model == \"m80Gi\""));
        assertThat(report(cell, "rare").changes())
                .extracting(NearestChange::text)
                .containsExactly("attribute nvlink exists on 0 of 20 devices");
        assertThat(report(cell, "model").changes())
                .extracting(NearestChange::text)
                .containsExactly("model == m16Gi instead of m80Gi would match 20 devices");
    }

    @Test
    void boundsTextAndListsAllDevicesInJson() {
        String fleet = IntStream.range(0, 50)
                .mapToObj(i -> node("node-" + i, "small", 8, "%dGi".formatted(i + 1)))
                .collect(Collectors.joining());
        Cell cell = SampleFleet.cell(GPU_CLASS, fleet, claim("big", 1, atLeast("80Gi")));
        DeviceReport report = report(cell, "big");
        String text = DeviceReportText.of(report);
        assertThat(text.lines().count()).isLessThan(80);
        assertThat(text).contains("304 devices in 38 more groups: use -o json for all");
        assertThat(report.devices()).hasSize(400);
        assertThat(DeviceReportJson.of(report).json()).contains("\"device\":\"gpu-7\"", "\"found\":\"memory 50Gi\"");
    }

    @Test
    void explainsClaimOfPodAsPod() {
        Cell cell = SampleFleet.cell(GPU_CLASS, node("node-1", "small", 1, "16Gi"), claim("c", 2, ""), pod("p", "c"));
        assertThat(report(cell, "c").checks().item()).hasToString("pod ml/p");
        assertThat(DeviceReport.ofPod(cell.state(), new ObjectKey("ml", "q"), SampleFleet.AT, new CelSelectors()))
                .isEmpty();
    }

    @Test
    void saysThatAllocatedClaimIsNotChecked() {
        Cell cell = SampleFleet.cell(GPU_CLASS, node("node-1", "small", 1, "16Gi"), claim("c", 1, ""));
        assertThat(DeviceReportText.of(report(cell, "c")))
                .contains("claim ml/c: allocated", "on node-1", "gpus: gpu.example.com/node-1/gpu-0");
    }
}
