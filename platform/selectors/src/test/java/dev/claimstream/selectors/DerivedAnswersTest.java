package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Derivation.DerivationOutcome;
import dev.claimstream.dra.Device;
import dev.claimstream.selectors.AnswerTable.AnswerCase;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares values and costs of derived attributes with recorded outputs of Kubernetes 1.37.
 * {@code derived-differences.tsv} lists the deliberate differences.
 */
class DerivedAnswersTest {
    private static final CelSelectors SELECTORS = new CelSelectors();

    static List<AnswerCase> cases() {
        return AnswerTable.cases("derived.tsv", "derived-differences.tsv");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void derivesValueAndCostAsUpstreamDoes(AnswerCase recorded) {
        Device device = Devices.named(recorded.device());
        Derivation derivation = SELECTORS.derive(recorded.expression());
        assertThat(answer(derivation.of(Devices.DRIVER, device))).isEqualTo(recorded.answer());
        if (recorded.hasCost() && derivation instanceof CompiledDerivation compiled) {
            assertThat(Long.toString(compiled.evaluate(Devices.DRIVER, device).cost()))
                    .as("cost")
                    .isEqualTo(recorded.cost());
        }
    }

    @Test
    void limitsKnownDifferencesToRecordedAnswers() {
        AnswerTable.checkDifferences("derived.tsv", "derived-differences.tsv");
    }

    private static String answer(DerivationOutcome value) {
        return switch (value) {
            case DerivationOutcome.DerivedAttributeValue found -> text(found.value());
            case DerivationOutcome.DerivationError failed ->
                (failed.isCompilation() ? "compile error: " : "runtime error: ") + failed.message();
        };
    }

    private static String text(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue(long v) -> "int " + v;
            case AttributeValue.BoolValue(boolean v) -> "bool " + v;
            case AttributeValue.StringValue(String v) -> "string " + v;
            case AttributeValue.VersionValue(String v) -> "version " + v;
            case AttributeValue.IntList(var v) -> "ints " + joined(v);
            case AttributeValue.BoolList(var v) -> "bools " + joined(v);
            case AttributeValue.StringList(var v) -> "strings " + joined(v);
            case AttributeValue.VersionList(var v) -> "versions " + joined(v);
            case AttributeValue.UnknownValue() -> "unknown";
        };
    }

    private static String joined(List<?> values) {
        return values.stream().map(Object::toString).collect(Collectors.joining("|"));
    }
}
