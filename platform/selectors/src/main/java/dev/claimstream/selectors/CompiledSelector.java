package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import java.util.Optional;

/** A compiled selector. */
final class CompiledSelector implements Selector {
    private static final String HINT =
            ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields";

    private final CompiledExpression<Match> expression;

    CompiledSelector(Environment.Compiled expression, String fingerprint, AttributeCheck attributes, int memoMax) {
        this.expression = new CompiledExpression<>(expression, fingerprint, attributes, new Matching(), memoMax);
    }

    private static final class Matching implements CompiledExpression.Meaning<Match> {
        @Override
        public Match of(Object result) {
            return switch (result) {
                case Boolean fits -> fits ? Match.YES : Match.NO;
                case Optional<?> optional when optional.isPresent() -> of(optional.get());
                default -> ofFailure(NoBool.message(result));
            };
        }

        @Override
        public Match ofFailure(String message) {
            return new Match.Failed("CEL runtime error: " + message + (message.contains("no such key:") ? HINT : ""));
        }
    }

    @Override
    public Match test(String driver, Device device) {
        return expression.ask(driver, device);
    }

    @Override
    public String fingerprint() {
        return expression.fingerprint();
    }

    @Override
    public ReadKey key(String driver, Device device) {
        return expression.key(driver, device);
    }

    @Override
    public CostedAnswer<Match> evaluate(String driver, Device device) {
        return expression.evaluate(driver, device);
    }

    ImmutableList<Reading> readings() {
        return expression.readings();
    }

    int answersKept() {
        return expression.answersKept();
    }
}
