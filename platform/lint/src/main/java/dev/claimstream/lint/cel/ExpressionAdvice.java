package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.Token.TokenKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The advice about an expression that does not compile, the same in every command. */
public final class ExpressionAdvice {
    private static final String ENVIRONMENT = "correct the expression; the variable is device with driver,"
            + " attributes[\"domain\"].name, capacity[\"domain\"].name and allowMultipleAllocations";
    private static final String COMPARISON = "compare with a.compareTo(b) >= 0, isGreaterThan or isLessThan";
    private static final Pattern ORDER =
            Pattern.compile("no matching overload for '_(<|<=|>|>=)_' applied to '.*kubernetes\\.(Quantity|Semver)");
    private static final Map<String, String> CLOSING = Map.of("(", ")", "[", "]", "{", "}");
    private static final Map<String, String> OPERATORS = Map.of("=", "==", "&", "&&", "|", "||", "<>", "!=");
    private static final Map<String, String> WORDS = Map.of("and", "&&", "or", "||", "not", "!");

    private ExpressionAdvice() {}

    /**
     * Returns what to write instead of an expression that the compiler rejects.
     *
     * @param problem the message of the compiler
     */
    public static String of(String expression, String problem) {
        return operatorOfValue(expression)
                .or(() -> ordersOfValues(problem) > 0 ? Optional.of(COMPARISON) : Optional.empty())
                .or(() -> parentheses(Tokenizer.of(expression)))
                .or(() -> operator(Tokenizer.of(expression)))
                .orElse(ENVIRONMENT);
    }

    /** Returns the number of rejected operators that order quantities or versions, in a message of the compiler. */
    public static long ordersOfValues(String problem) {
        return ORDER.matcher(problem).results().count();
    }

    /** Explains a comparison of quantities or versions, which have functions for it. */
    private static Optional<String> operatorOfValue(String expression) {
        return ExpressionLinter.mistakes(expression).stream()
                .filter(mistake -> mistake.sort() == ExpressionMistake.MistakeKind.OPERATOR)
                .findFirst()
                .map(mistake -> mistake.message() + ": " + mistake.remedy());
    }

    private static Optional<String> parentheses(List<Token> tokens) {
        List<Token> open = new ArrayList<>();
        for (Token token : tokens) {
            if (token.sort() != TokenKind.OPERATOR) {
                continue;
            }
            if (CLOSING.containsKey(token.text())) {
                open.add(token);
            } else if (CLOSING.containsValue(token.text())) {
                boolean isMatch = !open.isEmpty() && token.is(closing(open.getLast()));
                if (!isMatch) {
                    return Optional.of("the %s at character %d closes nothing: leave it out, or open it before"
                            .formatted(token.text(), token.start() + 1));
                }
                open.removeLast();
            }
        }
        return open.stream()
                .findFirst()
                .map(token -> "the %s at character %d is not closed: write %s after its end"
                        .formatted(token.text(), token.start() + 1, closing(token)));
    }

    private static String closing(Token open) {
        return CLOSING.getOrDefault(open.text(), "");
    }

    private static Optional<String> operator(List<Token> tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean isWord =
                    token.sort() == TokenKind.IDENTIFIER && !tokens.get(i - 1).is(".");
            boolean isOperator = token.sort() == TokenKind.OPERATOR;
            String suggestion = isOperator
                    ? OPERATORS.getOrDefault(token.text(), "")
                    : WORDS.getOrDefault(token.text().toLowerCase(Locale.ROOT), "");
            if (!suggestion.isEmpty() && (isOperator || isWord)) {
                return Optional.of("CEL has no operator %s: write %s".formatted(token.text(), suggestion));
            }
        }
        return Optional.empty();
    }
}
