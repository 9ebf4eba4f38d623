package dev.claimstream.cli.output;

import java.util.OptionalInt;

/** Properties of the terminal, as the launcher sets them. Without these, output counts as piped. */
public final class Terminal {
    private Terminal() {}

    /** Returns the width of the terminal of standard output, in columns; empty in a pipe. */
    public static OptionalInt width() {
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
