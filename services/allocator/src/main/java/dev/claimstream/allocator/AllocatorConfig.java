package dev.claimstream.allocator;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The settings {@code claimstream.allocator.*}.
 *
 * @param instance unique name of this process, the same at every start: local state and group membership belong to it
 * @param stateFolder folder of local state
 * @param policy {@code first-fit} or {@code best-fit}
 * @param searchStepsMax search budget per item and node, in steps
 * @param overtakenMax allocations that may overtake a pending item before a node is reserved for it
 * @param coolDown quarantine: time in which the devices of a force-deleted pod are not reused
 * @param pin the writer's setting of this name; with {@code auto} and {@code always} the writer binds a gated pod that may preempt, so the
 *     pod may get devices on a node without free resources on which kube-scheduler can preempt
 * @param kubeScheduler whether kube-scheduler places pods without the allocation gate; if false, every unbound pod counts as gated
 * @param nodes label selector of the nodes on which devices are allocated; empty for all
 * @param kubernetes Kubernetes release whose feature-gate defaults apply: 1.36 or 1.37
 * @param features feature gates that differ from the defaults, as {@code DRAConsumableCapacity=false,…}
 * @param threads number of stream threads that the cells and the router of this process share
 * @param rebuild whether to rebuild the state from the public topics and the recorded decisions before the start
 * @param snapshotEvery inputs between two snapshots in the ledger; 0 for none
 * @param logDecisions whether each decision is logged
 * @param alarmGrace how long two claims must hold one device before the double allocation is reported
 * @param sources per kind, the comma-separated sources that must have synced before anything is allocated
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
        @Bindable(defaultValue = "") String nodes,
        @Bindable(defaultValue = "1.37") String kubernetes,
        @Bindable(defaultValue = "") String features,
        @Bindable(defaultValue = "1") int threads,
        @Bindable(defaultValue = "false") boolean rebuild,
        @Bindable(defaultValue = "100000") long snapshotEvery,
        @Bindable(defaultValue = "false") boolean logDecisions,
        @Bindable(defaultValue = "5s") Duration alarmGrace,
        Map<String, String> sources) {}
