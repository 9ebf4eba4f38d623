package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests {@link ClaimStateText} with the states that kubectl prints. */
class ClaimStateTextTest {
    @ParameterizedTest
    @CsvSource({
        "false, false, false, pending",
        "false, false, true, pending",
        "false, true, false, allocated",
        "false, true, true, 'allocated,reserved'",
        "true, false, false, deleted",
        "true, true, false, 'deleted,allocated'",
        "true, true, true, 'deleted,allocated,reserved'",
    })
    void printsStateLikeKubectl(boolean isDeleted, boolean isAllocated, boolean isReserved, String text) {
        assertThat(ClaimStateText.of(isDeleted, isAllocated, isReserved)).isEqualTo(text);
        assertThat(ClaimStateText.isKnown(text)).isTrue();
    }

    @Test
    void matchesWordsInAnyOrder() {
        assertThat(ClaimStateText.contains("deleted,allocated,reserved", "reserved,deleted"))
                .isTrue();
        assertThat(ClaimStateText.contains("allocated", "allocated,reserved")).isFalse();
        assertThat(ClaimStateText.contains("deleted", "pending")).isFalse();
    }

    @Test
    void rejectsUnknownWords() {
        assertThat(ClaimStateText.isKnown("allocated,")).isFalse();
        assertThat(ClaimStateText.isKnown("unprocessed")).isFalse();
    }
}
