package dev.claimstream.allocation.cell;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sentences of a story with their actions.
 *
 * <p>A sentence is a regular expression in which NAME stands for a name, NUMBER for a number and TEXT for any text.
 */
final class Sentences {
    private final List<Sentence> sentences = new ArrayList<>();

    private record Sentence(Pattern pattern, Consumer<MatchResult> action) {}

    void define(String sentence, Consumer<MatchResult> meaning) {
        String pattern = sentence.replace("NAME", "([\\w./-]+)")
                .replace("NUMBER", "(\\d+)")
                .replace("TEXT", "(.+)");
        sentences.add(new Sentence(Pattern.compile(pattern), meaning));
    }

    /**
     * Executes the action of the first sentence that matches.
     *
     * @return the pattern of the sentence; empty if none matches
     */
    Optional<String> execute(String text) {
        for (Sentence each : sentences) {
            Matcher matcher = each.pattern.matcher(text);
            if (matcher.matches()) {
                each.action.accept(matcher.toMatchResult());
                return Optional.of(each.pattern.pattern());
            }
        }
        return Optional.empty();
    }
}
