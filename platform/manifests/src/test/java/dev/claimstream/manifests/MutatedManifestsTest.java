package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.manifests.tree.ObjectLimits;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that reading a damaged text returns objects or one-line findings, and never throws. */
class MutatedManifestsTest {
    private static final String TYPICAL = "\n\t -:{}[]\"'#&*!|>%@,?0x~<.\\\r\u0000\u0085é";
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.with(new ObjectLimits(20_000, 2000, 100, 20));

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void reportsFindingsForDamagedText(long seed) {
        Random random = new Random(seed);
        List<Kind> kinds = List.of(Kind.values());
        Kind kind = kinds.get(random.nextInt(kinds.size()));
        var tree = ManifestWriter.tree(new RandomObjects(seed).next(kind, "a"));
        byte[] text = (random.nextBoolean() ? tree.yaml() : tree.json()).getBytes(StandardCharsets.UTF_8);
        for (int round = 0; round < 20; round++) {
            byte[] damaged = damage(text, random);
            ManifestReadResult reading = Manifests.read("f", new ByteArrayInputStream(damaged), OPTIONS);
            assertThat(reading.manifests().size() + reading.findings().size())
                    .as("seed %d", seed)
                    .isPositive();
            assertThat(reading.findings())
                    .allSatisfy(finding -> assertThat(finding.toString())
                            .startsWith("f")
                            .doesNotContain("\n")
                            .hasSizeLessThan(2500));
        }
    }

    private static byte[] damage(byte[] text, Random random) {
        byte[] typical = TYPICAL.getBytes(StandardCharsets.UTF_8);
        byte[] damaged = text.clone();
        for (int i = 1 + random.nextInt(4); i > 0 && damaged.length > 4; i--) {
            int at = random.nextInt(damaged.length - 2);
            switch (random.nextInt(4)) {
                case 0 -> damaged[at] = typical[random.nextInt(typical.length)];
                case 1 -> damaged = Arrays.copyOf(damaged, at + 1);
                case 2 -> System.arraycopy(damaged, at, damaged, at / 2, Math.min(at / 2, damaged.length - at));
                default -> damaged[at] = (byte) random.nextInt(256);
            }
        }
        return damaged;
    }
}
