package dev.claimstream.process.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccessLogLineTest {
    @Test
    void keepsShortQuestion() {
        String text = "x".repeat(AccessLogLine.TEXT_MAX);
        assertThat(AccessLogLine.cut(text)).isEqualTo(text);
    }

    @Test
    void cutsLongQuestionAndSaysItsLength() {
        assertThat(AccessLogLine.cut("x".repeat(1 << 20)))
                .hasSizeLessThan(AccessLogLine.TEXT_MAX + 40)
                .endsWith("x… (1048576 characters)");
    }

    @Test
    void doesNotCutCharacterInTwo() {
        String before = "x".repeat(AccessLogLine.TEXT_MAX - 1);
        assertThat(AccessLogLine.cut(before + "\uD83D\uDE00 and more")).startsWith(before + "…");
    }
}
