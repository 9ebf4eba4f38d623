package dev.claimstream.kubernetes.doctor;

import dev.claimstream.dra.Feature;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Facts about a cluster that the doctor evaluates.
 *
 * @param url URL of its API server
 * @param id uid of its namespace {@code kube-system}, which identifies the cluster
 * @param version version of the server, such as {@code v1.36.4}
 * @param api whether the server serves {@code resource.k8s.io/v1}
 * @param user user who collected the facts
 * @param clockSkew clock of the server minus the local clock, accurate to a second, because the Date header has whole seconds
 * @param gates per feature gate a dry run of an object with a field of the gate; the field is present if the server would store it
 * @param managedConfig drivers and classes that the cluster declares as managed
 * @param classes all device classes, each with its {@code extendedResourceName} if it has one
 * @param drivers drivers with at least one ResourceSlice
 * @param driversInUse drivers whose devices are allocated to claims of managed classes
 * @param policies all policies of {@code deploy/policies}
 * @param writer facts about the user that writes allocations
 * @param watcherPermissions permissions of the watcher
 * @param logLease the Lease of the log that writes to the cluster
 */
public record ClusterFacts(
        String url,
        LookupResult<String> id,
        LookupResult<String> version,
        LookupResult<Boolean> api,
        String user,
        LookupResult<Duration> clockSkew,
        Map<Feature, DryRunResult> gates,
        LookupResult<ManagedConfig> managedConfig,
        LookupResult<SortedMap<String, Optional<String>>> classes,
        LookupResult<List<String>> drivers,
        LookupResult<List<String>> driversInUse,
        Map<AdmissionPolicy, PolicyFacts> policies,
        WriterFacts writer,
        LookupResult<List<PermissionResult>> watcherPermissions,
        LookupResult<LogLeaseFacts> logLease) {
    public ClusterFacts {
        gates = Collections.unmodifiableSortedMap(new TreeMap<>(gates));
        Map<AdmissionPolicy, PolicyFacts> all = new EnumMap<>(AdmissionPolicy.class);
        all.putAll(policies);
        policies = Collections.unmodifiableMap(all);
    }

    /** Returns a builder of facts about the cluster of a server, of which none was read. */
    public static ClusterFactsBuilder builder(String url, String user) {
        return new ClusterFactsBuilder(url, user);
    }

    /**
     * Content of the ConfigMap {@code claimstream/claimstream-managed}.
     *
     * @param writer user that may write allocations of managed devices
     */
    public record ManagedConfig(List<String> drivers, List<String> classes, String writer) {
        public ManagedConfig {
            drivers = List.copyOf(drivers);
            classes = List.copyOf(classes);
        }
    }

    /**
     * The Lease {@code claimstream/claimstream-log}.
     *
     * @param holder id of the log whose decisions are written
     * @param unrenewed time since its last renewal, by the clock of the server
     * @param duration time without renewal after which another log may take over
     */
    public record LogLeaseFacts(String holder, Duration unrenewed, Duration duration) {}

    /**
     * A policy and its observed effect.
     *
     * @param failurePolicy failure policy of the object
     * @param bindings bindings that refer to the policy
     * @param checks dry runs and their results
     */
    public record PolicyFacts(
            LookupResult<String> failurePolicy, LookupResult<List<PolicyBinding>> bindings, List<DryRunCheck> checks) {
        public PolicyFacts {
            checks = List.copyOf(checks);
        }
    }

    /**
     * A binding of a policy.
     *
     * @param actions reactions to a violation; without meaning for a mutating policy
     */
    public record PolicyBinding(String name, List<String> actions) {
        public PolicyBinding {
            actions = List.copyOf(actions);
        }
    }

    /**
     * A dry run that shows whether a policy works.
     *
     * @param request object of a sentence that starts with {@code refuses} or {@code lets through}
     */
    public record DryRunCheck(String request, ExpectedEffect expectedEffect, DryRunResult result) {}

    /** Effect that a policy must have on a request. */
    public enum ExpectedEffect {
        /** The policy rejects the request. */
        REJECTED,
        /** The policy does not reject the request. */
        ADMITTED,
        /** The policy changes the object. */
        MUTATED,
        /** The policy leaves the object unchanged. */
        UNCHANGED
    }

    /**
     * Result of an access review.
     *
     * @param permission the permission, such as {@code patch resourceclaims/status}
     */
    public record PermissionResult(String permission, boolean isAllowed) {}

    /**
     * Facts about the user that writes allocations.
     *
     * @param permissions permissions without the one to bind
     * @param hasBindingPermission whether the writer may patch {@code resourceclaims/binding} in the whole cluster
     * @param allocationWrite dry run of an allocation by the writer
     * @param watcherPermissions permissions of the watcher, which the writer needs if one process is both
     */
    public record WriterFacts(
            LookupResult<List<PermissionResult>> permissions,
            LookupResult<Boolean> hasBindingPermission,
            DryRunResult allocationWrite,
            LookupResult<List<PermissionResult>> watcherPermissions) {}
}
