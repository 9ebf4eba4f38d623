package dev.claimstream.allocation.cell;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A story: a test as text, with one clause per line.
 *
 * <p>A clause begins with {@code given}, {@code when}, {@code then}, or {@code and}, which repeats the previous word.
 * {@code #} and a space begin a comment.
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
            String line = lines.get(i).replaceFirst("(^|\\s)# .*", "").strip();
            if (line.isEmpty()) {
                continue;
            }
            Matcher word = WORD.matcher(line);
            if (!word.matches()) {
                throw new IllegalArgumentException(
                        "%s:%d: \"%s\" does not begin with given, when, then or and".formatted(name, i + 1, line));
            }
            isCheck = word.group(1).equals("and") ? isCheck : word.group(1).equals("then");
            clauses.add(new Clause(i + 1, isCheck, word.group(2).strip()));
        }
        return new Story(name, clauses);
    }
}
