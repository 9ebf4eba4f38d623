package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.claimstream.dra.OracleAnswers.OracleAnswer;
import java.math.BigDecimal;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares quantities with recorded outputs of apimachinery, and tests the limits of the parser. */
class QuantityTest {
    static Stream<OracleAnswer> readable() {
        return OracleAnswers.forSubject("quantity").filter(answer -> !answer.isError());
    }

    static Stream<OracleAnswer> unreadable() {
        return OracleAnswers.forSubject("quantity").filter(OracleAnswer::isError);
    }

    static Stream<OracleAnswer> pairs() {
        return OracleAnswers.forSubject("quantities");
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("readable")
    void parsesAndFormatsAsKubernetesDoes(OracleAnswer expected) {
        Quantity quantity = Quantity.parse(expected.text());
        // Kubernetes loses the suffix of 1000E and more
        String canonical = expected.text().equals("1000E") || expected.text().equals("1e1000")
                ? quantity.toString()
                : expected.output().get(0);
        assertThat(quantity).hasToString(canonical);
        assertThat(quantity.signum())
                .isEqualTo(Integer.parseInt(expected.output().get(3)));
        assertThat(quantity.asInt64()).isEqualTo(whole(expected.output().get(1)));
        assertThat(quantity.approximate()).isEqualTo(number(expected.output().get(4)));
    }

    private static OptionalLong whole(String text) {
        return text.equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    }

    private static double number(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    /**
     * In Kubernetes, amounts beyond 64 bits overflow, and negative amounts with nine decimals become positive or 0.
     */
    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("readable")
    void roundsUpToWholeNumbersAsKubernetesDoes(OracleAnswer expected) {
        Quantity quantity = Quantity.parse(expected.text());
        long whole = Long.parseLong(expected.output().get(2));
        assertThat(quantity.wrappingScaledValue(0)).isEqualTo(whole);
        boolean fits = quantity.amount().abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
        if (fits && (quantity.signum() >= 0 || quantity.representation().isSmall())) {
            assertThat(quantity.value()).isEqualTo(whole);
        }
    }

    /** The expected values are those of {@code MilliValue} in apimachinery 0.37.2. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "16E, 0",
        "9223372036854775807, -1000",
        "9223372036854775808, 0",
        "9223372036854776, -9223372036854775616",
        "12345678901234567890, 4807115922877858896",
        "123456789012345678901234567890, 8982045596877734992",
        "16P, 0",
        "1Ei, -9223372036854775808",
        "1.5, 1500",
        "1500u, 2",
        "-1500u, -2",
        "-10E, 0"
    })
    void countsThousandthsIn64BitsAsKubernetesDoes(String text, long thousandths) {
        assertThat(Quantity.parse(text).wrappingScaledValue(3)).isEqualTo(thousandths);
    }

    @Test
    void clampsAmountsBeyond64Bits() {
        assertThat(Quantity.parse("10E").value()).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.parse("-10E").value()).isEqualTo(Long.MIN_VALUE);
        assertThat(Quantity.parse("-1.0000000001").value()).isEqualTo(-2);
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("unreadable")
    void rejectsWithMessagesOfKubernetes(OracleAnswer expected) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantity.parse(expected.text()))
                .withMessage(expected.error());
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("pairs")
    void addsSubtractsAndComparesAsKubernetesDoes(OracleAnswer expected) {
        Quantity a = Quantity.parse(expected.input().get(1));
        Quantity b = Quantity.parse(expected.input().get(2));
        assertThat(a.plus(b)).hasToString(expected.output().get(0));
        assertThat(a.minus(b)).hasToString(expected.output().get(1));
        assertThat(a.compareTo(b)).isEqualTo(Integer.parseInt(expected.output().get(2)));
        assertThat(a.equals(b)).isEqualTo(a.compareTo(b) == 0);
    }

    @Test
    void equatesAmountsOfDifferentNotations() {
        assertThat(Quantity.parse("1024Mi")).isEqualTo(Quantity.parse("1Gi")).hasSameHashCodeAs(Quantity.parse("1Gi"));
        assertThat(Quantity.parse("1000m")).isEqualTo(Quantity.of(1)).hasSameHashCodeAs(Quantity.of(1));
        assertThat(Quantity.of(new BigDecimal("1.50"), Quantity.Notation.DECIMAL_SI))
                .isEqualTo(Quantity.parse("1500m"));
    }

    @Test
    void distinguishesIsIntegerAndAsInt64() {
        Quantity milli = Quantity.parse("5000m");
        assertThat(milli.isInteger()).isTrue();
        assertThat(milli.asInt64()).isEmpty();
        assertThat(Quantity.parse("5").asInt64()).hasValue(5);
        assertThat(Quantity.parse("10E").isInteger()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e10000", "1e-10000", "1e99999999999"})
    void rejectsExcessiveExponents(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Quantity.parse(text));
    }

    @Test
    void rejectsMoreThan1000Digits() {
        assertThatIllegalArgumentException().isThrownBy(() -> Quantity.parse("1".repeat(1001)));
        assertThat(Quantity.parse("1".repeat(1000)).signum()).isOne();
    }
}
