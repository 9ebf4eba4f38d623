package dev.claimstream.selectors.functions;

import com.google.re2j.Pattern;
import dev.claimstream.selectors.values.UrlValue;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The formats that are available by name, each with the regex size in upstream's cost model. */
public enum NamedFormat {
    DNS1123_LABEL("dns1123Label", 30),
    DNS1123_SUBDOMAIN("dns1123Subdomain", 60),
    DNS1035_LABEL("dns1035Label", 30),
    QUALIFIED_NAME("qualifiedName", 60),
    DNS1123_LABEL_PREFIX("dns1123LabelPrefix", 30),
    DNS1123_SUBDOMAIN_PREFIX("dns1123SubdomainPrefix", 60),
    DNS1035_LABEL_PREFIX("dns1035LabelPrefix", 30),
    LABEL_VALUE("labelValue", 40),
    URI("uri", 1103),
    UUID("uuid", 70),
    BYTE("byte", 84),
    DATE("date", 71),
    DATETIME("datetime", 71);

    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String SUBDOMAIN = LABEL + "(\\." + LABEL + ")*";
    private static final String OLD_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
    private static final String NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String OPTIONAL_NAME = "(" + NAME + ")?";
    /** The unit of a length in upstream's messages, which depends on the check. */
    private static final String CHARACTERS = "characters";

    private static final String BYTES = "bytes";
    private static final int LABEL_MAX = 63;
    private static final int SUBDOMAIN_MAX = 253;

    private final String celName;
    private final int regexSize;

    NamedFormat(String celName, int regexSize) {
        this.celName = celName;
        this.regexSize = regexSize;
    }

    /** Returns the name after {@code format.}. */
    public String celName() {
        return celName;
    }

    /** Returns the length of the regex that upstream charges for. */
    public int regexSize() {
        return regexSize;
    }

    static Optional<NamedFormat> named(String name) {
        return Arrays.stream(values())
                .filter(format -> format.celName.equals(name))
                .findFirst();
    }

    /** Returns the problems of a text, in upstream's words; none if it is valid. */
    List<String> problems(String text) {
        return switch (this) {
            case DNS1123_LABEL -> label(text);
            case DNS1123_LABEL_PREFIX -> label(withoutTrailingDash(text));
            case DNS1123_SUBDOMAIN -> subdomain(text);
            case DNS1123_SUBDOMAIN_PREFIX -> subdomain(withoutTrailingDash(text));
            case DNS1035_LABEL -> oldLabel(text);
            case DNS1035_LABEL_PREFIX -> oldLabel(withoutTrailingDash(text));
            case QUALIFIED_NAME -> qualifiedName(text);
            case LABEL_VALUE -> labelValue(text);
            case URI -> uri(text);
            case UUID ->
                problemUnless(
                        matches("(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", text),
                        "does not match the UUID format");
            case BYTE ->
                problemUnless(
                        matches("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})", text),
                        "invalid base64");
            case DATE -> problemUnless(isDate(text), "invalid date");
            case DATETIME -> problemUnless(isDateTime(text), "invalid datetime");
        };
    }

    private static boolean matches(String pattern, String text) {
        Pattern compiled = RegexCache.of("^(?:" + pattern + ")$");
        return compiled.matcher(text).find();
    }

    private static List<String> problemUnless(boolean fits, String problem) {
        return fits ? List.of() : List.of(problem);
    }

    /** Replaces a trailing dash, which a prefix may have because characters follow it. */
    private static String withoutTrailingDash(String text) {
        return text.length() > 1 && text.endsWith("-") ? text.substring(0, text.length() - 2) + "a" : text;
    }

    private static List<String> checked(String text, int max, String unit, String pattern, String problem) {
        List<String> problems = new ArrayList<>();
        if (bytes(text) > max) {
            problems.add("must be no more than %d %s".formatted(max, unit));
        }
        if (!matches(pattern, text)) {
            problems.add(problem);
        }
        return problems;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static List<String> label(String text) {
        String dots = "must not contain dots";
        return checked(
                text,
                LABEL_MAX,
                CHARACTERS,
                LABEL,
                matches(SUBDOMAIN, text)
                        ? dots
                        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with"
                                + " an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '"
                                + LABEL
                                + "')");
    }

    private static List<String> subdomain(String text) {
        return checked(
                text,
                SUBDOMAIN_MAX,
                CHARACTERS,
                SUBDOMAIN,
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with"
                        + " an alphanumeric character (e.g. 'example.com', regex used for validation is '" + SUBDOMAIN
                        + "')");
    }

    private static List<String> oldLabel(String text) {
        return checked(
                text,
                LABEL_MAX,
                CHARACTERS,
                OLD_LABEL,
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end"
                        + " with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '"
                        + OLD_LABEL
                        + "')");
    }

    private static List<String> labelValue(String text) {
        return checked(
                text,
                LABEL_MAX,
                BYTES,
                OPTIONAL_NAME,
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with"
                        + " an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '"
                        + OPTIONAL_NAME + "')");
    }

    private static List<String> qualifiedName(String text) {
        String rule =
                "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g."
                        + " 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" + NAME + "')";
        String[] parts = text.split("/", -1);
        if (parts.length > 2) {
            return List.of("a valid label key " + rule
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>();
        if (parts.length == 2) {
            prefix(parts[0]).forEach(problem -> problems.add("prefix part " + problem));
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        }
        checked(name, LABEL_MAX, BYTES, NAME, rule).forEach(problem -> problems.add("name part " + problem));
        return problems;
    }

    private static List<String> prefix(String text) {
        return text.isEmpty() ? List.of("must be non-empty") : subdomain(text);
    }

    private static List<String> uri(String text) {
        try {
            UrlValue.check(text);
            return List.of();
        } catch (IllegalArgumentException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    private static boolean isDate(String text) {
        try {
            return text.length() == 10 && LocalDate.parse(text).getYear() >= 0;
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static boolean isDateTime(String text) {
        String[] parts = text.toLowerCase(java.util.Locale.ROOT).split("t", -1);
        return text.length() >= 4
                && parts.length >= 2
                && isDate(parts[0])
                && matches(
                        "([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))", parts[1]);
    }
}
