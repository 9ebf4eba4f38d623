package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests gangs on random histories: pods of a PodGroup that start together or not at all. */
class GangPropertyTest {
    private static final int SIZE = 160;
    private static final int GPUS = 9;
    private static final List<String> GROUPS = List.of("two", "three", "five", "each");

    static LongStream seeds() {
        return Campaign.seeds(1, Integer.getInteger("laws.seeds", 40));
    }

    private static History generateHistory(long seed) {
        var random = new Random(seed);
        var out = new ArrayList<Observation>();
        var world = new SimulatedApiServer(out);
        world.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        for (int i = 1; i <= 3; i++) {
            String node = "node-" + i;
            world.write(SampleObjects.node(node));
            world.write(SampleObjects.slice(
                    node + "-slice", node, 1, 1, node, "gpu-0 kind=gpu", "gpu-1 kind=gpu", "gpu-2 kind=gpu"));
        }
        while (out.size() < SIZE) {
            if (random.nextInt(10) == 0) {
                changeGroup(world, random, GROUPS.get(random.nextInt(GROUPS.size())));
            } else {
                changePod(world, random, "pod-" + random.nextInt(20));
            }
        }
        return new History(out.subList(0, SIZE));
    }

    private static void changeGroup(SimulatedApiServer world, Random random, String name) {
        var key = new ObjectKey("default", name);
        if (world.find(Kind.POD_GROUP, key, PodGroup.class).isPresent() && random.nextInt(4) == 0) {
            world.delete(Kind.POD_GROUP, key, true);
        } else {
            int minCount = switch (name) {
                case "two" -> 2;
                case "three" -> 3;
                case "five" -> 5;
                default -> random.nextInt(2);
            };
            world.write(new PodGroup(ObjectMeta.of("default", name, "uid-" + name), minCount, List.of()));
        }
    }

    private static void changePod(SimulatedApiServer world, Random random, String name) {
        var key = new ObjectKey("default", name);
        Optional<Pod> before = world.find(Kind.POD, key, Pod.class);
        if (before.isPresent() && random.nextInt(3) > 0) {
            world.delete(Kind.POD, key, true);
            world.delete(Kind.RESOURCE_CLAIM, claimKey(name), true);
            return;
        }
        if (before.isEmpty()) {
            writePod(world, random, name);
            world.write(new ResourceClaim(
                    ObjectMeta.of("default", "claim-" + name, world.nextUid()),
                    ClaimText.spec("r: 1 gpu"),
                    Optional.empty(),
                    List.of()));
        }
    }

    private static ObjectKey claimKey(String pod) {
        return new ObjectKey("default", "claim-" + pod);
    }

    private static void writePod(SimulatedApiServer world, Random random, String name) {
        world.write(Pod.builder(ObjectMeta.of("default", name, world.nextUid()))
                .priority(random.nextInt(3))
                .resourceClaims(
                        List.of(new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("claim-" + name), 1)))
                .podGroup(
                        random.nextInt(4) > 0
                                ? Optional.of(GROUPS.get(random.nextInt(GROUPS.size())))
                                : Optional.empty())
                .build());
    }

    private static void eachStep(long seed, GangStepCheck look) {
        PropertyCheck.check(seed, generateHistory(seed), each -> {
            var state = new State(new TextSelectors());
            var cell = new Cell(state);
            for (Input input : each.inputs()) {
                Set<ItemId> before = allocatedItems(state);
                Step step = cell.step(input);
                Invariants.check(state);
                look.check(before, state, step);
            }
        });
    }

    private interface GangStepCheck {
        void check(Set<ItemId> before, State after, Step step);
    }

    private static Set<ItemId> allocatedItems(State state) {
        var allocated = new TreeSet<ItemId>();
        state.rows(SchedulingRow.ItemRow.ALL).forEach(item -> {
            if (!item.isPending()) {
                allocated.add(item.item());
            }
        });
        return allocated;
    }

    private static List<PodGroup> groups(State state) {
        return GROUPS.stream()
                .flatMap(name -> state.podGroup(new ObjectKey("default", name)).stream())
                .toList();
    }

    private static List<ItemId> members(State state, PodGroup group) {
        return state.podIndex().membersOf(group.key()).stream().map(ItemId::pod).toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void allocatesGangOnlyWithItsMinimumCount(long seed) {
        eachStep(seed, (before, state, step) -> {
            Set<ItemId> now = allocatedItems(state);
            for (PodGroup group : groups(state)) {
                List<ItemId> members = members(state, group);
                if (members.stream().anyMatch(member -> now.contains(member) && !before.contains(member))) {
                    assertThat(members.stream().filter(now::contains).count())
                            .as("%s", group)
                            .isGreaterThanOrEqualTo(group.minCount());
                }
            }
            for (Output output : step.outputs()) {
                if (output instanceof Output.DecisionMade decided
                        && decided.decision().result() instanceof Decision.DecisionResult.Allocated) {
                    assertThat(state.decidedAllocation(decided.decision().claimUid()))
                            .as("%s", decided)
                            .isPresent();
                }
            }
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void leavesNoGangPendingThatFits(long seed) {
        eachStep(seed, (_, state, _) -> {
            long free = GPUS
                    - state.devicesByHolder().values().stream()
                            .mapToLong(List::size)
                            .sum();
            for (PodGroup group : groups(state)) {
                List<ItemId> members = members(state, group);
                long pending = members.stream()
                        .flatMap(member -> state.item(member).stream())
                        .filter(row -> row.reason().equals(Optional.of(Reason.GangIncomplete)))
                        .count();
                long missing = group.minCount()
                        - members.stream()
                                .filter(allocatedItems(state)::contains)
                                .count();
                assertThat(pending > 0 && missing <= pending && missing <= free && isComplete(state, members))
                        .as("%d of %s wait, %d missing, %d free", pending, group, missing, free)
                        .isFalse();
            }
        });
    }

    /** Whether the claims of all pods exist. */
    private static boolean isComplete(State state, List<ItemId> members) {
        return members.stream()
                .allMatch(member -> state.claim(claimKey(member.key().name())).isPresent());
    }

    /** Guards the other tests against histories without gangs. */
    @Test
    void historiesContainAllocatedAndPendingGangs() {
        var allocated = new AtomicInteger();
        var pending = new AtomicInteger();
        seeds().forEach(seed -> eachStep(seed, (before, state, _) -> {
            for (PodGroup group : groups(state)) {
                List<ItemId> members = members(state, group);
                long fresh = members.stream()
                        .filter(allocatedItems(state)::contains)
                        .filter(member -> !before.contains(member))
                        .count();
                allocated.addAndGet(fresh > 1 ? 1 : 0);
                pending.addAndGet(
                        members.stream()
                                        .flatMap(member -> state.item(member).stream())
                                        .anyMatch(row -> row.message().contains("beside them"))
                                ? 1
                                : 0);
            }
        }));
        assertThat(allocated.get()).isGreaterThan(10 / Campaign.PARTS);
        assertThat(pending.get()).isGreaterThan(10 / Campaign.PARTS);
    }
}
