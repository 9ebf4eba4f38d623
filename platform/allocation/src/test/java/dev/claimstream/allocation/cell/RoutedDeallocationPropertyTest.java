package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Tests deallocations with several cells on random histories with a writer and kube-scheduler.
 *
 * <p>{@link DeallocatingCluster} checks each decision and each write.
 */
class RoutedDeallocationPropertyTest {
    private static final int EVENTS = 120;

    /** 60 seeds give about 20 such pods, and a part of them can give none. RoutedDeallocationTest has one in each run. */
    private static final int SEEDS_FOR_RUNNING_PODS = 60;

    private int deallocations;
    private int openedGates;

    static LongStream seeds() {
        return Campaign.seeds(9000, Integer.getInteger("laws.seeds", 60));
    }

    @Test
    void deallocatesOnceAndLeavesNoPodWaitingForEver() {
        seeds().forEach(seed -> {
            try {
                run(seed);
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError("seed %d".formatted(seed), broken);
            }
        });
        long seeds = seeds().count();
        assertThat(deallocations).as("deallocations").isGreaterThan((int) seeds / 6);
        if (seeds >= SEEDS_FOR_RUNNING_PODS) {
            assertThat(openedGates).as("pods that ran after that").isPositive();
        }
    }

    private void run(long seed) {
        var random = new Random(seed);
        int cells = 2 + random.nextInt(3);
        var cluster = new DeallocatingCluster(cells, seed);
        if (seed % 3 == 0) {
            cluster.limitWork();
        }
        for (int i = 0; i < 4; i++) {
            cluster.node("node-" + i, i % cells, false);
            cluster.pool("node-" + i, 1, 0, 2);
        }
        for (int i = 0; i < EVENTS; i++) {
            change(cluster, random, cells);
            for (int runs = random.nextInt(10); runs > 0; runs--) {
                cluster.runSomeSteps();
            }
        }
        cluster.finish();
        int before = cluster.deallocations.size();
        cluster.removeDeletedConsumers();
        for (int i = 0; i < 10; i++) {
            cluster.schedule();
            cluster.finish();
        }
        assertThat(cluster.deallocations.size() - before)
                .as("deallocations without a change")
                .isLessThanOrEqualTo(2 * cluster.claims().size());
        assertThat(cluster.simulation.findOmissions()).isEmpty();
        deallocations += cluster.deallocations.size();
        openedGates += (int) cluster.deallocations.stream()
                .filter(decision -> cluster.findPod(decision.item().key())
                        .filter(pod -> !pod.isGated())
                        .isPresent())
                .count();
    }

    private static void change(DeallocatingCluster cluster, Random random, int cells) {
        int number = random.nextInt(4);
        switch (random.nextInt(16)) {
            case 0 ->
                any(cluster.nodes(), random)
                        .ifPresent(node -> cluster.node(node.meta().name(), number % cells, !node.unschedulable()));
            case 1 ->
                any(cluster.nodes(), random).filter(_ -> random.nextInt(4) == 0).ifPresent(cluster::delete);
            case 2 -> cluster.node("node-" + number, number % cells, false);
            case 3 -> cluster.pool("node-" + number, 2 + random.nextInt(3), random.nextInt(2), 1 + random.nextInt(2));
            case 4 -> writeClaim(cluster, random, "claim-" + number);
            case 5, 6, 7, 8 -> writePod(cluster, random, cells);
            case 9, 10 -> {
                any(cluster.pods(), random).ifPresent(cluster::delete);
                if (random.nextInt(4) > 0) {
                    cluster.removeDeletedConsumers();
                }
            }
            case 11 -> cluster.schedule();
            default -> {
                for (int commits = random.nextInt(4); commits > 0 && cluster.uncommitted() > 0; commits--) {
                    boolean isInOrder = random.nextInt(4) > 0;
                    cluster.commit(isInOrder ? 0 : random.nextInt(cluster.uncommitted()), random.nextInt(4) == 0);
                }
            }
        }
    }

    private static void writeClaim(DeallocatingCluster cluster, Random random, String name) {
        if (cluster.findClaim(DeallocatingCluster.key(name)).isEmpty()) {
            cluster.claim(name, random.nextBoolean() ? "r: 1 gpu" : "r: 2 gpu");
        }
    }

    private static void writePod(DeallocatingCluster cluster, Random random, int cells) {
        String name = "pod-" + random.nextInt(4);
        List<ResourceClaim> claims = cluster.claims();
        if (cluster.findPod(DeallocatingCluster.key(name)).isPresent() || claims.isEmpty()) {
            return;
        }
        Optional<Integer> cell = random.nextInt(3) == 0 ? Optional.empty() : Optional.of(random.nextInt(cells));
        String first = any(claims, random).orElseThrow().meta().name();
        String second = any(claims, random).orElseThrow().meta().name();
        if (random.nextInt(3) > 0 || first.equals(second)) {
            cluster.gatedPod(name, cell, first);
        } else {
            cluster.gatedPod(name, cell, first, second);
        }
    }

    private static <T> Optional<T> any(List<T> all, Random random) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }
}
