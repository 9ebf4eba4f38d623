package dev.claimstream.allocator;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The allocator's settings.
 *
 * @param instance names this process for good
 * @param stateFolder where local state lives
 * @param policy first-fit or best-fit
 * @param searchStepsMax effort on one node before an item is undecided
 * @param overtakenMax grants that may pass a waiting item before a node is kept for it
 * @param coolDown how long the devices of a pod that was deleted by force are given to nobody
 * @param pin the writer's setting of this name: with {@code auto} and {@code always} a gated pod that may preempt is served on a node
 *     without room where kube-scheduler can make it, because it is bound to that node
 * @param kubeScheduler whether kube-scheduler places pods without the allocation gate; if not, every unbound pod counts as gated
 * @param kubernetes the release whose defaults the feature gates have, 1.36 or 1.37
 * @param features gates that are set otherwise, as {@code DRAConsumableCapacity=false,…}
 * @param threads how many threads the cells and the router of this process share
 * @param rebuild whether the cells are told their world anew from the public topics and our own decisions before they start
 * @param snapshotEvery inputs between two snapshots in the ledger, 0 for none
 * @param logDecisions whether every decision is a line of the log
 * @param alarmGrace how long two claims have to have a device before that is told as an alarm
 * @param sources per kind, the sources that must have listed it, with commas between
 */
@ConfigurationProperties("claimstream.allocator")
public record AllocatorConfig(
        @Bindable(defaultValue = "allocator-0") String instance,
        Path stateFolder,
        @Bindable(defaultValue = "best-fit") String policy,
        @Bindable(defaultValue = "200000") long searchStepsMax,
        @Bindable(defaultValue = "64") int overtakenMax,
        @Bindable(defaultValue = "0s") Duration coolDown,
        @Bindable(defaultValue = "never") String pin,
        @Bindable(defaultValue = "true") boolean kubeScheduler,
        @Bindable(defaultValue = "1.37") String kubernetes,
        @Bindable(defaultValue = "") String features,
        @Bindable(defaultValue = "1") int threads,
        @Bindable(defaultValue = "false") boolean rebuild,
        @Bindable(defaultValue = "100000") long snapshotEvery,
        @Bindable(defaultValue = "false") boolean logDecisions,
        @Bindable(defaultValue = "5s") Duration alarmGrace,
        Map<String, String> sources) {}
