package dev.claimstream.selectors;

import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Derivation.DerivationOutcome;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.dra.Selectors;
import java.util.Optional;

/**
 * Device selectors and derived attributes in CEL, with the environment, limits and messages of Kubernetes 1.37.
 *
 * <p>Thread-safe. The environment is created at the first compilation; {@link #verifyFunctions} creates it earlier and verifies it.
 */
public final class CelSelectors implements Selectors {
    /** Maximum number of cached compiled expressions per purpose. */
    private static final int EXPRESSIONS_MAX = 512;
    /** Maximum number of cached results per expression. */
    private static final int ANSWERS_MAX = 2048;

    /** The fixed compilation cost, in characters: a short expression takes about 1 ms, as long as this many characters of a long one. */
    private static final long COMPILATION = 100;

    private static final ReadKey NOTHING_READ = new ReadKey(0, 0);

    private final Features features;
    private Optional<Environment> environment = Optional.empty();
    private final AttributeCheck attributes = new AttributeCheck();
    private final LruCache<CompilationResult<Selector>> selectors =
            new LruCache<>(EXPRESSIONS_MAX, this::createSelector);
    private final LruCache<CompilationResult<Derivation>> derivations =
            new LruCache<>(EXPRESSIONS_MAX, this::createDerivation);

    private record CompilationResult<T>(T result, Optional<String> problem) {}

    /** A text that does not compile: the same failure for every device. */
    private record InvalidSelector(String fingerprint, Match failed) implements Selector {
        @Override
        public Match test(String driver, Device device) {
            return failed;
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return NOTHING_READ;
        }

        @Override
        public CostedAnswer<Match> evaluate(String driver, Device device) {
            return new CostedAnswer<>(failed, 0);
        }
    }

    /** A text that does not compile: the same failure for every device. */
    private record InvalidDerivation(String fingerprint, DerivationOutcome failed) implements Derivation {
        @Override
        public DerivationOutcome of(String driver, Device device) {
            return failed;
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return NOTHING_READ;
        }

        @Override
        public CostedAnswer<DerivationOutcome> evaluate(String driver, Device device) {
            return new CostedAnswer<>(failed, 0);
        }
    }

    /** Creates selectors for a cluster with the default gates of Kubernetes 1.37. */
    public CelSelectors() {
        this(Features.DEFAULT);
    }

    /** Creates selectors for a cluster with these gates. */
    public CelSelectors(Features features) {
        this.features = features;
    }

    @Override
    public Selector compile(String expression) {
        return selectors.get(expression).result;
    }

    @Override
    public Derivation derive(String expression) {
        return derivations.get(expression).result;
    }

    @Override
    public long compilationCost(String expression) {
        return COMPILATION + expression.length();
    }

    /** Returns the reason why an expression is not a selector, in upstream's words without prefix. Empty if it is one. */
    public Optional<String> problem(String expression) {
        return selectors.get(expression).problem;
    }

    /** Returns the reason why an expression is not a derived attribute, in upstream's words without prefix. Empty if it is one. */
    public Optional<String> derivationProblem(String expression) {
        return derivations.get(expression).problem;
    }

    /** Evaluates an expression on a device and measures the cost, without the cached results. */
    public Evaluation evaluate(String expression, String driver, Device device) {
        CostedAnswer<Match> evaluated = compile(expression).evaluate(driver, device);
        return new Evaluation(evaluated.answer(), evaluated.cost());
    }

    /**
     * Calls every overload of every function once, with arguments of static and of dynamic type.
     *
     * @throws IllegalStateException if a declared function cannot be called; the message names it
     */
    public void verifyFunctions() {
        FunctionVerifier.run(environment());
    }

    private synchronized Environment environment() {
        Environment created = environment.orElseGet(() -> new Environment(features));
        environment = Optional.of(created);
        return created;
    }

    private CompilationResult<Selector> createSelector(String expression) {
        try {
            Environment.CompiledProgram compiled = environment().compile(expression, ExpressionPurpose.SELECTOR);
            String fingerprint = Digests.fingerprint(expression, ExpressionPurpose.SELECTOR, features);
            return new CompilationResult<>(
                    new CompiledSelector(compiled, fingerprint, attributes, ANSWERS_MAX), Optional.empty());
        } catch (InvalidExpressionException e) {
            return new CompilationResult<>(
                    new InvalidSelector(
                            Digests.fingerprint(expression, ExpressionPurpose.SELECTOR, features),
                            new Match.SelectorError("CEL compile error: " + e.text())),
                    Optional.of(e.text()));
        }
    }

    private CompilationResult<Derivation> createDerivation(String expression) {
        try {
            Environment.CompiledProgram compiled =
                    environment().compile(expression, ExpressionPurpose.DERIVED_ATTRIBUTE);
            String fingerprint = Digests.fingerprint(expression, ExpressionPurpose.DERIVED_ATTRIBUTE, features);
            return new CompilationResult<>(
                    new CompiledDerivation(compiled, fingerprint, attributes, ANSWERS_MAX), Optional.empty());
        } catch (InvalidExpressionException e) {
            return new CompilationResult<>(
                    new InvalidDerivation(
                            Digests.fingerprint(expression, ExpressionPurpose.DERIVED_ATTRIBUTE, features),
                            new DerivationOutcome.DerivationError(e.text(), true)),
                    Optional.of(e.text()));
        }
    }
}
