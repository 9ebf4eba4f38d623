package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.Token.Sort;
import java.util.ArrayList;
import java.util.List;

/** Splits an expression into tokens. Unknown characters become operators: the compiler reports them. */
final class Tokens {
    private static final List<String> OPERATORS = List.of("&&", "||", "==", "!=", "<=", ">=");

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private Tokens(String text) {
        this.text = text;
    }

    /** Returns the tokens in their order and an end token. */
    static List<Token> of(String text) {
        Tokens tokens = new Tokens(text);
        tokens.read();
        tokens.tokens.add(new Token(Sort.END, "", text.length(), text.length()));
        return List.copyOf(tokens.tokens);
    }

    private void read() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (Character.isWhitespace(c)) {
                at++;
            } else if (text.startsWith("//", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (c == '"' || c == '\'') {
                quoted(at);
            } else if (isRawText()) {
                quoted(at + 1);
            } else if (Character.isJavaIdentifierStart(c) && c != '$') {
                word(Sort.IDENTIFIER);
            } else if (Character.isDigit(c)) {
                word(Sort.NUMBER);
            } else {
                operator();
            }
        }
    }

    private boolean isRawText() {
        return "rRbB".indexOf(text.charAt(at)) >= 0
                && at + 1 < text.length()
                && "\"'".indexOf(text.charAt(at + 1)) >= 0;
    }

    private void quoted(int open) {
        int start = at;
        String quote = text.substring(open, open + 1);
        String fence = text.startsWith(quote.repeat(3), open) ? quote.repeat(3) : quote;
        int end = open + fence.length();
        while (end < text.length() && !text.startsWith(fence, end)) {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        int inner = Math.min(end, text.length());
        at = Math.min(inner + fence.length(), text.length());
        tokens.add(new Token(Sort.TEXT, text.substring(Math.min(open + fence.length(), inner), inner), start, at));
    }

    private void word(Sort sort) {
        int start = at;
        while (at < text.length() && isPart(text.charAt(at), sort)) {
            at++;
        }
        tokens.add(new Token(sort, text.substring(start, at), start, at));
    }

    private static boolean isPart(char c, Sort sort) {
        return Character.isLetterOrDigit(c) || c == '_' || (sort == Sort.NUMBER && c == '.');
    }

    private void operator() {
        int start = at;
        String operator = OPERATORS.stream()
                .filter(each -> text.startsWith(each, start))
                .findFirst()
                .orElse(text.substring(at, at + 1));
        at += operator.length();
        tokens.add(new Token(Sort.OPERATOR, operator, start, at));
    }
}
