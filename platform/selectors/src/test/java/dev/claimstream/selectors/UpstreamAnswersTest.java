package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.selectors.AnswerTable.AnswerCase;
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

    static List<AnswerCase> cases() {
        return AnswerTable.cases("answers.tsv", "differences.tsv");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void evaluatesResultAndCostAsUpstreamDoes(AnswerCase recorded) {
        Device device = Devices.named(recorded.device());
        Selector selector = SELECTORS.compile(recorded.expression());
        assertThat(answer(selector.test(Devices.DRIVER, device))).isEqualTo(recorded.answer());
        if (recorded.hasCost() && selector instanceof CompiledSelector compiled) {
            assertThat(Long.toUnsignedString(
                            compiled.evaluate(Devices.DRIVER, device).cost()))
                    .as("cost")
                    .isEqualTo(recorded.cost());
        }
    }

    @Test
    void limitsKnownDifferencesToRecordedAnswers() {
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
