package dev.claimstream.lint.cel;

/**
 * A token of an expression.
 *
 * @param text as written; of a string literal without its quotes
 * @param start index in the expression
 * @param end index after the token
 */
record Token(TokenKind sort, String text, int start, int end) {
    enum TokenKind {
        IDENTIFIER,
        NUMBER,
        TEXT,
        OPERATOR,
        END
    }

    boolean is(String operator) {
        return sort == TokenKind.OPERATOR && text.equals(operator);
    }

    boolean isName(String name) {
        return sort == TokenKind.IDENTIFIER && text.equals(name);
    }
}
