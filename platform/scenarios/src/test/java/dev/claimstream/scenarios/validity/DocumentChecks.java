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
    private final PublishedPools published;
    private final Map<String, DeviceClass> classes;
    private final ViolationCollector findings;

    DocumentChecks(PublishedPools published, Map<String, DeviceClass> classes, ViolationCollector findings) {
        this.published = published;
        this.classes = classes;
        this.findings = findings;
    }

    void check(ClaimWithAllocation answered) {
        checkConfig(answered);
        checkNodeSelector(answered);
    }

    // ---- configuration

    private void checkConfig(ClaimWithAllocation answered) {
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
                wanted.stream().map(config -> normalized(config, answered)).toList();
        findings.expect(
                answered.allocation().config().equals(plain),
                Rule.CONFIG,
                answered.claim().key(),
                "expected " + plain);
    }

    /** Returns the requests of each class, both in the order of the claim. */
    private static Map<String, List<String>> byClass(ClaimWithAllocation answered) {
        Map<String, List<String>> requests = new LinkedHashMap<>();
        answered.selectedRequests()
                .forEach(wish -> requests.computeIfAbsent(wish.spec().deviceClassName(), _ -> new ArrayList<>())
                        .add(wish.name()));
        return requests;
    }

    private static boolean isFor(ClaimConfig config, ClaimWithAllocation answered) {
        return answered.requests().isEmpty()
                ? config.requests().isEmpty()
                : answered.selectedRequests().stream().anyMatch(wish -> wish.isSelectedBy(config.requests()));
    }

    /** A configuration for all requests lists none. */
    private static AllocationConfig normalized(AllocationConfig config, ClaimWithAllocation answered) {
        boolean isForAll = answered.selectedRequests().stream().allMatch(wish -> wish.isSelectedBy(config.requests()));
        return isForAll ? new AllocationConfig(config.source(), List.of(), config.opaque()) : config;
    }

    // ---- node selector

    private void checkNodeSelector(ClaimWithAllocation answered) {
        List<ReachablePool.Offer> offers = answered.results().stream()
                .flatMap(result -> published.offer(result.device()).stream())
                .toList();
        Optional<NodeSelector> actual = answered.allocation().nodeSelector();
        String node = published.reach().name();
        boolean isKept = offers.stream().anyMatch(DocumentChecks::isBoundToOneNode)
                ? actual.filter(NodeSelector.ofNode(node)::equals).isPresent()
                : normalized(actual).equals(requirements(offers));
        findings.expect(isKept, Rule.NODE_SELECTOR, answered.claim().key(), actual);
    }

    private static boolean isBoundToOneNode(ReachablePool.Offer offer) {
        return scope(offer) instanceof NodeScope.SingleNode || offer.device().bindsToNode();
    }

    private static NodeScope scope(ReachablePool.Offer offer) {
        return offer.slice().scope() instanceof NodeScope.PerDevice
                ? offer.device().scope()
                : offer.slice().scope();
    }

    /** Returns the node requirements of all devices, as texts. */
    private static Set<String> requirements(List<ReachablePool.Offer> offers) {
        return offers.stream()
                .map(DocumentChecks::scope)
                .filter(NodeScope.MatchingNodes.class::isInstance)
                .map(scope -> ((NodeScope.MatchingNodes) scope).selector())
                .flatMap(selector -> selector.terms().stream())
                .flatMap(DocumentChecks::describe)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the requirements of a selector with one term. Selectors with several terms cannot be compared. */
    private static Set<String> normalized(Optional<NodeSelector> selector) {
        if (selector.filter(each -> each.terms().size() != 1).isPresent()) {
            return Set.of("not one term");
        }
        return selector.stream()
                .flatMap(each -> each.terms().stream())
                .flatMap(DocumentChecks::describe)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Stream<String> describe(NodeSelector.Term term) {
        return Stream.concat(
                term.matchFields().stream().map(each -> "field " + describe(each)),
                term.matchExpressions().stream().map(each -> "label " + describe(each)));
    }

    private static String describe(Requirement requirement) {
        return requirement.key() + " " + requirement.operator() + " "
                + requirement.values().stream().distinct().sorted().toList();
    }
}
