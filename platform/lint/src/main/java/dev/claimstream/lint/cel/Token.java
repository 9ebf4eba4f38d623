package dev.claimstream.lint.cel;

/**
 * A word of an expression.
 *
 * @param text as it is written; of a text in quotes what stands between them
 * @param start index in the expression
 * @param end index behind it
 */
record Token(Sort sort, String text, int start, int end) {
    enum Sort {
        IDENTIFIER,
        NUMBER,
        TEXT,
        OPERATOR,
        END
    }

    boolean is(String operator) {
        return sort == Sort.OPERATOR && text.equals(operator);
    }

    boolean isName(String name) {
        return sort == Sort.IDENTIFIER && text.equals(name);
    }
}
