package dev.claimstream.manifests;

import java.util.regex.Pattern;

/**
 * An error or warning in a manifest, for its author.
 *
 * @param field path from the root of the object, for example {@code spec.devices.requests[0].exactly.count}; empty for the object itself
 * @param value the written value, shortened; empty if there is none to show
 * @param message what is wrong, in the words of the API server if it reports the same error
 * @param remedy what to do
 */
public record ManifestFinding(
        Severity severity, SourceLocation location, String field, String value, String message, String remedy) {
    private static final int VALUE_LENGTH_MAX = 80;
    private static final int TEXT_LENGTH_MAX = 400;
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+");

    /** Whether the object is rejected. */
    public enum Severity {
        /** The object was rejected. */
        ERROR,
        /** The object was accepted, or its kind is not served. */
        WARNING
    }

    public ManifestFinding {
        field = oneLine(field);
        value = oneLine(value);
        message = oneLine(message);
        remedy = oneLine(remedy);
    }

    /** Creates an error without field and value. */
    public static ManifestFinding error(SourceLocation location, String message, String remedy) {
        return new ManifestFinding(Severity.ERROR, location, "", "", message, remedy);
    }

    /** Creates a warning without field and value. */
    public static ManifestFinding warning(SourceLocation location, String message, String remedy) {
        return new ManifestFinding(Severity.WARNING, location, "", "", message, remedy);
    }

    /** Returns whether the finding rejects the object. */
    public boolean isError() {
        return severity == Severity.ERROR;
    }

    /** Replaces control characters: text from a manifest must not break the line or control a terminal. */
    private static String oneLine(String text) {
        String line = CONTROL.matcher(shortened(text, TEXT_LENGTH_MAX)).replaceAll(" ");
        return line.strip();
    }

    private static String shortened(String text, int lengthMax) {
        return text.length() <= lengthMax ? text : text.substring(0, lengthMax) + "...";
    }

    /** Formats the finding on one line: {@code file:line: field: message (value): remedy}. */
    @Override
    public String toString() {
        return location
                + ": "
                + (field.isEmpty() ? "" : field + ": ")
                + (severity == Severity.WARNING ? "warning: " : "")
                + message
                + (value.isEmpty() ? "" : " (" + shortened(value, VALUE_LENGTH_MAX) + ")")
                + (remedy.isEmpty() ? "" : ": " + remedy);
    }
}
