package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks the constraints between the devices of a claim. */
final class ConstraintChecks {
    private final PublishedPools published;
    private final Selectors selectors;
    private final ViolationCollector findings;
    private final boolean hasLists;

    ConstraintChecks(
            FeatureGates features, PublishedPools published, Selectors selectors, ViolationCollector findings) {
        this.published = published;
        this.selectors = selectors;
        this.findings = findings;
        this.hasLists = features.has(Feature.LIST_TYPE_ATTRIBUTES);
    }

    void check(ClaimWithAllocation answered) {
        answered.claim().spec().constraints().forEach(constraint -> check(answered, constraint));
    }

    private void check(ClaimWithAllocation answered, DeviceConstraint constraint) {
        switch (constraint) {
            case DeviceConstraint.MatchAttribute match ->
                values(answered, match, match.attribute(), Rule.MATCH_ATTRIBUTE).ifPresent(values -> {
                    Set<Object> common = new HashSet<>(values.isEmpty() ? Set.of() : values.getFirst());
                    values.forEach(common::retainAll);
                    expect(values.isEmpty() || !common.isEmpty(), Rule.MATCH_ATTRIBUTE, answered, match.attribute());
                });
            case DeviceConstraint.DistinctAttribute distinct ->
                values(answered, distinct, distinct.attribute(), Rule.DISTINCT_ATTRIBUTE)
                        .ifPresent(values ->
                                expect(areDisjoint(values), Rule.DISTINCT_ATTRIBUTE, answered, distinct.attribute()));
            case DeviceConstraint.UnknownConstraint _ ->
                expect(false, Rule.FEATURE_GATE, answered, "a constraint of an unknown sort");
        }
    }

    private void expect(boolean isKept, Rule rule, ClaimWithAllocation answered, String attribute) {
        findings.expect(isKept, rule, answered.claim().key(), attribute);
    }

    private static boolean areDisjoint(List<Set<Object>> values) {
        for (int i = 0; i < values.size(); i++) {
            for (int j = i + 1; j < values.size(); j++) {
                if (!Collections.disjoint(values.get(i), values.get(j))) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Returns the values of each device that the constraint selects. If a device has none, reports a violation and
     * returns empty.
     */
    private Optional<List<Set<Object>>> values(
            ClaimWithAllocation answered, DeviceConstraint constraint, String attribute, Rule rule) {
        List<Set<Object>> all = new ArrayList<>();
        for (DeviceResult result : answered.results()) {
            Optional<ClaimWithAllocation.NamedRequest> wish =
                    answered.namedRequest(result).filter(each -> each.isSelectedBy(constraint.requests()));
            Optional<ReachablePool.Offer> offer = published.offer(result.device());
            if (wish.isEmpty() || offer.isEmpty()) {
                continue;
            }
            Optional<Set<Object>> values =
                    value(wish.get(), offer.get(), attribute).map(each -> asSet(each, all.isEmpty()));
            if (values.filter(each -> !each.isEmpty()).isEmpty()) {
                expect(false, rule, answered, "%s of %s".formatted(attribute, result.device()));
                return Optional.empty();
            }
            all.add(values.get());
        }
        return Optional.of(all);
    }

    private Optional<AttributeValue> value(
            ClaimWithAllocation.NamedRequest wish, ReachablePool.Offer offer, String attribute) {
        Optional<DerivedAttribute> derived = wish.spec().derivedAttributes().stream()
                .filter(each -> each.name().equals(attribute))
                .reduce((_, last) -> last);
        if (derived.isPresent()) {
            String driver = offer.slice().driver();
            return switch (selectors.derive(derived.get().expression()).of(driver, offer.device())) {
                case Derivation.DerivationOutcome.DerivedAttributeValue found -> Optional.of(found.value());
                case Derivation.DerivationOutcome.DerivationError _ -> Optional.empty();
            };
        }
        var published = offer.device().attributes();
        String domain = offer.slice().driver() + "/";
        return Optional.ofNullable(published.get(attribute))
                .or(() -> attribute.startsWith(domain)
                        ? Optional.ofNullable(published.get(attribute.substring(domain.length())))
                        : Optional.empty());
    }

    /**
     * Returns typed values. While list attributes are disabled, the list of the first device equals no other value.
     */
    private Set<Object> asSet(AttributeValue value, boolean isFirst) {
        return switch (value) {
            case AttributeValue.IntList list -> ofList("int", list.values(), isFirst);
            case AttributeValue.BoolList list -> ofList("bool", list.values(), isFirst);
            case AttributeValue.StringList list -> ofList("string", list.values(), isFirst);
            case AttributeValue.VersionList list -> ofList("version", list.values(), isFirst);
            case AttributeValue.IntValue one -> Set.of(List.of("int", one.value()));
            case AttributeValue.BoolValue one -> Set.of(List.of("bool", one.value()));
            case AttributeValue.StringValue one -> Set.of(List.of("string", one.value()));
            case AttributeValue.VersionValue one -> Set.of(List.of("version", one.value()));
            case AttributeValue.UnknownValue _ -> !hasLists && isFirst ? Set.of("unknown") : Set.of();
        };
    }

    private Set<Object> ofList(String type, Collection<?> values, boolean isFirst) {
        if (!hasLists) {
            return isFirst ? Set.of("list") : Set.of();
        }
        Set<Object> all = new HashSet<>();
        values.forEach(value -> all.add(List.of(type, value)));
        return all;
    }
}
