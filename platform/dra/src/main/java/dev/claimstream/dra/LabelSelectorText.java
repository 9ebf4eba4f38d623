package dev.claimstream.dra;

import dev.claimstream.dra.NodeSelector.Requirement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Label selectors in the syntax of {@code kubectl -l}. */
final class LabelSelectorText {
    private static final String NAME = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
    private static final String KEY = "(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?" + NAME;
    private static final Pattern VALUE = Pattern.compile("(?:" + NAME + ")?");
    private static final Pattern EXISTS = Pattern.compile("(!?)\\s*(" + KEY + ")");
    private static final Pattern EQUALITY = Pattern.compile("(" + KEY + ")\\s*(==|=|!=|>|<)\\s*([^=!<>()]*)");
    private static final Pattern SET = Pattern.compile("(" + KEY + ")\\s+(in|notin)\\s*\\(([^()]*)\\)");
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern COMMA_OUTSIDE_PARENTHESES = Pattern.compile(",(?![^(]*\\))");

    private final String text;

    LabelSelectorText(String text) {
        this.text = text;
    }

    LabelSelector parse() {
        if (text.isBlank()) {
            return LabelSelector.EVERYTHING;
        }
        List<Requirement> requirements = new ArrayList<>();
        for (String each : COMMA_OUTSIDE_PARENTHESES.split(text, -1)) {
            requirements.add(requirement(each.strip()));
        }
        return new LabelSelector(requirements);
    }

    private Requirement requirement(String part) {
        Matcher exists = EXISTS.matcher(part);
        if (exists.matches()) {
            return new Requirement(exists.group(2), exists.group(1).isEmpty() ? "Exists" : "DoesNotExist", List.of());
        }
        Matcher equality = EQUALITY.matcher(part);
        if (equality.matches()) {
            String value = equality.group(3).strip();
            return new Requirement(
                    equality.group(1), operator(equality.group(2), value, part), List.of(value(value, part)));
        }
        Matcher set = SET.matcher(part);
        if (set.matches()) {
            List<String> values = Arrays.stream(set.group(3).split(",", -1))
                    .map(String::strip)
                    .map(each -> value(each, part))
                    .toList();
            if (values.equals(List.of(""))) {
                throw invalid(part);
            }
            return new Requirement(set.group(1), set.group(2).equals("in") ? "In" : "NotIn", values);
        }
        throw invalid(part);
    }

    private String operator(String sign, String value, String part) {
        return switch (sign) {
            case "!=" -> "NotIn";
            case ">", "<" -> {
                if (!NUMBER.matcher(value).matches()) {
                    throw invalid(part);
                }
                yield sign.equals(">") ? "Gt" : "Lt";
            }
            default -> "In";
        };
    }

    private String value(String value, String part) {
        if (!VALUE.matcher(value).matches()) {
            throw invalid(part);
        }
        return value;
    }

    private IllegalArgumentException invalid(String part) {
        return new IllegalArgumentException(
                "'%s' in label selector '%s' is not a requirement: use requirements such as pool=a, pool!=a, pool in (a,b), pool notin (a,b), pool or !pool, with commas between"
                        .formatted(part, text));
    }

    /** Returns a requirement in this syntax. */
    static String of(Requirement requirement) {
        String key = requirement.key();
        String values = String.join(",", requirement.values());
        return switch (requirement.operator()) {
            case "Exists" -> key;
            case "DoesNotExist" -> "!" + key;
            case "In" -> requirement.values().size() == 1 ? key + "=" + values : "%s in (%s)".formatted(key, values);
            case "NotIn" ->
                requirement.values().size() == 1 ? key + "!=" + values : "%s notin (%s)".formatted(key, values);
            case "Gt" -> key + ">" + values;
            case "Lt" -> key + "<" + values;
            default -> throw new IllegalArgumentException("label selectors have no operator " + requirement.operator());
        };
    }
}
