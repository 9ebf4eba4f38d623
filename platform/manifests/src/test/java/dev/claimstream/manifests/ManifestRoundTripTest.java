package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that random objects of every kind are read back equal from YAML and JSON. */
class ManifestRoundTripTest {
    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void readsBackWrittenObjects(long seed) {
        RandomObjects objects = new RandomObjects(seed);
        List<ClusterObject> written = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            written.add(objects.next(kind, "a"));
            written.add(objects.next(kind, "b"));
        }
        Tree list =
                ManifestWriter.list(written.stream().map(ManifestWriter::tree).toList());
        for (String text : List.of(list.yaml(), list.json(), list.indentedJson(), documents(written))) {
            ManifestReadResult reading = Manifests.read("f.yaml", text);
            assertThat(reading.findings().stream().filter(ManifestFinding::isError))
                    .as(text)
                    .isEmpty();
            assertThat(reading.objects()).as("seed %d", seed).isEqualTo(written);
        }
        assertThat(list.yaml())
                .startsWith("apiVersion: v1\nitems:\n- apiVersion: ")
                .endsWith("\nkind: List\n");
    }

    private static String documents(List<ClusterObject> objects) {
        StringBuilder text = new StringBuilder();
        objects.forEach(object ->
                text.append("---\n").append(ManifestWriter.tree(object).yaml()));
        return text.toString();
    }
}
