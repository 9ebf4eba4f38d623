package dev.claimstream.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuestionLogTest {
    @Test
    void keepsShortQuestion() {
        String text = "x".repeat(QuestionLog.TEXT_MAX);
        assertThat(QuestionLog.cut(text)).isEqualTo(text);
    }

    @Test
    void cutsLongQuestionAndSaysItsLength() {
        assertThat(QuestionLog.cut("x".repeat(1 << 20)))
                .hasSizeLessThan(QuestionLog.TEXT_MAX + 40)
                .endsWith("x… (1048576 characters)");
    }

    @Test
    void doesNotCutCharacterInTwo() {
        String before = "x".repeat(QuestionLog.TEXT_MAX - 1);
        assertThat(QuestionLog.cut(before + "\uD83D\uDE00 and more")).startsWith(before + "…");
    }
}
