package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Tests deallocations on random histories.
 *
 * <p>A cell deallocates a claim only under the condition of PostFilter in kube-scheduler, and once per change.
 */
class DeallocationPropertyTest {
    private static final int SEEDS = 40;
    private static final int SIZE = 260;

    private int deallocations;
    private int placedPods;

    @Test
    void deallocatesOnlyClaimsWithoutOtherUsers() {
        for (long seed = 0; seed < SEEDS; seed++) {
            PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), this::check);
        }
        assertThat(deallocations).as("deallocations in %d histories", SEEDS).isGreaterThan(SEEDS / 10);
        assertThat(placedPods).as("pods that ran after that").isPositive();
    }

    private void check(History history) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        Set<List<Object>> deallocated = new HashSet<>();
        Set<ItemId> pending = new TreeSet<>();
        for (Input input : history.inputs()) {
            for (Output output : cell.step(input).outputs()) {
                if (output instanceof Output.DecisionMade(Decision decision)
                        && decision.result() instanceof Decision.DecisionResult.Deallocation result) {
                    deallocations++;
                    pending.add(decision.item());
                    check(state, decision, result);
                    Pod pod = state.pod(decision.item().key()).orElseThrow();
                    assertThat(deallocated.add(List.of(
                                    decision.claimUid(),
                                    result.claimVersion(),
                                    pod.meta().uid(),
                                    pod.meta().labels(),
                                    pod.resourceClaims(),
                                    pod.schedulingGates())))
                            .as("once per change: %s", decision)
                            .isTrue();
                }
            }
            for (ItemId item : List.copyOf(pending)) {
                if (state.item(item).filter(row -> !row.isPending()).isPresent()) {
                    pending.remove(item);
                    placedPods++;
                }
            }
        }
    }

    private static void check(State state, Decision decision, Decision.DecisionResult.Deallocation result) {
        ResourceClaim claim = state.claim(decision.claim()).orElseThrow();
        Pod pod = state.pod(decision.item().key()).orElseThrow();
        assertThat(claim.allocation()).contains(result.allocation());
        assertThat(claim.reservedFor())
                .extracting(ClaimConsumer::uid)
                .isSubsetOf(result.consumer().uid());
        assertThat(isAtGate(state, pod)).as("%s is at the gate", pod.key()).isTrue();
        for (ObjectKey user : state.podsOf(claim.key())) {
            assertThat(state.pod(user).filter(each -> !each.finished()).flatMap(Pod::nodeName))
                    .as("node of %s, which uses %s", user, claim.key())
                    .isEmpty();
        }
    }

    private static boolean isAtGate(State state, Pod pod) {
        return pod.nodeName().isEmpty() && (pod.isGated() || !state.settings().kubeScheduler());
    }
}
