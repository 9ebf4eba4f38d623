package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests which expressions compile under which feature gates, as upstream's TestCELFeatureCombinations does. */
class FeaturesTest {
    private static final String SCALAR = "device.attributes[\"dra.example.com\"].name == \"fish\"";
    private static final String LIST = "device.attributes[\"dra.example.com\"].names.exists(x, x == \"fish\")";
    private static final String INCLUDES = "device.attributes[\"dra.example.com\"].names.includes(\"fish\")";
    private static final String SHARED = "device.allowMultipleAllocations == true";
    private static final String LIST_AND_SHARED = LIST + " && " + SHARED;
    private static final List<String> ALL = List.of(SCALAR, LIST, INCLUDES, SHARED, LIST_AND_SHARED);

    static Stream<Arguments> combinations() {
        return Stream.of(
                Arguments.of(new Features(false, false), Set.of(SCALAR)),
                Arguments.of(new Features(true, false), Set.of(SCALAR, SHARED)),
                Arguments.of(new Features(false, true), Set.of(SCALAR, LIST, INCLUDES)),
                Arguments.of(Features.DEFAULT, Set.copyOf(ALL)));
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void compilesOnlyExpressionsOfEnabledGates(Features features, Set<String> expected) {
        CelSelectors selectors = new CelSelectors(features);
        assertThat(ALL)
                .filteredOn(expression -> selectors.problem(expression).isEmpty())
                .hasSameElementsAs(expected);
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void namesMissingFieldOrFunction(Features features, Set<String> expected) {
        CelSelectors selectors = new CelSelectors(features);
        if (!expected.contains(SHARED)) {
            assertThat(selectors.problem(SHARED))
                    .get()
                    .asString()
                    .contains("undefined field 'allowMultipleAllocations'");
        }
        if (!expected.contains(INCLUDES)) {
            assertThat(selectors.problem(INCLUDES)).get().asString().contains("undeclared reference to 'includes'");
        }
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void verifiesFunctionsForEveryGateCombination(Features features) {
        assertThatCode(() -> new CelSelectors(features).verifyFunctions()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void derivesListsOnlyWithListTypeAttributes(Features features) {
        CelSelectors selectors = new CelSelectors(features);
        assertThat(selectors.derivationProblem("1")).isEmpty();
        assertThat(selectors.derivationProblem("device.attributes['a'].b")).isEmpty();
        assertThat(selectors.derivationProblem("[1]"))
                .isEqualTo(
                        features.listTypeAttributes()
                                ? Optional.empty()
                                : Optional.of("must evaluate to a primitive scalar (string, integer, boolean, semver),"
                                        + " not list(int)"));
    }
}
