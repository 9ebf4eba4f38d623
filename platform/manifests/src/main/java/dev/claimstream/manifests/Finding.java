package dev.claimstream.manifests;

import java.util.regex.Pattern;

/**
 * Something in a manifest that its author should know.
 *
 * @param field the path from the root of the object, for example {@code spec.devices.requests[0].exactly.count}; empty for the object
 * @param value what is written there, shortened; empty where there is nothing to show
 * @param message what is wrong, in the words of the API server where it has some
 * @param remedy what to do
 */
public record Finding(Severity severity, Place place, String field, String value, String message, String remedy) {
    private static final int VALUE_LENGTH_MAX = 80;
    private static final int TEXT_LENGTH_MAX = 400;
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+");

    /** Whether the object is lost. */
    public enum Severity {
        /** The object was refused. */
        ERROR,
        /** The object was taken, or it is none that is served. */
        WARNING
    }

    public Finding {
        field = oneLine(field);
        value = oneLine(value);
        message = oneLine(message);
        remedy = oneLine(remedy);
    }

    /** Something that costs the object. */
    public static Finding error(Place place, String message, String remedy) {
        return new Finding(Severity.ERROR, place, "", "", message, remedy);
    }

    /** Something that costs nothing, or nothing that is served. */
    public static Finding warning(Place place, String message, String remedy) {
        return new Finding(Severity.WARNING, place, "", "", message, remedy);
    }

    /** Whether it costs the object. */
    public boolean isError() {
        return severity == Severity.ERROR;
    }

    /** What a manifest holds must neither break the line nor steer a terminal. */
    private static String oneLine(String text) {
        String line = CONTROL.matcher(shortened(text, TEXT_LENGTH_MAX)).replaceAll(" ");
        return line.strip();
    }

    private static String shortened(String text, int lengthMax) {
        return text.length() <= lengthMax ? text : text.substring(0, lengthMax) + "...";
    }

    /** One line: {@code file:line: field: message (value): remedy}. */
    @Override
    public String toString() {
        return place
                + ": "
                + (field.isEmpty() ? "" : field + ": ")
                + (severity == Severity.WARNING ? "warning: " : "")
                + message
                + (value.isEmpty() ? "" : " (" + shortened(value, VALUE_LENGTH_MAX) + ")")
                + (remedy.isEmpty() ? "" : ": " + remedy);
    }
}
