package dev.claimstream.cli;

import java.util.OptionalInt;

/** What the launcher found out about the terminal; without it, output is taken to be piped. */
final class Terminal {
    private Terminal() {}

    /** How wide the terminal is that standard output goes to. */
    static OptionalInt width() {
        String columns = System.getenv("CLAIMSTREAM_COLUMNS");
        try {
            return columns == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(columns));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    static boolean errorIsTerminal() {
        return "1".equals(System.getenv("CLAIMSTREAM_PROGRESS"));
    }
}
