package dev.claimstream.manifests.tree;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the type and number of plain YAML scalars. */
class ScalarTypeTest {
    @ParameterizedTest
    @CsvSource({
        "a, TEXT, ",
        "yes, BOOL, ",
        "Off, BOOL, ",
        "~, NULL, ",
        "0, INTEGER, 0",
        "-12, INTEGER, -12",
        "+7, INTEGER, 7",
        "1_000, INTEGER, 1000",
        "0x1F, INTEGER, 31",
        "-0b101, INTEGER, -5",
        "0o17, INTEGER, 15",
        "017, INTEGER, 15",
        "08, FLOAT, 8",
        "1.5, FLOAT, 1.5",
        ".5, FLOAT, 0.5",
        "1e3, FLOAT, 1e3",
        "+1e3, FLOAT, 1E+3",
        ".inf, FLOAT, ",
        "1.2.3, TEXT, ",
        "10Gi, TEXT, ",
        "2026-01-01, TEXT, ",
        "-, TEXT, "
    })
    void resolvesScalarTypeAsKubectlDoes(String word, ScalarType type, String number) {
        assertThat(ScalarType.of(word)).isEqualTo(type);
        assertThat(ScalarType.number(word).orElse(null)).isEqualTo(number);
    }
}
