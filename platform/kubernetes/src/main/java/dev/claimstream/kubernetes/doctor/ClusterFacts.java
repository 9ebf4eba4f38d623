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
 * @param ahead clock of the server minus the local clock, accurate to a second, because the Date header has whole seconds
 * @param gates per feature gate a dry run of an object with a field of the gate; the field is present if the server would store it
 * @param ours drivers and classes that the cluster declares as managed
 * @param classes all device classes, each with its {@code extendedResourceName} if it has one
 * @param drivers drivers with at least one ResourceSlice
 * @param given drivers whose devices are allocated to claims of managed classes
 * @param policies all policies of {@code deploy/policies}
 * @param writer facts about the user that writes allocations
 * @param watcher permissions of the watcher
 */
public record ClusterFacts(
        String url,
        Seen<String> id,
        Seen<String> version,
        Seen<Boolean> api,
        String user,
        Seen<Duration> ahead,
        Map<Feature, Trial> gates,
        Seen<Ours> ours,
        Seen<SortedMap<String, Optional<String>>> classes,
        Seen<List<String>> drivers,
        Seen<List<String>> given,
        Map<Policy, PolicyFacts> policies,
        WriterFacts writer,
        Seen<List<Access>> watcher) {
    public ClusterFacts {
        gates = Collections.unmodifiableSortedMap(new TreeMap<>(gates));
        Map<Policy, PolicyFacts> all = new EnumMap<>(Policy.class);
        all.putAll(policies);
        policies = Collections.unmodifiableMap(all);
    }

    /**
     * Content of the ConfigMap {@code claimstream/claimstream-managed}.
     *
     * @param writer user that may write allocations of managed devices
     */
    public record Ours(List<String> drivers, List<String> classes, String writer) {
        public Ours {
            drivers = List.copyOf(drivers);
            classes = List.copyOf(classes);
        }
    }

    /**
     * A policy and its observed effect.
     *
     * @param failurePolicy failure policy of the object
     * @param bindings bindings that refer to the policy
     * @param attempts dry runs and their results
     */
    public record PolicyFacts(Seen<String> failurePolicy, Seen<List<Binding>> bindings, List<Attempt> attempts) {
        public PolicyFacts {
            attempts = List.copyOf(attempts);
        }
    }

    /**
     * A binding of a policy.
     *
     * @param actions reactions to a violation; without meaning for a mutating policy
     */
    public record Binding(String name, List<String> actions) {
        public Binding {
            actions = List.copyOf(actions);
        }
    }

    /**
     * A dry run that shows whether a policy works.
     *
     * @param what object of a sentence that starts with "refuses" or "lets through"
     */
    public record Attempt(String what, Expected expected, Trial trial) {}

    /** Effect that a policy must have on a request. */
    public enum Expected {
        /** The policy rejects the request. */
        REFUSED,
        /** The policy does not reject the request. */
        LET_THROUGH,
        /** The policy changes the object. */
        CHANGED,
        /** The policy leaves the object unchanged. */
        UNCHANGED
    }

    /**
     * Result of an access review.
     *
     * @param right the permission, such as {@code patch resourceclaims/status}
     */
    public record Access(String right, boolean isAllowed) {}

    /**
     * Facts about the user that writes allocations.
     *
     * @param rights permissions without the one to bind
     * @param binding whether the writer may patch {@code resourceclaims/binding} in the whole cluster
     * @param write dry run of an allocation by the writer
     * @param watching permissions of the watcher, which the writer needs if one process is both
     */
    public record WriterFacts(
            Seen<List<Access>> rights, Seen<Boolean> binding, Trial write, Seen<List<Access>> watching) {}
}
