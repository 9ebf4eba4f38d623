package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What the router knows of claims, pods, nodes, slices and sources: kept by the same rules as in a cell, without devices. */
public final class Knowledge {
    private final State state;

    public Knowledge(Selectors selectors) {
        this.state = new State(selectors);
    }

    /** Takes a fact over. */
    public void apply(Fact fact) {
        state.apply(fact);
    }

    /**
     * What an observation leads to.
     *
     * @param touched items of which a pod or claim changed
     * @param wakes kinds of change, for items that wait
     * @param ended claims that are gone, by uid
     * @param ignored why it leads to nothing, where it does not only repeat what is known
     */
    public record Change(
            List<Fact> facts,
            SortedSet<ItemId> touched,
            Set<Reason.Wake> wakes,
            SortedMap<String, ObjectKey> ended,
            Optional<Ignored.Why> ignored) {
        /** Where nothing is known here. */
        public static final Change NONE =
                new Change(List.of(), new TreeSet<>(), Collections.emptySet(), new TreeMap<>(), Optional.empty());

        public Change {
            facts = List.copyOf(facts);
            ended = Collections.unmodifiableSortedMap(new TreeMap<>(ended));
        }
    }

    /** What an observation leads to; nothing is changed yet. */
    public Change observe(Observation observation) {
        var change = Observing.of(state, observation, Instant.EPOCH);
        SortedMap<String, ObjectKey> ended = new TreeMap<>();
        for (Output output : change.outputs) {
            if (output instanceof Output.Ended(String uid)) {
                state.claimWithUid(uid).ifPresent(claim -> ended.put(uid, claim));
            }
        }
        return new Change(change.facts, change.touched, change.wakes, ended, change.ignored);
    }

    /** An item, put together as far as that goes. */
    public sealed interface Look {
        /** The claims of the item, as far as they are known. */
        List<ObjectKey> claims();

        /**
         * It can be decided.
         *
         * @param uids of its claims
         * @param nodeName where it has to be
         */
        record Ready(List<ObjectKey> claims, List<String> uids, Optional<String> nodeName) implements Look {
            public Ready {
                claims = List.copyOf(claims);
                uids = List.copyOf(uids);
            }
        }

        /** Something is missing. */
        record Unready(List<ObjectKey> claims, Plan.Diagnosis diagnosis) implements Look {
            public Unready {
                claims = List.copyOf(claims);
            }
        }
    }

    /**
     * Looks at an item whose pod or claim stands.
     *
     * @param isGiven whether a cell has given something to a claim
     */
    public Look look(ItemId item, Predicate<ResourceClaim> isGiven) {
        return switch (Assembly.of(state, item, claim -> claim.allocation().isPresent() || isGiven.test(claim))) {
            case Assembly.Unready unready -> new Look.Unready(unready.claims(), unready.diagnosis());
            case Assembly.Ready ready ->
                new Look.Ready(
                        ready.claims(),
                        ready.claims().stream()
                                .flatMap(key -> state.claim(key).stream())
                                .map(claim -> claim.meta().uid())
                                .toList(),
                        ready.rules().nodeName());
        };
    }

    /** The item, if it wants something. */
    public Optional<Items.Wanted> wanted(ItemId item, Predicate<ResourceClaim> isOurs) {
        return Items.wanted(state, item, isOurs);
    }

    /**
     * Counts the claims to which nothing is given; what is known must not change meanwhile.
     *
     * @param isGiven whether a cell has given something to a claim
     */
    public Unserved unserved(Predicate<ResourceClaim> isGiven) {
        return new Unserved(state, claim -> claim.allocation().isPresent() || isGiven.test(claim));
    }

    /** Whether every configured source has listed every kind, and none is known to be old. */
    public boolean isListed() {
        return state.isListed();
    }

    /** A claim that stands. */
    public Optional<ResourceClaim> claim(ObjectKey key) {
        return state.claim(key);
    }

    /**
     * What was observed of a claim that stands.
     *
     * @throws IllegalStateException if none does
     */
    public Observation.Seen seen(ObjectKey claim) {
        return state.object(Kind.RESOURCE_CLAIM, claim)
                .flatMap(row -> row.content().map(content -> new Observation.Seen(row.stamp(), content)))
                .orElseThrow(() -> new IllegalStateException("no claim %s stands".formatted(claim)));
    }

    /** What is said of a claim, with the list that has shown it last: who is told of it later knows it by the same. */
    public Stamp shown(Stamp said, ObjectKey claim) {
        return state.object(Kind.RESOURCE_CLAIM, claim)
                .map(row -> new Stamp(
                        said.source(),
                        row.stamp().epoch(),
                        said.version(),
                        row.stamp().timing()))
                .orElse(said);
    }

    /** The items that a claim can belong to. */
    public List<ItemId> itemsOf(ObjectKey claim) {
        List<ItemId> items = new ArrayList<>();
        items.add(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> items.add(ItemId.pod(pod)));
        return items;
    }

    /** Where the claim with this uid stands. */
    public Optional<ObjectKey> claimWithUid(String uid) {
        return state.claimWithUid(uid);
    }

    /** Every node that stands, by name. */
    public SortedMap<String, Node> nodes() {
        return state.inventory().nodes();
    }

    /** The node, if it stands. */
    public Optional<Node> node(String name) {
        return state.object(Kind.NODE, ObjectKey.cluster(name))
                .flatMap(Row.ObjectRow::content)
                .map(Node.class::cast);
    }

    /** The slice, if it stands. */
    public Optional<ResourceSlice> slice(String name) {
        return state.object(Kind.RESOURCE_SLICE, ObjectKey.cluster(name))
                .flatMap(Row.ObjectRow::content)
                .map(ResourceSlice.class::cast);
    }

    /** Every row, by key. */
    public SortedMap<String, Row> rows() {
        return new TreeMap<>(state.rows());
    }
}
