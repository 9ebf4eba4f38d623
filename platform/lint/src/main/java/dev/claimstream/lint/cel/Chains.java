package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.Chain.Sort;
import dev.claimstream.lint.cel.Chain.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds the selection chains in the tokens of an expression. */
final class Chains {
    private static final Map<String, String> CLOSING = Map.of("(", ")", "[", "]", "{", "}");

    private final List<Token> tokens;

    private Chains(List<Token> tokens) {
        this.tokens = tokens;
    }

    /** Returns all chains, including those inside the brackets of other chains. */
    static List<Chain> of(List<Token> tokens) {
        Chains chains = new Chains(tokens);
        List<Chain> all = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).sort() == Token.Sort.IDENTIFIER && !chains.isSelected(i)) {
                all.add(chains.from(i));
            }
        }
        return all;
    }

    /** Returns whether a token follows a dot, with or without a question mark. */
    private boolean isSelected(int index) {
        return (index > 0 && tokens.get(index - 1).is("."))
                || (index > 1
                        && tokens.get(index - 1).is("?")
                        && tokens.get(index - 2).is("."));
    }

    private Chain from(int first) {
        List<Step> steps = new ArrayList<>();
        Token begin = tokens.get(first);
        steps.add(new Step(Sort.NAME, begin.text(), begin.start(), begin.end()));
        int at = first + 1;
        while (true) {
            int behind = step(steps, at);
            if (behind == at) {
                return new Chain(steps, first, at);
            }
            at = behind;
        }
    }

    /** Adds the step that begins at a token. Returns the index of the token after it, or the same index if there is no step. */
    private int step(List<Step> steps, int at) {
        Token token = tokens.get(at);
        if (token.is(".")) {
            int name = tokens.get(at + 1).is("?") ? at + 2 : at + 1;
            if (name < tokens.size() && tokens.get(name).sort() == Token.Sort.IDENTIFIER) {
                Token word = tokens.get(name);
                steps.add(new Step(Sort.NAME, word.text(), token.start(), word.end()));
                return name + 1;
            }
        } else if (token.is("[") || token.is("(")) {
            int close = closing(at);
            if (close < tokens.size()) {
                steps.add(bracket(at, close));
                return close + 1;
            }
        }
        return at;
    }

    private Step bracket(int open, int close) {
        int start = tokens.get(open).start();
        int end = tokens.get(close).end();
        if (tokens.get(open).is("(")) {
            return new Step(Sort.CALL, "", start, end);
        }
        int key = tokens.get(open + 1).is("?") ? open + 2 : open + 1;
        boolean isText = tokens.get(key).sort() == Token.Sort.TEXT && key + 1 == close;
        return isText
                ? new Step(Sort.INDEX, tokens.get(key).text(), start, end)
                : new Step(Sort.OTHER_INDEX, "", start, end);
    }

    private int closing(int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.sort() == Token.Sort.OPERATOR && CLOSING.containsKey(token.text())) {
                depth++;
            } else if (token.sort() == Token.Sort.OPERATOR && CLOSING.containsValue(token.text()) && --depth == 0) {
                return i;
            }
        }
        return tokens.size();
    }
}
