package dev.claimstream.manifests;

import dev.claimstream.manifests.Manifest.CelExpression.ExpressionUsage;
import java.nio.charset.StandardCharsets;

/** Reads CEL expressions as text. */
final class ExpressionReader {
    private static final int BYTES_MAX = 10 * 1024;

    private ExpressionReader() {}

    /** Reads a required expression and records it for later compilation. */
    static String of(ManifestField field, ExpressionUsage purpose) {
        String text = field.recordLocation().text();
        if (text.isEmpty()) {
            field.required("");
        } else if (text.length() > BYTES_MAX || text.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            field.tooLong(BYTES_MAX);
        }
        field.report().recordExpression(field.path(), purpose, text);
        return text;
    }
}
