package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests claims with {@code WAIT_FOR_CONSUMER} on random histories of pods, PodGroups and claims. */
class LawsOfConsumersTest {
    private static final int SIZE = 220;
    private static final String GROUP = "group";

    static LongStream seeds() {
        return Campaign.seeds(1, Integer.getInteger("laws.seeds", 40));
    }

    /** A cluster whose claims wait for a consumer. Every third history also changes this setting. */
    private static final class Cluster {
        private final Random random;
        private final boolean changesItsRule;
        private final List<Observation> out = new ArrayList<>();
        private final World world = new World(out);
        private final Cell cell = new Cell(new State(new TextSelectors()));
        private int fed;

        Cluster(long seed) {
            this.random = new Random(seed);
            this.changesItsRule = seed % 3 == 0;
        }

        History history() {
            world.allocate(AllocationTiming.WAIT_FOR_CONSUMER);
            out.add(new Observation.SettingsChanged(CellSettings.defaults()
                    .with(CellSettings.defaults().features().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true))));
            world.write(Objects.deviceClass("gpu", "kind=gpu"));
            for (String node : List.of("node-1", "node-2")) {
                world.write(Objects.node(node));
                world.write(Objects.slice(node + "-slice", node, 1, 1, node, "gpu-0 kind=gpu", "gpu-1 kind=gpu"));
            }
            while (out.size() < SIZE) {
                happen();
                for (; fed < out.size(); fed++) {
                    cell.step(new Input(fed, History.START.plusSeconds(fed), out.get(fed)));
                }
            }
            return new History(out.subList(0, SIZE));
        }

        private void happen() {
            switch (random.nextInt(14)) {
                case 0, 1 -> claim("claim-" + random.nextInt(4));
                case 2, 3, 4, 5 -> pod("pod-" + random.nextInt(5));
                case 6, 7 -> podEnds("pod-" + random.nextInt(5));
                case 8 -> group();
                case 9, 10 -> commit();
                case 11 -> outcome();
                case 12 -> clear();
                default -> list();
            }
        }

        private ObjectKey key(String name) {
            return new ObjectKey("default", name);
        }

        private void claim(String name) {
            if (world.at(Kind.RESOURCE_CLAIM, key(name), ResourceClaim.class).isEmpty()) {
                world.write(new ResourceClaim(
                        ObjectMeta.of("default", name, world.freshUid()),
                        ClaimText.spec(random.nextInt(3) == 0 ? "r: 2 gpu" : "r: 1 gpu"),
                        Optional.empty(),
                        List.of()));
            } else if (random.nextInt(3) == 0) {
                world.delete(Kind.RESOURCE_CLAIM, key(name), true);
            }
        }

        private void pod(String name) {
            if (world.at(Kind.POD, key(name), Pod.class).isEmpty()) {
                write(
                        ObjectMeta.of("default", name, world.freshUid()),
                        List.of(entry()),
                        random.nextInt(3) == 0 ? Optional.of(GROUP) : Optional.empty(),
                        false);
            }
        }

        private PodClaim entry() {
            return new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("claim-" + random.nextInt(4)));
        }

        private void write(ObjectMeta meta, List<PodClaim> uses, Optional<String> group, boolean finished) {
            world.write(new Pod(
                    meta,
                    Optional.empty(),
                    new TreeMap<>(),
                    Optional.empty(),
                    List.of(),
                    0,
                    true,
                    uses,
                    List.of(),
                    ResourceList.none(),
                    new TreeMap<>(),
                    group,
                    random.nextBoolean() ? List.of(Pod.ALLOCATION_GATE) : List.of(),
                    PodTopology.none(),
                    finished));
        }

        private void podEnds(String name) {
            world.at(Kind.POD, key(name), Pod.class).ifPresent(pod -> {
                if (random.nextInt(3) == 0) {
                    write(pod.meta(), pod.resourceClaims(), pod.podGroup(), true);
                } else {
                    world.delete(Kind.POD, pod.key(), random.nextInt(5) > 0);
                }
            });
        }

        private void group() {
            if (world.at(Kind.POD_GROUP, key(GROUP), PodGroup.class).isPresent()) {
                world.delete(Kind.POD_GROUP, key(GROUP), true);
            } else {
                world.write(new PodGroup(ObjectMeta.of("default", GROUP, world.freshUid()), List.of(entry())));
            }
        }

        private Optional<Row.AllocationRow> anyGrant() {
            List<Row> grants = List.copyOf(cell.state().rowsFrom("grant/").values());
            return grants.isEmpty()
                    ? Optional.empty()
                    : Optional.of((Row.AllocationRow) grants.get(random.nextInt(grants.size())));
        }

        private Optional<ResourceClaim> claim(Row.AllocationRow grant) {
            return world.at(Kind.RESOURCE_CLAIM, grant.claim(), ResourceClaim.class)
                    .filter(claim -> claim.meta().uid().equals(grant.claimUid()));
        }

        private void commit() {
            anyGrant()
                    .filter(grant -> grant.commitState() != Row.AllocationRow.CommitState.REVOKED)
                    .ifPresent(grant -> claim(grant)
                            .filter(claim -> claim.allocation().isEmpty())
                            .ifPresent(claim -> world.write(new ResourceClaim(
                                    claim.meta(),
                                    claim.spec(),
                                    Optional.of(grant.allocation()),
                                    grant.reservedFor()))));
        }

        private void outcome() {
            anyGrant().ifPresent(grant -> {
                boolean isCommitted =
                        claim(grant).flatMap(ResourceClaim::allocation).isPresent();
                if (isCommitted || grant.commitState() == Row.AllocationRow.CommitState.REVOKED) {
                    out.add(new Observation.CommitOutcome(
                            grant.claimUid(),
                            grant.number(),
                            isCommitted
                                    ? Observation.CommitOutcome.Result.COMMITTED
                                    : Observation.CommitOutcome.Result.REFUSED,
                            "",
                            0));
                }
            });
        }

        /** Clears allocations without an existing consumer, as the resourceclaim controller. */
        private void clear() {
            world.standing(Kind.RESOURCE_CLAIM).stream()
                    .map(ResourceClaim.class::cast)
                    .filter(claim -> claim.allocation().isPresent())
                    .filter(claim -> claim.reservedFor().stream().noneMatch(this::exists))
                    .forEach(claim ->
                            world.write(new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of())));
        }

        private boolean exists(ClaimConsumer consumer) {
            return world.at(Kind.POD, key(consumer.name()), Pod.class)
                            .filter(pod -> pod.meta().uid().equals(consumer.uid()) && !pod.finished())
                            .isPresent()
                    || world.at(Kind.POD_GROUP, key(consumer.name()), PodGroup.class)
                            .filter(group -> group.meta().uid().equals(consumer.uid()))
                            .isPresent();
        }

        private void list() {
            if (changesItsRule && random.nextInt(3) == 0) {
                world.allocate(random.nextBoolean() ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE);
            }
            world.list(random.nextBoolean() ? Kind.POD : Kind.RESOURCE_CLAIM, random, random.nextBoolean(), 1);
        }
    }

    private interface Look {
        void at(State state, Step step);
    }

    private static void eachStep(History history, Look look) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        for (Input input : history.inputs()) {
            Step step = cell.step(input);
            Invariants.check(state);
            look.at(state, step);
        }
    }

    private static List<ResourceClaim> awaited(State state) {
        List<ResourceClaim> awaited = new ArrayList<>();
        for (Row row : state.rowsFrom(Row.ObjectRow.prefix(Kind.RESOURCE_CLAIM)).values()) {
            if (row instanceof Row.ObjectRow object
                    && object.stamp().timing() == AllocationTiming.WAIT_FOR_CONSUMER
                    && object.content().orElse(null) instanceof ResourceClaim claim) {
                awaited.add(claim);
            }
        }
        return awaited;
    }

    private static boolean hasPod(State state, ResourceClaim claim) {
        return any(
                state,
                Kind.POD,
                object -> object instanceof Pod pod
                        && !pod.finished()
                        && pod.claims().contains(claim.key()));
    }

    private static boolean hasGroup(State state, ResourceClaim claim) {
        return any(
                state,
                Kind.POD_GROUP,
                object -> object instanceof PodGroup group && group.claims().contains(claim.key()));
    }

    private static boolean any(State state, Kind kind, Predicate<Object> is) {
        return state.rowsFrom(Row.ObjectRow.prefix(kind)).values().stream()
                .flatMap(row -> ((Row.ObjectRow) row).content().stream())
                .anyMatch(is);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aClaimWithoutAPodIsDecidedForNoOneAndSaysSo(long seed) {
        Failing.holds(
                seed,
                new Cluster(seed).history(),
                history -> eachStep(history, (state, step) -> {
                    for (ResourceClaim claim : awaited(state)) {
                        Optional<Row.AllocationRow> given = state.decidedAllocation(
                                        claim.meta().uid())
                                .filter(grant -> grant.commitState() == Row.AllocationRow.CommitState.GIVEN)
                                .filter(_ -> claim.allocation().isEmpty());
                        boolean isUsed = hasPod(state, claim) || hasGroup(state, claim);
                        assertThat(given.isPresent() && !isUsed).as("%s", given).isFalse();
                        Optional<Row.ItemRow> item = state.item(ItemId.claim(claim.key()));
                        boolean isFree = claim.allocation().isEmpty()
                                && state.decidedAllocation(claim.meta().uid()).isEmpty();
                        assertThat(item.flatMap(Row.ItemRow::reason).equals(Optional.of(Reason.NoConsumer)))
                                .as("%s", claim)
                                .isEqualTo(isFree && !hasPod(state, claim));
                    }
                }));
    }

    /** A router and two cells consume at random speeds and are rebuilt at random times. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void severalCellsComeToTheSameRule(long seed) {
        Failing.holds(seed, new Cluster(seed).history(), history -> {
            var several = new Several(2, seed);
            var random = new Random(seed);
            for (Observation observation : history.observations()) {
                several.observe(observation);
                several.goOn();
                if (random.nextInt(150) == 0) {
                    several.rebuild(random.nextBoolean());
                }
            }
            several.settle();
            assertThat(several.overlooked()).isEmpty();
            for (int i = 0; i < several.cells(); i++) {
                State state = several.cell(i);
                for (ResourceClaim claim : awaited(state)) {
                    assertThat(state.decidedAllocation(claim.meta().uid())
                                    .filter(grant -> grant.commitState() == Row.AllocationRow.CommitState.GIVEN)
                                    .filter(_ -> claim.allocation().isEmpty())
                                    .filter(_ -> !hasPod(state, claim) && !hasGroup(state, claim)))
                            .isEmpty();
                }
            }
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatIsSeenAgainOrInAnotherOrderIsUnderstoodTheSame(long seed) {
        Failing.holds(seed, new Cluster(seed).history(), history -> {
            List<String> expected = observed(history);
            assertThat(observed(history.withEchoes(seed))).isEqualTo(expected);
            assertThat(observed(history.shuffled(seed, false))).isEqualTo(expected);
        });
    }

    private static List<String> observed(History history) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        history.inputs().forEach(cell::step);
        return Seen.of(state).observed();
    }

    @Test
    void theHistoriesAreWorthIt() {
        var granted = new AtomicInteger();
        var revoked = new AtomicInteger();
        var unused = new AtomicInteger();
        for (long seed = 1; seed <= 20; seed++) {
            eachStep(new Cluster(seed).history(), (state, step) -> {
                for (Output output : step.outputs()) {
                    if (output instanceof Output.DecisionMade(Decision decision)) {
                        switch (decision.result()) {
                            case Decision.DecisionResult.Allocated _ -> granted.incrementAndGet();
                            case Decision.DecisionResult.Revoked _ -> revoked.incrementAndGet();
                            case Decision.DecisionResult.Pending(Reason reason, String _) ->
                                unused.addAndGet(reason == Reason.NoConsumer ? 1 : 0);
                            case Decision.DecisionResult.Released _, Decision.DecisionResult.Deallocation _ -> {}
                        }
                    }
                }
            });
        }
        assertThat(List.of(granted.get(), revoked.get(), unused.get()))
                .as("granted, revoked, without a consumer")
                .allMatch(count -> count > 25);
    }
}
