package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which rows of a changelog a rebuild reads as allocations. */
final class DecisionHistoryTest {
    /** A changelog that a later format has not replaced yet has the second key. */
    @ParameterizedTest
    @ValueSource(strings = {"allocation/uid-1", "grant/uid-1"})
    void readsAllocationsOfBothFormats(String key) {
        assertThat(DecisionHistory.isAllocation(key)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"deallocation/uid-1", "count", "item/pod/default/p"})
    void skipsOtherRows(String key) {
        assertThat(DecisionHistory.isAllocation(key)).isFalse();
    }
}
