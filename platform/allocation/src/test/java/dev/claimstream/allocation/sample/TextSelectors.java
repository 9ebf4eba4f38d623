package dev.claimstream.allocation.sample;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;

/**
 * Selectors in a small language instead of CEL: {@code true}, {@code false}, {@code fail} (does not compile), {@code fail-on:NAME}
 * (fails on devices of this name, takes all others), and {@code attribute=value} (takes devices that have it).
 */
public final class TextSelectors implements Selectors {
    private static final String FAIL_ON = "fail-on:";

    @Override
    public Selector compile(String expression) {
        return (driver, device) -> test(expression, driver, device);
    }

    @Override
    public Derivation derive(String expression) {
        return (driver, device) -> derived(expression, device);
    }

    private static Derivation.Value derived(String expression, Device device) {
        AttributeValue value = device.attributes().get(expression.replace("attr ", ""));
        return value == null
                ? new Derivation.Value.Failed(
                        "none".equals(expression) ? "does not compile" : "no such key", "none".equals(expression))
                : new Derivation.Value.Found(value);
    }

    private static Selector.Match test(String expression, String driver, Device device) {
        return switch (expression) {
            case "true" -> Selector.Match.YES;
            case "false" -> Selector.Match.NO;
            case "fail" -> new Selector.Match.Failed("CEL compile error: undeclared reference");
            default ->
                expression.startsWith(FAIL_ON)
                        ? failsOn(expression.substring(FAIL_ON.length()), device)
                        : equality(expression, driver, device);
        };
    }

    private static Selector.Match failsOn(String name, Device device) {
        return device.name().equals(name)
                ? new Selector.Match.Failed("CEL runtime error: no such key: memory")
                : Selector.Match.YES;
    }

    private static Selector.Match equality(String expression, String driver, Device device) {
        int sign = expression.indexOf('=');
        String name = expression.substring(0, sign);
        AttributeValue wanted = DeviceText.value(expression.substring(sign + 1));
        AttributeValue found = device.attributes().get(name);
        AttributeValue qualified = device.attributes().get(driver + "/" + name);
        return wanted.equals(found) || wanted.equals(qualified) ? Selector.Match.YES : Selector.Match.NO;
    }
}
