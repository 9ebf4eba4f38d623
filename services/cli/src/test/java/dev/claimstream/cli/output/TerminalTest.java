package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the width that the launcher states. */
class TerminalTest {
    @Test
    void readsWidth() {
        assertThat(Terminal.width("80")).hasValue(80);
    }

    @Test
    void hasNoLimitWithoutSize() {
        assertThat(Terminal.width(null)).isEmpty();
        assertThat(Terminal.width("0")).isEmpty();
        assertThat(Terminal.width("-1")).isEmpty();
        assertThat(Terminal.width("wide")).isEmpty();
    }
}
