package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the events of devices and nodes that the API serves. */
class RecentEventsTest {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private final RunningConsole console = RunningConsole.start(cluster.view);
    private int second;

    @BeforeEach
    void readFirstState() {
        cluster.upsert(SmallCluster.claim("a"));
        compare();
    }

    @AfterEach
    void stop() {
        console.close();
    }

    private void compare() {
        console.events().compare(START.plusSeconds(second++));
    }

    private String events(String query) throws Exception {
        return console.get("/api/v1/events" + query, "Accept", ListResponse.LINES)
                .body();
    }

    private static String event(int second, String message) {
        return "{\"at\":\"2026-03-01T12:00:0%dZ\",\"claim\":\"default/a\",\"device\":\"gpu-0\",\"driver\":\"gpu.example.com\",\"message\":\"%s\",\"node\":\"node-1\",\"pool\":\"node-1\"}"
                .formatted(second, message);
    }

    @Test
    void firstReadingHasNoEvents() throws Exception {
        assertThat(events("")).isEmpty();
        compare();
        assertThat(events("")).isEmpty();
    }

    @Test
    void namesHoldersOfDeviceLatestFirst() throws Exception {
        cluster.allocate("a", "gpu-0");
        compare();
        cluster.release("a");
        compare();
        assertThat(events("?driver=gpu.example.com&pool=node-1&device=gpu-0").lines())
                .containsExactly(event(2, "released by"), event(1, "allocated to"));
        assertThat(events("?device=gpu-1")).isEmpty();
    }

    @Test
    void namesTaintsAndLossOfDevice() throws Exception {
        cluster.upsert(SmallCluster.SLICE.replace(
                "- name: gpu-1", "- {name: gpu-1, taints: [{key: broken, effect: NoSchedule}]}"));
        compare();
        cluster.upsert(SmallCluster.SLICE.replace("  - name: gpu-1\n", ""));
        compare();
        assertThat(events("?device=gpu-1"))
                .contains("device has taint broken:NoSchedule", "no ResourceSlice contains the device");
    }

    @Test
    void taintDoesNotEndFaultOfAllocatedDevice() throws Exception {
        cluster.allocate("a", "gpu-0");
        cluster.upsert(SmallCluster.NODE + "spec: {unschedulable: true}\n");
        compare();
        cluster.upsert(SmallCluster.SLICE.replace(
                "- name: gpu-0", "- name: gpu-0\n    taints: [{key: broken, effect: NoSchedule}]"));
        compare();
        assertThat(events("?device=gpu-0"))
                .contains("unusable: node node-1 is Ready,SchedulingDisabled", "device has taint broken:NoSchedule")
                .doesNotContain("no longer unusable");
        cluster.upsert(SmallCluster.NODE);
        compare();
        assertThat(events("?device=gpu-0")).contains("no longer unusable: node node-1 is Ready,SchedulingDisabled");
    }

    @Test
    void usedCountersAreNoFaultOfOtherPartitions() throws Exception {
        String slice = SmallCluster.SLICE.replace(
                "generation: 1, resourceSliceCount: 1", "generation: 2, resourceSliceCount: 2");
        String consumption = "consumesCounters: [{counterSet: gpu, counters: {memory: {value: 40Gi}}}]";
        cluster.upsert(slice.substring(0, slice.indexOf("  devices:"))
                + "  sharedCounters: [{name: gpu, counters: {memory: {value: 40Gi}}}]\n");
        cluster.upsert(slice.substring(0, slice.indexOf("  devices:")).replace("slice-1", "slice-2")
                + "  devices: [{name: gpu-0, %1$s}, {name: gpu-1, %1$s}]\n".formatted(consumption));
        compare();
        cluster.allocate("a", "gpu-0");
        compare();
        assertThat(console.get("/api/v1/devices?name=gpu-1").body()).contains("of which 0 is left");
        assertThat(events("").lines()).singleElement().asString().contains("allocated to", "gpu-0");
    }

    @Test
    void lossOfAllocatedDeviceIsEventOfItsNode() throws Exception {
        cluster.allocate("a", "gpu-0");
        compare();
        cluster.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("slice-1"));
        compare();
        assertThat(events("?node=node-1&device=gpu-0")).contains("unusable: no ResourceSlice contains it");
    }

    @Test
    void namesStatusOfNodeAndItsDevices() throws Exception {
        cluster.upsert(
                SmallCluster.NODE + "spec: {unschedulable: true, taints: [{key: repair, effect: NoSchedule}]}\n");
        compare();
        cluster.delete(Kind.NODE, ObjectKey.cluster("node-1"));
        compare();
        assertThat(events("?node=node-1"))
                .contains(
                        "node is Ready,SchedulingDisabled, was Ready",
                        "node has taint repair:NoSchedule",
                        "unusable: node node-1 is Ready,SchedulingDisabled",
                        "node was deleted");
        assertThat(events("?node=node-2")).isEmpty();
    }

    @Test
    void keepsOnlyLatestEvents() throws Exception {
        for (int i = 0; i <= RecentEvents.EVENTS_MAX / 2; i++) {
            cluster.allocate("a", "gpu-" + i % 2);
            compare();
        }
        assertThat(console.events().events(_ -> true, Integer.MAX_VALUE)).hasSize(RecentEvents.EVENTS_MAX);
        assertThat(events("").lines()).hasSize(200);
    }
}
