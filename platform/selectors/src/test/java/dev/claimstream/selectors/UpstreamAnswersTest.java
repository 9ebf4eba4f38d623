package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the selectors of Kubernetes 1.37 answer, and what that costs. {@code src/test/oracle} says how the answers were taken,
 * {@code differences.tsv} where ours are others, and why.
 */
class UpstreamAnswersTest {
    private static final CelSelectors SELECTORS = new CelSelectors();

    /** One expression on one device: its cost, {@code -} where it has none, and its answer. */
    record Case(String device, String expression, String cost, String answer) {
        @Override
        public String toString() {
            return device + " | " + expression;
        }

        boolean hasCost() {
            return cost.chars().allMatch(Character::isDigit) && !answer.contains("error");
        }
    }

    static List<Case> cases() {
        Map<String, Case> differences = new LinkedHashMap<>();
        read("differences.tsv").forEach(ours -> differences.put(ours.toString(), ours));
        return read("answers.tsv").stream()
                .map(theirs -> merged(theirs, differences.getOrDefault(theirs.toString(), theirs)))
                .toList();
    }

    private static Case merged(Case theirs, Case ours) {
        return new Case(
                theirs.device,
                theirs.expression,
                ours.cost.equals("=") ? theirs.cost : ours.cost,
                ours.answer.equals("=") ? theirs.answer : ours.answer);
    }

    private static List<Case> read(String resource) {
        try (InputStream in = Objects.requireNonNull(UpstreamAnswersTest.class.getResourceAsStream(resource))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(UpstreamAnswersTest::row)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Case row(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        return new Case(fields.get(0), fields.get(1), fields.get(2), unescaped(fields.get(3)));
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void answersAndChargesAsUpstreamDoes(Case test) {
        Device device = Devices.named(test.device);
        Selector selector = SELECTORS.compile(test.expression);
        assertThat(answer(selector.test(Devices.DRIVER, device))).isEqualTo(test.answer);
        if (test.hasCost() && selector instanceof CompiledSelector compiled) {
            assertThat(cost(compiled, device)).as("cost").isEqualTo(test.cost);
        }
    }

    @Test
    void everyKnownDifferenceIsAboutAnAnswerThatWasTaken() {
        List<String> taken = read("answers.tsv").stream().map(Case::toString).toList();
        assertThat(read("differences.tsv")).extracting(Case::toString).isSubsetOf(taken);
    }

    private static String answer(Match match) {
        return switch (match) {
            case Match.Yes yes -> "yes";
            case Match.No no -> "no";
            case Match.Failed failed -> failed.message().replaceFirst("^CEL ", "");
        };
    }

    private static String cost(CompiledSelector selector, Device device) {
        CostMeter meter = selector.meter();
        assertThat(selector.evaluate(Devices.DRIVER, device, meter)).isNotNull();
        return Long.toString(meter.cost());
    }
}
