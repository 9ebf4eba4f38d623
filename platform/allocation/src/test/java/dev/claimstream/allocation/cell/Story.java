package dev.claimstream.allocation.cell;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A story: a test as text, with one or more clauses per line.
 *
 * <p>A clause begins with {@code given}, {@code when}, {@code then}, or {@code and}, which repeats the previous word.
 * After two spaces, {@code when}, {@code then} or {@code and} begins a further clause on the same line. {@code #}
 * begins a comment.
 */
record Story(String name, List<Clause> clauses) {
    private static final Pattern WORD = Pattern.compile("(given|when|then|and)\\s+(.*)");

    Story {
        clauses = List.copyOf(clauses);
    }

    /** One clause: an action or a check. */
    record Clause(int line, boolean isCheck, String text) {}

    static Story read(String name, List<String> lines) {
        List<Clause> clauses = new ArrayList<>();
        boolean isCheck = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").strip();
            if (line.isEmpty()) {
                continue;
            }
            for (String part : line.split("\\s{2,}(?=(when|then|and)\\s)", -1)) {
                Matcher word = WORD.matcher(part.strip());
                if (!word.matches()) {
                    throw new IllegalArgumentException(
                            "%s:%d: \"%s\" does not begin with given, when, then or and".formatted(name, i + 1, part));
                }
                isCheck = word.group(1).equals("and") ? isCheck : word.group(1).equals("then");
                clauses.add(new Clause(i + 1, isCheck, word.group(2).strip()));
            }
        }
        return new Story(name, clauses);
    }
}
