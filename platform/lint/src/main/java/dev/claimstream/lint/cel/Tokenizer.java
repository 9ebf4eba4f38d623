package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.Token.TokenKind;
import java.util.ArrayList;
import java.util.List;

/** Splits an expression into tokens. Unknown characters become operators: the compiler reports them. */
final class Tokenizer {
    private static final List<String> OPERATORS = List.of("&&", "||", "==", "!=", "<=", ">=", "<>");

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int position;

    private Tokenizer(String text) {
        this.text = text;
    }

    /** Returns the tokens in their order and an end token. */
    static List<Token> of(String text) {
        Tokenizer tokens = new Tokenizer(text);
        tokens.read();
        tokens.tokens.add(new Token(TokenKind.END, "", text.length(), text.length()));
        return List.copyOf(tokens.tokens);
    }

    private void read() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (Character.isWhitespace(c)) {
                position++;
            } else if (text.startsWith("//", position)) {
                int end = text.indexOf('\n', position);
                position = end < 0 ? text.length() : end;
            } else if (c == '"' || c == '\'') {
                quoted(position);
            } else if (isRawText()) {
                quoted(position + 1);
            } else if (Character.isJavaIdentifierStart(c) && c != '$') {
                word(TokenKind.IDENTIFIER);
            } else if (Character.isDigit(c)) {
                word(TokenKind.NUMBER);
            } else {
                operator();
            }
        }
    }

    private boolean isRawText() {
        return "rRbB".indexOf(text.charAt(position)) >= 0
                && position + 1 < text.length()
                && "\"'".indexOf(text.charAt(position + 1)) >= 0;
    }

    private void quoted(int open) {
        int start = position;
        String quote = text.substring(open, open + 1);
        String fence = text.startsWith(quote.repeat(3), open) ? quote.repeat(3) : quote;
        int end = open + fence.length();
        while (end < text.length() && !text.startsWith(fence, end)) {
            end += text.charAt(end) == '\\' ? 2 : 1;
        }
        int inner = Math.min(end, text.length());
        position = Math.min(inner + fence.length(), text.length());
        tokens.add(new Token(
                TokenKind.TEXT, text.substring(Math.min(open + fence.length(), inner), inner), start, position));
    }

    private void word(TokenKind sort) {
        int start = position;
        while (position < text.length() && isPart(text.charAt(position), sort)) {
            position++;
        }
        tokens.add(new Token(sort, text.substring(start, position), start, position));
    }

    private static boolean isPart(char c, TokenKind sort) {
        return Character.isLetterOrDigit(c) || c == '_' || (sort == TokenKind.NUMBER && c == '.');
    }

    private void operator() {
        int start = position;
        String operator = OPERATORS.stream()
                .filter(each -> text.startsWith(each, start))
                .findFirst()
                .orElse(text.substring(position, position + 1));
        position += operator.length();
        tokens.add(new Token(TokenKind.OPERATOR, operator, start, position));
    }
}
