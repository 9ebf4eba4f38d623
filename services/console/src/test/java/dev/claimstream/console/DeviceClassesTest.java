package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests which device classes the rows of the page and the list of devices name. */
class DeviceClassesTest {
    private final SmallCluster cluster = SmallCluster.ofOneNode();

    private void addClass(String name, String... expressions) {
        var selectors = new StringBuilder();
        for (String expression : expressions) {
            selectors
                    .append(selectors.isEmpty() ? "" : ", ")
                    .append("{cel: {expression: \"%s\"}}".formatted(expression));
        }
        cluster.upsert("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %s}
                spec: {selectors: [%s]}
                """.formatted(name, selectors));
    }

    private static String classes(RunningConsole console, String device) throws Exception {
        String row = console.get("/api/v1/devices?name=" + device, "Accept", ListResponse.LINES)
                .body();
        int start = row.indexOf("\"classes\":");
        return start < 0 ? "" : row.substring(start, row.indexOf(']', start) + 1);
    }

    @Test
    void namesEveryClassWhoseSelectorsMatch() throws Exception {
        addClass("whole", "device.driver == 'gpu.example.com'");
        addClass("all");
        addClass("model-a", "device.driver == 'gpu.example.com'", "device.attributes['gpu.example.com'].model == 'A'");
        addClass("other", "device.driver == 'nic.example.com'");
        try (RunningConsole console = RunningConsole.start(cluster.view)) {
            assertThat(classes(console, "gpu-0")).isEqualTo("\"classes\":[\"all\",\"model-a\",\"whole\"]");
            assertThat(classes(console, "gpu-1"))
                    .as("a selector that fails on a device")
                    .isEqualTo("\"classes\":[\"all\",\"whole\"]");
        }
    }

    @Test
    void followsChangesOfClassesAndDevices() throws Exception {
        addClass("model", "device.attributes['gpu.example.com'].model == 'B'");
        try (RunningConsole console = RunningConsole.start(cluster.view)) {
            assertThat(classes(console, "gpu-0")).isEmpty();
            cluster.upsert(SmallCluster.SLICE.replace("string: A", "string: B"));
            assertThat(classes(console, "gpu-0")).isEqualTo("\"classes\":[\"model\"]");
            addClass("model", "device.attributes['gpu.example.com'].model == 'A'");
            assertThat(classes(console, "gpu-0")).isEmpty();
        }
    }
}
