package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.claimstream.manifests.source.Source;
import dev.claimstream.manifests.tree.NodeLimits;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;

/** Bytes that somebody made up: they are read or refused, within the limits. In an ordinary build only the inputs in resources are tried. */
class ManifestsFuzzTest {
    private static final int FINDINGS_MAX = 20;
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT
            .withFindingsMax(FINDINGS_MAX)
            .withFileBytesMax(1 << 20)
            .with(new NodeLimits(1 << 16, 10_000, 1_000, 50));

    @FuzzTest
    void readingEndsInObjectsAndFindings(byte[] text) {
        Reading reading = Manifests.read("f.yaml", new ByteArrayInputStream(text), OPTIONS);
        assertThat(reading.findings()).hasSizeLessThanOrEqualTo(FINDINGS_MAX + 1);
        assertThat(ClusterCompletion.complete(reading.manifests()))
                .hasSizeGreaterThanOrEqualTo(reading.manifests().size());
    }

    @FuzzTest
    void everyPlaceIsInTheText(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        Source.of("f.yaml", text).documents().forEach(document -> assertThat(
                        document.root().span().end())
                .isLessThanOrEqualTo(text.length()));
    }
}
