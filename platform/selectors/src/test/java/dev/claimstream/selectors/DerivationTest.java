package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue.BoolValue;
import dev.claimstream.dra.AttributeValue.IntValue;
import dev.claimstream.dra.AttributeValue.StringValue;
import dev.claimstream.dra.AttributeValue.VersionValue;
import dev.claimstream.dra.Derivation.DerivationOutcome;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector.Match;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests derivations beyond the recorded outputs of upstream: errors, limits and the memo. */
class DerivationTest {
    private final CelSelectors selectors = new CelSelectors();

    @Test
    void failsOnEveryDeviceWhenExpressionDoesNotCompile() {
        assertThat(selectors.derive("1.5").of("a", Devices.named("bare")))
                .isEqualTo(new DerivationOutcome.DerivationError(
                        "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars,"
                                + " not double",
                        true));
        assertThat(selectors.derivationProblem("1.5")).isPresent();
        assertThat(selectors.derivationProblem("1")).isEmpty();
    }

    @Test
    void reportsRuntimeErrorWithoutPrefixAndHint() {
        assertThat(selectors.derive("device.attributes['a'].b").of("a", Devices.named("bare")))
                .isEqualTo(new DerivationOutcome.DerivationError("no such key: b", false));
    }

    @Test
    void rejectsExpressionOver10Kibibytes() {
        String longest = "'" + "a".repeat(Environment.LENGTH_MAX - 2) + "'";
        assertThat(selectors.derive(longest).of("a", Devices.named("bare")))
                .isInstanceOf(DerivationOutcome.DerivedAttributeValue.class);
        assertThat(selectors.derivationProblem(longest + " "))
                .contains("expression of 10241 bytes exceeds the limit of 10240 bytes");
    }

    @Test
    void compilesSameTextAsSelectorAndAsDerivation() {
        Device device = Devices.device(Map.of("b", new BoolValue(true)), Map.of(), false);
        assertThat(selectors.compile("device.attributes['a'].b").test("a", device))
                .isEqualTo(Match.MATCH);
        assertThat(selectors.derive("device.attributes['a'].b").of("a", device))
                .isEqualTo(new DerivationOutcome.DerivedAttributeValue(new BoolValue(true)));
        assertThat(selectors.problem("1")).isPresent();
        assertThat(selectors.derivationProblem("1")).isEmpty();
    }

    @Test
    void sharesResultOfDevicesThatDifferInUnreadFields() {
        var derivation = (CompiledDerivation) selectors.derive("device.attributes['a'].numa");
        for (int i = 0; i < 100; i++) {
            Device device =
                    Devices.device(Map.of("numa", new IntValue(i % 2), "serial", new IntValue(i)), Map.of(), false);
            assertThat(derivation.of("a", device))
                    .isEqualTo(new DerivationOutcome.DerivedAttributeValue(new IntValue(i % 2)));
        }
        assertThat(derivation.answerCount()).isEqualTo(2);
    }

    @Test
    void keepsBuildMetadataOfDerivedVersion() {
        for (String text : new String[] {"1.0.0+a", "1.0.0+b", "1.0.0"}) {
            Device device = Devices.device(Map.of("v", new VersionValue(text)), Map.of(), false);
            assertThat(selectors.derive("device.attributes['a'].v").of("a", device))
                    .isEqualTo(new DerivationOutcome.DerivedAttributeValue(new VersionValue(text)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 65, 5000})
    void derivesTextLongerThanPublishedLimit(int length) {
        assertThat(selectors.derive("'" + "a".repeat(length) + "'").of("a", Devices.named("bare")))
                .isEqualTo(new DerivationOutcome.DerivedAttributeValue(new StringValue("a".repeat(length))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "badversion", "badversions"})
    void failsEveryDerivationOnDeviceWithUnreadableAttribute(String device) {
        assertThat(selectors.derive("1").of("a", Devices.named(device)))
                .isInstanceOfSatisfying(
                        DerivationOutcome.DerivationError.class,
                        failed -> assertThat(failed.message()).startsWith("attribute "));
    }
}
