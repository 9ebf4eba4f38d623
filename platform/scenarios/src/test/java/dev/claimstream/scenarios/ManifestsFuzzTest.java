package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.source.SourceText;
import dev.claimstream.manifests.tree.ObjectLimits;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Tests that arbitrary bytes are read or rejected within the limits of time and findings. */
class ManifestsFuzzTest {
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final int FINDINGS_MAX = 20;
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT
            .withFindingsMax(FINDINGS_MAX)
            .withFileBytesMax(1 << 20)
            .with(new ObjectLimits(1 << 16, 10_000, 1_000, 50));

    @FuzzTest(maxDuration = "60s")
    void readingEndsInObjectsAndFindings(byte[] bytes) {
        assertTimeout(WITHIN, () -> read(bytes));
    }

    private static void read(byte[] bytes) {
        ManifestReadResult reading = Manifests.read("f.yaml", new ByteArrayInputStream(bytes), OPTIONS);
        assertThat(reading.findings()).hasSizeLessThanOrEqualTo(FINDINGS_MAX + 1);
        assertThat(ClusterCompletion.complete(reading.manifests()))
                .hasSizeGreaterThanOrEqualTo(reading.manifests().size());
        String text = new String(bytes, StandardCharsets.UTF_8);
        SourceText.of("f.yaml", text)
                .documents()
                .forEach(document -> assertThat(document.root().span().end()).isLessThanOrEqualTo(text.length()));
    }
}
