package dev.claimstream.manifests;

import dev.claimstream.manifests.Manifest.Expression.Purpose;
import java.nio.charset.StandardCharsets;

/** Reads CEL expressions as text. */
final class Expressions {
    private static final int BYTES_MAX = 10 * 1024;

    private Expressions() {}

    /** Reads a required expression and records it for later compilation. */
    static String of(Field field, Purpose purpose) {
        String text = field.kept().text();
        if (text.isEmpty()) {
            field.required("");
        } else if (text.length() > BYTES_MAX || text.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            field.tooLong(BYTES_MAX);
        }
        field.report().keepExpression(field.path(), purpose, text);
        return text;
    }
}
