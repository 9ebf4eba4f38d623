package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.ExpressionMistake.ExpressionEdit;
import dev.claimstream.lint.cel.SelectionChain.ChainStep;
import dev.claimstream.lint.cel.SelectionChain.DeviceLookup;
import dev.claimstream.lint.cel.SelectionChain.StepKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds mistakes in an expression that the compiler does not detect or explain, and the replacement text. */
public final class ExpressionLinter {
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern OF_QUANTITY = Pattern.compile("\\(\\s*quantity\\s*\\(");
    private static final int DRIVER_MAX = 63;
    private static final Set<String> ORDERS = Set.of("<", "<=", ">", ">=");
    private static final Set<String> BEFORE = Set.of("(", "[", "{", ",", ":", "?", "&&", "||");
    private static final Set<String> AFTER = Set.of(")", "]", "}", ",", ":", "?", "&&", "||");
    private static final Set<String> METHODS = Set.of("compareTo", "isGreaterThan", "isLessThan", "add", "sub");

    private final String text;
    private final List<Token> tokens;
    private final List<SelectionChain> chains;
    private final List<ExpressionMistake> mistakes = new ArrayList<>();

    private ExpressionLinter(String text) {
        this.text = text;
        this.tokens = Tokenizer.of(text);
        this.chains = SelectionChainParser.of(tokens);
    }

    /** Returns the mistakes of an expression, in the order of its text. */
    public static List<ExpressionMistake> mistakes(String text) {
        ExpressionLinter expression = new ExpressionLinter(text);
        for (SelectionChain chain : expression.chains) {
            chain.lookup().map(LookupRules::mistakes).ifPresent(expression.mistakes::addAll);
            expression.method(chain);
        }
        expression.orders();
        expression.drivers();
        expression.mistakes.sort(Comparator.comparingInt(ExpressionMistake::start));
        return List.copyOf(expression.mistakes);
    }

    // ---- quantities among the attributes

    /** Checks {@code device.attributes[...].memory.compareTo(quantity(...))}. */
    private void method(SelectionChain chain) {
        List<ChainStep> steps = chain.steps();
        if (steps.size() < 6
                || steps.get(5).sort() != StepKind.CALL
                || !METHODS.contains(steps.get(4).text())) {
            return;
        }
        boolean takesQuantity =
                OF_QUANTITY.matcher(text.substring(steps.get(5).start())).lookingAt();
        chain.lookup().filter(_ -> takesQuantity).ifPresent(this::attribute);
    }

    /** Reports an attribute that is used as a quantity. */
    private void attribute(DeviceLookup lookup) {
        if (!lookup.isCapacity() && isSound(lookup)) {
            mistakes.add(new ExpressionMistake(
                    ExpressionMistake.MistakeKind.QUANTITY_LOOKUP,
                    lookup.map().start(),
                    "an attribute is a number, a text, a boolean or a version, never a quantity",
                    "write " + LookupRules.path(lookup, "capacity"),
                    List.of(new ExpressionEdit(
                            lookup.map().start(), lookup.map().end(), ".capacity"))));
        }
    }

    private static boolean isSound(DeviceLookup lookup) {
        return lookup.name().isPresent() && LookupRules.mistakes(lookup).isEmpty();
    }

    // ---- operators

    /** Checks comparison operators on types that have only functions for comparison. */
    private void orders() {
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.sort() == Token.TokenKind.OPERATOR && ORDERS.contains(token.text())) {
                order(i);
            }
        }
    }

    private void order(int at) {
        Optional<SelectionChain> left =
                chains.stream().filter(each -> each.endToken() == at).findFirst();
        Optional<SelectionChain> right =
                chains.stream().filter(each -> each.firstToken() == at + 1).findFirst();
        if (left.isEmpty() || right.isEmpty()) {
            return;
        }
        boolean isQuantity = isQuantity(left.get()) || isQuantity(right.get());
        boolean isVersion = left.get().isCall("semver") || right.get().isCall("semver");
        if (!isQuantity && !isVersion) {
            return;
        }
        if (isQuantity) {
            Optional.of(left.get()).flatMap(ExpressionLinter::plain).ifPresent(this::attribute);
            Optional.of(right.get()).flatMap(ExpressionLinter::plain).ifPresent(this::attribute);
        }
        String operator = tokens.get(at).text();
        String map = isQuantity ? "capacity" : "attributes";
        String compared = correctedOperand(left.get(), map) + ".compareTo(" + correctedOperand(right.get(), map) + ") "
                + operator + " 0";
        boolean isClear = isOperand(left.get()) && isOperand(right.get()) && isSeparate(left.get(), right.get());
        mistakes.add(new ExpressionMistake(
                ExpressionMistake.MistakeKind.OPERATOR,
                tokens.get(at).start(),
                "%s has no operator %s".formatted(isQuantity ? "Quantity" : "Semver", operator),
                "write " + compared,
                isClear ? asCall(left.get(), right.get(), operator) : List.of()));
    }

    private static List<ExpressionEdit> asCall(SelectionChain left, SelectionChain right, String operator) {
        int behindLeft = end(left);
        int atRight = start(right);
        int behindRight = end(right);
        return List.of(
                new ExpressionEdit(behindLeft, atRight, ".compareTo("),
                new ExpressionEdit(behindRight, behindRight, ") " + operator + " 0"));
    }

    /** Returns the operand in its correct form; of a lookup without the accessor. */
    private String correctedOperand(SelectionChain chain, String map) {
        boolean isWhole = chain.steps().size() <= 5;
        return chain.lookup()
                .filter(_ -> isWhole)
                .map(lookup -> LookupRules.corrected(lookup, map))
                .orElse(text(chain));
    }

    /** Returns the lookup of a chain that has no further steps. */
    private static Optional<DeviceLookup> plain(SelectionChain chain) {
        return chain.steps().size() == 4 ? chain.lookup() : Optional.empty();
    }

    private static boolean isQuantity(SelectionChain chain) {
        return chain.isCall("quantity")
                || plain(chain).filter(DeviceLookup::isCapacity).isPresent();
    }

    private static boolean isOperand(SelectionChain chain) {
        return chain.isCall("quantity")
                || chain.isCall("semver")
                || plain(chain).filter(ExpressionLinter::isSound).isPresent();
    }

    /** Returns whether no adjacent operator has a higher precedence than the one between the operands. */
    private boolean isSeparate(SelectionChain left, SelectionChain right) {
        boolean begins = left.firstToken() == 0 || isOperator(tokens.get(left.firstToken() - 1), BEFORE);
        Token behind = tokens.get(right.endToken());
        return begins && (behind.sort() == Token.TokenKind.END || isOperator(behind, AFTER));
    }

    private static boolean isOperator(Token token, Set<String> operators) {
        return token.sort() == Token.TokenKind.OPERATOR && operators.contains(token.text());
    }

    private static int start(SelectionChain chain) {
        return chain.steps().getFirst().start();
    }

    private static int end(SelectionChain chain) {
        return chain.steps().getLast().end();
    }

    private String text(SelectionChain chain) {
        return text.substring(start(chain), end(chain));
    }

    // ---- drivers

    private void drivers() {
        for (SelectionChain chain : chains) {
            List<ChainStep> steps = chain.steps();
            boolean isDriver = steps.size() == 2
                    && steps.getFirst().text().equals("device")
                    && steps.get(1).text().equals("driver");
            if (isDriver) {
                compared(chain).filter(ExpressionLinter::isImpossible).ifPresent(this::driver);
            }
        }
    }

    private Optional<Token> compared(SelectionChain driver) {
        Set<String> equality = Set.of("==", "!=");
        if (isOperator(tokens.get(driver.endToken()), equality)) {
            return Optional.of(tokens.get(driver.endToken() + 1));
        }
        boolean isRight = driver.firstToken() > 1 && isOperator(tokens.get(driver.firstToken() - 1), equality);
        return isRight ? Optional.of(tokens.get(driver.firstToken() - 2)) : Optional.empty();
    }

    private static boolean isImpossible(Token token) {
        String name = token.text().toLowerCase(Locale.ROOT);
        return token.sort() == Token.TokenKind.TEXT
                && (name.length() > DRIVER_MAX || !SUBDOMAIN.matcher(name).matches());
    }

    private void driver(Token name) {
        mistakes.add(new ExpressionMistake(
                ExpressionMistake.MistakeKind.DRIVER_NAME,
                name.start(),
                "no driver has the name %s: it would be a DNS subdomain of at most %d characters"
                        .formatted(name.text(), DRIVER_MAX),
                "write the driver of the ResourceSlices, for example %s".formatted(example(name.text())),
                List.of()));
    }

    /** Returns an example name; {@code vendor.com/gpu} is the form of extended resources, and drivers reverse it. */
    private static String example(String name) {
        int slash = name.indexOf('/');
        return slash > 0 && slash < name.length() - 1
                ? name.substring(slash + 1) + "." + name.substring(0, slash)
                : "gpu.example.com";
    }
}
