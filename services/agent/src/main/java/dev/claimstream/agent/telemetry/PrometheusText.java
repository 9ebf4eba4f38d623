package dev.claimstream.agent.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Strict parser of the Prometheus text format, version 0.0.4. One malformed line rejects the whole text.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">Exposition formats</a>
 */
final class PrometheusText {
    private static final int LINES_MAX = 200_000;
    private static final int LINE_CHARS_MAX = 16_384;
    private static final int LABELS_MAX = 128;
    private static final int SHOWN_CHARS = 80;

    private final String line;
    private int at;

    private PrometheusText(String line) {
        this.line = line;
    }

    /** Thrown for a text that is malformed or exceeds a limit; the message names the line. */
    static final class PrometheusFormatException extends Exception {
        private static final long serialVersionUID = 1;

        PrometheusFormatException(String message) {
            super(message);
        }
    }

    /**
     * Parses the samples of the selected metrics.
     *
     * @throws PrometheusFormatException if a line is neither a comment nor a sample, or a limit is exceeded
     */
    static List<MetricSample> read(String text, Predicate<String> filter) throws PrometheusFormatException {
        List<MetricSample> samples = new ArrayList<>();
        int number = 0;
        for (String each : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (number > LINES_MAX) {
                throw new PrometheusFormatException("more than %d lines".formatted(LINES_MAX));
            }
            if (each.isBlank() || each.stripLeading().startsWith("#")) {
                continue;
            }
            sample(each, number).filter(sample -> filter.test(sample.metric())).ifPresent(samples::add);
        }
        return samples;
    }

    private static Optional<MetricSample> sample(String line, int number) throws PrometheusFormatException {
        try {
            if (line.length() > LINE_CHARS_MAX) {
                throw new PrometheusFormatException(
                        "it has %d characters, at most %d".formatted(line.length(), LINE_CHARS_MAX));
            }
            return Optional.of(new PrometheusText(line).sample());
        } catch (PrometheusFormatException e) {
            throw new PrometheusFormatException("line %d: %s: %s"
                    .formatted(number, e.getMessage(), line.substring(0, Math.min(line.length(), SHOWN_CHARS))));
        }
    }

    private MetricSample sample() throws PrometheusFormatException {
        skipSpace();
        String metric = name(":");
        skipSpace();
        SortedMap<String, String> labels = next('{') ? labels() : new TreeMap<>();
        String[] rest = line.substring(at).strip().split("[ \t]+", -1);
        if (rest.length > 2 || (rest.length == 2 && !rest[1].matches("[-+]?[0-9]+"))) {
            throw new PrometheusFormatException("expected at most a timestamp after the value");
        }
        return new MetricSample(metric, labels, number(rest[0]));
    }

    private SortedMap<String, String> labels() throws PrometheusFormatException {
        SortedMap<String, String> labels = new TreeMap<>();
        skipSpace();
        while (!next('}')) {
            String name = name("");
            skipSpace();
            expect('=');
            skipSpace();
            labels.put(name, quoted());
            if (labels.size() > LABELS_MAX) {
                throw new PrometheusFormatException("more than %d labels".formatted(LABELS_MAX));
            }
            skipSpace();
            if (!next(',') && (at >= line.length() || line.charAt(at) != '}')) {
                throw new PrometheusFormatException("expected a comma or a closing brace after a label");
            }
            skipSpace();
        }
        return labels;
    }

    private String name(String more) throws PrometheusFormatException {
        int start = at;
        while (at < line.length() && isNamePart(line.charAt(at), more, at > start)) {
            at++;
        }
        if (at == start) {
            throw new PrometheusFormatException("column %d: a name is missing".formatted(at + 1));
        }
        return line.substring(start, at);
    }

    private static boolean isNamePart(char c, String more, boolean isDigitAllowed) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '_'
                || (isDigitAllowed && c >= '0' && c <= '9')
                || more.indexOf(c) >= 0;
    }

    private String quoted() throws PrometheusFormatException {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (at < line.length() && line.charAt(at) != '"') {
            value.append(line.charAt(at) == '\\' ? escaped() : line.charAt(at));
            at++;
        }
        expect('"');
        return value.toString();
    }

    private char escaped() throws PrometheusFormatException {
        at++;
        char c = at < line.length() ? line.charAt(at) : ' ';
        return switch (c) {
            case '\\', '"' -> c;
            case 'n' -> '\n';
            default -> throw new PrometheusFormatException("column %d: a backslash escapes \\, \" or n".formatted(at));
        };
    }

    private static double number(String text) throws PrometheusFormatException {
        if (text.isEmpty()) {
            throw new PrometheusFormatException("the value is missing");
        }
        return switch (text) {
            case "NaN" -> Double.NaN;
            case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> {
                if (!text.matches("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?")) {
                    throw new PrometheusFormatException("%s is not a number".formatted(text));
                }
                yield Double.parseDouble(text);
            }
        };
    }

    private void skipSpace() {
        while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
            at++;
        }
    }

    private boolean next(char expected) {
        boolean isThere = at < line.length() && line.charAt(at) == expected;
        at += isThere ? 1 : 0;
        return isThere;
    }

    private void expect(char expected) throws PrometheusFormatException {
        if (!next(expected)) {
            throw new PrometheusFormatException("column %d: expected %s".formatted(at + 1, expected));
        }
    }
}
