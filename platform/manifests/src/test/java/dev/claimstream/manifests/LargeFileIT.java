package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests files of 50 MB and more. The build runs these tests with a small heap. */
class LargeFileIT {
    private static final long LARGE = 50_000_000;
    private static final long HEAP_MAX = 400L << 20;

    @TempDir
    Path directory;

    private static ResourceSlice slice(int number) {
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            SortedMap<String, AttributeValue> attributes = new TreeMap<>();
            attributes.put("type", new AttributeValue.StringValue("gpu"));
            attributes.put("productName", new AttributeValue.StringValue("Example Accelerator 80GB"));
            attributes.put("driverVersion", new AttributeValue.VersionValue("580.65.6"));
            attributes.put("index", new AttributeValue.IntValue(i));
            attributes.put("uuid", new AttributeValue.StringValue("GPU-%08d-%d".formatted(number, i)));
            attributes.put(
                    "resource.kubernetes.io/pcieRoot", new AttributeValue.StringValue("pci0000:" + (10 + i / 2)));
            SortedMap<String, DeviceCapacity> capacity = new TreeMap<>();
            capacity.put("memory", DeviceCapacity.of(Quantity.parse("80Gi")));
            devices.add(Device.of("gpu-" + i, attributes, capacity));
        }
        String node = "node-" + number;
        return ResourceSlice.builder(ObjectMeta.of("", node + "-gpu", "uid-" + number), "gpu.example.com", node)
                .generation(1)
                .scope(new NodeScope.SingleNode(node))
                .devices(devices)
                .build();
    }

    /** A file format for many objects. */
    private enum Form {
        DOCUMENTS,
        YAML_LIST,
        JSON_LIST
    }

    private int write(Path file, Form form) throws IOException {
        int count = 0;
        long length = 0;
        try (Writer out = Files.newBufferedWriter(file)) {
            switch (form) {
                case DOCUMENTS -> out.write("");
                case YAML_LIST -> out.write("apiVersion: v1\nitems:\n");
                case JSON_LIST -> out.write("{\"apiVersion\":\"v1\",\"items\":[");
            }
            for (; length < LARGE; count++) {
                Tree tree = ManifestWriter.tree(slice(count));
                String text = switch (form) {
                    case DOCUMENTS -> "---\n" + tree.yaml();
                    case YAML_LIST -> new Tree.Sequence(List.of(tree)).yaml();
                    case JSON_LIST -> (count == 0 ? "" : ",") + tree.json();
                };
                out.write(text);
                length += text.length();
            }
            switch (form) {
                case DOCUMENTS -> out.write("");
                case YAML_LIST -> out.write("kind: List\n");
                case JSON_LIST -> out.write("],\"kind\":\"List\"}");
            }
        }
        return count;
    }

    private void assertReadsAll(Form form) throws IOException {
        assertThat(Runtime.getRuntime().maxMemory()).isLessThan(HEAP_MAX);
        Path file = directory.resolve("fleet.yaml");
        int count = write(file, form);
        long start = System.nanoTime();
        ManifestReadResult reading =
                Manifests.read(List.of(file.toString()), ReadOptions.DEFAULT, InputStream.nullInputStream());
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        System.out.printf(
                "%s: %d slices, %d MB in %d ms%n", form, count, Files.size(file) / 1_000_000, took.toMillis());
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.manifests()).hasSize(count);
        assertThat(reading.objects().getLast()).isEqualTo(slice(count - 1));
    }

    @Test
    @Tag("part-0")
    void readsManyDocuments() throws IOException {
        assertReadsAll(Form.DOCUMENTS);
    }

    @Test
    @Tag("part-1")
    void readsLargeYamlList() throws IOException {
        assertReadsAll(Form.YAML_LIST);
    }

    @Test
    @Tag("part-2")
    void readsLargeJsonList() throws IOException {
        assertReadsAll(Form.JSON_LIST);
    }

    @Test
    @Tag("part-3")
    void truncatesFindingsOfLargeInvalidFile() throws IOException {
        Path file = directory.resolve("mistakes.yaml");
        try (Writer out = Files.newBufferedWriter(file)) {
            for (long length = 0; length < LARGE; length += 40) {
                out.write("kind: Pod\nnonsense: [1, 2, {a: b}]\n---\n");
            }
        }
        ManifestReadResult reading =
                Manifests.read(List.of(file.toString()), ReadOptions.DEFAULT, InputStream.nullInputStream());
        assertThat(reading.manifests()).isEmpty();
        assertThat(reading.findings()).hasSize(ReadOptions.DEFAULT.findingsMax() + 1);
    }

    @Test
    @Tag("part-4")
    void rejectsUnterminatedLargeText() throws IOException {
        Path file = directory.resolve("endless.yaml");
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("a: '");
            for (long length = 0; length < LARGE; length += 40) {
                out.write("0123456789012345678901234567890123456789");
            }
        }
        ManifestReadResult reading =
                Manifests.read(List.of(file.toString()), ReadOptions.DEFAULT, InputStream.nullInputStream());
        assertThat(reading.findings())
                .singleElement()
                .extracting(ManifestFinding::message)
                .isEqualTo("an object has more than 3145728 characters");
    }
}
