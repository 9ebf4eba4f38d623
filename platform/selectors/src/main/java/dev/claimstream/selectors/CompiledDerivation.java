package dev.claimstream.selectors;

import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;

/** The compiled expression of a derived attribute. Its errors have no hint, unlike those of selectors. */
final class CompiledDerivation implements Derivation {
    private final CompiledExpression<Value> expression;

    CompiledDerivation(Environment.Compiled expression, String fingerprint, AttributeCheck attributes, int memoMax) {
        this.expression = new CompiledExpression<>(expression, fingerprint, attributes, new Deriving(), memoMax);
    }

    private static final class Deriving implements CompiledExpression.Meaning<Value> {
        @Override
        public Value of(Object result) {
            return DerivedValue.of(result);
        }

        @Override
        public Value ofFailure(String message) {
            return DerivedValue.failed(message);
        }
    }

    @Override
    public Value of(String driver, Device device) {
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
    public CostedAnswer<Value> evaluate(String driver, Device device) {
        return expression.evaluate(driver, device);
    }

    int answersKept() {
        return expression.answersKept();
    }
}
