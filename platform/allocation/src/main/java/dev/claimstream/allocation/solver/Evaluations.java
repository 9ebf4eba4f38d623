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
 * The answers of expressions for devices, by what they read. Answers with a row are paid: they are never evaluated again. Everything
 * else is evaluated where it is asked, with the same answer.
 */
public final class Evaluations implements Selectors {
    private final Selectors selectors;
    private final Map<String, Paid> paid = new LinkedHashMap<>();
    private long size;
    private long additions;

    public Evaluations(Selectors selectors) {
        this.selectors = selectors;
    }

    /** Answers of one expression are paid from now on. */
    public void put(String fingerprint, Map<ReadKey, Answer> answers) {
        Map<ReadKey, Answer> known = paid.computeIfAbsent(fingerprint, _ -> new Paid(++additions)).answers;
        size -= known.size();
        known.putAll(answers);
        size += known.size();
    }

    /**
     * The paid answers of one expression.
     *
     * @param since which of all expressions that were ever added it is; one that was removed and added again has another number
     */
    private record Paid(long since, Map<ReadKey, Answer> answers) {
        Paid(long since) {
            this(since, new LinkedHashMap<>());
        }
    }

    /** Answers of one expression are no longer paid. */
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

    /** The paid answer of an expression. */
    Optional<Answer> find(String fingerprint, ReadKey key) {
        Paid known = paid.get(fingerprint);
        return known == null ? Optional.empty() : Optional.ofNullable(known.answers.get(key));
    }

    /** Another number after the answers of an expression were removed; 0 as long as there are none. */
    long since(String fingerprint) {
        Paid known = paid.get(fingerprint);
        return known == null ? 0 : known.since;
    }

    /** How many answers are paid. */
    public long size() {
        return size;
    }

    /** How many answers of one expression are paid. */
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
