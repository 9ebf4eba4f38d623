package dev.claimstream.selectors;

import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;

/** The compiled expression of a derived attribute. Its errors have no hint, unlike those of selectors. */
final class CompiledDerivation implements Derivation {
    private final CompiledExpression<DerivationOutcome> expression;

    CompiledDerivation(
            Environment.CompiledProgram expression, String fingerprint, AttributeCheck attributes, int memoMax) {
        this.expression =
                new CompiledExpression<>(expression, fingerprint, attributes, new DerivationMapper(), memoMax);
    }

    private static final class DerivationMapper implements CompiledExpression.ResultMapper<DerivationOutcome> {
        @Override
        public DerivationOutcome of(Object result) {
            return DerivedValue.of(result);
        }

        @Override
        public DerivationOutcome ofFailure(String message) {
            return DerivedValue.failed(message);
        }
    }

    @Override
    public DerivationOutcome of(String driver, Device device) {
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
    public CostedAnswer<DerivationOutcome> evaluate(String driver, Device device) {
        return expression.evaluate(driver, device);
    }

    int answerCount() {
        return expression.answerCount();
    }
}
