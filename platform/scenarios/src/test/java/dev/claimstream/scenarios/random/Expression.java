package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An expression of CEL as a tree: a template with a hole for each part. */
public record Expression(String type, String template, List<Expression> parts) {
    private static final String EITHER_OF_A_BOUND = "cel.bind(w, {i}, w > {i} || w == {i})";
    private static final Pattern HOLE = Pattern.compile("\\{([a-z]+)}");

    public Expression {
        parts = List.copyOf(parts);
    }

    /** The types of the holes in a template. */
    static List<String> holes(String template) {
        return HOLE.matcher(template).results().map(each -> each.group(1)).toList();
    }

    /** The text. */
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

    /** The operands of {@code &&} and {@code ||} anywhere in it, each with the variable that it needs. */
    public List<Expression> terms() {
        List<Expression> found = new ArrayList<>();
        if (template.equals("{b} && {b}") || template.equals("{b} || {b}")) {
            found.addAll(parts);
        } else if (template.equals(EITHER_OF_A_BOUND)) {
            found.add(new Expression(type, "cel.bind(w, {i}, w > {i})", List.of(parts.get(0), parts.get(1))));
            found.add(new Expression(type, "cel.bind(w, {i}, w == {i})", List.of(parts.get(0), parts.get(2))));
        }
        parts.forEach(part -> found.addAll(part.terms()));
        return found;
    }

    /** Truth values in {@code dyn} anywhere in it. */
    public List<Expression> untyped() {
        List<Expression> found = new ArrayList<>();
        if (template.startsWith("dyn({") && parts.getFirst().type.equals("b")) {
            found.addAll(parts);
        }
        parts.forEach(part -> found.addAll(part.untyped()));
        return found;
    }

    /** The operands of optional selections of a field anywhere in it. */
    public List<Expression> selectedFrom() {
        List<Expression> found = new ArrayList<>();
        if (template.startsWith("{") && template.contains("}.?")) {
            found.add(parts.getFirst());
        }
        parts.forEach(part -> found.addAll(part.selectedFrom()));
        return found;
    }

    /** Simpler ones: a part in the place of the whole, or a part that is simpler itself. */
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
