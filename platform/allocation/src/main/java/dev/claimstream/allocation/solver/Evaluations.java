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
public final class Evaluations implements Selectors {
    private final Selectors selectors;
    private final Map<String, Paid> paid = new LinkedHashMap<>();
    private long size;
    private long additions;

    public Evaluations(Selectors selectors) {
        this.selectors = selectors;
    }

    /** Adds results of one expression to the cache. */
    public void put(String fingerprint, Map<ReadKey, Answer> answers) {
        Map<ReadKey, Answer> known = paid.computeIfAbsent(fingerprint, _ -> new Paid(++additions)).answers;
        size -= known.size();
        known.putAll(answers);
        size += known.size();
    }

    /**
     * Cached results of one expression.
     *
     * @param since sequence number of the addition; an expression that is removed and added again gets a new one
     */
    private record Paid(long since, Map<ReadKey, Answer> answers) {
        Paid(long since) {
            this(since, new LinkedHashMap<>());
        }
    }

    /** Removes results of one expression from the cache. */
    public void remove(String fingerprint, Map<ReadKey, Answer> answers) {
        Paid known = paid.get(fingerprint);
        if (known != null) {
            size -= known.answers.size();
            answers.keySet().forEach(known.answers::remove);
            size += known.answers.size();
            if (known.answers.isEmpty()) {
                paid.remove(fingerprint);
            }
        }
    }

    /** Returns the cached result of an expression. */
    Optional<Answer> find(String fingerprint, ReadKey key) {
        Paid known = paid.get(fingerprint);
        return known == null ? Optional.empty() : Optional.ofNullable(known.answers.get(key));
    }

    /** Number that changes if all results of an expression are removed and others are added; 0 without results. */
    long since(String fingerprint) {
        Paid known = paid.get(fingerprint);
        return known == null ? 0 : known.since;
    }

    /** Number of cached results. */
    public long size() {
        return size;
    }

    /** Number of cached results of one expression. */
    public long size(String fingerprint) {
        Paid known = paid.get(fingerprint);
        return known == null ? 0 : known.answers.size();
    }

    @Override
    public Selector compile(String expression) {
        return new PaidSelector(selectors.compile(expression));
    }

    @Override
    public long compilationCost(String expression) {
        return selectors.compilationCost(expression);
    }

    @Override
    public Derivation derive(String expression) {
        return new PaidDerivation(selectors.derive(expression));
    }

    private final class PaidSelector implements Selector {
        private final Selector selector;
        private final String fingerprint;

        PaidSelector(Selector selector) {
            this.selector = selector;
            this.fingerprint = selector.fingerprint();
        }

        @Override
        public Match test(String driver, Device device) {
            Answer answer = find(fingerprint, selector.key(driver, device)).orElse(null);
            return answer instanceof Answer.Matched(var match)
                    ? match
                    : AnswerLimits.limited(selector.test(driver, device));
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
            return new CostedAnswer<>(AnswerLimits.limited(evaluated.answer()), evaluated.cost());
        }
    }

    private final class PaidDerivation implements Derivation {
        private final Derivation derivation;
        private final String fingerprint;

        PaidDerivation(Derivation derivation) {
            this.derivation = derivation;
            this.fingerprint = derivation.fingerprint();
        }

        @Override
        public Value of(String driver, Device device) {
            Answer answer = find(fingerprint, derivation.key(driver, device)).orElse(null);
            return answer instanceof Answer.Derived(var value)
                    ? value
                    : AnswerLimits.limited(derivation.of(driver, device));
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
        public CostedAnswer<Value> evaluate(String driver, Device device) {
            CostedAnswer<Value> evaluated = derivation.evaluate(driver, device);
            return new CostedAnswer<>(AnswerLimits.limited(evaluated.answer()), evaluated.cost());
        }
    }
}
