package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The expressions of a question, each compiled once, one after the other. */
final class Compilation implements Selectors {
    private final Selectors selectors;
    private final List<Expression> expressions;
    private final String digest;
    private final long cost;
    private final Map<String, Selector> compiled = new LinkedHashMap<>();
    private final Map<String, Derivation> derived = new LinkedHashMap<>();

    /**
     * An expression as a claim or class has it.
     *
     * @param derives whether it derives an attribute
     */
    record Expression(String text, boolean derives) {}

    /** @param meaning what else the answers follow from */
    Compilation(Collection<Expression> expressions, String meaning, Selectors selectors) {
        this.selectors = selectors;
        this.expressions = expressions.stream().distinct().toList();
        this.digest = ReadKey.of(this.expressions + " " + meaning).toString();
        this.cost = this.expressions.stream()
                .mapToLong(each -> compilationCost(each.text))
                .sum();
    }

    /** Names the expressions. */
    String digest() {
        return digest;
    }

    /** What all expressions cost, as {@link Selectors#compilationCost} counts. */
    long cost() {
        return cost;
    }

    /**
     * Compiles expressions until enough is compiled; the last one may exceed it.
     *
     * @param from cost of the expressions that are compiled already
     * @param most cost of those to compile
     * @return cost of the expressions that are compiled now
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
