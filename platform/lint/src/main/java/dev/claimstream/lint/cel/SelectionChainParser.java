package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.SelectionChain.ChainStep;
import dev.claimstream.lint.cel.SelectionChain.StepKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds the selection chains in the tokens of an expression. */
final class SelectionChainParser {
    private static final Map<String, String> CLOSING = Map.of("(", ")", "[", "]", "{", "}");

    private final List<Token> tokens;

    private SelectionChainParser(List<Token> tokens) {
        this.tokens = tokens;
    }

    /** Returns all chains, including those inside the brackets of other chains. */
    static List<SelectionChain> of(List<Token> tokens) {
        SelectionChainParser chains = new SelectionChainParser(tokens);
        List<SelectionChain> all = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).sort() == Token.TokenKind.IDENTIFIER && !chains.isSelected(i)) {
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

    private SelectionChain from(int first) {
        List<ChainStep> steps = new ArrayList<>();
        Token begin = tokens.get(first);
        steps.add(new ChainStep(StepKind.NAME, begin.text(), begin.start(), begin.end()));
        int at = first + 1;
        while (true) {
            int behind = step(steps, at);
            if (behind == at) {
                return new SelectionChain(steps, first, at);
            }
            at = behind;
        }
    }

    /** Adds the step that begins at a token. Returns the index of the token after it, or the same index if there is no step. */
    private int step(List<ChainStep> steps, int at) {
        Token token = tokens.get(at);
        if (token.is(".")) {
            int name = tokens.get(at + 1).is("?") ? at + 2 : at + 1;
            if (name < tokens.size() && tokens.get(name).sort() == Token.TokenKind.IDENTIFIER) {
                Token word = tokens.get(name);
                steps.add(new ChainStep(StepKind.NAME, word.text(), token.start(), word.end()));
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

    private ChainStep bracket(int open, int close) {
        int start = tokens.get(open).start();
        int end = tokens.get(close).end();
        if (tokens.get(open).is("(")) {
            return new ChainStep(StepKind.CALL, "", start, end);
        }
        int key = tokens.get(open + 1).is("?") ? open + 2 : open + 1;
        boolean isText = tokens.get(key).sort() == Token.TokenKind.TEXT && key + 1 == close;
        return isText
                ? new ChainStep(StepKind.INDEX, tokens.get(key).text(), start, end)
                : new ChainStep(StepKind.OTHER_INDEX, "", start, end);
    }

    private int closing(int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.sort() == Token.TokenKind.OPERATOR && CLOSING.containsKey(token.text())) {
                depth++;
            } else if (token.sort() == Token.TokenKind.OPERATOR
                    && CLOSING.containsValue(token.text())
                    && --depth == 0) {
                return i;
            }
        }
        return tokens.size();
    }
}
