import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON as maps, lists and texts. Numbers and literals are texts. */
final class JsonReader {
    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    static Object read(String text) {
        return new JsonReader(text).value();
    }

    /** The text at a path; empty if there is none. */
    static String text(Object tree, String... path) {
        return find(tree, path) instanceof String found ? found : "";
    }

    /** The list at a path; empty if there is none. */
    static List<?> list(Object tree, String... path) {
        return find(tree, path) instanceof List<?> found ? found : List.of();
    }

    /** Whether a path exists. */
    static boolean has(Object tree, String... path) {
        return find(tree, path) != null;
    }

    private static Object find(Object tree, String... path) {
        Object found = tree;
        for (String name : path) {
            found = found instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return "null".equals(found) ? null : found;
    }

    private Object value() {
        return switch (next()) {
            case '{' -> map();
            case '[' -> array();
            case '"' -> quoted();
            default -> bare();
        };
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private Map<String, Object> map() {
        var made = new LinkedHashMap<String, Object>();
        at++;
        while (next() != '}') {
            String name = quoted();
            next(); // the colon
            at++;
            made.put(name, value());
            skipComma();
        }
        at++;
        return made;
    }

    private List<Object> array() {
        var made = new ArrayList<Object>();
        at++;
        while (next() != ']') {
            made.add(value());
            skipComma();
        }
        at++;
        return made;
    }

    private void skipComma() {
        if (next() == ',') {
            at++;
            next();
        }
    }

    private String quoted() {
        var made = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            if (text.charAt(at) != '\\') {
                made.append(text.charAt(at));
                continue;
            }
            switch (text.charAt(++at)) {
                case 'n' -> made.append('\n');
                case 't' -> made.append('\t');
                case 'u' -> {
                    made.append((char) Integer.parseInt(text, at + 1, at + 5, 16));
                    at += 4;
                }
                default -> made.append(text.charAt(at));
            }
        }
        at++;
        return made.toString();
    }

    private String bare() {
        int begin = at;
        while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(begin, at);
    }
}
