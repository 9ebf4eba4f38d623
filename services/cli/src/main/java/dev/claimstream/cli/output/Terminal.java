package dev.claimstream.cli.output;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Properties of the terminal, as the launcher sets them. Without these, output counts as piped. */
public final class Terminal {
    private Terminal() {}

    /** Returns the width of the terminal of standard output, in columns; empty in a pipe. */
    public static OptionalInt width() {
        return width(System.getenv("CLAIMSTREAM_COLUMNS"));
    }

    /** Returns the width that a variable states. A terminal without a size states 0. */
    static OptionalInt width(@Nullable String columns) {
        try {
            int width = columns == null ? 0 : Integer.parseInt(columns);
            return width > 0 ? OptionalInt.of(width) : OptionalInt.empty();
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    static boolean errorIsTerminal() {
        return "1".equals(System.getenv("CLAIMSTREAM_PROGRESS"));
    }
}
