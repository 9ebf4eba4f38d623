package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.selectors.AnswerTable.Case;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares results and costs of selectors with recorded outputs of Kubernetes 1.37. {@code src/test/oracle} describes
 * how to record them, and {@code differences.tsv} lists the deliberate differences with their reasons.
 */
class UpstreamAnswersTest {
    private static final CelSelectors SELECTORS = new CelSelectors();

    static List<Case> cases() {
        return AnswerTable.cases("answers.tsv", "differences.tsv");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void answersAndChargesAsUpstreamDoes(Case asked) {
        Device device = Devices.named(asked.device());
        Selector selector = SELECTORS.compile(asked.expression());
        assertThat(answer(selector.test(Devices.DRIVER, device))).isEqualTo(asked.answer());
        if (asked.hasCost() && selector instanceof CompiledSelector compiled) {
            assertThat(Long.toUnsignedString(
                            compiled.evaluate(Devices.DRIVER, device).cost()))
                    .as("cost")
                    .isEqualTo(asked.cost());
        }
    }

    @Test
    void everyKnownDifferenceIsAboutAnAnswerThatWasTaken() {
        AnswerTable.checkDifferences("answers.tsv", "differences.tsv");
    }

    private static String answer(Match match) {
        return switch (match) {
            case Match.SelectorMatch yes -> "yes";
            case Match.SelectorMismatch no -> "no";
            case Match.SelectorError failed -> failed.message().replaceFirst("^CEL ", "");
        };
    }
}
