package dev.claimstream.allocation.cell;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sentences and what they mean. A sentence is a pattern in which NAME stands for a name and TEXT for anything. */
final class Sentences {
    private final List<Sentence> known = new ArrayList<>();

    private record Sentence(Pattern pattern, Consumer<MatchResult> meaning) {}

    void say(String sentence, Consumer<MatchResult> meaning) {
        String pattern = sentence.replace("NAME", "([\\w./-]+)")
                .replace("NUMBER", "(\\d+)")
                .replace("TEXT", "(.+)");
        known.add(new Sentence(Pattern.compile(pattern), meaning));
    }

    /** Does what the first sentence that fits means, or nothing where none fits. */
    Optional<String> act(String text) {
        for (Sentence each : known) {
            Matcher matcher = each.pattern.matcher(text);
            if (matcher.matches()) {
                each.meaning.accept(matcher.toMatchResult());
                return Optional.of(each.pattern.pattern());
            }
        }
        return Optional.empty();
    }
}
