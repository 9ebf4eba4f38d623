package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A CEL expression as a tree: a template with a hole for each part. */
public record Expression(String type, String template, List<Expression> parts) {
    private static final Pattern HOLE = Pattern.compile("\\{([a-z]+)}");

    public Expression {
        parts = List.copyOf(parts);
    }

    /** Returns the types of the holes in a template. */
    static List<String> holes(String template) {
        return HOLE.matcher(template).results().map(each -> each.group(1)).toList();
    }

    public String text() {
        Matcher holes = HOLE.matcher(template);
        var text = new StringBuilder();
        int part = 0;
        while (holes.find()) {
            holes.appendReplacement(
                    text, Matcher.quoteReplacement(parts.get(part++).text()));
        }
        holes.appendTail(text);
        return text.toString();
    }

    /** Returns simpler expressions: a part replaces the whole, or a part is simplified. */
    public List<Expression> simpler() {
        List<Expression> simpler = new ArrayList<>();
        ofType(type, simpler);
        for (int i = 0; i < parts.size(); i++) {
            for (Expression part : parts.get(i).simpler()) {
                List<Expression> changed = new ArrayList<>(parts);
                changed.set(i, part);
                simpler.add(new Expression(type, template, changed));
            }
        }
        if (!parts.isEmpty()) {
            simpler.add(Grammar.simplest(type));
        }
        return simpler;
    }

    private void ofType(String wanted, List<Expression> found) {
        for (Expression part : parts) {
            if (part.type.equals(wanted)) {
                found.add(part);
            }
            part.ofType(wanted, found);
        }
    }
}
