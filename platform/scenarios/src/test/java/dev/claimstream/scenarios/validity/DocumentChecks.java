package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.AllocationConfig.AllocationConfigSource;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.NodeSelector.Requirement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the configuration and node selector of an allocation. */
final class DocumentChecks {
    private final Published published;
    private final Map<String, DeviceClass> classes;
    private final Findings findings;

    DocumentChecks(Published published, Map<String, DeviceClass> classes, Findings findings) {
        this.published = published;
        this.classes = classes;
        this.findings = findings;
    }

    void check(Answered answered) {
        config(answered);
        nodes(answered);
    }

    // ---- configuration

    private void config(Answered answered) {
        List<AllocationConfig> wanted = new ArrayList<>();
        byClass(answered)
                .forEach((name, requests) -> Optional.ofNullable(classes.get(name))
                        .ifPresent(found -> found.config()
                                .forEach(config -> wanted.add(
                                        new AllocationConfig(AllocationConfigSource.FROM_CLASS, requests, config)))));
        answered.claim().spec().config().stream()
                .filter(config -> isFor(config, answered))
                .map(config ->
                        new AllocationConfig(AllocationConfigSource.FROM_CLAIM, config.requests(), config.opaque()))
                .forEach(wanted::add);
        List<AllocationConfig> plain =
                wanted.stream().map(config -> plain(config, answered)).toList();
        findings.expect(
                answered.allocation().config().equals(plain),
                Rule.CONFIG,
                answered.claim().key(),
                "expected " + plain);
    }

    /** Returns the requests of each class, both in the order of the claim. */
    private static Map<String, List<String>> byClass(Answered answered) {
        Map<String, List<String>> requests = new LinkedHashMap<>();
        answered.chosen()
                .forEach(wish -> requests.computeIfAbsent(wish.spec().deviceClassName(), _ -> new ArrayList<>())
                        .add(wish.name()));
        return requests;
    }

    private static boolean isFor(ClaimConfig config, Answered answered) {
        return answered.requests().isEmpty()
                ? config.requests().isEmpty()
                : answered.chosen().stream().anyMatch(wish -> wish.isIn(config.requests()));
    }

    /** A configuration for all requests lists none. */
    private static AllocationConfig plain(AllocationConfig config, Answered answered) {
        boolean isForAll = answered.chosen().stream().allMatch(wish -> wish.isIn(config.requests()));
        return isForAll ? new AllocationConfig(config.source(), List.of(), config.opaque()) : config;
    }

    // ---- node selector

    private void nodes(Answered answered) {
        List<Pool.Offer> offers = answered.results().stream()
                .flatMap(result -> published.offer(result.device()).stream())
                .toList();
        Optional<NodeSelector> actual = answered.allocation().nodeSelector();
        String node = published.reach().name();
        boolean isKept = offers.stream().anyMatch(DocumentChecks::isOnOne)
                ? actual.filter(NodeSelector.ofNode(node)::equals).isPresent()
                : plain(actual).equals(requirements(offers));
        findings.expect(isKept, Rule.NODE_SELECTOR, answered.claim().key(), actual);
    }

    private static boolean isOnOne(Pool.Offer offer) {
        return scope(offer) instanceof NodeScope.SingleNode || offer.device().bindsToNode();
    }

    private static NodeScope scope(Pool.Offer offer) {
        return offer.slice().scope() instanceof NodeScope.PerDevice
                ? offer.device().scope()
                : offer.slice().scope();
    }

    /** Returns the node requirements of all devices, as texts. */
    private static Set<String> requirements(List<Pool.Offer> offers) {
        return offers.stream()
                .map(DocumentChecks::scope)
                .filter(NodeScope.MatchingNodes.class::isInstance)
                .map(scope -> ((NodeScope.MatchingNodes) scope).selector())
                .flatMap(selector -> selector.terms().stream())
                .flatMap(DocumentChecks::words)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the requirements of a selector with one term. Selectors with several terms cannot be compared. */
    private static Set<String> plain(Optional<NodeSelector> selector) {
        if (selector.filter(each -> each.terms().size() != 1).isPresent()) {
            return Set.of("not one term");
        }
        return selector.stream()
                .flatMap(each -> each.terms().stream())
                .flatMap(DocumentChecks::words)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Stream<String> words(NodeSelector.Term term) {
        return Stream.concat(
                term.matchFields().stream().map(each -> "field " + words(each)),
                term.matchExpressions().stream().map(each -> "label " + words(each)));
    }

    private static String words(Requirement requirement) {
        return requirement.key() + " " + requirement.operator() + " "
                + requirement.values().stream().distinct().sorted().toList();
    }
}
