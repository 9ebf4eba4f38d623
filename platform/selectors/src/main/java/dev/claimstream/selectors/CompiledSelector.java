package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import java.util.Optional;

/** Selector of a request or class. Its result is reused for equal devices. */
final class CompiledSelector implements Selector {
    private static final String HINT =
            ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields";

    private final CompiledExpression<Match> expression;

    CompiledSelector(
            Environment.CompiledProgram expression, String fingerprint, AttributeCheck attributes, int memoMax) {
        this.expression = new CompiledExpression<>(expression, fingerprint, attributes, new MatchMapper(), memoMax);
    }

    private static final class MatchMapper implements CompiledExpression.ResultMapper<Match> {
        @Override
        public Match of(Object result) {
            return switch (result) {
                case Boolean fits -> fits ? Match.MATCH : Match.MISMATCH;
                case Optional<?> optional when optional.isPresent() -> of(optional.get());
                default -> ofFailure(NonBoolResult.message(result));
            };
        }

        @Override
        public Match ofFailure(String message) {
            return new Match.SelectorError(
                    "CEL runtime error: " + message + (message.contains("no such key:") ? HINT : ""));
        }
    }

    @Override
    public Match test(String driver, Device device) {
        return expression.cachedAnswer(driver, device);
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

    ImmutableList<ReadPath> readPaths() {
        return expression.readPaths();
    }

    int answerCount() {
        return expression.answerCount();
    }
}
