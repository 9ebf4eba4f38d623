package dev.claimstream.allocation.solver;

import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Cache of expression results for devices, keyed by fingerprint and read attributes. A result with a row is in the
 * cache, is charged once and is not evaluated again. A missing result is evaluated on demand, with the same value.
 */
public final class EvaluationCache implements Selectors {
    private final Selectors selectors;
    private final Map<String, CachedResults> resultsByExpression = new LinkedHashMap<>();
    private long size;
    private long generations;

    public EvaluationCache(Selectors selectors) {
        this.selectors = selectors;
    }

    /** Adds results of one expression to the cache. */
    public void put(String fingerprint, Map<ReadKey, ExpressionResult> answers) {
        Map<ReadKey, ExpressionResult> known =
                resultsByExpression.computeIfAbsent(fingerprint, _ -> new CachedResults(++generations)).results;
        size -= known.size();
        known.putAll(answers);
        size += known.size();
    }

    /**
     * Cached results of one expression.
     *
     * @param generation sequence number of the addition; an expression that is removed and added again gets a new one
     */
    private record CachedResults(long generation, Map<ReadKey, ExpressionResult> results) {
        CachedResults(long generation) {
            this(generation, new LinkedHashMap<>());
        }
    }

    public void remove(String fingerprint, Map<ReadKey, ExpressionResult> answers) {
        CachedResults known = resultsByExpression.get(fingerprint);
        if (known != null) {
            size -= known.results.size();
            answers.keySet().forEach(known.results::remove);
            size += known.results.size();
            if (known.results.isEmpty()) {
                resultsByExpression.remove(fingerprint);
            }
        }
    }

    Optional<ExpressionResult> find(String fingerprint, ReadKey key) {
        CachedResults known = resultsByExpression.get(fingerprint);
        return known == null ? Optional.empty() : Optional.ofNullable(known.results.get(key));
    }

    /** Number that changes if all results of an expression are removed and others are added; 0 without results. */
    long generation(String fingerprint) {
        CachedResults known = resultsByExpression.get(fingerprint);
        return known == null ? 0 : known.generation;
    }

    /** Number of cached results. */
    public long size() {
        return size;
    }

    /** Number of cached results of one expression. */
    public long size(String fingerprint) {
        CachedResults known = resultsByExpression.get(fingerprint);
        return known == null ? 0 : known.results.size();
    }

    @Override
    public Selector compile(String expression) {
        return new CachedSelector(selectors.compile(expression));
    }

    @Override
    public long compilationCost(String expression) {
        return selectors.compilationCost(expression);
    }

    @Override
    public Derivation derive(String expression) {
        return new CachedDerivation(selectors.derive(expression));
    }

    private final class CachedSelector implements Selector {
        private final Selector selector;
        private final String fingerprint;

        CachedSelector(Selector selector) {
            this.selector = selector;
            this.fingerprint = selector.fingerprint();
        }

        @Override
        public Match test(String driver, Device device) {
            ExpressionResult result =
                    find(fingerprint, selector.key(driver, device)).orElse(null);
            return result instanceof ExpressionResult.MatchResult(var match)
                    ? match
                    : ExpressionResultLimits.limit(selector.test(driver, device));
        }

        @Override
        public String fingerprint() {
            return fingerprint;
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return selector.key(driver, device);
        }

        @Override
        public CostedAnswer<Match> evaluate(String driver, Device device) {
            CostedAnswer<Match> evaluated = selector.evaluate(driver, device);
            return new CostedAnswer<>(ExpressionResultLimits.limit(evaluated.answer()), evaluated.cost());
        }
    }

    private final class CachedDerivation implements Derivation {
        private final Derivation derivation;
        private final String fingerprint;

        CachedDerivation(Derivation derivation) {
            this.derivation = derivation;
            this.fingerprint = derivation.fingerprint();
        }

        @Override
        public DerivationOutcome of(String driver, Device device) {
            ExpressionResult result =
                    find(fingerprint, derivation.key(driver, device)).orElse(null);
            return result instanceof ExpressionResult.DerivationResult(var value)
                    ? value
                    : ExpressionResultLimits.limit(derivation.of(driver, device));
        }

        @Override
        public String fingerprint() {
            return fingerprint;
        }

        @Override
        public ReadKey key(String driver, Device device) {
            return derivation.key(driver, device);
        }

        @Override
        public CostedAnswer<DerivationOutcome> evaluate(String driver, Device device) {
            CostedAnswer<DerivationOutcome> evaluated = derivation.evaluate(driver, device);
            return new CostedAnswer<>(ExpressionResultLimits.limit(evaluated.answer()), evaluated.cost());
        }
    }
}
