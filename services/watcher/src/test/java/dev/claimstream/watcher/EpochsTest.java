package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Tests the epochs of a watcher. */
final class EpochsTest {
    @Test
    void epochExceedsEarlierEpochsAndProcesses() {
        var epochs = new Epochs(() -> Instant.ofEpochMilli(1000));
        assertThat(epochs.next()).isEqualTo(1000);
        assertThat(epochs.next()).isEqualTo(1001);
        assertThat(new Epochs(() -> Instant.ofEpochMilli(2000)).next()).isEqualTo(2000);
    }
}
