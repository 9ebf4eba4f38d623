package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every answer that the selectors of Kubernetes 1.37 gave; {@code src/test/oracle} says how they were taken. */
class UpstreamAnswersTest {
    private static final CelSelectors SELECTORS = new CelSelectors();

    record Case(String device, String expression, String cost, String answer) {
        @Override
        public String toString() {
            return device + " | " + expression;
        }
    }

    static Stream<Case> cases() {
        return lines("answers.tsv").stream()
                .map(line -> line.split("\t", -1))
                .map(f -> new Case(f[0], f[1], f[2], unescaped(f[3])));
    }

    private static List<String> lines(String resource) {
        try (InputStream in = Objects.requireNonNull(UpstreamAnswersTest.class.getResourceAsStream(resource))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void answersAsUpstreamDoes(Case test) {
        assertThat(answer(test.expression, Devices.named(test.device))).isEqualTo(test.answer);
    }

    private static String answer(String expression, Device device) {
        Selector selector = SELECTORS.compile(expression);
        return switch (selector.test(Devices.DRIVER, device)) {
            case Match.Yes yes -> "yes";
            case Match.No no -> "no";
            case Match.Failed failed -> failed.message().replaceFirst("^CEL ", "");
        };
    }
}
