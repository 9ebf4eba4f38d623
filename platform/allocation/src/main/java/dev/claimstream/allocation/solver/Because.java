package dev.claimstream.allocation.solver;

import dev.claimstream.dra.AttributeValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Formats why the allocator selected a node, and why it did not select the second-best node. */
final class Because {
    private Because() {}

    static Plan.Choice of(Question question, Policy policy, Found found, Found.Fit best) {
        Optional<Found.Fit> second = found.second();
        return new Plan.Choice(
                policy,
                found.fitting(),
                text(question, policy, found.fitting(), best),
                second.map(fit -> fit.node().name()),
                second.map(fit -> against(policy, best, fit)).orElse(""));
    }

    private static String text(Question question, Policy policy, int fitting, Found.Fit best) {
        List<String> parts = new ArrayList<>();
        alternative(question, best).ifPresent(parts::add);
        bond(question, best).ifPresent(parts::add);
        if (question.shape().rules().onlyNode().isPresent()) {
            parts.add("on the node that the pod or its other claims are bound to");
        } else if (fitting == 1) {
            parts.add("the only node that fits");
        } else if (policy == Policy.FIRST_FIT) {
            parts.add("first by name of " + fitting);
        } else {
            int left = best.outcome().score().left();
            parts.add((left == 0 ? "fills the node" : "leaves " + left + " free on the node") + ": best of " + fitting);
        }
        return String.join(", ", parts);
    }

    private static Optional<String> alternative(Question question, Found.Fit best) {
        for (int column : best.outcome().columns()) {
            Want want = question.wants().get(column);
            if (!want.resultName().equals(want.request())) {
                return Optional.of("alternative %d, %s"
                        .formatted(
                                want.preference() + 1,
                                want.resultName().substring(want.request().length() + 1)));
            }
        }
        return Optional.empty();
    }

    private static Optional<String> bond(Question question, Found.Fit best) {
        for (Bond bond : question.bonds()) {
            String attribute = question.attributes().get(bond.attribute());
            for (Allocations.Pick pick : Allocations.picks(question, best, bond.claim())) {
                if (bond.binds(pick.want().column())) {
                    Source source =
                            question.sources().get(bond.source(pick.want().column()));
                    return Optional.of(bond.distinct() ? "distinct " + plain(attribute) : same(source, pick));
                }
            }
        }
        return Optional.empty();
    }

    private static String same(Source source, Allocations.Pick pick) {
        return "same " + plain(source.name())
                + source.value(pick.slot()).map(value -> " " + text(value)).orElse("");
    }

    /** Removes the domain from an attribute name. */
    static String plain(String attribute) {
        return attribute.substring(attribute.indexOf('/') + 1);
    }

    /** Formats an attribute value for messages. */
    static String text(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue v -> Long.toString(v.value());
            case AttributeValue.BoolValue v -> Boolean.toString(v.value());
            case AttributeValue.StringValue v -> v.value();
            case AttributeValue.VersionValue v -> v.value();
            case AttributeValue.IntList v -> v.values().toString();
            case AttributeValue.BoolList v -> v.values().toString();
            case AttributeValue.StringList v -> v.values().toString();
            case AttributeValue.VersionList v -> v.values().toString();
            case AttributeValue.Unknown v -> "?";
        };
    }

    private static String against(Policy policy, Found.Fit best, Found.Fit second) {
        Score one = best.outcome().score();
        Score other = second.outcome().score();
        if (policy == Policy.FIRST_FIT || one.equals(other)) {
            return "later by name";
        }
        if (one.preference() != other.preference()) {
            return "a less preferred alternative";
        }
        if (one.grade() != other.grade()) {
            return "larger devices than needed";
        }
        if (one.cost() != other.cost()) {
            return "would break up more";
        }
        if (one.left() == other.left() && one.leftAll() == other.leftAll()) {
            return "shares of emptier devices";
        }
        return one.left() != other.left()
                ? "would leave %d free instead of %d".formatted(other.left(), one.left())
                : "would leave %d devices of all kinds free instead of %d".formatted(other.leftAll(), one.leftAll());
    }
}
