package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests claims with {@code WAIT_FOR_CONSUMER} on random histories of pods, PodGroups and claims. */
class ClaimConsumerPropertyTest {
    private static final int SIZE = 220;
    private static final String GROUP = "group";

    static LongStream seeds() {
        return Campaign.seeds(1, Integer.getInteger("laws.seeds", 40));
    }

    /** A cluster whose claims wait for a consumer. Every third history also changes this setting. */
    private static final class ConsumerHistoryGenerator {
        private final Random random;
        private final boolean changesTiming;
        private final List<Observation> observations = new ArrayList<>();
        private final SimulatedApiServer apiServer = new SimulatedApiServer(observations);
        private final Cell cell = new Cell(new State(new TextSelectors()));
        private int consumed;

        ConsumerHistoryGenerator(long seed) {
            this.random = new Random(seed);
            this.changesTiming = seed % 3 == 0;
        }

        History generate() {
            apiServer.setAllocationTiming(AllocationTiming.WAIT_FOR_CONSUMER);
            observations.add(new Observation.SettingsChanged(CellSettings.builder()
                    .features(FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true))
                    .build()));
            apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
            for (String node : List.of("node-1", "node-2")) {
                apiServer.write(SampleObjects.node(node));
                apiServer.write(
                        SampleObjects.slice(node + "-slice", node, 1, 1, node, "gpu-0 kind=gpu", "gpu-1 kind=gpu"));
            }
            while (observations.size() < SIZE) {
                addRandomChange();
                for (; consumed < observations.size(); consumed++) {
                    cell.step(new Input(consumed, History.START.plusSeconds(consumed), observations.get(consumed)));
                }
            }
            return new History(observations.subList(0, SIZE));
        }

        private void addRandomChange() {
            switch (random.nextInt(14)) {
                case 0, 1 -> claim("claim-" + random.nextInt(4));
                case 2, 3, 4, 5 -> createPod("pod-" + random.nextInt(5));
                case 6, 7 -> endPod("pod-" + random.nextInt(5));
                case 8 -> toggleGroup();
                case 9, 10 -> commit();
                case 11 -> reportOutcome();
                case 12 -> clearUnusedClaims();
                default -> relist();
            }
        }

        private ObjectKey key(String name) {
            return new ObjectKey("default", name);
        }

        private void claim(String name) {
            if (apiServer
                    .find(Kind.RESOURCE_CLAIM, key(name), ResourceClaim.class)
                    .isEmpty()) {
                apiServer.write(new ResourceClaim(
                        ObjectMeta.of("default", name, apiServer.nextUid()),
                        ClaimText.spec(random.nextInt(3) == 0 ? "r: 2 gpu" : "r: 1 gpu"),
                        Optional.empty(),
                        List.of()));
            } else if (random.nextInt(3) == 0) {
                apiServer.delete(Kind.RESOURCE_CLAIM, key(name), true);
            }
        }

        private void createPod(String name) {
            if (apiServer.find(Kind.POD, key(name), Pod.class).isEmpty()) {
                write(
                        ObjectMeta.of("default", name, apiServer.nextUid()),
                        List.of(podClaim()),
                        random.nextInt(3) == 0 ? Optional.of(GROUP) : Optional.empty(),
                        false);
            }
        }

        private PodClaim podClaim() {
            return new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("claim-" + random.nextInt(4)));
        }

        private void write(ObjectMeta meta, List<PodClaim> podClaims, Optional<String> group, boolean finished) {
            apiServer.write(Pod.builder(meta)
                    .resourceClaims(podClaims)
                    .podGroup(group)
                    .schedulingGates(random.nextBoolean() ? List.of(Pod.ALLOCATION_GATE) : List.of())
                    .finished(finished)
                    .build());
        }

        private void endPod(String name) {
            apiServer.find(Kind.POD, key(name), Pod.class).ifPresent(pod -> {
                if (random.nextInt(3) == 0) {
                    write(pod.meta(), pod.resourceClaims(), pod.podGroup(), true);
                } else {
                    apiServer.delete(Kind.POD, pod.key(), random.nextInt(5) > 0);
                }
            });
        }

        private void toggleGroup() {
            if (apiServer.find(Kind.POD_GROUP, key(GROUP), PodGroup.class).isPresent()) {
                apiServer.delete(Kind.POD_GROUP, key(GROUP), true);
            } else {
                apiServer.write(
                        new PodGroup(ObjectMeta.of("default", GROUP, apiServer.nextUid()), List.of(podClaim())));
            }
        }

        private Optional<ClaimRow.AllocationRow> anyAllocation() {
            List<ClaimRow.AllocationRow> allocationRows =
                    List.copyOf(cell.state().rows(ClaimRow.AllocationRow.ALL));
            return allocationRows.isEmpty()
                    ? Optional.empty()
                    : Optional.of(allocationRows.get(random.nextInt(allocationRows.size())));
        }

        private Optional<ResourceClaim> claim(ClaimRow.AllocationRow allocationRow) {
            return apiServer
                    .find(Kind.RESOURCE_CLAIM, allocationRow.claim(), ResourceClaim.class)
                    .filter(claim -> claim.meta().uid().equals(allocationRow.claimUid()));
        }

        private void commit() {
            anyAllocation()
                    .filter(allocationRow -> allocationRow.commitState() != ClaimRow.AllocationRow.CommitState.REVOKED)
                    .ifPresent(allocationRow -> claim(allocationRow)
                            .filter(claim -> claim.allocation().isEmpty())
                            .ifPresent(claim -> apiServer.write(new ResourceClaim(
                                    claim.meta(),
                                    claim.spec(),
                                    Optional.of(allocationRow.allocation()),
                                    allocationRow.reservedFor()))));
        }

        private void reportOutcome() {
            anyAllocation().ifPresent(allocationRow -> {
                boolean isCommitted =
                        claim(allocationRow).flatMap(ResourceClaim::allocation).isPresent();
                if (isCommitted || allocationRow.commitState() == ClaimRow.AllocationRow.CommitState.REVOKED) {
                    observations.add(new Observation.CommitOutcome(
                            allocationRow.claimUid(),
                            allocationRow.number(),
                            isCommitted
                                    ? Observation.CommitOutcome.Result.COMMITTED
                                    : Observation.CommitOutcome.Result.REJECTED,
                            "",
                            0));
                }
            });
        }

        /** Clears allocations without an existing consumer, as the resourceclaim controller. */
        private void clearUnusedClaims() {
            apiServer.objectsOf(Kind.RESOURCE_CLAIM).stream()
                    .map(ResourceClaim.class::cast)
                    .filter(claim -> claim.allocation().isPresent())
                    .filter(claim -> claim.reservedFor().stream().noneMatch(this::exists))
                    .forEach(claim -> apiServer.write(
                            new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of())));
        }

        private boolean exists(ClaimConsumer consumer) {
            return apiServer
                            .find(Kind.POD, key(consumer.name()), Pod.class)
                            .filter(pod -> pod.meta().uid().equals(consumer.uid()) && !pod.finished())
                            .isPresent()
                    || apiServer
                            .find(Kind.POD_GROUP, key(consumer.name()), PodGroup.class)
                            .filter(group -> group.meta().uid().equals(consumer.uid()))
                            .isPresent();
        }

        private void relist() {
            if (changesTiming && random.nextInt(3) == 0) {
                apiServer.setAllocationTiming(
                        random.nextBoolean() ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE);
            }
            apiServer.relist(random.nextBoolean() ? Kind.POD : Kind.RESOURCE_CLAIM, random, random.nextBoolean(), 1);
        }
    }

    private interface ConsumerStepCheck {
        void check(State state, Step step);
    }

    private static void eachStep(History history, ConsumerStepCheck look) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        for (Input input : history.inputs()) {
            Step step = cell.step(input);
            Invariants.check(state);
            look.check(state, step);
        }
    }

    private static List<ResourceClaim> claimsWaitingForConsumer(State state) {
        List<ResourceClaim> awaited = new ArrayList<>();
        for (ObservedRow.ObjectRow object : state.rows(ObservedRow.ObjectRow.allOf(Kind.RESOURCE_CLAIM))) {
            if (object.stamp().timing() == AllocationTiming.WAIT_FOR_CONSUMER
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

    private static boolean any(State state, Kind kind, Predicate<Object> predicate) {
        return state.rows(ObservedRow.ObjectRow.allOf(kind)).stream()
                .flatMap(row -> row.content().stream())
                .anyMatch(predicate);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsClaimPendingWithoutConsumer(long seed) {
        PropertyCheck.check(
                seed,
                new ConsumerHistoryGenerator(seed).generate(),
                history -> eachStep(history, (state, step) -> {
                    for (ResourceClaim claim : claimsWaitingForConsumer(state)) {
                        Optional<ClaimRow.AllocationRow> uncommitted = state.decidedAllocation(
                                        claim.meta().uid())
                                .filter(allocationRow ->
                                        allocationRow.commitState() == ClaimRow.AllocationRow.CommitState.DECIDED)
                                .filter(_ -> claim.allocation().isEmpty());
                        boolean isUsed = hasPod(state, claim) || hasGroup(state, claim);
                        assertThat(uncommitted.isPresent() && !isUsed)
                                .as("%s", uncommitted)
                                .isFalse();
                        Optional<SchedulingRow.ItemRow> item = state.item(ItemId.claim(claim.key()));
                        boolean isFree = claim.allocation().isEmpty()
                                && state.decidedAllocation(claim.meta().uid()).isEmpty();
                        assertThat(item.flatMap(SchedulingRow.ItemRow::reason).equals(Optional.of(Reason.NoConsumer)))
                                .as("%s", claim)
                                .isEqualTo(isFree && !hasPod(state, claim));
                    }
                }));
    }

    /** A router and two cells consume at random speeds and are rebuilt at random times. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsClaimPendingWithoutConsumerInAllCells(long seed) {
        PropertyCheck.check(seed, new ConsumerHistoryGenerator(seed).generate(), history -> {
            var simulation = new MultiCellSimulation(2, seed);
            var random = new Random(seed);
            for (Observation observation : history.observations()) {
                simulation.observe(observation);
                simulation.runSomeSteps();
                if (random.nextInt(150) == 0) {
                    simulation.rebuild(random.nextBoolean());
                }
            }
            simulation.settle();
            assertThat(simulation.findOmissions()).isEmpty();
            for (int i = 0; i < simulation.cells(); i++) {
                State state = simulation.cell(i);
                for (ResourceClaim claim : claimsWaitingForConsumer(state)) {
                    assertThat(state.decidedAllocation(claim.meta().uid())
                                    .filter(allocationRow ->
                                            allocationRow.commitState() == ClaimRow.AllocationRow.CommitState.DECIDED)
                                    .filter(_ -> claim.allocation().isEmpty())
                                    .filter(_ -> !hasPod(state, claim) && !hasGroup(state, claim)))
                            .isEmpty();
                }
            }
            simulation.settleRevocations();
            assertThat(simulation.findOmissions()).isEmpty();
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void reachesSameStateAfterRepeatedOrReorderedRecords(long seed) {
        PropertyCheck.check(seed, new ConsumerHistoryGenerator(seed).generate(), history -> {
            List<String> expected = observedRows(history);
            assertThat(observedRows(history.withRepetitions(seed))).isEqualTo(expected);
            assertThat(observedRows(history.shuffle(seed, false))).isEqualTo(expected);
        });
    }

    private static List<String> observedRows(History history) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        history.inputs().forEach(cell::step);
        return StateSnapshot.of(state).observedRows();
    }

    @Test
    void historiesCoverAllocationsAndRevocations() {
        var allocated = new AtomicInteger();
        var revoked = new AtomicInteger();
        var unused = new AtomicInteger();
        for (long seed = 1; seed <= 20; seed++) {
            eachStep(new ConsumerHistoryGenerator(seed).generate(), (state, step) -> {
                for (Output output : step.outputs()) {
                    if (output instanceof Output.DecisionMade(Decision decision)) {
                        switch (decision.result()) {
                            case Decision.DecisionResult.Allocated _ -> allocated.incrementAndGet();
                            case Decision.DecisionResult.Revoked _ -> revoked.incrementAndGet();
                            case Decision.DecisionResult.Pending(Reason reason, String _) ->
                                unused.addAndGet(reason == Reason.NoConsumer ? 1 : 0);
                            case Decision.DecisionResult.Released _, Decision.DecisionResult.Deallocation _ -> {}
                        }
                    }
                }
            });
        }
        assertThat(List.of(allocated.get(), revoked.get(), unused.get()))
                .as("granted, revoked, without a consumer")
                .allMatch(count -> count > 25);
    }
}
