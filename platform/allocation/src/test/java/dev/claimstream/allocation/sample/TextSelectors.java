package dev.claimstream.allocation.sample;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.Optional;

/**
 * Evaluates selectors and derived attributes in a small language instead of CEL.
 *
 * <p>Selectors:
 *
 * <ul>
 *   <li>{@code true}, {@code false}; {@code fail} does not compile
 *   <li>{@code fail-on:NAME}: a runtime error on devices of this name, a match on all others
 *   <li>{@code attribute=value}: a match on devices with this attribute value
 *   <li>{@code costly:EXPRESSION}: the same as EXPRESSION at a high cost
 * </ul>
 *
 * <p>Derived attributes:
 *
 * <ul>
 *   <li>{@code attr NAME}: the value of an attribute; an error on devices without it
 *   <li>{@code value VALUE}: the same value on all devices
 *   <li>{@code fail}: an error on all devices; {@code none} does not compile
 * </ul>
 */
public final class TextSelectors implements Selectors {
    private static final String FAIL_ON = "fail-on:";
    private static final String COSTLY = "costly:";
    private static final long EXTRA_COST = 500;
    private static final String ATTRIBUTE = "attr ";
    private static final String VALUE = "value ";

    @Override
    public Selector compile(String expression) {
        return new TextSelector(expression);
    }

    /** A selector. One evaluation costs one unit per character of the expression. */
    private record TextSelector(String fingerprint) implements Selector {
        @Override
        public Match test(String driver, Device device) {
            return TextSelectors.test(fingerprint, driver, device);
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return readKey(driver, device);
        }

        @Override
        public CostedAnswer<Match> evaluate(String driver, Device device) {
            return new CostedAnswer<>(test(driver, device), cost(fingerprint));
        }
    }

    private record TextDerivation(String expression) implements Derivation {
        @Override
        public DerivationOutcome of(String driver, Device device) {
            return value(expression, driver, device);
        }

        @Override
        public String fingerprint() {
            return "derived " + expression;
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return readKey(driver, device);
        }

        @Override
        public CostedAnswer<DerivationOutcome> evaluate(String driver, Device device) {
            return new CostedAnswer<>(of(driver, device), expression.length());
        }
    }

    private static ReadKey readKey(String driver, Device device) {
        return ReadKey.of(driver + " " + device.name() + " " + device.attributes());
    }

    @Override
    public long compilationCost(String expression) {
        return 1;
    }

    @Override
    public Derivation derive(String expression) {
        return new TextDerivation(expression);
    }

    private static Derivation.DerivationOutcome value(String expression, String driver, Device device) {
        if (expression.startsWith(ATTRIBUTE)) {
            return attribute(expression.substring(ATTRIBUTE.length()), driver, device);
        }
        if (expression.startsWith(VALUE)) {
            return new Derivation.DerivationOutcome.DerivedAttributeValue(
                    DeviceText.value(expression.substring(VALUE.length())));
        }
        return switch (expression) {
            case "fail" -> new Derivation.DerivationOutcome.DerivationError("division by zero", false);
            case "none" ->
                new Derivation.DerivationOutcome.DerivationError("compilation failed: undeclared reference", true);
            default -> throw new IllegalArgumentException("no derived attribute: " + expression);
        };
    }

    private static Derivation.DerivationOutcome attribute(String name, String driver, Device device) {
        return Optional.ofNullable(device.attributes().get(driver + "/" + name))
                .or(() -> Optional.ofNullable(device.attributes().get(name)))
                .<Derivation.DerivationOutcome>map(Derivation.DerivationOutcome.DerivedAttributeValue::new)
                .orElseGet(() -> new Derivation.DerivationOutcome.DerivationError("no such key: " + name, false));
    }

    private static long cost(String expression) {
        return expression.length() + (expression.startsWith(COSTLY) ? EXTRA_COST : 0);
    }

    private static Selector.Match test(String expression, String driver, Device device) {
        if (expression.startsWith(COSTLY)) {
            return test(expression.substring(COSTLY.length()), driver, device);
        }
        return switch (expression) {
            case "true" -> Selector.Match.MATCH;
            case "false" -> Selector.Match.MISMATCH;
            case "fail" -> new Selector.Match.SelectorError("CEL compile error: undeclared reference");
            default ->
                expression.startsWith(FAIL_ON)
                        ? matchUnlessNamed(expression.substring(FAIL_ON.length()), device)
                        : equality(expression, driver, device);
        };
    }

    private static Selector.Match matchUnlessNamed(String name, Device device) {
        return device.name().equals(name)
                ? new Selector.Match.SelectorError("CEL runtime error: no such key: memory")
                : Selector.Match.MATCH;
    }

    private static Selector.Match equality(String expression, String driver, Device device) {
        int sign = expression.indexOf('=');
        String name = expression.substring(0, sign);
        AttributeValue wanted = DeviceText.value(expression.substring(sign + 1));
        AttributeValue found = device.attributes().get(name);
        AttributeValue qualified = device.attributes().get(driver + "/" + name);
        return wanted.equals(found) || wanted.equals(qualified) ? Selector.Match.MATCH : Selector.Match.MISMATCH;
    }
}
