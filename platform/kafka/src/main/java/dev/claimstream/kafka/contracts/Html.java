package dev.claimstream.kafka.contracts;

import java.util.List;
import java.util.stream.Collectors;

/** Text of an HTML page. Every text from a contract is escaped. */
final class Html {
    private Html() {}

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    static String code(String text) {
        return "<code>%s</code>".formatted(escape(text));
    }

    /** A long name, which can be broken after a dot, a hyphen, a slash and before a capital letter. */
    static String breakable(String name) {
        return escape(name).replaceAll("(?<=[./-])(?=.)|(?<=[a-z])(?=[A-Z])", "<wbr>");
    }

    static String link(String anchor, String name) {
        return "<a href=\"#%s\"><code>%s</code></a>".formatted(escape(anchor), breakable(name));
    }

    static String codes(List<String> names, String none) {
        return names.isEmpty() ? none : names.stream().map(Html::code).collect(Collectors.joining(", "));
    }
}
