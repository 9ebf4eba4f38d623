package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A CEL expression as a tree: a template with a hole for each part. */
public record ExpressionTree(String type, String template, List<ExpressionTree> parts) {
    private static final Pattern HOLE = Pattern.compile("\\{([a-z]+)}");

    public ExpressionTree {
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
    public List<ExpressionTree> simplifications() {
        List<ExpressionTree> simpler = new ArrayList<>();
        collectParts(type, simpler);
        for (int i = 0; i < parts.size(); i++) {
            for (ExpressionTree part : parts.get(i).simplifications()) {
                List<ExpressionTree> changed = new ArrayList<>(parts);
                changed.set(i, part);
                simpler.add(new ExpressionTree(type, template, changed));
            }
        }
        if (!parts.isEmpty()) {
            simpler.add(Grammar.simplest(type));
        }
        return simpler;
    }

    private void collectParts(String wanted, List<ExpressionTree> found) {
        for (ExpressionTree part : parts) {
            if (part.type.equals(wanted)) {
                found.add(part);
            }
            part.collectParts(wanted, found);
        }
    }
}
