package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that linting manifests with removed, moved and damaged lines never throws, and that fixing is idempotent. */
class LintMutationTest {
    private static final ManifestLinter LINT = new ManifestLinter(FeatureGates.defaults());
    private static final Pattern EXAMPLE = Pattern.compile("(?s)```yaml\n(.*?)```");
    private static final List<String> EXAMPLES = examples();

    private static List<String> examples() {
        try {
            return EXAMPLE.matcher(Files.readString(Path.of("README.md")))
                    .results()
                    .map(found -> found.group(1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    private static String mutate(Random random) {
        String text = EXAMPLES.get(random.nextInt(EXAMPLES.size()));
        List<String> lines = new ArrayList<>(text.lines().toList());
        for (int i = random.nextInt(4); i >= 0 && lines.size() > 1; i--) {
            int at = random.nextInt(lines.size());
            String line = lines.get(at);
            switch (random.nextInt(6)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(random.nextInt(lines.size()), line);
                case 2 -> lines.set(at, "  " + line);
                case 3 -> lines.set(at, line.substring(random.nextInt(line.length() + 1)));
                case 4 -> Collections.swap(lines, at, random.nextInt(lines.size()));
                default -> lines.set(at, line + (random.nextBoolean() ? " # \uD83D\uDE80" : " {[\"'&*"));
            }
        }
        return String.join(random.nextInt(8) == 0 ? "\r\n" : "\n", lines) + (random.nextBoolean() ? "\n" : "");
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void lintsMutatedTextAndFixesItIdempotently(long seed) {
        String text = mutate(new Random(seed));
        assertThat(LINT.check(List.of(SourceText.of("f.yaml", text)))).isNotNull();
        LintFixer.FixResult fixed = LintFixer.fix("f.yaml", text);
        assertThat(LintFixer.fix("f.yaml", fixed.text()).text()).as(text).isEqualTo(fixed.text());
        assertThat(fixed.isChanged()).as(text).isEqualTo(!fixed.text().equals(text));
        assertThat(LINT.check(List.of(SourceText.of("f.yaml", fixed.text())))).isNotNull();
    }
}
