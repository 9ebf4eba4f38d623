package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compiles the expressions of a problem, each one once, in a fixed order and in portions. */
final class Compilation implements Selectors {
    private final Selectors selectors;
    private final List<Expression> expressions;
    private final String digest;
    private final long cost;
    private final Map<String, Selector> compiled = new LinkedHashMap<>();
    private final Map<String, Derivation> derived = new LinkedHashMap<>();

    /**
     * A CEL expression as written in a claim or class. Its string form is part of digests that rows store.
     *
     * @param derives whether the expression derives an attribute
     */
    record Expression(String text, boolean derives) {}

    /** @param meaning other inputs of the results, such as feature gates */
    Compilation(Collection<Expression> expressions, String meaning, Selectors selectors) {
        this.selectors = selectors;
        this.expressions = expressions.stream().distinct().toList();
        this.digest = ReadKey.of(this.expressions + " " + meaning).toString();
        this.cost = this.expressions.stream()
                .mapToLong(each -> compilationCost(each.text))
                .sum();
    }

    /** Digest that identifies the expressions. */
    String digest() {
        return digest;
    }

    /** Compilation cost of all expressions, in the unit of {@link Selectors#compilationCost}. */
    long cost() {
        return cost;
    }

    /**
     * Compiles expressions up to a cost limit; the last expression may exceed the limit.
     *
     * @param from cost of the expressions that are compiled already
     * @param most cost limit of this call
     * @return cost of all compiled expressions
     */
    long advance(long from, long most) {
        long end = 0;
        for (Expression each : expressions) {
            if (end - from >= most) {
                break;
            }
            end += compilationCost(each.text);
            if (end > from) {
                compile(each);
            }
        }
        return end;
    }

    private void compile(Expression each) {
        if (each.derives) {
            derive(each.text);
        } else {
            compile(each.text);
        }
    }

    @Override
    public Selector compile(String expression) {
        return compiled.computeIfAbsent(expression, selectors::compile);
    }

    @Override
    public Derivation derive(String expression) {
        return derived.computeIfAbsent(expression, selectors::derive);
    }

    @Override
    public long compilationCost(String expression) {
        return selectors.compilationCost(expression);
    }
}
