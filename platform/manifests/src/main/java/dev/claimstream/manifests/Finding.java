package dev.claimstream.manifests;

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

    /** Whether the object is lost. */
    public enum Severity {
        /** The object was refused. */
        ERROR,
        /** The object was taken, or it is none that is served. */
        WARNING
    }

    public Finding {
        value = oneLine(value);
        message = oneLine(message);
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

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s*\\R\\s*", " ").strip();
        return line.length() <= VALUE_LENGTH_MAX * 4 ? line : line.substring(0, VALUE_LENGTH_MAX * 4) + "...";
    }

    private static String shortened(String text) {
        return text.length() <= VALUE_LENGTH_MAX ? text : text.substring(0, VALUE_LENGTH_MAX) + "...";
    }

    /** One line: {@code file:line: field: message (value): remedy}. */
    @Override
    public String toString() {
        return place
                + ": "
                + (field.isEmpty() ? "" : field + ": ")
                + (severity == Severity.WARNING ? "warning: " : "")
                + message
                + (value.isEmpty() ? "" : " (" + shortened(value) + ")")
                + (remedy.isEmpty() ? "" : ": " + remedy);
    }
}
