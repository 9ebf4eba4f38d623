package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.Chain.Lookup;
import dev.claimstream.lint.cel.Chain.Sort;
import dev.claimstream.lint.cel.Chain.Step;
import dev.claimstream.lint.cel.Mistake.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds mistakes in an expression that the compiler does not detect or explain, and the replacement text. */
public final class ExpressionText {
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern OF_QUANTITY = Pattern.compile("\\(\\s*quantity\\s*\\(");
    private static final int DRIVER_MAX = 63;
    private static final Set<String> ORDERS = Set.of("<", "<=", ">", ">=");
    private static final Set<String> BEFORE = Set.of("(", "[", "{", ",", ":", "?", "&&", "||");
    private static final Set<String> BEHIND = Set.of(")", "]", "}", ",", ":", "?", "&&", "||");
    private static final Set<String> METHODS = Set.of("compareTo", "isGreaterThan", "isLessThan", "add", "sub");

    private final String text;
    private final List<Token> tokens;
    private final List<Chain> chains;
    private final List<Mistake> mistakes = new ArrayList<>();

    private ExpressionText(String text) {
        this.text = text;
        this.tokens = Tokens.of(text);
        this.chains = Chains.of(tokens);
    }

    /** Returns the mistakes of an expression, in the order of its text. */
    public static List<Mistake> mistakes(String text) {
        ExpressionText expression = new ExpressionText(text);
        for (Chain chain : expression.chains) {
            chain.lookup().map(Lookups::mistakes).ifPresent(expression.mistakes::addAll);
            expression.method(chain);
        }
        expression.orders();
        expression.drivers();
        expression.mistakes.sort(Comparator.comparingInt(Mistake::start));
        return List.copyOf(expression.mistakes);
    }

    // ---- quantities among the attributes

    /** Checks {@code device.attributes[...].memory.compareTo(quantity(...))}. */
    private void method(Chain chain) {
        List<Step> steps = chain.steps();
        if (steps.size() < 6
                || steps.get(5).sort() != Sort.CALL
                || !METHODS.contains(steps.get(4).text())) {
            return;
        }
        boolean takesQuantity =
                OF_QUANTITY.matcher(text.substring(steps.get(5).start())).lookingAt();
        chain.lookup().filter(_ -> takesQuantity).ifPresent(this::attribute);
    }

    /** Reports an attribute that is used as a quantity. */
    private void attribute(Lookup lookup) {
        if (!lookup.isCapacity() && isSound(lookup)) {
            mistakes.add(new Mistake(
                    Mistake.Sort.QUANTITY_LOOKUP,
                    lookup.map().start(),
                    "an attribute is a number, a text, a boolean or a version, never a quantity",
                    "write " + Lookups.path(lookup, "capacity"),
                    List.of(new Change(lookup.map().start(), lookup.map().end(), ".capacity"))));
        }
    }

    private static boolean isSound(Lookup lookup) {
        return lookup.name().isPresent() && Lookups.mistakes(lookup).isEmpty();
    }

    // ---- operators

    /** Checks comparison operators on types that have only functions for comparison. */
    private void orders() {
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.sort() == Token.Sort.OPERATOR && ORDERS.contains(token.text())) {
                order(i);
            }
        }
    }

    private void order(int at) {
        Optional<Chain> left =
                chains.stream().filter(each -> each.behind() == at).findFirst();
        Optional<Chain> right =
                chains.stream().filter(each -> each.first() == at + 1).findFirst();
        if (left.isEmpty() || right.isEmpty()) {
            return;
        }
        boolean isQuantity = isQuantity(left.get()) || isQuantity(right.get());
        boolean isVersion = left.get().isCall("semver") || right.get().isCall("semver");
        if (!isQuantity && !isVersion) {
            return;
        }
        if (isQuantity) {
            Optional.of(left.get()).flatMap(ExpressionText::plain).ifPresent(this::attribute);
            Optional.of(right.get()).flatMap(ExpressionText::plain).ifPresent(this::attribute);
        }
        String operator = tokens.get(at).text();
        String map = isQuantity ? "capacity" : "attributes";
        String compared = right(left.get(), map) + ".compareTo(" + right(right.get(), map) + ") " + operator + " 0";
        boolean isClear = isOperand(left.get()) && isOperand(right.get()) && standsAlone(left.get(), right.get());
        mistakes.add(new Mistake(
                Mistake.Sort.OPERATOR,
                tokens.get(at).start(),
                "%s has no operator %s".formatted(isQuantity ? "Quantity" : "Semver", operator),
                "write " + compared,
                isClear ? asCall(left.get(), right.get(), operator) : List.of()));
    }

    private static List<Change> asCall(Chain left, Chain right, String operator) {
        int behindLeft = end(left);
        int atRight = start(right);
        int behindRight = end(right);
        return List.of(
                new Change(behindLeft, atRight, ".compareTo("),
                new Change(behindRight, behindRight, ") " + operator + " 0"));
    }

    /** Returns the operand in its correct form; of a lookup without the accessor. */
    private String right(Chain chain, String map) {
        boolean isWhole = chain.steps().size() <= 5;
        return chain.lookup()
                .filter(_ -> isWhole)
                .map(lookup -> Lookups.right(lookup, map))
                .orElse(text(chain));
    }

    /** Returns the lookup of a chain that has no further steps. */
    private static Optional<Lookup> plain(Chain chain) {
        return chain.steps().size() == 4 ? chain.lookup() : Optional.empty();
    }

    private static boolean isQuantity(Chain chain) {
        return chain.isCall("quantity")
                || plain(chain).filter(Lookup::isCapacity).isPresent();
    }

    private static boolean isOperand(Chain chain) {
        return chain.isCall("quantity")
                || chain.isCall("semver")
                || plain(chain).filter(ExpressionText::isSound).isPresent();
    }

    /** Returns whether no adjacent operator has a higher precedence than the one between the operands. */
    private boolean standsAlone(Chain left, Chain right) {
        boolean begins = left.first() == 0 || isOperator(tokens.get(left.first() - 1), BEFORE);
        Token behind = tokens.get(right.behind());
        return begins && (behind.sort() == Token.Sort.END || isOperator(behind, BEHIND));
    }

    private static boolean isOperator(Token token, Set<String> operators) {
        return token.sort() == Token.Sort.OPERATOR && operators.contains(token.text());
    }

    private static int start(Chain chain) {
        return chain.steps().getFirst().start();
    }

    private static int end(Chain chain) {
        return chain.steps().getLast().end();
    }

    private String text(Chain chain) {
        return text.substring(start(chain), end(chain));
    }

    // ---- drivers

    private void drivers() {
        for (Chain chain : chains) {
            List<Step> steps = chain.steps();
            boolean isDriver = steps.size() == 2
                    && steps.getFirst().text().equals("device")
                    && steps.get(1).text().equals("driver");
            if (isDriver) {
                compared(chain).filter(ExpressionText::isImpossible).ifPresent(this::driver);
            }
        }
    }

    private Optional<Token> compared(Chain driver) {
        Set<String> equality = Set.of("==", "!=");
        if (isOperator(tokens.get(driver.behind()), equality)) {
            return Optional.of(tokens.get(driver.behind() + 1));
        }
        boolean isRight = driver.first() > 1 && isOperator(tokens.get(driver.first() - 1), equality);
        return isRight ? Optional.of(tokens.get(driver.first() - 2)) : Optional.empty();
    }

    private static boolean isImpossible(Token token) {
        String name = token.text().toLowerCase(Locale.ROOT);
        return token.sort() == Token.Sort.TEXT
                && (name.length() > DRIVER_MAX || !SUBDOMAIN.matcher(name).matches());
    }

    private void driver(Token name) {
        mistakes.add(new Mistake(
                Mistake.Sort.DRIVER_NAME,
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
