package dev.claimstream.selectors;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;

/** The expression of a derived attribute that compiled. Its errors carry no hint, unlike those of selectors. */
final class CompiledDerivation implements Derivation {
    private final CompiledExpression<Value> expression;

    CompiledDerivation(Environment.Compiled expression, AttributeCheck attributes, int memoMax) {
        this.expression = new CompiledExpression<>(expression, attributes, new Deriving(), memoMax);
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

    /** The value and its cost without the memo, for a device that can be read. */
    CompiledExpression.Measured<Value> measure(String driver, Device device) {
        return expression.measure(driver, device);
    }

    int answersKept() {
        return expression.answersKept();
    }
}
