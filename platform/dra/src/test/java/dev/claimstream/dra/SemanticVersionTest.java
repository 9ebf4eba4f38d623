package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.claimstream.dra.Answers.Answer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares versions with recorded outputs of {@code blang/semver}, and tests tolerant parsing. */
class SemanticVersionTest {
    static Stream<Answer> readable() {
        return Answers.about("version").filter(answer -> !answer.isError());
    }

    static Stream<Answer> unreadable() {
        return Answers.about("version").filter(Answer::isError);
    }

    static Stream<Answer> pairs() {
        return Answers.about("versions");
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("readable")
    void readsWhatKubernetesReadsAndForgetsBuildMetadata(Answer expected) {
        assertThat(SemanticVersion.parse(expected.text()))
                .hasToString(expected.answer().getFirst().replaceFirst("\\+.*", ""));
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("unreadable")
    void refusesInTheWordsOfKubernetes(Answer expected) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SemanticVersion.parse(expected.text()))
                .withMessage(expected.error());
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("pairs")
    void comparesAsKubernetesDoes(Answer expected) {
        SemanticVersion a = SemanticVersion.parse(expected.question().get(1));
        SemanticVersion b = SemanticVersion.parse(expected.question().get(2));
        int order = Integer.parseInt(expected.answer().getFirst());
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
    void readsMoreGenerouslyWhereAsked(String text, String expected) {
        assertThat(SemanticVersion.parseTolerant(text)).isEqualTo(SemanticVersion.parse(expected));
    }

    @Test
    void aShortVersionHasNothingButNumbers() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SemanticVersion.parseTolerant("1.2-rc"))
                .withMessage("short version cannot contain PreRelease/Build meta data");
    }

    @ParameterizedTest
    @CsvSource({"vv1.2.3", "0a", "''", "1.2.3.4"})
    void generousReadingStillRefusesWhatIsNoVersion(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> SemanticVersion.parseTolerant(text));
    }
}
