package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.claimstream.dra.Kind;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.ObjectLimits;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that parsed JSON is read as its text is. */
class JsonDocumentTest {
    private static final Path EXAMPLES = Path.of("..", "..", "deploy", "examples");
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED);

    private static JsonNode json(String text) {
        try {
            return ApiHttpClient.JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static ManifestReadResult fromTree(String text) {
        return Manifests.read("f", JsonDocument.of(json(text), OPTIONS.limits()), OPTIONS);
    }

    private static ManifestReadResult fromText(String text) {
        return Manifests.read("f", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), OPTIONS);
    }

    @Test
    void readsExamplesAsTheirText() {
        List<Manifest> examples = Manifests.read(
                        List.of(EXAMPLES.toString()),
                        ReadOptions.DEFAULT.with(ReadOptions.Directories.RECURSIVE),
                        InputStream.nullInputStream())
                .manifests();
        assertThat(examples.stream().map(each -> each.object().kind()).distinct())
                .contains(Kind.RESOURCE_SLICE, Kind.RESOURCE_CLAIM, Kind.POD, Kind.NODE, Kind.DEVICE_CLASS);
        for (Manifest each : examples) {
            String text = ManifestWriter.tree(each.object()).json();
            assertThat(fromTree(text).objects())
                    .as(text)
                    .isEqualTo(fromText(text).objects())
                    .containsExactly(each.object());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "0",
                "-7",
                "1.5",
                "1e3",
                "-0.0",
                "12345678901234567890",
                "true",
                "\"true\"",
                "\"\"",
                "\"1\"",
                "null",
                "[]",
                "{}",
                "[1, null, {\"a\": [false]}]",
                "\"\\u00e9 \\n\""
            })
    void readsValueAsItsText(String value) {
        String text = """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "n"},
                 "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "d", "count": %s}}],
                  "config": [{"opaque": {"driver": "d.example.com", "parameters": {"x": %s}}}]}}}
                """.formatted(value, value);
        String parsed = json(text).toString(); // 1e3 is 1000.0
        assertThat(fromTree(text).objects()).isEqualTo(fromText(parsed).objects());
        assertThat(fromTree(text).hasErrors()).isEqualTo(fromText(parsed).hasErrors());
    }

    @Test
    void rejectsNestingAndSizeAboveLimits() {
        JsonNode deep = JsonNodeFactory.instance.textNode("x");
        for (int i = 0; i <= ObjectLimits.DEFAULT.nestingMax(); i++) {
            deep = JsonNodeFactory.instance.arrayNode().add(deep);
        }
        JsonNode tooDeep = deep;
        assertThatThrownBy(() -> JsonDocument.of(tooDeep, ObjectLimits.DEFAULT))
                .hasMessage("values are nested more than 100 levels deep");
        JsonNode wide = json("[1, 2, 3]");
        assertThatThrownBy(() -> JsonDocument.of(wide, new ObjectLimits(1, 3, 1, 3)))
                .hasMessage("it has more than 3 values");
    }
}
