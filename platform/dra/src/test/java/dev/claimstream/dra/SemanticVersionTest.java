package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.claimstream.dra.OracleAnswers.OracleAnswer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares versions with recorded outputs of {@code blang/semver}, and tests tolerant parsing. */
class SemanticVersionTest {
    static Stream<OracleAnswer> readable() {
        return OracleAnswers.forSubject("version").filter(answer -> !answer.isError());
    }

    static Stream<OracleAnswer> unreadable() {
        return OracleAnswers.forSubject("version").filter(OracleAnswer::isError);
    }

    static Stream<OracleAnswer> pairs() {
        return OracleAnswers.forSubject("versions");
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("readable")
    void parsesAsKubernetesDoesAndDropsBuildMetadata(OracleAnswer expected) {
        assertThat(SemanticVersion.parse(expected.text()))
                .hasToString(expected.output().getFirst().replaceFirst("\\+.*", ""));
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("unreadable")
    void rejectsWithMessagesOfKubernetes(OracleAnswer expected) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SemanticVersion.parse(expected.text()))
                .withMessage(expected.error());
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("pairs")
    void comparesAsKubernetesDoes(OracleAnswer expected) {
        SemanticVersion a = SemanticVersion.parse(expected.input().get(1));
        SemanticVersion b = SemanticVersion.parse(expected.input().get(2));
        int order = Integer.parseInt(expected.output().getFirst());
        assertThat(Integer.signum(a.compareTo(b))).isEqualTo(order);
        assertThat(Integer.signum(b.compareTo(a))).isEqualTo(-order);
        assertThat(a.equals(b)).isEqualTo(order == 0);
    }

    @ParameterizedTest
    @CsvSource({
        "v1.2.3,1.2.3",
        "v1,1.0.0",
        "1.2,1.2.0",
        "01.02.03,1.2.3",
        "000,0.0.0",
        "1.2.03-rc+b,1.2.3-rc",
        "00.0.0,0.0.0"
    })
    void parsesTolerantly(String text, String expected) {
        assertThat(SemanticVersion.parseTolerant(text)).isEqualTo(SemanticVersion.parse(expected));
    }

    @Test
    void rejectsPreReleaseOfShortVersion() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SemanticVersion.parseTolerant("1.2-rc"))
                .withMessage("short version cannot contain PreRelease/Build meta data");
    }

    @ParameterizedTest
    @CsvSource({"vv1.2.3", "0a", "''", "1.2.3.4"})
    void rejectsInvalidVersionWhenTolerant(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> SemanticVersion.parseTolerant(text));
    }
}
