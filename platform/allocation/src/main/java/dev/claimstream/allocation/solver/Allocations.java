package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.OpaqueConfig;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Converts a search solution to the allocations of the claims: results, parameters and node selector.
 *
 * <p>Source: the end of {@code Allocate}, and {@code createNodeSelector}, in kube-scheduler's structured allocator.
 */
final class Allocations {
    private final Question question;
    private final String node;
    private final ShareNames shareNames;

    Allocations(Question question, String node, ShareNames shareNames) {
        this.question = question;
        this.node = node;
        this.shareNames = shareNames;
    }

    /** A device that the solution assigns to a request option. */
    record Pick(Want want, Slot slot) {}

    static List<Allocation> of(Question question, Found.Fit fit, ShareNames shareNames) {
        var maker = new Allocations(question, fit.node().name(), shareNames);
        List<Allocation> made = new ArrayList<>();
        for (int claim = 0; claim < question.requests().size(); claim++) {
            made.add(maker.allocation(claim, picks(question, fit, claim)));
        }
        return made;
    }

    /** Returns the assignments of one claim, by request and then in the published order of devices. */
    static List<Pick> picks(Question question, Found.Fit fit, int claim) {
        List<int[]> places = new ArrayList<>();
        for (int i = 0; i < fit.outcome().columns().length; i++) {
            int column = fit.outcome().columns()[i];
            if (question.wants().get(column).claim() == claim) {
                places.add(new int[] {
                    column, fit.nodeClass().layout.positions[fit.outcome().devices()[i]]
                });
            }
        }
        places.sort((a, b) -> a[0] != b[0] ? Integer.compare(a[0], b[0]) : Integer.compare(a[1], b[1]));
        return places.stream()
                .map(each -> new Pick(
                        question.wants().get(each[0]), fit.node().slots().get(each[1])))
                .toList();
    }

    private Allocation allocation(int claim, List<Pick> picks) {
        List<DeviceResult> results = picks.stream().map(this::result).toList();
        return new Allocation(results, config(claim, picks), nodeSelector(picks), Optional.empty());
    }

    private DeviceResult result(Pick pick) {
        Want want = pick.want;
        Device device = pick.slot.device();
        DeviceId id = pick.slot.holding().device();
        boolean isShared = question.isShareable(device);
        return new DeviceResult(
                want.resultName(),
                id,
                want.admin(),
                want.spec().tolerations(),
                question.hasBinding() ? device.bindingConditions() : List.of(),
                question.hasBinding() ? device.bindingFailureConditions() : List.of(),
                isShared ? Optional.of(shareNames.of(want.claim(), want.resultName(), id)) : Optional.empty(),
                question.consumed(want, device),
                pick.slot.slice().skipNodeOperations());
    }

    // ---- parameters
    // ------------------------------------------------------------------------------------------------------------

    private List<AllocationConfig> config(int claim, List<Pick> picks) {
        ClaimSpec spec = question.shape().specs().get(claim);
        List<Want> chosen = chosen(claim, picks);
        List<AllocationConfig> config = new ArrayList<>(ofClasses(chosen));
        for (ClaimConfig each : spec.config()) {
            if (concerns(each.requests(), chosen)) {
                config.add(new AllocationConfig(AllocationConfig.Source.FROM_CLAIM, each.requests(), each.opaque()));
            }
        }
        return config.stream().map(each -> withoutObviousRequests(each, chosen)).toList();
    }

    /** Returns the selected alternative of each request; a request for zero devices has no assignment and no entry. */
    private List<Want> chosen(int claim, List<Pick> picks) {
        List<Want> chosen = new ArrayList<>();
        for (List<Want> alternatives : question.requests().get(claim)) {
            picks.stream()
                    .map(Pick::want)
                    .filter(alternatives::contains)
                    .findFirst()
                    .ifPresent(chosen::add);
        }
        return chosen;
    }

    private static List<AllocationConfig> ofClasses(List<Want> chosen) {
        var classes = new LinkedHashSet<String>();
        chosen.forEach(want -> classes.add(want.deviceClass().meta().name()));
        List<AllocationConfig> config = new ArrayList<>();
        for (String name : classes) {
            List<Want> ofClass = chosen.stream()
                    .filter(want -> want.deviceClass().meta().name().equals(name))
                    .toList();
            List<String> requests = ofClass.stream().map(Want::resultName).toList();
            for (OpaqueConfig opaque : ofClass.getFirst().deviceClass().config()) {
                config.add(new AllocationConfig(AllocationConfig.Source.FROM_CLASS, requests, opaque));
            }
        }
        return config;
    }

    private static boolean concerns(List<String> requests, List<Want> chosen) {
        return requests.isEmpty()
                || chosen.stream()
                        .anyMatch(want -> requests.contains(want.request()) || requests.contains(want.resultName()));
    }

    /** Clears the request list of an entry that covers all requests; an empty list has the same meaning. */
    private static AllocationConfig withoutObviousRequests(AllocationConfig config, List<Want> chosen) {
        boolean coversAll = chosen.stream()
                .allMatch(want -> config.requests().contains(want.request())
                        || config.requests().contains(want.resultName()));
        return coversAll ? new AllocationConfig(config.source(), List.of(), config.opaque()) : config;
    }

    // ---- nodes
    // -----------------------------------------------------------------------------------------------------------------

    private Optional<NodeSelector> nodeSelector(List<Pick> picks) {
        List<NodeSelector.Requirement> expressions = new ArrayList<>();
        List<NodeSelector.Requirement> fields = new ArrayList<>();
        for (Pick pick : picks) {
            NodeScope scope = pick.slot.scope();
            if (scope instanceof NodeScope.OnNode || pick.slot.device().bindsToNode()) {
                return Optional.of(NodeSelector.ofNode(node));
            }
            if (scope instanceof NodeScope.Matching matching) {
                matching.selector().terms().forEach(term -> {
                    addNew(expressions, term.matchExpressions());
                    addNew(fields, term.matchFields());
                });
            }
        }
        return expressions.isEmpty() && fields.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(List.of(new NodeSelector.Term(expressions, fields))));
    }

    private static void addNew(List<NodeSelector.Requirement> known, List<NodeSelector.Requirement> more) {
        for (NodeSelector.Requirement each : more) {
            if (known.stream().noneMatch(other -> isSame(other, each))) {
                known.add(each);
            }
        }
    }

    private static boolean isSame(NodeSelector.Requirement one, NodeSelector.Requirement other) {
        return one.key().equals(other.key())
                && one.operator().equals(other.operator())
                && new TreeSet<>(one.values()).equals(new TreeSet<>(other.values()));
    }
}
