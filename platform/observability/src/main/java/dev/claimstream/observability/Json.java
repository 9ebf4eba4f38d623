package dev.claimstream.observability;

/** Quotes text for JSON. */
final class Json {
    private Json() {}

    static String text(String value) {
        var json = new StringBuilder("\"");
        value.chars().forEach(c -> append(json, (char) c));
        return json.append('"').toString();
    }

    private static void append(StringBuilder json, char c) {
        switch (c) {
            case '"', '\\' -> json.append('\\').append(c);
            case '\n' -> json.append("\\n");
            case '\r' -> json.append("\\r");
            case '\t' -> json.append("\\t");
            default -> {
                if (c < ' ') {
                    json.append("\\u%04x".formatted((int) c));
                } else {
                    json.append(c);
                }
            }
        }
    }
}
